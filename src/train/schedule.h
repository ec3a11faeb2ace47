/* Learning-rate schedules: lr = f(step), listed in schedules.def; f as in Hugging Face's
 * transformers, torch.optim.lr_scheduler, and the papers.
 *
 *     at_rate rate;
 *     at_rate_parse(&rate, "linear:warmup=400,total=10000", 1e-3, &err);
 *     at_rate_end(&rate, steps_of_this_training);
 *     at_rate_check(&rate, &err);
 *     each step:        at_optim_set_lr(optim, at_rate_at(&rate, step));
 *     each validation:  at_rate_report(&rate, loss);         only "plateau" listens
 *
 * Steps count from 0: at_rate_at(&rate, 0) is the rate of the first update. at_rate is a plain
 * structure; it owns nothing. */
#ifndef ATTEND_TRAIN_SCHEDULE_H
#define ATTEND_TRAIN_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"

typedef struct at_schedule at_schedule;

typedef enum { ATTEND_PLATEAU_MIN, ATTEND_PLATEAU_MAX } at_plateau_mode;
typedef enum { ATTEND_PLATEAU_RELATIVE, ATTEND_PLATEAU_ABSOLUTE } at_plateau_threshold;

/* what "plateau" remembers between validations; a checkpoint saves it */
typedef struct {
    double lr;        /* now */
    double best;      /* starts as +-infinity: nothing seen yet */
    int bad, cooling; /* validations without progress; validations left to wait */
} at_plateau;

typedef struct {
    const at_schedule *schedule;
    double lr; /* what the schedule starts from or rises to */

    double warmup;            /* steps of linear rise; below 1: a fraction of all steps */
    int total;                /* steps until the end is reached; 0: not known yet */
    double end;               /* lr after that */
    double power, cycles;     /* polynomial; cosine */
    double gamma;             /* step, exponential */
    int size, start;          /* step: every `size` steps from `start` on (0: from `size` on) */
    int width;                /* noam: of the model */
    int timescale;            /* inverse_sqrt; 0: warmup, or 10000 without one */
    double factor;            /* noam, plateau */
    int mode, threshold_mode; /* plateau: at_plateau_mode, at_plateau_threshold */
    int patience, cooldown;
    double threshold, min_lr, eps;
    at_plateau plateau;
} at_rate;

/* the defaults of the schedule of that name */
attend_status at_rate_init(at_rate *r, const char *name, double lr, attend_error *err);

/* One setting by its name above; a mode is the number of its word. A setting that this schedule
 * does not have is an error that lists those it has. */
attend_status at_rate_set(at_rate *r, const char *name, double value, attend_error *err);

/* all of them, for the command line's help; which a schedule has says its `settings` */
extern const at_option at_rate_option_table[];

/* "constant", "noam:width=512,warmup=4000", "plateau:factor=0.5,patience=2,mode=max" */
attend_status at_rate_parse(at_rate *r, const char *text, double lr, attend_error *err);

/* The number of steps of the run: what a warm-up below 1 is a fraction of, and the end of a
 * schedule whose end is not set. */
void at_rate_end(at_rate *r, int64_t steps);

/* Is everything there that the schedule needs, and does it go together? */
attend_status at_rate_check(const at_rate *r, attend_error *err);

double at_rate_at(const at_rate *r, int64_t step); /* of a rate that at_rate_check accepts */

/* A validation result; true when it made the rate smaller. */
bool at_rate_report(at_rate *r, double metric);

/* ---- the list --------------------------------------------------------------------------- */

struct at_schedule {
    const char *name, *formula, *source;
    const char *settings; /* those it has, separated by blanks */
    const char *needs;    /* those that must not stay 0, separated by blanks */
    at_rate defaults;
    double (*at)(const at_rate *r, double step);
};

extern const at_schedule *const at_schedules[];
extern const int at_schedules_count;

#endif
