/* Every op of the list: gradient check, fused against reference, and proof that the check would
 * notice a fault. Gradient checks need the double build; the float build compares with a
 * tolerance of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "grad/ops.h"
#include "gradient_check.h"

#ifdef ATTEND_REAL_DOUBLE
enum { IS_DOUBLE = 1 };
static const double check_tolerance = 1e-6, agree_tolerance = 1e-11;
#else
enum { IS_DOUBLE = 0 };
static const double check_tolerance = 1e-3, agree_tolerance = 2e-5;
#endif

static void every_op_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < at_op_count; i++) {
        const at_op *op = at_ops[i];
        if (!op->name || !op->formula || !op->backward || !op->sample)
            fail_msg("op %s lacks a name, formula, backward or sample", op->name);
    }
}

static void gradients_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < at_op_count; i++) {
        at_gradcheck c = at_gradient_check(at_ops[i]->sample, NULL, check_tolerance, NULL, NULL);
        print_message("%-22s worst %.1e at %s\n", at_ops[i]->name, c.worst, c.where);
        if (!c.ok)
            fail_msg("%s: error %g at %s", at_ops[i]->name, c.worst, c.where);
    }
}

static void fused_ops_equal_their_reference(void **state)
{
    (void)state;
    for (int i = 0; i < at_op_count; i++) {
        if (!at_ops[i]->reference)
            continue;
        at_gradcheck c = at_builds_agree(at_ops[i]->sample, at_ops[i]->reference, NULL,
                                         agree_tolerance);
        print_message("%-22s worst %.1e at %s\n", at_ops[i]->name, c.worst, c.where);
        if (!c.ok)
            fail_msg("%s: error %g at %s", at_ops[i]->name, c.worst, c.where);
    }
}

/* ---- planted faults --------------------------------------------------------------------- */

/* makes one input's share of one op's gradient 1 % too large */
typedef struct {
    const at_op *op;
    int input;
    int hits;
    real *before;
    size_t len;
} fault;

static void plant(void *user, const at_node *n, bool after)
{
    fault *f = user;
    if (n->op != f->op || f->input >= n->n_in || !n->in[f->input])
        return;
    const at_tensor *x = n->in[f->input];
    real *grad = (real *)at_grad_of(x);
    if (!after) {
        f->before = at_alloc_zero(x->len, sizeof(real));
        if (grad)
            memcpy(f->before, grad, x->len * sizeof(real));
        return;
    }
    for (size_t i = 0; grad && i < x->len; i++)
        if (grad[i] != f->before[i]) {
            grad[i] += (real)0.01 * (grad[i] - f->before[i]);
            f->hits++;
        }
    at_free(f->before);
}

static void a_fault_of_one_percent_is_caught_in_every_op(void **state)
{
    (void)state;
    if (!IS_DOUBLE)
        skip();
    int planted = 0;
    for (int i = 0; i < at_op_count; i++) {
        int of_op = 0;
        for (int input = 0; input < 15; input++) {
            fault f = {.op = at_ops[i], .input = input};
            at_gradcheck c = at_gradient_check(at_ops[i]->sample, NULL, check_tolerance, plant, &f);
            of_op += f.hits > 0;
            if (f.hits > 0 && c.ok)
                fail_msg("%s: a fault in the gradient of input %d passes", at_ops[i]->name, input);
            if (f.hits > 0 && !(strstr(c.where, "]: analytic ") && strstr(c.where, ", numeric ")))
                fail_msg("%s does not say which number is which", c.where);
        }
        if (of_op == 0 && strcmp(at_ops[i]->name, "reshape") != 0) /* it shares the gradient */
            fail_msg("%s: no fault could be planted", at_ops[i]->name);
        planted += of_op;
    }
    print_message("%d faults planted in %d ops, all caught\n", planted, at_op_count);
}

/* ---- corners ---------------------------------------------------------------------------- */

/* memory that a tape gives out next is full of numbers */
static void make_dirty(at_tape *t)
{
    at_mark mark = at_tape_mark(t);
    real *x = at_scratch_reals(t, 4096);
    for (int i = 0; x && i < 4096; i++)
        x[i] = 777;
    at_scratch_release(t, mark);
}

static at_tensor *numbers(at_tape *t, const char *name, at_shape shape)
{
    return at_param(t, at_root(), name, shape, INIT_NORMAL(1));
}

