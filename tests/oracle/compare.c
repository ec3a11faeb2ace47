/* Comparing what was computed with what was expected. The bounds are those that the reference
 * set recommends to float32 programs: four times and more what PyTorch's own float32 run is off,
 * and tight enough to notice a tanh GELU in the place of the erf one. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h"

const at_tolerance at_tolerance_output = {1e-6, 2e-5};
const at_tolerance at_tolerance_gradient = {1e-6, 1e-4};
const at_tolerance at_tolerance_norm = {1e-6, 1e-4};
const at_tolerance at_tolerance_loss = {1e-6, 1e-5};
const at_tolerance at_tolerance_optimiser = {1e-6, 1e-5};

/* ---- verdicts --------------------------------------------------------------------------- */

/* names come from files: nothing in them may end a line or steer a terminal */
static void make_printable(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
    }
}

static void decide(at_case *c, at_verdict verdict, const char *format, va_list args)
{
    if (c->verdict != ATTEND_CASE_OK)
        return;
    c->verdict = verdict;
    vsnprintf(c->reason, sizeof c->reason, format, args);
    make_printable(c->reason);
}

void at_case_fail(at_case *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    decide(c, ATTEND_CASE_FAIL, format, args);
    va_end(args);
}

void at_case_unknown(at_case *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    decide(c, ATTEND_CASE_UNKNOWN, format, args);
    va_end(args);
}

void at_case_skip(at_case *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    decide(c, ATTEND_CASE_SKIPPED, format, args);
    va_end(args);
}

/* ---- errors ----------------------------------------------------------------------------- */

static double difference(double got, double expected)
{
    if (got == expected)
        return 0;
    return isfinite(got) && isfinite(expected) ? fabs(got - expected) : INFINITY;
}

static bool is_worse(const at_worst *a, const at_worst *b)
{
    if (a->error == 0)
        return false;
    return a->error * b->tolerance > b->error * a->tolerance || !isfinite(a->error);
}

static void keep(at_case *c, const at_worst *one)
{
    if (!(one->error <= one->tolerance)) {
        c->exceeded++;
        if (c->verdict == ATTEND_CASE_OK)
            c->verdict = ATTEND_CASE_FAIL;
    }
    if (c->comparisons == 0 || (isfinite(c->worst.error) && is_worse(one, &c->worst)))
        c->worst = *one;
    c->comparisons++;
}

/* one tensor, or part of it: every element, a bound that its largest element sets */
typedef struct {
    at_worst worst;
    double largest; /* finite one expected */
    size_t n;
} at_comparing;

static void compare_element(at_comparing *p, size_t element, double got, double expected)
{
    double error = difference(got, expected);

    if (p->n == 0 || error > p->worst.error) {
        p->worst.error = error;
        p->worst.element = element;
        p->worst.got = got;
        p->worst.expected = expected;
    }
    if (isfinite(expected) && fabs(expected) > p->largest)
        p->largest = fabs(expected);
    p->n++;
}

static void compare_end(at_case *c, at_comparing *p, const char *what, at_tolerance tolerance)
{
    snprintf(p->worst.what, sizeof p->worst.what, "%s", what);
    make_printable(p->worst.what);
    p->worst.tolerance = tolerance.absolute + tolerance.relative * p->largest;
    keep(c, &p->worst);
}

void at_case_compare_numbers(at_case *c, const char *what, size_t n, const double *got,
                             const double *expected, at_tolerance tolerance)
{
    at_comparing p = {.largest = 0};

    for (size_t i = 0; i < n; i++)
        compare_element(&p, i, got[i], expected[i]);
    compare_end(c, &p, what, tolerance);
}

/* ---- tensors and scalars ---------------------------------------------------------------- */

static void mark(at_case *c, json_t *seen, const char *name)
{
    if (json_object_set_new(seen, name, json_true()) < 0)
        at_case_fail(c, "out of memory");
}

bool at_case_expects(const at_case *c, const char *name)
{
    return c->expected && at_safetensors_find(c->expected, name);
}

void at_case_compare(at_case *c, const char *name, at_shape shape, const real *got,
                     at_tolerance tolerance)
{
    at_comparing p = {.largest = 0};
    at_shape want;
    const real *expected = at_case_reals(c, c->expected, name, &want);
    size_t len;

    if (!expected) {
        at_case_fail(c, "expected.safetensors has no tensor %s", name);
        return;
    }
    mark(c, c->seen_tensors, name);
    if (!at_shape_equal(shape, want) || !at_shape_len(shape, &len)) {
        at_case_fail(c, "%s: its shape is %s, expected %s", name, at_shape_print(shape).text,
                     at_shape_print(want).text);
        return;
    }
    for (size_t i = 0; i < len; i++)
        compare_element(&p, i, (double)got[i], (double)expected[i]);
    compare_end(c, &p, name, tolerance);
}

