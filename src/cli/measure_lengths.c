/* Scores by the length of lines. Long sentences are where models differ most. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/measure_report.h"
#include "cli/table.h"

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || c == 0xA0 || c == 0x3000;
}

static int length_of(const char *line, bool characters)
{
    size_t size = strlen(line);
    int length = 0;
    bool inside = false;
    for (size_t at = 0; at < size;) {
        uint32_t code;
        int bytes = at_utf8_get(line + at, size - at, &code);
        bool blank = is_blank(code);
        length += !blank && (characters || !inside);
        inside = !blank;
        at += bytes ? (size_t)bytes : 1;
    }
    return length;
}

/* limits: one bucket more than limits */
static int bucket_of(const at_buckets *b, const char *line)
{
    int length = length_of(line, b->characters), i = 0;
    while (i < b->limits && length > b->limit[i])
        i++;
    return i;
}

static void range_text(char text[32], const at_buckets *b, int i)
{
    if (i == b->limits)
        snprintf(text, 32, "over %d", b->limits ? b->limit[i - 1] : 0);
    else
        snprintf(text, 32, "%d-%d", i ? b->limit[i - 1] + 1 : 0, b->limit[i]);
}

static const attend_lines *measured_lines(const at_measure_report *r)
{
    return r->in->source.lines.name ? &r->in->source.lines : &r->in->reference[0].lines;
}

/* the segments of a bucket; returns how many */
static size_t gather(const at_measure_report *r, const at_buckets *b, int bucket, size_t *segment)
{
    const attend_lines *lines = measured_lines(r);
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++)
        if (bucket_of(b, lines->line[i]) == bucket)
            segment[count++] = i;
    return count;
}

static attend_status fill(at_table *table, const at_measure_report *r, const at_buckets *b,
                          size_t *segment, attend_error *err)
{
    for (int i = 0; i <= b->limits; i++) {
        char range[32];
        size_t count = gather(r, b, i, segment);
        if (!count)
            continue;
        range_text(range, b, i);
        at_table_cell(table, "%s", range);
        at_table_cell(table, "%zu", count);
        for (int k = 0; k < r->measures * r->in->systems; k++) {
            double score;
            attend_status status = attend_scores_subset(
                r->scores[k / r->in->systems], k % r->in->systems, count, segment, &score, err);
            if (status < 0)
                return status;
            at_table_cell(table, "%.*f", r->digits, score);
        }
    }
    return ATTEND_OK;
}

attend_status at_report_lengths(at_str *out, const at_measure_report *r, const at_buckets *b,
                                at_table_format format, attend_error *err)
{
    at_column columns[ATTEND_MEASURES_MOST + ATTEND_SYSTEMS_MOST + 4] = {
        {b->characters ? "characters" : "words", 0}, {"lines", ATTEND_COLUMN_NUMBER}};
    at_str titles[ATTEND_MEASURES_MOST + ATTEND_SYSTEMS_MOST + 1] = {{0}};
    int scores = r->measures * r->in->systems;
    for (int k = 0; k < scores; k++) {
        int system = k % r->in->systems;
        at_str_add(&titles[k], r->in->systems == 1 ? attend_scores_name(r->scores[k])
                                                   : at_report_system(r, system));
        columns[k + 2] = (at_column){at_str_text(&titles[k]), ATTEND_COLUMN_NUMBER};
    }
    size_t *segment = at_alloc((attend_scores_segments(r->scores[0]) + 1) * sizeof *segment);
    at_table table = {.columns = columns};
    attend_status status = segment ? fill(&table, r, b, segment, err) : at_error_memory(err);
    if (status >= 0)
        at_table_write(out, &table, format, r->columns);
    at_table_free(&table);
    at_free(segment);
    for (int k = 0; k < scores; k++)
        at_str_free(&titles[k]);
    return status;
}

/* ---- the same as a figure ------------------------------------------------------------------- */

typedef struct {
    double x[ATTEND_BUCKETS_MOST + 1], y[ATTEND_BUCKETS_MOST + 1];
    size_t count;
} curve;

/* One system's scores, each over the mean length of its bucket. */
static attend_status trace(curve *c, const at_measure_report *r, const at_buckets *b, int index,
                           size_t *segment, attend_error *err)
{
    const attend_lines *lines = measured_lines(r);
    for (int i = 0; i <= b->limits; i++) {
        size_t count = gather(r, b, i, segment);
        double length = 0;
        if (!count)
            continue;
        for (size_t k = 0; k < count; k++)
            length += length_of(lines->line[segment[k]], b->characters);
        c->x[c->count] = length / (double)count;
        attend_status status = attend_scores_subset(r->scores[index / r->in->systems],
                                                    index % r->in->systems, count, segment,
                                                    &c->y[c->count++], err);
        if (status < 0)
            return status;
    }
    return ATTEND_OK;
}

attend_status at_report_lengths_figure(const at_measure_report *r, const at_buckets *b,
                                       const char *path, attend_error *err)
{
    int scores = r->measures * r->in->systems;
    curve *curves = at_alloc_zero((size_t)scores, sizeof *curves);
    attend_series *series = at_alloc_zero((size_t)scores, sizeof *series);
    size_t *segment = at_alloc((attend_scores_segments(r->scores[0]) + 1) * sizeof *segment);
    attend_status status = curves && series && segment ? ATTEND_OK : at_error_memory(err);
    for (int k = 0; k < scores && status >= 0; k++) {
        status = trace(&curves[k], r, b, k, segment, err);
        series[k] = (attend_series){.name = r->in->systems == 1
                                                ? attend_scores_name(r->scores[k])
                                                : at_report_system(r, k % r->in->systems),
                                    .style = ATTEND_SERIES_BOTH,
                                    .count = curves[k].count,
                                    .x = curves[k].x,
                                    .y = curves[k].y};
    }
    attend_chart chart = {.x_title = b->characters ? "characters of a line" : "words of a line",
                          .y_title = r->measures == 1 ? attend_scores_name(r->scores[0]) : NULL,
                          .count = scores,
                          .series = series};
    attend_panel panel = {.chart = &chart};
    attend_figure figure = {.count = 1, .panels = &panel};
    if (status >= 0)
        status = attend_figure_save(&figure, path, err);
    at_free(curves);
    at_free(series);
    at_free(segment);
    return status;
}