static void no_gradient(const at_tensor *x, const char *what)
{
    const real *grad = at_grad_of(x);
    for (size_t i = 0; grad && i < x->len; i++)
        if (grad[i] != 0)
            fail_msg("%s: the gradient of a sum of nothing is %g", what, (double)grad[i]);
}

static void sums_of_nothing_have_no_gradient(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    at_tensor *w = at_param(t, at_root(), "w", SHAPE(4, 3), INIT_NORMAL(1));
    at_tensor *b = at_param(t, at_root(), "b", SHAPE(4), INIT_NORMAL(1));
    make_dirty(t);
    at_tensor *loss = at_linear_cross_entropy(t, at_zeros(t, SHAPE(0, 3)), w, b, ATTEND_OUT_IN,
                                              (at_ids){SHAPE(0), NULL},
                                              (at_cross_entropy_options){.smoothing = 0});
    assert_true(at_backward(t, loss));
    no_gradient(w, "cross-entropy");
    no_gradient(b, "cross-entropy");
    at_tape_reset(t);
    w = at_param(t, at_root(), "w", SHAPE(4, 3), INIT_NORMAL(1));
    make_dirty(t);
    loss = at_sum(t, at_matmul(t, at_zeros(t, SHAPE(0, 2, 4)), false, w, false, 1));
    assert_true(at_backward(t, loss));
    no_gradient(w, "matmul");
    at_tape_free(t);
    at_params_free(params);
}

static void what_is_no_number_stays_none(void **state)
{
    (void)state;
    const real x[4] = {(real)NAN, (real)NAN, (real)NAN, (real)NAN}, one[4] = {1, 2, 3, 4};
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_tensor *q = at_input(t, SHAPE(1, 2, 2), x), *k = at_input(t, SHAPE(1, 2, 2), one);
    at_attention_options o = {.heads = 1, .scale = 1, .weights = true};
    at_attention_result r = at_attention(t, at_rows_of(q), at_rows_of(k), at_rows_of(k), o);
    at_tensor *y[] = {at_relu(t, q), at_softmax(t, q, NULL), r.context, r.weights};
    assert_false(at_failed(t));
    for (size_t i = 0; i < sizeof y / sizeof *y; i++)
        for (size_t j = 0; j < y[i]->len; j++)
            if (!isnan(y[i]->value[j]))
                fail_msg("result %zu has %g", i, (double)y[i]->value[j]);
    at_tape_free(t);
    at_params_free(params);
}

static void lengths_need_sentences(void **state)
{
    (void)state;
    static const int lengths[2] = {2, 1};
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_softmax(t, at_zeros(t, SHAPE(2, 2)), &(at_mask){.lengths = lengths});
    assert_true(at_failed(t));
    at_tape_free(t);
    at_params_free(params);
}

/* ---- copies and broadcasts ---------------------------------------------------------------- */

/* slices that meet and that leave gaps, transposes, look-ups, sums with a row, a column, a block */
static at_tensor *moved_about(at_tape *t, bool one_slice)
{
    static const int ids[] = {7, 0, 90, 7};
    at_tensor *x = numbers(t, "large", SHAPE(6, 130, 96)), *row = numbers(t, "row", SHAPE(96));
    at_tensor *column = numbers(t, "column", SHAPE(96, 1)),
              *block = numbers(t, "block", SHAPE(6, 1, 96));
    at_tensor *y = at_slice(t, x, 1, 17, 113);
    if (!one_slice) {
        at_tensor *parts[] = {y, at_slice(t, x, 1, 0, 17), at_slice(t, x, 1, 0, 0)};
        y = at_slice(t, at_concat(t, 3, parts, 1), 1, 0, 96);
        y = at_add(t, y, at_slice(t, at_slice(t, x, 0, 2, 3), 1, 30, 126));
    }
    y = at_add(t, at_add(t, at_add(t, y, row), column), block);
    y = at_transpose(t, at_transpose(t, at_multiply(t, y, row), 1, 2), 0, 1);
    at_tensor *table = at_reshape(t, y, SHAPE(96, 6 * 96));
    return at_tanh(t, at_embedding(t, table, (at_ids){SHAPE(2, 2), ids}));
}

static void move_about(at_params *params, int threads, bool one_slice, real *grads, size_t room)
{
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    attend_set_threads(threads);
    make_dirty(t);
    assert_true(at_backward(t, at_sum(t, moved_about(t, one_slice))));
    for (int i = 0; i < at_params_count(params); i++) {
        size_t len = at_params_at(params, i)->len;
        assert_true(len <= room);
        memcpy(grads, at_param_grad(t, i), len * sizeof *grads);
        grads += len;
        room -= len;
    }
    at_tape_free(t);
}

