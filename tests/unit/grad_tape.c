/* The tape: errors stay, memory comes back, and no result depends on batch, threads or shards. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "nn/layers.h"

static at_params *params;
static at_tape *tape;

static int set_up(void **state)
{
    (void)state;
    params = at_params_new(1);
    tape = at_tape_new(params, ATTEND_TRAIN);
    return params && tape ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    at_tape_free(tape);
    at_params_free(params);
    return 0;
}

/* ---- errors ----------------------------------------------------------------------------- */

static void the_first_failure_stays(void **state)
{
    (void)state;
    at_tensor *a = at_zeros(tape, SHAPE(2, 3)), *b = at_zeros(tape, SHAPE(4, 5));
    at_tensor *y = at_matmul(tape, a, false, b, false, 1);
    y = at_linear(tape, at_in(at_root(), "after"), at_tanh(tape, y), 7);
    assert_ptr_equal(y, at_poison(tape));
    assert_false(at_backward(tape, y));
    assert_string_equal(at_tape_error(tape)->message, "matmul: (2, 3) does not fit (4, 5)");
    assert_int_equal(at_params_count(params), 0); /* nothing is created after a failure */
    at_tape_reset(tape);
    assert_null(at_tape_error(tape));
}

static void a_parameter_keeps_its_shape(void **state)
{
    (void)state;
    at_param(tape, at_root(), "w", SHAPE(2, 3), INIT_ZERO);
    at_param(tape, at_root(), "w", SHAPE(3, 2), INIT_ZERO);
    assert_string_equal(at_tape_error(tape)->message,
                        "parameter 'w' has shape (2, 3), but (3, 2) is needed here");
}

static void a_sealed_set_refuses_new_names(void **state)
{
    (void)state;
    at_params_seal(params);
    at_param(tape, at_in(at_root(), "encoder.%d", 3), "w", SHAPE(2), INIT_ZERO);
    assert_string_equal(at_tape_error(tape)->message,
                        "the model has no parameter 'encoder.3.w' (2)");
}

static void long_names_are_refused(void **state)
{
    (void)state;
    at_path p = at_root();
    for (int i = 0; i < 30; i++)
        p = at_in(p, "layer%d", i);
    at_param(tape, p, "w", SHAPE(2), INIT_ZERO);
    assert_non_null(at_tape_error(tape));
}

static void backward_wants_one_number_that_depends_on_a_parameter(void **state)
{
    (void)state;
    assert_false(at_backward(tape, at_param(tape, at_root(), "w", SHAPE(2), INIT_ZERO)));
    assert_non_null(strstr(at_tape_error(tape)->message, "(2)"));
    at_tape_reset(tape);
    assert_false(at_backward(tape, at_sum(tape, at_zeros(tape, SHAPE(2)))));
    assert_non_null(strstr(at_tape_error(tape)->message, "no parameter"));
}

/* every op, given something that does not fit, says so and names itself */
static void bad_arguments_name_the_op(void **state)
{
    (void)state;
    static const int ids[] = {0, 9};
    static const int length[] = {5};
    at_tensor *a = at_zeros(tape, SHAPE(1, 2, 3)), *b = at_zeros(tape, SHAPE(5));
    at_mask mask = {.lengths = length};
    at_recurrent_weights none = {0};
    at_cross_entropy_options o = {.ignore = -1};
    at_ids two = {SHAPE(2), ids};
#define REFUSES(call, text)                                                         \
    do {                                                                            \
        (void)(call);                                                               \
        assert_non_null(at_tape_error(tape));                                       \
        if (!strstr(at_tape_error(tape)->message, text))                            \
            fail_msg("'%s' does not say '%s'", at_tape_error(tape)->message, text); \
        at_tape_reset(tape);                                                        \
        a = at_zeros(tape, SHAPE(1, 2, 3)), b = at_zeros(tape, SHAPE(5));           \
    } while (0)
    REFUSES(at_add(tape, a, b), "add");
    REFUSES(at_multiply(tape, a, b), "multiply");
    REFUSES(at_affine(tape, a, b, NULL, ATTEND_OUT_IN), "affine");
    REFUSES(at_reshape(tape, a, SHAPE(7)), "reshape");
    REFUSES(at_transpose(tape, a, 0, 3), "transpose");
    REFUSES(at_concat(tape, 2, (at_tensor *[]){a, b}, 0), "concat");
    REFUSES(at_slice(tape, a, 1, 1, 3), "slice");
    REFUSES(at_sum_axis(tape, b, 1), "sum");
    REFUSES(at_softmax(tape, a, &mask), "softmax");
    REFUSES(at_layer_norm(tape, a, b, b, (real)1e-5), "layer norm");
    REFUSES(at_embedding(tape, at_zeros(tape, SHAPE(4, 2)), two), "id 9 at place 1");
    REFUSES(at_cross_entropy(tape, at_zeros(tape, SHAPE(2, 5)), two, o), "target 9 at place 1");
    REFUSES(at_linear_cross_entropy(tape, at_zeros(tape, SHAPE(2, 3)), at_zeros(tape, SHAPE(4, 3)),
                                    NULL, ATTEND_OUT_IN, two, o),
            "target 9 at place 1");
    REFUSES(at_dropout(tape, a, 1), "dropout");
    REFUSES(at_recurrent(tape, ATTEND_GRU, a, 1, &none, NULL), "gru");
    at_attention_options heads = {.heads = 2, .scale = 1}, all = {.heads = 1, .scale = 1};
    REFUSES(at_attention(tape, at_rows_of(a), at_rows_of(a), at_rows_of(a), heads), "attention");
    REFUSES(at_attention(tape, at_rows_of(a), at_rows_of(b), at_rows_of(a), all), "attention");
    REFUSES(
        at_attention(tape, at_rows_columns(a, 1, 3), at_rows_columns(a, 2, 4), at_rows_of(a), all),
        "attention");
    all.dropout = 1;
    REFUSES(at_attention(tape, at_rows_of(a), at_rows_of(a), at_rows_of(a), all), "dropout");
    REFUSES(at_new(tape, SHAPE(1 << 30, 1 << 30, 1 << 30)), "shape");
}

