/* What the two scaled dot-product attention ops share. */
#ifndef ATTEND_GRAD_ATTENTION_H
#define ATTEND_GRAD_ATTENTION_H

#include "grad/mask.h"
#include "grad/ops.h"

typedef struct {
    int batch, heads, queries, keys;
    int d, e; /* width of a head's queries and keys, and of its values */
    real scale;
    at_mask_view mask;
} at_attention_sizes;

/* Checks the shapes and the mask; false on a failed tape. */
bool at_attention_fit(at_tape *t, at_attention_sizes *s, at_tensor *q, at_tensor *k, at_tensor *v,
                      int heads, real scale, const at_mask *mask);

/* first row of head h of sentence b in a tensor [batch, rows, heads*width] */
static inline real *at_head(real *base, const at_attention_sizes *s, int b, int h, int rows,
                            int width)
{
    return base + ((size_t)b * (size_t)rows * (size_t)s->heads + (size_t)h) * (size_t)width;
}

/* multiply-adds of one head of one sentence */
static inline double at_head_work(const at_attention_sizes *s)
{
    return (double)s->queries * s->keys * (s->d + s->e);
}

/* inputs of the samples: 2 sentences, 2 heads of 2, values of 3, 3 queries, 5 keys; the second
 * sentence has rows that see nothing */
typedef struct {
    at_tensor *q, *k, *v;
    at_mask mask;
} at_attention_sample;
at_attention_sample at_attention_sample_new(at_tape *t, at_path s);

#endif