static void threads_change_no_bit_of_copies(void **state)
{
    (void)state;
    enum { ROOM = 6 * 130 * 96 + 8 * 96 };
    static real one[ROOM], many[ROOM];
    at_params *params = at_params_new(1);
    for (int threads = 1; threads <= 5; threads++)
        for (int slices = 0; slices < 2; slices++) {
            move_about(params, 1, slices, one, ROOM);
            move_about(params, threads, slices, many, ROOM);
            assert_memory_equal(one, many, sizeof one);
        }
    attend_set_threads(0);
    at_params_free(params);
}

/* a column as long as a row is not a row */
static void gradients_of_broadcasts_are_sums(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    const real g[9] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    at_tensor *row = numbers(t, "row", SHAPE(3)), *column = numbers(t, "column", SHAPE(3, 1));
    at_tensor *one = numbers(t, "one", SHAPE(1)), *whole = numbers(t, "whole", SHAPE(3, 3));
    at_tensor *y = at_add(t, at_add(t, at_add(t, whole, row), column), one);
    assert_true(at_backward(t, at_sum(t, at_multiply(t, y, at_input(t, SHAPE(3, 3), g)))));
    const real rows[3] = {73, 146, 292}, columns[3] = {7, 56, 448};
    assert_memory_equal(at_grad_of(row), rows, sizeof rows);
    assert_memory_equal(at_grad_of(column), columns, sizeof columns);
    assert_memory_equal(at_grad_of(whole), g, sizeof g);
    assert_true(at_grad_of(one)[0] == 511);
    at_tape_free(t);
    at_params_free(params);
}

/* a slice's backward writes what it leaves out as well */
static void what_a_slice_leaves_out_has_no_gradient(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    for (int axis = 0; axis < 3; axis++) {
        at_tape *t = at_tape_new(params, ATTEND_TRAIN);
        make_dirty(t);
        at_tensor *x = numbers(t, "x", SHAPE(4, 5, 3));
        assert_true(at_backward(t, at_sum(t, at_slice(t, x, axis, 1, 2))));
        for (int i = 0; i < 60; i++) {
            const int at[3] = {i / 15, i / 3 % 5, i % 3};
            assert_true(at_grad_of(x)[i] == (at[axis] == 1));
        }
        at_tape_free(t);
    }
    at_params_free(params);
}

/* ---- losses ------------------------------------------------------------------------------- */

static void near(const at_tensor *loss, double want)
{
    if (!(fabs((double)loss->value[0] - want) <= 1e-6 * (1 + fabs(want))))
        fail_msg("the loss is %g, not %g", (double)loss->value[0], want);
}

static void losses_have_the_values_of_their_formulas(void **state)
{
    (void)state;
    const real x[4] = {(real)0.5, -1, 2, 0}, y[4] = {1, 0, (real)0.25, 1};
    const real far[2] = {800, -800}, one_zero[2] = {1, 0}, zero_one[2] = {0, 1};
    const int first[2] = {0, 2}, last[2] = {1, 7}, none[2] = {2, 2};
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_tensor *in = at_input(t, SHAPE(2, 2), x), *wide = at_input(t, SHAPE(2), far);
    near(at_mse(t, in, y, (at_reduction){.sum = false}), 5.3125 / 4);
    near(at_mse(t, in, y, (at_reduction){.sum = true}), 5.3125);
    near(at_mse(t, in, y, (at_reduction){.divisor = 2}), 5.3125 / 2);
    near(at_bce(t, in, y, (at_reduction){.sum = false}), 0.7768534658);
    near(at_bce(t, wide, one_zero, (at_reduction){.sum = true}), 0);
    near(at_bce(t, wide, zero_one, (at_reduction){.sum = true}), 1600);
    double start = log1p(exp(-1.5)),
           end = 1.5 + log1p(exp(-1.5)); /* the second text has no answer */
    near(at_span_loss(t, in, in, (at_span_targets){first, last, NULL}, 0), (start + end) / 2);
    near(at_span_loss(t, in, in, (at_span_targets){first, last, NULL}, 4), (start + end) / 8);
    near(at_span_loss(t, in, in, (at_span_targets){first, first, (const int[]){1, 2}}, 0), 0);
    near(at_span_loss(t, in, in, (at_span_targets){none, none, NULL}, 0), 0);
    assert_null(at_tape_error(t));
    at_tape_free(t);
    at_params_free(params);
}

