/* Stochastic gradient descent with momentum (Polyak 1964) in PyTorch's form: the buffer starts as
 * the first gradient, undampened, and the learning rate multiplies the buffer, so that it can
 * change between steps. Nesterov's form after Sutskever et al. 2013. */
#include "train/optim.h"

static bool keeps(const at_optim_options *o, int state)
{
    (void)state;
    return o->momentum != 0;
}

static attend_status check(const at_optim_options *o, attend_error *err)
{
    if (o->nesterov && (o->momentum <= 0 || o->dampening != 0))
        return at_error(err, ATTEND_OPTION,
                        "sgd: nesterov needs momentum above 0 and dampening 0; they are %g and %g",
                        o->momentum, o->dampening);
    return ATTEND_OK;
}

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    plan->sgd = (at_sgd_step){
        .scale = (real)m->scale,
        .lr = (real)m->lr,
        .weight_decay = (real)m->weight_decay,
        .momentum = (real)o->momentum,
        .gain = (real)(1 - o->dampening),
        .first = m->step == 1,
        .nesterov = o->nesterov,
    };
}

static void update(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state)
{
    k->sgd(n, p, g, state[0], &plan->sgd);
}

const at_optimiser at_optimiser_sgd = {
    .name = "sgd",
    .formula = "b = momentum b + (1 - dampening) g;  p -= lr b",
    .source = "Robbins and Monro 1951; Polyak 1964; Sutskever et al. 2013",
    .settings = "lr momentum dampening weight_decay no_decay nesterov",
    .defaults = {.lr = 1e-3}, /* PyTorch 1 has no default here; this is PyTorch 2's */
    .state = {"momentum_buffer"},
    .keeps = keeps,
    .check = check,
    .plan = plan,
    .update = update,
};
