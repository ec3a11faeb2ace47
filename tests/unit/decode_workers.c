/* Sessions side by side: every batch runs once, and translations are those of one session. */
#include "decode/workers.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "decode/translate.h"
#include "model_fixtures.h"

enum { BATCHES = 50, LINES = 90 };

typedef struct {
    const at_model *model;
    atomic_int runs[BATCHES];
    atomic_int others; /* runs in sessions of another model */
    size_t failing;
} work;

static attend_status run(void *user, at_session *session, size_t batch, attend_error *err)
{
    work *w = user;
    atomic_fetch_add(&w->runs[batch], 1);
    atomic_fetch_add(&w->others, at_session_model(session, 0) != w->model);
    return batch == w->failing ? at_error(err, ATTEND_NUMBER, "batch %zu", batch) : ATTEND_OK;
}

static at_session *open_session(const at_model *m)
{
    attend_error err;
    at_session *s;
    assert_int_equal(at_session_new(1, &m, &s, &err), ATTEND_OK);
    return s;
}

static void every_batch_runs_once(void **state)
{
    (void)state;
    attend_error err;
    at_model *m = open_fixture("two-tokenizers");
    at_session *s = open_session(m);
    at_workers w;
    work all = {.model = m, .failing = BATCHES};
    attend_set_threads(3);
    assert_int_equal(at_workers_make(&w, s, 1000, 1, &err), ATTEND_OK);
    assert_int_equal(w.count, 3);
    assert_ptr_equal(w.session[0], s);
    assert_int_equal(at_workers_run(&w, BATCHES, run, &all, &err), ATTEND_OK);
    for (int i = 0; i < BATCHES; i++)
        assert_int_equal(all.runs[i], 1);
    assert_int_equal(all.others, 0);
    at_workers_free(&w);
    at_session_free(s);
    at_model_free(m);
    attend_set_threads(0);
}

static void a_batch_that_fails_ends_the_work(void **state)
{
    (void)state;
    attend_error err;
    at_model *m = open_fixture("two-tokenizers");
    at_session *s = open_session(m);
    at_workers w;
    work all = {.model = m, .failing = 7};
    attend_set_threads(2);
    assert_int_equal(at_workers_make(&w, s, 1000, 1, &err), ATTEND_OK);
    assert_int_equal(at_workers_run(&w, BATCHES, run, &all, &err), ATTEND_NUMBER);
    assert_string_equal(err.message, "batch 7");
    for (int i = 0; i <= 7; i++)
        assert_int_equal(all.runs[i], 1);
    at_workers_free(&w);
    at_session_free(s);
    at_model_free(m);
    attend_set_threads(0);
}

static int count_of(at_session *s, size_t sentences, int width)
{
    attend_error err;
    at_workers w;
    assert_int_equal(at_workers_make(&w, s, sentences, width, &err), ATTEND_OK);
    int count = w.count;
    at_workers_free(&w);
    return count;
}

static void few_rows_have_fewer_workers_than_threads(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    at_session *s = open_session(m);
    attend_set_threads(4);
    assert_int_equal(count_of(s, 1, 1), 1);
    assert_int_equal(count_of(s, 1, 100), 1); /* one sentence is not divided */
    assert_int_equal(count_of(s, 15, 1), 1);
    assert_int_equal(count_of(s, 16, 1), 2);
    assert_int_equal(count_of(s, 3, 8), 3);
    assert_int_equal(count_of(s, 1000, 1), 4);
    at_params_unshare(m->params);
    assert_int_equal(count_of(s, 1000, 1), 1); /* their tapes would change one set */
    at_session_free(s);
    at_model_free(m);
    attend_set_threads(0);
}

static void batches_are_even(void **state)
{
    (void)state;
    at_workers two = {.count = 2};
    assert_int_equal(at_workers_batch(&two, 64, 64), 32);
    assert_int_equal(at_workers_batch(&two, 129, 64), 33); /* four, not three */
    assert_int_equal(at_workers_batch(&two, 128, 64), 64);
    assert_int_equal(at_workers_batch(&two, 1, 64), 1);
    assert_int_equal(at_workers_batch(&two, 0, 64), 64);
}

/* ---- translations --------------------------------------------------------------------------- */

static attend_status write_line(void *user, const attend_translation *t, attend_error *err)
{
    at_str *to = user;
    at_str_print(to, "%zu %s %a\n", t->line, t->text, t->log_p);
    return to->failed ? at_error_memory(err) : ATTEND_OK;
}

static at_str translated(const at_model *m, int threads, int beam)
{
    static const char *const words[] = {"the", "red", "cat", "eats", "old", "Zorro"};
    static char text[LINES][80];
    attend_error err;
    const char *line[LINES];
    at_str out = {0};
    for (int i = 0; i < LINES; i++) {
        text[i][0] = '\0';
        for (int k = 0; k < i % 7; k++)
            snprintf(text[i] + strlen(text[i]), 20, " %s", words[(i * 7 + k * k) % 6]);
        line[i] = text[i];
    }
    at_session *s = open_session(m);
    attend_translate_options o;
    attend_translate_defaults(&o);
    o.beam = beam;
    o.batch = 16;
    attend_set_threads(threads);
    assert_int_equal(at_translate(s, &o, &(at_sources){LINES, line, NULL}, write_line, &out, &err),
                     ATTEND_OK);
    attend_set_threads(0);
    at_session_free(s);
    return out;
}

static void any_number_of_workers_translates_alike(void **state)
{
    (void)state;
    at_model *m = open_fixture("shared-tokenizer");
    for (int beam = 1; beam <= 5; beam += 4) {
        at_str one = translated(m, 1, beam);
        for (int threads = 2; threads <= 5; threads++) {
            at_str several = translated(m, threads, beam);
            assert_string_equal(at_str_text(&several), at_str_text(&one));
            at_str_free(&several);
        }
        at_str_free(&one);
    }
    at_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_batch_runs_once),
        cmocka_unit_test(a_batch_that_fails_ends_the_work),
        cmocka_unit_test(few_rows_have_fewer_workers_than_threads),
        cmocka_unit_test(batches_are_even),
        cmocka_unit_test(any_number_of_workers_translates_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
