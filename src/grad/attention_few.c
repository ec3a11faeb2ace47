/* Attention of up to four queries, as in decoding: all heads of a sentence in one item, without
 * matrix products. Sums have the chains and blocks of attention_block.c, and so its bits. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "grad/attention.h"
#include "tensor/rows_kernel.h"
#include "tensor/vector.h"

typedef struct {
    const at_attention_work *w;
    int groups; /* of heads */
} few;

/* the rows of a block of keys */
typedef struct {
    const real *k[ATTEND_BLOCK], *v[ATTEND_BLOCK];
    int j, n;
} keys;

static void set_keys(const at_attention_work *w, int b, int j, int last, keys *x)
{
    x->j = j;
    x->n = last - j < ATTEND_BLOCK ? last - j : ATTEND_BLOCK;
    for (int c = 0; c < x->n; c++) {
        x->k[c] = at_row(&w->k, b, j + c);
        x->v[c] = at_row(&w->v, b, j + c);
    }
}

enum { GROUP = 8 }; /* heads that go through each stage together: their chains overlap */

static void few_softmax(const at_attention_work *w, int b, int h, const keys *x, real *scores)
{
    at_norm *norm = w->norm + at_row_number(w, b, h, 0);
    for (int i = 0; i < w->queries; i++) {
        real *row = scores + i * ATTEND_BLOCK;
        at_row_mask(w, b, h, i, x->j, x->n, row);
        if (w->weights)
            memcpy(at_weights_row(w, b, h, i) + x->j, row, (size_t)x->n * sizeof *row);
        at_row_online(x->n, row, &norm[i], w->e, at_context_row(w, b, h, i));
        if (w->drops)
            at_row_drop(w, b, h, i, x->j, x->n, row);
    }
}

static real *scaled_query(const at_attention_work *w, int b)
{
    return w->scaled + (size_t)b * (size_t)w->queries * (size_t)(w->heads * w->d);
}

/* heads h .. end-1, at most GROUP */
static void few_block(const at_attention_work *w, int b, int h, int end, const keys *x)
{
    real scores[GROUP * ATTEND_FEW_QUERIES * ATTEND_BLOCK];
    int step = w->queries * ATTEND_BLOCK; /* from head to head */
    const at_rows_kernel *with = at_rows_with();
    with->dots(w->queries, x->n, end - h, w->d, scaled_query(w, b) + h * w->d, w->heads * w->d,
               x->k, h * w->d, scores, ATTEND_BLOCK);
    for (int g = h; g < end; g++)
        few_softmax(w, b, g, x, scores + (g - h) * step);
    for (int g = h; g < end; g++)
        with->combine(w->queries, x->n, w->e, scores + (g - h) * step, ATTEND_BLOCK, x->v, g * w->e,
                      at_context_row(w, b, g, 0), (ptrdiff_t)w->heads * w->e);
}

static void few_heads(void *arg, int item)
{
    const few *f = arg;
    const at_attention_work *w = f->w;
    int b = item / f->groups, g = item % f->groups;
    int begin = w->heads * g / f->groups, end = w->heads * (g + 1) / f->groups;
    int last = at_block_end(w, b, 0, w->queries);
    int wide = (end - begin) * w->d;
    for (int i = 0; i < w->queries; i++)
        at_vector()->axpy((size_t)wide, w->scale, at_row(&w->q, b, i) + begin * w->d, 0,
                          scaled_query(w, b) + (i * w->heads + begin) * w->d);
    for (int h = begin; h < end; h++)
        for (int i = 0; i < w->queries; i++) {
            w->norm[at_row_number(w, b, h, i)] = (at_norm){-(real)INFINITY, 0};
            memset(at_context_row(w, b, h, i), 0, (size_t)w->e * sizeof *w->context);
        }
    for (int j = 0; j < last; j += ATTEND_BLOCK) {
        keys x;
        set_keys(w, b, j, last, &x);
        for (int h = begin; h < end; h += GROUP)
            few_block(w, b, h, h + GROUP < end ? h + GROUP : end, &x);
    }
    for (int h = begin; h < end; h++)
        for (int i = 0; i < w->queries; i++)
            at_row_finish(w, b, h, i, last);
}

void at_attention_few(const at_attention_work *w)
{
    if (w->batch == 0 || w->queries == 0)
        return;
    int threads = at_threads(), groups = (threads + w->batch - 1) / w->batch;
    few f = {w, groups < w->heads ? groups : w->heads};
    at_parallel_each(w->batch * f.groups, at_head_work(w) * w->heads / f.groups, few_heads, &f);
}
