/* Training and translating through the library's own functions: what callers may ask for and what
 * they are told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"

static char folder[] = "/tmp/attend-translate-XXXXXX";
static attend_model *translator;

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* ---- training ------------------------------------------------------------------------------ */

typedef struct {
    attend_train_kind at; /* the kind of event that is answered */
    attend_status answer;
    int events;
    long long last; /* step that was seen */
} teller;

static attend_status tell(void *user, const attend_train_event *e, attend_error *err)
{
    (void)err;
    teller *t = user;
    if (e->kind == ATTEND_TRAIN_STEP)
        t->last = e->step;
    t->events += e->kind == t->at;
    return e->kind == t->at ? t->answer : ATTEND_OK;
}

static attend_status train(const char *out, attend_train_function *function, void *user,
                           attend_error *err)
{
    char data[128], model[128];
    snprintf(data, sizeof data, "%s", path_of("pairs.tsv"));
    snprintf(model, sizeof model, "%s", path_of(out));
    const attend_setting settings[] = {
        {"preset", "bahdanau"}, {"data", data},          {"out", model},    {"hidden", "8"},
        {"embedding", "8"},     {"steps", "6"},          {"batch", "8"},    {"valid", "20%"},
        {"threads", "1"},       {"validate-every", "2"}, {"curves", "none"}};
    return attend_train(settings, sizeof settings / sizeof *settings, function, user, err);
}

static int make_model(void **state)
{
    (void)state;
    attend_error err;
    if (!mkdtemp(folder))
        return -1;
    FILE *file = fopen(path_of("pairs.tsv"), "w");
    for (int i = 0; file && i < 60; i++)
        fprintf(file, "w%d w%d end\tv%d v%d stop\n", i % 7, i % 5, i % 5, i % 7);
    if (!file || fclose(file) != 0)
        return -1;
    if (train("model", NULL, NULL, &err) < 0
        || attend_model_open(path_of("model"), &translator, &err) < 0) {
        print_error("%s\n", err.message);
        return -1;
    }
    return 0;
}

