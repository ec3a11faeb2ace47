#include "cli/attention_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

/* ---- what is drawn of a translation --------------------------------------------------------- */

/* The scale ends at 1, or at the largest weight of frames and of the one row of a classifier, which
 * is spread over all words. */
attend_heat_map at_attention_heat(const attend_translation *t)
{
    bool spread = t->frames || t->targets == 1;
    return (attend_heat_map){.rows = t->targets,
                             .columns = t->sources,
                             .weights = t->weights,
                             .row_labels = t->target,
                             .column_labels = t->frames ? NULL : t->source,
                             .column_title = t->frames ? "frame" : NULL,
                             .high = spread ? 0 : 1};
}

/* tokens that attend and are attended to */
static attend_attention_map map_of(attend_attention_kind kind, const attend_translation *t)
{
    bool encoder = kind == ATTEND_ATTENTION_ENCODER;
    bool decoder = kind == ATTEND_ATTENTION_DECODER && t->decoder_input;
    return (attend_attention_map){.kind = kind,
                                  .queries = encoder ? t->sources : t->targets,
                                  .keys = decoder ? t->targets : t->sources,
                                  .query_labels = encoder   ? t->source
                                                  : decoder ? t->decoder_input
                                                            : t->target,
                                  .key_labels = decoder ? t->decoder_input : t->source,
                                  .query_title = encoder ? "source" : "target",
                                  .key_title = decoder            ? "target"
                                               : t->decoder_input ? "source"
                                                                  : "text so far"};
}

/* the last layer of that kind, or -1 */
static int last_layer(const attend_translation *t, attend_attention_kind kind)
{
    int last = -1;
    for (size_t i = 0; i < t->attention_count; i++)
        if (t->attention[i].kind == kind && t->attention[i].layer > last)
            last = t->attention[i].layer;
    return last;
}

/* Borrows from the translation the rows that are drawn; their list is in the arena. */
static attend_status select_rows(const at_attention_drawing *d, const attend_translation *t,
                                 at_arena *memory, attend_attention_map *out, attend_error *err)
{
    bool all = d->layer < 0 && d->view == ATTEND_VIEW_GRID;
    int layer = d->layer < 0 ? last_layer(t, d->kind) : d->layer;
    attend_attention_row *rows = at_arena_alloc(memory, (t->attention_count + 1) * sizeof *rows);
    *out = map_of(d->kind, t);
    if (!rows)
        return at_error_memory(err);
    for (size_t i = 0; i < t->attention_count; i++)
        if (t->attention[i].kind == d->kind && (all || t->attention[i].layer == layer))
            rows[out->row_count++] = t->attention[i];
    out->rows = rows;
    char *title = at_arena_alloc_small(memory, 64);
    if (!title)
        return at_error_memory(err);
    const char *name = d->name                               ? d->name
                       : !t->decoder_input                   ? "self-attention"
                       : d->kind == ATTEND_ATTENTION_CROSS   ? "cross-attention"
                       : d->kind == ATTEND_ATTENTION_ENCODER ? "self-attention of the encoder"
                                                             : "self-attention of the decoder";
    snprintf(title, 64, all ? "%s" : "%s, layer %d", name, layer);
    out->title = title;
    return ATTEND_OK;
}

attend_status at_attention_selected(at_attention_drawing *d, const attend_translation *t,
                                    at_arena *memory, attend_heat_map *out, attend_error *err)
{
    attend_attention_map rows;
    *out = at_attention_heat(t);
    if (!d->recorded)
        return ATTEND_OK;
    attend_status status = select_rows(d, t, memory, &rows, err);
    if (status < 0)
        return status;
    double *weights = at_arena_alloc(memory,
                                     (size_t)rows.queries * (size_t)rows.keys * sizeof *weights);
    if (!weights)
        return at_error_memory(err);
    *out = (attend_heat_map){.rows = rows.queries,
                             .columns = rows.keys,
                             .weights = weights,
                             .row_labels = rows.query_labels,
                             .column_labels = rows.key_labels,
                             .high = 1};
    return attend_attention_mean(&rows, weights, err);
}

/* ---- copies --------------------------------------------------------------------------------- */

static const char *const *copy_texts(at_arena *memory, int n, const char *const *text)
{
    const char **all = at_arena_alloc(memory, (size_t)(n + 1) * sizeof *all);
    for (int i = 0; all && i < n; i++) {
        size_t size = strlen(text[i]) + 1;
        char *copy = at_arena_alloc_small(memory, size);
        if (!copy)
            return NULL;
        all[i] = memcpy(copy, text[i], size);
    }
    return all;
}

static const double *copy_numbers(at_arena *memory, size_t n, const double *from)
{
    double *copy = at_arena_alloc(memory, (n + 1) * sizeof *copy);
    return copy ? memcpy(copy, from, n * sizeof *copy) : NULL;
}

