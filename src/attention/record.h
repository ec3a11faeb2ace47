/* A record of attention: which weights are wanted of a model, and those that it has computed.
 *
 *     at_attention_record record = {.kinds = 1u << ATTEND_ATTENTION_CROSS, .layer = -1, .head =
 * -1};
 *     .. the model, for each layer: at_attention_record_wants(&record, kind, layer),
 * at_attention_record_add(..) .. record.item[i].weights                        [B,H,Q,K], on the
 * tape of the model
 *
 * Weights that are not wanted are neither computed nor stored, and asking for them does not change
 * a bit of the answer. Functions take NULL for a record that wants nothing. */
#ifndef ATTEND_ATTENTION_RECORD_H
#define ATTEND_ATTENTION_RECORD_H

#include "attend.h"
#include "base/arena.h"
#include "grad/tape.h"

/* Attention of one kind that a model has: `layers` of them, each with `heads`. */
typedef struct {
    attend_attention_kind kind;
    int layers, heads;
} at_attention_layout;

enum { ATTEND_LAYOUT_MAX = 3 }; /* kinds of attention that one model has */

typedef struct {
    attend_attention_kind kind;
    int layer;
    at_tensor *weights; /* [B,H,Q,K] */
} at_recorded;

enum { ATTEND_RECORD_MAX = 256 }; /* layers of all kinds */

typedef struct {
    unsigned kinds;  /* wanted: a bit 1 << kind for each */
    int layer, head; /* wanted; -1: all of them */
    int count;
    at_recorded item[ATTEND_RECORD_MAX];
} at_attention_record;

bool at_attention_record_wants(const at_attention_record *r, attend_attention_kind kind, int layer);

/* Adds the weights [B,H,Q,K] of a layer if they are wanted; all of their heads. */
void at_attention_record_add(at_attention_record *r, attend_attention_kind kind, int layer,
                             at_tensor *weights);

/* Which layer and head one matrix of weights is made of. */
typedef struct {
    int layer; /* -1: the last one */
    int head;  /* -1: the mean over all heads */
} at_attention_choice;

/* The weights [B,Q,K] of that choice in the record; NULL if the record does not have them. */
at_tensor *at_attention_record_matrix(at_tape *t, const at_attention_record *r,
                                      attend_attention_kind kind, at_attention_choice choice);

/* the weights of one query of one head over its keys */
typedef struct {
    attend_attention_kind kind;
    int layer, head, query, keys;
    const real *weights; /* [keys] */
} at_attention_row;

typedef struct {
    int count;
    const at_attention_row *row;
} at_attention_rows;

/* Those of row b of the batch that are wanted, of its first `queries` and `keys` (0: all); the
 * weights are borrowed from the tape. count is -1 without memory. */
at_attention_rows at_attention_record_rows(const at_attention_record *r,
                                           const at_attention_record *wanted, int b, int queries,
                                           int keys, at_arena *memory);

/* The same with weights that are copied into the memory, and outlive the tape's step. */
at_attention_rows at_attention_record_copy(const at_attention_record *r,
                                           const at_attention_record *wanted, int b, int queries,
                                           int keys, at_arena *memory);

/* Forgets what was recorded; what is wanted stays. */
static inline void at_attention_record_clear(at_attention_record *r)
{
    if (r)
        r->count = 0;
}

#endif
