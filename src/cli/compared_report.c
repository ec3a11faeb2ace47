/* What a comparison found: tables and a figure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compared.h"

/* was the alignment error rate of any of them found? */
static bool any_aer(const at_compared *all, int count)
{
    int i = 0;
    while (i < count && isnan(all[i].found->aer))
        i++;
    return i < count;
}

static void score_table(at_str *out, const at_compared *all, int count, at_table_format format,
                        int columns)
{
    static const char *const titles[] = {"BLEU",       "chrF",    "perplexity", "AER",
                                         "parameters", "words/s", "MB",         NULL};
    at_column head[sizeof titles / sizeof *titles + 1] = {{"mechanism", ATTEND_COLUMN_CODE}};
    at_table table = {.columns = head};
    bool aer = any_aer(all, count);
    for (int i = 0, n = 1; titles[i]; i++)
        if (aer || strcmp(titles[i], "AER") != 0)
            head[n++] = (at_column){titles[i], ATTEND_COLUMN_NUMBER};
    for (int i = 0; i < count; i++) {
        const at_compared *c = &all[i];
        at_table_cell(&table, "%s", c->name);
        at_table_cell(&table, "%.2f", c->found->bleu);
        at_table_cell(&table, "%.2f", c->found->chrf);
        at_table_cell(&table, "%.2f", c->found->perplexity);
        if (aer && isnan(c->found->aer))
            at_table_cell(&table, "%s", "");
        else if (aer)
            at_table_cell(&table, "%.2f", c->found->aer);
        at_table_cell(&table, "%zu", c->found->parameters);
        at_table_cell(&table, "%.0f", c->words_per_second);
        at_table_cell(&table, "%.0f", c->memory / 1e6);
    }
    at_table_write(out, &table, format, columns);
    at_table_free(&table);
}

/* the range of one of them that begins there, or NULL */
static const attend_length_range *range_from(const attend_evaluation *e, int from)
{
    for (size_t i = 0; i < e->ranges; i++)
        if (e->range[i].from == from)
            return &e->range[i];
    return NULL;
}

/* all were evaluated on the same lines: the ranges are those of the first */
static void length_table(at_str *out, const at_compared *all, int count, at_table_format format,
                         int columns)
{
    const attend_evaluation *first = all[0].found;
    at_range_name title[ATTEND_RANGES_MOST];
    at_column head[ATTEND_RANGES_MOST + 2] = {{"BLEU by words", ATTEND_COLUMN_CODE}};
    for (size_t i = 0; i < first->ranges; i++) {
        title[i] = at_range_print(&first->range[i]);
        head[i + 1] = (at_column){title[i].text, ATTEND_COLUMN_NUMBER};
    }
    at_table table = {.columns = head};
    for (int k = 0; k < count; k++) {
        at_table_cell(&table, "%s", all[k].name);
        for (size_t i = 0; i < first->ranges; i++) {
            const attend_length_range *r = range_from(all[k].found, first->range[i].from);
            at_table_cell(&table, "%.2f", r ? r->bleu : 0);
        }
    }
    at_table_cell(&table, "%s", "lines");
    for (size_t i = 0; i < first->ranges; i++)
        at_table_cell(&table, "%zu", first->range[i].lines);
    at_table_write(out, &table, format, columns);
    at_table_free(&table);
}

/* Perplexities and speeds of different tokens do not compare. */
static bool same_tokens(const at_compared *all, int count)
{
    int i = 1;
    while (i < count && all[i].found->tokens == all[0].found->tokens)
        i++;
    return i >= count;
}

void at_compared_tables(at_str *out, const at_compared *all, int count, at_table_format format,
                        int columns)
{
    score_table(out, all, count, format, columns);
    at_str_add(out, "\n");
    length_table(out, all, count, format, columns);
    if (!same_tokens(all, count))
        at_str_add(out,
                   "\nThe tokenizers differ: perplexity and words/s, which count tokens, do not\n"
                   "compare. --tokenizer gives all mechanisms the same one.\n");
}

/* ---- the figure ---------------------------------------------------------------------------- */

typedef struct {
    double x[ATTEND_RANGES_MOST], y[ATTEND_RANGES_MOST];
} curve;

static double middle(const attend_length_range *r)
{
    return r->to ? (r->from + r->to) / 2.0 : r->from + 5;
}

attend_status at_compared_draw(const at_compared *all, int count, const char *path,
                               attend_error *err)
{
    curve curves[ATTEND_COMPARED_MOST];
    attend_series by_length[ATTEND_COMPARED_MOST], by_speed[ATTEND_COMPARED_MOST];
    for (int k = 0; k < count; k++) {
        const attend_evaluation *e = all[k].found;
        for (size_t i = 0; i < e->ranges; i++) {
            curves[k].x[i] = middle(&e->range[i]);
            curves[k].y[i] = e->range[i].bleu;
        }
        by_length[k] = (attend_series){.name = all[k].name,
                                       .style = ATTEND_SERIES_BOTH,
                                       .count = e->ranges,
                                       .x = curves[k].x,
                                       .y = curves[k].y};
        by_speed[k] = (attend_series){.name = all[k].name,
                                      .style = ATTEND_SERIES_POINTS,
                                      .count = 1,
                                      .x = &all[k].words_per_second,
                                      .y = &e->bleu};
    }
    attend_chart lengths = {.title = "BLEU by length",
                            .x_title = "words of the source",
                            .y_title = "BLEU",
                            .count = count,
                            .series = by_length};
    attend_chart speeds = {.title = "BLEU and speed of training",
                           .x_title = "words per second",
                           .y_title = "BLEU",
                           .count = count,
                           .series = by_speed};
    attend_panel panels[] = {{.chart = &lengths}, {.chart = &speeds}};
    attend_figure figure = {.count = 2, .panels = panels};
    return attend_figure_save(&figure, path, err);
}
