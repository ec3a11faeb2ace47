#include <stdio.h>
#include <string.h>

#include "attention/output.h"
#include "base/checksum_list.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/option_alias.h"
#include "base/utf8.h"
#include "text/tokenizer.h"
#include "train/config_parts.h"
#include "train/optim.h"
#include "train/schedule.h"

/* ---- files --------------------------------------------------------------------------------- */

/* settings.yaml of a run, which has a list of checksums beside it */
static attend_status load_stored(at_train_config *c, const char *out, const char *path,
                                 attend_error *err)
{
    char *folder = at_file_join(out, "training");
    attend_status status = folder ? at_checksum_list_verify(folder, NULL, NULL, err)
                                  : at_error_memory(err);
    at_free(folder);
    return status < 0 ? status : at_config_load(&c->stored, path, err);
}

/* A file of the caller's may be a pipe. */
static attend_status load_config(at_config *file, const char *path, attend_error *err)
{
    char *text;
    size_t size;
    attend_status status = at_input_read(path, ATTEND_CONFIG_LARGEST, &text, &size, err);
    if (status >= 0)
        status = at_config_parse(file, path, text, size, err);
    at_free(text);
    return status;
}

/* The settings of the run that is resumed. */
static attend_status load_resumed(at_train_config *c, const char *out, attend_error *err)
{
    char *stored = at_file_join(out, ATTEND_TRAIN_SETTINGS);
    char *last = at_file_join(out, "training/last.safetensors");
    attend_status status = ATTEND_OK;
    if (!stored || !last)
        status = at_error_memory(err);
    else if (at_file_exists(stored))
        status = load_stored(c, out, stored, err);
    else if (at_file_exists(last))
        status = at_error(err, ATTEND_FILE,
                          "%s is missing, and what the run was told with it; start anew: "
                          "--init-from %s takes its weights",
                          at_show(stored).text, at_show(out).text);
    at_free(stored);
    at_free(last);
    return status;
}

static attend_status load_files(at_train_config *c, attend_error *err)
{
    const char *path = at_train_config_given(c, "config");
    attend_status status = path ? load_config(&c->file, path, err) : ATTEND_OK;
    if (status < 0 || !at_train_config_resumes(c))
        return status;
    const char *out = at_train_config_value(c, "out");
    return out ? load_resumed(c, out, err) : ATTEND_OK;
}

/* ---- reading ------------------------------------------------------------------------------- */

static attend_status no_setting(const char *name, attend_error *err)
{
    const char *refusal = at_option_refusal(name);
    if (refusal)
        return at_error(err, ATTEND_OPTION, "%s: %s; leave it out", name, refusal);
    at_guess guess = {.word = name};
    const at_option *o;
    for (int i = 0; (o = at_train_config_option(i)); i++)
        at_guess_consider(&guess, o->name, strlen(o->name));
    return at_error(err, ATTEND_OPTION, "there is no setting '%.60s'%s%s%s", name,
                    *guess.best ? "; did you mean " : "", guess.best, *guess.best ? "?" : "");
}

/* text: it goes into config.json, which is UTF-8 */
static attend_status assign_given(const at_option *o, const char *value, void *fields, bool text,
                                  attend_error *err)
{
    char where[80];
    snprintf(where, sizeof where, "--%s", o->name);
    if (text && at_utf8_valid(value, strlen(value)) != strlen(value))
        return at_error(err, ATTEND_OPTION, "%s: not valid UTF-8: %s", where, at_show(value).text);
    return at_option_assign(o, value, fields, where, err);
}

static attend_status assign_one(at_train_config *c, const attend_setting *s, attend_error *err)
{
    void *fields;
    const at_option *o = at_option_find(c->sets, c->n_sets, s->name, &fields);
    const at_task *owner = o ? NULL : at_train_config_owner(s->name);
    if (o)
        return assign_given(o, s->value, fields, fields == c->model, err);
    if (owner)
        return at_error(err, ATTEND_OPTION,
                        "--%s: the task %s has no such option; the task %s has it; leave it "
                        "out",
                        s->name, c->task->name, owner->name);
    if (at_train_config_knows(s->name))
        return at_error(err, ATTEND_OPTION, "%s has no setting '%s'; leave it out", c->preset->name,
                        s->name);
    return no_setting(s->name, err);
}

/* ---- values that have a grammar of their own ------------------------------------------------ */

static attend_status parse_attention(const char *value, attend_error *err)
{
    at_how how;
    return at_how_parse(&how, value, err);
}

static attend_status parse_optimizer(const char *value, attend_error *err)
{
    at_optim_options o;
    return at_optim_options_parse(&o, value, err);
}

static attend_status parse_schedule(const char *value, attend_error *err)
{
    at_rate rate;
    return at_rate_parse(&rate, value, 1, err);
}

