/* attend_measure and attend_scores: measures seen from outside. */
#include <string.h>

#include "api/options.h"
#include "base/memory.h"
#include "measure/results.h"

struct attend_scores {
    at_results *results;
    at_str name, signature, detail, json;
};

void attend_measure_defaults(attend_measure_options *o) { at_measure_defaults(o); }

attend_status attend_measure(const char *measure, const attend_measure_options *options,
                             size_t systems, const attend_lines *hypotheses, size_t references,
                             const attend_lines *reference, attend_scores **out, attend_error *err)
{
    attend_measure_options o;
    *out = NULL;
    attend_measure_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_measure_defaults", err);
    if (status < 0)
        return status;
    attend_scores *s = at_alloc_zero(1, sizeof *s);
    if (!s)
        return at_error_memory(err);
    status = at_results_new(measure, &o, (int)systems, hypotheses, (int)references, reference,
                            &s->results, err);
    if (status < 0)
        at_free(s);
    else
        *out = s;
    return status;
}

void attend_scores_free(attend_scores *s)
{
    if (!s)
        return;
    at_results_free(s->results);
    at_str_free(&s->name);
    at_str_free(&s->signature);
    at_str_free(&s->detail);
    at_str_free(&s->json);
    at_free(s);
}

/* ---- numbers ---------------------------------------------------------------------------- */

size_t attend_scores_segments(const attend_scores *s) { return s->results->task.segments; }

int attend_scores_lower_is_better(const attend_scores *s)
{
    return s->results->task.measure->low_is_good;
}

static bool is_system(const attend_scores *s, size_t system)
{
    return system < (size_t)s->results->task.systems;
}

double attend_scores_corpus(const attend_scores *s, size_t system)
{
    if (!is_system(s, system))
        return 0;
    return at_results_of_sum(s->results, at_results_sum(s->results, (int)system));
}

static attend_status no_system(size_t system, attend_error *err)
{
    return at_error(err, ATTEND_OPTION, "there is no system %zu", system);
}

attend_status attend_scores_segment(const attend_scores *s, size_t system, size_t segment,
                                    double *score, attend_error *err)
{
    if (!is_system(s, system))
        return no_system(system, err);
    if (segment >= s->results->task.segments)
        return at_error(err, ATTEND_OPTION, "there is no segment %zu", segment);
    double *sum = at_alloc(s->results->task.sum_width * sizeof *sum);
    if (!sum)
        return at_error_memory(err);
    *score = at_results_of_segment(s->results, system, segment, sum);
    at_free(sum);
    return ATTEND_OK;
}

attend_status attend_scores_subset(const attend_scores *s, size_t system, size_t count,
                                   const size_t *segment, double *score, attend_error *err)
{
    if (!is_system(s, system))
        return no_system(system, err);
    double *sum = at_alloc_zero(s->results->task.sum_width, sizeof *sum);
    attend_status status = sum ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < count && status >= 0; i++)
        if (segment[i] < s->results->task.segments)
            at_results_add(s->results, at_results_statistics(s->results, system, segment[i]), 1,
                           sum);
        else
            status = at_error(err, ATTEND_OPTION, "there is no segment %zu", segment[i]);
    if (status >= 0)
        *score = at_results_of_sum(s->results, sum);
    at_free(sum);
    return status;
}

attend_status attend_scores_interval(const attend_scores *s, size_t system, attend_interval *out,
                                     attend_error *err)
{
    return is_system(s, system) ? at_results_interval(s->results, system, out, err)
                                : no_system(system, err);
}

attend_status attend_scores_compare(const attend_scores *s, size_t system, size_t baseline,
                                    attend_comparison *out, attend_error *err)
{
    if (!is_system(s, system) || !is_system(s, baseline))
        return no_system(is_system(s, system) ? baseline : system, err);
    atomic_store(&s->results->compared, true);
    return at_results_compare(s->results, system, baseline, out, err);
}

/* ---- text ------------------------------------------------------------------------------- */

const char *attend_scores_name(attend_scores *s)
{
    at_str_clear(&s->name);
    s->results->task.measure->title(&s->results->task, &s->name);
    return at_str_text(&s->name);
}

const char *attend_scores_signature(attend_scores *s)
{
    at_str_clear(&s->signature);
    at_results_signature(s->results, &s->signature);
    return at_str_text(&s->signature);
}

const char *attend_scores_detail(attend_scores *s, size_t system)
{
    const at_measurement *t = &s->results->task;
    at_str_clear(&s->detail);
    if (t->measure->detail && is_system(s, system))
        t->measure->detail(t, at_results_sum(s->results, (int)system), &s->detail);
    return at_str_text(&s->detail);
}

const char *attend_scores_json(attend_scores *s, size_t system)
{
    const at_measurement *t = &s->results->task;
    at_str_clear(&s->json);
    if (!is_system(s, system))
        return "{}";
    at_str_add(&s->json, "{\"name\": ");
    at_str_add_json(&s->json, attend_scores_name(s));
    at_json_number(&s->json, "score", attend_scores_corpus(s, system));
    at_str_add(&s->json, ", \"signature\": ");
    at_str_add_json(&s->json, attend_scores_signature(s));
    at_str_print(&s->json, ", \"segments\": %zu", t->segments);
    if (t->measure->members)
        t->measure->members(t, at_results_sum(s->results, (int)system), &s->json);
    at_str_add(&s->json, "}");
    return at_str_text(&s->json);
}
