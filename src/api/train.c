#include <string.h>

#include "api/judge.h"
#include "base/memory.h"

/* ---- settings -------------------------------------------------------------------------------- */

/* is the name one of an earlier table? Families share many. */
static bool came_before(const char *name, int tables)
{
    for (int i = 0; i < tables; i++) {
        at_option_set set = {i ? at_jobs[i - 1]->family->options : at_run_options, NULL};
        void *fields;
        if (at_option_find(&set, 1, name, &fields))
            return true;
    }
    return false;
}

/* the run's settings, then those of each family of models */
static const at_option *option_at(int index)
{
    for (int table = 0; table <= at_job_count; table++) {
        const at_option *o = table ? at_jobs[table - 1]->family->options : at_run_options;
        for (; o->name; o++)
            if (!came_before(o->name, table) && index-- == 0)
                return o;
    }
    return NULL;
}

int attend_train_setting(int index, attend_setting_info *info)
{
    const at_option *o = index < 0 ? NULL : option_at(index);
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
                                  .hidden = o->hidden};
    return 1;
}

/* what is to be done, as the settings say */
typedef struct {
    const at_preset *preset;
    at_run_settings run;
    void *model; /* of the preset's family */
} plan;

static attend_status choose_preset(const attend_setting *settings, size_t count, plan *p,
                                   attend_error *err)
{
    const char *name = "bahdanau";
    for (size_t i = 0; i < count; i++)
        name = strcmp(settings[i].name, "preset") == 0 ? settings[i].value : name;
    p->preset = at_preset_find(name, err);
    if (!p->preset)
        return ATTEND_OPTION;
    p->model = at_alloc_zero(1, p->preset->family->size);
    return p->model ? at_preset_settings(p->preset, p->model, err) : at_error_memory(err);
}

static attend_status read_settings(const attend_setting *settings, size_t count, plan *p,
                                   attend_error *err)
{
    attend_status status = choose_preset(settings, count, p, err);
    if (status >= 0)
        status = at_options_defaults(at_run_options, &p->run, err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        at_option_set sets[] = {{at_run_options, &p->run}, {p->preset->family->options, p->model}};
        void *fields;
        const char *name = settings[i].name;
        const at_option *o = at_option_find(sets, 2, name, &fields);
        if (o)
            status = at_option_assign(o, settings[i].value, fields, name, err);
        else if (came_before(name, at_job_count + 1))
            status = at_error(err, ATTEND_OPTION, "%s has no setting '%s'; leave it out",
                              p->preset->name, name);
        else
            status = at_error(err, ATTEND_OPTION, "there is no setting '%.60s'", name);
    }
    return status;
}

/* ---- what the run says ----------------------------------------------------------------------- */

static int tell(void *user, const at_run_event *e)
{
    const at_judge *j = user;
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
                              .metrics = e->metrics ? e->metrics->item : NULL,
                              .metric_count = e->metrics ? e->metrics->count : 0,
                              .best = e->best};
    return j->function ? j->function(j->user, &out) : 0;
}

attend_status attend_train(const attend_setting *settings, size_t count,
                           attend_train_function *function, void *user, attend_error *err)
{
    plan p = {.model = NULL};
    at_run *r = NULL;
    at_judge j = {.function = function, .user = user};
    at_run_hooks hooks = {tell, at_judge_run, &j};
    attend_status status = read_settings(settings, count, &p, err);
    if (status >= 0)
        status = at_run_new(&p.run, at_job_for(p.preset->family), p.model, &hooks, &r, err);
    if (status >= 0)
        status = at_run_go(r, err);
    at_judge_free(&j);
    at_run_free(r);
    at_free(p.model);
    return status;
}
