#include "train/schedule.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "train/settings.h"

/* ---- the schedules ---------------------------------------------------------------------- */

static bool warming(const at_rate *r, double step) { return step < r->warmup; }
static double warm(const at_rate *r, double step) { return r->lr * (step / r->warmup); }

/* how much of the way from warm-up to the end lies behind: 0, ... 1 at `total`, and on */
static double progress(const at_rate *r, double step)
{
    double length = (double)r->total - r->warmup;
    return (step - r->warmup) / (length > 1 ? length : 1);
}

static double constant_at(const at_rate *r, double step)
{
    return warming(r, step) ? warm(r, step) : r->lr;
}

const at_schedule at_schedule_constant = {
    .name = "constant",
    .formula = "lr, after a linear warm-up",
    .source = "transformers, get_constant_schedule_with_warmup",
    .settings = "warmup",
    .needs = "",
    .at = constant_at,
};

static double linear_at(const at_rate *r, double step)
{
    if (warming(r, step))
        return warm(r, step);
    double length = (double)r->total - r->warmup;
    double left = (r->total - step) / (length > 1 ? length : 1);
    return r->end + (r->lr - r->end) * (left > 0 ? left : 0);
}

const at_schedule at_schedule_linear = {
    .name = "linear",
    .formula = "down a straight line from lr to end",
    .source = "Devlin et al. 2019; transformers, get_linear_schedule_with_warmup",
    .settings = "warmup total end",
    .needs = "total",
    .at = linear_at,
};

/* Half a wave with cycles = 0.5; beyond `total` the wave goes on, as in transformers. */
static double cosine_at(const at_rate *r, double step)
{
    if (warming(r, step))
        return warm(r, step);
    double wave = 0.5 * (1 + cos(acos(-1) * r->cycles * 2 * progress(r, step)));
    return r->end + (r->lr - r->end) * (wave > 0 ? wave : 0);
}

const at_schedule at_schedule_cosine = {
    .name = "cosine",
    .formula = "end + (lr - end) (1 + cos(2 pi cycles progress)) / 2",
    .source = "Loshchilov and Hutter 2017; transformers, get_cosine_schedule_with_warmup",
    .settings = "warmup total end cycles",
    .needs = "total",
    .defaults = {.cycles = 0.5},
    .at = cosine_at,
};

static double polynomial_at(const at_rate *r, double step)
{
    if (warming(r, step))
        return warm(r, step);
    double left = 1 - progress(r, step);
    return left > 0 ? r->end + (r->lr - r->end) * pow(left, r->power) : r->end;
}

const at_schedule at_schedule_polynomial = {
    .name = "polynomial",
    .formula = "end + (lr - end) (1 - progress)^power",
    .source = "transformers, get_polynomial_decay_schedule_with_warmup",
    .settings = "warmup total end power",
    .needs = "total",
    .defaults = {.end = 1e-7, .power = 1},
    .at = polynomial_at,
};

static double exponential_at(const at_rate *r, double step) { return r->lr * pow(r->gamma, step); }

const at_schedule at_schedule_exponential = {
    .name = "exponential",
    .formula = "lr gamma^step",
    .source = "torch, ExponentialLR",
    .settings = "gamma",
    .needs = "gamma",
    .at = exponential_at,
};

static double step_at(const at_rate *r, double step)
{
    double size = r->size, start = r->start > 0 ? r->start : size;
    double times = floor((step - start + size) / size);
    return r->lr * pow(r->gamma, times > 0 ? times : 0);
}

const at_schedule at_schedule_step = {
    .name = "step",
    .formula = "lr gamma^floor(step / size); from `start` on",
    .source = "torch, StepLR; Luong et al. 2015",
    .settings = "size gamma start",
    .needs = "size gamma",
    .defaults = {.gamma = 0.1},
    .at = step_at,
};

static double noam_at(const at_rate *r, double step)
{
    double n = step + 1, rise = n * pow(r->warmup, -1.5), fall = 1 / sqrt(n);
    return r->factor / sqrt(r->width) * (rise < fall ? rise : fall);
}

const at_schedule at_schedule_noam = {
    .name = "noam",
    .formula = "factor width^-0.5 min(n^-0.5, n warmup^-1.5), n = step + 1; lr does not count",
    .source = "Vaswani et al. 2017, 5.3",
    .settings = "width warmup factor",
    .needs = "width warmup factor",
    .defaults = {.width = 512, .warmup = 4000, .factor = 1},
    .at = noam_at,
};

