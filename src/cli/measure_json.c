#include <math.h>
#include <string.h>

#include "base/number.h"
#include "cli/measure_report.h"

static void member(at_str *out, const char *name, double value, const char *before)
{
    char number[32];
    at_str_print(out, "%s\"%s\": %s", before, name,
                 isfinite(value) ? at_number_print(number, value) : "null");
}

static void names(at_str *out, const char *key, const at_lines *lines, int count)
{
    at_str_print(out, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        at_str_add(out, i ? ", " : "");
        at_str_add_json(out, lines[i].lines.name);
    }
    at_str_add(out, "]");
}

static attend_status interval_json(at_str *out, attend_scores *s, int system, attend_error *err)
{
    attend_interval interval;
    attend_status status = attend_scores_interval(s, system, &interval, err);
    if (status < 0)
        return status;
    member(out, "mean", interval.mean, ", \"interval\": {");
    member(out, "low", interval.low, ", ");
    member(out, "high", interval.high, ", ");
    at_str_add(out, "}");
    return ATTEND_OK;
}

static attend_status comparison_json(at_str *out, attend_scores *s, int system, int baseline,
                                     attend_error *err)
{
    attend_comparison c;
    attend_status status = attend_scores_compare(s, system, baseline, &c, err);
    if (status < 0)
        return status;
    member(out, "difference", c.difference, ", \"baseline\": {");
    member(out, "p_bootstrap", c.bootstrap, ", ");
    member(out, "p_randomisation", c.randomisation, ", ");
    at_str_add(out, "}");
    return ATTEND_OK;
}

/* what the library says of a score, and what chance says */
static attend_status score_json(at_str *out, const at_measure_report *r, int measure, int system,
                                attend_error *err)
{
    attend_scores *s = r->scores[measure];
    int baseline = r->in->systems - 1;
    at_str chance = {0};
    attend_status status = ATTEND_OK;
    if (r->confidence)
        status = interval_json(&chance, s, system, err);
    if (r->baseline && system != baseline && status >= 0)
        status = comparison_json(&chance, s, system, baseline, err);
    const char *json = attend_scores_json(s, system); /* its signature says what was compared */
    at_str_add_bytes(out, json, strlen(json) - 1);    /* the brace comes later */
    at_str_add(out, at_str_text(&chance));
    at_str_add(out, "}");
    out->failed |= chance.failed;
    at_str_free(&chance);
    return status;
}

static attend_status system_json(at_str *out, const at_measure_report *r, int system,
                                 attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_str_add(out, "{\"file\": ");
    at_str_add_json(out, r->in->hypothesis[system].lines.name);
    if (r->baseline && system == r->in->systems - 1)
        at_str_add(out, ", \"is_baseline\": true");
    at_str_add(out, ", \"scores\": [");
    for (int i = 0; i < r->measures && status >= 0; i++) {
        at_str_add(out, i ? ",\n    " : "\n    ");
        status = score_json(out, r, i, system, err);
    }
    at_str_add(out, "]}");
    return status;
}

attend_status at_report_json(at_str *out, const at_measure_report *r, const at_buckets *b,
                             attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_str_add(out, "{");
    names(out, "references", r->in->reference, r->in->references);
    at_str_add(out, ",\n\"systems\": [");
    for (int i = 0; i < r->in->systems && status >= 0; i++) {
        at_str_add(out, i ? ",\n  " : "\n  ");
        status = system_json(out, r, i, err);
    }
    at_str_add(out, "]");
    if (b && status >= 0) {
        at_str_add(out, ",\n\"by_length\": ");
        status = at_report_lengths(out, r, b, ATTEND_TABLE_JSON, err);
    }
    at_str_add(out, "}\n");
    return status;
}
