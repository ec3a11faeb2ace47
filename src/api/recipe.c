#include "api/recipe_model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/output.h"
#include "base/checksum_list.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "models/classifier.h"
#include "models/translator.h"
#include "text/tokenizer.h"
#include "train/direction.h"
#include "train/optim.h"
#include "train/schedule.h"
#include "train/settings.h"

static const char stored_name[] = "training/settings.yaml",
                  last_name[] = "training/last.safetensors";

/* ---- what can be told ---------------------------------------------------------------------- */

/* is the name one of an earlier table? Families share many. */
static bool came_before(const char *name, int tables)
{
    for (int i = 0; i < tables; i++) {
        at_option_set set = {i ? at_model_kinds[i - 1]->options : at_run_options, NULL};
        void *fields;
        if (at_option_find(&set, 1, name, &fields))
            return true;
    }
    return false;
}

bool at_recipe_knows(const char *name) { return came_before(name, at_model_kind_count + 1); }

const at_option *at_recipe_option(int index)
{
    for (int table = 0; table <= at_model_kind_count; table++) {
        const at_option *o = table ? at_model_kinds[table - 1]->options : at_run_options;
        for (; o->name; o++)
            if (!came_before(o->name, table) && index-- == 0)
                return o;
    }
    return NULL;
}

/* ---- where it is told ---------------------------------------------------------------------- */

/* settings.yaml of a run, which has a list of checksums beside it */
static attend_status load_stored(at_recipe *r, const char *out, const char *path, attend_error *err)
{
    char *folder = at_file_join(out, "training");
    attend_status status = folder ? at_checksum_list_verify(folder, NULL, NULL, err)
                                  : at_error_memory(err);
    at_free(folder);
    return status < 0 ? status : at_config_load(&r->stored, path, err);
}

/* A file of the caller's may be a pipe. */
static attend_status load_config(at_config *c, const char *path, attend_error *err)
{
    char *text;
    size_t size;
    attend_status status = at_input_read(path, ATTEND_CONFIG_LARGEST, &text, &size, err);
    if (status >= 0)
        status = at_config_parse(c, path, text, size, err);
    at_free(text);
    return status;
}

