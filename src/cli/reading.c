/* A reading for people: tables and a heat map in the terminal, or a figure. */
#include "cli/reading.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/matrix.h"

/* ---- one table after the other ------------------------------------------------------------ */

enum { MOST_ROWS = 32, MOST_COLUMNS = 64, MOST_TABLES = 8 };

/* what all tables of a reading share */
typedef struct {
    const at_cli *cli;
    const attend_reading *reading;
    size_t batch, heads, queries, keys;
    const char **query_labels, **key_labels, **numbers; /* of the present sentence; 0, 1, .. */
    bool cut;
} view;

/* labels of a sentence, numbers where it has none; to be freed */
static const char **labels_of(const attend_reading *r, const char *of, size_t sentence, size_t n)
{
    char **labels = at_alloc_zero(n + 1, sizeof *labels);
    for (size_t i = 0; labels && i < n; i++) {
        const char *label = of ? attend_reading_label(r, of, sentence, i) : NULL;
        char number[32];
        snprintf(number, sizeof number, "%zu", i);
        labels[i] = at_strdup(label ? label : number);
    }
    return (const char **)labels;
}

/* for a heat map, which writes its own numbers */
static const char *const *only_words(const attend_reading *r, const char *of, const char **labels)
{
    return attend_reading_label(r, of, 0, 0) ? labels : NULL;
}

static void labels_free(const char **labels)
{
    for (const char **l = labels; l && *l; l++)
        at_free((void *)*l);
    at_free(labels);
}

static bool complete(const char *const *labels, size_t n)
{
    for (size_t i = 0; labels && i < n; i++)
        if (!labels[i])
            return false;
    return labels;
}

static size_t at_most(size_t n, size_t most, bool *cut)
{
    *cut |= n > most;
    return n < most ? n : most;
}

/* "weights, sentence 1, head 0" */
static void title_of(at_str *out, const view *v, const char *name, size_t sentence, size_t head)
{
    at_str_clear(out);
    at_str_add(out, name);
    if (v->batch > 1)
        at_str_print(out, ", sentence %zu", sentence);
    if (v->heads > 1)
        at_str_print(out, ", head %zu", head);
}

/* rows of queries, columns of keys or numbers */
static void matrix(at_str *out, view *v, const char *title, const double *numbers,
                   const char *const *columns, size_t count)
{
    at_matrix_table m = {.title = title,
                         .rows = at_most(v->queries, MOST_ROWS, &v->cut),
                         .columns = at_most(count, MOST_COLUMNS, &v->cut),
                         .stride = count,
                         .numbers = numbers,
                         .row_labels = v->query_labels,
                         .column_labels = columns};
    at_str_add(out, "\n");
    at_matrix_table_write(out, &m, v->cli->columns, v->cli->utf8);
}

static attend_status heat_map(at_str *out, const view *v, const double *weights, attend_error *err)
{
    attend_heat_map map = {.rows = (int)v->queries,
                           .columns = (int)v->keys,
                           .weights = weights,
                           .row_labels = only_words(v->reading, "queries", v->query_labels),
                           .column_labels = only_words(v->reading, "keys", v->key_labels)};
    attend_text_style style = {
        .columns = v->cli->columns, .utf8 = v->cli->utf8, .color = v->cli->color};
    char *text;
    attend_status status = attend_heat_map_text(&map, &style, &text, err);
    if (status < 0)
        return status;
    at_str_add(out, "\n");
    at_str_add(out, text);
    attend_free(text);
    return ATTEND_OK;
}

static attend_status head_tables(at_str *out, view *v, size_t b, size_t h, bool plot,
                                 attend_error *err)
{
    at_str title = {0};
    size_t at = (b * v->heads + h) * v->queries * v->keys;
    const double *scores = attend_reading_array(v->reading, "scores").data + at;
    const double *weights = attend_reading_array(v->reading, "weights").data + at;
    attend_array centre = attend_reading_array(v->reading, "centre");
    title_of(&title, v, "scores", b, h);
    matrix(out, v, at_str_text(&title), scores, v->key_labels, v->keys);
    title_of(&title, v, "weights", b, h);
    matrix(out, v, at_str_text(&title), weights, v->key_labels, v->keys);
    if (centre.data) {
        static const char *const column[] = {"p"};
        title_of(&title, v, "centre", b, h);
        matrix(out, v, at_str_text(&title), centre.data + (b * v->heads + h) * v->queries, column,
               1);
    }
    out->failed |= title.failed;
    at_str_free(&title);
    return plot ? heat_map(out, v, weights, err) : ATTEND_OK;
}

static attend_status sentence_tables(at_str *out, view *v, size_t b, bool plot, attend_error *err)
{
    attend_array context = attend_reading_array(v->reading, "context");
    size_t width = context.shape[2];
    attend_status status = ATTEND_OK;
    v->query_labels = labels_of(v->reading, "queries", b, v->queries);
    v->key_labels = labels_of(v->reading, "keys", b, v->keys);
    v->numbers = labels_of(v->reading, NULL, b, width);
    if (!complete(v->query_labels, v->queries) || !complete(v->key_labels, v->keys)
        || !complete(v->numbers, width))
        status = at_error_memory(err);
    for (size_t h = 0; h < v->heads && status >= 0; h++)
        status = head_tables(out, v, b, h, plot, err);
    if (status >= 0) {
        at_str title = {0};
        title_of(&title, &(view){.batch = v->batch}, "context", b, 0);
        matrix(out, v, at_str_text(&title), context.data + b * v->queries * width, v->numbers,
               width);
        out->failed |= title.failed;
        at_str_free(&title);
    }
    labels_free(v->query_labels);
    labels_free(v->key_labels);
    labels_free(v->numbers);
    return status;
}

