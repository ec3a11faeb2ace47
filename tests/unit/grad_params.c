/* Parameters that are borrowed and shared: used where they lie, verified once, packed once. */
#include "grad/params.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "base/memory.h"
#include "grad/ops.h"
#include "nn/layers.h"

enum { IN = 70, OUT = 90, ROWS = 9 };

static at_params *owner; /* of the numbers that the others borrow */
static uint16_t half[2][IN * OUT];
static atomic_int verified, retired;
static attend_status verdict;

static attend_status verify(void *user, const at_parameter *v, attend_error *err)
{
    (void)user;
    atomic_fetch_add(&verified, 1);
    return verdict < 0 ? at_error(err, verdict, "%s is damaged", v->name) : ATTEND_OK;
}

static void retire(void *user, const at_parameter *v)
{
    (void)user, (void)v;
    atomic_fetch_add(&retired, 1);
}

static const at_lender lender = {.verify = verify, .retire = retire};

static at_tensor *two_layers(at_tape *t, int rows)
{
    at_tensor *x = at_new(t, SHAPE(rows, IN));
    for (size_t i = 0; !at_failed(t) && i < x->len; i++)
        x->value[i] = (real)(i % 13) / 13 - (real)0.5;
    at_tensor *up = at_param_matrix(t, at_root(), "up", SHAPE(OUT, IN), INIT_NORMAL(1));
    at_tensor *down = at_param_matrix(t, at_root(), "down", SHAPE(OUT, IN), INIT_NORMAL(1));
    at_tensor *bias = at_param(t, at_root(), "bias", SHAPE(OUT), INIT_NORMAL(1));
    x = at_tanh(t, at_affine(t, x, up, bias, ATTEND_OUT_IN));
    return at_affine(t, x, down, NULL, ATTEND_IN_OUT);
}

static int enter(void **state)
{
    (void)state;
    verdict = ATTEND_OK;
    atomic_store(&verified, 0);
    atomic_store(&retired, 0);
    owner = at_params_new(5);
    at_tape *t = at_tape_new(owner, ATTEND_INFER);
    two_layers(t, 1);
    at_tape_free(t);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < IN * OUT; j++)
            half[i][j] = at_bfloat_from_float(
                (float)at_params_find(owner, i ? "down" : "up")->value[j]);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_params_free(owner);
    return 0;
}

/* the same numbers, borrowed; matrices as they are, or of two bytes */
static at_params *borrow(bool halves)
{
    at_params *p = at_params_new(0);
    attend_error err;
    for (int i = 0; i < at_params_count(owner); i++) {
        at_parameter *v = at_params_at(owner, i);
        bool narrow = halves && v->shape.rank == 2;
        const void *data = narrow ? half[strcmp(v->name, "down") == 0] : (const void *)v->value;
        at_element type = narrow ? ATTEND_ELEMENT_BF16 : ATTEND_ELEMENT_REAL;
        if (sizeof(real) != sizeof(float) && !narrow) { /* there are no doubles in files */
            at_parameter *copy;
            assert_int_equal(at_params_add(p, v->name, v->shape, INIT_NOT, &copy, &err), 0);
            memcpy(copy->value, v->value, v->len * sizeof(real));
        } else {
            assert_int_equal(at_params_borrow(p, v->name, v->shape, type, data, &lender, &err), 0);
        }
    }
    at_params_seal(p);
    return p;
}

static void run(at_params *p, int rows, int times, real *out)
{
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    for (int i = 0; i < times; i++) {
        at_tape_reset(t);
        at_tensor *y = two_layers(t, rows);
        assert_false(at_failed(t));
        memcpy(out, y->value, y->len * sizeof *out);
    }
    at_tape_free(t);
}

static void borrowed_numbers_are_used_where_they_lie(void **state)
{
    (void)state;
    real want[ROWS * IN], got[ROWS * IN];
    run(owner, ROWS, 1, want);
    at_params *p = borrow(false);
    at_params_share(p);
    if (sizeof(real) == sizeof(float)) {
        assert_ptr_equal(at_params_find(p, "up")->value, at_params_find(owner, "up")->value);
        assert_int_equal(atomic_load(&verified), 0); /* nothing is read before its use */
    }
    run(p, ROWS, 3, got);
    assert_memory_equal(want, got, sizeof want);
    if (sizeof(real) == sizeof(float)) {
        assert_int_equal(atomic_load(&verified), 3);
        assert_int_equal(atomic_load(&retired), 2); /* both matrices are packed now */
    }
    at_params_free(p);
}

