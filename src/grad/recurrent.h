/* The part that all recurrent layers share: directions, lengths, threads, the large products.
 * What one sentence does at one step is the cell's: op_rnn.c, op_lstm.c, op_gru.c. */
#ifndef ATTEND_GRAD_RECURRENT_H
#define ATTEND_GRAD_RECURRENT_H

#include "grad/ops.h"

typedef struct {
    bool reverse;
    at_tensor *w_ih, *w_hh, *w_hr; /* as at_recurrent_weights */
    const real *b_ih, *b_hh, *h0, *c0;
    real *gates; /* [B,T,G]: W_ih x at first, then what the cell keeps of its gates */
    real *extra; /* [B,T,H]: GRU's W_hn h + b_hn */
    real *c;     /* [B,T,H]: LSTM's cell state */
    real *full;  /* [B,T,H]: LSTM's output before the projection, where there is one */
} at_direction;

/* the rows of one sentence at one step, forward */
typedef struct {
    size_t H;
    real *gates;     /* in: W_ih x + b; out: the gates */
    const real *sum; /* W_hh h and its bias; RNN and LSTM: with the gates' input added */
    const real *h;   /* state before */
    real *c;         /* LSTM: cell state, in and out */
    real *extra, *h_new;
} at_cell_step;

/* and backward */
typedef struct {
    size_t H;
    const real *gates, *extra, *h, *h_new;
    const real *c, *c_new; /* LSTM: before and after the step */
    const real *dh_new;
    real *dc;        /* LSTM: in of c after, out of c before */
    real *dgx, *dgh; /* gradients of W_ih x and W_hh h; the same memory except for the GRU */
    real *dh;        /* GRU: what passes by the gates; else untouched */
} at_cell_back;

typedef struct {
    int gates;     /* G / H */
    bool has_cell; /* LSTM */
    bool separate; /* GRU: W_ih x and W_hh h have different gradients */
    void (*step)(const at_cell_step *s);
    void (*back)(const at_cell_back *s);
    const at_op *op;
} at_cell_kind;

extern const at_cell_kind at_cell_rnn_tanh, at_cell_rnn_relu, at_cell_lstm, at_cell_gru;

void at_recurrent_backward(const at_node *n);

/* For samples: the same layer, fused or unrolled from primitive ops, with parameters below s. */
typedef struct {
    at_cell cell;
    int directions, projection;
    const int *lengths;
    bool states; /* initial states are parameters */
} at_recurrent_sample;
at_tensor *at_recurrent_fused(at_tape *t, at_path s, const at_recurrent_sample *what);
at_tensor *at_recurrent_unrolled(at_tape *t, at_path s, const at_recurrent_sample *what);

#endif
