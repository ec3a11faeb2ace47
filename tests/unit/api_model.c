/* Models through the library's own functions: what they are, what they can do, and many threads
 * that share one. */
#include <pthread.h>
#include <string.h>

#include "attend.h"
#include "model_fixtures.h"

static attend_model *open_model(const char *name)
{
    attend_model *m;
    attend_error err;
    if (attend_model_open(fixture(name), &m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

static attend_model_info info_of(const attend_model *m)
{
    attend_error err;
    attend_model_info info = {.size = sizeof info};
    assert_int_equal(attend_model_describe(m, &info, &err), ATTEND_OK);
    return info;
}

static void models_say_what_they_are(void **state)
{
    (void)state;
    attend_setting setting;
    attend_model *m = open_model("two-tokenizers");
    attend_model_info info = info_of(m);
    assert_string_equal(info.kind, "translator");
    assert_int_equal(info.can, ATTEND_CAN_TRANSLATE);
    assert_true(info.parameters > 0 && info.source_vocabulary > 0 && info.target_vocabulary > 0);
    assert_non_null(info.source_tokenizer);
    assert_true(info.attention >> ATTEND_ATTENTION_CROSS & 1 && info.layers > 0 && info.heads > 0);
    assert_int_equal(info.label_count, 0);
    assert_null(attend_model_label(m, 0));
    size_t n = 0;
    while (attend_model_setting(m, n, &setting)) {
        assert_true(setting.name && setting.value);
        n++;
    }
    assert_true(n > 0);
    assert_int_equal(n, info.setting_count);
    attend_model_free(m);
    m = open_model("rnn-classifier");
    info = info_of(m);
    assert_int_equal(info.can, ATTEND_CAN_CLASSIFY);
    assert_true(info.label_count > 1);
    assert_non_null(attend_model_label(m, info.label_count - 1));
    assert_null(attend_model_label(m, info.label_count));
    attend_model_free(m);
    m = open_model("features");
    assert_true(info_of(m).features > 0);
    assert_null(info_of(m).source_tokenizer);
    attend_model_free(m);
}

static void a_shorter_info_gets_its_own_members(void **state)
{
    (void)state;
    attend_error err;
    attend_model *m = open_model("language");
    attend_model_info info = {.size = offsetof(attend_model_info, preset), .can = 12345};
    assert_int_equal(attend_model_describe(m, &info, &err), ATTEND_OK);
    assert_string_equal(info.kind, "language model");
    assert_int_equal(info.can, 12345);
    info.size = 0;
    assert_int_equal(attend_model_describe(m, &info, &err), ATTEND_OPTION);
    attend_model_free(m);
}

static void another_kind_is_refused_with_the_command_for_it(void **state)
{
    (void)state;
    static const char *const names[] = {"two-tokenizers", "rnn-classifier", "language", "pointer"};
    static const char *const use[] = {"translate", "classify", "generate", "point"};
    for (int i = 0; i < 4; i++) {
        attend_error err;
        char command[80], *text;
        const char *line = "a";
        int *positions, count;
        double log_p;
        attend_model *m = open_model(names[i]);
        attend_status status = i == 0   ? attend_classify(m, NULL, 1, &line, NULL, NULL, &err)
                               : i == 1 ? attend_generate(m, NULL, "", &text, &err)
                               : i == 2
                                   ? attend_point(m, "1", 1, 0, &positions, &count, &log_p, &err)
                                   : attend_translate(m, NULL, 1, &line, NULL, NULL, &err);
        assert_int_equal(status, ATTEND_FORMAT);
        snprintf(command, sizeof command, "attend %s takes this model (attend_%s in C)", use[i],
                 use[i]);
        assert_non_null(strstr(err.message, command));
        attend_model_free(m);
    }
}

static void models_that_do_not_fit_are_no_ensemble(void **state)
{
    (void)state;
    attend_error err;
    attend_model *one = open_model("two-tokenizers"), *other = open_model("features");
    const attend_model *others[16];
    for (int i = 0; i < 16; i++)
        others[i] = one;
    assert_int_equal(attend_model_check_ensemble(one, others, 15, &err), ATTEND_OK);
    assert_int_equal(attend_model_check_ensemble(one, others, 16, &err), ATTEND_OPTION);
    others[3] = other;
    assert_int_equal(attend_model_check_ensemble(one, others, 4, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "feature vectors"));
    attend_model_free(one);
    attend_model_free(other);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 8, LINES = 5, ROUNDS = 3 };

typedef struct {
    const attend_model *model;
    char text[8000];
    attend_status status;
} worker;

static attend_status take(void *user, const attend_translation *t, attend_error *err)
{
    (void)err;
    worker *w = user;
    size_t n = strlen(w->text);
    n += (size_t)snprintf(w->text + n, sizeof w->text - n, "%s %a %a\n", t->text, t->score,
                          t->weights && t->targets ? t->weights[0] : 0);
    assert_true(n < sizeof w->text);
    return ATTEND_OK;
}

static void *translate(void *arg)
{
    static const char *const line[LINES] = {"a b c", "b", "w1 w2 end", "c c c c c c", "the cat ."};
    worker *w = arg;
    attend_error err;
    attend_translate_options o;
    attend_translate_defaults(&o);
    o.beam = 3;
    o.attention = 1;
    for (int i = 0; i < ROUNDS && w->status >= 0; i++) {
        *w->text = '\0';
        w->status = attend_translate(w->model, &o, LINES, line, take, w, &err);
    }
    return NULL;
}

static void threads_that_share_a_model_get_the_same_bytes(void **state)
{
    (void)state;
    attend_model *m = open_model("two-tokenizers");
    static worker alone, all[THREADS];
    pthread_t thread[THREADS];
    alone = (worker){.model = m};
    translate(&alone);
    assert_int_equal(alone.status, ATTEND_OK);
    assert_true(strlen(alone.text) > LINES * 10);
    for (int i = 0; i < THREADS; i++) {
        all[i] = (worker){.model = m};
        assert_int_equal(pthread_create(&thread[i], NULL, translate, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(all[i].status, ATTEND_OK);
        assert_string_equal(all[i].text, alone.text);
    }
    attend_model_free(m);
}

/* ---- recorded attention --------------------------------------------------------------------- */

typedef struct {
    int rows;
    char json[8000], text[200];
} recorded;

/* one layer of one head: what is recorded are the weights */
static attend_status compare(void *user, const attend_translation *t, attend_error *err)
{
    recorded *r = user;
    char *json;
    snprintf(r->text, sizeof r->text, "%s %a", t->text, t->score);
    for (size_t i = 0; i < t->attention_count; i++) {
        const attend_attention_row *row = &t->attention[i];
        assert_int_equal(row->kind, ATTEND_ATTENTION_CROSS);
        assert_int_equal(row->keys, t->sources);
        assert_memory_equal(row->weights, t->weights + row->query * t->sources,
                            (size_t)t->sources * sizeof(double));
        r->rows++;
    }
    assert_int_equal(t->attention_count, t->attention ? t->targets : 0);
    assert_int_equal(attend_attention_json(t, 7, -1, &json, err), ATTEND_OK);
    snprintf(r->json, sizeof r->json, "%s", json);
    attend_free(json);
    return ATTEND_OK;
}

static void recorded_attention_follows_the_hypothesis(void **state)
{
    (void)state;
    static const char *const line[] = {"b", "a b c d e"};
    attend_error err;
    attend_translate_options o;
    attend_model *m = open_model("two-tokenizers");
    recorded with = {.rows = 0}, without = {.rows = 0};
    attend_translate_defaults(&o);
    o.attention = 1;
    assert_int_equal(attend_translate(m, &o, 2, line, compare, &without, &err), ATTEND_OK);
    assert_null(strstr(without.json, "\"attention\""));
    o.record = 1u << ATTEND_ATTENTION_CROSS;
    assert_int_equal(attend_translate(m, &o, 2, line, compare, &with, &err), ATTEND_OK);
    assert_true(with.rows > 2 && without.rows == 0);
    assert_string_equal(with.text, without.text);
    assert_non_null(strstr(with.json, "{\"kind\": \"cross\", \"layer\": 0, \"head\": 0, "));
    o.record_layer = 1;
    assert_int_equal(attend_translate(m, &o, 2, line, compare, &with, &err), ATTEND_OPTION);
    o.record_layer = -1;
    o.record = 1u << ATTEND_ATTENTION_QUERY;
    assert_int_equal(attend_translate(m, &o, 2, line, compare, &with, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "no query attention"));
    attend_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_say_what_they_are),
        cmocka_unit_test(a_shorter_info_gets_its_own_members),
        cmocka_unit_test(another_kind_is_refused_with_the_command_for_it),
        cmocka_unit_test(models_that_do_not_fit_are_no_ensemble),
        cmocka_unit_test(threads_that_share_a_model_get_the_same_bytes),
        cmocka_unit_test(recorded_attention_follows_the_hypothesis),
    };
    return cmocka_run_group_tests_name("api_model", tests, NULL, NULL);
}
