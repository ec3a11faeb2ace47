/* Threads take sentences of a recurrent layer, or share the steps where there are few: nothing of
 * it is seen in the results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "nn/layers.h"

enum { MANY = 11, FEW = 3, STEPS = 4, I = 20, H = 200 };

static const int lengths[MANY] = {3, 4, 0, 1, 4, 4, 2, 4, 3, 4, 1};

/* what a step leaves: the output, the final state, and every gradient, one behind the other */
static size_t leave(at_tape *t, const at_tensor *y, const at_tensor *h, real *to)
{
    size_t n = 0;
    memcpy(to, y->value, y->len * sizeof *to);
    n += y->len;
    memcpy(to + n, h->value, h->len * sizeof *to);
    n += h->len;
    for (int i = 0; i < at_params_count(at_tape_params(t)); i++) {
        size_t len = at_params_at(at_tape_params(t), i)->len;
        memcpy(to + n, at_param_grad(t, i), len * sizeof *to);
        n += len;
    }
    return n;
}

static size_t run(at_tape *t, int batch, const at_stack_options *o, real *to)
{
    at_tensor *x = at_param(t, at_root(), "x", SHAPE(batch, STEPS, I), INIT_NORMAL(1));
    at_stack_result r = at_recurrent_stack(t, at_in(at_root(), "rnn"), x, lengths, o);
    at_tensor *y = r.output, *squares = at_sum(t, at_multiply(t, y, y));
    at_backward(t, at_add(t, squares, at_sum(t, r.h_n[0])));
    assert_null(at_tape_error(t));
    size_t n = leave(t, y, r.h_n[0], to);
    at_tape_reset(t);
    return n;
}

static void same_for_any_threads(int batch, at_stack_options o)
{
    enum { ROOM = 2000000 };
    at_params *p = at_params_new(1);
    at_tape *t = at_tape_new(p, ATTEND_TRAIN);
    at_tape_keep_values(t);
    real *one = at_alloc(ROOM * sizeof *one), *more = at_alloc(ROOM * sizeof *more);
    attend_set_threads(1);
    size_t n = run(t, batch, &o, one);
    assert_true(n > 0 && n <= ROOM);
    for (int threads = 2; threads <= 5; threads++) {
        attend_set_threads(threads);
        assert_int_equal(run(t, batch, &o, more), n);
        assert_memory_equal(one, more, n * sizeof *one);
    }
    attend_set_threads(0);
    at_free(one);
    at_free(more);
    at_tape_free(t);
    at_params_free(p);
}

static void many_sentences_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    same_for_any_threads(MANY, (at_stack_options){.cell = ATTEND_GRU, .hidden = H, .layers = 1});
    same_for_any_threads(MANY, (at_stack_options){.cell = ATTEND_LSTM, .hidden = H, .layers = 1});
}

static void few_sentences_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    same_for_any_threads(FEW, (at_stack_options){.cell = ATTEND_GRU, .hidden = H, .layers = 1});
    same_for_any_threads(FEW, (at_stack_options){.cell = ATTEND_LSTM, .hidden = H, .layers = 1});
    same_for_any_threads(FEW,
                         (at_stack_options){.cell = ATTEND_RNN_TANH, .hidden = H, .layers = 1});
}

static void projections_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    at_stack_options o = {.cell = ATTEND_LSTM, .hidden = H, .layers = 1, .projection = H / 2};
    same_for_any_threads(FEW, o);
    same_for_any_threads(MANY, o);
}

static void two_directions_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    at_stack_options o = {.cell = ATTEND_GRU, .hidden = H, .layers = 1, .bidirectional = true};
    same_for_any_threads(FEW, o);
    same_for_any_threads(MANY, o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sentences_do_not_depend_on_the_threads),
        cmocka_unit_test(few_sentences_do_not_depend_on_the_threads),
        cmocka_unit_test(projections_do_not_depend_on_the_threads),
        cmocka_unit_test(two_directions_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
