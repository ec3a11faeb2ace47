/* Optimisers, clipping and learning rates.
 *
 * An optimiser is given init.<p> and, for each step, grad.<p>[step]; the parameters after each
 * step are trajectory.<p>. Which optimiser it is says expected.json: class, with settings named as
 * in PyTorch. A schedule's name holds its settings: linear_warmup10_total50. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "oracle.h"
#include "train/clip.h"
#include "train/optim.h"
#include "train/schedule.h"

/* ---- parameters and gradients ----------------------------------------------------------- */

typedef struct {
    int count;
    const at_parameter **parameter;
    const real **gradient; /* of all steps, [steps, ..] */
    const real **now;      /* of one step, by index of the parameter */
    real **trajectory;
    int steps;
} at_course;

/* the rest of a name that starts with prefix, or NULL */
static const char *name_after(const char *prefix, const char *name)
{
    size_t n = strlen(prefix);

    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

static at_parameter *add_parameter(at_case *c, const char *name, at_shape shape)
{
    at_parameter *p = NULL;
    attend_error err;

    if (at_params_add(c->params, name, shape, INIT_ZERO, &p, &err) < 0)
        at_case_fail(c, "%s", err.message);
    return p;
}

/* grad.<p> is [steps, ..] with the shape of <p> behind it */
static bool read_gradient(at_case *c, at_course *course, int i)
{
    const at_parameter *p = course->parameter[i];
    char name[ATTEND_CASE_NAME];
    at_shape shape, want = {p->shape.rank + 1, {0}};

    snprintf(name, sizeof name, "grad.%s", p->name);
    course->gradient[i] = at_case_reals(c, c->inputs, name, &shape);
    if (!course->gradient[i] || shape.rank == 0 || want.rank > ATTEND_MAX_RANK) {
        at_case_fail(c, "inputs.safetensors has no proper %s", name);
        return false;
    }
    course->steps = i == 0 ? shape.dim[0] : course->steps;
    want.dim[0] = course->steps;
    memcpy(want.dim + 1, p->shape.dim, (size_t)p->shape.rank * sizeof *want.dim);
    if (!at_shape_equal(shape, want)) {
        at_case_fail(c, "%s has the shape %s, not %s", name, at_shape_print(shape).text,
                     at_shape_print(want).text);
        return false;
    }
    course->trajectory[i] = at_arena_alloc(&c->memory,
                                           (size_t)course->steps * p->len * sizeof(real) + 1);
    if (!course->trajectory[i])
        at_case_fail(c, "out of memory");
    return course->trajectory[i] != NULL;
}

static bool make_course(at_case *c, at_course *course)
{
    size_t n = c->inputs ? (size_t)at_safetensors_count(c->inputs) : 0;

    *course = (at_course){
        .parameter = at_arena_alloc(&c->memory, n * sizeof *course->parameter + 1),
        .gradient = at_arena_alloc(&c->memory, n * sizeof *course->gradient + 1),
        .now = at_arena_alloc(&c->memory, n * sizeof *course->now + 1),
        .trajectory = at_arena_alloc(&c->memory, n * sizeof *course->trajectory + 1),
    };
    if (!course->parameter || !course->gradient || !course->now || !course->trajectory)
        at_case_fail(c, "out of memory");
    return c->verdict == ATTEND_CASE_OK;
}

static bool read_course(at_case *c, at_course *course)
{
    if (!make_course(c, course))
        return false;
    for (int i = 0; c->inputs && i < at_safetensors_count(c->inputs); i++) {
        const char *full = at_safetensors_at(c->inputs, i)->name, *name = name_after("init.", full);
        at_shape shape;
        const real *init = name ? at_case_reals(c, c->inputs, full, &shape) : NULL;
        at_parameter *p = init ? add_parameter(c, name, shape) : NULL;
        if (!p)
            continue;
        memcpy(p->value, init, p->len * sizeof *init);
        course->parameter[course->count] = p;
        if (!read_gradient(c, course, course->count++))
            return false;
    }
    return c->verdict == ATTEND_CASE_OK;
}

/* ---- optimisers ------------------------------------------------------------------------- */

/* "torch.optim.rmsprop.RMSprop" is rmsprop; the AdamW of transformers is BERT's */
static void optimiser_name(const char *class, char name[64])
{
    const char *last = strrchr(class, '.') ? strrchr(class, '.') + 1 : class;

    snprintf(name, 64, "%s%s", strncmp(class, "transformers.", 13) == 0 ? "bert_" : "", last);
    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
}

static attend_status set_option(at_optim_options *o, const char *name, const json_t *value,
                                attend_error *err)
{
    static const char *const betas[] = {"beta1", "beta2"};
    attend_status status = ATTEND_OK;

    if (strcmp(name, "betas") == 0 && json_array_size(value) == 2) {
        for (size_t i = 0; i < 2 && status >= 0; i++)
            status = set_option(o, betas[i], json_array_get(value, i), err);
        return status;
    }
    if (json_is_null(value)) /* PyTorch chooses */
        return ATTEND_OK;
    if (!json_is_number(value) && !json_is_boolean(value))
        return at_error(err, ATTEND_OPTION, "the setting %s is neither number nor switch", name);
    return at_optim_option_set(
        o, name, json_is_boolean(value) ? json_is_true(value) : json_number_value(value), err);
}

/* settings that change how PyTorch computes, not what */
static bool is_manner(const char *name)
{
    static const char *const manners[] = {
        "foreach", "fused", "capturable", "differentiable", "no_deprecation_warning", "maximize"};

    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        if (strcmp(name, manners[i]) == 0)
            return true;
    }
    return false;
}

