/* What a search did, as JSON. */
#include "api/attention.h"

const char *attend_trace_fate_name(attend_trace_fate fate)
{
    static const char *const names[] = {"pruned", "kept", "ended"};
    return (unsigned)fate < sizeof names / sizeof *names ? names[fate] : "unknown";
}

static void add_alternatives(at_json_out *j, const attend_translation *t)
{
    at_json_array(j, "alternatives");
    for (int i = 0; i < t->targets; i++) {
        const attend_alternative *a = t->alternatives + i * t->alternative_count;
        at_json_array(j, NULL);
        for (int k = 0; k < t->alternative_count && a[k].token >= 0; k++) {
            at_json_object(j, NULL);
            at_json_string(j, "token", a[k].text);
            at_json_real(j, "log_p", a[k].log_p, 9);
            at_json_end(j);
        }
        at_json_end(j);
    }
    at_json_end(j);
}

static void add_candidate(at_json_out *j, const attend_candidate *c)
{
    at_json_object(j, NULL);
    at_json_int(j, "parent", c->parent);
    at_json_string(j, "token", c->text);
    at_json_real(j, "log_p", c->log_p, 9);
    at_json_real(j, "score", c->score, 9);
    at_json_string(j, "fate", attend_trace_fate_name(c->fate));
    if (c->row >= 0)
        at_json_int(j, "row", c->row);
    at_json_end(j);
}

static void add_steps(at_json_out *j, const attend_translation *t)
{
    at_json_array(j, "steps");
    for (size_t i = 0; i < t->trace_count; i++) {
        bool first = i == 0 || t->trace[i].step != t->trace[i - 1].step;
        bool last = i + 1 == t->trace_count || t->trace[i].step != t->trace[i + 1].step;
        if (first)
            at_json_array(j, NULL);
        add_candidate(j, &t->trace[i]);
        if (last)
            at_json_end(j);
    }
    at_json_end(j);
}

attend_status attend_trace_json(const attend_translation *t, size_t line, char **text,
                                attend_error *err)
{
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_translation_json(&j, t, line, -1, false);
    if (t->alternatives)
        add_alternatives(&j, t);
    if (t->trace)
        add_steps(&j, t);
    return at_json_give(&j, text, err);
}
