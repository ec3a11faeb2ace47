/* A resumed run is the same run; one that starts from a model may change it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "text/tokenizer.h"
#include "train/config_parts.h"
#include "train/settings.h"

/* what may change: where files are, how long it runs, threads; batches know their data */
static const char free_to_change[] =
    "out config resume overwrite init-from data src tgt valid valid-tgt epochs steps threads "
    "shards patience checkpoint-every keep average curves pretrain show";

bool at_train_config_is_path(const at_option *o, const char *value)
{
    return o->type == ATTEND_OPTION_PATH
           || (strcmp(o->name, "valid") == 0 && at_file_exists(value)) /* or a share */
           || (strcmp(o->name, "tokenizer") == 0 && !at_tokenizer_kind_find(value)
               && at_file_exists(value));
}

const char *at_train_config_absolute(const char *path, char *buffer)
{
    return realpath(path, buffer) ? buffer : path;
}

static void show_value(at_str *out, const at_option *o, const void *fields)
{
    char buffer[PATH_MAX];
    at_option_print(out, o, fields);
    if (out->length && at_train_config_is_path(o, at_str_text(out))
        && at_train_config_absolute(at_str_text(out), buffer) == buffer) {
        at_str_clear(out);
        at_str_add(out, buffer);
    }
}

static attend_status compare(at_train_config *c, const at_option *o, const void *was,
                             const void *is, attend_error *err)
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
    else if (strcmp(a, b) != 0 && !free && !c->from_model)
        status = at_error(err, ATTEND_OPTION,
                          "--%s %s: the run that goes on has %s; leave it out, or start a new run "
                          "elsewhere: --init-from takes the weights",
                          o->name, at_show(b).text, at_show(a).text);
    else if (strcmp(a, b) != 0 && !o->line_only && strcmp(o->name, "out") != 0)
        at_str_print(&c->changes, "%s%s is %s, was %s", c->changes.length ? "; " : "", o->name,
                     at_show(b).text, at_show(a).text);
    at_str_free(&before);
    at_str_free(&now);
    return status;
}

attend_status at_train_config_compare(at_train_config *c, const at_option_set *before,
                                      attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = c->from_model ? c->n_sets - 1 : 0; i < c->n_sets; i++)
        for (const at_option *o = before[i].options; o->name && status >= 0; o++)
            status = compare(c, o, before[i].fields, c->sets[i].fields, err);
    return status;
}

static bool has_setting(const at_config *file, at_option_set set, const at_option *o)
{
    void *fields;
    for (size_t i = 0; i < file->count; i++)
        if (at_option_find(&set, 1, file->entry[i].name, &fields) == o)
            return true;
    return false;
}

/* A run writes all of its settings: where one is missing, the file was cut or changed, and a
 * default would make another run of it. */
attend_status at_train_config_check_stored(const at_train_config *c, attend_error *err)
{
    static const char remedy[] =
        "restore the file, or start a new run elsewhere: --init-from takes "
        "the weights";
    const at_config *file = &c->stored;
    if (!file->path)
        return ATTEND_OK;
    for (int i = 0; i < c->n_sets; i++)
        for (const at_option *o = c->sets[i].options; o->name; o++)
            if (!o->line_only && !o->later && !has_setting(file, c->sets[i], o))
                return at_error(err, ATTEND_FORMAT, "%s: the setting '%s' is missing; %s",
                                at_show(file->path).text, o->name, remedy);
    return file->ended ? ATTEND_OK
                       : at_error(err, ATTEND_FORMAT, "%s: the last line has no end; %s",
                                  at_show(file->path).text, remedy);
}