static attend_status parse_preset(const char *value, attend_error *err)
{
    return at_preset_find(value, err) ? ATTEND_OK : ATTEND_OPTION;
}

static attend_status parse_output(const char *value, attend_error *err)
{
    const at_output *output;
    return at_output_parse(&output, value, NULL, err);
}

/* a kind, or a file that has one */
static attend_status parse_tokenizer(const char *value, attend_error *err)
{
    return at_file_exists(value) ? ATTEND_OK : at_tokenizer_kind_check(value, err);
}

/* Says where a value stands that is none: its file and line, or its option. Others find out later
 * what does not go together. */
static attend_status check_grammar(const at_train_config *c, attend_error *err)
{
    static const struct {
        const char *name;
        attend_status (*parse)(const char *value, attend_error *err);
    } all[] = {{"preset", parse_preset},     {"attention", parse_attention},
               {"output", parse_output},     {"optimizer", parse_optimizer},
               {"schedule", parse_schedule}, {"tokenizer", parse_tokenizer}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *given = at_train_config_given(c, all[i].name),
                   *value = at_train_config_value(c, all[i].name);
        const at_config_entry *e = at_config_find(&c->file, all[i].name);
        attend_error why;
        if (!value || !*value || all[i].parse(value, &why) >= 0)
            continue;
        if (given || !e)
            return at_error(err, why.status, "--%s: %s", all[i].name, why.message);
        return at_error(err, why.status, "%s:%d: %s: %s", at_show(c->file.path).text, e->line,
                        all[i].name, why.message);
    }
    return ATTEND_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* The files and the caller's settings, over what the run had before. */
static attend_status assign_all(at_train_config *c, attend_error *err)
{
    attend_status status = at_train_config_drop_foreign(c, &c->file, err);
    if (status >= 0)
        status = at_config_apply(&c->file, c->sets, c->n_sets, err);
    for (size_t i = 0; status >= 0 && i < c->count; i++)
        status = assign_one(c, &c->settings[i], err);
    if (status >= 0 && c->task->choose)
        status = c->task->choose(&c->run, c->own, c->preset->kind, c->model, err);
    return status < 0 || c->stored.count ? status : at_train_config_refuse_unused(c, err);
}

/* The same, and what has changed. */
static attend_status change(at_train_config *c, attend_error *err)
{
    size_t model_size = c->preset->kind->settings_size;
    size_t own_size = (c->task->settings_size + 15) / 16 * 16; /* aligned for what follows */
    at_run_settings run = c->run;
    char *copy = at_alloc(own_size + model_size);
    if (!copy)
        return at_error_memory(err);
    memcpy(copy + own_size, c->model, model_size);
    memcpy(copy, c->own, c->task->settings_size);
    at_option_set before[ATTEND_CONFIG_SETS];
    for (int i = 0; i < c->n_sets; i++) {
        before[i].options = c->sets[i].options;
        before[i].fields = c->sets[i].fields == &c->run    ? (void *)&run
                           : c->sets[i].fields == c->model ? copy + own_size
                                                           : copy;
    }
    attend_status status = assign_all(c, err);
    if (status >= 0 && (c->stored.count || c->from_model))
        status = at_train_config_compare(c, before, err);
    at_free(copy);
    return status;
}

static attend_status check_pointers(const at_train_config *c, attend_error *err)
{
    for (size_t i = 0; i < c->count; i++)
        if (!c->settings[i].name || !c->settings[i].value)
            return at_error(err, ATTEND_OPTION, "setting %zu%s%.60s has no %s", i + 1,
                            c->settings[i].name ? ", " : "",
                            c->settings[i].name ? c->settings[i].name : "",
                            c->settings[i].name ? "value" : "name");
    return ATTEND_OK;
}

attend_status at_train_config_read(at_train_config *c, const attend_setting *settings, size_t count,
                                   attend_error *err)
{
    *c = (at_train_config){.settings = settings, .count = count};
    attend_status status = check_pointers(c, err);
    if (status >= 0 && (status = load_files(c, err)) >= 0 && (status = check_grammar(c, err)) >= 0
        && (status = at_train_config_start(c, err)) >= 0
        && (status = at_train_config_drop_foreign(c, &c->stored, err)) >= 0
        && (status = at_train_config_check_stored(c, err)) >= 0)
        status = at_config_apply(&c->stored, c->sets, c->n_sets, err);
    return status < 0 ? status : change(c, err);
}

void at_train_config_free(at_train_config *c)
{
    at_free(c->own);
    at_free(c->model);
    at_config_free(&c->file);
    at_config_free(&c->stored);
    at_str_free(&c->changes);
    at_arena_free(&c->strings);
    c->own = c->model = NULL;
}
