/* Recurrent layers on top of each other, with torch.nn's names. */
#include <stdio.h>

#include "nn/layers.h"

static at_tensor *weight(at_tape *t, at_path s, const char *what, int layer, bool reverse,
                         at_shape shape, int hidden)
{
    char name[48];
    snprintf(name, sizeof name, "%s_l%d%s", what, layer, reverse ? "_reverse" : "");
    return at_param(t, s, name, shape, INIT_UNIFORM(1 / real_sqrt((real)hidden)));
}

static at_recurrent_weights weights(at_tape *t, at_path s, const at_stack_options *o, int layer,
                                    bool reverse, int in, int state)
{
    int H = o->hidden, P = o->projection ? o->projection : H;
    int G = H * (o->cell == ATTEND_LSTM ? 4 : o->cell == ATTEND_GRU ? 3 : 1);
    at_recurrent_weights w = {
        .weight_ih = weight(t, s, "weight_ih", layer, reverse, SHAPE(G, in), H),
        .weight_hh = weight(t, s, "weight_hh", layer, reverse, SHAPE(G, P), H),
        .h0 = o->h0 ? o->h0[state] : NULL,
        .c0 = o->c0 ? o->c0[state] : NULL,
    };
    if (!o->no_bias) {
        w.bias_ih = weight(t, s, "bias_ih", layer, reverse, SHAPE(G), H);
        w.bias_hh = weight(t, s, "bias_hh", layer, reverse, SHAPE(G), H);
    }
    if (o->projection)
        w.weight_hr = weight(t, s, "weight_hr", layer, reverse, SHAPE(P, H), H);
    return w;
}

/* what layer `below` gives to the one above it */
static at_tensor *drop(at_tape *t, const at_stack_options *o, at_tensor *x, int below)
{
    return o->masks ? at_multiply(t, x, o->masks[below]) : at_dropout(t, x, o->dropout);
}

at_stack_result at_recurrent_stack(at_tape *t, at_path s, at_tensor *x, const int *lengths,
                                   const at_stack_options *o)
{
    int directions = o->bidirectional ? 2 : 1;
    at_stack_result r = {.states = o->layers * directions};
    if (o->hidden < 1 || o->layers < 1 || r.states > ATTEND_STACK_MAX_STATES)
        x = at_fail(t, "recurrent: %d layers of %d units cannot be; 1..%d layers", o->layers,
                    o->hidden, ATTEND_STACK_MAX_STATES / directions);
    for (int layer = 0; layer < o->layers && !at_failed(t); layer++) {
        at_recurrent_weights w[2];
        for (int d = 0; d < directions; d++)
            w[d] = weights(t, s, o, layer, d == 1, at_shape_last(x->shape), layer * directions + d);
        at_recurrent_result y = at_recurrent(t, o->cell, x, directions, w, lengths);
        for (int d = 0; d < directions; d++) {
            r.h_n[layer * directions + d] = y.h_n[d];
            r.c_n[layer * directions + d] = y.c_n[d];
        }
        x = layer + 1 < o->layers ? drop(t, o, y.output, layer) : y.output;
    }
    r.output = at_failed(t) ? at_poison(t) : x;
    for (int i = 0; at_failed(t) && i < ATTEND_STACK_MAX_STATES; i++)
        r.h_n[i] = r.c_n[i] = at_poison(t);
    return r;
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int lengths[] = {3, 2};
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 2), INIT_NORMAL(1));
    at_stack_options o = {.cell = ATTEND_LSTM,
                          .hidden = 3,
                          .layers = 2,
                          .bidirectional = true,
                          .dropout = (real)0.2,
                          .projection = 2};
    at_stack_result r = at_recurrent_stack(t, s, x, lengths, &o);
    at_tensor *both[] = {at_reshape(t, r.output, SHAPE(6, 4)),
                         at_reshape(t, r.h_n[3], SHAPE(1, 4))};
    return at_concat(t, 2, both, 0);
}

const at_layer at_nn_recurrent = {"recurrent", "h_t = cell(x_t, h_{t-1}), layer on layer", sample};
