/* The cache of a session: what earlier positions of a row (a text, a hypothesis) leave for later
 * ones to attend to.
 *
 *     at_cache *c = at_cache_new(0, streams, widths);
 *     at_cache_join(c, texts, err);
 *     at_cache_extend(c, n, NULL, err);       each step: n new positions of every row
 *     at_cache_write(t, c, KEYS, qkv, W);     each layer: keys, values, in place
 *     at_cache_commit(c);                     when all layers have written
 *     at_cache_reorder(c, rows, from, err);   beam search: the rows of the next step
 *
 * A cache holds `streams` arrays of vectors, each of its own width: keys, values and prepared keys
 * of every layer, or h and c of every recurrent layer. Rows have lengths of their own.
 *
 * A stream is stored as [columns][capacity][width]; a table says which column holds position j of
 * row r. A row appends in place to the one column that it owns. Reordering copies the table: the
 * first continuation of a row keeps its column, the others append to columns of their own, and the
 * history is shared. A column that no row owns is used again after the last position that a row
 * refers to.
 *
 * A recurrent state is a cache of capacity 1: a new position replaces the one before it.
 *
 * A function that fails leaves the rows and their committed positions as they were. One thread at a
 * time. */
#ifndef ATTEND_ATTENTION_CACHE_H
#define ATTEND_ATTENTION_CACHE_H

#include "grad/ops.h"

typedef struct at_cache at_cache;

/* A cache without rows. capacity: 1 for a recurrent state; else positions to allocate at first (0:
 * a default), doubled as rows grow. NULL without memory. */
at_cache *at_cache_new(int capacity, int streams, const int *widths);
void at_cache_free(at_cache *c); /* may be NULL */

/* All rows leave; the memory stays. */
void at_cache_clear(at_cache *c);

/* Adds n rows without positions after those that are there. */
attend_status at_cache_join(at_cache *c, int n, attend_error *err);

/* Row i becomes a continuation of row from[i], for i < n; rows that are not in `from` leave. */
attend_status at_cache_reorder(at_cache *c, int n, const int *from, attend_error *err);

/* Begins a step: row r receives counts[r] new positions, at most n; counts NULL: n each. Positions
 * that were not committed are dropped. */
attend_status at_cache_extend(at_cache *c, int n, const int *counts, attend_error *err);

/* Writes the new positions of a stream from columns begin .. begin+width-1 of x [rows, n, ..];
 * without the axis n where n is 1. Rows of x from counts[r] on are padding. Fails the tape where x
 * does not fit. */
void at_cache_write(at_tape *t, at_cache *c, int stream, const at_tensor *x, int begin);

/* Ends a step: the new positions stay. */
void at_cache_commit(at_cache *c);

/* ---- reading; pointers are valid until rows or positions are added or reordered ------------- */

int at_cache_count(const at_cache *c);          /* rows */
int at_cache_max_length(const at_cache *c);     /* length of the longest row */
const int *at_cache_lengths(const at_cache *c); /* [rows], with the new positions */
const int *at_cache_firsts(const at_cache *c);  /* [rows]: the first new position */

/* All positions of a stream, for at_attention; `which` is NULL where row r lies in column r. */
at_rows at_cache_rows(const at_cache *c, int stream);

/* A dense copy [rows, longest, width], zeros after the end of a row; of a recurrent state
 * [rows, width]. */
at_tensor *at_cache_gather(at_tape *t, const at_cache *c, int stream);

/* memory held */
size_t at_cache_bytes(const at_cache *c);

#endif