/* ---- a small model that uses the large ops ---------------------------------------------- */

enum { T = 7, D = 60, V = 300, MOST = 9 }; /* large enough for threads */

static const int *ids_from(int sentence)
{
    static int ids[MOST * T];
    for (int i = 0; i < MOST * T; i++)
        ids[i] = (i * 37 + i / T * 11) % V;
    return ids + sentence * T;
}

static const int lengths[MOST] = {7, 3, 5, 1, 7, 2, 6, 4, 7};

static at_tensor *attend(at_tape *t, at_tensor *q, at_tensor *k, at_tensor *v,
                         at_attention_options o)
{
    return at_attention(t, at_rows_of(q), at_rows_of(k), at_rows_of(v), o).context;
}

/* logits [B,T,V] of sentences first .. first+B-1 */
static at_tensor *model(at_tape *t, int first, int B, real dropout)
{
    at_path s = at_root();
    at_tensor *x = at_embed(t, at_in(s, "embed"), (at_ids){SHAPE(B, T), ids_from(first)}, V, D, 1);
    at_stack_options o = {.cell = ATTEND_GRU, .hidden = D / 2, .layers = 2, .bidirectional = true};
    x = at_dropout(t, at_recurrent_stack(t, at_in(s, "rnn"), x, lengths + first, &o).output,
                   dropout);
    at_mask mask = {.lengths = lengths + first};
    at_tensor *q = at_linear(t, at_in(s, "q"), x, D), *k = at_linear(t, at_in(s, "k"), x, D);
    at_attention_options a = {.heads = 2, .scale = (real)0.4, .mask = &mask, .dropout = dropout};
    x = at_add(t, x, attend(t, q, k, x, a));
    a = (at_attention_options){.heads = 3, .scale = 1, .mask = &mask, .weights = true};
    x = at_norm(t, at_in(s, "norm"), attend(t, x, k, x, a), (real)1e-5);
    x = at_feed_forward(t, at_in(s, "ff"), x, 2 * D, at_gelu, dropout);
    return at_linear(t, at_in(s, "out"), x, V);
}

static at_tensor *loss_of(at_tape *t, int first, int B, real dropout)
{
    at_cross_entropy_options o = {.smoothing = (real)0.1, .ignore = -1, .divisor = MOST * T};
    at_tensor *y = model(t, first, B, dropout);
    return at_cross_entropy(t, y, (at_ids){SHAPE(B, T), ids_from(first)}, o);
}

static void logits_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    at_tensor *all = model(tape, 0, MOST, 0);
    assert_null(at_tape_error(tape));
    real whole[MOST * T * V];
    memcpy(whole, all->value, sizeof whole);
    for (int batch = 1; batch < MOST; batch++)
        for (int first = 0; first + batch <= MOST; first += batch) {
            at_tape_reset(tape);
            at_tensor *some = model(tape, first, batch, 0);
            for (int b = first; b < first + batch; b++)
                assert_memory_equal(whole + b * T * V, some->value + (b - first) * T * V,
                                    (size_t)(lengths[b] * V) * sizeof(real));
        }
}

