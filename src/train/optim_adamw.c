/* Adam with decoupled weight decay (Loshchilov and Hutter 2019): the weights shrink by themselves,
 * p *= 1 - lr weight_decay, before Adam's step, and the moments never see the decay. */
#include "train/optim.h"

static bool keeps(const at_optim_options *o, int state) { return state < 2 || o->amsgrad; }

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    double step = (double)m->step;
    plan->adam = (at_adam_step){
        .scale = (real)m->scale,
        .shrink = (real)(1 - m->lr * m->weight_decay),
        .beta1 = (real)o->beta1,
        .gain1 = (real)(1 - o->beta1),
        .beta2 = (real)o->beta2,
        .gain2 = (real)(1 - o->beta2),
        .root = (real)sqrt(1 - pow(o->beta2, step)),
        .eps = (real)o->eps,
        .rate = (real)(m->lr / (1 - pow(o->beta1, step))),
    };
}

static void update(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state)
{
    k->adam(n, p, g, state[0], state[1], state[2], &plan->adam);
}

const at_optimiser at_optimiser_adamw = {
    .name = "adamw",
    .formula = "p *= 1 - lr weight_decay;  then as adam",
    .source = "Loshchilov and Hutter 2019",
    .settings = "lr beta1 beta2 eps weight_decay no_decay amsgrad",
    .defaults = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 1e-2},
    .state = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
    .keeps = keeps,
    .plan = plan,
    .update = update,
};