static attend_status load_files(at_recipe *r, attend_error *err)
{
    const char *path = at_recipe_given(r, "config");
    attend_status status = path ? load_config(&r->file, path, err) : ATTEND_OK;
    const char *out = status >= 0 && at_recipe_goes_on(r) ? at_recipe_told(r, "out") : NULL;
    if (!out)
        return status;
    char *stored = at_file_join(out, stored_name), *last = at_file_join(out, last_name);
    if (!stored || !last)
        status = at_error_memory(err);
    else if (at_file_exists(stored))
        status = load_stored(r, out, stored, err);
    else if (at_file_exists(last))
        status = at_error(err, ATTEND_FILE,
                          "%s is missing, and what the run was told with it; start anew: "
                          "--init-from %s takes its weights",
                          at_show(stored).text, at_show(out).text);
    at_free(stored);
    at_free(last);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------- */

static attend_status no_setting(const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    const at_option *o;
    for (int i = 0; (o = at_recipe_option(i)); i++)
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

static attend_status assign_settings(at_recipe *r, const at_option_set *sets, int n_sets,
                                     attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < r->count && status >= 0; i++) {
        void *fields;
        const char *name = r->settings[i].name;
        const at_option *o = at_option_find(sets, n_sets, name, &fields);
        if (o)
            status = assign_given(o, r->settings[i].value, fields, fields == r->model, err);
        else if (at_recipe_knows(name))
            status = at_error(err, ATTEND_OPTION, "%s has no setting '%s'; leave it out",
                              r->preset->name, name);
        else
            status = no_setting(name, err);
    }
    return status;
}

/* ---- values that have a grammar of their own ------------------------------------------------ */

static attend_status parse_attention(const char *value, attend_error *err)
{
    at_how how;
    return at_how_parse(&how, value, err);
}

static attend_status parse_optimiser(const char *value, attend_error *err)
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
static attend_status check_grammar(const at_recipe *r, attend_error *err)
{
    static const struct {
        const char *name;
        attend_status (*parse)(const char *value, attend_error *err);
    } all[] = {{"preset", parse_preset},     {"attention", parse_attention},
               {"output", parse_output},     {"optimiser", parse_optimiser},
               {"schedule", parse_schedule}, {"tokenizer", parse_tokenizer}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *given = at_recipe_given(r, all[i].name),
                   *value = at_recipe_told(r, all[i].name);
        const at_config_entry *e = at_config_find(&r->file, all[i].name);
        attend_error why;
        if (!value || !*value || all[i].parse(value, &why) >= 0)
            continue;
        if (given || !e)
            return at_error(err, why.status, "--%s: %s", all[i].name, why.message);
        return at_error(err, why.status, "%s:%d: %s: %s", at_show(r->file.path).text, e->line,
                        all[i].name, why.message);
    }
    return ATTEND_OK;
}

/* ---- a run that goes on is the same run, one that begins with a model may change it -------- */

/* what may change: where files are, how long it goes on, who works; batches know their data */
static const char free_to_change[] =
    "out config resume overwrite init-from data src tgt valid valid-tgt epochs steps threads "
    "shards patience checkpoint-every keep average curves";

static bool is_path(const at_option *o, const char *value)
{
    return o->type == ATTEND_OPTION_PATH
           || (strcmp(o->name, "valid") == 0 && at_file_exists(value)) /* or a share */
           || (strcmp(o->name, "tokenizer") == 0 && !at_tokenizer_kind_find(value)
               && at_file_exists(value));
}

/* from the root on, where the file exists; buffer has PATH_MAX bytes */
static const char *from_root(const char *path, char *buffer)
{
    return realpath(path, buffer) ? buffer : path;
}

static void show_value(at_str *out, const at_option *o, const void *fields)
{
    char buffer[PATH_MAX];
    at_option_print(out, o, fields);
    if (out->length && is_path(o, at_str_text(out))
        && from_root(at_str_text(out), buffer) == buffer) {
        at_str_clear(out);
        at_str_add(out, buffer);
    }
}

static attend_status compare(at_recipe *r, const at_option *o, const void *was, const void *is,
                             attend_error *err)
{
    at_str before = {0}, now = {0};
    attend_status status = ATTEND_OK;
    show_value(&before, o, was);
    show_value(&now, o, is);
    const char *a = before.length ? at_str_text(&before) : "nothing";
    const char *b = now.length ? at_str_text(&now) : "nothing";
    bool free = at_word_place(free_to_change, o->name, strlen(o->name)) >= 0;
    if (strcmp(o->name, "valid") == 0) /* files may move, a share is part of the data */
        free = *a == '/' && *b == '/';
    if (before.failed || now.failed)
        status = at_error_memory(err);
    else if (strcmp(a, b) != 0 && !free && !r->begun)
        status = at_error(err, ATTEND_OPTION,
                          "--%s %s: the run that goes on has %s; leave it out, or start a new run "
                          "elsewhere: --init-from takes the weights",
                          o->name, at_show(b).text, at_show(a).text);
    else if (strcmp(a, b) != 0 && !o->line_only && strcmp(o->name, "out") != 0)
        at_str_print(&r->changes, "%s%s is %s, was %s", r->changes.length ? "; " : "", o->name,
                     at_show(b).text, at_show(a).text);
    at_str_free(&before);
    at_str_free(&now);
    return status;
}

/* What differs is refused, or, where it may, told. */
static attend_status compare_all(at_recipe *r, const at_option_set *was, const at_option_set *is,
                                 attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = r->begun ? 1 : 0; i < 2; i++)
        for (const at_option *o = was[i].options; o->name && status >= 0; o++)
            status = compare(r, o, was[i].fields, is[i].fields, err);
    return status;
}

static bool has_setting(const at_config *c, at_option_set set, const at_option *o)
{
    void *fields;
    for (size_t i = 0; i < c->count; i++)
        if (at_option_find(&set, 1, c->entry[i].name, &fields) == o)
            return true;
    return false;
}

/* A run writes all of its settings: where one is missing, the file was cut or changed, and a
 * default would make another run of it. */
static attend_status check_stored(const at_recipe *r, const at_option_set *sets, attend_error *err)
{
    static const char remedy[] =
        "restore the file, or start a new run elsewhere: --init-from takes "
        "the weights";
    const at_config *c = &r->stored;
    if (!c->path)
        return ATTEND_OK;
    for (int i = 0; i < 2; i++)
        for (const at_option *o = sets[i].options; o->name; o++)
            if (!o->line_only && !o->later && !has_setting(c, sets[i], o))
                return at_error(err, ATTEND_FORMAT, "%s: the setting '%s' is missing; %s",
                                at_show(c->path).text, o->name, remedy);
    return c->ended ? ATTEND_OK
                    : at_error(err, ATTEND_FORMAT, "%s: the last line has no end; %s",
                               at_show(c->path).text, remedy);
}

static attend_status assign_all(at_recipe *r, attend_error *err)
{
    at_option_set sets[] = {{at_run_options, &r->run}, {r->preset->kind->options, r->model}};
    attend_status status = check_stored(r, sets, err);
    if (status >= 0)
        status = at_config_apply(&r->stored, sets, 2, err);
    at_run_settings run = r->run;
    void *model = at_alloc(r->preset->kind->settings_size);
    if (!model)
        return at_error_memory(err);
    memcpy(model, r->model, r->preset->kind->settings_size);
    if (status >= 0)
        status = at_config_apply(&r->file, sets, 2, err);
    if (status >= 0)
        status = assign_settings(r, sets, 2, err);
    if (status >= 0 && r->preset->kind == &at_model_translator)
        status = at_direction_choose(&r->run, r->model, err);
    if (status >= 0 && !r->stored.count)
        status = at_recipe_refuse_idle(r, err);
    at_option_set was[] = {{at_run_options, &run}, {r->preset->kind->options, model}};
    if (status >= 0 && (r->stored.count || r->begun))
        status = compare_all(r, was, sets, err);
    at_free(model);
    return status;
}

