/* GPT-2: what it computes depends on no batch, thread, cache or type of its weights in memory. */
#include "models/gpt2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/random.h"
#include "gradient_check.h"

enum { V = 61, LENGTH = 150, D = 32, BATCH = 64 };

static const at_gpt2 model = {.vocabulary = V,
                              .positions = LENGTH,
                              .width = D,
                              .layers = 3,
                              .heads = 4,
                              .inner = 4 * D,
                              .epsilon = (real)1e-5,
                              .activation = at_gelu_tanh};

static at_params *params;
static at_tape *tape;
static int tokens[BATCH * LENGTH];

static int enter(void **state)
{
    (void)state;
    for (int i = 0; i < BATCH * LENGTH; i++)
        tokens[i] = (int)at_random_below((at_random){.seed = 4}, (uint32_t)i, V);
    params = at_params_new(7);
    tape = at_tape_new(params, ATTEND_INFER);
    return params && tape ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    at_tape_free(tape);
    at_params_free(params);
    attend_set_threads(2);
    return 0;
}

/* logits of the first n tokens of a text, all at once: [n,V] */
static void full(int text, int n, real *out)
{
    at_tape_reset(tape);
    at_ids ids = {SHAPE(1, n), tokens + text * LENGTH};
    at_tensor *x = at_gpt2_states(tape, at_root(), &model, ids, NULL, NULL);
    x = at_gpt2_logits(tape, at_root(), &model, x);
    assert_false(at_failed(tape));
    memcpy(out, x->value, x->len * sizeof *out);
}

static void assert_same(const real *a, const real *b, size_t n, const char *what, int at)
{
    if (memcmp(a, b, n * sizeof *a) != 0)
        fail_msg("%s: other bits at %d", what, at);
}

static void a_cache_gives_the_bits_of_the_whole(void **state)
{
    (void)state;
    static const int steps[] = {1, 5, 64, 150};
    static real want[LENGTH * V];
    full(0, LENGTH, want);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        at_cache *c = at_gpt2_cache(&model);
        attend_error err;
        assert_int_equal(at_cache_join(c, 1, &err), ATTEND_OK);
        for (int i = 0; i < LENGTH; i += steps[s]) {
            int n = LENGTH - i < steps[s] ? LENGTH - i : steps[s];
            at_tape_reset(tape);
            at_ids ids = {SHAPE(1, n), tokens + i};
            at_tensor *x = at_gpt2_states(tape, at_root(), &model, ids, c, NULL);
            x = at_gpt2_logits(tape, at_root(), &model, x);
            assert_false(at_failed(tape));
            assert_same(x->value, want + i * V, x->len, "cache", i);
        }
        at_cache_free(c);
    }
}

static void neither_the_batch_nor_the_threads_change_a_bit(void **state)
{
    (void)state;
    enum { N = 70 };
    static const int batches[] = {7, BATCH}, threads[] = {1, 2, 5};
    static real want[N * V];
    static int ids[BATCH * N];
    for (int i = 0; i < BATCH * N; i++)
        ids[i] = tokens[i / N * LENGTH + i % N];
    for (int i = 0; i < 6; i++) {
        int B = batches[i % 2];
        attend_set_threads(threads[i / 2]);
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_tensor *x = at_gpt2_states(t, at_root(), &model, (at_ids){SHAPE(B, N), ids}, NULL, NULL);
        x = at_gpt2_logits(t, at_root(), &model, x);
        assert_false(at_failed(t));
        for (int b = 0; b < B; b += 3) {
            attend_set_threads(2);
            full(b, N, want);
            assert_same(x->value + (size_t)b * N * V, want, N * V, "batch", b);
        }
        at_tape_free(t);
    }
}

/* prompts of different lengths in one batch, then a token each: as each text alone */
static void ragged_rows_have_the_bits_of_each_alone(void **state)
{
    (void)state;
    enum { B = 5, T = 90 };
    static const int counts[B] = {90, 1, 64, 65, 17};
    static int ids[B * T];
    static real want[LENGTH * V];
    attend_error err;
    at_cache *c = at_gpt2_cache(&model);
    assert_int_equal(at_cache_join(c, B, &err), ATTEND_OK);
    for (int i = 0; i < B * T; i++)
        ids[i] = i % T < counts[i / T] ? tokens[i / T * LENGTH + i % T] : 0;
    at_tape_reset(tape);
    at_tensor *x = at_gpt2_states(tape, at_root(), &model, (at_ids){SHAPE(B, T), ids}, c, counts);
    x = at_gpt2_logits(tape, at_root(), &model, at_gpt2_last(tape, x, counts));
    static real first[B * V], second[B * V];
    memcpy(first, x->value, sizeof first);
    int next[B];
    for (int b = 0; b < B; b++)
        next[b] = tokens[b * LENGTH + counts[b]];
    at_tape_reset(tape);
    x = at_gpt2_states(tape, at_root(), &model, (at_ids){SHAPE(B, 1), next}, c, NULL);
    x = at_gpt2_logits(tape, at_root(), &model, x);
    assert_false(at_failed(tape));
    memcpy(second, x->value, sizeof second);
    for (int b = 0; b < B; b++) {
        full(b, counts[b] + 1, want);
        assert_same(first + b * V, want + (counts[b] - 1) * V, V, "prompt", b);
        assert_same(second + b * V, want + counts[b] * V, V, "token", b);
    }
    at_cache_free(c);
}

