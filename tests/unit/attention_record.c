/* Records of attention: what is wanted is kept, and rows are those of one text of the batch. */
#include "attention/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

enum { B = 2, H = 3, Q = 2, K = 4 };

static at_tensor weights_of(real *value)
{
    for (int i = 0; i < B * H * Q * K; i++)
        value[i] = (real)i;
    return (at_tensor){.shape = SHAPE(B, H, Q, K), .len = B * H * Q * K, .value = value};
}

static void only_wanted_layers_and_kinds_are_kept(void **state)
{
    (void)state;
    real value[B * H * Q * K];
    at_tensor w = weights_of(value);
    at_attention_record r = {.kinds = 1u << ATTEND_ATTENTION_CROSS, .layer = 1, .head = -1};
    assert_true(at_attention_record_wants(&r, ATTEND_ATTENTION_CROSS, 1));
    assert_false(at_attention_record_wants(&r, ATTEND_ATTENTION_CROSS, 0));
    assert_false(at_attention_record_wants(&r, ATTEND_ATTENTION_ENCODER, 1));
    assert_false(at_attention_record_wants(NULL, ATTEND_ATTENTION_CROSS, 1));
    at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, 0, &w);
    at_attention_record_add(&r, ATTEND_ATTENTION_ENCODER, 1, &w);
    at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, 1, NULL);
    at_attention_record_add(NULL, ATTEND_ATTENTION_CROSS, 1, &w);
    assert_int_equal(r.count, 0);
    at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, 1, &w);
    assert_int_equal(r.count, 1);
    r.layer = -1;
    for (int i = 0; i < 2 * ATTEND_RECORD_MAX; i++)
        at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, i, &w);
    assert_int_equal(r.count, ATTEND_RECORD_MAX);
    at_attention_record_clear(&r);
    assert_int_equal(r.count, 0);
}

static void a_matrix_is_of_a_layer_and_a_head_or_the_mean(void **state)
{
    (void)state;
    real value[B * H * Q * K], later[B * H * Q * K];
    at_tensor w = weights_of(value), last = weights_of(later);
    at_params *params = at_params_new(1);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_attention_record r = {.kinds = ~0u, .layer = -1, .head = -1};
    for (int i = 0; i < B * H * Q * K; i++)
        later[i] += 1000;
    at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, 0, &w);
    at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, 1, &last);
    at_attention_record_add(&r, ATTEND_ATTENTION_DECODER, 1, &w);
    attend_attention_kind cross = ATTEND_ATTENTION_CROSS;
    const at_tensor *one = at_attention_record_matrix(t, &r, cross, (at_attention_choice){0, 2});
    const at_tensor *mean = at_attention_record_matrix(t, &r, cross, (at_attention_choice){-1, -1});
    assert_int_equal(one->len, B * Q * K);
    for (int i = 0; i < Q * K; i++) {
        assert_float_equal(one->value[i], 2 * Q * K + i, 0);
        assert_float_equal(mean->value[i], 1000 + Q * K + i, 1e-3);
        assert_float_equal(one->value[Q * K + i], (H + 2) * Q * K + i, 0);
    }
    assert_null(at_attention_record_matrix(t, &r, cross, (at_attention_choice){7, -1}));
    assert_null(
        at_attention_record_matrix(t, &r, ATTEND_ATTENTION_ENCODER, (at_attention_choice){-1, -1}));
    at_tape_free(t);
    at_params_free(params);
}

static void rows_are_those_of_one_text_and_one_head(void **state)
{
    (void)state;
    real value[B * H * Q * K];
    at_tensor w = weights_of(value);
    at_arena memory = {0};
    at_attention_record r = {.kinds = ~0u, .layer = -1, .head = -1}, one = r;
    at_attention_record_add(&r, ATTEND_ATTENTION_CROSS, 0, &w);
    at_attention_rows all = at_attention_record_rows(&r, &r, 1, 0, 0, &memory);
    assert_int_equal(all.count, H * Q);
    for (int i = 0; i < all.count; i++) {
        assert_int_equal(all.row[i].head, i / Q);
        assert_int_equal(all.row[i].query, i % Q);
        assert_int_equal(all.row[i].keys, K);
        assert_ptr_equal(all.row[i].weights, value + (H * Q + i) * K);
    }
    one.head = 2;
    at_attention_rows some = at_attention_record_rows(&r, &one, 0, 1, 3, &memory);
    assert_int_equal(some.count, 1);
    assert_int_equal(some.row[0].keys, 3);
    assert_ptr_equal(some.row[0].weights, value + 2 * Q * K);
    one.kinds = 1u << ATTEND_ATTENTION_ENCODER;
    assert_int_equal(at_attention_record_rows(&r, &one, 0, 0, 0, &memory).count, 0);
    at_arena_free(&memory);
    at_alloc_fail_after(0);
    assert_int_equal(at_attention_record_rows(&r, &r, 0, 0, 0, &memory).count, -1);
    at_alloc_fail_after(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_wanted_layers_and_kinds_are_kept),
        cmocka_unit_test(a_matrix_is_of_a_layer_and_a_head_or_the_mean),
        cmocka_unit_test(rows_are_those_of_one_text_and_one_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