/* false without memory */
static bool copy_map(at_arena *memory, attend_heat_map *m)
{
    m->weights = copy_numbers(memory, (size_t)m->rows * (size_t)m->columns, m->weights);
    m->row_labels = copy_texts(memory, m->rows, m->row_labels);
    bool labels = m->column_labels;
    if (labels)
        m->column_labels = copy_texts(memory, m->columns, m->column_labels);
    return m->weights && m->row_labels && (!labels || m->column_labels);
}

static bool copy_rows(at_arena *memory, attend_attention_map *m)
{
    attend_attention_row *row = (attend_attention_row *)m->rows; /* the list is our own */
    for (size_t i = 0; i < m->row_count; i++)
        if (!(row[i].weights = copy_numbers(memory, (size_t)row[i].keys, row[i].weights)))
            return false;
    m->query_labels = copy_texts(memory, m->queries, m->query_labels);
    m->key_labels = copy_texts(memory, m->keys, m->key_labels);
    return m->query_labels && m->key_labels;
}

static char *numbered(at_arena *memory, int n, double score)
{
    char *title = at_arena_alloc_small(memory, 64);
    if (title && isnan(score))
        snprintf(title, 64, "%d", n);
    else if (title)
        snprintf(title, 64, "%d: score %.3f", n, score);
    return title;
}

attend_status at_attention_drawing_add(at_attention_drawing *d, size_t line, int n,
                                       const attend_translation *t, attend_error *err)
{
    bool rows = d->view == ATTEND_VIEW_HEADS || d->view == ATTEND_VIEW_GRID;
    d->seen++;
    if ((d->drawn && line != d->line) || d->drawn == ATTEND_DRAWN_MAX)
        return ATTEND_OK;
    attend_heat_map *map = &d->map[d->drawn];
    attend_attention_map *attention = &d->attention[d->drawn];
    attend_status status = rows ? select_rows(d, t, &d->memory, attention, err)
                                : at_attention_selected(d, t, &d->memory, map, err);
    if (status < 0)
        return status;
    bool copied = rows ? copy_rows(&d->memory, attention) : copy_map(&d->memory, map);
    if (!copied || !(map->title = numbered(&d->memory, n, t->score)))
        return at_error_memory(err);
    d->drawn++;
    d->line = line;
    return ATTEND_OK;
}

void at_attention_drawing_free(at_attention_drawing *d)
{
    at_arena_free(&d->memory);
    attend_free(d->picture);
}

/* ---- the figure ----------------------------------------------------------------------------- */

static attend_panel panel_of(at_attention_drawing *d, int i)
{
    switch (d->view) {
    case ATTEND_VIEW_HEADS: return (attend_panel){.heads = &d->attention[i]};
    case ATTEND_VIEW_GRID: return (attend_panel){.grid = &d->attention[i]};
    case ATTEND_VIEW_STEPS: return (attend_panel){.steps = &d->map[i]};
    case ATTEND_VIEW_PICTURE:
        d->picture_map[i] = (attend_picture_map){d->picture, d->grid.rows, d->grid.columns,
                                                 &d->map[i]};
        return (attend_panel){.picture = &d->picture_map[i]};
    default: return (attend_panel){.heat_map = &d->map[i]};
    }
}

attend_status at_attention_drawing_save(at_attention_drawing *d, at_cli *cli, const char *path,
                                        attend_error *err)
{
    bool films = d->view == ATTEND_VIEW_ANIMATION;
    bool wide = d->view == ATTEND_VIEW_GRID || d->view == ATTEND_VIEW_STEPS
                || d->view == ATTEND_VIEW_PICTURE;
    attend_panel panel[ATTEND_DRAWN_MAX];
    attend_figure figure = {.count = d->drawn, .panels = panel, .across = wide ? 1 : 3};
    if (!d->drawn)
        return at_error(err, ATTEND_FORMAT,
                        "%s: there is nothing to draw: no line of the input has weights",
                        at_show(path).text);
    for (int i = 0; i < d->drawn; i++)
        panel[i] = panel_of(d, i);
    for (int i = 0; i < d->drawn && d->drawn > 1; i++)
        d->attention[i].title = d->map[i].title;
    if (d->drawn == 1)
        d->map[0].title = NULL;
    if (d->seen > (size_t)(films ? 1 : d->drawn) && !cli->common.quiet)
        fprintf(stderr, "attend %s: %s shows %d of %zu %s; .jsonl and .txt have all\n",
                cli->command, at_show(path).text, films ? 1 : d->drawn, d->seen,
                d->view == ATTEND_VIEW_HEAT ? "heat maps" : "translations");
    return films ? attend_figure_save_animation(&d->map[0], path, err)
                 : attend_figure_save(&figure, path, err);
}
