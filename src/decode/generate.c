#include "decode/generate.h"

#include <string.h>

#include "base/memory.h"

typedef struct {
    at_session *session;
    const at_model *model;
    const attend_generate_options *o;
    at_sampling sampling;
    int *ids, count; /* the text so far */
    int prompt;      /* how much of it was given */
    int begin;       /* where the context begins */
    int *never, nevers;
    bool ended; /* by the end of a text, in a chunk */
    at_text_stream stream;
} job;

/* ---- the prompt ----------------------------------------------------------------------------- */

attend_status at_prompt_tokens(const at_model *m, at_text prompt, at_tokens *out, attend_error *err)
{
    const char *line = prompt.text, *end = prompt.text + prompt.size;
    if (m->source->special[ATTEND_SPECIAL_EOS] < 0)
        return at_error(err, ATTEND_FORMAT, "the model's tokenizer has no end of a text");
    if (at_model_keeps_newlines(m->kind, m->settings)) {
        size_t before = out->count;
        attend_status status = at_encode(m->source, prompt.text, prompt.size, out, err);
        if (status >= 0 && out->count == before)
            at_tokens_add(out, m->source->special[ATTEND_SPECIAL_EOS], 0, 0);
        return status;
    }
    for (;;) {
        const char *next = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        at_tokens_add(out, m->source->special[ATTEND_SPECIAL_EOS], 0, 0);
        attend_status status = at_encode(m->source, line, (size_t)((next ? next : end) - line), out,
                                         err);
        if (status < 0 || !next)
            return status;
        line = next + 1;
    }
}

static attend_status read_prompt(job *j, at_text prompt, attend_error *err)
{
    at_tokens pieces = {0};
    attend_status status = at_prompt_tokens(j->model, prompt, &pieces, err);
    if (status >= 0
        && !(j->ids = at_alloc((pieces.count + (size_t)j->o->most + 1) * sizeof *j->ids)))
        status = at_error_memory(err);
    for (size_t i = 0; i < pieces.count && status >= 0; i++)
        j->ids[j->count++] = pieces.item[i].id;
    j->prompt = j->count;
    at_tokens_free(&pieces);
    return status;
}

/* Padding, the unknown word and what begins a text are not written, nor are rows of the embedding
 * without a token. */
static attend_status forbid(job *j, attend_error *err)
{
    static const at_special special[] = {ATTEND_SPECIAL_PAD, ATTEND_SPECIAL_UNK, ATTEND_SPECIAL_BOS,
                                         ATTEND_SPECIAL_CLS, ATTEND_SPECIAL_MASK};
    enum { SPECIALS = sizeof special / sizeof *special };
    const at_tokenizer *t = j->model->source;
    int V = j->model->kind->decodes->vocabulary(j->model), tokens = at_tokenizer_size(t);
    j->never = at_alloc((size_t)(SPECIALS + (V > tokens ? V - tokens : 0)) * sizeof *j->never);
    if (!j->never)
        return at_error_memory(err);
    for (int i = 0; i < SPECIALS; i++) {
        int id = t->special[special[i]];
        if (id >= 0 && id != t->special[ATTEND_SPECIAL_EOS])
            j->never[j->nevers++] = id;
    }
    for (int id = tokens; id < V; id++)
        j->never[j->nevers++] = id;
    return ATTEND_OK;
}

/* ---- the context ---------------------------------------------------------------------------- */

/* positions that the model has; 0: any number */
static int positions_of(const job *j) { return at_model_max_input(j->model, 0); }

/* The last token of a text needs no position: nothing is predicted from it. */
static attend_status check_context(const job *j, attend_error *err)
{
    int positions = positions_of(j), all = j->prompt + j->o->most - 1;
    bool slides = j->o->context == ATTEND_CONTEXT_SLIDES;
    if (!positions || (slides && !j->o->beam))
        return ATTEND_OK;
    if (j->prompt > positions)
        return at_error(err, ATTEND_OPTION,
                        "the prompt has %d tokens, and the model %d positions; shorten it, or let "
                        "the context slide",
                        j->prompt, positions);
    if (all > positions && (slides || j->o->context == ATTEND_CONTEXT_REFUSES))
        return at_error(err, ATTEND_OPTION,
                        "%d tokens and %d of the prompt are more than the model's %d positions%s; "
                        "ask for at most %d",
                        j->o->most, j->prompt, positions,
                        slides ? ", and a beam search cannot slide" : "",
                        positions - j->prompt + 1);
    return ATTEND_OK;
}

/* Tokens that can be added before the context is full; 0: the text ends. */
static int make_room(job *j)
{
    int positions = positions_of(j), left = j->o->most - (j->count - j->prompt);
    if (!positions)
        return left;
    if (j->count - j->begin >= positions) {
        if (j->o->context != ATTEND_CONTEXT_SLIDES)
            return j->count - j->begin == positions && left > 0;
        j->begin = j->count - (positions > 1 ? positions / 2 : 1);
    }
    int space = positions - (j->count - j->begin) + 1;
    return left < space ? left : space;
}

