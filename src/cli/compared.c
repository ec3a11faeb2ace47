#include "cli/compared.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cli/compared_reuse.h"
#include "cli/truncation.h"

/* ---- in a process of its own --------------------------------------------------------------- */

typedef struct {
    at_cli *cli;
    const char *name;
    at_progress progress;
    bool started;
    double last, seconds, targets; /* time of the last event; of steps, and their words */
} watcher;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* how far the training is, where a terminal shows it */
static void show_step(watcher *w, const attend_train_event *e, double time)
{
    if (!w->started)
        at_progress_start(&w->progress, (long)e->step, (long)e->steps, time);
    w->started = true;
    if (w->cli->common.quiet || !w->cli->bar || !at_progress_due(&w->progress, (long)e->step, time))
        return;
    char text[120];
    at_str line = {0};
    snprintf(text, sizeof text, "%.40s: epoch %.2f/%d  loss %.3f", w->name, e->epoch, e->epochs,
             e->loss);
    at_progress_line(&line, &w->progress, (long)e->step, time, text, w->cli->columns, w->cli->utf8);
    at_cli_progress(w->cli, at_str_text(&line));
    at_str_free(&line);
}

static void show_validation(watcher *w, const attend_train_event *e)
{
    at_str line = {0};
    at_str_print(&line, "%s: epoch %.2f", w->name, e->epoch);
    for (int i = 0; i < e->metric_count; i++)
        at_cli_metric(&line, &e->metrics[i], i == 0 ? 3 : 2);
    at_cli_say(w->cli, at_str_text(&line));
    at_str_free(&line);
}

/* the first step pays for memory that all others use again: it does not count */
static attend_status watch(void *user, const attend_train_event *e, attend_error *err)
{
    (void)err;
    watcher *w = user;
    double time = now();
    if (e->kind == ATTEND_TRAIN_STEP && w->last > 0) {
        w->seconds += time - w->last;
        w->targets += e->targets;
    }
    if (e->kind == ATTEND_TRAIN_STEP)
        show_step(w, e, time);
    if (e->kind == ATTEND_TRAIN_VALIDATED && !w->cli->common.quiet)
        show_validation(w, e);
    if (e->kind == ATTEND_TRAIN_STEP || e->kind == ATTEND_TRAIN_VALIDATED)
        w->last = now();
    return at_cli_signal() ? ATTEND_STOPPED : ATTEND_OK;
}

/* "luong+attention=dot+hidden=64": settings behind the preset, cut in place */
static attend_status add_changes(at_comparing *s, char *text, attend_error *err)
{
    char *plus = strchr(text, '+');
    s->setting[s->count++] = (attend_setting){"preset", text};
    while (plus) {
        char *name = plus + 1, *equals = strchr(name, '=');
        *plus = '\0';
        if (!equals || s->count == ATTEND_COMPARED_SETTINGS)
            return at_error(err, ATTEND_OPTION,
                            "\"%.60s\": changes of a preset are written PRESET+NAME=VALUE", name);
        *equals = '\0';
        s->setting[s->count++] = (attend_setting){name, equals + 1};
        plus = strchr(equals + 1, '+');
    }
    return ATTEND_OK;
}

static attend_status train(const at_compared *c, const at_comparing *with, watcher *w,
                           attend_error *err)
{
    at_comparing all = *with;
    char *changes = at_strdup(c->name),
         *last = at_file_join(c->folder, "training/last.safetensors");
    attend_status status = changes && last ? add_changes(&all, changes, err) : at_error_memory(err);
    if (status >= 0) {
        bool begun = at_file_exists(last);
        all.setting[all.count++] = (attend_setting){"out", c->folder};
        all.setting[all.count++] = (attend_setting){begun ? "resume" : "overwrite", "yes"};
        status = attend_train(all.setting, all.count, watch, w, err);
    }
    at_free(changes);
    at_free(last);
    return status;
}

static attend_status see_line(void *user, const attend_translation *t, attend_error *err)
{
    (void)err;
    at_truncation_note(user, t->cut, t->sources);
    return ATTEND_OK;
}

static void say_cut(const at_truncation *cut, const at_compared *c, const at_comparing *with)
{
    char what[300];
    snprintf(what, sizeof what, "%s has not read what follows", c->name);
    at_truncation_report(cut, with->cli, "line", what);
}

