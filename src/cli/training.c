#include "cli/training.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"

enum { MOST = ATTEND_TRAINING_OPTIONS };

at_option at_training_options[MOST + 2];
static char help[MOST][200];

static void describe(int i, const attend_setting_info *info)
{
    bool shows = info->value && *info->value && !info->flag && info->preset != 1;
    bool any = shows || info->preset;
    snprintf(help[i], sizeof help[i], "%s%s%s%s%s", info->help, any ? " (" : "",
             shows ? info->value : "",
             !info->preset ? ""
             : shows       ? ", or by preset"
                           : "by preset",
             any ? ")" : "");
    at_training_options[i] = (at_option){.name = info->name,
                                         .letter = strcmp(info->name, "out") == 0 ? 'o' : 0,
                                         .type = info->flag   ? ATTEND_OPTION_SWITCH
                                                 : info->path ? ATTEND_OPTION_PATH
                                                              : ATTEND_OPTION_STRING,
                                         .offset = offsetof(at_training, value)
                                                   + (size_t)i * sizeof(const char *),
                                         .meta = info->meta ? info->meta : info->choices,
                                         .group = info->group,
                                         .help = help[i],
                                         .hidden = info->hidden != 0,
                                         .line_only = info->line_only != 0};
}

static const at_option dump_config = {.name = "dump-config",
                                      OPTION_FLAG(at_training, dump_config),
                                      .help = "Print all settings as such a file, and do nothing"};

/* threads are an option of every command */
void at_training_prepare(void)
{
    attend_setting_info info;
    int n = 0;
    for (size_t i = 0; n < MOST && attend_train_setting(i, &info); i++) {
        if (strcmp(info.name, "threads") != 0)
            describe(n++, &info);
        if (strcmp(info.name, "config") == 0)
            at_training_options[n++] = dump_config;
    }
}

/* ---- what is seen on the way ---------------------------------------------------------------- */

typedef struct {
    at_cli *cli;
    const char *command; /* "train" */
    at_progress progress;
    bool started, foretold;
    double targets, since; /* since the last validation, or the first step */
    double loss, seen;     /* the same with the first step: summed, and over how many */
    double last_step;      /* when it was done */
    double validating;     /* seconds of all validations */
    int validations;
} watcher;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double speed(const watcher *w)
{
    return w->last_step > w->since ? w->targets / (w->last_step - w->since) : 0;
}

/* Once, when it can be said: how long it will take. */
static void foretell(watcher *w, const attend_train_event *e)
{
    enum { ENOUGH = 10, SHORT = 60 };
    double left = at_progress_left(&w->progress, (long)e->step, w->last_step);
    if (w->foretold || e->step - w->progress.first < ENOUGH
        || w->last_step - w->progress.started < 2)
        return;
    w->foretold = true;
    if (left < SHORT)
        return;
    at_str text = {0};
    at_progress_time(&text, left);
    at_cli_progress_end(w->cli);
    fprintf(stderr, "attend %s: %.0f %s/s: about %s to go, validations included\n", w->command,
            speed(w), e->unit, at_str_text(&text));
    at_str_free(&text);
}

/* Until one was seen, a validation is thought to take as long as training on as many words. */
static void show_step(watcher *w, const attend_train_event *e)
{
    double time = now();
    if (!w->started) {
        at_progress_start(&w->progress, (long)e->step, (long)e->steps, time);
        w->since = time;
        w->started = true;
    } else
        w->targets += e->targets;
    w->loss += e->loss * e->targets;
    w->seen += e->targets;
    w->last_step = time;
    double one = w->validations ? w->validating / w->validations
                 : speed(w) > 0 ? e->validation / speed(w)
                                : 0;
    w->progress.ahead = one * (double)e->validations;
    foretell(w, e);
    if (!w->cli->bar || !at_progress_due(&w->progress, (long)e->step, time))
        return;
    char text[80], pace[40] = "";
    at_str line = {0};
    if (speed(w) > 0)
        snprintf(pace, sizeof pace, "  %.0f %s/s", speed(w), e->unit);
    snprintf(text, sizeof text, "epoch %.2f/%d  loss %.3f%s", e->epoch, e->epochs,
             w->loss / w->seen, pace);
    at_progress_line(&line, &w->progress, (long)e->step, time, text, w->cli->columns, w->cli->utf8);
    at_cli_progress(w->cli, at_str_text(&line));
    at_str_free(&line);
}

static void show_validation(watcher *w, const attend_train_event *e)
{
    at_str first = {0}, metrics = {0};
    at_str_print(&first, "epoch %.2f  step %lld", e->epoch, e->step);
    for (int i = 0; i < e->metric_count; i++)
        at_cli_metric(&metrics, &e->metrics[i], i < 2 ? 3 : 2);
    at_str *last = w->cli->bar ? &first : &metrics; /* on a terminal there are two lines */
    at_str_print(last, "  %.0f %s/s%s", speed(w), e->unit, e->best ? "  best" : "");
    if (w->cli->bar)
        at_cli_say(w->cli, at_str_text(&first));
    else
        fputs(at_str_text(&first), stderr);
    at_cli_say(w->cli, at_str_text(&metrics));
    at_str_free(&first);
    at_str_free(&metrics);
    double time = now();
    w->validating += time - w->last_step;
    w->progress.aside = w->validating;
    w->validations++;
    w->targets = w->loss = w->seen = 0;
    w->since = w->last_step = time;
}

static void say(at_cli *cli, const char *before, const char *text,
                void (*how)(at_cli *cli, const char *text))
{
    at_str line = {0};
    at_str_add(&line, before);
    at_str_add_safe(&line, text);
    how(cli, at_str_text(&line));
    at_str_free(&line);
}

