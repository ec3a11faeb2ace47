#include <math.h>
#include <string.h>

#include "attend.h"
#include "base/memory.h"
#include "decode/translate.h"
#include "train/run.h"

/* ---- settings -------------------------------------------------------------------------------- */

/* the run's settings, then the model's */
static const at_option *option_at(int index)
{
    const at_option *o = at_run_options;
    for (; o->name && index > 0; o++)
        index--;
    if (o->name)
        return o;
    for (o = at_translator_options; o->name && index > 0; o++)
        index--;
    return o->name ? o : NULL;
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

static attend_status read_settings(const attend_setting *settings, size_t count,
                                   at_run_settings *run, at_translator *model, attend_error *err)
{
    const char *preset = "bahdanau";
    for (size_t i = 0; i < count; i++)
        preset = strcmp(settings[i].name, "preset") == 0 ? settings[i].value : preset;
    at_option_set sets[] = {{at_run_options, run}, {at_translator_options, model}};
    attend_status status = at_translator_preset(model, preset, err);
    if (status >= 0)
        status = at_options_defaults(at_run_options, run, err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        void *fields;
        const at_option *o = at_option_find(sets, 2, settings[i].name, &fields);
        if (!o)
            return at_error(err, ATTEND_OPTION, "there is no setting '%.60s'", settings[i].name);
        status = at_option_assign(o, settings[i].value, fields, settings[i].name, err);
    }
    model->preset = preset;
    return status;
}

/* ---- what the run says ----------------------------------------------------------------------- */

typedef struct {
    attend_train_function *function;
    void *user;
    at_continuation *continuation; /* of the model that is trained */
} telling;

static int tell(void *user, const at_run_event *e)
{
    const telling *t = user;
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
                              .words = e->words,
                              .bleu = e->bleu,
                              .best = e->best};
    return t->function ? t->function(t->user, &out) : 0;
}

/* ---- the judge: BLEU of greedy translations ---------------------------------------------------
 */

enum { MOST_JUDGED = 1000, SAMPLES = 3 };

typedef struct {
    const telling *t;
    at_text source[MOST_JUDGED];
    const char *reference[MOST_JUDGED];
    char *translation[MOST_JUDGED];
    size_t count;
    at_arena memory;
} judged;

static const char *copy(at_arena *memory, at_text t)
{
    char *c = at_arena_alloc_small(memory, t.size + 1);
    if (c) {
        memcpy(c, t.text, t.size);
        c[t.size] = '\0';
    }
    return c;
}

static attend_status take(void *user, const at_translated *t, attend_error *err)
{
    judged *j = user;
    j->translation[t->line] = at_arena_alloc_small(&j->memory, strlen(t->text) + 1);
    if (!j->translation[t->line])
        return at_error_memory(err);
    strcpy(j->translation[t->line], t->text);
    return ATTEND_OK;
}

static bool gather(judged *j, at_run *run)
{
    at_example e;
    at_item_view numbers;
    for (; j->count < MOST_JUDGED && at_run_valid_at(run, j->count, &e, &numbers); j->count++) {
        const char *source = copy(&j->memory, e.source);
        j->source[j->count] = (at_text){source, e.source.size};
        j->reference[j->count] = copy(&j->memory, e.target);
        if (!source || !j->reference[j->count])
            return false;
    }
    return true;
}

static void show_samples(const judged *j)
{
    for (size_t i = 0; i < SAMPLES && i < j->count && j->t->function; i++) {
        attend_train_event e = {.kind = ATTEND_TRAIN_SAMPLE,
                                .source = j->source[i].text,
                                .reference = j->reference[i],
                                .text = j->translation[i],
                                .bleu = NAN};
        j->t->function(j->t->user, &e);
    }
}

static attend_status score(const judged *j, double *bleu, attend_error *err)
{
    attend_measure_options o;
    attend_measure_defaults(&o);
    attend_lines hypothesis = {"translations", j->count, (const char *const *)j->translation};
    attend_lines reference = {"references", j->count, j->reference};
    attend_scores *scores;
    attend_status status = attend_measure("bleu", &o, 1, &hypothesis, 1, &reference, &scores, err);
    if (status >= 0) {
        *bleu = attend_scores_corpus(scores, 0);
        attend_scores_free(scores);
    }
    return status;
}

static attend_status judge(void *user, at_run *run, double *bleu, attend_error *err)
{
    telling *t = user;
    judged *j = at_alloc_zero(1, sizeof *j);
    attend_status status = ATTEND_OK;
    if (j && !t->continuation)
        status = at_continuation_new(at_run_model(run), at_run_params(run), &t->continuation, err);
    if (!j || !gather(j, run))
        status = at_error_memory(err);
    at_translate_options o = {.beam = {.width = 1}, .best = 1, .batch = 64, .longest = 1000};
    if (status >= 0) {
        j->t = t;
        status = at_translate(t->continuation, at_run_tokenizer(run, 0), at_run_tokenizer(run, 1),
                              &o, j->count, j->source, take, j, err);
    }
    if (status >= 0)
        status = score(j, bleu, err);
    if (status >= 0)
        show_samples(j);
    if (j)
        at_arena_free(&j->memory);
    at_free(j);
    return status;
}

attend_status attend_train(const attend_setting *settings, size_t count,
                           attend_train_function *function, void *user, attend_error *err)
{
    at_run_settings run;
    at_translator model;
    at_run *r = NULL;
    telling t = {.function = function, .user = user};
    at_run_hooks hooks = {tell, judge, &t};
    attend_status status = read_settings(settings, count, &run, &model, err);
    if (status >= 0)
        status = at_run_new(&run, &model, &hooks, &r, err);
    if (status >= 0)
        status = at_run_go(r, err);
    at_continuation_free(t.continuation);
    at_run_free(r);
    return status;
}
