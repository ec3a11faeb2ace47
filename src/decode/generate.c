#include "decode/generate.h"

#include <string.h>

#include "base/memory.h"

typedef struct {
    at_text given;   /* the prompt */
    size_t number;   /* of its random numbers */
    int *ids, count; /* the text so far */
    int prompt;      /* how much of it was given */
    int begin;       /* where the context begins */
    bool ended;      /* by the end of a text */
    at_text_stream stream;
    at_arena memory;                   /* of what follows */
    at_generated_attention *attention; /* [o->most], of each token that was added; or NULL */
} text;

typedef struct {
    at_session *session;
    const at_model *model;
    const attend_generate_options *o;
    const at_attention_record *wanted; /* or NULL */
    at_sampling sampling;
    int *never, nevers;
    size_t texts;
    text *text;
    text **going; /* [texts]: those that a search continues */
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

static attend_status read_prompt(const job *j, text *x, attend_error *err)
{
    at_tokens tokens = {0};
    attend_status status = at_prompt_tokens(j->model, x->given, &tokens, err);
    if (status >= 0
        && !(x->ids = at_alloc((tokens.count + (size_t)j->o->most + 1) * sizeof *x->ids)))
        status = at_error_memory(err);
    for (size_t i = 0; i < tokens.count && status >= 0; i++)
        x->ids[x->count++] = tokens.item[i].id;
    x->prompt = x->count;
    at_tokens_free(&tokens);
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
static attend_status check_context(const job *j, const text *x, attend_error *err)
{
    int positions = positions_of(j), all = x->prompt + j->o->most - 1;
    bool slides = j->o->context == ATTEND_CONTEXT_SLIDES;
    if (!positions || (slides && !j->o->beam))
        return ATTEND_OK;
    if (x->prompt > positions)
        return at_error(err, ATTEND_OPTION,
                        "the prompt has %d tokens, and the model %d positions; shorten it, or let "
                        "the context slide",
                        x->prompt, positions);
    if (all > positions && (slides || j->o->context == ATTEND_CONTEXT_REFUSES))
        return at_error(err, ATTEND_OPTION,
                        "%d tokens and %d of the prompt are more than the model's %d positions%s; "
                        "ask for at most %d",
                        j->o->most, x->prompt, positions,
                        slides ? ", and a beam search cannot slide" : "",
                        positions - x->prompt + 1);
    return ATTEND_OK;
}

/* Tokens that can be added before the context is full; 0: the text ends. */
static int make_room(const job *j, text *x)
{
    int positions = positions_of(j), left = j->o->most - (x->count - x->prompt);
    if (!positions)
        return left;
    if (x->count - x->begin >= positions) {
        if (j->o->context != ATTEND_CONTEXT_SLIDES)
            return x->count - x->begin == positions && left > 0;
        x->begin = x->count - (positions > 1 ? positions / 2 : 1);
    }
    int space = positions - (x->count - x->begin) + 1;
    return left < space ? left : space;
}

/* ---- the search ----------------------------------------------------------------------------- */

static int stepped(void *user, int sentence, const at_beam *b, attend_error *err)
{
    const job *j = user;
    text *x = j->going[sentence];
    int n = at_beam_running(b, 0, x->ids + x->count);
    attend_status status = at_text_stream_take(&x->stream, x->ids, x->count + n, false, err);
    if (status >= 0 && j->texts > 1 && j->o->piece)
        status = j->o->piece(j->o->user, "", 0, err);
    return status < 0 ? (int)status : x->stream.stopped;
}

/* what a search needs of each text, in one arena */
typedef struct {
    at_arena memory;
    int n, T;    /* texts; tokens of the longest context without its last token */
    int *prompt; /* [n,T]: contexts without their last tokens */
    int *counts, *starts, *most, *given, *begun; /* [n] */
    size_t *number;                              /* [n] */
    const int **history;                         /* [n] */
} search_input;

/* the texts that have room for more tokens */
static void choose_texts(job *j, search_input *in, int *most)
{
    for (size_t i = 0; i < j->texts; i++) {
        text *x = &j->text[i];
        int room = x->ended || x->stream.stopped ? 0 : make_room(j, x);
        if (room <= 0)
            continue;
        int context = x->count - 1 - x->begin;
        in->T = context > in->T ? context : in->T;
        most[in->n] = room;
        j->going[in->n++] = x;
    }
}

static bool fill_text(search_input *in, int i, const text *x)
{
    int *history = at_arena_alloc(&in->memory, (size_t)(x->count + 1) * sizeof *history);
    if (!history)
        return false;
    memcpy(history, x->ids, (size_t)x->count * sizeof *history);
    history[x->count] = -1;
    in->history[i] = history;
    in->counts[i] = x->count - 1 - x->begin;
    for (int k = 0; k < in->T; k++)
        in->prompt[i * in->T + k] = k < in->counts[i] ? x->ids[x->begin + k] : 0;
    in->starts[i] = x->ids[x->count - 1];
    in->given[i] = x->count;
    in->begun[i] = x->count - x->prompt;
    in->number[i] = x->number;
    return true;
}

/* in->n of 0: all texts are complete */
static attend_status make_input(job *j, search_input *in, attend_error *err)
{
    size_t n = j->texts;
    int *ints = at_arena_alloc(&in->memory, 5 * n * sizeof *ints);
    in->number = at_arena_alloc(&in->memory, n * sizeof *in->number);
    in->history = at_arena_alloc(&in->memory, n * sizeof *in->history);
    if (!ints || !in->number || !in->history)
        return at_error_memory(err);
    in->counts = ints;
    in->starts = ints + n;
    in->most = ints + 2 * n;
    in->given = ints + 3 * n;
    in->begun = ints + 4 * n;
    choose_texts(j, in, in->most);
    in->prompt = at_arena_alloc(&in->memory,
                                ((size_t)in->n * (size_t)in->T + 1) * sizeof *in->prompt);
    bool filled = in->prompt;
    for (int i = 0; i < in->n && filled; i++)
        filled = fill_text(in, i, j->going[i]);
    return filled ? ATTEND_OK : at_error_memory(err);
}

static at_search_options search_options(job *j, const search_input *in)
{
    const attend_generate_options *o = j->o;
    const text *first = j->going[0];
    int end = j->model->source->special[ATTEND_SPECIAL_EOS];
    return (at_search_options){.beam = {.width = o->beam ? o->beam : 1,
                                        .end = first->stream.newlines ? end : -1,
                                        .most = o->most,
                                        .rule = ATTEND_LENGTH_RULE_AVERAGE,
                                        .penalty = o->penalty},
                               .most = in->most,
                               .given = in->given,
                               .no_repeat = o->no_repeat,
                               .sampling = o->greedy || o->beam ? NULL : &j->sampling,
                               .draw_from_logits = true,
                               .seed = o->seed,
                               .number = in->number,
                               .use = "generate",
                               .words_alone = !o->beam,
                               .history = in->history,
                               .repetition = o->repetition,
                               .never = j->never,
                               .nevers = j->nevers,
                               .begun = in->begun,
                               .stepped = o->beam ? NULL : stepped,
                               .user = j};
}

/* the weights of a token's step, copied */
static bool copy_rows(text *x, at_attention_rows from, at_generated_attention *to)
{
    at_attention_row *row = at_arena_alloc(&x->memory, ((size_t)from.count + 1) * sizeof *row);
    for (int i = 0; row && i < from.count; i++) {
        row[i] = from.row[i];
        size_t size = (size_t)row[i].keys * sizeof(real);
        void *weights = at_arena_alloc(&x->memory, size + 1);
        if (!weights)
            return false;
        row[i].weights = memcpy(weights, from.row[i].weights, size);
    }
    *to = (at_generated_attention){.begin = x->begin, .rows = {from.count, row}};
    return row;
}

static attend_status take_found(text *x, const at_beam *beam, attend_error *err)
{
    if (!beam->count)
        return ATTEND_OK;
    const at_hypothesis *found = &beam->found[0];
    int n = at_beam_words(beam, found, x->ids + x->count);
    for (int i = 0; i < n && x->attention; i++)
        if (!copy_rows(x, at_beam_attention(beam, found, i),
                       &x->attention[x->count - x->prompt + i]))
            return at_error_memory(err);
    x->count += n;
    x->ended = found->ended;
    return ATTEND_OK;
}

/* Of each context all tokens but the last are read at once; the first step takes that. */
static attend_status search(job *j, const search_input *in, at_beam *beams, attend_error *err)
{
    at_search_options o = search_options(j, in);
    at_beginning begin = {
        .sentences = in->n, .prompt = {SHAPE(in->n, in->T), in->prompt}, .counts = in->counts};
    at_searched all;
    if (j->wanted)
        begin.wanted = *j->wanted;
    attend_status status = at_session_start(j->session, &begin, err);
    if (status >= 0)
        status = at_session_searched(j->session, in->starts[0], o.beam.width, &all, err);
    all.starts = in->starts;
    if (status >= 0)
        status = at_search(&all, &o, beams, err);
    for (int i = 0; i < in->n && status >= 0; i++)
        status = take_found(j->going[i], &beams[i], err);
    return status;
}

/* Adds tokens to all texts that have room in their context. *more: there were some. */
static attend_status add_tokens(job *j, bool *more, attend_error *err)
{
    search_input in = {.memory = {.first_size = 0}};
    attend_status status = make_input(j, &in, err);
    *more = in.n > 0;
    at_beam *beams = at_alloc_zero((size_t)in.n + 1, sizeof *beams);
    if (status >= 0 && !beams)
        status = at_error_memory(err);
    if (status >= 0 && *more)
        status = search(j, &in, beams, err);
    for (int i = 0; i < in.n && beams; i++)
        at_beam_free(&beams[i]);
    at_free(beams);
    at_arena_free(&in.memory);
    return status;
}

static attend_status take_text(const job *j, text *x, bool last, attend_error *err)
{
    last |= x->ended || x->count - x->prompt >= j->o->most;
    return x->stream.stopped && !last
               ? ATTEND_OK
               : at_text_stream_take(&x->stream, x->ids, x->count, last, err);
}

static attend_status generate(job *j, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (bool more = true; status >= 0 && more;) {
        status = add_tokens(j, &more, err);
        for (size_t i = 0; i < j->texts && status >= 0; i++)
            status = take_text(j, &j->text[i], !more, err);
    }
    return status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static attend_status begin_text(const job *j, text *x, attend_error *err)
{
    const attend_generate_options *o = j->o;
    attend_status status = read_prompt(j, x, err);
    if (status >= 0)
        status = check_context(j, x, err);
    if (status < 0)
        return status;
    if (j->wanted
        && !(x->attention = at_arena_alloc(&x->memory,
                                           ((size_t)o->most + 1) * sizeof *x->attention)))
        return at_error_memory(err);
    x->stream = (at_text_stream){
        .tokenizer = j->model->source,
        .newlines = at_model_keeps_newlines(j->model->kind, j->model->settings),
        .stop = o->stop,
        .stops = (int)o->stop_count,
        .lines = o->lines,
        .give = j->texts == 1 ? o->piece : NULL,
        .user = o->user};
    at_text_stream_begin(&x->stream, x->ids[0] == j->model->source->special[ATTEND_SPECIAL_EOS],
                         x->prompt);
    return ATTEND_OK;
}

static attend_status begin_texts(job *j, const at_generate_texts_input *in, attend_error *err)
{
    j->text = at_alloc_zero(in->count + 1, sizeof *j->text);
    j->going = at_alloc((in->count + 1) * sizeof *j->going);
    if (!j->text || !j->going)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    j->texts = in->count;
    for (size_t i = 0; i < in->count && status >= 0; i++) {
        j->text[i].given = in->prompt[i];
        j->text[i].number = in->number ? in->number[i] : j->o->text;
        status = begin_text(j, &j->text[i], err);
    }
    return status;
}

static attend_status give_text(const job *j, size_t i, const at_generate_texts_input *in,
                               attend_error *err)
{
    const text *x = &j->text[i];
    at_str all = {0};
    at_str_add_bytes(&all, x->given.text, x->given.size);
    at_str_add_bytes(&all, at_str_text(&x->stream.text), x->stream.text.length);
    at_generated g = {.index = i,
                      .text = {at_str_text(&all), all.length},
                      .ids = x->ids,
                      .count = x->count,
                      .prompt = x->prompt,
                      .attention = x->attention};
    attend_status status = all.failed ? at_error_memory(err) : in->give(in->user, &g, err);
    at_str_free(&all);
    return status;
}

static void free_texts(job *j)
{
    for (size_t i = 0; i < j->texts; i++) {
        at_str_free(&j->text[i].stream.text);
        at_arena_free(&j->text[i].memory);
        at_free(j->text[i].ids);
    }
    at_free(j->text);
    at_free(j->going);
    at_free(j->never);
}

attend_status at_generate_texts(at_session *session, const attend_generate_options *o,
                                const at_generate_texts_input *in, attend_error *err)
{
    job j = {.session = session,
             .model = at_session_model(session, 0),
             .o = o,
             .wanted = in->wanted && in->wanted->kinds ? in->wanted : NULL,
             .sampling = {o->repetition, o->temperature, o->top_k, o->top_p, o->min_p}};
    at_sampling bent = {o->repetition, 1, 0, 1, 0}; /* greedy search has no other bend */
    attend_status status = at_sampling_check(o->greedy || o->beam ? &bent : &j.sampling, err);
    if (status >= 0)
        status = begin_texts(&j, in, err);
    if (status >= 0)
        status = forbid(&j, err);
    if (status >= 0)
        status = generate(&j, err);
    for (size_t i = 0; i < j.texts && status >= 0; i++)
        status = give_text(&j, i, in, err);
    free_texts(&j);
    return status;
}

static attend_status add_text(void *user, const at_generated *g, attend_error *err)
{
    at_str *out = user;
    at_str_add_bytes(out, g->text.text, g->text.size);
    return out->failed ? at_error_memory(err) : ATTEND_OK;
}

attend_status at_generate(at_session *session, const attend_generate_options *o, at_text prompt,
                          at_str *out, attend_error *err)
{
    at_generate_texts_input in = {.count = 1, .prompt = &prompt, .give = add_text, .user = out};
    return at_generate_texts(session, o, &in, err);
}