static void losses_refuse_what_does_not_fit(void **state)
{
    (void)state;
    const real bad[2] = {0, (real)1.5}, none[2] = {0, (real)NAN};
    const int first[2] = {0, 0}, lengths[2] = {1, 3};
    at_params *params = at_params_new(1);
    for (int i = 0; i < 4; i++) {
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_tensor *x = at_zeros(t, SHAPE(2)), *y = at_zeros(t, SHAPE(2, 2));
        if (i < 2)
            at_bce(t, x, i ? none : bad, (at_reduction){.sum = true});
        else
            at_span_loss(t, y, i == 2 ? x : y,
                         (at_span_targets){first, first, i == 3 ? lengths : NULL}, 0);
        assert_non_null(at_tape_error(t));
        at_tape_free(t);
    }
    at_params_free(params);
}

/* ---- bits of fused ops ------------------------------------------------------------------- */

static void same_bits(const at_tensor *a, const at_tensor *b, const char *what)
{
    if (!at_shape_equal(a->shape, b->shape) || memcmp(a->value, b->value, a->len * sizeof(real)))
        fail_msg("%s has other bits than the ops it stands for", what);
}

static void activations_on_products(at_tape *t)
{
    static const char *const names[] = {"gelu", "gelu_new", "gelu_10", "quick_gelu", "silu",
                                        "mish", "relu",     "tanh",    "sigmoid",    "linear"};
    at_tensor *x = numbers(t, "x", SHAPE(5, 13, 37)), *w = numbers(t, "w", SHAPE(65, 37));
    at_tensor *b = numbers(t, "b", SHAPE(65)), *v = numbers(t, "v", SHAPE(37, 65));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        at_activation *f = at_activation_find(names[i]);
        same_bits(at_affine_act(t, x, w, b, ATTEND_OUT_IN, f),
                  f(t, at_affine(t, x, w, b, ATTEND_OUT_IN)), names[i]);
        same_bits(at_affine_act(t, x, v, NULL, ATTEND_IN_OUT, f),
                  f(t, at_affine(t, x, v, NULL, ATTEND_IN_OUT)), names[i]);
    }
}

static void residual_norms(at_tape *t)
{
    at_tensor *x = numbers(t, "x", SHAPE(5, 13, 37)), *r = numbers(t, "r", SHAPE(5, 13, 37));
    at_tensor *w = numbers(t, "norm", SHAPE(37)), *b = numbers(t, "shift", SHAPE(37)), *sum;
    at_tensor *both = at_add(t, x, r), *y = at_layer_norm(t, both, w, b, (real)1e-5);
    same_bits(at_residual_norm(t, x, r, w, b, (real)1e-5, &sum), y, "residual_norm");
    same_bits(sum, both, "the sum of residual_norm");
    same_bits(at_residual_norm(t, x, r, w, b, (real)1e-5, NULL), y, "residual_norm");
}

static void fused_ops_have_the_bits_of_their_parts(void **state)
{
    (void)state;
    at_params *params = at_params_new(1);
    for (int mode = ATTEND_INFER; mode <= ATTEND_TRAIN; mode++) {
        at_tape *t = at_tape_new(params, (at_mode)mode);
        activations_on_products(t);
        residual_norms(t);
        assert_null(at_tape_error(t));
        at_tape_free(t);
    }
    at_params_free(params);
}

/* a norm that gives x and r a gradient through y, through s, or through both; as one op, or two */
static void norm_gradients(at_params *params, bool fused, int uses, real *grads[4])
{
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    at_tensor *x = numbers(t, "x", SHAPE(5, 13, 37)), *r = numbers(t, "r", SHAPE(5, 13, 37));
    at_tensor *w = numbers(t, "norm", SHAPE(37)), *b = numbers(t, "shift", SHAPE(37));
    at_tensor *sum = at_add(t, x, r), *y = NULL;
    y = fused ? at_residual_norm(t, x, r, w, b, (real)1e-5, &sum)
              : at_layer_norm(t, sum, w, b, (real)1e-5);
    at_tensor *loss = uses == 1 ? at_tanh(t, y) : at_tanh(t, sum);
    if (uses == 3)
        loss = at_add(t, at_tanh(t, y), loss);
    assert_true(at_backward(t, at_sum(t, at_multiply(t, loss, loss))));
    at_tensor *of[4] = {x, r, w, b};
    for (int i = 0; i < 4; i++) {
        memset(grads[i], 0, of[i]->len * sizeof(real));
        if (at_grad_of(of[i]))
            memcpy(grads[i], at_grad_of(of[i]), of[i]->len * sizeof(real));
    }
    at_tape_free(t);
}