static void two_bytes_give_the_bits_of_widened_weights(void **state)
{
    (void)state;
    static real want[ROWS * IN], got[ROWS * IN];
    at_params *p = borrow(true);
    at_params_share(p);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < IN * OUT; j++)
            at_params_find(owner, i ? "down" : "up")->value[j] = at_bfloat_to_float(half[i][j]);
    for (int rows = 1; rows <= ROWS; rows += 2) {
        run(owner, rows, 1, want);
        run(p, rows, 3, got);
        assert_memory_equal(want, got, (size_t)rows * IN * sizeof *want);
    }
    if (sizeof(real) == sizeof(float)) {
        assert_null(at_params_find(p, "up")->value); /* there is no second copy */
        assert_int_equal(atomic_load(&retired), 0);
    }
    at_params_free(p);
}

static void reals_are_widened_on_request(void **state)
{
    (void)state;
    at_params *p = borrow(true);
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    at_tensor *w = at_param(t, at_root(), "up", SHAPE(OUT, IN), INIT_ZERO);
    assert_false(at_failed(t));
    for (int j = 0; j < IN * OUT; j++)
        assert_true(w->value[j] == at_bfloat_to_float(half[0][j]));
    at_tape_free(t);
    at_params_free(p);
}

static void a_damaged_parameter_fails_when_it_is_used(void **state)
{
    (void)state;
    if (sizeof(real) != sizeof(float))
        skip();
    at_params *p = borrow(false);
    verdict = ATTEND_FORMAT;
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    two_layers(t, 1);
    assert_true(at_failed(t));
    assert_string_equal(at_tape_error(t)->message, "up is damaged");
    at_tape_free(t);
    at_params_free(p);
}

static void what_is_taken_can_be_trained(void **state)
{
    (void)state;
    real want[IN], got[IN];
    attend_error err;
    run(owner, 1, 1, want);
    at_params *p = borrow(false);
    at_params_share(p);
    run(p, ROWS, 3, (real[ROWS * IN]){0});
    assert_int_equal(at_params_take(p, &err), ATTEND_OK);
    assert_false(at_params_shared(p));
    run(p, 1, 1, got);
    assert_memory_equal(want, got, sizeof want);
    at_params_find(p, "up")->value[0] += 1; /* not the lender's */
    run(owner, 1, 1, got);
    assert_memory_equal(want, got, sizeof want);
    run(p, 1, 1, got);
    assert_memory_not_equal(want, got, sizeof want);
    at_params_free(p);
}

/* ---- threads ---- */

static at_params *common;
static real expected[ROWS * IN];

static void *user(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++) {
        real got[ROWS * IN];
        run(common, ROWS, 2, got);
        if (memcmp(got, expected, sizeof got) != 0)
            return "other bits";
    }
    return NULL;
}

static void threads_share_what_is_packed(void **state)
{
    (void)state;
    for (int halves = 0; halves < 2; halves++) {
        common = borrow(halves);
        run(common, ROWS, 1, expected);
        at_params_share(common);
        size_t before = at_params_bytes(common);
        pthread_t thread[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, user, NULL), 0);
        for (int i = 0; i < 4; i++) {
            void *wrong;
            pthread_join(thread[i], &wrong);
            if (wrong)
                fail_msg("%s", (char *)wrong);
        }
        size_t panels = at_pack_len(OUT, IN, false) + at_pack_len(IN, OUT, false);
        if (!halves) /* once, with their descriptions */
            assert_in_range(at_params_bytes(common) - before, panels * sizeof(real),
                            panels * sizeof(real) + 512);
        at_params_unshare(common);
        assert_int_equal(at_params_bytes(common), before);
        at_params_free(common);
    }
}

static void without_memory_for_panels_products_are_the_same(void **state)
{
    (void)state;
    real got[ROWS * IN];
    at_params *p = borrow(false);
    run(p, ROWS, 1, expected);
    at_params_share(p);
    at_tape *t = at_tape_new(p, ATTEND_INFER);
    for (int i = 0; i < 3; i++) {
        at_tape_reset(t);
        if (i)
            at_alloc_fail_after(0);
        at_tensor *y = two_layers(t, ROWS);
        at_alloc_fail_after(-1);
        assert_false(at_failed(t));
        memcpy(got, y->value, sizeof got);
        assert_memory_equal(got, expected, sizeof got);
    }
    at_tape_free(t);
    at_params_free(p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(borrowed_numbers_are_used_where_they_lie),
        TEST(two_bytes_give_the_bits_of_widened_weights),
        TEST(reals_are_widened_on_request),
        TEST(a_damaged_parameter_fails_when_it_is_used),
        TEST(what_is_taken_can_be_trained),
        TEST(threads_share_what_is_packed),
        TEST(without_memory_for_panels_products_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