static void logits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    real whole[MOST * T * V];
    for (int threads = 1; threads <= 7; threads++) {
        attend_set_threads(threads);
        at_tape_reset(tape);
        at_tensor *y = model(tape, 0, MOST, 0);
        if (threads == 1)
            memcpy(whole, y->value, sizeof whole);
        assert_memory_equal(whole, y->value, sizeof whole);
    }
    attend_set_threads(0);
}

/* more padding, same results */
static void padding_changes_nothing(void **state)
{
    (void)state;
    at_recurrent_weights w = {
        .weight_ih = at_param(tape, at_root(), "i", SHAPE(9, 2), INIT_NORMAL(1)),
        .weight_hh = at_param(tape, at_root(), "h", SHAPE(9, 3), INIT_NORMAL(1))};
    static const real wide[] = {1, 2, 3, 4, 99, 98, 97, 96}, tight[] = {1, 2, 3, 4};
    int two = 2;
    at_tensor *a = at_input(tape, SHAPE(1, 4, 2), wide), *b = at_input(tape, SHAPE(1, 2, 2), tight);
    at_recurrent_result x = at_recurrent(tape, ATTEND_GRU, a, 1, &w, &two);
    at_recurrent_result y = at_recurrent(tape, ATTEND_GRU, b, 1, &w, NULL);
    assert_memory_equal(x.output->value, y.output->value, 6 * sizeof(real));
    assert_memory_equal(x.h_n[0]->value, y.h_n[0]->value, 3 * sizeof(real));
    for (int i = 6; i < 12; i++)
        assert_true(x.output->value[i] == 0);
}

/* ---- training --------------------------------------------------------------------------- */

static void training_gives_the_same_bits_again(void **state)
{
    (void)state;
    at_tape *again = at_tape_new(params, ATTEND_TRAIN);
    for (int i = 0; i < 2; i++) {
        at_tape *t = i ? again : tape;
        at_tape_seed(t, 5, 1, 0);
        assert_true(at_backward(t, loss_of(t, 0, MOST, (real)0.3)));
    }
    for (int i = 0; i < at_params_count(params); i++)
        assert_memory_equal(at_param_grad(tape, i), at_param_grad(again, i),
                            at_params_at(params, i)->len * sizeof(real));
    at_tape_free(again);
}

/* shards of one batch draw the whole batch's dropout and add up to its gradient */
static void shards_add_up_to_the_batch(void **state)
{
    (void)state;
    at_tape_seed(tape, 5, 1, 0);
    at_tensor *loss = loss_of(tape, 0, MOST, (real)0.3);
    double whole = (double)loss->value[0], parts = 0;
    assert_true(at_backward(tape, loss));
    at_tape *shard[2] = {at_tape_new(params, ATTEND_TRAIN), at_tape_new(params, ATTEND_TRAIN)};
    for (int i = 0; i < 2; i++) {
        int first = i ? 5 : 0, size = i ? MOST - 5 : 5;
        at_tape_seed(shard[i], 5, 1, (uint32_t)first);
        at_tensor *part = loss_of(shard[i], first, size, (real)0.3);
        parts += (double)part->value[0];
        assert_true(at_backward(shard[i], part));
    }
    assert_true(fabs(whole - parts) < 1e-5);
    for (int i = 0; i < at_params_count(params); i++) {
        real *a = at_param_grad(tape, i), *b = at_param_grad(shard[0], i);
        const real *c = at_param_grad(shard[1], i);
        for (size_t j = 0; j < at_params_at(params, i)->len; j++)
            if (fabs((double)a[j] - (double)b[j] - (double)c[j]) > 1e-5)
                fail_msg("%s[%zu]: %g, and %g + %g", at_params_at(params, i)->name, j, (double)a[j],
                         (double)b[j], (double)c[j]);
    }
    at_tape_free(shard[0]);
    at_tape_free(shard[1]);
}

static void a_second_step_asks_the_system_for_nothing(void **state)
{
    (void)state;
    long before = 0;
    for (int step = 0; step < 6; step++) {
        at_tape_reset(tape);
        assert_true(at_backward(tape, loss_of(tape, 0, step % 2 ? 4 : MOST, (real)0.1)));
        if (step == 2)
            before = at_alloc_count();
    }
    assert_int_equal(at_alloc_count(), before);
}

