/* Figures of the attention of translations. */
#ifndef ATTEND_CLI_ATTENTION_FIGURE_H
#define ATTEND_CLI_ATTENTION_FIGURE_H

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/grid.h"

/* in the order of the option */
typedef enum {
    ATTEND_VIEW_HEAT,
    ATTEND_VIEW_HEADS,
    ATTEND_VIEW_GRID,
    ATTEND_VIEW_STEPS,
    ATTEND_VIEW_ANIMATION,
    ATTEND_VIEW_PICTURE /* by --picture, not by --figure */
} at_attention_view;

enum { ATTEND_DRAWN_MAX = 6 };

/* what is drawn when all lines have been translated */
typedef struct {
    at_attention_view view;
    attend_attention_kind kind;
    const char *name; /* of this attention in titles; NULL: its kind */
    bool recorded;    /* from the recorded rows, not from the weights */
    int layer;        /* of the rows; -1: the last, of a grid all */
    at_arena memory;
    attend_heat_map map[ATTEND_DRAWN_MAX];
    attend_attention_map attention[ATTEND_DRAWN_MAX];
    int drawn;
    size_t line; /* of these */
    size_t seen; /* hypotheses, drawn or not */
    attend_picture *picture;
    at_grid grid;
    attend_picture_map picture_map[ATTEND_DRAWN_MAX];
} at_attention_drawing;

/* Copies a hypothesis, the n-th of its line, that is to be drawn: the first of the first line. */
attend_status at_attention_drawing_add(at_attention_drawing *d, size_t line, int n,
                                       const attend_translation *t, attend_error *err);
attend_status at_attention_drawing_save(at_attention_drawing *d, at_cli *cli, const char *path,
                                        attend_error *err);
void at_attention_drawing_free(at_attention_drawing *d);

/* The heat map of the translation's weights, which are borrowed. */
attend_heat_map at_attention_heat(const attend_translation *t);

/* The heat map of what the drawing selects, in the arena. */
attend_status at_attention_selected(at_attention_drawing *d, const attend_translation *t,
                                    at_arena *memory, attend_heat_map *out, attend_error *err);

#endif
