/* One model that many threads share, each with a session of its own. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "decode/generate.h"
#include "decode/translate.h"
#include "model_fixtures.h"
#include "models/translator.h"

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
    at_session *session;
    at_str text; /* what came out, with scores */
    attend_status status;
} work;

static attend_status write_line(void *user, const attend_translation *t, attend_error *err)
{
    at_str *to = user;
    at_str_print(to, "%s\t%.9g\n", t->text, t->log_p);
    for (int i = 0; t->weights && i < t->targets; i++)
        at_str_print(to, " %.9g", t->weights[i * t->sources]);
    return to->failed ? at_error_memory(err) : ATTEND_OK;
}

static void *run(void *arg)
{
    work *w = arg;
    attend_error err;
    const char *lines[LINES];
    for (int i = 0; i < LINES; i++)
        lines[i] = line[i];
    w->status = at_session_new(1, &w->model, &w->session, &err);
    if (w->status >= 0 && (w->model->kind->can & ATTEND_CAN_GENERATE)) {
        attend_generate_options o = {.greedy = w->beam == 1,
                                     .beam = w->beam > 1 ? w->beam : 0,
                                     .repetition = 1,
                                     .temperature = 1,
                                     .top_p = 1,
                                     .most = 40};
        w->status = at_generate(w->session, &o, at_text_of(lines[0]), &w->text, &err);
    } else if (w->status >= 0) {
        attend_translate_options o;
        attend_translate_defaults(&o);
        o.beam = w->beam;
        o.batch = 7;
        o.attention = 1;
        w->status = at_translate(w->session, &o, &(at_sources){LINES, lines, NULL}, write_line,
                                 &w->text, &err);
    }
    return NULL;
}

static void free_work(work *w)
{
    at_session_free(w->session);
    at_str_free(&w->text);
}

static work run_alone(const at_model *m, int beam)
{
    work w = {.model = m, .beam = beam};
    run(&w);
    assert_int_equal(w.status, ATTEND_OK);
    assert_true(w.text.length > 20);
    return w;
}

/* All at once; each gets what the first got alone. Sessions stay open. */
static void run_threads(const at_model *m, const work *first, work each[THREADS])
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        each[i] = (work){.model = m, .beam = first->beam};
        assert_int_equal(pthread_create(&thread[i], NULL, run, &each[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(each[i].status, ATTEND_OK);
        assert_string_equal(at_str_text(&each[i].text), at_str_text(&first->text));
    }
}

static void share(const char *name, int beam)
{
    at_model *alone = open_fixture(name), *shared = open_fixture(name);
    work first = run_alone(alone, beam), each[THREADS];
    run_threads(shared, &first, each);
    for (int i = 0; i < THREADS; i++)
        free_work(&each[i]);
    free_work(&first);
    at_model_free(alone);
    at_model_free(shared);
}

static void threads_that_share_a_model_get_what_one_gets_alone(void **state)
{
    static const char *const names[] = {"two-tokenizers", "shared-tokenizer", "copy", "language"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        share(names[i], 1);
        share(names[i], 4);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

enum { MIB = 1 << 20, HIDDEN = 64 };

/* bytes of this process that are in memory */
static double resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return -1;
    if (fscanf(f, "%*d %ld", &pages) != 1)
        fail_msg("/proc/self/statm has no second number");
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A translator with the tokenizers of another, and weights that a session could not copy unseen. */
static at_model *make_large(const at_model *of)
{
    attend_error err;
    at_model *m = at_model_new(&at_model_translator, 1);
    at_translator *s = m->settings;
    assert_int_equal(at_translator_preset(s, "bahdanau", &err), ATTEND_OK);
    s->hidden = s->embedding = HIDDEN;
    m->source = of->source;
    m->target = of->target;
    m->source_size = 20 * MIB / (HIDDEN * (int)sizeof(real));
    if (at_model_describe(m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

/* Sanitizers keep memory of their own for every byte, and what was freed. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#elif defined __has_feature
enum { SANITIZED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { SANITIZED = 0 };
#endif

static void measure_sessions(int beam)
{
    double before = resident();
    at_model *small = open_fixture("two-tokenizers"), *m = make_large(small);
    work first = run_alone(m, beam), each[THREADS];
    double begun = resident();
    assert_true(begun - before > 20 * MIB); /* the weights are there */
    run_threads(m, &first, each);
    double session = (resident() - begun) / THREADS;
    printf("beam %d: %.2f MiB a session\n", beam, session / MIB);
    assert_true(session < 10 * MIB);
    for (int i = 0; i < THREADS; i++)
        free_work(&each[i]);
    free_work(&first);
    m->source = m->target = NULL;
    at_model_free(m);
    at_model_free(small);
}

static void a_session_takes_less_than_10_mib(void **state)
{
    (void)state;
    if (SANITIZED || resident() < 0)
        skip();
    measure_sessions(4);
    measure_sessions(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_share_a_model_get_what_one_gets_alone),
        cmocka_unit_test(a_session_takes_less_than_10_mib)};
    make_lines();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
