/* Sessions: sentences that join later, leave, or run beside others have the numbers that each has
 * alone; attention is recorded where it is asked for, and asking changes nothing. */
#include "decode/session.h"

#include <string.h>

#include "base/memory.h"
#include "model_fixtures.h"
#include "models/transformer.h"
#include "models/translator.h"

enum { V = 11, S = 5, SENTENCES = 4, STEPS = 5, POSITIONS_MAX = 8 };

static const int ids[SENTENCES][S] = {
    {3, 5, 7, 2, 9}, {4, 6, 1, 0, 0}, {8, 2, 0, 0, 0}, {1, 9, 9, 3, 0}};
static const int lengths[SENTENCES] = {5, 3, 2, 4};
static const int tokens[STEPS] = {1, 4, 7, 2, 9};

/* what one sentence gives in each of its steps */
typedef struct {
    real log_p[STEPS][V + 2], weights[STEPS][S];
} numbers;

typedef struct {
    const char *preset, *attention;
    bool reversed;
} variant;

static const variant variants[] = {
    {"bahdanau", NULL, false},    {"luong", NULL, false},
    {"luong", NULL, true},        {"cho", NULL, false},
    {"sutskever", NULL, true},    {"luong", "scaled-dot/global/soft/2", false},
    {"transformer", NULL, false}, {"transformer", "additive/window:1", false},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static at_model *make_transformer(const variant *v, uint64_t seed)
{
    attend_error err;
    at_model *m = at_model_new(&at_model_transformer, seed);
    at_transformer_settings *s = m->settings;
    assert_int_equal(at_preset_settings(&at_preset_transformer, s, &err), ATTEND_OK);
    s->hidden = s->ffn = 8;
    s->heads = s->layers = 2;
    s->attention = v->attention ? v->attention : s->attention;
    if (at_model_describe(m, &err) < 0)
        fail_msg("%s", err.message);
    at_transformer *net = m->net;
    net->source_vocabulary = net->target_vocabulary = V;
    return m;
}

static at_model *make(const variant *v, uint64_t seed)
{
    attend_error err;
    if (strcmp(v->preset, "transformer") == 0)
        return make_transformer(v, seed);
    at_model *m = at_model_new(&at_model_translator, seed);
    at_translator *s = m->settings;
    assert_int_equal(at_translator_preset(s, v->preset, &err), ATTEND_OK);
    s->hidden = s->embedding = 8;
    s->attention = v->attention ? v->attention : s->attention;
    s->reversed |= v->reversed;
    if (at_translator_model(s, V, V, m->net, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

static at_beginning sentences(int first, int n, bool weights)
{
    return (at_beginning){.sentences = n,
                          .source = {.ids = {SHAPE(n, S), ids[first]}, .lengths = lengths + first},
                          .weights = weights,
                          .weights_of = {-1, -1}};
}

static void need(attend_status status, const attend_error *err)
{
    if (status < 0)
        fail_msg("%s", err->message);
}

/* rows that continue themselves, each by its own token */
static at_session_numbers step(at_session *s, int rows, const int *from, const int *at)
{
    attend_error err;
    int next[SENTENCES], same[SENTENCES] = {0, 1, 2, 3};
    at_session_numbers out = {.log_p = NULL};
    for (int i = 0; i < rows; i++)
        next[i] = tokens[at[i]];
    need(at_session_step(s, 1, from ? from : same, next, &out, &err), &err);
    return out;
}

static void alone(int count, const at_model *const *models, int sentence, numbers *to)
{
    attend_error err;
    at_session *s;
    at_beginning in = sentences(sentence, 1, true);
    need(at_session_new(count, models, &s, &err), &err);
    need(at_session_start(s, &in, &err), &err);
    for (int t = 0; t < STEPS; t++) {
        at_session_numbers out = step(s, 1, NULL, &t);
        memcpy(to->log_p[t], out.log_p, V * sizeof(real));
        if (out.weights)
            memcpy(to->weights[t], out.weights, S * sizeof(real));
    }
    at_session_free(s);
}

static void compare(const at_session_numbers *out, int row, const numbers *n, int t)
{
    assert_memory_equal(out->log_p + row * V, n->log_p[t], V * sizeof(real));
    if (out->weights)
        assert_memory_equal(out->weights + row * S, n->weights[t], S * sizeof(real));
}

/* sentences 0 and 1 start, 2 and 3 join after two steps, then 1 leaves, then 0 */
static void run_joined(int count, const at_model *const *models)
{
    attend_error err;
    at_session *s;
    numbers each[SENTENCES];
    for (int i = 0; i < SENTENCES; i++)
        alone(count, models, i, &each[i]);
    at_beginning first = sentences(0, 2, true), second = sentences(2, 2, true);
    need(at_session_new(count, models, &s, &err), &err);
    need(at_session_start(s, &first, &err), &err);
    for (int t = 0; t < 2; t++) {
        at_session_numbers out = step(s, 2, NULL, (int[]){t, t});
        for (int i = 0; i < 2; i++)
            compare(&out, i, &each[i], t);
    }
    need(at_session_join(s, &second, &err), &err);
    at_session_numbers out = step(s, 4, NULL, (int[]){2, 2, 0, 0});
    for (int i = 0; i < 4; i++)
        compare(&out, i, &each[i], i < 2 ? 2 : 0);
    need(at_session_keep(s, 3, (int[]){0, 2, 3}, &err), &err);
    out = step(s, 3, (int[]){0, 2, 3}, (int[]){3, 1, 1});
    compare(&out, 0, &each[0], 3);
    compare(&out, 1, &each[2], 1);
    compare(&out, 2, &each[3], 1);
    need(at_session_keep(s, 2, (int[]){1, 2}, &err), &err);
    out = step(s, 2, (int[]){1, 2}, (int[]){2, 2});
    compare(&out, 0, &each[2], 2);
    compare(&out, 1, &each[3], 2);
    out = step(s, 2, NULL, (int[]){3, 3});
    compare(&out, 0, &each[2], 3);
    compare(&out, 1, &each[3], 3);
    at_session_free(s);
}

static void sentences_that_join_have_the_numbers_of_each_alone(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        at_model *m = make(&variants[i], 3);
        run_joined(1, (const at_model *const[]){m});
        at_model_free(m);
    }
}

static void so_do_those_of_an_ensemble(void **state)
{
    (void)state;
    at_model *a = make(&variants[0], 3), *b = make(&variants[1], 4);
    run_joined(2, (const at_model *const[]){a, b});
    at_model_free(a);
    at_model_free(b);
}

/* The second model fails wherever memory can run out; the first must not keep the sentences. */
static void all_models_of_an_ensemble_join_or_none(void **state)
{
    (void)state;
    at_model *a = make(&variants[0], 3), *b = make(&variants[1], 4);
    const at_model *const models[] = {a, b};
    numbers each[2];
    for (int i = 0; i < 2; i++)
        alone(2, models, i, &each[i]);
    long n = 0;
    for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
        attend_error err;
        at_session *s;
        at_searched all;
        at_beginning first = sentences(0, 2, true), second = sentences(2, 2, true);
        need(at_session_new(2, models, &s, &err), &err);
        need(at_session_start(s, &first, &err), &err);
        at_session_numbers out = step(s, 2, NULL, (int[]){0, 0});
        at_alloc_fail_after(n);
        status = at_session_join(s, &second, &err);
        at_alloc_fail_after(-1);
        need(at_session_searched(s, 0, 1, &all, &err), &err);
        assert_int_equal(all.sentences, status == ATTEND_OK ? 4 : 2);
        out = step(s, all.sentences, NULL, (int[]){1, 1, 0, 0});
        for (int i = 0; i < 2; i++)
            compare(&out, i, &each[i], 1);
        at_session_free(s);
    }
    assert_true(n > 10);
    at_model_free(a);
    at_model_free(b);
}

static void a_search_has_the_lengths_of_all_sentences(void **state)
{
    (void)state;
    at_model *m = make(&variants[0], 3);
    attend_error err;
    at_session *s;
    at_searched all;
    at_beginning first = sentences(0, 2, true), second = sentences(3, 1, true),
                 third = sentences(2, 1, true);
    third.source.lengths = NULL; /* no padding */
    need(at_session_new(1, (const at_model *const[]){m}, &s, &err), &err);
    need(at_session_start(s, &first, &err), &err);
    need(at_session_join(s, &second, &err), &err);
    need(at_session_join(s, &third, &err), &err);
    need(at_session_searched(s, 0, 1, &all, &err), &err);
    assert_int_equal(all.sentences, 4);
    assert_memory_equal(all.lengths, ((int[]){5, 3, 4, S}), 4 * sizeof(int));
    step(s, 4, NULL, (int[]){0, 0, 0, 0});
    need(at_session_keep(s, 2, (int[]){1, 2}, &err), &err);
    need(at_session_searched(s, 0, 1, &all, &err), &err);
    assert_memory_equal(all.lengths, ((int[]){3, 4}), 2 * sizeof(int));
    at_session_free(s);
    at_model_free(m);
}

/* ---- attention ------------------------------------------------------------------------------ */

/* weights are the mean of the heads, or those of one head */
static void recorded_attention_has_the_weights(void **state)
{
    (void)state;
    at_model *m = make(&variants[5], 3);
    attend_error err;
    at_session *s;
    at_arena memory = {0};
    at_beginning in = sentences(0, SENTENCES, true);
    in.wanted = (at_attention_record){
        .kinds = 1u << ATTEND_ATTENTION_CROSS, .layer = -1, .head = -1};
    need(at_session_new(1, (const at_model *const[]){m}, &s, &err), &err);
    for (int head = -1; head < 2; head++) {
        in.weights_of.head = head;
        need(at_session_start(s, &in, &err), &err);
        at_session_numbers out = step(s, SENTENCES, NULL, (int[]){0, 0, 0, 0});
        for (int row = 0; row < SENTENCES; row++) {
            at_attention_rows rows;
            need(at_session_attention(s, row, &memory, &rows, &err), &err);
            assert_int_equal(rows.count, 2);
            const real *a = rows.row[0].weights, *b = rows.row[1].weights;
            for (int k = 0; k < S; k++) {
                double mean = ((double)a[k] + (double)b[k]) / 2;
                double one = head == 1 ? (double)b[k] : (double)a[k];
                assert_float_equal(head < 0 ? mean : one, out.weights[row * S + k], 1e-6);
            }
        }
    }
    at_arena_free(&memory);
    at_session_free(s);
    at_model_free(m);
}

static void asking_for_attention_changes_no_bit(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        at_model *m = make(&variants[i], 3);
        attend_error err;
        at_session *s[2];
        for (int asked = 0; asked < 2; asked++) {
            at_beginning in = sentences(0, SENTENCES, asked);
            in.wanted.kinds = asked ? 1u << ATTEND_ATTENTION_CROSS : 0;
            in.wanted.layer = in.wanted.head = -1;
            need(at_session_new(1, (const at_model *const[]){m}, &s[asked], &err), &err);
            need(at_session_start(s[asked], &in, &err), &err);
        }
        for (int t = 0; t < STEPS; t++) {
            at_session_numbers a = step(s[0], SENTENCES, NULL, (int[]){t, t, t, t});
            at_session_numbers b = step(s[1], SENTENCES, NULL, (int[]){t, t, t, t});
            assert_memory_equal(a.log_p, b.log_p, SENTENCES * V * sizeof(real));
            assert_null(a.weights);
            at_arena memory = {0};
            at_attention_rows rows;
            need(at_session_attention(s[0], 0, &memory, &rows, &err), &err);
            assert_int_equal(rows.count, 0);
            at_arena_free(&memory);
        }
        at_session_free(s[0]);
        at_session_free(s[1]);
        at_model_free(m);
    }
}

/* ---- language models ------------------------------------------------------------------------ */

static void prompts_of_any_length_run_side_by_side(void **state)
{
    (void)state;
    static const int prompt[3][4] = {{5, 6, 7, 8}, {9, 0, 0, 0}, {6, 4, 0, 0}},
                     counts[] = {4, 1, 2};
    at_model *m = open_fixture("language");
    size_t words = (size_t)m->kind->decodes->vocabulary(m);
    attend_error err;
    at_session *all, *one;
    at_session_numbers a, b;
    at_beginning in = {.sentences = 3, .prompt = {SHAPE(3, 4), prompt[0]}, .counts = counts};
    need(at_session_new(1, (const at_model *const[]){m}, &all, &err), &err);
    need(at_session_new(1, (const at_model *const[]){m}, &one, &err), &err);
    need(at_session_start(all, &in, &err), &err);
    need(at_session_step(all, 1, (int[]){0, 1, 2}, (int[]){4, 5, 6}, &a, &err), &err);
    for (int i = 0; i < 3; i++) {
        in = (at_beginning){.sentences = 1, .prompt = {SHAPE(1, counts[i]), prompt[i]}};
        need(at_session_start(one, &in, &err), &err);
        need(at_session_step(one, 1, (int[]){0}, (int[]){4 + i}, &b, &err), &err);
        assert_memory_equal(a.log_p + (size_t)i * words, b.log_p, words * sizeof(real));
    }
    at_session_free(all);
    at_session_free(one);
    at_model_free(m);
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    at_model *m = make(&variants[1], 3);
    numbers warm;
    alone(1, (const at_model *const[]){m}, 0, &warm); /* the parameters are made */
    long live = at_alloc_live();
    attend_status status = ATTEND_MEMORY;
    for (long n = 0; status != ATTEND_OK; n++) {
        at_session *s = NULL;
        at_session_numbers out;
        attend_error err;
        at_beginning in = sentences(0, 2, true), more = sentences(2, 2, true);
        at_alloc_fail_after(n);
        status = at_session_new(1, (const at_model *const[]){m}, &s, &err);
        if (status >= 0)
            status = at_session_start(s, &in, &err);
        if (status >= 0)
            status = at_session_join(s, &more, &err);
        if (status >= 0)
            status = at_session_step(s, 1, (int[]){0, 1, 2, 3}, tokens, &out, &err);
        at_alloc_fail_after(-1);
        at_session_free(s);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    at_model_free(m);
}

/* every layer and head: of the encoder once, by the queries of the sentence alone */
static void attention_of_the_encoder_comes_with_the_first_step(void **state)
{
    (void)state;
    attend_error err;
    at_session *s;
    at_model *m = make(&(variant){"transformer", NULL, false}, 3);
    const at_model *models[] = {m};
    at_beginning in = sentences(0, 2, false);
    in.wanted = (at_attention_record){.kinds = 1u << ATTEND_ATTENTION_ENCODER
                                               | 1u << ATTEND_ATTENTION_CROSS,
                                      .layer = -1,
                                      .head = -1};
    need(at_session_new(1, models, &s, &err), &err);
    need(at_session_start(s, &in, &err), &err);
    for (int t = 0; t < 2; t++) {
        step(s, 2, NULL, (int[]){t, t});
        for (int row = 0; row < 2; row++) {
            at_arena memory = {0};
            at_attention_rows rows;
            int encoder = 0, cross = 0;
            need(at_session_attention(s, row, &memory, &rows, &err), &err);
            for (int i = 0; i < rows.count; i++) {
                bool own = rows.row[i].kind == ATTEND_ATTENTION_ENCODER;
                encoder += own;
                cross += rows.row[i].kind == ATTEND_ATTENTION_CROSS;
                assert_true(!own || rows.row[i].keys == lengths[row]);
            }
            assert_int_equal(encoder, t ? 0 : 2 * 2 * lengths[row]);
            assert_int_equal(cross, 2 * 2);
            at_arena_free(&memory);
        }
    }
    at_session_free(s);
    at_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_that_join_have_the_numbers_of_each_alone),
        cmocka_unit_test(so_do_those_of_an_ensemble),
        cmocka_unit_test(all_models_of_an_ensemble_join_or_none),
        cmocka_unit_test(a_search_has_the_lengths_of_all_sentences),
        cmocka_unit_test(recorded_attention_has_the_weights),
        cmocka_unit_test(asking_for_attention_changes_no_bit),
        cmocka_unit_test(prompts_of_any_length_run_side_by_side),
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(attention_of_the_encoder_comes_with_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
