/* XLNet: its gradient, who sees whom under any permutation, memory, and what must not change a bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/half.h"
#include "base/memory.h"
#include "gradient_check.h"
#include "models/xlnet.h"

enum { V = 40, D = 16, LAYERS = 3, B = 4, T = 90 };

static at_xlnet model;
static at_params *params;
static at_tape *tape;
static int tokens[B * T], segments[B * T], rank[B * T], lengths[B] = {90, 66, 65, 13};

static int below(uint32_t i, int n)
{
    return (int)at_random_below((at_random){.seed = 4}, i, (uint32_t)n);
}

/* a permutation of the positions of each text */
static void permute(int seed)
{
    for (int b = 0; b < B; b++)
        for (int i = 0; i < T; i++)
            rank[b * T + i] = i;
    for (int i = 0; i < B * T; i++) {
        int first = i / T * T, j = first + below((uint32_t)(seed * 1000 + i), i - first + 1);
        int other = rank[i];
        rank[i] = rank[j];
        rank[j] = other;
    }
}

static int enter(void **state)
{
    (void)state;
    for (int i = 0; i < B * T; i++) {
        tokens[i] = below((uint32_t)i, V);
        segments[i] = i % T < 40 ? 0 : i % T < 80 ? 1 : 2;
    }
    permute(1);
    model = (at_xlnet){.vocabulary = V,
                       .width = D,
                       .layers = LAYERS,
                       .heads = 2,
                       .head_width = 6,
                       .inner = 24,
                       .activation = at_gelu,
                       .epsilon = (real)1e-12,
                       .head = ATTEND_XLNET_TOKENS,
                       .classes = 3,
                       .summary_projects = true,
                       .summary_activation = at_tanh};
    params = at_params_new(7);
    tape = at_tape_new(params, ATTEND_INFER);
    return params && tape ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    at_tape_free(tape);
    at_params_free(params);
    attend_set_threads(0);
    return 0;
}

static at_xlnet_input texts(void)
{
    return (at_xlnet_input){.ids = {SHAPE(B, T), tokens},
                            .lengths = lengths,
                            .segments = segments,
                            .query_rank = rank,
                            .key_rank = rank};
}

/* logits of the query stream if there is one, else of the content stream */
static at_tensor *logits(const at_xlnet_input *in)
{
    at_tape_reset(tape);
    at_streams s = at_xlnet_read(tape, &model, in);
    at_tensor *x = at_xlnet_logits(tape, &model, s.query ? s.query : s.content);
    if (at_failed(tape))
        fail_msg("%s", at_tape_error(tape)->message);
    return x;
}

static void same(const real *a, const real *b, size_t n, const char *what, int at)
{
    if (memcmp(a, b, n * sizeof *a) != 0)
        fail_msg("%s: other bits at %d", what, at);
}

/* ---- the gradient --------------------------------------------------------------------------- */

enum { SB = 2, ST = 4, SM = 2, SP = 2 };

static const int small_ids[] = {3, 1, 4, 1, 5, 2, 6, 0},
                 small_segments[] = {0, 0, 1, 2, 0, 1, 1, 1};
static const int small_lengths[] = {4, 3}, small_directions[] = {0, 1};
static const int small_queries[] = {0, 2, 1, 3, 1, 0, 2, 5},
                 small_keys[] = {-1, 2, 1, -1, 1, 0, -1, 4};
static const int small_targets[] = {2, 1, 0, -1}, small_labels[] = {4, 1, 5, -100};

static void small_memory(at_tape *t, at_tensor *out[LAYERS])
{
    for (int i = 0; i < LAYERS; i++) {
        out[i] = at_zeros(t, SHAPE(SB, SM, D));
        at_random key = {.seed = 8, .use = (uint32_t)i};
        for (size_t j = 0; j < out[i]->len && !at_failed(t); j++)
            out[i]->value[j] = (real)at_random_normal(key, (uint32_t)j);
    }
}

