#include <string.h>

#include "base/guess.h"
#include "train/task.h"

const at_task *const at_tasks[] = {
#define TASK(name) &at_task_##name,
#include "train/tasks.def"
#undef TASK
};

const int at_task_count = (int)(sizeof at_tasks / sizeof *at_tasks);

static bool fits(const at_task *task, const at_model_kind *kind, bool pretrain)
{
    return (task->can & kind->can) == task->can && (task->pretrains || !pretrain);
}

const at_task *at_task_for(const at_model_kind *kind, bool pretrain)
{
    for (int i = 0; i < at_task_count; i++)
        if (fits(at_tasks[i], kind, pretrain))
            return at_tasks[i];
    return NULL;
}

const at_task *at_task_find(const char *name, const at_model_kind *kind, bool pretrain,
                            attend_error *err)
{
    for (int i = 0; i < at_task_count; i++)
        if (strcmp(at_tasks[i]->name, name) == 0 && fits(at_tasks[i], kind, pretrain))
            return at_tasks[i];
    at_guess guess = {.word = name};
    at_str fitting = {0};
    for (int i = 0; i < at_task_count; i++) {
        bool named = strcmp(at_tasks[i]->name, name) == 0;
        if (fits(at_tasks[i], kind, pretrain))
            at_str_print(&fitting, "%s%s", fitting.length ? ", " : "", at_tasks[i]->name);
        at_guess_consider(&guess, at_tasks[i]->name, named ? 0 : strlen(at_tasks[i]->name));
    }
    at_error(err, ATTEND_OPTION, "--task %.40s: %s%s%sa %s is %strained by: %s", name,
             *guess.best ? "did you mean " : "", guess.best, *guess.best ? "? " : "", kind->name,
             pretrain ? "pre-" : "", at_str_text(&fitting));
    at_str_free(&fitting);
    return NULL;
}
