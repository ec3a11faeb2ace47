#include <limits.h>
#include <string.h>

#include "api/curves.h"
#include "base/log.h"
#include "train/config.h"

/* ---- settings ------------------------------------------------------------------------------ */

/* is it among "name=value name=value"? */
static bool names(const char *settings, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = settings; at && *at; at += strspn(at, " ")) {
        if (strncmp(at, name, n) == 0 && at[n] == '=')
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

/* Does a preset say something of it? 1: the first, which is the default; 2: another one. */
static int by_preset(const char *name)
{
    if (strcmp(name, "attention") == 0 || names(at_presets[0]->settings, name))
        return 1;
    for (int i = 1; i < at_preset_count; i++)
        if (names(at_presets[i]->settings, name) || at_preset_training(at_presets[i], name))
            return 2;
    return 0;
}

int attend_train_setting(size_t index, attend_setting_info *info)
{
    const at_option *o = index > INT_MAX ? NULL : at_train_config_option((int)index);
    if (!o)
        return 0;
    *info = (attend_setting_info){.name = o->name,
                                  .value = o->value,
                                  .choices = o->choices,
                                  .meta = o->meta,
                                  .group = o->group,
                                  .help = o->help,
                                  .flag = o->type == ATTEND_OPTION_FLAG,
                                  .path = o->type == ATTEND_OPTION_PATH,
                                  .hidden = o->hidden,
                                  .preset = by_preset(o->name),
                                  .line_only = o->line_only};
    return 1;
}

attend_status attend_train_config(const attend_setting *settings, size_t count, char **text,
                                  attend_error *err)
{
    at_train_config config;
    at_str out = {0};
    *text = NULL;
    attend_status status = at_train_config_read(&config, settings, count, err);
    if (status >= 0)
        status = at_run_check_values(&config, err);
    if (status >= 0) {
        at_train_config_print(&config, &out);
        *text = at_str_take(&out);
        status = *text ? ATTEND_OK : at_error_memory(err);
    }
    at_str_free(&out);
    at_train_config_free(&config);
    return status;
}

attend_status attend_train_capabilities(const attend_setting *settings, size_t count, unsigned *can,
                                        attend_error *err)
{
    at_train_config config;
    *can = 0;
    attend_status status = at_train_config_read(&config, settings, count, err);
    if (status >= 0)
        status = at_run_check_values(&config, err);
    if (status >= 0)
        *can = config.preset->kind->can;
    at_train_config_free(&config);
    return status;
}

/* ---- the run ------------------------------------------------------------------------------- */

typedef struct {
    attend_train_function *function; /* the caller's, or NULL */
    void *user;
    const at_train_config *config;
    bool warned, stopped; /* curves failed; they took too long, and are not tried again */
} caller;

/* A figure that cannot be drawn does not stop a run, and is reported once. */
static void draw_curves(void *user)
{
    static const char *const formats[] = {"svg", "png", "pdf", NULL};
    caller *t = user;
    const char *format = formats[t->config->run.curves];
    attend_error err;
    if (!format || t->stopped
        || at_curves_draw(t->config->run.out, t->config->preset->name, format, &err) >= 0)
        return;
    if (!t->warned)
        at_log(ATTEND_LOG_WARNING, "no curves: %s", err.message);
    t->warned = true;
    t->stopped = err.status == ATTEND_STOPPED;
}

static attend_status report(void *user, const attend_train_event *e, attend_error *err)
{
    const caller *t = user;
    return t->function ? t->function(t->user, e, err) : ATTEND_OK;
}

static attend_status run(caller *t, attend_error *err)
{
    at_run_hooks hooks = {.report = report, .saved = draw_curves, .user = t};
    at_run *r;
    attend_status status = ATTEND_OK;
    if (t->config->changes.length)
        status = report(t,
                        &(attend_train_event){.kind = ATTEND_TRAIN_SAYS,
                                              .text = at_str_text(&t->config->changes)},
                        err);
    if (status < 0)
        return status;
    status = at_run_new(t->config, &hooks, &r, err);
    if (status >= 0)
        status = at_run_go(r, err);
    at_run_free(r);
    return status;
}

attend_status attend_train(const attend_setting *settings, size_t count,
                           attend_train_function *function, void *user, attend_error *err)
{
    at_train_config config;
    caller t = {.function = function, .user = user, .config = &config};
    int threads = attend_threads();
    attend_status status = at_train_config_read(&config, settings, count, err);
    if (status >= 0 && config.run.threads)
        attend_set_threads(config.run.threads);
    if (status >= 0)
        status = run(&t, err);
    if (attend_threads() != threads)
        attend_set_threads(threads);
    at_train_config_free(&config);
    return status;
}
