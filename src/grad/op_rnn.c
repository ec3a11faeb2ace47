/* Simple recurrent layer (Elman 1990): h_t = f(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), f = tanh
 * or relu. */
#include "grad/recurrent.h"
#include "tensor/vector.h"

static void tanh_step(const at_cell_step *s)
{
    at_vector()->act[ATTEND_ACT_TANH](s->H, s->sum, s->h_new);
}

static void tanh_back(const at_cell_back *s)
{
    at_vector()->act_back[ATTEND_ACT_TANH](s->H, s->h_new, s->dh_new, 0, s->dgx);
}

static void relu_step(const at_cell_step *s)
{
    at_vector()->act[ATTEND_ACT_RELU](s->H, s->sum, s->h_new);
}

static void relu_back(const at_cell_back *s)
{
    at_vector()->act_back[ATTEND_ACT_RELU](s->H, s->h_new, s->dh_new, 0, s->dgx);
}

const at_cell_kind at_cell_rnn_tanh = {
    .gates = 1, .step = tanh_step, .back = tanh_back, .op = &at_op_rnn};
const at_cell_kind at_cell_rnn_relu = {
    .gates = 1, .step = relu_step, .back = relu_back, .op = &at_op_rnn};

static const int lengths[] = {3, 1};
static const at_recurrent_sample tanh_sample = {ATTEND_RNN_TANH, 2, 0, lengths, true};
static const at_recurrent_sample relu_sample = {ATTEND_RNN_RELU, 1, 0, NULL, false};

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *both[] = {at_recurrent_fused(t, at_in(s, "tanh"), &tanh_sample),
                         at_recurrent_fused(t, at_in(s, "relu"), &relu_sample)};
    return at_concat(t, 2, both, 0);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *both[] = {at_recurrent_unrolled(t, at_in(s, "tanh"), &tanh_sample),
                         at_recurrent_unrolled(t, at_in(s, "relu"), &relu_sample)};
    return at_concat(t, 2, both, 0);
}

const at_op at_op_rnn = {
    .name = "rnn",
    .formula = "h_t = f(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)",
    .backward = at_recurrent_backward,
    .sample = sample,
    .reference = reference,
};