static double inverse_sqrt_at(const at_rate *r, double step)
{
    double scale = r->timescale ? r->timescale : r->warmup ? r->warmup : 1e4;
    if (warming(r, step))
        return warm(r, step);
    return r->lr / sqrt((step + scale - r->warmup) / scale);
}

const at_schedule at_schedule_inverse_sqrt = {
    .name = "inverse_sqrt",
    .formula = "lr sqrt(warmup / step) after a linear warm-up",
    .source = "transformers, get_inverse_sqrt_schedule; fairseq",
    .settings = "warmup timescale",
    .needs = "",
    .at = inverse_sqrt_at,
};

static double plateau_at(const at_rate *r, double step)
{
    (void)step;
    return r->plateau.lr;
}

const at_schedule at_schedule_plateau = {
    .name = "plateau",
    .formula = "lr, times factor after more than `patience` validations without progress",
    .source = "torch, ReduceLROnPlateau",
    .settings = "factor patience threshold threshold_mode mode cooldown min_lr eps",
    .needs = "factor",
    .defaults = {.factor = 0.1, .patience = 10, .threshold = 1e-4, .eps = 1e-8},
    .at = plateau_at,
};

const at_schedule *const at_schedules[] = {
#define SCHEDULE(name) &at_schedule_##name,
#include "train/schedules.def"
#undef SCHEDULE
};
const int at_schedules_count = (int)(sizeof at_schedules / sizeof *at_schedules);

/* ---- settings --------------------------------------------------------------------------- */

#define COUNT(f) OPTION_INT(at_rate, f)
#define NUMBER(f) OPTION_REAL(at_rate, f)
#define FROM(low) .min = low, .max = INFINITY

const at_option at_rate_option_table[] = {
    {.name = "warmup",
     NUMBER(warmup),
     FROM(0),
     .help = "Steps of linear rise; below 1, a fraction of the run"},
    {.name = "total", COUNT(total), FROM(1), .help = "Steps until the end"},
    {.name = "end", NUMBER(end), FROM(0), .help = "Learning rate at the end"},
    {.name = "power", NUMBER(power), FROM(0), .help = "Power of what is left of the way"},
    {.name = "cycles", NUMBER(cycles), FROM(0), .help = "Waves until the end"},
    {.name = "gamma", NUMBER(gamma), FROM(0), .help = "Factor of each decay"},
    {.name = "size", COUNT(size), FROM(1), .help = "Steps between decays"},
    {.name = "start", COUNT(start), FROM(0), .help = "Step of the first decay"},
    {.name = "width", COUNT(width), FROM(1), .help = "Width of the model"},
    {.name = "timescale", COUNT(timescale), FROM(0), .help = "Steps that make the rate's unit"},
    {.name = "factor", NUMBER(factor), FROM(0), .help = "Factor of the learning rate"},
    {.name = "mode",
     OPTION_CHOICE(at_rate, mode),
     .choices = "min|max",
     .help = "Which validation results are better"},
    {.name = "threshold-mode",
     OPTION_CHOICE(at_rate, threshold_mode),
     .choices = "rel|abs",
     .help = "Threshold as a part of the best result, or as it is"},
    {.name = "patience", COUNT(patience), FROM(0), .help = "Validations without progress"},
    {.name = "cooldown", COUNT(cooldown), FROM(0), .help = "Validations to wait after a cut"},
    {.name = "threshold", NUMBER(threshold), FROM(0), .help = "Smallest progress that counts"},
    {.name = "min-lr", NUMBER(min_lr), FROM(0), .help = "Smallest learning rate"},
    {.name = "eps", NUMBER(eps), FROM(0), .help = "Smallest cut"},
    {0}};

static at_settings settings_of(at_rate *r)
{
    return (at_settings){r->schedule->name, r->schedule->settings, at_rate_option_table, r};
}

static attend_status init(at_rate *r, const char *name, size_t length, double lr, attend_error *err)
{
    at_str names = {0};
    for (int i = 0; i < at_schedules_count; i++) {
        const at_schedule *kind = at_schedules[i];
        if (at_word_place(kind->name, name, length) == 0) {
            *r = kind->defaults;
            r->schedule = kind;
            r->lr = r->plateau.lr = lr;
            at_str_free(&names);
            return ATTEND_OK;
        }
        at_str_print(&names, " %s", kind->name);
    }
    at_error(err, ATTEND_OPTION, "no schedule is called '%.*s'; there are:%s",
             length > 40 ? 40 : (int)length, name, at_str_text(&names));
    at_str_free(&names);
    return ATTEND_OPTION;
}