/* both streams, memory, segments, two directions, dropout; every head */
static at_tensor *small_loss(at_tape *t, at_path s, const void *arg)
{
    (void)s;
    at_tensor *memory[LAYERS];
    const at_xlnet *m = arg;
    small_memory(t, memory);
    for (int i = 0; i < LAYERS; i++)
        memory[i] = at_slice(t, memory[i], 2, 0, m->width);
    at_xlnet_input in = {.ids = {SHAPE(SB, ST), small_ids},
                         .lengths = small_lengths,
                         .segments = small_segments,
                         .query_rank = small_queries,
                         .key_rank = small_keys,
                         .targets = small_targets,
                         .P = SP,
                         .directions = small_directions,
                         .memory = memory};
    at_streams x = at_xlnet_read(t, m, &in);
    at_tensor *loss = at_xlnet_loss(t, m, x.query, (at_ids){SHAPE(SB, SP), small_labels},
                                    (at_cross_entropy_options){.ignore = -100});
    at_tensor *classes = at_xlnet_classes(t, m, at_xlnet_summarise(t, m, x.content, small_lengths));
    at_tensor *tags = at_xlnet_tags(t, m, x.content), *span = at_xlnet_span(t, m, x.content);
    loss = at_add(t, loss, at_sum(t, at_multiply(t, classes, classes)));
    loss = at_add(t, loss, at_sum(t, at_multiply(t, tags, tags)));
    return at_add(t, loss, at_sum(t, at_multiply(t, span, span)));
}

static void its_gradient_is_right(void **state)
{
    (void)state;
    at_xlnet small = model;
    small.vocabulary = 7;
    small.width = 4;
    small.head_width = 3;
    small.inner = 5;
    small.layers = 2;
    small.dropout = (real)0.2;
    small.clamp = 2;
    small.two_ways = true;
    small.epsilon = (real)1e-5;
    for (int summary = 0; summary < 3; summary++) {
        small.summary = (at_xlnet_summary)summary;
        at_gradcheck c = at_gradient_check(small_loss, &small, sizeof(real) == 8 ? 1e-6 : 2e-1,
                                           NULL, NULL);
        if (!c.ok)
            fail_msg("%s", c.where);
    }
}

/* ---- nothing leaks -------------------------------------------------------------------------- */

/* The first token of each order is context; the others are targets. (A target that sees nothing
 * weighs all tokens equally, as in the peer: an order of targets alone would not hide them.) */
static void choose_targets(int *targets)
{
    for (int b = 0; b < B; b++) {
        int first = 0;
        for (int i = 0; i < T; i++)
            targets[b * T + i] = i < lengths[b] ? i : -1;
        for (int i = 1; i < lengths[b]; i++)
            first = rank[b * T + i] < rank[b * T + first] ? i : first;
        targets[b * T + first] = -1;
    }
}

/* Under any permutation, neither its own token nor a later one changes a prediction. */
static void no_prediction_depends_on_a_later_token(void **state)
{
    (void)state;
    static int targets[B * T], changed[B * T];
    for (int trial = 1; trial < 8; trial++) {
        permute(trial);
        choose_targets(targets);
        static real before[B * T * V];
        at_xlnet_input in = texts();
        in.targets = targets;
        in.P = T;
        at_tensor *x = logits(&in);
        memcpy(before, x->value, sizeof before);
        int turn = 8 * trial, seen = 0; /* all tokens from here on, in the order, change */
        for (int i = 0; i < B * T; i++)
            changed[i] = rank[i] >= turn ? (tokens[i] + 1 + i % 7) % V : tokens[i];
        in.ids.id = changed;
        x = logits(&in);
        for (int i = 0; i < B * T; i++) {
            if (targets[i] < 0)
                continue;
            if (rank[i] <= turn) /* its own token changes where rank is turn */
                same(before + i * V, x->value + i * V, V, "prediction", i);
            else
                seen += memcmp(before + i * V, x->value + i * V, V * sizeof(real)) != 0;
        }
        assert_true(seen > 50); /* the others do depend on what changed */
    }
}

