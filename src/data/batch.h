/* Batches, epoch after epoch, each into memory of the caller's.
 *
 *     at_encoded_supply all = {.data = encoded, .pad_source = 0, .pad_target = 0};
 *     at_batches *b;
 *     at_batches_new(at_supply_encoded(&all), &plan, &b, err);
 *     while (training) {
 *         at_arena_reset(&arena);
 *         at_batches_next(b, &arena, &batch, err);
 *     }
 *     at_position here = at_batches_position(b);       to be kept with a checkpoint
 *     at_batches_seek(b, here, err);                   goes on there, batch for batch
 *
 * What the batches are made of is a supply: sentences of a corpus (here), pieces of running text
 * (windows.h), pairs of sentences (next_sentence.h). */
#ifndef ATTEND_DATA_BATCH_H
#define ATTEND_DATA_BATCH_H

#include "base/arena.h"
#include "data/encode.h"
#include "data/plan.h"

/* sentences side by side: ids [B,T] with padding behind them, true lengths [B] */
typedef struct {
    int B, T;
    int *ids, *lengths;
} at_block;

typedef struct {
    at_block source, target; /* target.T is 0 where there is none; of sources that are vectors
                                the ids are padding */
    int *segments;           /* [B,T] of the source: 0, and 1 in a second text; or NULL */
    int *labels;             /* [B], or NULL */
    int *copied;           /* [B,T] of the source: what each word is if copied (text/copying.h), -1
                              behind the end; or NULL */
    int *extra;            /* [B]: numbers in copied that are a sentence's own; or NULL */
    unsigned char *begins; /* [B,T] of the source: does a word begin here? */
    int *history;       /* [B]: tokens of the same document before each row, of streams of running
                           text (windows.h); or NULL */
    uint32_t *examples; /* [B]: numbers in the corpus, or of the supply's items */
    uint32_t epoch;     /* which one, from 0, and which of its batches */
    size_t index;
    uint32_t step; /* batches before this one since the first, modulo 2^32 */
} at_batch;

/* An empty block of padding; false without memory. */
bool at_block_make(at_block *b, size_t sentences, size_t max_length, int pad, at_arena *arena);

/* The source's block, begins and examples; segments too where they are wanted. */
bool at_batch_make(at_batch *b, size_t sentences, size_t max_length, int pad, bool segments,
                   at_arena *arena);

/* Writes tokens (encode.h) into a row of the source from place `at` on. */
void at_batch_put(at_batch *b, size_t row, int at, const int32_t *tokens, int count);

/* ---- what batches are made of ----------------------------------------------------------- */

typedef struct {
    void *self;
    uint64_t print; /* changes with the data */

    /* The items of an epoch: how many, and their lengths on both sides (b may be set to NULL);
     * borrowed until the next call. */
    attend_status (*epoch)(void *self, uint32_t epoch, size_t *items, const uint32_t **a,
                           const uint32_t **b, attend_error *err);

    /* A batch of some of them; out->epoch says of which epoch. */
    attend_status (*make)(void *self, const uint32_t *items, size_t count, at_arena *arena,
                          at_batch *out, attend_error *err);
} at_supply;

/* the examples of an encoded corpus */
typedef struct {
    const at_encoded *data;
    int pad_source, pad_target; /* ids of the padding */
} at_encoded_supply;

at_supply at_supply_encoded(at_encoded_supply *s); /* borrows s */

/* ---- one batch after another ------------------------------------------------------------ */

/* where the next batch is: all that has to be remembered to go on */
typedef struct {
    uint64_t print; /* of data and options: the position means nothing with others */
    uint64_t batch; /* within the epoch */
    uint64_t step;  /* batches so far */
    uint32_t epoch;
} at_position;

typedef struct at_batches at_batches;

/* Fails where there is nothing to make batches of. */
attend_status at_batches_new(at_supply supply, const at_plan_options *plan, at_batches **out,
                             attend_error *err);
void at_batches_free(at_batches *b); /* NULL is well */

/* The next batch; behind the last of an epoch comes the first of the next one. */
attend_status at_batches_next(at_batches *b, at_arena *arena, at_batch *out, attend_error *err);

size_t at_batches_in_epoch(const at_batches *b); /* of the epoch of the last batch */
double at_batches_padding(const at_batches *b);  /* its share of padding */

at_position at_batches_position(const at_batches *b);

/* Fails where the position was made with other data or options. */
attend_status at_batches_seek(at_batches *b, at_position position, attend_error *err);

#endif