static attend_status print_example(const char *text, attend_error *err)
{
    at_str line = {0};
    at_str_add_safe(&line, text);
    at_str_add(&line, "\n");
    return at_cli_write(&line, err);
}

/* what a signal asks the run for */
static attend_status wish(void)
{
    return at_cli_signal() ? ATTEND_STOPPED : at_cli_user_signal() ? ATTEND_CHECKPOINT : ATTEND_OK;
}

static attend_status watch(void *user, const attend_train_event *e, attend_error *err)
{
    watcher *w = user;
    if (e->kind == ATTEND_TRAIN_EXAMPLE)
        return print_example(e->text, err);
    if (w->cli->common.quiet)
        return e->kind == ATTEND_TRAIN_STEP ? wish() : ATTEND_OK;
    char before[40];
    snprintf(before, sizeof before, "attend %s: ", w->command);
    switch (e->kind) {
    case ATTEND_TRAIN_STEP: show_step(w, e); break;
    case ATTEND_TRAIN_VALIDATED: show_validation(w, e); break;
    case ATTEND_TRAIN_SAYS: say(w->cli, before, e->text, at_cli_say); break;
    case ATTEND_TRAIN_EXAMPLE: break;
    case ATTEND_TRAIN_SAMPLE:
        say(w->cli, "  ", e->source, at_cli_say_cut);
        say(w->cli, "  = ", e->reference, at_cli_say_cut);
        say(w->cli, "  > ", e->text, at_cli_say_cut);
        break;
    }
    return e->kind == ATTEND_TRAIN_STEP ? wish() : ATTEND_OK;
}

static attend_status print_config(const attend_setting *settings, size_t count, attend_error *err)
{
    char *text;
    at_str out = {0};
    attend_status status = attend_train_config(settings, count, &text, err);
    if (status < 0)
        return status;
    at_str_add(&out, text);
    attend_free(text);
    return at_cli_write(&out, err);
}

static bool is_input(const char *name)
{
    for (int k = 0; at_training_options[k].name; k++)
        if (at_training_options[k].type == ATTEND_OPTION_PATH
            && strcmp(at_training_options[k].name, "out") != 0
            && strcmp(at_training_options[k].name, name) == 0)
            return true;
    return false;
}

/* The same where the run that is resumed has its settings in out. */
static void note_missing_stored(at_cli *cli, const char *out)
{
    static char missing[PATH_MAX];
    char *path = at_file_join(out, "training/settings.yaml");
    at_config stored = {.count = 0};
    if (path && at_config_load(&stored, path, NULL) >= 0)
        for (size_t i = 0; i < stored.count; i++)
            if (stored.entry[i].value && is_input(stored.entry[i].name)
                && access(stored.entry[i].value, R_OK) < 0) {
                snprintf(missing, sizeof missing, "%s", stored.entry[i].value);
                cli->input = missing;
            }
    at_config_free(&stored);
    at_free(path);
}

/* The file that a run could not begin with, for the exit code. */
static void note_missing(at_cli *cli, const attend_setting *settings, size_t count)
{
    const char *out = NULL;
    bool resumes = false;
    for (size_t i = 0; i < count; i++) {
        out = strcmp(settings[i].name, "out") == 0 ? settings[i].value : out;
        resumes = resumes || strcmp(settings[i].name, "resume") == 0;
        if (is_input(settings[i].name) && access(settings[i].value, R_OK) < 0)
            cli->input = settings[i].value;
    }
    if (!cli->input && resumes && out)
        note_missing_stored(cli, out);
}

/* Where a line of the data is wrong, "FILE:LINE: ...", others may be, too; where it is the first,
 * the file is probably of another kind. */
static void advise(const attend_setting *settings, size_t count, attend_error *err)
{
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(settings[i].value), used = strlen(err->message);
        bool line = strcmp(settings[i].name, "data") == 0
                    && strncmp(err->message, settings[i].value, n) == 0 && err->message[n] == ':'
                    && isdigit((unsigned char)err->message[n + 1]);
        if (line && atoi(err->message + n + 1) == 1)
            snprintf(err->message + used, sizeof err->message - used,
                     "; does the preset fit the data? attend data show %.80s shows how it is read",
                     at_show(settings[i].value).text);
        else if (line)
            snprintf(err->message + used, sizeof err->message - used,
                     "; attend data check %.80s --fix CLEAN mends such lines or leaves them out",
                     at_show(settings[i].value).text);
    }
}

attend_status at_training_run(at_cli *cli, const char *command, const attend_setting *more,
                              const at_training *given, attend_error *err)
{
    attend_setting settings[MOST + 2];
    size_t count = 0;
    char threads[16];
    watcher w = {.cli = cli, .command = command};
    for (int i = 0; at_training_options[i].name; i++)
        if (at_training_options[i].type != ATTEND_OPTION_FLAG && given->value[i]) {
            settings[count++] = (attend_setting){at_training_options[i].name, given->value[i]};
            if (strcmp(at_training_options[i].name, "config") == 0)
                cli->input = given->value[i];
        }
    snprintf(threads, sizeof threads, "%d", cli->common.threads);
    if (cli->common.threads)
        settings[count++] = (attend_setting){"threads", threads};
    if (more)
        settings[count++] = *more;
    if (given->dump_config)
        return print_config(settings, count, err);
    at_cli_catch_signals();
    at_cli_ignore_pipes();
    attend_status status = attend_train(settings, count, watch, &w, err);
    at_cli_progress_end(cli);
    if (status == ATTEND_FILE)
        note_missing(cli, settings, count);
    if (status == ATTEND_FORMAT)
        advise(settings, count, err);
    return status;
}
