/* What check.c, check_read.c, check_look.c and check_copy.c work on together. */
#ifndef ATTEND_DATA_CHECK_WORK_H
#define ATTEND_DATA_CHECK_WORK_H

#include "base/key_table.h"
#include "data/check.h"
#include "data/export.h"
#include "data/key.h"
#include "data/pointer_examples.h"
#include "data/record_store.h"
#include "data/swap_detector.h"

enum { ATTEND_CHECK_WORDS = 1 << 16 }; /* lengths that are counted one by one */

enum { ATTEND_CHECK_WIDTHS = 16 }; /* numbers of an item, at most */

/* ratios of lengths are counted by their logarithm: so many steps to a factor of two, up to 2^28 */
enum { ATTEND_RATIO_STEPS = 64, ATTEND_RATIO_MAX = 28 * ATTEND_RATIO_STEPS };

typedef struct {
    at_check *c;
    const at_check_options *options;

    const char *main_name; /* the file being read, the first of two aligned ones, and its number */
    int main_file;
    long hard_line;    /* its last line with a zero byte or too many bytes */
    long refused_line; /* its last line that was counted as refused */
    long bad;          /* what could not be read as an example, in all files */
    at_record_store *store;
    at_str packed;
    long histogram[3][ATTEND_CHECK_WORDS + 1];
    attend_status status; /* of what cannot fail itself: memory */

    long ratios[2 * ATTEND_RATIO_MAX + 1]; /* pairs with that ratio; in the middle those with 1 */
    double ratio; /* target characters / source characters, the median over the pairs */
    at_item_row items[2];
    long item_widths[ATTEND_CHECK_WIDTHS + 1]; /* pairs that are items of so many numbers */
    int item_width;                            /* of most pairs, or 0: they are text */
    at_swap_detector *swap_detector;
    at_key_table examples, sources;
    at_keys keys;

    at_export *copy;
    at_str clean[3];
} at_check_work;

/* Counts a finding and keeps its place while there are few; text is its line, or what is wrong. */
void at_check_find(at_check_work *w, at_found found, at_finding_location location, const char *text,
                   size_t size);

long at_check_words(at_text t); /* between blanks */

/* Reads a file: findings of its lines, its examples in the store. */
attend_status at_check_read(at_check_work *w, const char *path, attend_error *err);

/* What there is to say of an example when all are known; *also: the file (<< 48) and line of one
 * that is like it, or 0. */
at_found at_check_look(at_check_work *w, const at_example *e, uint64_t *also);

/* The clean copy. */
attend_status at_check_copy_open(at_check_work *w, attend_error *err);
void at_check_copy_add(at_check_work *w, at_example *e, at_found found);

#endif
