/* RMSprop (Tieleman and Hinton 2012), also centered (Graves 2013) and with momentum. */
#include "train/optim.h"

static bool keeps(const at_optim_options *o, int state)
{
    return state == 0 || (state == 1 && o->momentum > 0) || (state == 2 && o->centered);
}

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    plan->rmsprop = (at_rmsprop_step){
        .scale = (real)m->scale,
        .lr = (real)m->lr,
        .weight_decay = (real)m->weight_decay,
        .alpha = (real)o->alpha,
        .gain = (real)(1 - o->alpha),
        .eps = (real)o->eps,
        .momentum = (real)o->momentum,
    };
}

static void update(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state)
{
    k->rmsprop(n, p, g, state[0], state[1], state[2], &plan->rmsprop);
}

const at_optimiser at_optimiser_rmsprop = {
    .name = "rmsprop",
    .formula = "v = alpha v + (1 - alpha) g^2;  p -= lr g / (sqrt(v) + eps)",
    .source = "Tieleman and Hinton 2012; centered: Graves 2013",
    .settings = "lr alpha eps weight_decay no_decay momentum centered",
    .defaults = {.lr = 1e-2, .alpha = 0.99, .eps = 1e-8},
    .state = {"square_avg", "momentum_buffer", "grad_avg"},
    .keeps = keeps,
    .plan = plan,
    .update = update,
};