static attend_status read_options(at_case *c, at_optim_options *o, attend_error *err)
{
    char optimiser[64];
    const char *name;
    json_t *value;

    optimiser_name(at_case_text(c, "class"), optimiser);
    if (at_optim_options_init(o, optimiser, err) < 0) {
        at_case_unknown(c, "no optimiser for %s", at_case_text(c, "class"));
        return err->status;
    }
    json_object_foreach(at_case_json(c, "settings"), name, value)
    {
        if (!is_manner(name) && set_option(o, name, value, err) < 0) {
            at_case_fail(c, "%s", err->message);
            return err->status;
        }
    }
    return ATTEND_OK;
}

static attend_status run_step(at_course *course, int step, at_optim *optim, at_gradients *g,
                              double sign, attend_error *err)
{
    attend_status status;

    for (int i = 0; i < course->count; i++)
        course->now[course->parameter[i]->index] = course->gradient[i]
                                                   + (size_t)step * course->parameter[i]->len;
    status = at_gradients_add_arrays(g, course->now, sign, err);
    if (status >= 0)
        status = at_optim_step(optim, g, err);
    at_gradients_clear(g);
    for (int i = 0; i < course->count && status >= 0; i++)
        memcpy(course->trajectory[i] + (size_t)step * course->parameter[i]->len,
               course->parameter[i]->value, course->parameter[i]->len * sizeof(real));
    return status;
}

static void compare_course(at_case *c, const at_course *course)
{
    for (int i = 0; i < course->count; i++) {
        const at_parameter *p = course->parameter[i];
        at_shape shape = {p->shape.rank + 1, {course->steps}};
        char name[ATTEND_CASE_NAME];
        memcpy(shape.dim + 1, p->shape.dim, (size_t)p->shape.rank * sizeof *shape.dim);
        snprintf(name, sizeof name, "trajectory.%s", p->name);
        at_case_compare(c, name, shape, course->trajectory[i], at_tolerance_optimiser);
    }
}

static void check_optimiser(at_case *c)
{
    double sign = json_is_true(at_case_json(c, "settings.maximize")) ? -1 : 1;
    at_optim_options options;
    at_gradients *g = NULL;
    at_optim *optim = NULL;
    at_course course;
    attend_error err;
    attend_status status;

    if (!read_course(c, &course) || read_options(c, &options, &err) < 0)
        return;
    status = at_optim_new(c->params, &options, &optim, &err);
    if (status >= 0 && !(g = at_gradients_new(c->params)))
        status = at_error_memory(&err);
    for (int step = 0; step < course.steps && status >= 0; step++)
        status = run_step(&course, step, optim, g, sign, &err);
    if (status >= 0)
        compare_course(c, &course);
    else
        at_case_fail(c, "%s", err.message);
    at_gradients_free(g);
    at_optim_free(optim);
}

/* ---- clipping --------------------------------------------------------------------------- */

static double norm_type(const at_case *c)
{
    return strcmp(at_case_text(c, "norm_type"), "inf") == 0 ? INFINITY
                                                            : at_case_number(c, "norm_type", 2);
}

/* every grad.<p> is a parameter's, and the order of the parameters that of the file */
static bool read_gradients(at_case *c, at_course *course)
{
    if (!make_course(c, course))
        return false;
    for (int i = 0; c->inputs && i < at_safetensors_count(c->inputs); i++) {
        const char *full = at_safetensors_at(c->inputs, i)->name, *name = name_after("grad.", full);
        at_shape shape;
        const real *gradient = name ? at_case_reals(c, c->inputs, full, &shape) : NULL;
        at_parameter *p = gradient ? add_parameter(c, name, shape) : NULL;
        if (!p)
            continue;
        course->parameter[course->count] = p;
        course->gradient[course->count++] = gradient;
    }
    return c->verdict == ATTEND_CASE_OK;
}