static void shared_weights_give_the_same_bits(void **state)
{
    (void)state;
    static real want[LENGTH * V], got[LENGTH * V];
    full(1, LENGTH, want);
    at_params_seal(params);
    at_params_share(params);
    for (int i = 0; i < 3; i++) {
        full(1, LENGTH, got);
        assert_same(got, want, LENGTH * V, "shared", i);
    }
}

/* the weights rounded to bfloat16: borrowed so, and widened in the set itself */
static void two_byte_weights_give_the_bits_of_widened_ones(void **state)
{
    (void)state;
    static real want[LENGTH * V], got[LENGTH * V];
    static const at_lender lender = {.user = NULL};
    attend_error err;
    full(2, 1, want); /* makes the parameters */
    at_params *own = params, *borrowed = at_params_new(0);
    uint16_t *half[100];
    for (int i = 0; i < at_params_count(own); i++) {
        at_parameter *v = at_params_at(own, i);
        half[i] = at_alloc(v->len * sizeof *half[i]);
        for (size_t j = 0; j < v->len; j++) {
            half[i][j] = at_bfloat_from_float((float)v->value[j]);
            v->value[j] = at_bfloat_to_float(half[i][j]);
        }
        assert_int_equal(at_params_borrow(borrowed, v->name, v->shape, ATTEND_ELEMENT_BF16, half[i],
                                          &lender, &err),
                         ATTEND_OK);
    }
    at_params_seal(borrowed);
    at_params_share(borrowed);
    at_tape *own_tape = tape;
    for (int n = 1; n <= LENGTH; n += 37) {
        tape = own_tape;
        full(2, n, want);
        tape = at_tape_new(borrowed, ATTEND_INFER);
        full(2, n, got);
        at_tape_free(tape);
        assert_same(got, want, (size_t)n * V, "bf16", n);
    }
    tape = own_tape;
    for (int i = 0; i < at_params_count(own); i++)
        at_free(half[i]);
    at_params_free(borrowed);
}

static void a_text_that_is_too_long_is_refused(void **state)
{
    (void)state;
    at_ids ids = {SHAPE(1, LENGTH + 1), tokens};
    at_gpt2_states(tape, at_root(), &model, ids, NULL, NULL);
    assert_non_null(strstr(at_tape_error(tape)->message, "more than the 150 tokens"));
}

static at_tensor *small_loss(at_tape *t, at_path s, const void *arg)
{
    static const int ids[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const at_gpt2 *m = arg;
    at_tensor *x = at_gpt2_states(t, s, m, (at_ids){SHAPE(2, 3), ids}, NULL, NULL);
    return at_gpt2_loss(t, s, m, x, (at_ids){SHAPE(2, 3), ids + 1},
                        (at_cross_entropy_options){.ignore = -1});
}

static void its_gradient_is_right(void **state)
{
    (void)state;
    at_gpt2 small = {.vocabulary = 11,
                     .positions = 4,
                     .width = 6,
                     .layers = 2,
                     .heads = 2,
                     .inner = 8,
                     .epsilon = (real)1e-5,
                     .activation = at_gelu};
    at_gradcheck c = at_gradient_check(small_loss, &small, sizeof(real) == 8 ? 1e-7 : 5e-2, NULL,
                                       NULL);
    if (!c.ok)
        fail_msg("%s", c.where);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool ended = false;
    static real want[LENGTH * V];
    full(0, 1, want); /* makes the parameters */
    for (long n = 0; n < 1000 && !ended; n++) {
        attend_error err;
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_cache *c = at_gpt2_cache(&model);
        at_alloc_fail_after(n);
        if (at_cache_join(c, 2, &err) >= 0)
            at_gpt2_states(t, at_root(), &model, (at_ids){SHAPE(2, 70), tokens}, c, NULL);
        else
            at_fail_with(t, &err);
        at_alloc_fail_after(-1);
        ended = !at_failed(t);
        if (!ended)
            assert_int_equal(at_tape_error(t)->status, ATTEND_MEMORY);
        at_cache_free(c);
        at_tape_free(t);
    }
    assert_true(ended);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cache_gives_the_bits_of_the_whole),
        TEST(neither_the_batch_nor_the_threads_change_a_bit),
        TEST(ragged_rows_have_the_bits_of_each_alone),
        TEST(shared_weights_give_the_same_bits),
        TEST(two_byte_weights_give_the_bits_of_widened_ones),
        TEST(a_text_that_is_too_long_is_refused),
        TEST(its_gradient_is_right),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
