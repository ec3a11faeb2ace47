#include <string.h>

#include "api/curves.h"
#include "api/judge.h"
#include "api/recipe.h"
#include "base/log.h"

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
        if (names(at_presets[i]->settings, name))
            return 2;
    return 0;
}

int attend_train_setting(int index, attend_setting_info *info)
{
    const at_option *o = index < 0 ? NULL : at_recipe_option(index);
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
    at_recipe recipe;
    at_str out = {0};
    *text = NULL;
    attend_status status = at_recipe_read(&recipe, settings, count, err);
    if (status >= 0)
        status = at_run_check_values(&recipe.run, at_job_for(recipe.preset->kind),
                                     recipe.preset->kind, recipe.model, err);
    if (status >= 0) {
        at_recipe_print(&recipe, &out);
        *text = at_str_take(&out);
        status = *text ? ATTEND_OK : at_error_memory(err);
    }
    at_str_free(&out);
    at_recipe_free(&recipe);
    return status;
}

/* ---- what the run says --------------------------------------------------------------------- */

typedef struct {
    at_judge judge; /* comes first: the judge's hook gets the same pointer */
    const at_recipe *recipe;
    bool warned, stopped; /* curves failed; they took too long, and are not tried again */
} teller;

/* A figure that cannot be drawn does not stop a run, and is reported once. */
static void draw_curves(teller *t)
{
    static const char *const formats[] = {"svg", "png", "pdf", NULL};
    const char *format = formats[t->recipe->run.curves];
    attend_error err;
    if (!format || t->stopped
        || at_curves_draw(t->recipe->run.out, t->recipe->preset->name, format, &err) >= 0)
        return;
    if (!t->warned)
        at_log(ATTEND_LOG_WARNING, "no curves: %s", err.message);
    t->warned = true;
    t->stopped = err.status == ATTEND_STOPPED;
}

static int tell(void *user, const at_run_event *e)
{
    teller *t = user;
    if (e->kind == ATTEND_RUN_SAVED) {
        draw_curves(t);
        return 0;
    }
    attend_train_event out = {.kind = e->kind == ATTEND_RUN_SAYS   ? ATTEND_TRAIN_SAYS
                                      : e->kind == ATTEND_RUN_STEP ? ATTEND_TRAIN_STEP
                                                                   : ATTEND_TRAIN_VALIDATED,
                              .text = e->text,
                              .step = e->step,
                              .steps = e->steps,
                              .epoch = e->epoch,
                              .epochs = e->epochs,
                              .loss = e->loss,
                              .norm = e->norm,
                              .rate = e->rate,
                              .asked = e->asked,
                              .unit = e->unit,
                              .validations = e->validations,
                              .validation = e->validation,
                              .metrics = e->metrics ? e->metrics->item : NULL,
                              .metric_count = e->metrics ? e->metrics->count : 0,
                              .best = e->best};
    return t->judge.function ? t->judge.function(t->judge.user, &out) : 0;
}

static attend_status start(const at_recipe *recipe, const at_run_hooks *hooks, at_run **run,
                           attend_error *err)
{
    if (recipe->changes.length) {
        at_run_event e = {.kind = ATTEND_RUN_SAYS, .text = at_str_text(&recipe->changes)};
        tell(hooks->user, &e);
    }
    return at_run_new(&recipe->run, at_job_for(recipe->preset->kind), recipe->preset->kind,
                      recipe->model, hooks, run, err);
}

static attend_status begin(void *user, attend_error *err)
{
    const teller *t = user;
    return at_recipe_save(t->recipe, err);
}

attend_status attend_train(const attend_setting *settings, size_t count,
                           attend_train_function *function, void *user, attend_error *err)
{
    at_recipe recipe;
    at_run *r = NULL;
    teller t = {.judge = {.function = function, .user = user}, .recipe = &recipe};
    at_run_hooks hooks = {tell, at_judge_run, begin, &t};
    int threads = attend_threads();
    attend_status status = at_recipe_read(&recipe, settings, count, err);
    if (status >= 0 && recipe.run.threads)
        attend_set_threads(recipe.run.threads);
    if (status >= 0)
        status = start(&recipe, &hooks, &r, err);
    if (status >= 0)
        status = at_run_go(r, err);
    at_run_free(r);
    if (attend_threads() != threads)
        attend_set_threads(threads);
    at_recipe_free(&recipe);
    return status;
}