/* A loss is a sum whose terms of both signs cancel, and the bound is relative to what is left.
 * PyTorch's own float32 run is recorded beside it: four times its error is granted, up to ten
 * times the usual bound. */
static at_tolerance grant(const at_case *c, const char *name, double value, at_tolerance usual)
{
    char place[ATTEND_CASE_NAME];
    double bound = usual.absolute + usual.relative * fabs(value), wide;

    snprintf(place, sizeof place, "torch_f32_scalar_err.%s", name);
    wide = fmin(4 * at_case_number(c, place, 0), 10 * bound);
    if (wide > bound)
        usual.absolute += wide - bound;
    return usual;
}

void at_case_compare_scalar(at_case *c, const char *name, double got, at_tolerance tolerance)
{
    char place[ATTEND_CASE_NAME];
    json_t *expected;
    double value;

    snprintf(place, sizeof place, "scalars.%s", name);
    expected = at_case_json(c, place);
    if (!expected)
        return;
    mark(c, c->seen_numbers, place);
    value = json_number_value(expected);
    if (json_is_number(expected))
        at_case_compare_numbers(c, place, 1, &got, &value, grant(c, name, value, tolerance));
    else
        at_case_fail(c, "expected.json: %s is not a number", place);
}

/* ---- gradients -------------------------------------------------------------------------- */

/* a gradient that never came is zero */
static double gradient_at(const at_tensor *x, size_t i)
{
    const real *grad = at_grad_of(x);

    return grad ? (double)grad[i] : 0;
}

static void compare_samples(at_case *c, const char *what, const at_tensor *x, json_t *samples,
                            double largest)
{
    json_t *index = json_object_get(samples, "index"), *value = json_object_get(samples, "value");
    at_comparing p = {.largest = largest};

    if (!json_is_array(index) || json_array_size(index) != json_array_size(value)) {
        at_case_fail(c, "expected.json: %s has no proper samples", what);
        return;
    }
    for (size_t i = 0; i < json_array_size(index); i++) {
        json_int_t at = json_integer_value(json_array_get(index, i));
        if (at < 0 || (size_t)at >= x->len || !json_is_number(json_array_get(value, i))) {
            at_case_fail(c, "expected.json: sample %zu of %s is not in the tensor", i, what);
            return;
        }
        compare_element(&p, (size_t)at, gradient_at(x, (size_t)at),
                        json_number_value(json_array_get(value, i)));
    }
    compare_end(c, &p, what, at_tolerance_gradient);
}

/* grads.NAME of expected.json: its norm and some of its elements */
static void compare_summary(at_case *c, const at_named *v)
{
    json_t *summary = json_object_get(json_object_get(c->json, "grads"), v->name);
    char what[ATTEND_CASE_NAME + 16];
    json_t *l2 = json_object_get(summary, "l2");
    double norm = 0, expected;

    if (!summary)
        return;
    snprintf(what, sizeof what, "grads.%s", v->name);
    mark(c, c->seen_numbers, what);
    compare_samples(c, what, v->tensor, json_object_get(summary, "samples"),
                    json_number_value(json_object_get(summary, "max_abs")));
    for (size_t i = 0; i < v->tensor->len; i++)
        norm += gradient_at(v->tensor, i) * gradient_at(v->tensor, i);
    norm = sqrt(norm);
    expected = json_number_value(l2);
    snprintf(what, sizeof what, "grads.%s.l2", v->name);
    if (json_is_number(l2))
        at_case_compare_numbers(c, what, 1, &norm, &expected, at_tolerance_norm);
    else
        at_case_fail(c, "expected.json: %s is not a number", what);
}

/* own: of a model's own loss, where parameters are called as they are, without "param." */
static void compare_gradient(at_case *c, const at_named *variable, bool own)
{
    at_named named = *variable, *v = &named;
    const real *grad = at_grad_of(v->tensor);
    char name[2 * ATTEND_CASE_NAME];

    if (own && strncmp(v->name, "param.", 6) == 0)
        memmove(v->name, v->name + 6, strlen(v->name + 6) + 1);
    snprintf(name, sizeof name, "grad.%s", v->name);
    if (!grad)
        grad = at_zeros(c->tape, v->tensor->shape)->value;
    if (at_failed(c->tape))
        return;
    if (at_case_expects(c, name))
        at_case_compare(c, name, v->tensor->shape, grad, at_tolerance_gradient);
    compare_summary(c, v);
}

