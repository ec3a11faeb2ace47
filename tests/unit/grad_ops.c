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
#include "grad/check.h"
#include "grad/ops.h"

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
        at_check c = at_gradient_check(at_ops[i]->sample, NULL, check_tolerance, NULL, NULL);
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
        at_check c = at_builds_agree(at_ops[i]->sample, at_ops[i]->reference, NULL,
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
            at_check c = at_gradient_check(at_ops[i]->sample, NULL, check_tolerance, plant, &f);
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

/* element i of sentence b draws word i of the stream of that sentence, on any number of threads */
static void dropout_of_a_batch(const at_shape shape, int threads, const real *x, const real *g)
{
    const uint32_t threshold = (uint32_t)((double)(real)0.3 * 4294967296.0);
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
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
        cmocka_unit_test(dropout_depends_on_sentence_and_element_alone),
    };
    return cmocka_run_group_tests_name("grad_ops", tests, NULL, NULL);
}
