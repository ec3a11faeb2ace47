/* Adam (Kingma and Ba 2015), with weight decay as an L2 penalty in the gradient, and AMSGrad
 * (Reddi et al. 2018). Note where eps stands: beside the corrected root, sqrt(v / c2) + eps. */
#include "train/optim.h"

static bool keeps(const at_optim_options *o, int state) { return state < 2 || o->amsgrad; }

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    double step = (double)m->step;
    plan->adam = (at_adam_step){
        .scale = (real)m->scale,
        .shrink = 1,
        .weight_decay = (real)m->weight_decay,
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

const at_optimiser at_optimiser_adam = {
    .name = "adam",
    .formula = "m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;  "
               "p -= lr m' / (sqrt(v') + eps), ' corrected for the start at zero",
    .source = "Kingma and Ba 2015; AMSGrad: Reddi et al. 2018",
    .settings = "lr beta1 beta2 eps weight_decay no_decay amsgrad",
    .defaults = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8},
    .state = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
    .keeps = keeps,
    .plan = plan,
    .update = update,
};
