/* torch.nn.RNN, LSTM and GRU, batch first: layers on top of each other, one or two directions.
 * How many of them, how large, and which biases and projections there are, is read off the
 * weights: weight_ih_l0, weight_ih_l0_reverse, weight_hr_l0, ...
 *
 * x [B,T,I]; h0 [layers * directions, B, P] and c0 [.., B, H], or absent; lengths [B], or absent
 * when no sentence is padded. */
#include <stdio.h>
#include <string.h>

#include "nn/layers.h"
#include "oracle.h"

static bool read_cell(at_case *c, at_cell *cell)
{
    const char *name = at_case_text(c, "config.cell"), *family = at_case_text(c, "family");

    if (name[0] == '\0')
        name = strrchr(family, '.') ? strrchr(family, '.') + 1 : family;
    if (strcmp(name, "RNN") == 0)
        *cell = strcmp(at_case_text(c, "config.nonlin"), "relu") == 0 ? ATTEND_RNN_RELU
                                                                      : ATTEND_RNN_TANH;
    else if (strcmp(name, "LSTM") == 0)
        *cell = ATTEND_LSTM;
    else if (strcmp(name, "GRU") == 0)
        *cell = ATTEND_GRU;
    else
        return false;
    return true;
}

static int count_layers(at_case *c)
{
    char name[32];
    int n = 0;

    do
        snprintf(name, sizeof name, "weight_ih_l%d", n);
    while (at_case_param_or_null(c, name) && ++n);
    return n;
}

static at_stack_options read_options(at_case *c, at_cell cell)
{
    int gates = cell == ATTEND_LSTM ? 4 : cell == ATTEND_GRU ? 3 : 1;
    at_tensor *projection = at_case_param_or_null(c, "weight_hr_l0");

    return (at_stack_options){
        .cell = cell,
        .hidden = at_case_param(c, "weight_hh_l0")->shape.dim[0] / gates,
        .layers = count_layers(c),
        .projection = projection ? projection->shape.dim[0] : 0,
        .bidirectional = at_case_param_or_null(c, "weight_ih_l0_reverse") != NULL,
        .no_bias = at_case_param_or_null(c, "bias_ih_l0") == NULL,
    };
}

/* the states [N,B,P] as N of [B,P]; NULL where there are none */
static at_tensor *const *split_states(at_case *c, const char *name, int n, at_tensor **out)
{
    at_tensor *states = at_case_input_or_null(c, name);
    at_shape s = states ? states->shape : SCALAR;

    if (!states)
        return NULL;
    if (s.rank != 3 || s.dim[0] != n) {
        at_fail(c->tape, "%s has the shape %s: %d states are needed", name, at_shape_print(s).text,
                n);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        out[i] = at_reshape(c->tape, at_slice(c->tape, states, 0, i, i + 1),
                            SHAPE(s.dim[1], s.dim[2]));
    return out;
}

static at_tensor *join_states(at_tape *t, int n, at_tensor *const *states)
{
    at_tensor *rows[ATTEND_STACK_MAX_STATES];

    for (int i = 0; i < n; i++)
        rows[i] = at_reshape(t, states[i],
                             SHAPE(1, states[i]->shape.dim[0], states[i]->shape.dim[1]));
    return at_concat(t, n, rows, 0);
}

/* A packed batch comes back as long as its longest sentence. */
static at_tensor *cut_to_expected(at_case *c, at_tensor *y)
{
    at_shape want;

    if (at_case_reals(c, c->expected, "output", &want) && want.rank == 3
        && want.dim[1] < y->shape.dim[1])
        return at_slice(c->tape, y, 1, 0, want.dim[1]);
    return y;
}

static void check_stack(at_case *c, at_stack_options *o, const int *lengths)
{
    at_tensor *h0[ATTEND_STACK_MAX_STATES], *c0[ATTEND_STACK_MAX_STATES];
    int states = o->layers * (o->bidirectional ? 2 : 1);
    at_stack_result r;

    if (states > ATTEND_STACK_MAX_STATES)
        at_fail(c->tape, "%d states are more than we can stack", states);
    if (at_failed(c->tape))
        return;
    o->h0 = split_states(c, "h0", states, h0);
    o->c0 = split_states(c, "c0", states, c0);
    r = at_recurrent_stack(c->tape, at_root(), at_case_input(c, "x"), lengths, o);
    if (at_failed(c->tape))
        return;
    at_case_output(c, "output", cut_to_expected(c, r.output));
    at_case_output(c, "h_n", join_states(c->tape, r.states, r.h_n));
    if (o->cell == ATTEND_LSTM)
        at_case_output(c, "c_n", join_states(c->tape, r.states, r.c_n));
    at_case_gradients(c);
}

void at_check_rnn(at_case *c)
{
    at_tensor *x = at_case_input(c, "x");
    at_ids lengths = at_case_ids(c, "lengths");
    at_stack_options options;
    at_cell cell;

    if (!read_cell(c, &cell)) {
        at_case_unknown(c, "no check for the cell %s", at_case_text(c, "config.cell"));
        return;
    }
    if (lengths.id
        && (x->shape.rank != 3 || lengths.shape.rank != 1
            || lengths.shape.dim[0] != x->shape.dim[0])) {
        at_case_fail(c, "lengths %s do not fit x %s", at_shape_print(lengths.shape).text,
                     at_shape_print(x->shape).text);
        return;
    }
    at_case_params(c);
    options = read_options(c, cell);
    check_stack(c, &options, lengths.id);
}
