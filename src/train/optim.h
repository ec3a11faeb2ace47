/* Optimisers, as PyTorch defines them; one small file each, listed in optimisers.def.
 *
 *     at_optim_options o;
 *     at_optim_options_parse(&o, "adamw:lr=3e-4,weight_decay=0.1,no_decay=norms+biases", &err);
 *     at_optim *optim;
 *     at_optim_new(params, &o, &optim, &err);
 *     each step:
 *         at_optim_set_lr(optim, at_rate_at(&rate, step));      (schedule.h)
 *         at_optim_step(optim, gradients, &err);                (gradients.h)
 *
 * State (moments, buffers) belongs to the optimiser and is made for a parameter when its first
 * gradient comes; it is numbered for a checkpoint at the end of this header. Everything that
 * depends on the step alone is computed in double. A step gives the same bits for any number of
 * threads. */
#ifndef ATTEND_TRAIN_OPTIM_H
#define ATTEND_TRAIN_OPTIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "grad/params.h"
#include "tensor/optim_kernel.h"
#include "train/gradients.h"

typedef struct at_optimiser at_optimiser;

/* ---- options ---------------------------------------------------------------------------- */

/* Parameters without weight decay, by their names: biases have "bias" in theirs, parameters of
 * normalisation layers "norm", "Norm" or "ln_". */
typedef enum {
    ATTEND_NO_DECAY_NONE,
    ATTEND_NO_DECAY_NORMS,
    ATTEND_NO_DECAY_BIASES,
    ATTEND_NO_DECAY_BOTH, /* the bits of the two */
} at_no_decay;

typedef struct {
    const at_optimiser *optimiser;
    double lr, weight_decay, eps;
    double beta1, beta2;              /* adam, adamw, bert_adamw */
    double momentum, dampening;       /* sgd, rmsprop; sgd */
    double alpha, rho;                /* rmsprop; adadelta */
    double lr_decay;                  /* adagrad */
    double initial_accumulator_value; /* adagrad */
    bool nesterov;                    /* sgd */
    bool amsgrad;                     /* adam, adamw */
    bool centered;                    /* rmsprop */
    bool correct_bias;                /* bert_adamw */
    int no_decay;                     /* at_no_decay */
} at_optim_options;

/* the defaults of the optimiser of that name, which are PyTorch's */
attend_status at_optim_options_init(at_optim_options *o, const char *name, attend_error *err);

/* One option by its name above; switches are 0 or 1. An option that this optimiser does not have
 * is an error that lists those it has. */
attend_status at_optim_option_set(at_optim_options *o, const char *name, double value,
                                  attend_error *err);

/* all of them, for the command line's help; which an optimiser has says its `settings` */
extern const at_option at_optim_option_table[];

/* "adam", "sgd:lr=0.1,momentum=0.9,nesterov" */
attend_status at_optim_options_parse(at_optim_options *o, const char *text, attend_error *err);

/* ---- the optimiser ---------------------------------------------------------------------- */

typedef struct at_optim at_optim;

/* Fails on options that contradict each other, and without memory. */
attend_status at_optim_new(at_params *params, const at_optim_options *options, at_optim **out,
                           attend_error *err);
void at_optim_free(at_optim *o);

/* What one parameter gets instead of the common options. A rule changes what it finds there; it
 * is asked once for each parameter, before its first update. */
typedef struct {
    double lr_factor;    /* 1 */
    double weight_decay; /* the options'; 0 where no_decay exempts the parameter */
    bool frozen;         /* never updated; false. at_parameter.frozen counts at every step, too */
} at_optim_group;

typedef void at_optim_rule(void *user, const at_parameter *p, at_optim_group *group);
void at_optim_set_rule(at_optim *o, at_optim_rule *rule, void *user); /* before the first step */

double at_optim_lr(const at_optim *o);
void at_optim_set_lr(at_optim *o, double lr);
const at_optim_options *at_optim_options_of(const at_optim *o);

/* Updates every parameter that has a gradient in g and is not frozen. Without memory it fails
 * before anything has changed. */
attend_status at_optim_step(at_optim *o, const at_gradients *g, attend_error *err);

/* ---- what a checkpoint saves ------------------------------------------------------------- */

/* One piece of state: numbers in the shape of the parameter ("exp_avg"), or the count of steps
 * that the parameter has made ("step"). In a file it is called PARAMETER.NAME. */
typedef struct {
    const at_parameter *parameter;
    const char *name;
    real *value;    /* parameter->len numbers, or NULL */
    int64_t *steps; /* one count, never negative; or NULL */
} at_optim_state;

/* the i-th piece there is; false beyond the last */
bool at_optim_state_at(at_optim *o, int i, at_optim_state *out);

/* The piece called "encoder.weight.exp_avg", made where it does not exist yet, for the caller to
 * fill. Fails on names that these parameters and options do not have, and without memory. */
attend_status at_optim_state_find(at_optim *o, const char *name, at_optim_state *out,
                                  attend_error *err);

int64_t at_optim_steps(const at_optim *o); /* calls of at_optim_step so far */
void at_optim_set_steps(at_optim *o, int64_t steps);

/* ---- for writers of optimisers ----------------------------------------------------------- */

enum { ATTEND_OPTIM_STATES = 3 };

/* the moment of an update, for one parameter */
typedef struct {
    double lr, weight_decay;
    double scale; /* of the gradient, which arrives without it */
    int64_t step; /* 1 for the first update of this parameter */
} at_optim_moment;

/* what the kernels need of it */
typedef union {
    at_sgd_step sgd;
    at_adam_step adam;
    at_adadelta_step adadelta;
    at_adagrad_step adagrad;
    at_rmsprop_step rmsprop;
} at_optim_plan;

struct at_optimiser {
    const char *name, *formula, *source;
    const char *settings; /* the options it has, separated by blanks */
    at_optim_options defaults;
    const char *state[ATTEND_OPTIM_STATES]; /* names, as in PyTorch's state_dict */

    /* is this state kept under these options? NULL: every one that has a name */
    bool (*keeps)(const at_optim_options *o, int state);
    /* what state starts with; NULL: 0 */
    double (*initial)(const at_optim_options *o);
    /* do the options go together? NULL: always */
    attend_status (*check)(const at_optim_options *o, attend_error *err);

    void (*plan)(const at_optim_options *o, const at_optim_moment *m, at_optim_plan *plan);
    /* n elements; state[i] is NULL where it is not kept */
    void (*update)(const at_optim_kernel *k, const at_optim_plan *plan, size_t n, real *p,
                   const real *g, real *const *state);
};

extern const at_optimiser *const at_optimisers[];
extern const int at_optimisers_count;

#endif