static void compare_clipped(at_case *c, const at_course *course, const at_gradients *g)
{
    for (int i = 0; i < course->count; i++) {
        const at_parameter *p = course->parameter[i];
        real *clipped = p->value; /* nobody needs the value */
        char name[ATTEND_CASE_NAME];
        snprintf(name, sizeof name, "clipped.%s", p->name);
        if (at_gradients_read(g, p->index, clipped))
            at_case_compare(c, name, p->shape, clipped, at_tolerance_optimiser);
    }
}

static void check_clip(at_case *c)
{
    at_course course;
    at_gradients *g = NULL;
    attend_error err;
    attend_status status = ATTEND_OK;
    double norm;

    if (!read_gradients(c, &course))
        return;
    g = at_gradients_new(c->params);
    if (!g)
        status = at_error_memory(&err);
    if (status >= 0)
        status = at_gradients_add_arrays(g, course.gradient, 1, &err);
    if (status >= 0)
        status = at_clip_norm(g, at_case_number(c, "max_norm", 0), norm_type(c), &norm, &err);
    if (status >= 0) {
        at_case_compare_scalar(c, "total_norm", norm, at_tolerance_norm);
        compare_clipped(c, &course, g);
    } else {
        at_case_fail(c, "%s", err.message);
    }
    at_gradients_free(g);
}

/* ---- schedules -------------------------------------------------------------------------- */

/* one piece of a schedule's name: "warmup10", "end1e-7", "0.95" */
static attend_status set_piece(at_rate *rate, const char *piece, size_t length, attend_error *err)
{
    static const char *const ours[][2] = {{"", "gamma"}, {"d", "width"}, {"warm", "warmup"}};
    size_t letters = 0;
    char name[32];
    double value;

    while (letters < length && isalpha((unsigned char)piece[letters]))
        letters++;
    if (letters >= sizeof name || !at_number_real(piece + letters, length - letters, &value))
        return at_error(err, ATTEND_OPTION, "%.*s is not a setting", (int)length, piece);
    snprintf(name, sizeof name, "%.*s", (int)letters, piece);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strcmp(name, ours[i][0]) == 0)
            return at_rate_set(rate, ours[i][1], value, err);
    }
    return at_rate_set(rate, name, value, err);
}

/* "noam_d512_warm10_factor1 (step from 1)": remarks after a blank do not count */
static attend_status read_schedule(at_rate *rate, const char *text, double lr, attend_error *err)
{
    size_t end = strcspn(text, " ("), length = strcspn(text, "_ (");
    char name[32];
    attend_status status;

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    status = at_rate_init(rate, name, lr, err);
    while (status >= 0 && length < end) {
        const char *piece = text + length + 1;
        size_t n = strcspn(piece, "_ (");
        status = set_piece(rate, piece, n, err);
        length += n + 1;
    }
    return status < 0 ? status : at_rate_check(rate, err);
}

/* Rates are computed in double and go down to a thousandth and less of where they start: their
 * bound is tighter than the trajectories'. */
static const at_tolerance rate_tolerance = {0, 1e-6};

static void check_schedule(at_case *c, const char *name, const json_t *values)
{
    size_t n = json_array_size(values);
    double *got = at_arena_alloc(&c->memory, n * sizeof *got + 1);
    double *expected = at_arena_alloc(&c->memory, n * sizeof *expected + 1);
    char what[ATTEND_CASE_NAME + 16];
    attend_error err;
    at_rate rate;

    snprintf(what, sizeof what, "schedules.%s", name);
    if (!got || !expected || n == 0) {
        at_case_fail(c, "%s: no numbers, or no memory for them", what);
        return;
    }
    if (read_schedule(&rate, name, at_case_number(c, "base_lr", 1), &err) < 0) {
        at_case_fail(c, "%s: %s", what, err.message);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        expected[i] = json_is_number(json_array_get(values, i))
                          ? json_number_value(json_array_get(values, i))
                          : NAN;
        got[i] = at_rate_at(&rate, (int64_t)i);
    }
    at_case_compare_numbers(c, what, n, got, expected, rate_tolerance);
}

static void check_schedules(at_case *c)
{
    const char *name;
    json_t *values;

    json_object_foreach(at_case_json(c, "schedules"), name, values)
    {
        check_schedule(c, name, values);
    }
}

void at_check_optim(at_case *c)
{
    const char *family = at_case_text(c, "family");

    if (strcmp(family, "lr_schedule") == 0)
        check_schedules(c);
    else if (strcmp(family, "optimizer.clip_grad_norm") == 0)
        check_clip(c);
    else if (strncmp(family, "optimizer.", 10) == 0)
        check_optimiser(c);
    else
        at_case_unknown(c, "no check for %s", family[0] ? family : "a case that names no family");
}
