/* Adagrad (Duchi, Hazan, Singer 2011): a step for each weight, smaller the more it has moved. */
#include "train/optim.h"

static double initial(const at_optim_options *o) { return o->initial_accumulator_value; }

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    plan->adagrad = (at_adagrad_step){
        .scale = (real)m->scale,
        .rate = (real)(m->lr / (1 + (double)(m->step - 1) * o->lr_decay)),
        .weight_decay = (real)m->weight_decay,
        .eps = (real)o->eps,
    };
}

static void update(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state)
{
    k->adagrad(n, p, g, state[0], &plan->adagrad);
}

const at_optimiser at_optimiser_adagrad = {
    .name = "adagrad",
    .formula = "s += g^2;  p -= lr / (1 + (step - 1) lr_decay) g / (sqrt(s) + eps)",
    .source = "Duchi, Hazan and Singer 2011",
    .settings = "lr lr_decay eps initial_accumulator_value weight_decay no_decay",
    .defaults = {.lr = 1e-2, .eps = 1e-10},
    .state = {"sum"},
    .initial = initial,
    .plan = plan,
    .update = update,
};
