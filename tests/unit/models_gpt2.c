/* GPT-2: what it computes depends on no batch, thread, cache or type of its weights in memory. */
#include "models/gpt2.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
                              .attention = {.score = &at_score_scaled_dot,
                                            .scope = &at_scope_global,
                                            .pick = &at_pick_soft,
                                            .heads = 4},
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
    at_tensor *x = at_gpt2_states(tape, at_root(), &model, &(at_gpt2_input){.tokens = ids});
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
            at_tensor *x = at_gpt2_states(tape, at_root(), &model,
                                          &(at_gpt2_input){.tokens = ids, .cache = c});
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
        at_tensor *x = at_gpt2_states(t, at_root(), &model,
                                      &(at_gpt2_input){.tokens = (at_ids){SHAPE(B, N), ids}});
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
    at_tensor *x = at_gpt2_states(
        tape, at_root(), &model,
        &(at_gpt2_input){.tokens = (at_ids){SHAPE(B, T), ids}, .cache = c, .counts = counts});
    x = at_gpt2_logits(tape, at_root(), &model, at_gpt2_last(tape, x, counts));
    static real first[B * V], second[B * V];
    memcpy(first, x->value, sizeof first);
    int next[B];
    for (int b = 0; b < B; b++)
        next[b] = tokens[b * LENGTH + counts[b]];
    at_tape_reset(tape);
    x = at_gpt2_states(tape, at_root(), &model,
                       &(at_gpt2_input){.tokens = (at_ids){SHAPE(B, 1), next}, .cache = c});
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
    at_gpt2_states(tape, at_root(), &model, &(at_gpt2_input){.tokens = ids});
    assert_non_null(strstr(at_tape_error(tape)->message, "more than the 150 tokens"));
}

static at_tensor *small_loss(at_tape *t, at_path s, const void *arg)
{
    static const int ids[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const at_gpt2 *m = arg;
    at_tensor *x = at_gpt2_states(t, s, m, &(at_gpt2_input){.tokens = (at_ids){SHAPE(2, 3), ids}});
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
                     .attention = {.score = &at_score_scaled_dot,
                                   .scope = &at_scope_global,
                                   .pick = &at_pick_soft,
                                   .heads = 2},
                     .inner = 8,
                     .epsilon = (real)1e-5,
                     .activation = at_gelu};
    at_gradcheck c = at_gradient_check(small_loss, &small, sizeof(real) == 8 ? 1e-7 : 5e-2, NULL,
                                       NULL);
    if (!c.ok)
        fail_msg("%s", c.where);
}

/* ---- every attention ------------------------------------------------------------------------ */

/* what a list shows of a mechanism: its example, or its name */
static const char *shown(const at_about *a) { return a->example ? a->example : a->name; }

/* a small model with the i-th attention: every score, scope and pick once; false after the last */
static bool small_with(int i, at_gpt2 *m, char text[100])
{
    int scopes = i - at_score_count, picks = scopes - at_scope_count;
    attend_error err;
    if (picks >= at_pick_count)
        return false;
    if (picks >= 0)
        snprintf(text, 100, "scaled-dot/global/%s%s", at_picks[picks]->about.name,
                 at_picks[picks]->draws ? ":straight-through" : "");
    else if (scopes >= 0)
        snprintf(text, 100, "scaled-dot/%s", shown(&at_scopes[scopes]->about));
    else if (at_scores[i]->limits_length)
        snprintf(text, 100, "%s:12", at_scores[i]->about.name);
    else
        snprintf(text, 100, "%s", shown(&at_scores[i]->about));
    *m = (at_gpt2){.vocabulary = 11,
                   .positions = 12,
                   .width = 6,
                   .layers = 2,
                   .inner = 8,
                   .epsilon = (real)1e-5,
                   .activation = at_gelu,
                   .untied = i % 2};
    assert_int_equal(at_how_parse(&m->attention, text, &err), ATTEND_OK);
    m->attention.heads = 2;
    m->scale_by_layer = m->attention.score->dot_scale;
    return true;
}

