/* Which options there are, and what has them. */
#include <string.h>

#include "base/file.h"
#include "train/config_parts.h"

/* ---- all tables ---------------------------------------------------------------------------- */

static const at_option none[] = {{0}};

/* The index-th table, which may be empty; NULL after the last. Tables come more than once, and
 * kinds of models have many options in common. */
static const at_option *table_at(int index)
{
    const int each = ATTEND_TASK_TABLES + 1, tasks = at_task_count * each;
    if (index == 0)
        return at_run_options;
    if (index <= tasks) {
        const at_task *task = at_tasks[(index - 1) / each];
        int which = (index - 1) % each;
        const at_option *table = which < ATTEND_TASK_TABLES ? task->shared[which] : task->options;
        return table ? table : none;
    }
    index -= tasks + 1;
    return index < at_model_kind_count ? at_model_kinds[index]->options : NULL;
}

static const at_option *find_in(const at_option *table, const char *name)
{
    at_option_set set = {table, NULL};
    void *fields;
    return table ? at_option_find(&set, 1, name, &fields) : NULL;
}

/* Is the name in one of the first tables? */
static bool is_in(const char *name, int tables)
{
    for (int i = 0; i < tables && table_at(i); i++)
        if (find_in(table_at(i), name))
            return true;
    return false;
}

bool at_train_config_knows(const char *name) { return is_in(name, 1 << 20); }

const at_option *at_train_config_option(int index)
{
    const at_option *table;
    for (int i = 0; (table = table_at(i)); i++)
        for (const at_option *o = table; o->name; o++)
            if (!is_in(o->name, i) && index-- == 0)
                return o;
    return NULL;
}

/* ---- of tasks ------------------------------------------------------------------------------ */

static const at_option *find_of(const at_task *task, const char *name)
{
    const at_option *o = find_in(task->options, name);
    for (int i = 0; i < ATTEND_TASK_TABLES && !o; i++)
        o = find_in(task->shared[i], name);
    return o;
}

const at_task *at_train_config_owner(const char *name)
{
    for (int i = 0; i < at_task_count; i++)
        if (find_of(at_tasks[i], name))
            return at_tasks[i];
    return NULL;
}

static bool is_default(const at_option *o, const char *value)
{
    const char *usual = o->value ? o->value : o->type == ATTEND_OPTION_FLAG ? "no" : "";
    return !value || strcmp(value, usual) == 0;
}

bool at_train_config_is_default(const char *name, const char *value)
{
    const at_option *table, *o = NULL;
    for (int i = 0; (table = table_at(i)) && !o; i++)
        o = find_in(table, name);
    return o && is_default(o, value);
}

attend_status at_train_config_drop_foreign(const at_train_config *c, at_config *file,
                                           attend_error *err)
{
    size_t left = 0;
    for (size_t i = 0; i < file->count; i++) {
        const at_config_entry *e = &file->entry[i];
        const at_task *owner = at_train_config_owner(e->name);
        void *fields;
        if (!owner || at_option_find(c->sets, c->n_sets, e->name, &fields))
            file->entry[left++] = *e;
        else if (!is_default(find_of(owner, e->name), e->value))
            return at_error(err, ATTEND_OPTION,
                            "%s:%d: %s: the task %s has no such option; the task %s has it",
                            at_show(file->path).text, e->line, e->name, c->task->name, owner->name);
    }
    file->count = left;
    return ATTEND_OK;
}

attend_status at_train_config_refuse_unused(const at_train_config *c, attend_error *err)
{
    const at_model_kind *kind = c->preset->kind;
    for (size_t i = 0; i < c->count; i++) {
        const char *name = c->settings[i].name, *why = NULL;
        if (c->task->unused)
            why = c->task->unused(&c->run, c->own, name);
        if (!why && kind->unused)
            why = kind->unused(c->model, name);
        if (why)
            return at_error(err, ATTEND_OPTION, "--%s %s: %s %s", name,
                            at_show(at_train_config_given(c, name)).text, c->preset->name, why);
    }
    return ATTEND_OK;
}
