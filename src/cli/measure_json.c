#include <string.h>

#include "base/json_write.h"
#include "cli/measure_report.h"

static attend_status interval_json(at_json_out *j, attend_scores *s, int system, attend_error *err)
{
    attend_interval interval;
    attend_status status = attend_scores_interval(s, system, &interval, err);
    if (status < 0)
        return status;
    at_json_object(j, "interval");
    at_json_real(j, "mean", interval.mean, 0);
    at_json_real(j, "low", interval.low, 0);
    at_json_real(j, "high", interval.high, 0);
    at_json_end(j);
    return ATTEND_OK;
}

static attend_status comparison_json(at_json_out *j, attend_scores *s, int system, int baseline,
                                     attend_error *err)
{
    attend_comparison c;
    attend_status status = attend_scores_compare(s, system, baseline, &c, err);
    if (status < 0)
        return status;
    at_json_object(j, "baseline");
    at_json_real(j, "difference", c.difference, 0);
    at_json_real(j, "p_bootstrap", c.bootstrap, 0);
    at_json_real(j, "p_randomisation", c.randomisation, 0);
    at_json_end(j);
    return ATTEND_OK;
}

/* what the library says of a score, and what chance says */
static attend_status score_json(at_json_out *j, const at_measure_report *r, int measure, int system,
                                attend_error *err)
{
    attend_scores *s = r->scores[measure];
    int baseline = r->in->systems - 1;
    at_str chance = {0};
    at_json_out members = {.out = &chance};
    attend_status status = ATTEND_OK;
    if (r->confidence)
        status = interval_json(&members, s, system, err);
    if (r->baseline && system != baseline && status >= 0)
        status = comparison_json(&members, s, system, baseline, err);
    const char *json = attend_scores_json(s, system); /* its signature says what was compared */
    at_json_object(j, NULL);
    at_json_raw(j, NULL, json + 1, strlen(json) - 2); /* without its braces */
    if (chance.length)
        at_json_raw(j, NULL, at_str_text(&chance), chance.length);
    at_json_end(j);
    j->out->failed |= chance.failed;
    at_str_free(&chance);
    return status;
}

static attend_status system_json(at_json_out *j, const at_measure_report *r, int system,
                                 attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_json_object(j, NULL);
    at_json_string(j, "file", r->in->hypothesis[system].lines.name);
    if (r->baseline && system == r->in->systems - 1)
        at_json_bool(j, "is_baseline", true);
    at_json_array(j, "scores");
    for (int i = 0; i < r->measures && status >= 0; i++) {
        at_json_line(j, 4);
        status = score_json(j, r, i, system, err);
    }
    at_json_end(j);
    at_json_end(j);
    return status;
}

static attend_status lengths_json(at_json_out *j, const at_measure_report *r, const at_buckets *b,
                                  attend_error *err)
{
    at_str table = {0};
    attend_status status = at_report_lengths(&table, r, b, ATTEND_TABLE_JSON, err);
    at_json_line(j, 0);
    at_json_raw(j, "by_length", at_str_text(&table), table.length);
    j->out->failed |= table.failed;
    at_str_free(&table);
    return status;
}

attend_status at_report_json(at_str *out, const at_measure_report *r, const at_buckets *b,
                             attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    at_json_array(&j, "references");
    for (int i = 0; i < r->in->references; i++)
        at_json_string(&j, NULL, r->in->reference[i].lines.name);
    at_json_end(&j);
    at_json_line(&j, 0);
    at_json_array(&j, "systems");
    for (int i = 0; i < r->in->systems && status >= 0; i++) {
        at_json_line(&j, 2);
        status = system_json(&j, r, i, err);
    }
    at_json_end(&j);
    if (b && status >= 0)
        status = lengths_json(&j, r, b, err);
    at_json_end(&j);
    at_str_add(out, "\n");
    return status;
}