/* the worst of all results, until there is one */
static void forget(at_rate *r)
{
    r->plateau.best = r->mode == ATTEND_PLATEAU_MIN ? INFINITY : -INFINITY;
}

attend_status at_rate_init(at_rate *r, const char *name, double lr, attend_error *err)
{
    attend_status status = init(r, name, strlen(name), lr, err);
    if (status == ATTEND_OK)
        forget(r);
    return status;
}

attend_status at_rate_set(at_rate *r, const char *name, double value, attend_error *err)
{
    at_settings s = settings_of(r);
    attend_status status = at_setting_set(&s, name, value, err);
    if (status == ATTEND_OK)
        forget(r);
    return status;
}

attend_status at_rate_parse(at_rate *r, const char *text, double lr, attend_error *err)
{
    size_t length = strcspn(text, ":");
    attend_status status = init(r, text, length, lr, err);
    if (status == ATTEND_OK && text[length]) {
        at_settings s = settings_of(r);
        status = at_settings_parse(&s, text + length + 1, err);
    }
    if (status == ATTEND_OK)
        forget(r);
    return status;
}

/* a count or number that is still 0 */
static bool missing(const at_rate *r, const at_option *o)
{
    const char *field = (const char *)r + o->offset;
    return o->type == ATTEND_OPTION_INT ? *(const int *)field == 0 : *(const double *)field == 0;
}

attend_status at_rate_check(const at_rate *r, attend_error *err)
{
    const at_schedule *kind = r->schedule;
    for (const at_option *o = at_rate_option_table; o->name; o++)
        if (at_word_place(kind->needs, o->name, strlen(o->name)) >= 0 && missing(r, o))
            return at_error(err, ATTEND_OPTION,
                            "schedule %s needs %s above 0 (%s); write \"%s:%s=...\"", kind->name,
                            o->name, o->help, kind->name, o->name);
    if (r->warmup > 1 && r->warmup != floor(r->warmup))
        return at_error(err, ATTEND_OPTION,
                        "schedule %s: warmup=%g is not a whole number of steps; below 1 it is a "
                        "fraction of the run",
                        kind->name, r->warmup);
    if (r->total && r->warmup > r->total)
        return at_error(err, ATTEND_OPTION,
                        "schedule %s: warmup=%g is longer than total=%d; make it shorter",
                        kind->name, r->warmup, r->total);
    if (r->end > r->lr && r->end != kind->defaults.end)
        return at_error(err, ATTEND_OPTION,
                        "schedule %s: end=%g is above the learning rate %g it falls from",
                        kind->name, r->end, r->lr);
    if (kind == &at_schedule_plateau && r->factor >= 1)
        return at_error(err, ATTEND_OPTION, "schedule plateau: factor=%g must be below 1",
                        r->factor);
    return ATTEND_OK;
}

void at_rate_end(at_rate *r, int64_t steps)
{
    if (r->warmup < 1)
        r->warmup = ceil(r->warmup * (double)steps);
    if (r->total == 0 && at_word_place(r->schedule->settings, "total", strlen("total")) >= 0)
        r->total = steps < INT_MAX ? (int)steps : INT_MAX;
}

double at_rate_at(const at_rate *r, int64_t step) { return r->schedule->at(r, (double)step); }

/* ---- plateau ---------------------------------------------------------------------------- */

static bool better(const at_rate *r, double metric)
{
    double best = r->plateau.best, margin = r->threshold;
    if (r->threshold_mode == ATTEND_PLATEAU_RELATIVE)
        return r->mode == ATTEND_PLATEAU_MIN ? metric < best * (1 - margin)
                                             : metric > best * (1 + margin);
    return r->mode == ATTEND_PLATEAU_MIN ? metric < best - margin : metric > best + margin;
}

static bool cut(at_rate *r)
{
    double lr = fmax(r->plateau.lr * r->factor, r->min_lr);
    if (!(r->plateau.lr - lr > r->eps))
        return false;
    r->plateau.lr = lr;
    return true;
}

bool at_rate_report(at_rate *r, double metric)
{
    at_plateau *p = &r->plateau;
    bool smaller = false;
    if (r->schedule != &at_schedule_plateau)
        return false;
    if (better(r, metric)) {
        p->best = metric;
        p->bad = 0;
    } else {
        p->bad++;
    }
    if (p->cooling > 0) {
        p->cooling--;
        p->bad = 0;
    }
    if (p->bad > r->patience) {
        smaller = cut(r);
        p->cooling = r->cooldown;
        p->bad = 0;
    }
    return smaller;
}