static attend_status check_pointers(const at_recipe *r, attend_error *err)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->settings[i].name || !r->settings[i].value)
            return at_error(err, ATTEND_OPTION, "setting %zu%s%.60s has no %s", i + 1,
                            r->settings[i].name ? ", " : "",
                            r->settings[i].name ? r->settings[i].name : "",
                            r->settings[i].name ? "value" : "name");
    return ATTEND_OK;
}

attend_status at_recipe_read(at_recipe *r, const attend_setting *settings, size_t count,
                             attend_error *err)
{
    *r = (at_recipe){.settings = settings, .count = count};
    attend_status status = check_pointers(r, err);
    if (status >= 0)
        status = load_files(r, err);
    if (status >= 0)
        status = check_grammar(r, err);
    if (status >= 0)
        status = at_recipe_choose(r, err);
    if (status >= 0)
        status = assign_all(r, err);
    return status;
}

void at_recipe_free(at_recipe *r)
{
    at_free(r->model);
    at_config_free(&r->file);
    at_config_free(&r->stored);
    at_str_free(&r->changes);
    at_arena_free(&r->strings);
    r->model = NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct {
    const at_recipe *recipe;
    char text[200];
} telling;

static const char *origin(void *user, const at_option *o)
{
    telling *t = user;
    const at_recipe *r = t->recipe;
    const at_config_entry *e = at_config_find(&r->file, o->name);
    at_option_set set = {r->preset->kind->options, NULL};
    void *fields;
    if (at_recipe_given(r, o->name))
        return "given";
    if (!e && at_config_find(&r->stored, o->name))
        return "as before";
    if (e)
        snprintf(t->text, sizeof t->text, "%s:%d", at_show(r->file.path).text, e->line);
    else if (at_option_find(&set, 1, o->name, &fields) == o && r->begun)
        return "as in --init-from";
    else if (at_option_find(&set, 1, o->name, &fields) == o) {
        at_str value = {0};
        at_option_print(&value, o, r->model);
        bool plain = strcmp(at_str_text(&value), o->value                        ? o->value
                                                 : o->type == ATTEND_OPTION_FLAG ? "no"
                                                                                 : "")
                     == 0;
        at_str_free(&value);
        snprintf(t->text, sizeof t->text, plain ? "default" : "preset %s", r->preset->name);
    } else
        return "default";
    return t->text;
}

void at_recipe_print(const at_recipe *r, at_str *out)
{
    telling t = {.recipe = r};
    at_option_set sets[] = {{at_run_options, (void *)&r->run},
                            {r->preset->kind->options, r->model}};
    at_config_print(out, sets, 2, origin, &t);
}

/* names of files from the root on, in copies */
static bool root_paths(const at_option *options, void *fields, at_arena *memory)
{
    for (const at_option *o = options; o->name; o++) {
        bool text = o->type == ATTEND_OPTION_PATH || o->type == ATTEND_OPTION_STRING;
        const char **field = (const char **)((char *)fields + o->offset), *path;
        char buffer[PATH_MAX], *copy;
        if (!text || !*field || !is_path(o, *field))
            continue;
        path = from_root(*field, buffer);
        if (!(copy = at_arena_alloc_small(memory, strlen(path) + 1)))
            return false;
        *field = strcpy(copy, path);
    }
    return true;
}

static attend_status write_text(const char *path, const at_str *text, attend_error *err)
{
    at_writer *w;
    attend_status status = text->failed ? at_error_memory(err) : at_writer_open(&w, path, err);
    if (status < 0)
        return status;
    at_writer_write(w, at_str_text(text), text->length);
    return at_writer_commit(w, err);
}

static attend_status write_stored(const char *out, const at_str *text, attend_error *err)
{
    char *folder = at_file_join(out, "training"), *path = at_file_join(out, stored_name);
    attend_status status = folder && path ? at_checksum_list_clear(folder, err)
                                          : at_error_memory(err);
    if (status >= 0)
        status = write_text(path, text, err);
    if (status >= 0)
        status = at_checksum_list_save(folder, (const char *const[]){"settings.yaml", NULL}, err);
    at_free(folder);
    at_free(path);
    return status;
}

attend_status at_recipe_save(const at_recipe *r, attend_error *err)
{
    at_arena memory = {0};
    at_recipe copy = *r;
    at_str text = {0};
    attend_status status = ATTEND_OK;
    if (!root_paths(at_run_options, &copy.run, &memory))
        status = at_error_memory(err);
    if (status >= 0) {
        at_str_add(&text, "# What this run was told. --resume reads it.\n\n");
        at_recipe_print(&copy, &text);
        status = write_stored(r->run.out, &text, err);
    }
    at_str_free(&text);
    at_arena_free(&memory);
    return status;
}
