/* Macro-F1: F1 of each label, averaged over the labels that occur, rare or not. A label that a
 * system invents counts, with an F1 of 0. */
#include "measure/measure.h"

enum { REFERENCE, HYPOTHESIS, WIDTH }; /* the labels of a segment */

/* in a sum, for each label */
typedef struct {
    double right, reference, hypothesis;
} counts;

_Static_assert(sizeof(counts) == 3 * sizeof(double), "counts lie in a sum without gaps");

static attend_status start(at_measurement *t, attend_error *err)
{
    t->labels = at_labels_new();
    attend_status status = t->labels ? ATTEND_OK : at_error_memory(err);
    for (int i = 0; i < t->references && status >= 0; i++)
        status = at_labels_add(t->labels, &t->reference[i], err);
    for (int i = 0; i < t->systems && status >= 0; i++)
        status = at_labels_add(t->labels, &t->hypotheses[i], err);
    t->sum_width = status < 0 ? 0 : 3 * (size_t)at_labels_count(t->labels);
    return status;
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    int reference = at_labels_find(g->task->labels, at_segment_reference(g, 0), &s->text);
    int hypothesis = at_labels_find(g->task->labels, at_segment_hypothesis(g), &s->text);
    statistics[REFERENCE] = reference;
    statistics[HYPOTHESIS] = hypothesis;
    return reference < 0 || hypothesis < 0 ? at_error_memory(err) : ATTEND_OK;
}

static void add(const at_measurement *t, const double *statistics, double times, double *sum)
{
    (void)t;
    counts *c = (counts *)sum;
    size_t reference = (size_t)statistics[REFERENCE], hypothesis = (size_t)statistics[HYPOTHESIS];
    c[reference].right += reference == hypothesis ? times : 0;
    c[reference].reference += times;
    c[hypothesis].hypothesis += times;
}

static double f1(const counts *c) { return at_percent(2 * c->right, c->reference + c->hypothesis); }

static int labels_in(const at_measurement *t, const counts *c)
{
    int count = 0;
    for (int i = 0; i < at_labels_count(t->labels); i++)
        count += c[i].reference + c[i].hypothesis > 0;
    return count;
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)alone;
    const counts *c = (const counts *)sum;
    double total = 0;
    for (int i = 0; i < at_labels_count(t->labels); i++)
        total += f1(&c[i]);
    int count = labels_in(t, c);
    return count ? total / count : 0;
}

static void title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "macro-F1")); }

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    at_str_print(out, "(%d labels)", labels_in(t, (const counts *)sum));
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    const counts *c = (const counts *)sum;
    const char *comma = "";
    at_str_add(out, ", \"labels\": [");
    for (int i = 0; i < at_labels_count(t->labels); i++) {
        if (c[i].reference + c[i].hypothesis == 0)
            continue;
        at_str_print(out, "%s{\"label\": ", comma);
        at_str_add_json(out, at_labels_name(t->labels, i));
        at_json_number(out, "precision", at_percent(c[i].right, c[i].hypothesis));
        at_json_number(out, "recall", at_percent(c[i].right, c[i].reference));
        at_json_number(out, "f1", f1(&c[i]));
        at_json_number(out, "lines", c[i].reference);
        at_str_add(out, "}");
        comma = ", ";
    }
    at_str_add(out, "]");
}

const at_measure at_measure_macro_f1 = {
    .name = "macro-f1",
    .formula = "mean over labels of 2 P R / (P + R), in per cent",
    .source = "Yang and Liu 1999",
    .lines = "one label",
    .min_references = 1,
    .max_references = 1,
    .width = WIDTH,
    .start = start,
    .collect = collect,
    .add = add,
    .score = score,
    .title = title,
    .detail = detail,
    .members = members,
};
