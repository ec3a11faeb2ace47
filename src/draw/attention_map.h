/* Rows of attention in the order of layers, heads and queries, for those that draw them. */
#ifndef ATTEND_DRAW_ATTENTION_MAP_H
#define ATTEND_DRAW_ATTENTION_MAP_H

#include <stdbool.h>

#include "base/error.h"

enum { ATTEND_MAP_TOKENS = 4096, ATTEND_MAP_NUMBERS = 1024 }; /* limits: tokens; layers or heads */

typedef struct {
    const attend_attention_map *map;
    int layers, heads;                /* that rows have */
    int *layer, *head;                /* their numbers, rising */
    const attend_attention_row **row; /* [layers][heads][queries]; NULL: there is none */
} at_attention_index;

/* Is what the caller describes sound? At least one row is of the kind. */
attend_status at_attention_map_check(const attend_attention_map *map, attend_error *err);

/* Sorts the rows of a sound map, borrowed; false without memory. */
bool at_attention_index_new(at_attention_index *a, const attend_attention_map *map);
void at_attention_index_free(at_attention_index *a);

/* A weight; NaN if there is none. Layer and head are indexes, not numbers. */
double at_attention_weight(const at_attention_index *a, int layer, int head, int query, int key);

/* its mean over those layers that have it */
double at_attention_over_layers(const at_attention_index *a, int head, int query, int key);

/* See attend_attention_mean. */
attend_status at_attention_mean(const attend_attention_map *map, double *weights,
                                attend_error *err);

#endif
