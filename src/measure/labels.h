/* The labels that occur in lines, numbered from 0 in the order in which they come. A label is a
 * line without white space at its ends. */
#ifndef ATTEND_MEASURE_LABELS_H
#define ATTEND_MEASURE_LABELS_H

#include "base/error.h"
#include "measure/pairs.h"

enum { ATTEND_LABELS_MAX = 10000 };

typedef struct at_labels at_labels;

at_labels *at_labels_new(void); /* NULL without memory */
void at_labels_free(at_labels *l);

/* Adds the labels of all lines. Fails where there are so many that they can be no labels. */
attend_status at_labels_add(at_labels *l, const attend_lines *lines, attend_error *err);

int at_labels_count(const at_labels *l);
const char *at_labels_name(const at_labels *l, int label);

/* The number of a line that was added; text and spare are memory to work in. Many threads may ask
 * at once. -1 without memory. */
int at_labels_find(const at_labels *l, const char *line, at_chars *text);

#endif
