/* g global + (1 - g) local of the same scores, mixed after the pick; g = sigmoid(w_g^T q + b_g), or
 * a number that is given. LOCAL is window, predicted or expanded. */
#include <stdio.h>
#include <string.h>

#include "attention/attention.h"
#include "attention/parts.h"
#include "base/number.h"

/* ---- the description ---------------------------------------------------------------------- */

static bool is_fixed(const at_how *how) { return how->scope_values.given > 0; }
static double gate_value(const at_how *how) { return how->scope_values.number[0]; }

/* LOCAL, its values, and a gate where there is one value more */
static attend_status parse(at_how *how, int n, const char *const *texts, attend_error *err)
{
    double *gate = &how->scope_values.number[0];
    if (n < 1)
        return at_error(err, ATTEND_OPTION,
                        "hybrid:LOCAL,.. takes a local scope, as in "
                        "hybrid:window,5 or hybrid:window,5,0.5");
    if (at_number_real(texts[0], strlen(texts[0]), gate))
        return at_error(err, ATTEND_OPTION,
                        "hybrid:LOCAL,.. takes a local scope before its numbers, as in "
                        "hybrid:window,%s",
                        texts[0]);
    const at_scope *local = how->local = at_scope_find(texts[0], err);
    if (!local)
        return ATTEND_OPTION;
    if (!local->is_local)
        return at_error(err, ATTEND_OPTION,
                        "hybrid mixes global with a local scope; '%s' is not one", texts[0]);
    int own = at_values_count(&local->about), given = n - 1;
    how->scope_values.given = given == own + 1;
    attend_status status = at_values_parse(&how->local_values, &local->about,
                                           is_fixed(how) ? own : given, texts + 1, err);
    if (status < 0 || !is_fixed(how))
        return status;
    const char *g = texts[n - 1];
    if (!at_number_real(g, strlen(g), gate) || *gate < 0 || *gate > 1)
        return at_error(err, ATTEND_OPTION, "the gate of hybrid is a number from 0 to 1, not '%s'",
                        g);
    return ATTEND_OK;
}

static void print(const at_how *how, char *text, size_t size)
{
    char local[100], digits[32];
    at_values_print(&how->local_values, &how->local->about, ',', local, sizeof local);
    snprintf(text, size, "hybrid:%s%s%s", local, is_fixed(how) ? "," : "",
             is_fixed(how) ? at_number_print(digits, gate_value(how)) : "");
}

/* ---- the read ----------------------------------------------------------------------------- */

/* a + g (b - a): g [B,Q,1] or a number */
static at_tensor *mix(at_tape *t, const at_how *how, at_tensor *gate, at_tensor *global,
                      at_tensor *local)
{
    if (is_fixed(how))
        return at_add(t, at_scale(t, global, (real)gate_value(how)),
                      at_scale(t, local, (real)(1 - gate_value(how))));
    at_tensor *difference = at_add(t, global, at_scale(t, local, -1));
    return at_add(t, local, at_multiply(t, gate, difference));
}

static at_tensor *gate_of(at_tape *t, at_path s, const at_how *how, const at_query *q,
                          const at_memory *m)
{
    if (is_fixed(how))
        return NULL;
    at_tensor *w = at_param(t, s, "weight", SHAPE(1, m->width), INIT_GLOROT);
    at_tensor *b = at_param(t, s, "bias", SHAPE(1), INIT_ZERO);
    return at_sigmoid(t, at_affine(t, q->query, w, b, ATTEND_OUT_IN)); /* [B,Q,1] */
}

/* what two draws have in common is their sum: both are paid for the same reward */
static at_tensor *both(at_tape *t, at_tensor *a, at_tensor *b)
{
    return a ? at_add(t, a, b) : NULL;
}

static at_reading read(at_tape *t, at_path s, const at_how *how, const at_query *q,
                       const at_memory *m)
{
    at_how local = *how;
    local.scope = how->local;
    local.scope_values = how->local_values;
    at_reading g = at_scope_global.read(t, s, how, q, m);
    at_reading l = how->local->read(t, s, &local, q, m);
    at_tensor *gate = gate_of(t, at_in(s, "gate"), how, q, m);
    if (at_failed(t))
        return at_reading_poison(t);
    at_tensor *wide =
        !gate ? NULL : at_reshape(t, gate, SHAPE(gate->shape.dim[0], 1, gate->shape.dim[1], 1));
    return (at_reading){.context = mix(t, how, gate, g.context, l.context),
                        .weights = l.weights ? mix(t, how, wide, g.weights, l.weights) : NULL,
                        .scores = g.scores,
                        .centre = l.centre,
                        .log_p = both(t, g.log_p, l.log_p),
                        .entropy = both(t, g.entropy, l.entropy)};
}

const at_scope at_scope_hybrid = {
    .about = {.name = "hybrid",
              .values = "LOCAL,..,g",
              .example = "hybrid:window,1,0.4",
              .formula = "w = g global + (1 - g) local, g = sigmoid(w_g^T q + b_g) or given",
              .source = "mixed attention: global and local side by side",
              .use = "when some words need their neighbours and some the whole sentence",
              .cost = "n^2 d, and the local scope's",
              .parameters = "w_g [dq], b_g, and the local scope's"},
    .parse = parse,
    .print = print,
    .read = read,
};
