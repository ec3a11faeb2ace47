/* Long short-term memory (Hochreiter and Schmidhuber 1997; forget gate Gers et al. 1999), with
 * PyTorch's gate order, and with projection (Sak et al. 2014):
 *     i, f, o = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), g = tanh(.)
 *     c_t = f c_{t-1} + i g,   h_t = o tanh(c_t)   [h_t = W_hr (o tanh(c_t))] */
#include "grad/recurrent.h"
#include "tensor/vector.h"

static void step(const at_cell_step *s)
{
    at_vector()->lstm(s->H, s->sum, s->c, s->gates, s->c, s->h_new);
}

static void back(const at_cell_back *s)
{
    at_vector()->lstm_back(s->H, s->gates, s->c, s->c_new, s->dh_new, s->dc, s->dgx);
}

const at_cell_kind at_cell_lstm = {
    .gates = 4, .has_cell = true, .step = step, .back = back, .op = &at_op_lstm};

static const int lengths[] = {1, 3};
static const at_recurrent_sample plain = {ATTEND_LSTM, 2, 0, lengths, true};
static const at_recurrent_sample projected = {ATTEND_LSTM, 2, 2, lengths, true};
static const at_recurrent_sample bare = {ATTEND_LSTM, 1, 0, NULL, false};

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *all[] = {at_recurrent_fused(t, at_in(s, "plain"), &plain),
                        at_recurrent_fused(t, at_in(s, "projected"), &projected),
                        at_recurrent_fused(t, at_in(s, "bare"), &bare)};
    return at_concat(t, 3, all, 0);
}

static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *all[] = {at_recurrent_unrolled(t, at_in(s, "plain"), &plain),
                        at_recurrent_unrolled(t, at_in(s, "projected"), &projected),
                        at_recurrent_unrolled(t, at_in(s, "bare"), &bare)};
    return at_concat(t, 3, all, 0);
}

const at_op at_op_lstm = {
    .name = "lstm",
    .formula = "c_t = f c_{t-1} + i g, h_t = o tanh c_t",
    .backward = at_recurrent_backward,
    .sample = sample,
    .reference = reference,
};
