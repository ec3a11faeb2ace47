/* Accuracy: the share of lines that are the label of the reference. */
#include <string.h>

#include "measure/measure.h"

enum { RIGHT, ALL, WIDTH };

static void read_label(const char *line, at_chars *text)
{
    at_chars_set(text, line, strlen(line));
    at_chars_strip(text);
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    at_chars *a = &s->text, *b = &s->spare;
    read_label(at_segment_hypothesis(g), a);
    read_label(at_segment_reference(g, 0), b);
    if (a->failed || b->failed)
        return at_error_memory(err);
    statistics[RIGHT] = a->count == b->count
                        && (a->count == 0 || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
    statistics[ALL] = 1;
    return ATTEND_OK;
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    return at_percent(sum[RIGHT], sum[ALL]);
}

static void title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "accuracy")); }

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_str_print(out, "(%.0f of %.0f)", sum[RIGHT], sum[ALL]);
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_json_number(out, "right", sum[RIGHT]);
    at_json_number(out, "all", sum[ALL]);
}

const at_measure at_measure_accuracy = {
    .name = "accuracy",
    .formula = "100 lines with the right label / lines",
    .source = "Manning et al. 2008, section 8.3",
    .lines = "one label",
    .min_references = 1,
    .max_references = 1,
    .width = WIDTH,
    .collect = collect,
    .score = score,
    .title = title,
    .detail = detail,
    .members = members,
};