static int remove_model(void **state)
{
    char command[160];
    (void)state;
    attend_model_free(translator);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void a_validation_may_end_the_run(void **state)
{
    (void)state;
    attend_error err;
    teller t = {.at = ATTEND_TRAIN_VALIDATED, .answer = ATTEND_STOPPED};
    assert_int_equal(train("stopped", tell, &t, &err), ATTEND_STOPPED);
    assert_int_equal(t.events, 1);
    assert_int_equal(t.last, 2);
    t = (teller){.at = ATTEND_TRAIN_VALIDATED, .answer = ATTEND_CHECKPOINT};
    if (train("going", tell, &t, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(t.events, 3);
    assert_int_equal(t.last, 6);
}

static void threads_are_as_before(void **state)
{
    (void)state;
    attend_error err;
    int before = attend_threads();
    attend_set_threads(3);
    assert_true(train("threads", NULL, NULL, &err) >= 0);
    assert_int_equal(attend_threads(), 3);
    attend_set_threads(before);
}

static void settings_without_a_name_or_value_are_refused(void **state)
{
    (void)state;
    attend_error err;
    char *text = NULL;
    const attend_setting bad[] = {{"epochs", "3"}, {"hidden", NULL}, {NULL, "8"}};
    assert_int_equal(attend_train(bad, 2, NULL, NULL, &err), ATTEND_OPTION);
    assert_string_equal(err.message, "setting 2, hidden has no value");
    assert_int_equal(attend_train_config(bad + 2, 1, &text, &err), ATTEND_OPTION);
    assert_string_equal(err.message, "setting 1 has no name");
    assert_null(text);
}

/* ---- translating --------------------------------------------------------------------------- */

enum { LINES = 3 };
static const char *const lines[LINES] = {"w1 w2 end", "", "w3 end"};

typedef struct {
    char text[LINES][200];
    double log_p[LINES];
    int targets[LINES], cut[LINES], calls;
    bool log_ps;
    attend_status answer;
} taken;

static attend_status take(void *user, const attend_translation *t, attend_error *err)
{
    taken *k = user;
    (void)err;
    snprintf(k->text[t->line], sizeof k->text[t->line], "%s", t->text);
    k->log_p[t->line] = t->log_p;
    k->targets[t->line] = t->targets;
    k->cut[t->line] = t->cut;
    k->log_ps = k->log_ps || t->log_ps;
    k->calls++;
    return k->answer;
}

static attend_translate_options greedy(void)
{
    attend_translate_options o;
    attend_translate_defaults(&o);
    o.beam = 1;
    return o;
}

static taken translate(const attend_translate_options *o)
{
    taken k = {.calls = 0};
    attend_error err;
    if (attend_translate(translator, o, LINES, lines, take, &k, &err) < 0)
        fail_msg("%s", err.message);
    return k;
}

static void words_do_not_depend_on_whether_scores_are_wanted(void **state)
{
    (void)state;
    attend_translate_options o = greedy();
    taken with = translate(&o);
    o.scores = 0;
    taken without = translate(&o);
    assert_true(with.targets[0] > 0 && with.targets[1] == 0);
    assert_true(with.log_ps && with.log_p[0] < 0 && !without.log_ps && isnan(without.log_p[0]));
    for (int i = 0; i < LINES; i++)
        assert_string_equal(with.text[i], without.text[i]);
}

static void lines_that_are_cut_short_are_not_taken_for_empty_ones(void **state)
{
    (void)state;
    attend_translate_options o = greedy();
    o.longest = 1;
    taken k = translate(&o);
    assert_int_equal(k.calls, LINES);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(k.cut[i], i != 1);
    assert_true(k.targets[0] > 0 && k.targets[1] == 0 && k.targets[2] > 0);
}

static void what_the_callers_function_says_counts(void **state)
{
    (void)state;
    attend_error err;
    attend_translate_options o = greedy();
    taken k = {.answer = ATTEND_STOPPED};
    assert_int_equal(attend_translate(translator, &o, LINES, lines, take, &k, &err),
                     ATTEND_STOPPED);
    assert_int_equal(k.calls, 1);
    k = (taken){.answer = (attend_status)1};
    assert_int_equal(attend_translate(translator, &o, LINES, lines, take, &k, &err), ATTEND_OK);
    assert_int_equal(k.calls, LINES);
}

static void options_are_checked(void **state)
{
    (void)state;
    attend_error err;
    enum { BAD = 10 };
    attend_translate_options bad[BAD];
    for (int i = 0; i < BAD; i++)
        bad[i] = greedy();
    bad[0].rule = 42;
    bad[1].when_long = 7;
    bad[2].most = (1 << 20) + 1;
    bad[3].no_repeat = -1;
    bad[4].size = 0;
    bad[5].best = 2;
    bad[6].forced = 1;
    bad[7].penalty = NAN;
    bad[8].penalty = INFINITY;
    bad[9].coverage = NAN;
    for (int i = 0; i < BAD; i++) {
        taken k = {.calls = 0};
        assert_int_equal(attend_translate(translator, &bad[i], LINES, lines, take, &k, &err),
                         ATTEND_OPTION);
        assert_int_equal(k.calls, 0);
    }
}

static attend_status link_up(void *user, const attend_translation *t, attend_error *err)
{
    char *links = NULL;
    (void)err;
    attend_status status = attend_translation_links(t, 1, 0, &links, user);
    attend_free(links);
    return status;
}

static void links_say_what_they_need(void **state)
{
    (void)state;
    attend_error err, why;
    attend_translate_options o = greedy();
    assert_int_equal(attend_translate(translator, &o, LINES, lines, link_up, &why, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(why.message, "ask for attention"));
    o.attention = 1;
    assert_int_equal(attend_translate(translator, &o, LINES, lines, link_up, &why, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(why.message, "ask for target_words"));
    o.target_words = 1;
    assert_int_equal(attend_translate(translator, &o, LINES, lines, link_up, &why, &err),
                     ATTEND_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_validation_may_end_the_run),
        cmocka_unit_test(threads_are_as_before),
        cmocka_unit_test(settings_without_a_name_or_value_are_refused),
        cmocka_unit_test(words_do_not_depend_on_whether_scores_are_wanted),
        cmocka_unit_test(lines_that_are_cut_short_are_not_taken_for_empty_ones),
        cmocka_unit_test(what_the_callers_function_says_counts),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(links_say_what_they_need),
    };
    return cmocka_run_group_tests_name("api_translate", tests, make_model, remove_model);
}
