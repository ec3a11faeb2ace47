/* Every kernel on every instruction set of this machine against the formulas of its header, in
 * double, one element at a time. */
#include "tensor/optim_kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

enum { LARGEST = 4099, ROOM = LARGEST + 2, ARRAYS = 5 };

static const size_t sizes[] = {0, 1, 2, 7, 16, 33, 1000, LARGEST};

enum { SIZES = (int)(sizeof sizes / sizeof *sizes) };

#define EACH_SIZE(n)                            \
    for (int size_ = 0; size_ < SIZES; size_++) \
        for (size_t n = sizes[size_], once_ = 1; once_; once_ = 0)

#define EACH_ISA(isa)                                                   \
    for (at_isa isa = ATTEND_ISA_BASE; isa <= ATTEND_ISA_AVX512; isa++) \
        if (at_cpu_use(isa))

#ifdef ATTEND_REAL_DOUBLE
static const double tolerance = 1e-13;
#else
static const double tolerance = 2e-6;
#endif

/* p, g and three states; every array starts one element off alignment and ends with a guard */
typedef struct {
    real data[ARRAYS][ROOM];
    real before[ARRAYS][ROOM];
} field;

static field it;

#define P (it.data[0] + 1)
#define G (it.data[1] + 1)
#define STATE(i) (it.data[2 + (i)] + 1)

static void fill(void)
{
    at_random place = {.seed = 7};
    for (int a = 0; a < ARRAYS; a++)
        for (uint32_t i = 0; i < ROOM; i++) {
            place.use = (uint32_t)a;
            double x = at_random_normal(place, i);
            it.data[a][i] = (real)(a < 2 ? x : x * x); /* states hold squares */
        }
    memcpy(it.before, it.data, sizeof it.data);
}

typedef void formula(double *p, double g, double *state, const void *step);

/* every element as the formula says, and nothing else touched */
static void compare(size_t n, formula *f, const void *step, const char *what)
{
    for (size_t i = 0; i < ROOM; i++) {
        double x[ARRAYS];
        for (int a = 0; a < ARRAYS; a++)
            x[a] = (double)it.before[a][i];
        if (i >= 1 && i < n + 1)
            f(&x[0], x[1], x + 2, step);
        for (int a = 0; a < ARRAYS; a++) {
            double error = fabs((double)it.data[a][i] - x[a]);
            if (!(error <= tolerance * (1 + fabs(x[a]))))
                fail_msg("%s, %s, n %zu: array %d element %zu is %g, not %g",
                         at_isa_name(at_cpu_isa()), what, n, a, i, (double)it.data[a][i], x[a]);
        }
    }
}

/* ---- sgd -------------------------------------------------------------------------------- */

static void sgd_formula(double *p, double g, double *state, const void *step)
{
    const at_sgd_step *s = step;
    double d = (double)s->scale * g + (double)s->weight_decay * *p;
    state[0] = s->first ? d : (double)s->momentum * state[0] + (double)s->gain * d;
    *p -= (double)s->lr * (s->nesterov ? d + (double)s->momentum * state[0] : state[0]);
}

static void plain_formula(double *p, double g, double *state, const void *step)
{
    const at_sgd_step *s = step;
    (void)state;
    *p -= (double)s->lr * ((double)s->scale * g + (double)s->weight_decay * *p);
}

static void sgd_follows_its_formula(void **state)
{
    (void)state;
    EACH_ISA(isa)
    EACH_SIZE(n)
    for (int variant = 0; variant < 4; variant++) {
        at_sgd_step s = {.scale = (real)0.5,
                         .lr = (real)0.1,
                         .weight_decay = (real)0.01,
                         .momentum = (real)0.9,
                         .gain = (real)0.7,
                         .first = variant & 1,
                         .nesterov = variant & 2};
        fill();
        at_optim_kernels()->sgd(n, P, G, STATE(0), &s);
        compare(n, sgd_formula, &s, "momentum");
        fill();
        at_optim_kernels()->sgd(n, P, G, NULL, &s);
        compare(n, plain_formula, &s, "plain");
    }
}

/* ---- adam ------------------------------------------------------------------------------- */

static bool amsgrad;

static void adam_formula(double *p, double g, double *state, const void *step)
{
    const at_adam_step *s = step;
    *p *= (double)s->shrink;
    double d = (double)s->scale * g + (double)s->weight_decay * *p;
    state[0] = (double)s->beta1 * state[0] + (double)s->gain1 * d;
    state[1] = (double)s->beta2 * state[1] + (double)s->gain2 * d * d;
    if (amsgrad)
        state[2] = fmax(state[2], state[1]);
    double top = amsgrad ? state[2] : state[1];
    *p -= (double)s->rate * state[0] / (sqrt(top) / (double)s->root + (double)s->eps);
    *p += (double)s->late * *p;
}

