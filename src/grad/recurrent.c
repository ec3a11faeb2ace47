/* One recurrent layer over all steps, as a single op.
 *
 * W_ih x is one large product over all steps. The recurrence itself is cut into jobs, one per
 * direction and group of sentences; a job runs all its steps on one thread without waiting for
 * anybody, with W_hh packed once. The threads share the steps of a single job instead, each with
 * some of the columns of W_hh, where there are few sentences, or where W_hh is so large that every
 * step brings it from afar: then once for all threads is better than once for each. Sentences are
 * sorted by length, so that at every step the ones still running are the first rows of the job:
 * padding is never computed. Weight gradients are again one large product over all steps.
 *
 *            t = 0   1   2   3            step s of a sentence reads
 *     len 4  [ x   x   x   x ]            t = s, or len - 1 - s backwards
 *     len 2  [ x   x   .   . ]   */
#include "grad/recurrent_job.h"

static const at_cell_kind *kind_of(at_cell cell)
{
    switch (cell) {
    case ATTEND_RNN_TANH: return &at_cell_rnn_tanh;
    case ATTEND_RNN_RELU: return &at_cell_rnn_relu;
    case ATTEND_LSTM: return &at_cell_lstm;
    default: return &at_cell_gru;
    }
}

/* longest first; equal lengths keep their order */
static void sort_by_length(const at_recurrence *l)
{
    int next = 0;
    for (int len = l->T; len >= 0; len--)
        for (int b = 0; b < l->B; b++)
            if (l->length[b] == len)
                l->order[next++] = b;
}

static bool fits(const at_tensor *x, at_shape want) { return !x || at_shape_equal(x->shape, want); }

static bool weights_fit(const at_recurrence *l, const at_recurrent_weights *w)
{
    bool cell = l->kind->has_cell;
    return w->weight_ih && w->weight_hh && fits(w->weight_ih, SHAPE(l->G, l->I))
           && fits(w->weight_hh, SHAPE(l->G, l->P)) && fits(w->bias_ih, SHAPE(l->G))
           && fits(w->bias_hh, SHAPE(l->G)) && (cell || (!w->weight_hr && !w->c0))
           && fits(w->weight_hr, SHAPE(l->P, l->H)) && fits(w->h0, SHAPE(l->B, l->P))
           && fits(w->c0, SHAPE(l->B, l->H)) && (w->weight_hr || l->P == l->H);
}

static const real *value_of(const at_tensor *x) { return x ? x->value : NULL; }

/* sizes, lengths, order and weights; NULL on a failed tape */
static at_recurrence *describe(at_tape *t, at_cell cell, at_tensor *x, int directions,
                               const at_recurrent_weights *w, const int *lengths)
{
    at_recurrence *l = at_scratch(t, sizeof *l);
    if (!l)
        return NULL;
    *l = (at_recurrence){.kind = kind_of(cell), .directions = directions};
    if (x->shape.rank != 3 || directions < 1 || directions > ATTEND_RNN_MAX_DIRECTIONS) {
        at_fail(t,
                "%s: the input must be [batch, time, width] and have 1 or 2 directions, "
                "it is %s and has %d",
                l->kind->op->name, at_shape_print(x->shape).text, directions);
        return NULL;
    }
    l->B = x->shape.dim[0];
    l->T = x->shape.dim[1];
    l->I = x->shape.dim[2];
    at_shape hh = w[0].weight_hh ? w[0].weight_hh->shape : SCALAR;
    l->G = hh.rank == 2 ? hh.dim[0] : 0;
    l->H = l->G / l->kind->gates;
    l->P = hh.rank == 2 ? hh.dim[1] : 0;
    for (int i = 0; i < directions; i++) {
        if (!weights_fit(l, &w[i]) || l->H < 1) {
            at_fail(t,
                    "%s: weights, biases or states of direction %d do not fit input %s and "
                    "weight_hh %s",
                    l->kind->op->name, i, at_shape_print(x->shape).text, at_shape_print(hh).text);
            return NULL;
        }
        l->dir[i] = (at_direction){.reverse = i == 1,
                                   .w_ih = w[i].weight_ih,
                                   .w_hh = w[i].weight_hh,
                                   .w_hr = w[i].weight_hr,
                                   .b_ih = value_of(w[i].bias_ih),
                                   .b_hh = value_of(w[i].bias_hh),
                                   .h0 = value_of(w[i].h0),
                                   .c0 = value_of(w[i].c0)};
    }
    l->length = at_scratch(t, (size_t)l->B * sizeof *l->length);
    l->order = at_scratch(t, (size_t)l->B * sizeof *l->order);
    if (at_failed(t))
        return NULL;
    for (int b = 0; b < l->B; b++) {
        l->length[b] = lengths ? lengths[b] : l->T;
        if (l->length[b] < 0 || l->length[b] > l->T) {
            at_fail(t, "%s: length %d of sentence %d is outside 0..%d", l->kind->op->name,
                    l->length[b], b, l->T);
            return NULL;
        }
    }
    sort_by_length(l);
    return l;
}

static void gather_inputs(at_tensor *x, int directions, const at_recurrent_weights *w,
                          at_tensor *in[MAX_INPUTS])
{
    in[0] = x;
    for (int i = 0; i < directions; i++) {
        at_tensor *all[INPUTS_PER_DIRECTION] = {w[i].weight_ih, w[i].weight_hh, w[i].bias_ih,
                                                w[i].bias_hh,   w[i].weight_hr, w[i].h0,
                                                w[i].c0};
        memcpy(in + 1 + i * INPUTS_PER_DIRECTION, all, sizeof all);
    }
}

static at_recurrent_result poisoned(at_tape *t)
{
    at_tensor *p = at_poison(t);
    return (at_recurrent_result){p, {p, p}, {p, p}};
}

at_recurrent_result at_recurrent(at_tape *t, at_cell cell, at_tensor *x, int directions,
                                 const at_recurrent_weights *weights, const int *lengths)
{
    at_recurrence *l = at_failed(t) ? NULL : describe(t, cell, x, directions, weights, lengths);
    if (!l)
        return poisoned(t);
    at_recurrent_result r = {.output = at_new(t, SHAPE(l->B, l->T, directions * l->P))};
    for (int i = 0; i < directions; i++) {
        r.h_n[i] = at_new(t, SHAPE(l->B, l->P));
        r.c_n[i] = l->kind->has_cell ? at_new(t, SHAPE(l->B, l->H)) : NULL;
    }
    if (at_failed(t))
        return poisoned(t);
    l->output = r.output->value;
    at_recurrent_forward(t, l, x->value, &r);
    int n_in = 1 + directions * INPUTS_PER_DIRECTION;
    at_tensor *in[MAX_INPUTS];
    gather_inputs(x, directions, weights, in);
    if (at_failed(t))
        return poisoned(t);
    if (at_recording(t, n_in, in))
        at_record(t, l->kind->op, n_in, in,
                  OUTPUTS(r.output, r.h_n[0], r.c_n[0], r.h_n[1], r.c_n[1]), l);
    return r;
}
