/* Memory that the way back gives up is cut, joined and used again, and never twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grad/ops.h"
#include "grad/tape_inside.h"
#include "gradient_check.h"

enum { SIZE = 1 << 20, LINE = 64 / sizeof(real) };

typedef struct {
    at_params *params;
    at_tape *tape;
    real *memory;
} bench;

static bench start(void)
{
    at_params *p = at_params_new(1);
    bench b = {p, at_tape_new(p, ATTEND_TRAIN), at_alloc(SIZE * sizeof(real))};
    assert_non_null(b.memory);
    at_spare_nothing(b.tape);
    return b;
}

static void stop(bench *b)
{
    at_tape_free(b->tape);
    at_params_free(b->params);
    at_free(b->memory);
}

static void gradients_take_the_place_of_others_of_their_size(void **state)
{
    (void)state;
    bench b = start();
    at_spare_gradient(b.tape, b.memory, 100);
    at_spare_gradient(b.tape, b.memory + 100, 50);
    assert_null(at_spare_take(b.tape, 60));
    assert_ptr_equal(at_spare_take(b.tape, 50), b.memory + 100);
    assert_null(at_spare_take(b.tape, 50));
    assert_ptr_equal(at_spare_take(b.tape, 100), b.memory);
    stop(&b);
}

static void blocks_are_cut_at_lines(void **state)
{
    (void)state;
    bench b = start();
    size_t want = 20001, next = (want + LINE - 1) / LINE * LINE;
    at_tape_spare(b.tape, b.memory, 100000);
    assert_null(at_spare_take(b.tape, 100001));
    assert_null(at_spare_take(b.tape, 100)); /* no crumbs */
    assert_ptr_equal(at_spare_take(b.tape, want), b.memory);
    assert_ptr_equal(at_spare_take(b.tape, want), b.memory + next);
    assert_ptr_equal(at_spare_take(b.tape, 100000 - 2 * next), b.memory + 2 * next);
    assert_null(at_spare_take(b.tape, want));
    stop(&b);
}

static void the_smallest_block_that_fits_is_taken(void **state)
{
    (void)state;
    bench b = start();
    at_tape_spare(b.tape, b.memory, 400000);
    at_tape_spare(b.tape, b.memory + 500000, 50000);
    at_tape_spare(b.tape, b.memory + 600000, 90000);
    assert_ptr_equal(at_spare_take(b.tape, 45000), b.memory + 500000);
    assert_ptr_equal(at_spare_take(b.tape, 90000), b.memory + 600000);
    assert_ptr_equal(at_spare_take(b.tape, 90000), b.memory);
    stop(&b);
}

static void neighbours_are_joined(void **state)
{
    (void)state;
    bench b = start();
    at_tape_spare(b.tape, b.memory, 100000);
    at_tape_spare(b.tape, b.memory + 200000, 100000);
    assert_null(at_spare_take(b.tape, 250000));
    at_tape_spare(b.tape, b.memory + 100000, 100000);
    assert_ptr_equal(at_spare_take(b.tape, 300000), b.memory);
    stop(&b);
}

/* of many blocks the largest are remembered */
static void small_blocks_give_way(void **state)
{
    (void)state;
    bench b = start();
    for (size_t i = 0; i < ATTEND_MAX_BLOCKS; i++)
        at_tape_spare(b.tape, b.memory + i * 20000, 17000);
    at_tape_spare(b.tape, b.memory + 700000, 16500);
    assert_int_equal(b.tape->blocks, ATTEND_MAX_BLOCKS);
    at_tape_spare(b.tape, b.memory + 800000, 100000);
    assert_int_equal(b.tape->blocks, ATTEND_MAX_BLOCKS);
    assert_ptr_equal(at_spare_take(b.tape, 99999), b.memory + 800000);
    stop(&b);
}

/* Layers of many steps, cells of one step that share their weights, a weight that an affine op uses
 * too, both directions: large enough that blocks are cut. */
enum { B = 24, T = 9, H = 96 };

static at_tensor *weight(at_tape *t, const char *name, int rows, int columns)
{
    return at_param(t, at_root(), name, SHAPE(rows, columns), INIT_NORMAL((real)0.1));
}

static at_recurrent_result run(at_tape *t, at_cell cell, at_tensor *x, const char *ih,
                               const char *hh, int gates, at_tensor *h0, at_tensor *c0)
{
    at_recurrent_weights w = {.weight_ih = weight(t, ih, gates * H, at_shape_last(x->shape)),
                              .weight_hh = weight(t, hh, gates * H, H),
                              .h0 = h0,
                              .c0 = c0};
    return at_recurrent(t, cell, x, 1, &w, NULL);
}

