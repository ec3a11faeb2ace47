/* Runs on a small corpus: their phases, the lock of the folder, stopping and resuming, and what
 * errors leave behind. */
#include "train/run.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "train/config.h"

enum { SETTINGS = 16, EXAMPLES = 40, STEPS = 9 };

static char folder[] = "/tmp/attend-run-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[8][200];
    static int next;
    char *to = path[next++ % 8];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static bool exists(const char *name)
{
    struct stat about;
    return lstat(in_folder(name), &about) == 0;
}

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[500];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

static void write_corpus(void)
{
    static const char *const words[] = {"red", "blue", "green", "old", "new"};
    FILE *f = fopen(in_folder("pairs.tsv"), "wb");
    assert_non_null(f);
    for (int i = 0; i < EXAMPLES; i++)
        fprintf(f, "%s %s\t%s %s\n", words[i % 5], words[i / 5 % 5], words[i / 5 % 5],
                words[i % 5]);
    assert_int_equal(fclose(f), 0);
}

/* ---- a run ---------------------------------------------------------------------------------- */

/* what the report does, and what it has seen */
typedef struct {
    long long at;         /* the step to answer at; 0: none */
    attend_status answer; /* with this */
    long long last;       /* step */
    int validations, saved;
    char said[2000];
} watcher;

static attend_status watch(void *user, const attend_train_event *e, attend_error *err)
{
    watcher *w = user;
    size_t used = strlen(w->said);
    if (e->kind == ATTEND_TRAIN_SAYS)
        snprintf(w->said + used, sizeof w->said - used, "%s\n", e->text);
    w->validations += e->kind == ATTEND_TRAIN_VALIDATED;
    if (e->kind != ATTEND_TRAIN_STEP)
        return ATTEND_OK;
    w->last = e->step;
    if (e->step != w->at)
        return ATTEND_OK;
    return w->answer == ATTEND_CHECKPOINT || w->answer == ATTEND_STOPPED
               ? w->answer
               : at_error(err, w->answer, "the report failed");
}

static void note_saved(void *user) { ((watcher *)user)->saved++; }

/* a configuration, and the settings that it borrows */
typedef struct {
    attend_setting all[SETTINGS];
    size_t count;
    at_train_config config;
} setup;

/* more: "name", "value", .. up to NULL; or NULL */
static void set_up(setup *s, const char *out, bool resume, const char *const *more)
{
    static char data[200];
    attend_error err;
    snprintf(data, sizeof data, "%s/pairs.tsv", folder);
    const attend_setting first[] = {
        {"data", data},     {"hidden", "6"}, {"embedding", "6"},          {"valid", "5"},
        {"min-count", "1"}, {"batch", "4"},  {"validate-every", "4"},     {"steps", "9"},
        {"curves", "none"}, {"lr", "0.05"},  {"checkpoint-every", "100"}, {"shards", "2"},
    };
    s->count = 0;
    s->all[s->count++] = (attend_setting){"out", out};
    if (resume)
        s->all[s->count++] = (attend_setting){"resume", "yes"};
    for (size_t i = 0; !resume && i < sizeof first / sizeof *first; i++)
        s->all[s->count++] = first[i];
    for (; more && *more; more += 2)
        s->all[s->count++] = (attend_setting){more[0], more[1]};
    assert_true(s->count <= SETTINGS);
    if (at_train_config_read(&s->config, s->all, s->count, &err) < 0)
        fail_msg("%s", err.message);
}

/* all of a run; its end in err */
static attend_status train(const char *out, bool resume, const char *const *more, watcher *w,
                           attend_error *err)
{
    setup s;
    at_run *r;
    at_run_hooks hooks = {watch, note_saved, w};
    set_up(&s, out, resume, more);
    attend_status status = at_run_new(&s.config, &hooks, &r, err);
    if (status >= 0)
        status = at_run_go(r, err);
    at_run_free(r);
    at_train_config_free(&s.config);
    return status;
}

static void train_well(const char *out, bool resume, watcher *w)
{
    attend_error err;
    if (train(out, resume, NULL, w, &err) < 0)
        fail_msg("%s", err.message);
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    char one[200], other[200];
    snprintf(one, sizeof one, "%s/%s", a, name);
    snprintf(other, sizeof other, "%s/%s", b, name);
    run_shell("cmp %s %s", one, other);
}

