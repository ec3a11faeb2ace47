/* Words of the model's own: as many as asked for, the same for any cut of the batch, and what the
 * model says. */
#include "train/scheduled_sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/translator.h"

enum { B = 40, S = 5, T = 8, V = 11 };

typedef struct {
    at_seq2seq model;
    at_params *params;
    int source[B * S], words[B * T], targets[B * T];
} made;

static void make(made *m)
{
    attend_error err;
    at_translator s;
    assert_int_equal(at_translator_preset(&s, "bahdanau", &err), ATTEND_OK);
    s.hidden = s.embedding = 6;
    assert_int_equal(at_translator_model(&s, V, V, &m->model, &err), ATTEND_OK);
    m->params = at_params_new(5);
    at_random r = {.seed = 8};
    for (int i = 0; i < B * S; i++)
        m->source[i] = (int)at_random_below(r, (uint32_t)i, V);
    for (int i = 0; i < B * T; i++) {
        m->words[i] = V - 1; /* which an untrained model says now and then */
        m->targets[i] = i % T < T - 1 ? 1 : -1;
    }
}

static void mix(const made *m, double right, int first, int rows, int *words)
{
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    at_model whole = {.kind = &at_model_translator, .net = (void *)&m->model, .params = m->params};
    at_inputs in = {.ids = {SHAPE(rows, S), m->source + first * S}};
    void *source = at_model_translator.decodes->encode(t, &whole, &in);
    at_scheduled_options o = {
        .right = right, .place = {.seed = 3, .step = 9, .use = 2, .sentence = (uint32_t)first}};
    memcpy(words, m->words + first * T, (size_t)(rows * T) * sizeof *words);
    at_scheduled_sampling(t, &whole, source, rows, T, words, m->targets + first * T, o);
    assert_false(at_failed(t));
    at_tape_free(t);
}

static int changed(const made *m, const int *words)
{
    int n = 0;
    for (int i = 0; i < B * T; i++)
        n += words[i] != m->words[i];
    return n;
}

static void replaces_the_share_that_is_asked_for(void **state)
{
    (void)state;
    made m;
    int words[B * T];
    make(&m);
    mix(&m, 1, 0, B, words);
    assert_int_equal(changed(&m, words), 0);
    mix(&m, 0, 0, B, words);
    assert_in_range(changed(&m, words), B * (T - 2) / 2, B * (T - 2));
    mix(&m, 0.9, 0, B, words);
    assert_in_range(changed(&m, words), B * (T - 2) / 20, B * (T - 2) / 5);
    for (int b = 0; b < B; b++) {
        assert_int_equal(words[b * T], V - 1);         /* the first word begins the sentence */
        assert_int_equal(words[b * T + T - 1], V - 1); /* behind its end there is none */
    }
    at_params_free(m.params);
}

static void the_cut_of_the_batch_changes_nothing(void **state)
{
    (void)state;
    made m;
    int whole[B * T], part[B * T];
    make(&m);
    mix(&m, 0.4, 0, B, whole);
    mix(&m, 0.4, 0, 13, part);
    mix(&m, 0.4, 13, B - 13, part + 13 * T);
    assert_memory_equal(whole, part, sizeof whole);
    at_params_free(m.params);
}

static void a_word_is_what_the_model_says_after_those_before(void **state)
{
    (void)state;
    made m;
    int words[B * T];
    make(&m);
    mix(&m, 0, 0, B, words);
    at_tape *t = at_tape_new(m.params, ATTEND_INFER);
    at_source source = at_seq2seq_encode(t, &m.model, (at_ids){SHAPE(B, S), m.source}, NULL);
    at_decoder d = at_seq2seq_start(&m.model, &source);
    at_decoded out = at_seq2seq_decode(t, &m.model, &source, &d, (at_ids){SHAPE(B, T), words},
                                       false);
    at_tensor *logits = at_seq2seq_logits(t, &m.model, out.features);
    assert_false(at_failed(t));
    for (int b = 0; b < B; b++)
        for (int i = 1; i < T - 1; i++) {
            const real *p = logits->value + (b * T + i - 1) * V;
            for (int v = 0; v < V; v++)
                assert_true(p[v] <= p[words[b * T + i]]);
        }
    at_tape_free(t);
    at_params_free(m.params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_the_share_that_is_asked_for),
        cmocka_unit_test(the_cut_of_the_batch_changes_nothing),
        cmocka_unit_test(a_word_is_what_the_model_says_after_those_before),
    };
    return cmocka_run_group_tests_name("train_scheduled_sampling", tests, NULL, NULL);
}