/* a layer of a Transformer, whose activations are large enough to be used again */
static at_tensor *layer(at_tape *t, at_tensor *x, const char *name)
{
    at_path s = at_in(at_root(), "%s", name);
    at_tensor *one = at_param(t, s, "one", SHAPE(H), INIT_NORMAL(1));
    at_tensor *wide = at_param(t, s, "wide", SHAPE(3 * H, H), INIT_NORMAL((real)0.1));
    at_tensor *narrow = at_param(t, s, "narrow", SHAPE(3 * H, H), INIT_NORMAL((real)0.1));
    at_tensor *qkv = at_affine(t, x, wide, NULL, ATTEND_OUT_IN), *sum;
    at_attention_options o = {.heads = 4, .scale = (real)0.2, .dropout = (real)0.1};
    at_rows q = at_rows_columns(qkv, 0, H), k = at_rows_columns(qkv, H, 2 * H);
    at_tensor *y = at_attention(t, q, k, at_rows_columns(qkv, 2 * H, 3 * H), o).context;
    y = at_residual_norm(t, x, at_dropout(t, y, (real)0.1), one, one, (real)1e-5, &sum);
    y = at_affine_act(t, y, wide, NULL, ATTEND_OUT_IN, at_gelu);
    y = at_affine_act(t, y, narrow, NULL, ATTEND_IN_OUT, at_relu);
    return at_multiply(t, at_layer_norm(t, at_add(t, sum, y), one, one, (real)1e-5), x);
}

static at_tensor *model(at_tape *t)
{
    at_tensor *x = at_param(t, at_root(), "x", SHAPE(B, T, H), INIT_NORMAL(1));
    x = layer(t, layer(t, x, "d"), "e");
    at_tensor *y = run(t, ATTEND_LSTM, x, "a.ih", "a.hh", 4, NULL, NULL).output;
    y = run(t, ATTEND_GRU, y, "b.ih", "b.hh", 3, NULL, NULL).output;
    y = at_affine(t, y, weight(t, "b.hh", 3 * H, H), NULL, ATTEND_OUT_IN); /* [B,T,3H] */
    at_tensor *h = NULL, *c = NULL, *sum = at_sum(t, y);
    for (int s = 0; s < T; s++) {
        at_tensor *in = at_slice(t, y, 1, s, s + 1);
        at_recurrent_result r = run(t, ATTEND_LSTM, in, "c.ih", "c.hh", 4, h, c);
        h = r.h_n[0];
        c = r.c_n[0];
        at_tensor *out = at_affine(t, r.output, weight(t, "out", H, H), NULL, ATTEND_OUT_IN);
        sum = at_add(t, sum, at_sum(t, at_tanh(t, out)));
    }
    return sum;
}

static void gradients(bench *b, bool wasteful, real *to)
{
    at_tape_reset(b->tape);
    b->tape->wasteful = wasteful;
    at_tensor *loss = model(b->tape);
    assert_true(at_backward(b->tape, loss));
    for (int i = 0; i < at_params_count(b->params); i++) {
        const at_parameter *p = at_params_at(b->params, i);
        at_tensor *leaf = at_param(b->tape, at_root(), p->name, p->shape, INIT_NORMAL(1));
        assert_non_null(at_grad_of(leaf));
        memcpy(to, at_grad_of(leaf), leaf->len * sizeof *to);
        to += leaf->len;
    }
}

static void gradients_do_not_depend_on_what_is_used_again(void **state)
{
    (void)state;
    bench b = start();
    real *with = b.memory, *without = b.memory + SIZE / 2;
    memset(b.memory, 0, SIZE * sizeof *with);
    gradients(&b, true, without); /* the first step has other chunks */
    gradients(&b, true, without);
    size_t before = at_arena_used(&b.tape->memory) + at_arena_used(&b.tape->panels);
    gradients(&b, false, with);
    assert_memory_equal(with, without, SIZE / 2 * sizeof *with);
    assert_true(at_arena_used(&b.tape->memory) + at_arena_used(&b.tape->panels) < before);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_take_the_place_of_others_of_their_size),
        cmocka_unit_test(blocks_are_cut_at_lines),
        cmocka_unit_test(the_smallest_block_that_fits_is_taken),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(small_blocks_give_way),
        cmocka_unit_test(gradients_do_not_depend_on_what_is_used_again),
    };
    return cmocka_run_group_tests_name("grad_spare", tests, NULL, NULL);
}