/* The content stream does see its own token, and a few targets have the bits of all. */
static void a_few_targets_have_the_bits_of_all(void **state)
{
    (void)state;
    enum { P = 7 };
    static int all[B * T], few[B * P];
    static real want[B * T * V];
    for (int i = 0; i < B * T; i++)
        all[i] = i % T < lengths[i / T] ? i % T : -1;
    at_xlnet_input in = texts();
    in.targets = all;
    in.P = T;
    memcpy(want, logits(&in)->value, sizeof want);
    for (int i = 0; i < B * P; i++)
        few[i] = (i % P * 29 + 5) % lengths[i / P];
    in.targets = few;
    in.P = P;
    at_tensor *x = logits(&in);
    for (int i = 0; i < B * P; i++)
        same(want + (i / P * T + few[i]) * V, x->value + i * V, V, "target", i);
    in.targets = NULL;
    x = logits(&in);
    static int changed[B * T];
    static real content[V];
    memcpy(changed, tokens, sizeof changed);
    memcpy(content, x->value + 5 * V, sizeof content);
    changed[5] = (tokens[5] + 1) % V;
    in.ids.id = changed;
    assert_memory_not_equal(content, logits(&in)->value + 5 * V, sizeof content);
}

/* perm_mask as flags says the same as the order */
static void flags_have_the_bits_of_the_order(void **state)
{
    (void)state;
    static unsigned char hidden[B * T * T];
    static int targets[B * 5];
    static real want[B * 5 * V];
    at_xlnet_input in = texts();
    in.lengths = NULL;
    in.targets = targets;
    in.P = 5;
    for (int i = 0; i < B * 5; i++)
        targets[i] = i % 5 * 17 + i / 5;
    memcpy(want, logits(&in)->value, sizeof want);
    for (int i = 0; i < B * T * T; i++)
        hidden[i] = rank[i / T / T * T + i % T] >= rank[i / T];
    in.query_rank = in.key_rank = NULL;
    in.hidden = hidden;
    same(want, logits(&in)->value, B * 5 * V, "perm_mask", 0);
}

/* ---- one direction, and memory -------------------------------------------------------------- */

/* attn_type uni is the order of reading */
static void uni_is_the_causal_model_of_the_same_weights(void **state)
{
    (void)state;
    static real want[B * T * V];
    for (int i = 0; i < B * T; i++)
        rank[i] = i % T;
    at_xlnet_input in = texts();
    in.lengths = NULL;
    memcpy(want, logits(&in)->value, sizeof want);
    model.causal = true;
    in.query_rank = in.key_rank = NULL;
    same(want, logits(&in)->value, B * T * V, "uni", 0);
}

/* two segments, the second with the memory of the first, are one long text of a causal model */
static void memory_continues_a_causal_text(void **state)
{
    (void)state;
    static real want[T * V], kept[LAYERS][T * D];
    model.causal = true;
    at_tensor *states[LAYERS + 1], *memory[LAYERS];
    at_xlnet_input in = {.ids = {SHAPE(1, T), tokens}};
    memcpy(want, logits(&in)->value, sizeof want);
    for (int first = 1; first < T; first += 22) {
        in = (at_xlnet_input){.ids = {SHAPE(1, first), tokens}, .content = states};
        logits(&in);
        for (int i = 0; i < LAYERS; i++)
            memcpy(kept[i], at_xlnet_remember(tape, &model, NULL, states[i])->value,
                   (size_t)(first * D) * sizeof(real));
        at_tape_reset(tape);
        for (int i = 0; i < LAYERS; i++)
            memory[i] = at_input(tape, SHAPE(1, first, D), kept[i]);
        in = (at_xlnet_input){.ids = {SHAPE(1, T - first), tokens + first}, .memory = memory};
        at_tensor *x = at_xlnet_logits(tape, &model, at_xlnet_read(tape, &model, &in).content);
        assert_false(at_failed(tape));
        same(want + first * V, x->value, x->len, "memory", first);
    }
}

/* States that are not remembered change no bit; a permuted text sees those that are, and they are
 * as good as text. */
