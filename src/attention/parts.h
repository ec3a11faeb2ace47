/* Pieces of a read that the scopes put together. */
#ifndef ATTEND_ATTENTION_PARTS_H
#define ATTEND_ATTENTION_PARTS_H

#include "attention/attention.h"
#include "grad/mask.h"

/* the query's mask, with the source's lengths where it has none */
at_mask at_read_mask(const at_query *q, const at_memory *m);

/* c = W V, of weights dropped with that probability in training */
at_tensor *at_context(at_tape *t, at_tensor *weights, real dropout, const at_memory *m);

/* an axis of one head after the first; NULL stays NULL */
at_tensor *at_one_head(at_tape *t, at_tensor *x);

/* keys lo .. hi-1 of a source, as a source of their own, without lengths */
at_memory at_memory_part(at_tape *t, const at_memory *m, int lo, int hi);

/* m with its slices for each head, of what is prepared too; m itself without heads */
at_memory at_memory_heads(at_tape *t, const at_how *how, at_memory m);

at_reading at_reading_poison(at_tape *t);

/* The values of a mechanism from texts[0..n), by the rows of its table. */
attend_status at_values_parse(at_values *values, const at_about *about, int n,
                              const char *const *texts, attend_error *err);

/* the mechanism's name and its values: "window:5", or "window,5" with ',' after the name */
void at_values_print(const at_values *values, const at_about *about, char after_name, char *text,
                     size_t size);

/* how many values its table has */
int at_values_count(const at_about *about);

/* the scope of that name or alias, or NULL and an error */
const at_scope *at_scope_find(const char *name, attend_error *err);

/* Position that query i of sentence b stands at. */
static inline int at_stand(const at_query *q, int b, int i)
{
    return at_mask_first(&q->mask, b) + (q->together ? 0 : i);
}

/* Position that query i of sentence b lies around, among the keys of m. */
static inline int at_centre(const at_query *q, const at_memory *m, int b, int i)
{
    int Q = q->query->shape.dim[1];
    return (q->centres ? q->centres[b * Q + i] : at_stand(q, b, i)) - m->first;
}

/* x [B,1,Q,n] of keys lo .. lo+n-1 among all K keys, `rest` elsewhere; NULL stays NULL */
at_tensor *at_widen(at_tape *t, at_tensor *x, int lo, int K, real rest);

/* scores [B,Q,K] with the numbers that mask adds; the mask keeps flags where they are -inf */
at_tensor *at_scores_added(at_tape *t, at_tensor *scores, at_mask *mask);

/* scores [B,Q,K] with -inf where the mask hides, [B,1,Q,K]; NULL where the query asks for none */
at_tensor *at_scores_seen(at_tape *t, const at_query *q, at_tensor *scores, const at_mask *mask);

/* readings of blocks of queries, one after the other */
at_reading at_join_queries(at_tape *t, int n, const at_reading *parts);

#endif
