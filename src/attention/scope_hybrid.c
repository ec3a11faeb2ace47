/* g global + (1 - g) local of the same scores, mixed after the pick; g = sigmoid(w_g^T q + b_g), or
 * a number that is given. LOCAL is window, predicted or expanded. */
#include <string.h>

#include "attention/attention.h"
#include "attention/parts.h"
#include "base/number.h"

static int values_of(const at_scope *local) { return local == &at_scope_expanded ? 2 : 1; }

static attend_status parse(at_how *how, int n, const char *const *values, attend_error *err)
{
    if (n < 1)
        return at_error(err, ATTEND_OPTION,
                        "hybrid:LOCAL,.. takes a local scope, as in "
                        "hybrid:window,5 or hybrid:window,5,0.5");
    if (at_number_real(values[0], strlen(values[0]), &how->gate))
        return at_error(err, ATTEND_OPTION,
                        "hybrid:LOCAL,.. takes a local scope before its numbers, as in "
                        "hybrid:window,%s",
                        values[0]);
    how->local = at_scope_find(values[0], err);
    if (!how->local)
        return ATTEND_OPTION;
    if (how->local == &at_scope_global || how->local == &at_scope_hybrid)
        return at_error(err, ATTEND_OPTION,
                        "hybrid mixes global with a local scope; '%s' is not one", values[0]);
    int own = values_of(how->local), given = n - 1;
    how->fixed_gate = given == own + 1;
    attend_status status = how->local->parse(how, how->fixed_gate ? own : given, values + 1, err);
    if (status < 0 || !how->fixed_gate)
        return status;
    const char *g = values[n - 1];
    if (!at_number_real(g, strlen(g), &how->gate) || how->gate < 0 || how->gate > 1)
        return at_error(err, ATTEND_OPTION, "the gate of hybrid is a number from 0 to 1, not '%s'",
                        g);
    return ATTEND_OK;
}

/* a + g (b - a): g [B,Q,1] or a number */
static at_tensor *mix(at_tape *t, const at_how *how, at_tensor *gate, at_tensor *global,
                      at_tensor *local)
{
    if (how->fixed_gate)
        return at_add(t, at_scale(t, global, (real)how->gate),
                      at_scale(t, local, (real)(1 - how->gate)));
    at_tensor *difference = at_add(t, global, at_scale(t, local, -1));
    return at_add(t, local, at_multiply(t, gate, difference));
}

static at_tensor *gate_of(at_tape *t, at_path s, const at_how *how, const at_query *q,
                          const at_memory *m)
{
    if (how->fixed_gate)
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
    at_reading g = at_scope_global.read(t, s, how, q, m);
    at_reading l = how->local->read(t, s, how, q, m);
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
    .read = read,
};
