/* A whole training step, with every allocation failing in turn: always a clean status, no leak,
 * no crash; and the step learns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "nn/layers.h"
#include "train/clip.h"
#include "train/optim.h"

enum { B = 4, T = 5, V = 11, D = 8 };
static const int ids[B * T] = {1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0, 2, 4, 6, 8, 9, 7, 5, 3, 1};
static const int lengths[B] = {5, 4, 5, 2};
static const int targets[B * T] = {1, 2, 3, 4, 5, 5, 4, 3, 2, -1, 0, 2, 4, 6, 8, 9, 7, -1, -1, -1};

static at_tensor *loss_of(at_tape *t)
{
    at_path s = at_root();
    at_ids in = {SHAPE(B, T), ids};
    at_tensor *x = at_embed(t, at_in(s, "embed"), in, V, D, (real)0.3);
    at_stack_options o = {.cell = ATTEND_LSTM, .hidden = D / 2, .layers = 1, .bidirectional = true};
    x = at_dropout(t, at_recurrent_stack(t, at_in(s, "rnn"), x, lengths, &o).output, (real)0.1);
    at_mask mask = {.lengths = lengths};
    at_attention_options a = {.heads = 2, .scale = (real)0.5, .mask = &mask};
    at_rows rows = at_rows_of(x);
    x = at_add(t, x, at_attention(t, rows, rows, rows, a).context);
    at_tensor *w = at_param(t, s, "out", SHAPE(V, D), INIT_GLOROT);
    return at_linear_cross_entropy(t, x, w, NULL, ATTEND_OUT_IN, (at_ids){SHAPE(B, T), targets},
                                   (at_cross_entropy_options){.ignore = -1});
}

typedef struct {
    at_params *params;
    at_tape *tape;
    at_optim *optim;
    at_gradients *gradients;
} trainer;

static attend_status start(trainer *r, attend_error *err)
{
    at_optim_options o;
    r->params = at_params_new(1);
    r->tape = r->params ? at_tape_new(r->params, ATTEND_TRAIN) : NULL;
    r->gradients = r->tape ? at_gradients_new(r->params) : NULL;
    if (!r->gradients)
        return at_error_memory(err);
    attend_status status = at_optim_options_parse(&o, "adamw:lr=0.02", err);
    return status < 0 ? status : at_optim_new(r->params, &o, &r->optim, err);
}

static attend_status step(trainer *r, uint32_t number, double *loss, attend_error *err)
{
    double norm;
    at_tape_reset(r->tape);
    at_tape_seed(r->tape, 1, number, 0);
    at_tensor *y = loss_of(r->tape);
    if (!at_backward(r->tape, y)) {
        *err = *at_tape_error(r->tape);
        return err->status;
    }
    *loss = (double)y->value[0];
    at_gradients_clear(r->gradients);
    attend_status status = at_gradients_add(r->gradients, r->tape, 1, err);
    if (status >= 0)
        status = at_clip_norm(r->gradients, 1, 2, &norm, err);
    return status < 0 ? status : at_optim_step(r->optim, r->gradients, err);
}

static void stop(trainer *r)
{
    at_optim_free(r->optim);
    at_gradients_free(r->gradients);
    at_tape_free(r->tape);
    at_params_free(r->params);
}

static void the_loss_falls(void **state)
{
    (void)state;
    trainer r = {0};
    attend_error err;
    double first = 0, last = 0;
    assert_int_equal(start(&r, &err), ATTEND_OK);
    for (uint32_t i = 0; i < 60; i++)
        if (step(&r, i, i ? &last : &first, &err) < 0)
            fail_msg("%s", err.message);
    assert_true(last < first / 4);
    stop(&r);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long failures = 0, live = -1;
    for (;;) {
        trainer r = {0};
        attend_error err = {ATTEND_OK, ""};
        double loss = 0;
        at_alloc_fail_after(failures);
        attend_status status = start(&r, &err);
        for (uint32_t i = 0; i < 2 && status >= 0; i++)
            status = step(&r, i, &loss, &err);
        at_alloc_fail_after(-1);
        stop(&r);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
        assert_string_equal(err.message, "out of memory; use a smaller batch or a smaller model");
        if (live < 0)
            live = at_alloc_live();
        assert_in_range(at_alloc_live(), 0, live + 8); /* threads keep their packing memory */
        failures++;
    }
    print_message("%ld allocations failed in turn\n", failures);
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_falls),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("train_step", tests, NULL, NULL);
}
