#include <math.h>
#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/memory.h"
#include "decode/likelihood.h"

void attend_likelihood_defaults(attend_likelihood_options *o)
{
    *o = (attend_likelihood_options){.size = sizeof *o};
}

/* Counts and sums, when log_ps are there. */
static void sum_up(attend_likelihood *l, const at_tokenizer *t, const int *ids)
{
    int unknown = t->special[ATTEND_SPECIAL_UNK];
    bool counts = unknown != t->special[ATTEND_SPECIAL_EOS]; /* GPT-2 has one token for both */
    for (size_t i = 0; i < l->tokens; i++) {
        l->log_p += l->log_ps[i];
        l->unknown += counts && ids[i + 1] == unknown;
    }
    l->perplexity = l->tokens ? exp(-l->log_p / (double)l->tokens) : NAN;
    l->bits_per_byte = l->bytes ? -l->log_p / log(2) / (double)l->bytes : NAN;
}

/* the result in one block: numbers, tokens and a copy of the ids, [count] each */
static attend_status find(const at_model *m, const at_likelihood_options *o, const at_tokens *p,
                          size_t bytes, attend_likelihood **out, attend_error *err)
{
    size_t n = p->count, each = sizeof(double) + sizeof(char *) + sizeof(int);
    attend_likelihood *l = at_alloc(sizeof *l + n * each);
    if (!l)
        return at_error_memory(err);
    double *log_ps = (double *)(l + 1);
    const char **token = (const char **)(log_ps + n);
    int *ids = (int *)(token + n);
    *l = (attend_likelihood){.tokens = n - 1,
                             .bytes = bytes,
                             .context = o->context,
                             .stride = o->stride,
                             .log_ps = log_ps,
                             .token = token};
    for (size_t i = 0; i < n; i++)
        ids[i] = p->item[i].id;
    for (size_t i = 0; i + 1 < n; i++)
        token[i] = at_vocab_text(m->source->vocab, ids[i + 1], NULL);
    attend_status status = at_text_likelihood(m, o, n, ids, log_ps, err);
    if (status < 0) {
        at_free(l);
        return status;
    }
    sum_up(l, m->source, ids);
    *out = l;
    return status;
}

attend_status attend_likelihood_of(const attend_model *model,
                                   const attend_likelihood_options *options, const char *text,
                                   size_t size, attend_likelihood **out, attend_error *err)
{
    attend_likelihood_options o;
    attend_likelihood_defaults(&o);
    *out = NULL;
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_likelihood_defaults",
                                             err);
    if (status >= 0)
        status = attend_model_require(model, ATTEND_CAN_GENERATE, err);
    at_likelihood_options inside = {o.context, o.stride};
    if (status >= 0)
        status = at_likelihood_resolve(model->inside, &inside, err);
    if (status < 0)
        return status;
    const at_model *m = model->inside;
    bool ends = !at_model_keeps_newlines(m->kind, m->settings); /* each line has its end */
    size_t bytes = size + (ends && !(size && text[size - 1] == '\n'));
    at_tokens tokens = {0};
    status = at_likelihood_tokens(m, (at_text){text, size}, &tokens, err);
    if (status >= 0)
        status = find(m, &inside, &tokens, bytes, out, err);
    at_tokens_free(&tokens);
    return status;
}
