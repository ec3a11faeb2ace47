/* Alignments by each layer and head of a model's cross-attention, and by the mean of each layer's
 * heads: how well does each find the links that people drew? */
#ifndef ATTEND_API_HEAD_LINKS_H
#define ATTEND_API_HEAD_LINKS_H

#include "attend.h"
#include "base/arena.h"
#include "models/model.h"

typedef struct {
    int layers, heads;
    size_t lines;
    const char **links; /* [layers][1 + heads][lines] */
    at_arena *memory;
} at_head_links;

/* layers of 0 where the model has no cross-attention; false without memory */
bool at_head_links_new(at_head_links *h, const at_model *m, size_t lines, at_arena *memory);

/* The links of one translation, whose cross-attention is recorded. */
attend_status at_head_links_take(at_head_links *h, const attend_translation *t, double threshold,
                                 attend_error *err);

/* Measures them; out [layers * (1 + heads)]. */
attend_status at_head_links_measure(const at_head_links *h, const attend_measure_options *o,
                                    const attend_lines *gold, attend_head_aer *out,
                                    attend_error *err);

static inline size_t at_head_links_count(const at_head_links *h)
{
    return (size_t)h->layers * (size_t)(1 + h->heads);
}

#endif
