/* One model that many threads share, each with a session of its own. */
#include <pthread.h>
#include <string.h>

#include "decode/generate.h"
#include "decode/translate.h"
#include "model_fixtures.h"

enum { THREADS = 8, LINES = 300, WORDS_MAX = 12 };

static char line[LINES][100];

/* sentences of every length and order of words, some of them unknown */
static void make_lines(void)
{
    static const char *const words[] = {"the", "red",  "cat", "sleeps", "a",
                                        "dog", "eats", "old", "Zorro"};
    unsigned random = 1;
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k <= i % WORDS_MAX; k++) {
            random = random * 1103515245u + 12345u;
            size_t used = strlen(line[i]);
            snprintf(line[i] + used, sizeof line[i] - used, "%s%s", k ? " " : "",
                     words[(random >> 16) % 9]);
        }
}

typedef struct {
    const at_model *model;
    int beam;
    at_str text; /* what came out, with scores */
    attend_status status;
} work;

static attend_status write_line(void *user, const at_translated *t, attend_error *err)
{
    at_str *to = user;
    at_str_print(to, "%s\t%.9g\n", t->text, t->log_p);
    for (int i = 0; t->weights && i < t->count; i++)
        at_str_print(to, " %.9g", (double)t->weights[i][0]);
    return to->failed ? at_error_memory(err) : ATTEND_OK;
}

static void *run(void *arg)
{
    work *w = arg;
    attend_error err;
    at_session *s = NULL;
    at_text lines[LINES];
    for (int i = 0; i < LINES; i++)
        lines[i] = (at_text){line[i], strlen(line[i])};
    w->status = at_session_new(1, &w->model, &s, &err);
    if (w->status >= 0 && (w->model->kind->can & ATTEND_CAN_GENERATE)) {
        at_generate_options o = {.greedy = w->beam == 1,
                                 .beam = w->beam > 1 ? w->beam : 0,
                                 .sampling = {1, 1, 0, 1, 0},
                                 .most = 40};
        w->status = at_generate(s, &o, lines[0], &w->text, &err);
    } else if (w->status >= 0) {
        at_translate_options o = {
            .beam = {.width = w->beam}, .best = 1, .batch = 7, .longest = 100, .weights = true};
        w->status = at_translate(s, &o, LINES, lines, write_line, &w->text, &err);
    }
    at_session_free(s);
    return NULL;
}

static void share(const char *name, int beam)
{
    at_model *alone = open_fixture(name), *shared = open_fixture(name);
    work first = {.model = alone, .beam = beam}, each[THREADS];
    pthread_t thread[THREADS];
    run(&first);
    assert_int_equal(first.status, ATTEND_OK);
    for (int i = 0; i < THREADS; i++) {
        each[i] = (work){.model = shared, .beam = beam};
        assert_int_equal(pthread_create(&thread[i], NULL, run, &each[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(each[i].status, ATTEND_OK);
        assert_string_equal(at_str_text(&each[i].text), at_str_text(&first.text));
        at_str_free(&each[i].text);
    }
    assert_true(first.text.length > 20);
    at_str_free(&first.text);
    at_model_free(alone);
    at_model_free(shared);
}

static void threads_that_share_a_model_get_what_one_gets_alone(void **state)
{
    static const char *const names[] = {"two-tokenizers", "shared-tokenizer", "copy", "language"};
    (void)state;
    make_lines();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        share(names[i], 1);
        share(names[i], 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_share_a_model_get_what_one_gets_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
