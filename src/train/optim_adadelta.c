/* Adadelta (Zeiler 2012): steps measured in units of the parameter itself, by the running mean of
 * squared updates over that of squared gradients. */
#include "train/optim.h"

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    plan->adadelta = (at_adadelta_step){
        .scale = (real)m->scale,
        .lr = (real)m->lr,
        .weight_decay = (real)m->weight_decay,
        .rho = (real)o->rho,
        .gain = (real)(1 - o->rho),
        .eps = (real)o->eps,
    };
}

static void update(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state)
{
    k->adadelta(n, p, g, state[0], state[1], &plan->adadelta);
}

const at_optimiser at_optimiser_adadelta = {
    .name = "adadelta",
    .formula = "v = rho v + (1 - rho) g^2;  d = g sqrt(u + eps) / sqrt(v + eps);  "
               "u = rho u + (1 - rho) d^2;  p -= lr d",
    .source = "Zeiler 2012",
    .settings = "lr rho eps weight_decay no_decay",
    .defaults = {.lr = 1, .rho = 0.9, .eps = 1e-6},
    .state = {"square_avg", "acc_delta"},
    .plan = plan,
    .update = update,
};
