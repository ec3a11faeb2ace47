#include "decode/generate.h"

#include <string.h>

#include "base/memory.h"

typedef struct {
    at_session *session;
    const at_model *model;
    const at_generate_options *o;
    int *ids, count; /* the text so far */
    int prompt;      /* how much of it was given */
    int first;       /* 1: it begins with an end, of the text before it; 0: with the prompt */
    bool newlines;   /* newlines are text; else ends of lines are ends of texts */
} job;

/* ---- the text ------------------------------------------------------------------------------- */

/* the first `count` words as text, line by line: the tokenizer knows no ends of lines */
static attend_status write_words(const job *j, int count, at_str *out, attend_error *err)
{
    int end = j->model->source->special[ATTEND_SPECIAL_EOS], begin = j->first;
    attend_status status = ATTEND_OK;
    if (j->newlines)
        return at_decode(j->model->source, j->ids + begin, (size_t)(count - begin),
                         ATTEND_DECODE_PLAIN, out, err);
    for (int i = 1; i <= count && status >= 0; i++) {
        if (i < count && j->ids[i] != end)
            continue;
        status = at_decode(j->model->source, j->ids + begin, (size_t)(i - begin),
                           ATTEND_DECODE_PLAIN, out, err);
        if (i < count)
            at_str_add(out, "\n");
        begin = i + 1;
    }
    return status >= 0 && out->failed ? at_error_memory(err) : status;
}

/* The prompt as it was given, also where words of it are unknown, and what was added. */
static attend_status write_text(const job *j, at_text prompt, at_str *out, attend_error *err)
{
    at_str whole = {0}, before = {0};
    attend_status status = write_words(j, j->count, &whole, err);
    if (status >= 0)
        status = write_words(j, j->prompt, &before, err);
    size_t n = before.length;
    if (status >= 0 && n <= whole.length
        && memcmp(at_str_text(&whole), at_str_text(&before), n) == 0) {
        at_str_add_bytes(out, prompt.text, prompt.size);
        at_str_add(out, at_str_text(&whole) + n);
    } else if (status >= 0) {
        at_str_add(out, at_str_text(&whole));
    }
    at_str_free(&whole);
    at_str_free(&before);
    return status >= 0 && out->failed ? at_error_memory(err) : status;
}

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
    j->first = status >= 0 && j->ids[0] == j->model->source->special[ATTEND_SPECIAL_EOS];
    at_tokens_free(&pieces);
    return status;
}

/* ---- the search ----------------------------------------------------------------------------- */

enum { NEVER = 5 };

/* Padding, the unknown word and what begins a text are no words to write. */
static int forbidden(const at_tokenizer *t, int never[NEVER])
{
    static const at_special special[NEVER] = {ATTEND_SPECIAL_PAD, ATTEND_SPECIAL_UNK,
                                              ATTEND_SPECIAL_BOS, ATTEND_SPECIAL_CLS,
                                              ATTEND_SPECIAL_MASK};
    int n = 0;
    for (int i = 0; i < NEVER; i++)
        if (t->special[special[i]] >= 0 && t->special[special[i]] != t->special[ATTEND_SPECIAL_EOS])
            never[n++] = t->special[special[i]];
    return n;
}

/* All of the prompt but its last token is read at once; the first step takes that. */
static attend_status search(job *j, at_beam *beam, attend_error *err)
{
    const at_generate_options *o = j->o;
    int never[NEVER], first = j->prompt - 1, end = j->model->source->special[ATTEND_SPECIAL_EOS];
    size_t number = o->text;
    const int *history = j->ids;
    bool draws = !o->greedy && !o->beam;
    at_search_options inside = {.beam = {.width = o->beam ? o->beam : 1,
                                         .end = o->lines || j->newlines ? end : -1,
                                         .ends = j->newlines ? 1 : o->lines,
                                         .most = o->most},
                                .sampling = draws ? &o->sampling : NULL,
                                .draw_from_logits = true,
                                .seed = o->seed,
                                .number = &number,
                                .use = "generate",
                                .words_alone = !o->beam,
                                .history = &history,
                                .repetition = o->sampling.repetition,
                                .never = never,
                                .nevers = forbidden(j->model->source, never)};
    at_beginning in = {.sentences = 1, .prompt = {SHAPE(1, first), j->ids}};
    at_searched all;
    attend_status status = at_session_start(j->session, &in, err);
    if (status >= 0)
        status = at_session_searched(j->session, j->ids[first], inside.beam.width, &all, err);
    j->ids[j->prompt] = -1; /* ends the history */
    return status < 0 ? status : at_search(&all, &inside, beam, err);
}

attend_status at_generate(at_session *session, const at_generate_options *o, at_text prompt,
                          at_str *out, attend_error *err)
{
    job j = {.session = session, .model = at_session_model(session, 0), .o = o};
    j.newlines = at_model_keeps_newlines(j.model->kind, j.model->settings);
    at_beam beam = {.count = 0};
    at_sampling bent = {o->sampling.repetition, 1, 0, 1, 0}; /* greedy search has no other bend */
    attend_status status = at_sampling_check(o->greedy || o->beam ? &bent : &o->sampling, err);
    if (status >= 0)
        status = read_prompt(&j, prompt, err);
    if (status >= 0 && o->most > 0)
        status = search(&j, &beam, err);
    if (status >= 0 && beam.count)
        j.count += at_beam_words(&beam, &beam.found[0], j.ids + j.count);
    if (status >= 0)
        status = write_text(&j, prompt, out, err);
    at_beam_free(&beam);
    at_free(j.ids);
    return status;
}