static void a_text_sees_what_is_remembered(void **state)
{
    (void)state;
    enum { M = 6, N = 20 };
    static const int target[B] = {3, 7, 0, 11}, remembered[B] = {0, 2, 6, 1};
    static real values[LAYERS * B * M * D], want[B * V];
    at_tensor *memory[LAYERS];
    for (int change = 0; change < 3; change++) {
        at_random key = {.seed = 12};
        at_tape_reset(tape);
        for (int i = 0; i < LAYERS * B * M * D; i++) {
            int b = i / (M * D) % B, j = i / D % M;
            bool counts = j >= M - remembered[b];
            real x = (real)at_random_normal(key, (uint32_t)i);
            values[i] = (change == 1 && !counts) || (change == 2 && counts) ? x + 1 : x;
        }
        for (int i = 0; i < LAYERS; i++)
            memory[i] = at_input(tape, SHAPE(B, M, D), values + i * B * M * D);
        static int ids[B * N], order[B * N];
        for (int i = 0; i < B * N; i++) {
            ids[i] = tokens[i];
            order[i] = (i % N * 7 + 3) % N;
        }
        at_xlnet_input in = {.ids = {SHAPE(B, N), ids},
                             .query_rank = order,
                             .key_rank = order,
                             .targets = target,
                             .P = 1,
                             .memory = memory,
                             .remembered = remembered};
        at_tensor *x = at_xlnet_logits(tape, &model, at_xlnet_read(tape, &model, &in).query);
        assert_false(at_failed(tape));
        if (change == 0)
            memcpy(want, x->value, sizeof want);
        for (int b = 0; b < B; b++)
            if (change < 2 || remembered[b] == 0)
                same(want + b * V, x->value + b * V, V, "not remembered", b);
            else
                assert_memory_not_equal(want + b * V, x->value + b * V, V * sizeof(real));
    }
}

/* texts of different lengths in one cache, a few tokens at a time, have the bits of each at once */
static void a_cache_gives_the_bits_of_the_whole(void **state)
{
    (void)state;
    static real want[B][T * V];
    static const int steps[][B] = {{5, 1, 40, 3}, {1, 1, 1, 1}, {64, 20, 2, 1}, {1, 30, 20, 8}};
    attend_error err;
    int done[B] = {0};
    model.causal = true;
    for (int b = 0; b < B; b++) {
        at_xlnet_input in = {.ids = {SHAPE(1, T), tokens + b * T}};
        memcpy(want[b], logits(&in)->value, sizeof want[b]);
    }
    at_cache *cache = at_xlnet_cache(&model);
    assert_int_equal(at_cache_join(cache, B, &err), ATTEND_OK);
    for (int n = 0; n < 4; n++) {
        int ids[B * T] = {0}, W = n == 1 ? 1 : 64;
        for (int i = 0; i < B * W; i++)
            ids[i] = i % W < steps[n][i / W] ? tokens[i / W * T + done[i / W] + i % W] : 0;
        at_xlnet_input in = {.ids = {SHAPE(B, W), ids}, .cache = cache, .counts = steps[n]};
        at_tensor *x = logits(&in);
        for (int b = 0; b < B; b++) {
            same(want[b] + done[b] * V, x->value + b * W * V, (size_t)(steps[n][b] * V), "cache",
                 n * 10 + b);
            done[b] += steps[n][b];
        }
    }
    at_cache_free(cache);
}

static void a_memory_keeps_what_it_is_told_to(void **state)
{
    (void)state;
    real old[3 * 2], now[4 * 2];
    for (int i = 0; i < 6; i++)
        old[i] = (real)i;
    for (int i = 0; i < 8; i++)
        now[i] = (real)(10 + i);
    static const struct {
        int memory, reuse, length;
        real first, last;
    } cases[] = {{0, 0, 7, 0, 17}, {5, 0, 5, 4, 17}, {5, 2, 5, 0, 13},
                 {2, 1, 2, 4, 11}, {9, 9, 7, 0, 17}, {4, 0, 4, 10, 17}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_tape_reset(tape);
        model.memory = cases[i].memory;
        model.reuse = cases[i].reuse;
        at_tensor *x = at_xlnet_remember(tape, &model, at_input(tape, SHAPE(1, 3, 2), old),
                                         at_input(tape, SHAPE(1, 4, 2), now));
        assert_int_equal(x->shape.dim[1], cases[i].length);
        assert_true(x->value[0] == cases[i].first && x->value[x->len - 1] == cases[i].last);
    }
}

/* ---- bits ----------------------------------------------------------------------------------- */

