/* A weight that many products use is packed once, and its gradient is one product: nothing of it
 * is seen in the results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "grad/ops.h"
#include "grad/weight.h"
#include "gradient_check.h"

enum { IN = 19, OUT = 23, TIMES = 5, ROWS = 7 };

/* x_1 = tanh(x_0 W V), x_2 = tanh(x_1 W V), ..; the weights used once, or TIMES times */
static at_tensor *chain(at_tape *t, at_path s, const void *arg)
{
    const int *times = arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(ROWS, IN), INIT_NORMAL(1));
    for (int i = 0; i < *times; i++) {
        at_tensor *w = at_param(t, s, "w", SHAPE(IN, OUT), INIT_NORMAL((real)0.3));
        at_tensor *v = at_param(t, s, "v", SHAPE(IN, OUT), INIT_NORMAL((real)0.3));
        at_tensor *b = at_param(t, s, "b", SHAPE(OUT), INIT_NORMAL(1));
        x = at_tanh(t, at_affine(t, at_affine(t, x, w, b, ATTEND_IN_OUT), v, NULL, ATTEND_OUT_IN));
    }
    return x;
}

/* the same without weights that are known as such */
static at_tensor *plain(at_tape *t, at_path s, const void *arg)
{
    const int *times = arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(ROWS, IN), INIT_NORMAL(1));
    for (int i = 0; i < *times; i++) {
        at_tensor *w = at_param(t, s, "w", SHAPE(IN, OUT), INIT_NORMAL((real)0.3));
        at_tensor *v = at_param(t, s, "v", SHAPE(IN, OUT), INIT_NORMAL((real)0.3));
        at_tensor *b = at_param(t, s, "b", SHAPE(OUT), INIT_NORMAL(1));
        at_tensor *y = at_add(t, at_matmul(t, x, false, w, false, 1), b);
        x = at_tanh(t, at_matmul(t, y, false, v, true, 1));
    }
    return x;
}

static void products_that_repeat_have_the_right_gradient(void **state)
{
    (void)state;
    for (int times = 1; times <= TIMES; times++) {
        double tolerance = sizeof(real) == 8 ? 1e-8 : 1e-2;
        at_gradcheck c = at_gradient_check(chain, &times, tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("%d times: %s", times, c.where);
        c = at_builds_agree(chain, plain, &times, sizeof(real) == 8 ? 1e-12 : 1e-5);
        if (!c.ok)
            fail_msg("%d times: %s", times, c.where);
    }
}

static void multiply_plainly(const at_tensor *w, bool turned, int rows, const real *x, real *y)
{
    int n = w->shape.dim[turned ? 0 : 1], k = w->shape.dim[turned ? 1 : 0];
    at_gemm(rows, n, k, 1, (at_matrix){x, k, false}, (at_matrix){w->value, w->shape.dim[1], turned},
            0, y, n);
}

static void products_that_repeat_keep_their_bits(void **state)
{
    (void)state;
    at_params *p = at_params_new(3);
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    at_params_share(p);
    for (int reset = 0; reset < 3; reset++) {
        at_tape_reset(t);
        at_tensor *w = at_param(t, at_root(), "w", SHAPE(IN, OUT), INIT_NORMAL(1));
        at_tensor *x = at_param(t, at_root(), "x", SHAPE(40, OUT), INIT_NORMAL(1));
        for (int rows = 1; rows <= 40; rows += 13)
            for (int turned = 0; turned < 2; turned++) {
                real one[40 * OUT], other[40 * OUT];
                size_t bytes = (size_t)rows * (turned ? IN : OUT) * sizeof *one;
                at_weight_forward(t, w, turned, rows, x->value, NULL, one);
                multiply_plainly(w, turned, rows, x->value, other);
                assert_memory_equal(one, other, bytes);
            }
    }
    at_tape_free(t);
    at_params_free(p);
}

static void changed_parameters_are_seen_after_a_reset(void **state)
{
    (void)state;
    at_params *p = at_params_new(3);
    at_tape *t = at_tape_new(p, ATTEND_TRAIN);
    int times = 3;
    real before = 0;
    for (int i = 0; i < 2; i++) {
        at_tape_reset(t);
        at_tensor *y = chain(t, at_root(), &times);
        if (i == 1)
            assert_true(y->value[0] != before);
        before = y->value[0];
        at_params_find(p, "w")->value[0] += 1;
    }
    at_tape_free(t);
    at_params_free(p);
}

/* a parameter [r,a,b] is the matrix [r,a*b] where it is multiplied with: the same bits and
 * gradient, packed for a shared set too */
static void a_parameter_of_rank_3_is_a_matrix(void **state)
{
    (void)state;
    at_params *p = at_params_new(3);
    at_tape *t = at_tape_new(p, ATTEND_GRAD);
    at_tensor *x = at_param(t, at_root(), "x", SHAPE(40, IN), INIT_NORMAL(1));
    at_tensor *cube = at_param_matrix(t, at_root(), "w", SHAPE(IN, 2, OUT), INIT_NORMAL(1));
    assert_true(at_shape_equal(cube->shape, SHAPE(IN, 2 * OUT)));
    at_tensor *whole = at_param(t, at_root(), "w", SHAPE(IN, 2, OUT), INIT_NORMAL(1));
    assert_true(at_shape_equal(whole->shape, SHAPE(IN, 2, OUT)));
    at_tensor *y = at_affine(t, x, cube, NULL, ATTEND_IN_OUT);
    at_tensor *z = at_matmul(t, x, false, at_reshape(t, whole, SHAPE(IN, 2 * OUT)), false, 1);
    assert_memory_equal(y->value, z->value, y->len * sizeof(real));
    assert_true(at_backward(t, at_sum(t, y)));
    const real *dw = at_param_grad(t, 1);
    real column = 0;
    for (int i = 0; i < 40; i++)
        column += x->value[i * IN];
    assert_true(real_abs(dw[0] - column) < (real)1e-4);
    at_params_share(p);
    at_tape *infer = at_tape_new(p, ATTEND_INFER);
    for (int i = 0; i < 3; i++) {
        at_tape_reset(infer);
        x = at_param(infer, at_root(), "x", SHAPE(40, IN), INIT_NORMAL(1));
        cube = at_param_matrix(infer, at_root(), "w", SHAPE(IN, 2, OUT), INIT_NORMAL(1));
        at_tensor *again = at_affine(infer, x, cube, NULL, ATTEND_IN_OUT);
        assert_memory_equal(again->value, z->value, again->len * sizeof(real));
    }
    assert_non_null(at_parameter_packed(p, at_params_at(p, 1), false, ATTEND_PACK_NOT));
    at_tape_free(infer);
    at_tape_free(t);
    at_params_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_that_repeat_have_the_right_gradient),
        cmocka_unit_test(products_that_repeat_keep_their_bits),
        cmocka_unit_test(changed_parameters_are_seen_after_a_reset),
        cmocka_unit_test(a_parameter_of_rank_3_is_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
