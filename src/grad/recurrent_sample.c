/* A recurrent layer twice, for the tests: fused, and unrolled from primitive ops. */
#include "grad/recurrent.h"

enum { B = 2, T = 3, I = 3, H = 3 };

static at_tensor *param(at_tape *t, at_path s, const char *name, at_shape shape)
{
    return at_param(t, s, name, shape, INIT_NORMAL((real)0.8));
}

static int gates_of(at_cell cell) { return cell == ATTEND_LSTM ? 4 : cell == ATTEND_GRU ? 3 : 1; }

static at_recurrent_weights weights(at_tape *t, at_path s, const at_recurrent_sample *what)
{
    int G = gates_of(what->cell) * H, P = what->projection ? what->projection : H;
    at_recurrent_weights w = {
        .weight_ih = param(t, s, "weight_ih", SHAPE(G, I)),
        .weight_hh = param(t, s, "weight_hh", SHAPE(G, P)),
    };
    if (what->projection)
        w.weight_hr = param(t, s, "weight_hr", SHAPE(P, H));
    if (what->states) { /* the samples without states have no biases either */
        w.bias_ih = param(t, s, "bias_ih", SHAPE(G));
        w.bias_hh = param(t, s, "bias_hh", SHAPE(G));
        w.h0 = param(t, s, "h0", SHAPE(B, P));
        w.c0 = what->cell == ATTEND_LSTM ? param(t, s, "c0", SHAPE(B, H)) : NULL;
    }
    return w;
}

static at_tensor *input(at_tape *t, at_path s) { return param(t, s, "x", SHAPE(B, T, I)); }

static at_tensor *flat(at_tape *t, at_tensor *x)
{
    return at_failed(t) ? at_poison(t) : at_reshape(t, x, SHAPE((int)x->len));
}

/* outputs and final states in one vector */
static at_tensor *join(at_tape *t, const at_recurrent_result *r, int directions)
{
    at_tensor *all[5] = {flat(t, r->output)};
    int n = 1;
    for (int i = 0; i < directions; i++) {
        all[n++] = flat(t, r->h_n[i]);
        if (r->c_n[i])
            all[n++] = flat(t, r->c_n[i]);
    }
    return at_concat(t, n, all, 0);
}

at_tensor *at_recurrent_fused(at_tape *t, at_path s, const at_recurrent_sample *what)
{
    at_recurrent_weights w[2];
    for (int i = 0; i < what->directions; i++)
        w[i] = weights(t, at_in(s, "%d", i), what);
    at_recurrent_result r = at_recurrent(t, what->cell, input(t, s), what->directions, w,
                                         what->lengths);
    return join(t, &r, what->directions);
}

/* ---- unrolled --------------------------------------------------------------------------- */

typedef struct {
    at_tensor *h, *c;
} state;

static at_tensor *gate(at_tape *t, at_tensor *all, int i)
{
    return at_slice(t, all, 1, i * H, (i + 1) * H);
}

/* a - b */
static at_tensor *minus(at_tape *t, at_tensor *a, at_tensor *b)
{
    return at_add(t, a, at_scale(t, b, -1));
}

static state step(at_tape *t, at_cell cell, const at_recurrent_weights *w, at_tensor *x, state s)
{
    at_tensor *gx = at_affine(t, x, w->weight_ih, w->bias_ih, ATTEND_OUT_IN);
    at_tensor *gh = at_affine(t, s.h, w->weight_hh, w->bias_hh, ATTEND_OUT_IN);
    at_tensor *g = at_add(t, gx, gh);
    if (cell == ATTEND_RNN_TANH)
        return (state){at_tanh(t, g), NULL};
    if (cell == ATTEND_RNN_RELU)
        return (state){at_relu(t, g), NULL};
    if (cell == ATTEND_GRU) {
        at_tensor *r = at_sigmoid(t, gate(t, g, 0)), *z = at_sigmoid(t, gate(t, g, 1));
        at_tensor *n = at_tanh(t, at_add(t, gate(t, gx, 2), at_multiply(t, r, gate(t, gh, 2))));
        return (state){at_add(t, n, at_multiply(t, z, minus(t, s.h, n))), NULL};
    }
    at_tensor *i = at_sigmoid(t, gate(t, g, 0)), *f = at_sigmoid(t, gate(t, g, 1));
    at_tensor *u = at_tanh(t, gate(t, g, 2)), *o = at_sigmoid(t, gate(t, g, 3));
    at_tensor *c = at_add(t, at_multiply(t, f, s.c), at_multiply(t, i, u));
    at_tensor *h = at_multiply(t, o, at_tanh(t, c));
    return (state){w->weight_hr ? at_affine(t, h, w->weight_hr, NULL, ATTEND_OUT_IN) : h, c};
}

/* new where the sentence is running at time t (mask [B,1] of ones and zeros), else old */
static at_tensor *choose(at_tape *t, at_tensor *mask, at_tensor *fresh, at_tensor *old)
{
    return fresh ? at_add(t, old, at_multiply(t, mask, minus(t, fresh, old))) : NULL;
}

static at_tensor *mask_at(at_tape *t, const int *lengths, int time)
{
    real m[B];
    for (int b = 0; b < B; b++)
        m[b] = !lengths || time < lengths[b];
    return at_input(t, SHAPE(B, 1), m);
}

static at_tensor *run_direction(at_tape *t, const at_recurrent_sample *what, at_tensor *x,
                                const at_recurrent_weights *w, bool reverse, state *last)
{
    at_tensor *out[T];
    int P = what->projection ? what->projection : H;
    state s = {w->h0 ? w->h0 : at_zeros(t, SHAPE(B, P)), NULL};
    if (what->cell == ATTEND_LSTM)
        s.c = w->c0 ? w->c0 : at_zeros(t, SHAPE(B, H));
    for (int k = 0; k < T; k++) {
        int time = reverse ? T - 1 - k : k;
        at_tensor *xt = at_reshape(t, at_slice(t, x, 1, time, time + 1), SHAPE(B, I));
        at_tensor *mask = mask_at(t, what->lengths, time);
        state fresh = step(t, what->cell, w, xt, s);
        out[time] = at_reshape(t, at_multiply(t, mask, fresh.h), SHAPE(B, 1, P));
        s = (state){choose(t, mask, fresh.h, s.h), choose(t, mask, fresh.c, s.c)};
    }
    *last = s;
    return at_concat(t, T, out, 1);
}

at_tensor *at_recurrent_unrolled(at_tape *t, at_path s, const at_recurrent_sample *what)
{
    at_tensor *x = input(t, s), *out[2];
    at_recurrent_result r = {0};
    for (int i = 0; i < what->directions; i++) {
        at_recurrent_weights w = weights(t, at_in(s, "%d", i), what);
        state last;
        out[i] = run_direction(t, what, x, &w, i == 1, &last);
        r.h_n[i] = last.h;
        r.c_n[i] = last.c;
    }
    r.output = at_concat(t, what->directions, out, 2);
    return join(t, &r, what->directions);
}
