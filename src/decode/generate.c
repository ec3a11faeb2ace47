#include "decode/generate.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "decode/logits.h"

typedef struct {
    const at_language *model;
    const at_tokenizer *tokenizer;
    const at_generate_options *o;
    at_tape *tape;
    int *ids, count; /* the text so far */
    int prompt;      /* how much of it was given */
    at_cache *cache; /* its recurrent states */
    real *logits, *p;
    int *order;
    bool *seen; /* [vocabulary] */
} job;

/* ---- the model, a word at a time ----------------------------------------------------------- */

/* Reads n words; logits of the word behind them. */
static attend_status read_words(job *j, int n, const int *words, attend_error *err)
{
    int V = j->model->vocabulary;
    at_tape_reset(j->tape);
    at_tensor *y = at_language_read(j->tape, j->model, (at_ids){SHAPE(1, n), words}, j->cache);
    if (!at_failed(j->tape))
        y = at_language_logits(j->tape, j->model, at_slice(j->tape, y, 1, n - 1, n));
    if (at_failed(j->tape))
        return at_tape_status(j->tape, err);
    memcpy(j->logits, y->value, (size_t)V * sizeof(real));
    return at_logits_check((size_t)V, j->logits, err);
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* Padding, the unknown word and what begins a text are no words to write. */
static void forbid(const job *j)
{
    static const at_special never[] = {ATTEND_SPECIAL_PAD, ATTEND_SPECIAL_UNK, ATTEND_SPECIAL_BOS,
                                       ATTEND_SPECIAL_CLS, ATTEND_SPECIAL_MASK};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (j->tokenizer->special[never[i]] >= 0)
            j->logits[j->tokenizer->special[never[i]]] = (real)-1e30;
}

static int choose(job *j, int step)
{
    int V = j->model->vocabulary, best = 0;
    forbid(j);
    at_sampling_repetition(j->o->sampling.repetition, V, j->logits, j->count, j->ids, j->seen);
    if (j->o->greedy) {
        for (int i = 1; i < V; i++)
            best = j->logits[i] > j->logits[best] ? i : best;
        return best;
    }
    at_random place = {.seed = j->o->seed,
                       .step = (uint32_t)step,
                       .sentence = j->o->text,
                       .use = at_random_name("generate")};
    at_sampling_probabilities(&j->o->sampling, V, j->logits, j->p, j->order);
    return at_sampling_draw(V, j->p, at_random_uniform(place, 0));
}

/* ---- the text ------------------------------------------------------------------------------ */

/* the first `count` words as text, line by line: the tokenizer knows no ends of lines */
static attend_status write_words(const job *j, int count, at_str *out, attend_error *err)
{
    int end = j->tokenizer->special[ATTEND_SPECIAL_EOS], begin = 1;
    attend_status status = ATTEND_OK;
    for (int i = 1; i <= count && status >= 0; i++) {
        if (i < count && j->ids[i] != end)
            continue;
        status = at_decode(j->tokenizer, j->ids + begin, (size_t)(i - begin), ATTEND_DECODE_PLAIN,
                           out, err);
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

/* ---- the prompt ---------------------------------------------------------------------------- */

/* Its pieces, with an end before each line: a text begins where another ended. */
static attend_status cut_prompt(const job *j, at_text prompt, at_pieces *pieces, attend_error *err)
{
    const char *line = prompt.text, *end = prompt.text + prompt.size;
    for (;;) {
        const char *next = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        at_pieces_add(pieces, j->tokenizer->special[ATTEND_SPECIAL_EOS], 0, 0);
        attend_status status = at_encode(j->tokenizer, line, (size_t)((next ? next : end) - line),
                                         pieces, err);
        if (status < 0 || !next)
            return status;
        line = next + 1;
    }
}

static attend_status start(job *j, at_params *params, at_text prompt, attend_error *err)
{
    size_t V = (size_t)j->model->vocabulary;
    at_pieces pieces = {0};
    attend_status status = cut_prompt(j, prompt, &pieces, err);
    if (status >= 0) {
        j->tape = at_tape_new(params, ATTEND_INFER);
        j->ids = at_alloc((pieces.count + (size_t)j->o->most) * sizeof *j->ids);
        j->cache = at_language_cache(j->model);
        j->logits = at_alloc(V * sizeof *j->logits);
        j->p = at_alloc(V * sizeof *j->p);
        j->order = at_alloc(V * sizeof *j->order);
        j->seen = at_alloc(V * sizeof *j->seen);
        if (!j->tape || !j->ids || !j->cache || !j->logits || !j->p || !j->order || !j->seen)
            status = at_error_memory(err);
        else
            status = at_cache_join(j->cache, 1, err);
    }
    for (size_t i = 0; i < pieces.count && status >= 0; i++)
        j->ids[j->count++] = pieces.item[i].id;
    j->prompt = j->count;
    at_pieces_free(&pieces);
    return status;
}

static attend_status go_on(job *j, attend_error *err)
{
    int end = j->tokenizer->special[ATTEND_SPECIAL_EOS];
    for (int step = 0, lines = 0, read = 0; step < j->o->most; step++) {
        attend_status status = read_words(j, j->count - read, j->ids + read, err);
        if (status < 0)
            return status;
        read = j->count;
        int word = choose(j, step);
        lines += word == end;
        if (j->o->lines && lines == j->o->lines)
            break;
        j->ids[j->count++] = word;
    }
    return ATTEND_OK;
}

attend_status at_generate(const at_language *model, at_params *params,
                          const at_tokenizer *tokenizer, const at_generate_options *o,
                          at_text prompt, at_str *out, attend_error *err)
{
    job j = {.model = model, .tokenizer = tokenizer, .o = o};
    at_sampling bent = {o->sampling.repetition, 1, 0, 1, 0}; /* greedy knows no other bend */
    attend_status status = at_sampling_check(o->greedy ? &bent : &o->sampling, err);
    if (status >= 0 && tokenizer->special[ATTEND_SPECIAL_EOS] < 0)
        status = at_error(err, ATTEND_FORMAT, "the model's tokenizer has no end of a text");
    if (status >= 0)
        status = start(&j, params, prompt, err);
    if (status >= 0)
        status = go_on(&j, err);
    if (status >= 0)
        status = write_text(&j, prompt, out, err);
    if (j.tape)
        at_tape_free(j.tape);
    at_free(j.ids);
    at_cache_free(j.cache);
    at_free(j.logits);
    at_free(j.p);
    at_free(j.order);
    at_free(j.seen);
    return status;
}
