/* The loss of a batch of sentence pairs: what teaches hard attention. */
#include "train/translate_loss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/translator.h"

enum { B = 3, S = 4, T = 5, V = 9 };

static int source[B * S] = {4, 5, 6, 7, 5, 4, 8, 0, 6, 6, 4, 5}, source_lengths[B] = {4, 3, 4};
static int target[B * T] = {1, 4, 5, 6, 2, 1, 7, 2, 0, 0, 1, 8, 8, 4, 2};
static int target_lengths[B] = {5, 3, 5};

typedef struct {
    at_seq2seq model;
    at_model whole;
    at_params *params;
    at_tape *tape;
    at_arena memory;
    at_batch batch;
    at_baseline baseline;
    at_translate_loss l;
} taught;

static void begin(taught *w, const char *attention)
{
    attend_error err;
    at_translator s;
    *w = (taught){.batch = {.source = {.ids = source, .B = B, .T = S, .lengths = source_lengths},
                            .target = {.ids = target, .B = B, .T = T, .lengths = target_lengths}}};
    assert_int_equal(at_translator_preset(&s, "bahdanau", &err), ATTEND_OK);
    s.hidden = s.embedding = 6;
    s.dropout = 0;
    s.attention = attention;
    assert_int_equal(at_translator_model(&s, V, V, &w->model, &err), ATTEND_OK);
    w->params = at_params_new(5);
    w->tape = at_tape_new(w->params, ATTEND_TRAIN);
    w->whole = (at_model){.kind = &at_model_translator, .net = &w->model};
    w->l = (at_translate_loss){.model = &w->whole, .forcing = 1, .baseline = &w->baseline};
    assert_true(at_translate_loss_take(&w->l, &w->batch, 1, &w->memory));
}

static void end(taught *w)
{
    at_translate_loss_free(&w->l);
    at_tape_free(w->tape);
    at_params_free(w->params);
    at_arena_free(&w->memory);
}

static double loss_of(taught *w)
{
    at_tape_reset(w->tape);
    at_tape_seed(w->tape, 7, 1, 0);
    at_tensor *y = at_translate_loss_of(&w->l, w->tape, 0);
    assert_false(at_failed(w->tape));
    return (double)y->value[0];
}

/* the same draws, and the likelihood of the words alone */
static double words_loss(taught *w)
{
    at_tape *t = w->tape;
    at_tape_reset(t);
    at_tape_seed(t, 7, 1, 0);
    at_source x = at_seq2seq_encode(t, &w->model, (at_ids){SHAPE(B, S), source}, source_lengths);
    at_decoder state = at_seq2seq_start(&w->model, &x);
    at_decoded d = at_seq2seq_decode(t, &w->model, &x, &state,
                                     (at_ids){SHAPE(B, T - 1), w->l.words}, false);
    at_tensor *y = at_seq2seq_loss(t, &w->model, d.features,
                                   (at_ids){SHAPE(B, T - 1), w->l.targets},
                                   (at_cross_entropy_options){.ignore = -1});
    assert_false(at_failed(t));
    return (double)y->value[0];
}

static void drawn_places_learn_by_reward(void **state)
{
    (void)state;
    taught w;
    begin(&w, "additive/global/hard");
    double objective = loss_of(&w);
    assert_true(fabs(objective - words_loss(&w)) > 1e-3);
    assert_true(fabs(at_translate_loss_done(&w.l, objective) - words_loss(&w)) < 1e-5);
    assert_true(w.baseline.started);
    end(&w);
}

static void straight_through_learns_by_the_words_alone(void **state)
{
    (void)state;
    taught w;
    begin(&w, "additive/global/hard:straight-through");
    double objective = loss_of(&w);
    assert_true(fabs(objective - words_loss(&w)) < 1e-5);
    assert_true(at_translate_loss_done(&w.l, objective) == objective);
    assert_false(w.baseline.started);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_places_learn_by_reward),
        cmocka_unit_test(straight_through_learns_by_the_words_alone),
    };
    return cmocka_run_group_tests_name("train_translate_loss", tests, NULL, NULL);
}