/* ---- the search ----------------------------------------------------------------------------- */

static int stepped(void *user, int sentence, const at_beam *b, attend_error *err)
{
    job *j = user;
    (void)sentence;
    int n = at_beam_running(b, 0, j->ids + j->count);
    attend_status status = at_text_stream_take(&j->stream, j->ids, j->count + n, false, err);
    return status < 0 ? (int)status : j->stream.stopped;
}

/* the options of a chunk of `most` tokens; history is the text so far */
static at_search_options search_options(job *j, int most, const size_t *number,
                                        const int *const *history)
{
    const attend_generate_options *o = j->o;
    int end = j->model->source->special[ATTEND_SPECIAL_EOS];
    return (at_search_options){.beam = {.width = o->beam ? o->beam : 1,
                                        .end = j->stream.newlines ? end : -1,
                                        .most = most,
                                        .rule = ATTEND_LENGTH_RULE_AVERAGE,
                                        .penalty = o->penalty,
                                        .given = j->count},
                               .no_repeat = o->no_repeat,
                               .sampling = o->greedy || o->beam ? NULL : &j->sampling,
                               .draw_from_logits = true,
                               .seed = o->seed,
                               .number = number,
                               .use = "generate",
                               .words_alone = !o->beam,
                               .history = history,
                               .repetition = o->repetition,
                               .never = j->never,
                               .nevers = j->nevers,
                               .begun = j->count - j->prompt,
                               .stepped = o->beam ? NULL : stepped,
                               .user = j};
}

/* All of the context but its last token is read at once; the first step takes that. */
static attend_status add_tokens(job *j, int most, attend_error *err)
{
    size_t number = j->o->text;
    int last = j->count - 1, n = last - j->begin;
    int *history = at_alloc((size_t)(j->count + 1) * sizeof *history);
    if (!history)
        return at_error_memory(err);
    memcpy(history, j->ids, (size_t)j->count * sizeof *history);
    history[j->count] = -1;
    at_search_options o = search_options(j, most, &number, (const int *const[]){history});
    at_beginning in = {.sentences = 1, .prompt = {SHAPE(1, n), j->ids + j->begin}};
    at_searched all;
    at_beam beam = {.count = 0};
    attend_status status = at_session_start(j->session, &in, err);
    if (status >= 0)
        status = at_session_searched(j->session, j->ids[last], o.beam.width, &all, err);
    if (status >= 0)
        status = at_search(&all, &o, &beam, err);
    if (status >= 0 && beam.count) {
        j->count += at_beam_words(&beam, &beam.found[0], j->ids + j->count);
        j->ended = beam.found[0].ended;
    }
    at_beam_free(&beam);
    at_free(history);
    return status;
}

static attend_status generate(job *j, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int most; status >= 0 && !j->ended && !j->stream.stopped && (most = make_room(j)) > 0;) {
        status = add_tokens(j, most, err);
        bool last = j->ended || j->count - j->prompt >= j->o->most;
        if (status >= 0 && !j->stream.stopped)
            status = at_text_stream_take(&j->stream, j->ids, j->count, last, err);
    }
    return status >= 0 ? at_text_stream_take(&j->stream, j->ids, j->count, true, err) : status;
}

attend_status at_generate(at_session *session, const attend_generate_options *o, at_text prompt,
                          at_str *out, attend_error *err)
{
    job j = {.session = session,
             .model = at_session_model(session, 0),
             .o = o,
             .sampling = {o->repetition, o->temperature, o->top_k, o->top_p, o->min_p}};
    at_sampling bent = {o->repetition, 1, 0, 1, 0}; /* greedy search has no other bend */
    attend_status status = at_sampling_check(o->greedy || o->beam ? &bent : &j.sampling, err);
    if (status >= 0 && (status = read_prompt(&j, prompt, err)) >= 0
        && (status = check_context(&j, err)) >= 0)
        status = forbid(&j, err);
    j.stream = (at_text_stream){
        .tokenizer = j.model->source,
        .newlines = at_model_keeps_newlines(j.model->kind, j.model->settings),
        .stop = o->stop,
        .stops = (int)o->stop_count,
        .lines = o->lines,
        .give = o->piece,
        .user = o->user};
    if (status >= 0) {
        bool after_end = j.ids[0] == j.model->source->special[ATTEND_SPECIAL_EOS];
        at_text_stream_begin(&j.stream, after_end, j.prompt);
        status = generate(&j, err);
    }
    if (status >= 0) {
        at_str_add_bytes(out, prompt.text, prompt.size);
        at_str_add_bytes(out, at_str_text(&j.stream.text), j.stream.text.length);
        status = out->failed ? at_error_memory(err) : status;
    }
    at_str_free(&j.stream.text);
    at_free(j.never);
    at_free(j.ids);
    return status;
}
