#include "decode/likelihood.h"

#include "decode/generate.h"
#include "decode/logits.h"
#include "tensor/vector.h"

/* tokens that are read at once: a bound for the memory of logits and states */
enum { CHUNK = 64 };

typedef struct {
    const at_model *model;
    const int *ids;
    double *log_ps;
    at_tape *tape;
    at_cache *cache; /* of the window */
} job;

attend_status at_likelihood_resolve(const at_model *m, at_likelihood_options *o, attend_error *err)
{
    int positions = at_model_max_input(m, 0);
    if (o->context < 0 || o->stride < 0)
        return at_error(err, ATTEND_OPTION, "context %d, stride %d: both are 0 or more", o->context,
                        o->stride);
    if (positions && o->context > positions)
        return at_error(err, ATTEND_OPTION, "a context of %d: the model has %d positions",
                        o->context, positions);
    o->context = o->context ? o->context : positions;
    if (!o->context && o->stride)
        return at_error(err, ATTEND_OPTION,
                        "a stride of %d: the model reads a text of any length at once; set a "
                        "context, or leave the stride out",
                        o->stride);
    if (o->stride > o->context)
        return at_error(err, ATTEND_OPTION,
                        "a stride of %d is more than the context of %d: tokens would be skipped",
                        o->stride, o->context);
    if (!o->stride)
        o->stride = o->context > 1 ? o->context / 2 : o->context;
    return ATTEND_OK;
}

attend_status at_likelihood_tokens(const at_model *m, at_text text, at_tokens *out,
                                   attend_error *err)
{
    int end = m->source->special[ATTEND_SPECIAL_EOS];
    attend_status status;
    if (end >= 0 && at_model_keeps_newlines(m->kind, m->settings)) {
        at_tokens_add(out, end, 0, 0);
        status = at_encode(m->source, text.text, text.size, out, err);
    } else {
        if (text.size && text.text[text.size - 1] == '\n')
            text.size--;
        status = at_prompt_tokens(m, text, out, err);
        if (status >= 0)
            at_tokens_add(out, end, 0, 0);
    }
    return status >= 0 && out->failed ? at_error_memory(err) : status;
}

/* Continues the window by ids[from .. to); the tokens after those from `first` on are predicted. */
static attend_status read_chunk(job *j, size_t from, size_t to, size_t first, attend_error *err)
{
    const at_decodes *decodes = j->model->kind->decodes;
    size_t V = (size_t)decodes->vocabulary(j->model);
    at_tape_reset(j->tape);
    at_decode_input in = {
        .cache = j->cache, .tokens = {SHAPE(1, (int)(to - from)), j->ids + from}, .width = 1};
    at_decoded d = decodes->decode(j->tape, j->model, &in);
    at_tensor *logits = to > first ? decodes->logits(j->tape, j->model, d.features) : NULL;
    attend_status status = at_tape_status(j->tape, err);
    for (size_t i = from > first ? from : first; i < to && status >= 0; i++) {
        const real *row = logits->value + (i - from) * V;
        status = at_logits_check(V, row, err);
        if (status >= 0)
            j->log_ps[i] = (double)row[j->ids[i + 1]] - at_log_sum_exp(V, row);
    }
    return status;
}

/* A window of ids[from .. to) that begins without memory. */
static attend_status read_window(job *j, size_t from, size_t to, size_t first, attend_error *err)
{
    at_cache_clear(j->cache);
    attend_status status = at_cache_join(j->cache, 1, err);
    for (size_t next; from < to && status >= 0; from = next) {
        size_t border = from < first && first < to ? first : to; /* no chunk is half predicted */
        next = border - from > CHUNK ? from + CHUNK : border;
        status = read_chunk(j, from, next, first, err);
    }
    return status;
}

/* The last token is predicted and never read: no embedding has checked it. */
static attend_status check_last(const at_model *m, size_t count, const int *ids, attend_error *err)
{
    int V = m->kind->decodes->vocabulary(m), last = count ? ids[count - 1] : 0;
    if (last >= 0 && last < V)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT, "token %d: the model has a vocabulary of %d", last, V);
}

attend_status at_text_likelihood(const at_model *m, const at_likelihood_options *o, size_t count,
                                 const int *ids, double *log_ps, attend_error *err)
{
    size_t n = count ? count - 1 : 0, context = o->context ? (size_t)o->context : n;
    job j = {.model = m,
             .ids = ids,
             .log_ps = log_ps,
             .tape = at_tape_new(m->params, ATTEND_INFER),
             .cache = m->kind->decodes->cache(m)};
    attend_status status = j.tape && j.cache ? check_last(m, count, ids, err)
                                             : at_error_memory(err);
    for (size_t from = 0, done = 0; done < n && status >= 0; from += (size_t)o->stride) {
        size_t to = n - from > context ? from + context : n;
        status = read_window(&j, from, to, done, err);
        done = to;
    }
    at_cache_free(j.cache);
    if (j.tape)
        at_tape_free(j.tape);
    return status;
}
