/* Sessions as a caller has them: a search of one's own finds what the library's finds, texts that
 * join and leave have the numbers of each alone, and wrong arguments are refused. */
#include <math.h>
#include <string.h>

#include "attend.h"
#include "base/memory.h"
#include "model_fixtures.h"

enum { TOKENS = 40, WIDTH = 3 };

static attend_model *open_model(const char *name)
{
    attend_model *m;
    attend_error err;
    if (attend_model_open(fixture(name), &m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

static void need(attend_status status, const attend_error *err)
{
    if (status < 0)
        fail_msg("%s", err->message);
}

static attend_session *new_session(const attend_model *m, const attend_session_options *o)
{
    attend_session *s;
    attend_error err;
    need(attend_session_new(m, o, &s, &err), &err);
    return s;
}

/* ---- the library's searches ----------------------------------------------------------------- */

typedef struct {
    char text[200];
    double log_p;
    int calls;
} found;

static attend_status keep_best(void *user, const attend_translation *t, attend_error *err)
{
    found *f = user;
    (void)err;
    snprintf(f[t->line].text, sizeof f->text, "%s", t->text);
    f[t->line].log_p = t->log_p;
    f[t->line].calls++;
    return ATTEND_OK;
}

static const char *const lines[] = {"the red cat sleeps", "Zorro", "the old dog eats a red cat"};
enum { LINES = sizeof lines / sizeof *lines };

/* each text until its end, the likeliest token every time; texts leave as they end */
static void greedy(attend_session *s, int count, found *to)
{
    attend_error err;
    int token[LINES], own[LINES][TOKENS], length[LINES] = {0}, line[LINES], stays[LINES];
    for (int i = 0; i < count; i++) {
        line[i] = i;
        to[i].log_p = 0;
    }
    need(attend_session_start(s, count, lines, &err), &err);
    for (int n = count; n > 0;) {
        need(attend_session_step(s, 1, NULL, token, &err), &err);
        int left = 0;
        for (int i = 0; i < n; i++) {
            attend_alternative best;
            int k = line[i];
            assert_int_equal(attend_session_alternatives(s, i, 1, &best), 1);
            assert_true(attend_session_log_p(s, i, best.token) == best.log_p);
            to[k].log_p += best.log_p;
            bool ends = best.token == attend_session_end(s);
            if (!ends)
                own[k][length[k]++] = best.token;
            if (ends || length[k] == TOKENS) {
                char *text;
                need(attend_session_text(s, i, length[k], own[k], &text, &err), &err);
                snprintf(to[k].text, sizeof to[k].text, "%s", text);
                attend_free(text);
                continue;
            }
            line[left] = k;
            token[left] = best.token;
            stays[left++] = i;
        }
        need(attend_session_keep(s, left, stays, &err), &err);
        assert_int_equal(attend_session_texts(s), n = left);
    }
}

static void a_greedy_search_finds_what_translating_finds(void **state)
{
    static const char *const names[] = {"two-tokenizers", "shared-tokenizer", "copy"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        attend_error err;
        attend_model *m = open_model(names[i]);
        attend_session *s = new_session(m, NULL);
        attend_translate_options o;
        found own[LINES] = {{"", 0, 0}}, library[LINES] = {{"", 0, 0}};
        attend_translate_defaults(&o);
        o.beam = 1;
        o.most = TOKENS;
        need(attend_translate(m, &o, LINES, lines, keep_best, library, &err), &err);
        greedy(s, LINES, own);
        for (int k = 0; k < LINES; k++) {
            assert_string_equal(own[k].text, library[k].text);
            assert_true(fabs(own[k].log_p - library[k].log_p) < 1e-5);
        }
        attend_session_free(s);
        attend_model_free(m);
    }
}

/* ---- rows and texts ------------------------------------------------------------------------- */

/* the three likeliest tokens of a row */
static void best_of(const attend_session *s, int row, attend_alternative best[WIDTH])
{
    assert_int_equal(attend_session_alternatives(s, row, WIDTH, best), WIDTH);
    assert_true(best[0].log_p >= best[1].log_p && best[1].log_p >= best[2].log_p);
}

static void assert_same(const attend_alternative *a, const attend_alternative *b)
{
    for (int i = 0; i < WIDTH; i++) {
        assert_int_equal(a[i].token, b[i].token);
        assert_string_equal(a[i].text, b[i].text);
        assert_true(a[i].log_p == b[i].log_p);
    }
}

/* what follows the first token, then the second, of a text alone; the likeliest each time */
static void alone(const attend_model *m, const char *line, attend_alternative best[3][WIDTH])
{
    attend_error err;
    attend_session *s = new_session(m, NULL);
    need(attend_session_start(s, 1, &line, &err), &err);
    for (int t = 0; t < 3; t++) {
        need(attend_session_step(s, 1, NULL, t ? &best[t - 1][0].token : NULL, &err), &err);
        best_of(s, 0, best[t]);
    }
    attend_session_free(s);
}

static void texts_that_join_and_leave_have_their_own_numbers(void **state)
{
    static const char *const names[] = {"two-tokenizers", "copy", "language"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        attend_error err;
        attend_model *m = open_model(names[i]);
        attend_session *s = new_session(m, NULL);
        attend_alternative own[LINES][3][WIDTH], best[WIDTH];
        for (int k = 0; k < LINES; k++)
            alone(m, lines[k], own[k]);
        need(attend_session_start(s, 1, lines, &err), &err);
        need(attend_session_step(s, 1, NULL, NULL, &err), &err);
        need(attend_session_join(s, 2, lines + 1, &err), &err);
        need(attend_session_step(s, 1, NULL, (int[]){own[0][0][0].token, 0, 0}, &err), &err);
        for (int k = 0; k < LINES; k++) {
            best_of(s, k, best);
            assert_same(best, own[k][k ? 0 : 1]);
        }
        /* the last two leave, and the last of them comes again */
        need(attend_session_keep(s, 1, (int[]){0}, &err), &err);
        need(attend_session_join(s, 1, lines + 2, &err), &err);
        need(attend_session_step(s, 1, NULL, (int[]){own[0][1][0].token, 0}, &err), &err);
        best_of(s, 0, best);
        assert_same(best, own[0][2]);
        best_of(s, 1, best);
        assert_same(best, own[2][0]);
        /* rows that continue one row: of the second text alone */
        need(attend_session_keep(s, 1, (int[]){1}, &err), &err);
        int next = own[2][0][0].token;
        need(attend_session_step(s, 2, (int[]){0, 0}, (int[]){own[2][0][1].token, next}, &err),
             &err);
        best_of(s, 1, best);
        assert_same(best, own[2][1]);
        need(attend_session_step(s, 1, (int[]){1}, &own[2][1][0].token, &err), &err);
        best_of(s, 0, best);
        assert_same(best, own[2][2]);
        attend_session_free(s);
        attend_model_free(m);
    }
}

static void prompts_may_be_empty(void **state)
{
    static const char *const prompts[] = {"", "the red", "the"};
    (void)state;
    attend_error err;
    attend_model *m = open_model("language");
    attend_session *s = new_session(m, NULL);
    attend_alternative own[3][WIDTH], best[WIDTH];
    need(attend_session_start(s, 3, prompts, &err), &err);
    need(attend_session_step(s, 1, NULL, NULL, &err), &err);
    for (int i = 0; i < 3; i++) {
        alone(m, prompts[i], own);
        best_of(s, i, best);
        assert_same(best, own[0]);
    }
    attend_session_free(s);
    attend_model_free(m);
}

static void models_of_an_ensemble_are_averaged(void **state)
{
    (void)state;
    attend_error err;
    attend_model *m = open_model("two-tokenizers");
    attend_session_options o;
    attend_session_defaults(&o);
    o.ensemble = (const attend_model *const[]){m};
    o.ensemble_count = 1;
    attend_session *s = new_session(m, &o);
    attend_alternative own[3][WIDTH], best[WIDTH];
    alone(m, lines[0], own);
    need(attend_session_start(s, 1, lines, &err), &err);
    need(attend_session_step(s, 1, NULL, NULL, &err), &err);
    best_of(s, 0, best);
    for (int i = 0; i < WIDTH; i++) {
        assert_int_equal(best[i].token, own[0][i].token);
        assert_true(fabs(best[i].log_p - own[0][i].log_p) < 1e-5);
    }
    attend_session_free(s);
    attend_model_free(m);
}

static void attention_is_recorded_where_it_is_asked_for(void **state)
{
    (void)state;
    attend_error err;
    attend_model *m = open_model("two-tokenizers");
    attend_session_options o;
    attend_session_defaults(&o);
    for (int asked = 0; asked < 2; asked++) {
        const attend_attention_row *rows;
        size_t count;
        int keys;
        o.record = asked ? 1u << ATTEND_ATTENTION_CROSS : 0;
        attend_session *s = new_session(m, &o);
        need(attend_session_start(s, 2, lines, &err), &err);
        need(attend_session_step(s, 1, NULL, NULL, &err), &err);
        for (int i = 0; i < 2; i++) {
            need(attend_session_attention(s, i, &rows, &count, &err), &err);
            const char *const *source = attend_session_source(s, i, &keys);
            assert_int_equal(count, asked);
            assert_non_null(source);
            double sum = 0;
            for (int k = 0; asked && k < rows[0].keys; k++)
                sum += rows[0].weights[k];
            assert_true(!asked || (rows[0].keys == keys && fabs(sum - 1) < 1e-5));
            assert_true(i || strcmp(source[1], "red") == 0);
        }
        attend_session_free(s);
    }
    attend_model_free(m);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    attend_error err;
    attend_model *m = open_model("two-tokenizers");
    attend_session *s = new_session(m, NULL);
    attend_alternative best;
    assert_int_equal(attend_session_step(s, 1, NULL, NULL, &err), ATTEND_OPTION); /* no text */
    assert_int_equal(attend_session_join(s, 0, lines, &err), ATTEND_OPTION);
    need(attend_session_start(s, 2, lines, &err), &err);
    assert_int_equal(attend_session_step(s, 0, NULL, NULL, &err), ATTEND_OPTION);
    assert_int_equal(attend_session_step(s, 1, (int[]){0, 1}, NULL, &err), ATTEND_OPTION);
    assert_int_equal(attend_session_alternatives(s, 0, 1, &best), 0);
    need(attend_session_step(s, 2, NULL, NULL, &err), &err);
    assert_int_equal(attend_session_step(s, 3, NULL, (int[6]){0}, &err), ATTEND_OPTION);
    assert_int_equal(attend_session_step(s, 2, NULL, NULL, &err), ATTEND_OPTION); /* no tokens */
    assert_int_equal(attend_session_step(s, 1, NULL, (int[]){0, 1 << 20}, &err), ATTEND_OPTION);
    assert_int_equal(attend_session_keep(s, 2, (int[]){1, 0}, &err), ATTEND_OPTION);
    assert_int_equal(attend_session_keep(s, 1, (int[]){2}, &err), ATTEND_OPTION);
    char *text;
    assert_int_equal(attend_session_text(s, 5, 0, NULL, &text, &err), ATTEND_OPTION);
    assert_int_equal(attend_session_text(s, 0, 1, (int[]){-1}, &text, &err), ATTEND_OPTION);
    assert_true(attend_session_log_p(s, 99, 0) == -INFINITY);
    attend_session_free(s);
    attend_model_free(m);
    m = open_model("rnn-classifier");
    assert_int_equal(attend_session_new(m, NULL, &s, &err), ATTEND_FORMAT);
    assert_null(s);
    attend_model_free(m);
}

/* texts start, join and leave */
static attend_status run(const attend_model *m)
{
    attend_error err;
    attend_session *s = NULL;
    attend_status status = attend_session_new(m, NULL, &s, &err);
    if (status >= 0)
        status = attend_session_start(s, 2, lines, &err);
    if (status >= 0)
        status = attend_session_step(s, 1, NULL, NULL, &err);
    if (status >= 0)
        status = attend_session_join(s, 1, lines + 2, &err);
    if (status >= 0)
        status = attend_session_keep(s, 1, (int[]){2}, &err);
    attend_session_free(s);
    return status;
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    attend_model *m = open_model("copy");
    for (int i = 0; i < 3; i++) /* the model packs weights that it uses again */
        assert_int_equal(run(m), ATTEND_OK);
    long live = at_alloc_live();
    attend_status status = ATTEND_MEMORY;
    for (long n = 0; status != ATTEND_OK; n++) {
        at_alloc_fail_after(n);
        status = run(m);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    attend_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_greedy_search_finds_what_translating_finds),
        cmocka_unit_test(texts_that_join_and_leave_have_their_own_numbers),
        cmocka_unit_test(prompts_may_be_empty),
        cmocka_unit_test(models_of_an_ensemble_are_averaged),
        cmocka_unit_test(attention_is_recorded_where_it_is_asked_for),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
