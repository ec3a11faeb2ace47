/* BERT: gradients of every head of every family, padding and batches that change no bit, and texts
 * that are too long. */
#include "models/bert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "gradient_check.h"

enum { B = 2, T = 5, V = 11, K = 3, PAD = 1 };

static const int ids[B * T] = {3, 7, 4, 9, 2, 5, 6, 2, PAD, PAD};
static const int segments[B * T] = {0, 0, 0, 1, 1, 0, 1, 1, 0, 0}, lengths[B] = {5, 3};

static at_bert small(at_bert_family family, at_bert_head head)
{
    return (at_bert){.family = family,
                     .head = head,
                     .vocabulary = V,
                     .positions = 9,
                     .segments = family == ATTEND_BERT ? 2 : family == ATTEND_ROBERTA,
                     .width = 6,
                     .layers = 2,
                     .heads = 2,
                     .inner = 8,
                     .classes = K,
                     .pad = PAD,
                     .activation = at_gelu,
                     .epsilon = (real)1e-5,
                     .tied = family != ATTEND_ROBERTA,
                     .pooler = true};
}

static at_inputs texts(void)
{
    return (at_inputs){.ids = {SHAPE(B, T), ids}, .segments = segments, .lengths = lengths};
}

/* ---- gradients ------------------------------------------------------------------------------ */

static at_tensor *tokens_loss(at_tape *t, const at_bert *m, at_tensor *x)
{
    static const int targets[B * T] = {-1, 8, -1, 4, -1, 5, -1, -1, -1, -1}, next[B] = {1, 0};
    at_cross_entropy_options o = {.ignore = -1};
    at_tensor *loss = at_bert_tokens_loss(t, m, x, (at_ids){SHAPE(B, T), targets}, o);
    if (m->head == ATTEND_BERT_MASKED)
        return loss;
    at_ids label = {SHAPE(B), next};
    return at_add(t, loss, at_cross_entropy(t, at_bert_next(t, m, x), label, o));
}

static at_tensor *classes_loss(at_tape *t, const at_bert *m, at_tensor *x)
{
    static const int label[B] = {2, 0};
    static const real several[B * K] = {1, 0, 1, 0, 0, 1};
    at_tensor *y = at_bert_classes(t, m, x);
    if (m->labels == ATTEND_LABELS_SEVERAL)
        return at_bce(t, y, several, (at_reduction){0});
    if (m->labels == ATTEND_LABELS_NUMBER)
        return at_mse(t, y, several, (at_reduction){0});
    return at_cross_entropy(t, y, (at_ids){SHAPE(B), label},
                            (at_cross_entropy_options){.ignore = -1});
}

static at_tensor *span_loss(at_tape *t, const at_bert *m, at_tensor *x)
{
    static const int first[B] = {1, 0}, last[B] = {3, 2};
    at_tensor *y = at_bert_span(t, m, x), *side[2];
    if (at_failed(t))
        return at_poison(t);
    for (int i = 0; i < 2; i++)
        side[i] = at_reshape(t, at_slice(t, y, 2, i, i + 1), SHAPE(B, T));
    return at_span_loss(t, side[0], side[1], (at_span_targets){first, last, lengths}, 0);
}

static at_tensor *loss(at_tape *t, at_path s, const void *arg)
{
    static const int tags[B * T] = {0, 2, 1, -1, 0, 1, 1, 2, -1, -1};
    const at_bert *m = arg;
    at_inputs in = texts();
    (void)s;
    at_tensor *x = at_bert_encode(t, m, &in, NULL);
    switch (m->head) {
    case ATTEND_BERT_NONE: return at_sum(t, at_bert_pool(t, m, x));
    case ATTEND_BERT_CLASSES: return classes_loss(t, m, x);
    case ATTEND_BERT_TAGS:
        return at_cross_entropy(t, at_bert_tags(t, m, x), (at_ids){SHAPE(B, T), tags},
                                (at_cross_entropy_options){.ignore = -1});
    case ATTEND_BERT_SPAN: return span_loss(t, m, x);
    default: return tokens_loss(t, m, x);
    }
}

static void check_gradient(const at_bert *m)
{
    at_gradcheck c = at_gradient_check(loss, m, sizeof(real) == 8 ? 1e-6 : 1e-1, NULL, NULL);
    if (!c.ok)
        fail_msg("family %d, head %d: %s", (int)m->family, (int)m->head, c.where);
}

static void every_head_of_every_family_has_right_gradients(void **state)
{
    (void)state;
    for (int family = ATTEND_BERT; family <= ATTEND_DISTILBERT; family++)
        for (int head = ATTEND_BERT_NONE; head <= ATTEND_BERT_SPAN; head++) {
            at_bert m = small((at_bert_family)family, (at_bert_head)head);
            if (family != ATTEND_DISTILBERT || head != ATTEND_BERT_NONE) /* no pooler */
                check_gradient(&m);
        }
    at_bert m = small(ATTEND_BERT, ATTEND_BERT_CLASSES);
    m.labels = ATTEND_LABELS_SEVERAL;
    check_gradient(&m);
    m.labels = ATTEND_LABELS_NUMBER;
    check_gradient(&m);
}