/* does the gradient of the logits lie where they were? */
static void see_logits(void *in_place, const at_node *n, bool done)
{
    if (done && n->op == &at_op_cross_entropy)
        *(bool *)in_place = at_grad_of(n->in[0]) == n->in[0]->value;
}

static void logits_become_their_gradient_in_place(void **state)
{
    (void)state;
    bool in_place = false;
    at_tape_watch(tape, see_logits, &in_place);
    at_tensor *y = model(tape, 0, 2, 0);
    at_cross_entropy_options o = {.ignore = -1};
    at_tensor *loss = at_cross_entropy(tape, y, (at_ids){SHAPE(2, T), ids_from(0)}, o);
    assert_true(at_backward(tape, loss));
    assert_true(in_place);
    at_tape_reset(tape); /* but not when somebody else reads them */
    y = model(tape, 0, 2, 0);
    loss = at_cross_entropy(tape, y, (at_ids){SHAPE(2, T), ids_from(0)}, o);
    loss = at_add(tape, loss, at_sum(tape, at_tanh(tape, y)));
    assert_true(at_backward(tape, loss));
    assert_false(in_place);
    at_tape_watch(tape, NULL, NULL);
    assert_false(at_backward(tape, loss)); /* they are gone */
    assert_non_null(strstr(at_tape_error(tape)->message, "once"));
}

/* a chain of many steps needs the gradients of a few at a time */
static void gradients_that_are_done_make_room_for_others(void **state)
{
    (void)state;
    enum { STEPS = 200, WIDTH = 4000 };
    at_tensor *x = at_param(tape, at_root(), "long", SHAPE(WIDTH), INIT_NORMAL(1)), *y = x;
    for (int i = 0; i < STEPS; i++)
        y = at_tanh(tape, y);
    at_tensor *loss = at_sum(tape, y);
    size_t before = at_tape_used(tape);
    assert_true(at_backward(tape, loss));
    assert_true(at_tape_used(tape) - before < 10 * WIDTH * sizeof(real));
    for (int i = 0; i < WIDTH; i++) {
        double value = (double)x->value[i], slope = 1;
        for (int k = 0; k < STEPS; k++) {
            value = tanh(value);
            slope *= 1 - value * value;
        }
        assert_true(fabs((double)at_grad_of(x)[i] - slope) < 1e-4);
    }
}

static void an_inferring_tape_records_nothing(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    at_tensor *y = model(tape, 0, 3, (real)0.5);
    assert_null(y->from);
    assert_false(at_backward(tape, at_sum(tape, y)));
    at_tape_reset(tape);
    model(tape, 0, 3, 0);
    model(tape, 0, 3, 0); /* the second packs the weights */
    size_t held = at_tape_bytes(tape);
    for (int i = 0; i < 50; i++) {
        at_tape_reset(tape);
        model(tape, 0, 3, 0);
    }
    assert_int_equal(at_tape_bytes(tape), held);
}

/* 2048 x 2048 weights alone would be 4 million numbers */
static void attention_needs_no_room_for_its_weights(void **state)
{
    (void)state;
    at_tensor *x = at_param(tape, at_root(), "x", SHAPE(1, 2048, 8), INIT_NORMAL(1));
    at_mask mask = {.causal = true};
    at_attention_options o = {.heads = 2, .scale = 1, .mask = &mask};
    assert_true(at_backward(tape, at_sum(tape, attend(tape, x, x, x, o))));
    assert_true(at_tape_bytes(tape) < (size_t)1 << 21);
}

static void frozen_parameters_get_no_gradient(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    model(tape, 0, 1, 0);
    at_tape_reset(tape);
    at_tape_set_mode(tape, ATTEND_TRAIN);
    at_parameter *w = at_params_find(params, "embed.weight");
    w->frozen = true;
    assert_true(at_backward(tape, loss_of(tape, 0, 2, 0)));
    assert_null(at_param_grad(tape, w->index));
    assert_non_null(at_param_grad(tape, at_params_find(params, "out.weight")->index));
}

/* ---- memory inside a step ---------------------------------------------------------------- */

enum { LAYERS = 12, WIDE = 64, LONG = 50 };