static void neither_batch_nor_padding_nor_threads_change_a_bit(void **state)
{
    (void)state;
    static int targets[B * 5];
    static real want[B * 5 * V];
    for (int i = 0; i < B * 5; i++)
        targets[i] = i % 5 * 2 + i / 5;
    at_xlnet_input in = texts();
    in.targets = targets;
    in.P = 5;
    memcpy(want, logits(&in)->value, sizeof want);
    for (int threads = 1; threads < 6; threads += 2) {
        attend_set_threads(threads);
        for (int b = 0; b < B; b++) {
            at_xlnet_input one = {.ids = {SHAPE(1, lengths[b]), tokens + b * T},
                                  .segments = segments + b * T,
                                  .query_rank = rank + b * T,
                                  .key_rank = rank + b * T,
                                  .targets = targets + b * 5,
                                  .P = 5};
            same(want + b * 5 * V, logits(&one)->value, 5 * V, "text alone", b);
        }
    }
}

static void asking_for_attention_changes_no_bit(void **state)
{
    (void)state;
    static real want[B * T * V];
    static const int targets[B] = {1, 2, 3, 4};
    static at_attention_record record;
    at_xlnet_input in = texts();
    in.targets = targets;
    in.P = 1;
    memcpy(want, logits(&in)->value, B * V * sizeof(real));
    record = (at_attention_record){.kinds = 1u << ATTEND_ATTENTION_CONTENT
                                            | 1u << ATTEND_ATTENTION_QUERY,
                                   .layer = -1,
                                   .head = -1};
    in.record = &record;
    same(want, logits(&in)->value, B * V, "attention", 0);
    assert_int_equal(record.count, 2 * LAYERS);
    for (int i = 0; i < record.count; i++) {
        const at_tensor *w = record.item[i].weights;
        double sum = 0;
        for (int j = 0; j < T; j++)
            sum += (double)w->value[j];
        assert_true(sum > 0.9999 && sum < 1.0001);
        assert_int_equal(w->shape.dim[2], record.item[i].kind == ATTEND_ATTENTION_QUERY ? 1 : T);
    }
}

/* weights [d_model, n_head, d_head] of two bytes, as a file has them */
static void two_byte_weights_give_the_bits_of_widened_ones(void **state)
{
    (void)state;
    static real want[B * T * V];
    static const at_lender lender = {.user = NULL};
    static const int targets[B] = {1, 2, 3, 4};
    attend_error err;
    at_xlnet_input in = texts();
    in.targets = targets;
    in.P = 1;
    logits(&in); /* makes the parameters */
    at_params *own = params, *borrowed = at_params_new(0);
    uint16_t *half[200];
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
    memcpy(want, logits(&in)->value, B * V * sizeof(real));
    at_params_seal(borrowed);
    at_params_share(borrowed);
    at_tape *own_tape = tape;
    tape = at_tape_new(borrowed, ATTEND_INFER);
    for (int i = 0; i < 3; i++)
        same(want, logits(&in)->value, B * V, "bf16", i);
    at_tape_free(tape);
    tape = own_tape;
    for (int i = 0; i < at_params_count(own); i++)
        at_free(half[i]);
    at_params_free(borrowed);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const int far[B] = {1, 2, T, 0};
    at_xlnet_input in = texts();
    in.targets = far;
    in.P = 1;
    at_xlnet_read(tape, &model, &in);
    assert_non_null(strstr(at_tape_error(tape)->message, "target 2 is at position 90"));
    at_tape_reset(tape);
    at_tensor *memory[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        memory[i] = at_zeros(tape, SHAPE(B, i == 1 ? 4 : 3, D));
    in = texts();
    in.memory = memory;
    at_xlnet_read(tape, &model, &in);
    assert_non_null(strstr(at_tape_error(tape)->message, "of layer 1 does not fit"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_gradient_is_right),
        TEST(no_prediction_depends_on_a_later_token),
        TEST(a_few_targets_have_the_bits_of_all),
        TEST(flags_have_the_bits_of_the_order),
        TEST(uni_is_the_causal_model_of_the_same_weights),
        TEST(memory_continues_a_causal_text),
        TEST(a_text_sees_what_is_remembered),
        TEST(a_cache_gives_the_bits_of_the_whole),
        TEST(a_memory_keeps_what_it_is_told_to),
        TEST(neither_batch_nor_padding_nor_threads_change_a_bit),
        TEST(asking_for_attention_changes_no_bit),
        TEST(two_byte_weights_give_the_bits_of_widened_ones),
        TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