/* ---- the loss --------------------------------------------------------------------------- */

/* cot.<output>, or NULL where the output does not enter the loss */
static at_tensor *cotangent(at_case *c, const at_named *output)
{
    char name[ATTEND_CASE_NAME + 8];
    at_shape shape;
    const real *value;

    snprintf(name, sizeof name, "cot.%s", output->name);
    value = at_case_reals(c, c->inputs, name, &shape);
    if (!value)
        return NULL;
    if (!at_shape_equal(shape, output->tensor->shape))
        return at_fail(c->tape, "%s has the shape %s, its output %s", name,
                       at_shape_print(shape).text, at_shape_print(output->tensor->shape).text);
    return at_input(c->tape, shape, value);
}

/* The sum over outputs o of sum(cot.<o> * o), on the tape; *value is the same summed in double,
 * because terms of both signs cancel and the bound is relative to what remains of them; *any: does
 * an output enter it? */
static at_tensor *build_loss(at_case *c, double *value, bool *any)
{
    at_tensor *loss = at_zeros(c->tape, SCALAR);

    *value = 0;
    *any = false;
    for (int i = 0; i < c->outputs.count; i++) {
        at_tensor *y = c->outputs.item[i].tensor, *cot = cotangent(c, &c->outputs.item[i]);
        if (!cot)
            continue;
        *any = true;
        loss = at_add(c->tape, loss, at_sum(c->tape, at_multiply(c->tape, cot, y)));
        for (size_t k = 0; k < y->len && !at_failed(c->tape); k++)
            *value += (double)cot->value[k] * (double)y->value[k];
    }
    return loss;
}

void at_case_output(at_case *c, const char *name, at_tensor *x)
{
    if (at_failed(c->tape))
        return;
    at_named_add(c, &c->outputs, name, x);
    if (at_case_expects(c, name))
        at_case_compare(c, name, x->shape, x->value, at_tolerance_output);
}

/* the end of what was built: another part of the case may begin */
static void clear(at_case *c)
{
    if (at_failed(c->tape))
        at_case_fail(c, "%s", at_tape_error(c->tape)->message);
    c->variables.count = c->outputs.count = 0;
    at_tape_reset(c->tape);
}

static void backward(at_case *c, at_tensor *loss, double value, bool own)
{
    if (at_backward(c->tape, loss)) {
        at_case_compare_scalar(c, "loss", value, at_tolerance_loss);
        for (int i = 0; i < c->variables.count; i++)
            compare_gradient(c, &c->variables.item[i], own);
    }
    clear(c);
}

void at_case_gradients(at_case *c)
{
    double value;
    bool any;
    at_tensor *loss = build_loss(c, &value, &any);

    if (any)
        backward(c, loss, value, false);
    else
        clear(c);
}

void at_case_loss(at_case *c, at_tensor *loss)
{
    backward(c, loss, at_failed(c->tape) ? 0 : (double)loss->value[0], true);
}

/* ---- nothing may be left out ------------------------------------------------------------ */

static void check_tensors_seen(at_case *c)
{
    int n = c->expected ? at_safetensors_count(c->expected) : 0;

    for (int i = 0; i < n; i++) {
        const char *name = at_safetensors_at(c->expected, i)->name;
        if (!json_object_get(c->seen_tensors, name))
            at_case_fail(c, "%s: expected, but not compared", name);
    }
}

static void check_numbers_seen(at_case *c, const char *object)
{
    const char *key;
    json_t *value;

    json_object_foreach(json_object_get(c->json, object), key, value)
    {
        char name[2 * ATTEND_CASE_NAME];
        snprintf(name, sizeof name, "%s.%s", object, key);
        if (!json_object_get(c->seen_numbers, name))
            at_case_fail(c, "%s: expected, but not compared", name);
    }
}

void at_case_finish(at_case *c)
{
    if (c->tape && at_failed(c->tape))
        at_case_fail(c, "%s", at_tape_error(c->tape)->message);
    if (c->verdict != ATTEND_CASE_OK)
        return;
    check_tensors_seen(c);
    check_numbers_seen(c, "scalars");
    check_numbers_seen(c, "grads");
    if (c->comparisons == 0)
        at_case_fail(c, "nothing compared");
}