/* layers on top of each other; released after each, or not */
static at_tensor *deep(at_tape *t, bool release)
{
    at_tensor *x = at_param(t, at_root(), "x", SHAPE(1, LONG, WIDE), INIT_NORMAL(1)), *none = NULL;
    at_mark m = at_tape_mark(t);
    for (int i = 0; i < LAYERS; i++) {
        at_path s = at_in(at_root(), "h.%d", i);
        at_tensor *y = at_feed_forward(t, at_in(s, "ffn"), x, 4 * WIDE, at_gelu, 0);
        at_tensor *keep[] = {at_norm(t, at_in(s, "norm"), at_add(t, x, y), (real)1e-5), none, x};
        if (release)
            at_tape_release(t, m, keep, 3);
        x = keep[0];
        if (i > 0 && !at_failed(t) && at_tape_mode(t) == ATTEND_INFER && release)
            assert_int_equal(keep[2]->len, x->len);
    }
    return x;
}

static void releasing_changes_no_bit_and_holds_one_layer(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    at_tensor *x = deep(tape, false);
    size_t all = at_tape_used(tape);
    static real kept[LONG * WIDE];
    memcpy(kept, x->value, sizeof kept);
    at_tape_free(tape);
    tape = at_tape_new(params, ATTEND_INFER);
    x = deep(tape, true);
    assert_memory_equal(kept, x->value, sizeof kept);
    assert_true(at_tape_used(tape) < all / LAYERS);
}

static void a_recording_tape_keeps_what_backward_needs(void **state)
{
    (void)state;
    real loss[2], grad[2];
    for (int release = 0; release < 2; release++) {
        at_tape_reset(tape);
        at_tensor *y = at_mean(tape, deep(tape, release));
        loss[release] = y->value[0];
        assert_true(at_backward(tape, at_mean(tape, at_multiply(tape, y, y))));
        int index = at_params_find(params, "h.0.ffn.linear1.weight")->index;
        grad[release] = at_param_grad(tape, index)[5];
    }
    assert_memory_equal(&loss[0], &loss[1], sizeof loss[0]);
    assert_memory_equal(&grad[0], &grad[1], sizeof grad[0]);
}

static void releasing_without_memory_fails_cleanly(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    deep(tape, true); /* makes the parameters */
    bool ended = false;
    for (long n = 0; n < 1000 && !ended; n++) {
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_alloc_fail_after(n);
        at_tensor *x = deep(t, true);
        at_alloc_fail_after(-1);
        ended = !at_failed(t);
        if (!ended)
            assert_int_equal(at_tape_error(t)->status, ATTEND_MEMORY);
        else
            assert_int_equal(x->len, LONG * WIDE);
        at_tape_free(t);
    }
    assert_true(ended);
}

static void a_dry_tape_checks_shapes_and_reads_no_matrix(void **state)
{
    (void)state;
    at_tape_set_mode(tape, ATTEND_INFER);
    deep(tape, true);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_params_find(params, "h.3.ffn.linear1.weight")->value[0] = (real)NAN;
    at_tape_dry(t);
    at_tensor *x = deep(t, true);
    assert_false(at_failed(t));
    assert_false(isnan(x->value[0]));
    at_param(t, at_root(), "h.3.ffn.linear1.weight", SHAPE(3, 4), INIT_ZERO);
    assert_true(at_failed(t));
    at_tape_free(t);
}

#define WITH_TAPE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_TAPE(the_first_failure_stays),
        WITH_TAPE(a_parameter_keeps_its_shape),
        WITH_TAPE(a_sealed_set_refuses_new_names),
        WITH_TAPE(long_names_are_refused),
        WITH_TAPE(backward_wants_one_number_that_depends_on_a_parameter),
        WITH_TAPE(bad_arguments_name_the_op),
        WITH_TAPE(logits_do_not_depend_on_the_batch),
        WITH_TAPE(logits_do_not_depend_on_the_threads),
        WITH_TAPE(padding_changes_nothing),
        WITH_TAPE(training_gives_the_same_bits_again),
        WITH_TAPE(shards_add_up_to_the_batch),
        WITH_TAPE(a_second_step_asks_the_system_for_nothing),
        WITH_TAPE(logits_become_their_gradient_in_place),
        WITH_TAPE(gradients_that_are_done_make_room_for_others),
        WITH_TAPE(an_inferring_tape_records_nothing),
        WITH_TAPE(attention_needs_no_room_for_its_weights),
        WITH_TAPE(frozen_parameters_get_no_gradient),
        WITH_TAPE(releasing_changes_no_bit_and_holds_one_layer),
        WITH_TAPE(a_recording_tape_keeps_what_backward_needs),
        WITH_TAPE(releasing_without_memory_fails_cleanly),
        WITH_TAPE(a_dry_tape_checks_shapes_and_reads_no_matrix),
    };
    return cmocka_run_group_tests_name("grad_tape", tests, NULL, NULL);
}