static void assert_same_run(const char *a, const char *b)
{
    assert_same_file(a, b, "model.safetensors");
    assert_same_file(a, b, "training/last.safetensors");
    assert_same_file(a, b, "training/metrics.jsonl");
}

/* no file of the folder is one that was being written: .attend-PROCESS-NUMBER.tmp */
static void assert_no_half_file(const char *path)
{
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".tmp"))
            fail_msg("%s/%s is left", path, e->d_name);
    closedir(d);
}

/* ---- phases --------------------------------------------------------------------------------- */

static char phases[4000];

static void take_log(void *user, attend_log_level level, const char *text)
{
    (void)user;
    size_t used = strlen(phases);
    const char *phase = strstr(text, "training: ");
    if (level == ATTEND_LOG_DEBUG && phase)
        snprintf(phases + used, sizeof phases - used, "%s\n", phase + strlen("training: "));
}

/* do they come one after the other? */
static void assert_order(const char *const *names)
{
    const char *at = phases;
    for (; *names; names++) {
        const char *found = strstr(at, *names);
        if (!found)
            fail_msg("'%s' is missing or too early in:\n%s", *names, phases);
        at = found + strlen(*names);
    }
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void phases_run_in_their_order(void **state)
{
    (void)state;
    const char *out = in_folder("phases");
    watcher w = {.at = 3, .answer = ATTEND_STOPPED};
    attend_error err;
    attend_set_log(take_log, NULL);
    *phases = '\0';
    assert_int_equal(train(out, false, NULL, &w, &err), ATTEND_STOPPED);
    assert_order(WORDS("check the folder", "lock the folder", "check that the folder is empty",
                       "check settings", "check files", "read the data", "open the model",
                       "prepare the task", "make batches", "make the trainer", "clear the folder",
                       "save settings", "save the model's settings", "estimate memory"));
    assert_null(strstr(phases, "resume"));
    *phases = '\0';
    w = (watcher){.at = 0};
    train_well(out, true, &w);
    attend_set_log(NULL, NULL);
    assert_order(WORDS("lock the folder", "find the checkpoint", "read the data",
                       "make the trainer", "resume", "save changed settings"));
    assert_null(strstr(phases, "clear the folder"));
    assert_null(strstr(phases, "check that the folder is empty"));
}

static void a_refused_run_leaves_no_folder(void **state)
{
    (void)state;
    watcher w = {.at = 0};
    attend_error err;
    assert_int_equal(train(in_folder("refused"), false, WORDS("watch", "nothing"), &w, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "--watch nothing"));
    assert_false(exists("refused"));
    assert_int_equal(train(in_folder("refused"), false, WORDS("data", "/nowhere.tsv"), &w, &err),
                     ATTEND_FILE);
    assert_non_null(strstr(err.message, "/nowhere.tsv"));
    assert_false(exists("refused"));
}

static void a_run_has_its_files_and_reports(void **state)
{
    (void)state;
    watcher w = {.at = 0};
    train_well(in_folder("whole"), false, &w);
    assert_int_equal(w.last, STEPS);
    assert_int_equal(w.validations, 3); /* after 4, 8 and the last */
    assert_int_equal(w.saved, 3);
    assert_true(exists("whole/model.safetensors") && exists("whole/config.json"));
    assert_true(exists("whole/training/settings.yaml") && exists("whole/training/metrics.jsonl"));
    assert_non_null(strstr(w.said, "done: "));
    attend_error err;
    assert_int_equal(train(in_folder("whole"), false, NULL, &w, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "whole"));
    assert_non_null(strstr(err.message, "--overwrite"));
}

/* ---- the lock ------------------------------------------------------------------------------- */

static void a_second_run_in_the_folder_is_refused_by_name(void **state)
{
    (void)state;
    const char *out = in_folder("locked");
    setup s;
    at_run *first, *second;
    watcher w = {.at = 0};
    at_run_hooks hooks = {watch, NULL, &w};
    attend_error err;
    set_up(&s, out, false, NULL);
    if (at_run_new(&s.config, &hooks, &first, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(at_run_new(&s.config, &hooks, &second, &err), ATTEND_FILE);
    assert_null(second);
    assert_non_null(strstr(err.message, out));
    assert_non_null(strstr(err.message, "another run is training here"));
    if (at_run_go(first, &err) < 0) /* it is undisturbed */
        fail_msg("%s", err.message);
    at_run_free(first);
    at_train_config_free(&s.config);
    train_well(out, true, &w); /* and the lock is free again */
    assert_non_null(strstr(w.said, "the run is done"));
}

/* ---- stopping ------------------------------------------------------------------------------- */

static void a_run_that_is_stopped_anywhere_and_resumed_has_the_same_bits(void **state)
{
    (void)state;
    watcher all = {.at = 0};
    train_well(in_folder("one"), false, &all);
    for (int stop = 1; stop < STEPS; stop++) {
        const char *out = in_folder("parts");
        watcher w = {.at = stop, .answer = ATTEND_STOPPED};
        attend_error err;
        assert_int_equal(train(out, false, NULL, &w, &err), ATTEND_STOPPED);
        assert_int_equal(w.last, stop);
        assert_non_null(strstr(err.message, "--resume"));
        w = (watcher){.at = 0};
        train_well(out, true, &w);
        assert_int_equal(w.last, STEPS);
        assert_same_run(in_folder("one"), out);
        run_shell("rm -rf %s%s", out, "");
    }
}

static void a_checkpoint_that_is_asked_for_is_made_and_changes_nothing(void **state)
{
    (void)state;
    watcher w = {.at = 3, .answer = ATTEND_CHECKPOINT}, plain = {.at = 0};
    train_well(in_folder("asked"), false, &w);
    train_well(in_folder("plain"), false, &plain);
    assert_int_equal(w.last, STEPS);
    assert_non_null(strstr(w.said, "checkpoint after 3 updates"));
    assert_null(strstr(plain.said, "checkpoint after"));
    assert_same_run(in_folder("asked"), in_folder("plain"));
}

static void an_error_of_the_report_ends_the_run_with_it(void **state)
{
    (void)state;
    static const attend_status errors[] = {ATTEND_FILE, ATTEND_MEMORY, ATTEND_FORMAT};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const char *out = in_folder("failed");
        watcher w = {.at = 5, .answer = errors[i]};
        attend_error err = {.message = ""};
        assert_int_equal(train(out, false, NULL, &w, &err), errors[i]);
        assert_string_equal(err.message, "the report failed");
        assert_int_equal(err.status, errors[i]);
        assert_int_equal(w.last, 5);
        w = (watcher){.at = 0};
        train_well(out, true, &w); /* nothing is lost */
        assert_same_run(in_folder("one"), out);
        run_shell("rm -rf %s%s", out, "");
    }
}

/* ---- a disk that is full -------------------------------------------------------------------- */

/* Files cannot be larger than the limit, as on a full disk: the run fails, and what was complete
 * before still is. */
static void a_file_that_cannot_be_written_leaves_no_half(void **state)
{
    (void)state;
    const char *out = in_folder("full"), *training = in_folder("full/training");
    watcher w = {.at = 3, .answer = ATTEND_STOPPED};
    attend_error err = {.message = ""};
    struct rlimit before, small;
    struct stat about;
    assert_int_equal(train(out, false, NULL, &w, &err), ATTEND_STOPPED);
    run_shell("cp %s/last.safetensors %s/kept", training, folder);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    assert_int_equal(stat(in_folder("kept"), &about), 0);
    small.rlim_cur = (rlim_t)about.st_size / 4 * 3; /* too small for the next checkpoint */
    signal(SIGXFSZ, SIG_IGN);
    w = (watcher){.at = 0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    attend_status status = train(out, true, NULL, &w, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, ATTEND_FILE);
    assert_non_null(strstr(err.message, "safetensors"));
    assert_non_null(strstr(w.said, "the checkpoint after 3 updates"));
    run_shell("cmp %s/last.safetensors %s/kept", training, folder);
    assert_no_half_file(out);
    assert_no_half_file(training);
    train_well(out, true, &w);
    assert_same_run(in_folder("one"), out);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_corpus();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    run_shell("rm -rf %s%s", folder, "");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_run_in_their_order),
        cmocka_unit_test(a_refused_run_leaves_no_folder),
        cmocka_unit_test(a_run_has_its_files_and_reports),
        cmocka_unit_test(a_second_run_in_the_folder_is_refused_by_name),
        cmocka_unit_test(a_run_that_is_stopped_anywhere_and_resumed_has_the_same_bits),
        cmocka_unit_test(a_checkpoint_that_is_asked_for_is_made_and_changes_nothing),
        cmocka_unit_test(an_error_of_the_report_ends_the_run_with_it),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_no_half),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