static void adam_follows_its_formula(void **state)
{
    (void)state;
    EACH_ISA(isa)
    EACH_SIZE(n)
    for (int variant = 0; variant < 4; variant++) {
        at_adam_step s = {.scale = (real)0.5,
                          .shrink = (real)0.99,
                          .weight_decay = (real)(variant & 1 ? 0.1 : 0),
                          .beta1 = (real)0.9,
                          .gain1 = (real)0.1,
                          .beta2 = (real)0.99,
                          .gain2 = (real)0.01,
                          .root = (real)0.3,
                          .eps = (real)1e-3,
                          .rate = (real)0.02};
        amsgrad = variant & 2;
        fill();
        at_optim_kernels()->adam(n, P, G, STATE(0), STATE(1), amsgrad ? STATE(2) : NULL, &s);
        compare(n, adam_formula, &s, "adam");
    }
}

static void adam_shrinks_last_for_bert(void **state)
{
    at_adam_step s = {.scale = 1,
                      .shrink = 1,
                      .beta1 = (real)0.9,
                      .gain1 = (real)0.1,
                      .beta2 = (real)0.99,
                      .gain2 = (real)0.01,
                      .root = 1,
                      .eps = (real)1e-3,
                      .rate = (real)0.02,
                      .late = (real)-0.1};
    (void)state;
    amsgrad = false;
    EACH_ISA(isa)
    EACH_SIZE(n)
    {
        fill();
        at_optim_kernels()->adam(n, P, G, STATE(0), STATE(1), NULL, &s);
        compare(n, adam_formula, &s, "bert");
    }
}

/* ---- adadelta, adagrad, rmsprop ---------------------------------------------------------- */

static void adadelta_formula(double *p, double g, double *state, const void *step)
{
    const at_adadelta_step *s = step;
    double d = (double)s->scale * g + (double)s->weight_decay * *p, eps = (double)s->eps;
    state[0] = (double)s->rho * state[0] + (double)s->gain * d * d;
    double move = sqrt(state[1] + eps) / sqrt(state[0] + eps) * d;
    state[1] = (double)s->rho * state[1] + (double)s->gain * move * move;
    *p -= (double)s->lr * move;
}

static void adadelta_follows_its_formula(void **state)
{
    at_adadelta_step s = {.scale = (real)0.5,
                          .lr = (real)0.1,
                          .weight_decay = (real)0.01,
                          .rho = (real)0.9,
                          .gain = (real)0.1,
                          .eps = (real)1e-3};
    (void)state;
    EACH_ISA(isa)
    EACH_SIZE(n)
    {
        fill();
        at_optim_kernels()->adadelta(n, P, G, STATE(0), STATE(1), &s);
        compare(n, adadelta_formula, &s, "adadelta");
    }
}

static void adagrad_formula(double *p, double g, double *state, const void *step)
{
    const at_adagrad_step *s = step;
    double d = (double)s->scale * g + (double)s->weight_decay * *p;
    state[0] += d * d;
    *p -= (double)s->rate * d / (sqrt(state[0]) + (double)s->eps);
}

static void adagrad_follows_its_formula(void **state)
{
    at_adagrad_step s = {
        .scale = (real)0.5, .rate = (real)0.1, .weight_decay = (real)0.01, .eps = (real)1e-3};
    (void)state;
    EACH_ISA(isa)
    EACH_SIZE(n)
    {
        fill();
        at_optim_kernels()->adagrad(n, P, G, STATE(0), &s);
        compare(n, adagrad_formula, &s, "adagrad");
    }
}

static bool has_momentum, is_centered;

static void rmsprop_formula(double *p, double g, double *state, const void *step)
{
    const at_rmsprop_step *s = step;
    double d = (double)s->scale * g + (double)s->weight_decay * *p, variance;
    variance = state[0] = (double)s->alpha * state[0] + (double)s->gain * d * d;
    if (is_centered) {
        state[2] = (double)s->alpha * state[2] + (double)s->gain * d;
        variance = fmax(0, variance - state[2] * state[2]);
    }
    double move = d / (sqrt(variance) + (double)s->eps);
    if (has_momentum)
        move = state[1] = (double)s->momentum * state[1] + move;
    *p -= (double)s->lr * move;
}

