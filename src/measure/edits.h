/* Edits between two sequences of words, in the way of Tercom: the distance of Levenshtein, searched
 * near the diagonal only, and shifts, which move a run of words in one edit. */
#ifndef ATTEND_MEASURE_EDITS_H
#define ATTEND_MEASURE_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One computation: the matrix of distances between the first i words of a hypothesis and the first
 * j of a reference. Row i has the columns first[i] to end[i]. All zero at the start. */
typedef struct {
    const uint32_t *reference;
    size_t rows, columns; /* words of the hypothesis and of the reference */
    size_t *first, *end;
    size_t stride;
    int32_t *cost;     /* rows 1 to n of the hypothesis last computed */
    unsigned char *op; /* how each of them came about */
    int32_t *line[2];  /* two whole rows */
    uint32_t *words;   /* the hypothesis as shifted so far */
    uint32_t *moved;   /* with one shift more */
    uint32_t *best;    /* the best of these */
    ptrdiff_t
        *aligned; /* where in the hypothesis a reference word stands, or would; -1: before it */
    uint32_t *wrong_words, *wrong_reference; /* how many words before this one are in an edit */
    void *memory;
    size_t capacity;
} at_edits;

void at_edits_free(at_edits *e);

/* How many edits, shifts among them, turn the hypothesis into the reference, which has at least one
 * word; false without memory. */
bool at_edits_count(at_edits *e, const uint32_t *hypothesis, size_t n, const uint32_t *reference,
                    size_t m, size_t *edits);

/* ---- the parts ---- */

/* Gets ready for hypotheses of n words; false without memory. */
bool at_edits_start(at_edits *e, size_t n, const uint32_t *reference, size_t m);

/* The distance of a hypothesis. Keeps its matrix, and what of it is aligned to what. */
int32_t at_edits_distance(at_edits *e, const uint32_t *words);

/* The distance of a hypothesis that differs from the last one only from `from` up to `to`. */
int32_t at_edits_distance_moved(at_edits *e, const uint32_t *words, size_t from, size_t to);

#endif