/* what was read, in a sentence */
static void heading(at_str *out, const view *v)
{
    attend_array q = attend_reading_array(v->reading, "queries");
    attend_parameter p;
    at_str text = {0};
    at_str_print(&text, "%s:", attend_reading_attention(v->reading));
    if (v->batch > 1)
        at_str_print(&text, " %zu sentences of", v->batch);
    at_str_print(&text, " %zu quer%s of width %zu, %zu key%s", v->queries,
                 v->queries == 1 ? "y" : "ies", q.shape[2], v->keys, v->keys == 1 ? "" : "s");
    for (size_t i = 0; attend_reading_parameter(v->reading, i, &p); i++) {
        at_str_print(&text, "%s%s (", i ? ", " : "; parameters ", p.name);
        for (int k = 0; k < p.array.rank; k++)
            at_str_print(&text, "%s%zu", k ? "," : "", p.array.shape[k]);
        at_str_add(&text, ")");
    }
    at_str_wrap(out, at_str_text(&text), 0, 0, v->cli->columns);
    at_str_add(out, "\n");
    out->failed |= text.failed;
    at_str_free(&text);
}

attend_status at_reading_write(at_str *out, const at_cli *cli, const attend_reading *reading,
                               bool plot, attend_error *err)
{
    attend_array weights = attend_reading_array(reading, "weights");
    const size_t *s = weights.shape;
    view v = {cli, reading, s[0], s[1], s[2], s[3], NULL, NULL, NULL, false};
    attend_status status = ATTEND_OK;
    heading(out, &v);
    size_t shown = at_most(v.batch, v.heads < MOST_TABLES ? MOST_TABLES / v.heads : 1, &v.cut);
    for (size_t b = 0; b < shown && status >= 0; b++)
        status = sentence_tables(out, &v, b, plot, err);
    if (v.cut)
        at_str_add(out, "\nThis is a part; --json and --out have all of it.\n");
    return status;
}

/* ---- the figure --------------------------------------------------------------------------- */

enum { MOST_PANELS = 64, MOST_DIGITS = 12 };

/* "sentence 1, head 0", of which what there is one of is left out */
static void panel_title(char *text, size_t size, const size_t *shape, size_t i)
{
    size_t sentence = i / shape[1], head = i % shape[1];
    if (shape[0] > 1 && shape[1] > 1)
        snprintf(text, size, "sentence %zu, head %zu", sentence, head);
    else
        snprintf(text, size, shape[0] > 1 ? "sentence %zu" : "head %zu",
                 shape[0] > 1 ? sentence : head);
}

/* one panel for each sentence and head, the heads of a sentence side by side */
attend_status at_reading_draw(const char *path, const attend_reading *r, attend_error *err)
{
    attend_array weights = attend_reading_array(r, "weights");
    const size_t *s = weights.shape;
    size_t count = s[0] * s[1] < MOST_PANELS ? s[0] * s[1] : MOST_PANELS, size = s[2] * s[3];
    attend_heat_map *maps = at_alloc_zero(count, sizeof *maps);
    attend_panel *panels = at_alloc_zero(count, sizeof *panels);
    const char **queries[MOST_PANELS] = {NULL}, **keys[MOST_PANELS] = {NULL};
    char titles[MOST_PANELS][64];
    bool well = maps && panels;
    if (count < s[0] * s[1])
        at_log(ATTEND_LOG_WARNING, "%s shows the first %zu of %zu heat maps", at_show(path).text,
               count, s[0] * s[1]);
    for (size_t i = 0; i < count && well; i++) {
        queries[i] = labels_of(r, "queries", i / s[1], s[2]);
        keys[i] = labels_of(r, "keys", i / s[1], s[3]);
        well = complete(queries[i], s[2]) && complete(keys[i], s[3]);
        panel_title(titles[i], sizeof titles[i], s, i);
        maps[i] = (attend_heat_map){.title = count > 1 ? titles[i] : NULL,
                                    .rows = (int)s[2],
                                    .columns = (int)s[3],
                                    .weights = weights.data + i * size,
                                    .row_labels = only_words(r, "queries", queries[i]),
                                    .column_labels = only_words(r, "keys", keys[i]),
                                    .digits = s[3] <= MOST_DIGITS ? 2 : 0};
        panels[i] = (attend_panel){.heat_map = &maps[i]};
    }
    attend_figure figure = {.title = attend_reading_attention(r),
                            .count = (int)count,
                            .panels = panels,
                            .across = (int)s[1]};
    attend_status status = well ? attend_figure_save(&figure, path, err) : at_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        labels_free(queries[i]);
        labels_free(keys[i]);
    }
    at_free(maps);
    at_free(panels);
    return status;
}