static void rmsprop_follows_its_formula(void **state)
{
    at_rmsprop_step s = {.scale = (real)0.5,
                         .lr = (real)0.1,
                         .weight_decay = (real)0.01,
                         .alpha = (real)0.9,
                         .gain = (real)0.1,
                         .eps = (real)1, /* far from 0 */
                         .momentum = (real)0.8};
    (void)state;
    EACH_ISA(isa)
    EACH_SIZE(n)
    for (int variant = 0; variant < 4; variant++) {
        has_momentum = variant & 1;
        is_centered = variant & 2;
        fill();
        for (size_t i = 0; i < ROOM && is_centered; i++) /* no root of a difference near 0 */
            it.before[2][i] = it.data[2][i] += it.data[4][i] * it.data[4][i] + 1;
        at_optim_kernels()->rmsprop(n, P, G, STATE(0), has_momentum ? STATE(1) : NULL,
                                    is_centered ? STATE(2) : NULL, &s);
        compare(n, rmsprop_formula, &s, "rmsprop");
    }
}

static void rounding_below_zero_variance_gives_no_nan(void **state)
{
    at_rmsprop_step s = {.scale = 1, .lr = (real)0.1, .alpha = 1, .eps = (real)0.5};
    (void)state;
    EACH_ISA(isa)
    {
        real p[3] = {1, 1, 1}, g[3] = {1, 1, 1}, square[3] = {1, 1, 1}, mean[3] = {2, 2, 2};
        at_optim_kernels()->rmsprop(3, p, g, square, NULL, mean, &s);
        assert_float_equal(p[0], 1 - 0.1 * 1 / 0.5, 1e-6);
        assert_true(p[1] == p[0] && p[2] == p[0]);
    }
}

/* ---- sums ------------------------------------------------------------------------------- */

static void sums_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    EACH_ISA(isa)
    EACH_SIZE(n)
    {
        double squares = 0, magnitudes = 0, cubes = 0, most = 0;
        const at_optim_kernel *k = at_optim_kernels();
        fill();
        for (size_t i = 0; i < n; i++) {
            double x = fabs((double)P[i]);
            squares += x * x;
            magnitudes += x;
            cubes += x * x * x;
            most = fmax(most, x);
        }
        assert_true(fabs(k->sum_squares(n, P) - squares) <= 1e-13 * squares);
        assert_true(fabs(k->sum_abs(n, P) - magnitudes) <= 1e-13 * magnitudes);
        assert_true(fabs(k->sum_powers(n, P, 3) - cubes) <= 1e-13 * cubes);
        assert_true(k->max_abs(n, P) == most);
    }
}

static void sums_tell_of_a_number_that_is_none(void **state)
{
    static const size_t places[] = {0, 5, 15, 16, 900, LARGEST - 1};
    (void)state;
    EACH_ISA(isa)
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const at_optim_kernel *k = at_optim_kernels();
        fill();
        P[places[i]] = (real)-INFINITY;
        assert_true(isinf(k->sum_squares(LARGEST, P)) && isinf(k->sum_abs(LARGEST, P)));
        assert_true(k->max_abs(LARGEST, P) == (double)INFINITY);
        P[places[i]] = (real)NAN;
        P[LARGEST - 1 - places[i]] += (real)INFINITY;
        assert_true(isnan(k->sum_squares(LARGEST, P)) && isnan(k->sum_abs(LARGEST, P)));
        assert_true(isnan(k->sum_powers(LARGEST, P, 1.5)) && isnan(k->max_abs(LARGEST, P)));
    }
}

static void every_machine_sums_in_the_same_order(void **state)
{
    double base = 0;
    (void)state;
#ifdef ATTEND_REAL_DOUBLE
    skip(); /* a fused product has another rounding there */
#endif
    fill();
    EACH_ISA(isa)
    {
        double sum = at_optim_kernels()->sum_squares(LARGEST, P)
                     + at_optim_kernels()->sum_abs(LARGEST, P);
        base = isa == ATTEND_ISA_BASE ? sum : base;
        assert_true(sum == base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgd_follows_its_formula),
        cmocka_unit_test(adam_follows_its_formula),
        cmocka_unit_test(adam_shrinks_last_for_bert),
        cmocka_unit_test(adadelta_follows_its_formula),
        cmocka_unit_test(adagrad_follows_its_formula),
        cmocka_unit_test(rmsprop_follows_its_formula),
        cmocka_unit_test(rounding_below_zero_variance_gives_no_nan),
        cmocka_unit_test(sums_are_those_of_a_plain_loop),
        cmocka_unit_test(sums_tell_of_a_number_that_is_none),
        cmocka_unit_test(every_machine_sums_in_the_same_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