static attend_status evaluate(at_compared *c, const at_comparing *with, attend_error *err)
{
    attend_evaluate_options o;
    attend_translate_options how;
    attend_measure_options measures;
    at_models models = {.count = 0};
    at_truncation cut = {0};
    attend_evaluate_defaults(&o);
    attend_translate_defaults(&how);
    attend_measure_defaults(&measures);
    o.translate = &how;
    o.measure = &measures;
    o.function = see_line;
    o.user = &cut;
    how.beam = with->beam;
    how.longest = 1000;
    how.scores = 0;
    measures.tokenize = with->tokenize;
    measures.gold_base = with->gold_base;
    o.gold = with->gold;
    o.gold_name = with->gold_name;
    attend_status status = at_models_add(&models, with->cli, c->folder, err);
    if (status >= 0)
        status = at_sentence_pairs_give(with->test, &models, &how, err);
    if (status >= 0)
        status = attend_evaluate(models.model[0], &o, with->test->count, with->test->source,
                                 with->test->target, &c->found, err);
    if (status >= 0)
        say_cut(&cut, c, with);
    at_models_free(&models);
    return status;
}

static void add_json(at_json_out *j, const at_compared *c)
{
    at_json_object(j, NULL);
    at_json_string(j, "name", c->name);
    at_json_real(j, "words_per_second", c->words_per_second, 10);
    at_json_real(j, "memory", c->memory, 10);
    at_json_int(j, "beam", c->beam);
    at_json_bool(j, "gold", c->gold);
    at_json_string(j, "measured", c->measured);
    at_evaluation_json(j, "evaluation", c->found);
    at_json_end(j);
}

static attend_status save(const at_compared *c, const char *path, attend_error *err)
{
    at_str text = {0};
    add_json(&(at_json_out){.out = &text}, c);
    at_str_add(&text, "\n");
    attend_status status = at_file_write(path, &text, err);
    at_str_free(&text);
    return status;
}

/* what the child does; its exit code */
static int work(at_compared *c, const at_comparing *with, const char *path)
{
    attend_error err;
    struct rusage used;
    watcher w = {.cli = with->cli, .name = c->name};
    at_cli_catch_signals();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody waits for it any more: it keeps what it has */
#endif
    attend_status status = train(c, with, &w, &err);
    at_cli_progress_end(with->cli);
    getrusage(RUSAGE_SELF, &used);
    if (w.seconds > 0) { /* else it was trained before */
        c->memory = 1024.0 * (double)used.ru_maxrss;
        c->words_per_second = w.targets / w.seconds;
    }
    c->beam = with->beam;
    c->gold = with->gold;
    snprintf(c->measured, sizeof c->measured, "%s", with->measured);
    if (status >= 0 && (status = evaluate(c, with, &err)) >= 0)
        status = save(c, path, &err);
    if (status < 0 && status != ATTEND_STOPPED) /* who waits says how that goes on */
        fprintf(stderr, "attend compare: %s: %s\n", c->name, err.message);
    return status >= 0 ? 0 : at_cli_signal() ? 128 + at_cli_signal() : 1;
}