/* tokens one by one, in two rows of different length, beside all tokens at once */
static void any_attention_has_the_same_bits_with_a_cache(void **state)
{
    (void)state;
    enum { T = 12, SMALL = 11, FIRST = 5 };
    static const int counts[2] = {FIRST, FIRST - 2};
    at_gpt2 m;
    char text[100];
    for (int i = 0; small_with(i, &m, text); i++) {
        int ids[2 * T], part[2 * FIRST];
        static real want[2 * T * SMALL];
        attend_error err;
        at_params *p = at_params_new(3);
        at_tape *t = at_tape_new(p, ATTEND_INFER);
        at_cache *c = at_gpt2_cache(&m);
        for (int k = 0; k < 2 * T; k++)
            ids[k] = tokens[k] % SMALL;
        at_gpt2_input whole = {.tokens = {SHAPE(2, T), ids}};
        at_tensor *x = at_gpt2_logits(t, at_root(), &m, at_gpt2_states(t, at_root(), &m, &whole));
        assert_false(at_failed(t));
        memcpy(want, x->value, sizeof want);
        assert_int_equal(at_cache_join(c, 2, &err), ATTEND_OK);
        for (int k = 0; k < 2 * FIRST; k++)
            part[k] = ids[k / FIRST * T + k % FIRST];
        at_tape_reset(t);
        at_gpt2_input prompt = {.tokens = {SHAPE(2, FIRST), part}, .cache = c, .counts = counts};
        at_gpt2_states(t, at_root(), &m, &prompt);
        for (int k = 0; k + FIRST < T; k++) {
            int next[2] = {ids[FIRST + k], ids[T + FIRST - 2 + k]};
            at_tape_reset(t);
            at_gpt2_input one = {.tokens = {SHAPE(2, 1), next}, .cache = c};
            x = at_gpt2_logits(t, at_root(), &m, at_gpt2_states(t, at_root(), &m, &one));
            assert_false(at_failed(t));
            assert_same(x->value, want + (FIRST + k) * SMALL, SMALL, text, k);
            assert_same(x->value + SMALL, want + (T + FIRST - 2 + k) * SMALL, SMALL, text, k);
        }
        at_cache_free(c);
        at_tape_free(t);
        at_params_free(p);
    }
}

static void the_gradient_of_any_attention_is_right(void **state)
{
    (void)state;
    at_gpt2 m;
    char text[100];
    for (int i = 0; small_with(i, &m, text); i++) {
        if (!m.attention.pick->is_softmax) /* which has kinks; the ops themselves are checked */
            continue;
        at_gradcheck c = at_gradient_check(small_loss, &m, sizeof(real) == 8 ? 1e-6 : 5e-2, NULL,
                                           NULL);
        if (!c.ok)
            fail_msg("%s: %s", text, c.where);
    }
}

/* Asking for attention and states changes no bit, and the rows of attention sum to 1. */
static void what_is_recorded_changes_nothing(void **state)
{
    (void)state;
    enum { T = 9 };
    static real want[T * V];
    full(0, T, want);
    at_attention_record record = {.kinds = 1u << ATTEND_ATTENTION_DECODER, .layer = -1, .head = -1};
    at_tensor *hidden[4];
    at_tape_reset(tape);
    at_gpt2_input in = {.tokens = {SHAPE(1, T), tokens}, .record = &record, .hidden = hidden};
    at_tensor *x = at_gpt2_logits(tape, at_root(), &model,
                                  at_gpt2_states(tape, at_root(), &model, &in));
    assert_false(at_failed(tape));
    assert_same(x->value, want, T * V, "recorded", 0);
    assert_int_equal(record.count, model.layers);
    for (int l = 0; l < record.count; l++)
        for (int row = 0; row < model.attention.heads * T; row++) {
            double sum = 0;
            for (int j = 0; j < T; j++)
                sum += (double)record.item[l].weights->value[row * T + j];
            assert_true(fabs(sum - 1) < 1e-5);
        }
    assert_int_equal(hidden[model.layers]->shape.dim[2], D);
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
            at_gpt2_states(t, at_root(), &model,
                           &(at_gpt2_input){.tokens = (at_ids){SHAPE(2, 70), tokens}, .cache = c});
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
        TEST(any_attention_has_the_same_bits_with_a_cache),
        TEST(the_gradient_of_any_attention_is_right),
        TEST(what_is_recorded_changes_nothing),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
