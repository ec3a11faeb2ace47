/* BERT's AdamW (Devlin et al. 2019), as Hugging Face's transformers has it: eps stands beside the
 * uncorrected root, the weights shrink after the step, and correct_bias = 0 leaves the moments
 * uncorrected, as BERT was trained. */
#include "train/optim.h"

static void plan(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan)
{
    double step = (double)m->step, rate = m->lr;
    if (o->correct_bias)
        rate *= sqrt(1 - pow(o->beta2, step)) / (1 - pow(o->beta1, step));
    plan->adam = (at_adam_step){
        .scale = (real)m->scale,
        .shrink = 1,
        .beta1 = (real)o->beta1,
        .gain1 = (real)(1 - o->beta1),
        .beta2 = (real)o->beta2,
        .gain2 = (real)(1 - o->beta2),
        .root = 1,
        .eps = (real)o->eps,
        .rate = (real)rate,
        .late = (real)(-m->lr * m->weight_decay),
    };
}

static void update(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state)
{
    k->adam(n, p, g, state[0], state[1], NULL, &plan->adam);
}

const at_optimiser at_optimiser_bert_adamw = {
    .name = "bert_adamw",
    .formula = "m, v as adam;  p -= lr m / (sqrt(v) + eps);  p *= 1 - lr weight_decay",
    .source = "Devlin et al. 2019; Hugging Face transformers, AdamW",
    .settings = "lr beta1 beta2 eps weight_decay no_decay correct_bias",
    .defaults = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6, .correct_bias = true},
    .state = {"exp_avg", "exp_avg_sq"},
    .plan = plan,
    .update = update,
};