static attend_status start(at_compared *c, const at_comparing *with, const char *path,
                           attend_error *err)
{
    int code = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return at_error(err, ATTEND_MEMORY, "cannot start a process: %s", strerror(errno));
    if (child == 0)
        _exit(work(c, with, path));
    while (waitpid(child, &code, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return ATTEND_OK;
    if (WIFSIGNALED(code) || WEXITSTATUS(code) > 128)
        return at_error(err, ATTEND_STOPPED, "stopped; the same command goes on from where %s is",
                        c->name);
    return at_error(err, ATTEND_NUMBER, "%s has no result; mend it and run this again", c->name);
}

/* ---- its result ---------------------------------------------------------------------------- */

static attend_status load(at_compared *c, const char *path, attend_error *err)
{
    json_t *json;
    attend_status status = at_json_load(path, &json, err);
    if (status < 0)
        return status;
    at_fields f = at_fields_of(json, path, err);
    c->words_per_second = at_field_number(&f, "words_per_second", 0, 0, 1e15);
    c->memory = at_field_number(&f, "memory", 0, 0, 1e18);
    c->beam = (int)at_field_int(&f, "beam", 0, 0, 1 << 20);
    c->gold = at_field_bool(&f, "gold", false);
    snprintf(c->measured, sizeof c->measured, "%s", at_field_string(&f, "measured", ""));
    status = f.status;
    attend_free(c->found);
    c->found = NULL;
    if (status >= 0)
        status = at_evaluation_read(&c->found, json_object_get(json, "evaluation"), path, err);
    json_decref(json);
    return status;
}

/* was it evaluated as it is wanted now? */
static bool fits(const at_compared *c, const at_comparing *with)
{
    return c->beam == with->beam && c->found->lines == with->test->count
           && c->gold == (with->gold != NULL) && strcmp(c->measured, with->measured) == 0;
}

static bool has(const at_compared *c, const char *name)
{
    char *path = at_file_join(c->folder, name);
    bool found = path && at_file_exists(path);
    at_free(path);
    return found;
}

static void forget(const at_compared *c, const char *name)
{
    char *path = at_file_join(c->folder, name);
    if (path)
        unlink(path);
    at_free(path);
}

/* notes the data before anything is trained on it; what is not wanted any more goes first */
static attend_status begin(const at_compared *c, const at_comparing *with, attend_error *err)
{
    char *path = at_file_join(c->folder, "data.json");
    if (with->overwrite) {
        forget(c, "result.json");
        forget(c, "training/last.safetensors");
    }
    attend_status status = path ? at_folder_make(c->folder, err) : at_error_memory(err);
    if (status >= 0)
        status = at_json_save(path, with->data, err);
    at_free(path);
    return status;
}

attend_status at_compared_get(at_compared *c, const at_comparing *with, attend_error *err)
{
    char *path = at_file_join(c->folder, "result.json");
    attend_status status = path ? begin(c, with, err) : at_error_memory(err);
    bool done = status >= 0 && at_file_exists(path);
    if (done)
        status = load(c, path, err);
    if (status >= 0 && !(done && fits(c, with))) {
        status = start(c, with, path, err);
        if (status >= 0)
            status = load(c, path, err);
    }
    at_free(path);
    return status;
}

/* text: the settings that are wanted */
static attend_status check_same(const at_compared *c, const at_comparing *with, const char *text,
                                attend_error *err)
{
    if (!has(c, "training/settings.yaml") && !has(c, "result.json"))
        return ATTEND_OK;
    char *path = at_file_join(c->folder, "data.json");
    attend_status status = path ? at_compared_check_data(with->data, path, c->folder, err)
                                : at_error_memory(err);
    at_free(path);
    return status < 0 ? status : at_compared_check_settings(text, c->folder, c->folder, err);
}

/* the settings of its run as a text, or what its model can do; errors begin with its name */
static attend_status settings_of(const at_compared *c, const at_comparing *with, char **text,
                                 unsigned *can, attend_error *err)
{
    at_comparing all = *with;
    attend_error why;
    char *changes = at_strdup(c->name);
    if (!changes)
        return at_error_memory(err);
    attend_status status = add_changes(&all, changes, &why);
    if (status >= 0)
        status = text ? attend_train_config(all.setting, all.count, text, &why)
                      : attend_train_capabilities(all.setting, all.count, can, &why);
    at_free(changes);
    return status < 0 ? at_error(err, status, "%s: %s", at_show(c->name).text, why.message)
                      : status;
}

attend_status at_compared_understand(const at_compared *c, const at_comparing *with,
                                     attend_error *err)
{
    unsigned can;
    attend_status status = settings_of(c, with, NULL, &can, err);
    if (status < 0 || can & ATTEND_CAN_TRANSLATE)
        return status;
    return at_error(err, ATTEND_OPTION,
                    "--presets %s: it is no translator, and translators are compared; leave it out",
                    at_show(c->name).text);
}

attend_status at_compared_check(const at_compared *c, const at_comparing *with, attend_error *err)
{
    char *text = NULL;
    attend_status status = settings_of(c, with, &text, NULL, err);
    if (status >= 0 && !with->overwrite)
        status = check_same(c, with, text, err);
    attend_free(text);
    return status;
}

void at_compared_json(at_str *out, const at_compared *all, int count)
{
    at_json_out j = {.out = out};
    at_json_array(&j, NULL);
    for (int i = 0; i < count; i++) {
        at_json_line(&j, 1);
        add_json(&j, &all[i]);
    }
    at_json_line(&j, 0);
    at_json_end(&j);
    at_str_add(out, "\n");
}
