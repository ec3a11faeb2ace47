/* Gradients of every attention that makes sense, over queries, keys, values and all parameters,
 * with masks and rows that see nothing; weights and context both count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attention_every.h"
#include "gradient_check.h"

enum { MOST_HEADS = 2 };
#ifdef ATTEND_REAL_DOUBLE
static const double check_tolerance = 1e-6, agree_tolerance = 1e-11;
#else
static const double check_tolerance = 2e-3, agree_tolerance = 2e-5;
#endif

static void ops_have_the_right_gradient(void **state)
{
    (void)state;
    for (int i = 0; i < at_attention_op_count; i++) {
        const at_op *op = at_attention_ops[i];
        at_gradcheck c = at_gradient_check(op->sample, NULL, check_tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("%s: error %g at %s", op->name, c.worst, c.where);
        if (op->reference) {
            c = at_builds_agree(op->sample, op->reference, NULL, agree_tolerance);
            if (!c.ok)
                fail_msg("%s and its reference: error %g at %s", op->name, c.worst, c.where);
        }
    }
}

typedef struct {
    const at_how *how;
    const char *name;
    bool causal;
    bool same;   /* the values are the keys: one tensor */
    bool unseen; /* nobody wants the weights */
} trial;

enum { B = 2, Q = 3, K = 5, D = 4 };
static const int lengths[B] = {5, 3};
static const unsigned char hidden[B * Q * K] = {
    0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, /* sentence 0 */
    1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, /* sentence 1: the first query sees nothing */
};

static at_tensor *flat(at_tape *t, at_tensor *x)
{
    return at_failed(t) ? at_poison(t) : at_reshape(t, x, SHAPE((int)x->len));
}

static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    const trial *r = arg;
    at_init how = INIT_NORMAL((real)0.8);
    at_tensor *q = at_param(t, s, "q", SHAPE(B, Q, D), how);
    at_tensor *k = at_param(t, s, "k", SHAPE(B, K, D), how);
    at_tensor *v = r->same ? k : at_param(t, s, "v", SHAPE(B, K, D), how);
    at_mask mask = {
        .hidden = hidden, .hidden_shape = SHAPE(B, Q, K), .causal = r->causal, .offset = 1};
    at_memory m = at_attention_prepare(t, s, r->how, D, k, v, lengths);
    at_reading y = at_attention_read(t, s, r->how, &m,
                                     (at_query){.query = q, .mask = mask, .weights = !r->unseen});
    at_tensor *all[4] = {flat(t, y.context)};
    int n = 1;
    if (!r->unseen)
        all[n++] = flat(t, y.weights);
    if (y.log_p) {
        all[n++] = flat(t, y.log_p);
        all[n++] = flat(t, y.entropy);
    }
    return at_concat(t, n, all, 0);
}

static void check_one(const at_how *how, const char *text, void *user)
{
    double *worst = user;
    const trial trials[] = {{how, "", false, false, false},
                            {how, ", causal", true, false, false},
                            {how, ", keys as values", false, true, false},
                            {how, ", keys as values, without weights", false, true, true}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        at_gradcheck c = at_gradient_check(build, &trials[i], check_tolerance, NULL, NULL);
        if (!c.ok)
            fail_msg("%s%s: error %g at %s", text, trials[i].name, c.worst, c.where);
        *worst = c.worst > *worst ? c.worst : *worst;
    }
}

static void every_attention_has_the_right_gradient(void **state)
{
    (void)state;
    if (sizeof(real) < sizeof(double))
        skip(); /* differences in float are too coarse for draws and sorted scores */
    double worst = 0;
    int n = every_attention(MOST_HEADS, check_one, &worst);
    print_message("%d attentions, in four ways, worst error %.1e\n", n, worst);
    assert_true(is_enough(n, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_have_the_right_gradient),
        cmocka_unit_test(every_attention_has_the_right_gradient),
    };
    return cmocka_run_group_tests_name("attention_gradients", tests, NULL, NULL);
}