/* of padding that does carry a loss, as in an answer's span over all positions */
static void padding_gets_no_gradient(void **state)
{
    (void)state;
    at_params *params = at_params_new(3);
    at_tape *t = at_tape_new(params, ATTEND_GRAD);
    at_bert m = small(ATTEND_ROBERTA, ATTEND_BERT_SPAN);
    m.fixed_positions = false;
    at_inputs in = texts();
    assert_true(at_backward(t, at_sum(t, at_bert_span(t, &m, at_bert_encode(t, &m, &in, NULL)))));
    static const char *const name[] = {"embeddings.word_embeddings.weight",
                                       "embeddings.position_embeddings.weight"};
    for (int i = 0; i < 2; i++) {
        const real *g = at_param_grad(t, at_params_find(params, name[i])->index);
        for (int k = 0; k < m.width; k++) {
            assert_true(g[PAD * m.width + k] == 0);
            assert_true(g[2 * m.width + k] != 0);
        }
    }
    at_tape_free(t);
    at_params_free(params);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* each text of a batch with padding has the bits that it has alone, at any length of the batch */
static void neither_padding_nor_the_batch_changes_a_bit(void **state)
{
    enum { N = 7, LONG = 70 };
    static const int length[N] = {1, 2, 17, 33, 64, 65, 70};
    int text[N * LONG];
    (void)state;
    at_bert m = small(ATTEND_BERT, ATTEND_BERT_NONE);
    m.positions = LONG;
    m.width = 32;
    m.heads = 4;
    m.inner = 48;
    at_params *params = at_params_new(3);
    at_tape *all = at_tape_new(params, ATTEND_INFER), *one = at_tape_new(params, ATTEND_INFER);
    for (int i = 0; i < N * LONG; i++)
        text[i] = i % LONG < length[i / LONG] ? (i * 7 + i / 3) % V : PAD;
    at_inputs in = {.ids = {SHAPE(N, LONG), text}, .lengths = length};
    at_tensor *x = at_bert_encode(all, &m, &in, NULL);
    for (int b = 0; b < N; b++) {
        at_inputs alone = {.ids = {SHAPE(1, length[b]), text + b * LONG}};
        at_tape_reset(one);
        at_tensor *y = at_bert_encode(one, &m, &alone, NULL);
        assert_false(at_failed(all) || at_failed(one));
        assert_memory_equal(x->value + (size_t)b * LONG * 32, y->value, y->len * sizeof(real));
    }
    at_tape_free(all);
    at_tape_free(one);
    at_params_free(params);
}

static void asking_for_attention_and_states_changes_no_bit(void **state)
{
    (void)state;
    at_bert m = small(ATTEND_BERT, ATTEND_BERT_NONE);
    at_params *params = at_params_new(3);
    at_tape *t = at_tape_new(params, ATTEND_INFER), *u = at_tape_new(params, ATTEND_INFER);
    static at_attention_record record = {
        .kinds = 1u << ATTEND_ATTENTION_ENCODER, .layer = -1, .head = -1};
    at_tensor *states[3], *weights;
    at_inputs in = texts(), recorded = texts();
    recorded.record = &record;
    recorded.states = states;
    at_tensor *x = at_bert_encode(t, &m, &in, NULL);
    at_tensor *y = at_bert_encode(u, &m, &recorded, &weights);
    assert_memory_equal(x->value, y->value, x->len * sizeof(real));
    assert_int_equal(record.count, m.layers);
    assert_ptr_equal(states[m.layers], y);
    assert_ptr_equal(record.item[1].weights, weights);
    for (int i = 0; i < (int)weights->len; i++) /* [B,H,T,T]: keys beyond the length */
        if (i % T >= lengths[i / (2 * T * T)])
            assert_true(weights->value[i] == 0);
    at_tape_free(t);
    at_tape_free(u);
    at_params_free(params);
}

/* ---- input that does not fit ---------------------------------------------------------------- */

static void a_text_that_is_too_long_is_refused(void **state)
{
    (void)state;
    at_params *params = at_params_new(3);
    for (int family = ATTEND_BERT; family <= ATTEND_DISTILBERT; family++) {
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_bert m = small((at_bert_family)family, ATTEND_BERT_NONE);
        m.positions = family == ATTEND_ROBERTA ? 6 : 4;
        at_inputs in = texts();
        at_bert_encode(t, &m, &in, NULL);
        assert_non_null(strstr(at_tape_error(t)->message, "more than the 4 tokens"));
        at_tape_free(t);
    }
    at_params_free(params);
}

/* RoBERTa's positions depend on the ids alone, and skip padding inside a text */
static void positions_skip_padding(void **state)
{
    static const int left[6] = {PAD, PAD, 3, PAD, 4, 5}, want[6] = {PAD, PAD, 2, PAD, 3, 4};
    (void)state;
    at_params *params = at_params_new(3);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_bert m = small(ATTEND_ROBERTA, ATTEND_BERT_NONE);
    const int *p = at_bert_positions(t, &m, (at_ids){SHAPE(1, 6), left});
    assert_memory_equal(p, want, sizeof want);
    at_tape_free(t);
    at_params_free(params);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_params *params = at_params_new(3);
    at_bert m = small(ATTEND_BERT, ATTEND_BERT_CLASSES);
    bool ended = false;
    for (long n = -1; n < 1000 && !ended; n++) { /* first all parameters are made */
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        at_inputs in = texts();
        at_alloc_fail_after(n);
        at_bert_classes(t, &m, at_bert_encode(t, &m, &in, NULL));
        at_alloc_fail_after(-1);
        ended = n >= 0 && !at_failed(t);
        if (n >= 0 && !ended)
            assert_int_equal(at_tape_error(t)->status, ATTEND_MEMORY);
        at_tape_free(t);
    }
    assert_true(ended);
    at_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_head_of_every_family_has_right_gradients),
        cmocka_unit_test(padding_gets_no_gradient),
        cmocka_unit_test(neither_padding_nor_the_batch_changes_a_bit),
        cmocka_unit_test(asking_for_attention_and_states_changes_no_bit),
        cmocka_unit_test(a_text_that_is_too_long_is_refused),
        cmocka_unit_test(positions_skip_padding),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
