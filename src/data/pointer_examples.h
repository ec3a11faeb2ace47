/* Sequences of vectors, and some of their items in another order: what pointer networks learn from.
 *
 *     96 48 62 22 20                                      20 22 48 62 96
 *     0.66,0.08 0.24,0.20 0.79,0.55 0.67,0.43 0.75,0.02   0.24,0.20 0.75,0.02 0.79,0.55
 *
 * Items are separated by blanks, numbers of an item by commas; the target's items are among the
 * source's. Items of all lines are rows of one table, and a batch has their numbers there. */
#ifndef ATTEND_DATA_POINTER_EXAMPLES_H
#define ATTEND_DATA_POINTER_EXAMPLES_H

#include "base/real.h"
#include "data/batch.h"
#include "data/corpus.h"

/* of one line */
typedef struct {
    size_t count, capacity;
    int width;    /* numbers of each item */
    real *values; /* [count,width] */
    at_text *text;
} at_item_row;

/* Parses a line. Fails with a message that names the item, or at a tab, behind which answers stand;
 * *row keeps its memory from line to line: at_item_row_free it. */
attend_status at_item_row_parse(at_item_row *row, at_text line, attend_error *err);
void at_item_row_free(at_item_row *row);

/* Checks whether a pair is an example for pointer networks: the reason, if it is not, is in err.
 * On success row[0].width is the number of numbers in an item. *row as for at_item_row_parse. */
attend_status at_pointer_examples_fit(at_item_row row[2], at_text source, at_text target,
                                      attend_error *err);

typedef struct at_pointer_examples at_pointer_examples;

/* The examples of a corpus whose part is `wanted` (part NULL: all). Fails where a target's item is
 * not among its source's, or the widths differ, with file and line. */
attend_status at_pointer_examples_new(const at_corpus *corpus, const unsigned char *part,
                                      int wanted, at_pointer_examples **out, attend_error *err);
void at_pointer_examples_free(at_pointer_examples *s); /* NULL is well */

size_t at_pointer_examples_size(const at_pointer_examples *s); /* examples */
int at_pointer_examples_width(const at_pointer_examples *s);
int at_pointer_examples_max_length(const at_pointer_examples *s); /* items of an example, at most */
const real *at_pointer_examples_at(const at_pointer_examples *s, int id); /* [width] */

/* mean[width] and spread[width] (never 0) of all items */
void at_pointer_examples_spread(const at_pointer_examples *s, double *mean, double *spread);

/* Batches: source ids are items, -1 behind the last; target ids are places in the source from 1 on,
 * then 0, the end, once. Borrows s. */
at_supply at_pointer_examples_supply(at_pointer_examples *s);

#endif