static void residual_norm_gives_both_terms_their_gradient(void **state)
{
    (void)state;
    enum { MOST = 5 * 13 * 37 };
    static real one[4][MOST], two[4][MOST];
    at_params *params = at_params_new(1);
    for (int uses = 1; uses <= 3; uses++)
        for (int threads = 1; threads <= 3; threads += 2) {
            attend_set_threads(threads);
            norm_gradients(params, true, uses, (real *[]){one[0], one[1], one[2], one[3]});
            norm_gradients(params, false, uses, (real *[]){two[0], two[1], two[2], two[3]});
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < (k < 2 ? MOST : 37); i++)
                    if (fabs((double)(one[k][i] - two[k][i])) > 20 * agree_tolerance)
                        fail_msg("input %d, element %d: %g, not %g", k, i, (double)one[k][i],
                                 (double)two[k][i]);
        }
    attend_set_threads(0);
    at_params_free(params);
}

/* element i of sentence b draws word i of the stream of that sentence, on any number of threads */
static void dropout_of_a_batch(const at_shape shape, int threads, const real *x, const real *g)
{
    const uint32_t threshold = (uint32_t)((double)(real)0.3 * 4294967296.0);
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    at_tape_keep_values(t);
    at_tape_seed(t, 77, 5, 3);
    attend_set_threads(threads);
    at_tensor *in = at_variable(t, shape, x);
    at_tensor *y = at_dropout(t, in, (real)0.3);
    real scale = 1 / (1 - (real)0.3);
    at_tensor *loss = at_sum(t, at_multiply(t, y, at_input(t, shape, g)));
    assert_true(at_backward(t, loss));
    const real *grad = at_grad_of(in);
    size_t per_sentence = in->len / (size_t)shape.dim[0];
    for (size_t i = 0; i < in->len; i++) {
        at_random r = {77, 5, (uint32_t)(3 + i / per_sentence), 0};
        bool kept = at_random_u32(r, (uint32_t)(i % per_sentence)) >= threshold;
        if (y->value[i] != (kept ? x[i] * scale : 0) || grad[i] != (kept ? g[i] * scale : 0))
            fail_msg("element %zu with %d threads: %g, gradient %g", i, threads,
                     (double)y->value[i], (double)grad[i]);
    }
    at_tape_free(t);
    at_params_free(params);
}

static void dropout_depends_on_sentence_and_element_alone(void **state)
{
    (void)state;
    enum { N = 30000 };
    real *x = at_alloc(N * sizeof *x), *g = at_alloc(N * sizeof *g);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = (real)at_random_normal((at_random){.seed = 1}, i);
        g[i] = (real)at_random_normal((at_random){.seed = 2}, i);
    }
    for (int threads = 1; threads <= 5; threads += 2) {
        dropout_of_a_batch(SHAPE(1, 10, 3000), threads, x, g);
        dropout_of_a_batch(SHAPE(3, 9999), threads, x, g);
        dropout_of_a_batch(SHAPE(4285, 7), threads, x, g);
        dropout_of_a_batch(SHAPE(29999), threads, x, g);
    }
    attend_set_threads(0);
    at_free(x);
    at_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_is_complete),
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(fused_ops_equal_their_reference),
        cmocka_unit_test(a_fault_of_one_percent_is_caught_in_every_op),
        cmocka_unit_test(sums_of_nothing_have_no_gradient),
        cmocka_unit_test(what_is_no_number_stays_none),
        cmocka_unit_test(lengths_need_sentences),
        cmocka_unit_test(threads_change_no_bit_of_copies),
        cmocka_unit_test(gradients_of_broadcasts_are_sums),
        cmocka_unit_test(what_a_slice_leaves_out_has_no_gradient),
        cmocka_unit_test(losses_have_the_values_of_their_formulas),
        cmocka_unit_test(losses_refuse_what_does_not_fit),
        cmocka_unit_test(fused_ops_have_the_bits_of_their_parts),
        cmocka_unit_test(residual_norm_gives_both_terms_their_gradient),
        cmocka_unit_test(dropout_depends_on_sentence_and_element_alone),
    };
    return cmocka_run_group_tests_name("grad_ops", tests, NULL, NULL);
}
