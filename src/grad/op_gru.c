/* Gated recurrent unit (Cho et al. 2014), PyTorch's form, the reset gate after the product:
 *     r, z = sigmoid(W_i x_t + b_i + W_h h_{t-1} + b_h)
 *     n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn)),   h_t = (1 - z) n + z h_{t-1} */
#include "grad/recurrent.h"
#include "tensor/vector.h"

static void step(const at_cell_step *s)
{
    at_vector()->gru(s->H, s->gates, s->sum, s->h, s->gates, s->extra, s->h_new);
}

static void back(const at_cell_back *s)
{
    at_vector()->gru_back(s->H, s->gates, s->extra, s->h, s->dh_new, s->dgx, s->dgh, s->dh);
}

const at_cell_kind at_cell_gru = {
    .gates = 3, .separate = true, .step = step, .back = back, .op = &at_op_gru};

static const int lengths[] = {2, 3};
static const at_recurrent_sample full = {ATTEND_GRU, 2, 0, lengths, true};
static const at_recurrent_sample bare = {ATTEND_GRU, 1, 0, NULL, false};

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *both[] = {at_recurrent_fused(t, at_in(s, "full"), &full),
                         at_recurrent_fused(t, at_in(s, "bare"), &bare)};
    return at_concat(t, 2, both, 0);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *both[] = {at_recurrent_unrolled(t, at_in(s, "full"), &full),
                         at_recurrent_unrolled(t, at_in(s, "bare"), &bare)};
    return at_concat(t, 2, both, 0);
}

const at_op at_op_gru = {
    .name = "gru",
    .formula = "h_t = (1 - z) n + z h_{t-1}",
    .backward = at_recurrent_backward,
    .sample = sample,
    .reference = reference,
};
