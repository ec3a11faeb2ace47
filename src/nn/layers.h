/* Layers: ops together with the parameters they need, found below a path. Names and layouts are
 * PyTorch's, so that files go both ways. layers.def lists them. */
#ifndef ATTEND_NN_LAYERS_H
#define ATTEND_NN_LAYERS_H

#include "grad/ops.h"

typedef struct {
    const char *name, *formula;
    at_build *sample; /* a small instance, for the gradient check */
} at_layer;

extern const at_layer *const at_layers[];
extern const int at_layer_count;
#define LAYER(name) extern const at_layer at_nn_##name;
#include "nn/layers.def"
#undef LAYER

/* ---- linear ----------------------------------------------------------------------------- */

/* y = x W^T + b: weight [out,in], bias [out], both U(+-1/sqrt(in)) at first */
at_tensor *at_linear(at_tape *t, at_path s, at_tensor *x, int out);
at_tensor *at_linear_no_bias(at_tape *t, at_path s, at_tensor *x, int out);
at_tensor *at_linear_act(at_tape *t, at_path s, at_tensor *x, int out, at_activation *f); /* f(y) */

/* ---- embedding -------------------------------------------------------------------------- */

/* rows of weight [vocabulary, width], N(0, scale^2) at first */
at_tensor *at_embed(at_tape *t, at_path s, at_ids ids, int vocabulary, int width, real scale);

/* ---- positions -------------------------------------------------------------------------- */

/* Sinusoids (Vaswani et al. 2017, 3.5) of the angles p / 10000^(2k/D), k = 0, 1, .. */
typedef enum {
    ATTEND_SINUSOIDS_INTERLEAVED, /* sin, cos, sin, cos, ..: the paper, d2l */
    ATTEND_SINUSOIDS_HALVES,      /* all sines, then all cosines: Marian, XLNet */
    ATTEND_SINUSOIDS_OPENNMT,     /* halves, exponent k/(D/2-1), positions count from 1 */
} at_sinusoids;

/* for positions first .. first+length-1: to [length, width] */
void at_sinusoids_fill(real *to, at_sinusoids how, int first, int length, int width);

/* the same as a constant tensor */
at_tensor *at_position_sinusoidal(at_tape *t, at_sinusoids how, int first, int length, int width);

/* x [B,T,D] plus the sinusoids of positions first .. first+T-1 */
at_tensor *at_add_sinusoids(at_tape *t, at_sinusoids how, at_tensor *x, int first);

/* x [B,T,D] plus rows first .. first+T-1 of weight [most, D], learned; more positions than that
 * fail */
at_tensor *at_add_positions(at_tape *t, at_path s, at_tensor *x, int first, int max, real scale);

/* The same with a weight that is not trained. */
at_tensor *at_add_stored_positions(at_tape *t, at_path s, at_tensor *x, int first, int max);

/* ---- norm ------------------------------------------------------------------------------- */

/* layer norm with weight (ones at first) and bias (zeros) */
at_tensor *at_norm(at_tape *t, at_path s, at_tensor *x, real eps);

/* the same of x + r; *sum receives x + r, for pre-norm; sum may be NULL */
at_tensor *at_norm_residual(at_tape *t, at_path s, at_tensor *x, at_tensor *r, real eps,
                            at_tensor **sum);

/* ---- feed-forward ----------------------------------------------------------------------- */

/* W_2 dropout(f(W_1 x + b_1)) + b_2 (Vaswani et al. 2017, 3.3): linear1 [inner,D], linear2
 * [D,inner] */
at_tensor *at_feed_forward(at_tape *t, at_path s, at_tensor *x, int inner, at_activation *f,
                           real dropout);

/* ---- convolution ------------------------------------------------------------------------ */

/* x [B,T,in] -> [B,T,out]: a window of width positions around each, (width - 1) / 2 of them before
 * it, zeros outside a sentence: weight [out,in,width], bias [out], as torch.nn.Conv1d; lengths [B]
 * or NULL */
at_tensor *at_convolution(at_tape *t, at_path s, at_tensor *x, int out, int width,
                          const int *lengths);

/* ---- recurrent -------------------------------------------------------------------------- */

typedef struct {
    at_cell cell;
    int hidden, layers;
    int projection; /* 0, or the LSTM's */
    bool bidirectional;
    bool no_bias;
    real dropout;            /* between layers, fresh at every step */
    at_tensor *const *masks; /* [layers-1] of [B,1,directions*P]: in place of it, one for all steps,
                                below each layer but the first; or NULL */
    at_tensor *const *h0;    /* [layers*directions] of [B,P], or NULL for zeros */
    at_tensor *const *c0;    /* [layers*directions] of [B,H], or NULL */
} at_stack_options;

enum { ATTEND_STACK_MAX_STATES = 32 };

typedef struct {
    at_tensor *output;                       /* of the last layer, [B,T,directions*P] */
    at_tensor *h_n[ATTEND_STACK_MAX_STATES]; /* layer by layer, forward then backward: [B,P] */
    at_tensor *c_n[ATTEND_STACK_MAX_STATES]; /* [B,H], LSTM only */
    int states;                              /* layers * directions */
} at_stack_result;

/* Layers on top of each other, as torch.nn.RNN, LSTM and GRU: weight_ih_l0, weight_hh_l0,
 * bias_ih_l0, bias_hh_l0, .._l0_reverse, weight_hr_l0, ..; all U(+-1/sqrt(hidden)) at first. */
at_stack_result at_recurrent_stack(at_tape *t, at_path s, at_tensor *x, const int *lengths,
                                   const at_stack_options *options);

#endif
