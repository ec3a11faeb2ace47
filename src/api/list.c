/* attend_list: the library's own lists, as one. */
#include <string.h>

#include "attend.h"
#include "grad/ops.h"
#include "train/optim.h"
#include "train/schedule.h"

typedef struct {
    const char *name, *what;
    int (*at)(int index, attend_entry *entry);
} kind;

static int give(attend_entry *entry, const char *name, const char *formula, const char *source)
{
    *entry = (attend_entry){name, formula ? formula : "", source};
    return 1;
}

static int op_at(int i, attend_entry *entry)
{
    return i < at_op_count && give(entry, at_ops[i]->name, at_ops[i]->formula, NULL);
}

static int optimiser_at(int i, attend_entry *entry)
{
    if (i >= at_optimisers_count)
        return 0;
    return give(entry, at_optimisers[i]->name, at_optimisers[i]->formula, at_optimisers[i]->source);
}

static int schedule_at(int i, attend_entry *entry)
{
    if (i >= at_schedules_count)
        return 0;
    return give(entry, at_schedules[i]->name, at_schedules[i]->formula, at_schedules[i]->source);
}

static const kind kinds[] = {
    {"ops", "functions of tensors, each with its gradient", op_at},
    {"optimisers", "how gradients change parameters", optimiser_at},
    {"schedules", "how the learning rate changes over the steps", schedule_at},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

int attend_list(const char *name, int index, attend_entry *entry)
{
    if (!name || !entry || index < 0)
        return 0;
    if (strcmp(name, "kinds") == 0)
        return index < KINDS && give(entry, kinds[index].name, kinds[index].what, NULL);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].at(index, entry);
    return 0;
}
