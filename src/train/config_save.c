/* A configuration as a file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "train/config_parts.h"

typedef struct {
    const at_train_config *config;
    char text[200];
} origin_text;

/* Is this setting of the model as its table has it? */
static bool is_plain(const at_train_config *c, const at_option *o)
{
    const char *usual = o->value ? o->value : o->type == ATTEND_OPTION_FLAG ? "no" : "";
    at_str value = {0};
    at_option_print(&value, o, c->model);
    bool plain = strcmp(at_str_text(&value), usual) == 0;
    at_str_free(&value);
    return plain;
}

/* Does the preset say something of it? Neither the caller nor a file does. */
static bool by_preset(const at_train_config *c, const at_option *o, bool of_model)
{
    return of_model ? !is_plain(c, o) : !c->from_model && at_preset_training(c->preset, o->name);
}

static const char *origin(void *user, const at_option *o)
{
    origin_text *t = user;
    const at_train_config *c = t->config;
    const at_config_entry *e = at_config_find(&c->file, o->name);
    at_option_set set = {c->preset->kind->options, NULL};
    void *fields;
    bool of_model = at_option_find(&set, 1, o->name, &fields) == o;
    if (at_train_config_given(c, o->name))
        return "given";
    if (!e && at_config_find(&c->stored, o->name))
        return "as before";
    if (e)
        snprintf(t->text, sizeof t->text, "%s:%d", at_show(c->file.path).text, e->line);
    else if (of_model && c->from_model)
        return "as in --init-from";
    else if (by_preset(c, o, of_model))
        snprintf(t->text, sizeof t->text, "preset %s", c->preset->name);
    else
        return "default";
    return t->text;
}

void at_train_config_print(const at_train_config *c, at_str *out)
{
    origin_text t = {.config = c};
    at_config_print(out, c->sets, c->n_sets, origin, &t);
}

/* absolute names of files, in copies */
static bool make_absolute(const at_option *options, void *fields, at_arena *memory)
{
    for (const at_option *o = options; o->name; o++) {
        bool text = o->type == ATTEND_OPTION_PATH || o->type == ATTEND_OPTION_STRING;
        const char **field = (const char **)((char *)fields + o->offset), *path;
        char buffer[PATH_MAX];
        if (!text || !*field || !at_train_config_is_path(o, *field))
            continue;
        path = at_train_config_absolute(*field, buffer);
        if (!(*field = at_arena_strdup(memory, path)))
            return false;
    }
    return true;
}

static attend_status write_stored(const char *out, const at_str *text, attend_error *err)
{
    char *folder = at_file_join(out, "training"), *path = at_file_join(out, ATTEND_TRAIN_SETTINGS);
    attend_status status = folder && path ? at_checksum_list_clear(folder, err)
                                          : at_error_memory(err);
    if (status >= 0)
        status = at_file_write(path, text, err);
    if (status >= 0)
        status = at_checksum_list_save(folder, (const char *const[]){"settings.yaml", NULL}, err);
    at_free(folder);
    at_free(path);
    return status;
}

/* a copy of the settings with absolute names of files */
static attend_status copy_settings(const at_train_config *c, at_train_config *copy,
                                   at_arena *memory, attend_error *err)
{
    size_t size = c->task->settings_size;
    *copy = *c;
    copy->own = at_arena_alloc(memory, size ? size : 1);
    if (!copy->own)
        return at_error_memory(err);
    memcpy(copy->own, c->own, size);
    for (int i = 0; i < c->n_sets - 1; i++) {
        copy->sets[i].fields = c->sets[i].fields == &c->run ? (void *)&copy->run : copy->own;
        if (!make_absolute(copy->sets[i].options, copy->sets[i].fields, memory))
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

attend_status at_train_config_save(const at_train_config *c, attend_error *err)
{
    at_arena memory = {0};
    at_train_config copy;
    at_str text = {0};
    attend_status status = copy_settings(c, &copy, &memory, err);
    if (status >= 0) {
        at_str_add(&text, "# What this run was told. --resume reads it.\n\n");
        at_train_config_print(&copy, &text);
        status = write_stored(c->run.out, &text, err);
    }
    at_str_free(&text);
    at_arena_free(&memory);
    return status;
}
