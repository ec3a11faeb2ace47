/* attend_list: the library's own lists, as one. */
#include <limits.h>
#include <string.h>

#include "attend.h"
#include "attention/output.h"
#include "attention/pool.h"
#include "data/format.h"
#include "grad/ops.h"
#include "measure/measure.h"
#include "models/translator.h"
#include "text/tokenizer.h"
#include "train/optim.h"
#include "train/schedule.h"

typedef struct {
    const char *name, *what;
    int (*at)(int index, attend_entry *entry);
} kind;

static int give(attend_entry *entry, const char *name, const char *formula, const char *source)
{
    *entry = (attend_entry){.name = name, .formula = formula ? formula : "", .source = source};
    return 1;
}

/* a mechanism: every row of the attention lists begins with what it says of itself */
static int mechanism_at(int i, attend_entry *entry)
{
    const struct {
        const char *part;
        const void *const *list;
        int count;
    } lists[] = {
        {"score", (const void *const *)at_scores, at_score_count},
        {"scope", (const void *const *)at_scopes, at_scope_count},
        {"pick", (const void *const *)at_picks, at_pick_count},
        {"output", (const void *const *)at_outputs, at_output_count},
    };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; i -= lists[k++].count)
        if (i < lists[k].count) {
            const at_about *a = lists[k].list[i];
            *entry = (attend_entry){.name = a->name,
                                    .formula = a->formula,
                                    .source = a->source,
                                    .part = lists[k].part,
                                    .aliases = a->aliases,
                                    .values = a->values,
                                    .example = a->example ? a->example : a->name,
                                    .use = a->use,
                                    .cost = a->cost,
                                    .parameters = a->parameters};
            return 1;
        }
    return 0;
}

static int kernel_at(int i, attend_entry *entry)
{
    if (i >= at_kernel_count)
        return 0;
    const at_about *a = &at_kernels[i]->about;
    return give(entry, a->name, a->formula, a->source);
}

static int op_at(int i, attend_entry *entry)
{
    if (i >= at_op_count + at_attention_op_count)
        return 0;
    const at_op *op = i < at_op_count ? at_ops[i] : at_attention_ops[i - at_op_count];
    return give(entry, op->name, op->formula, NULL);
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

static int measure_at(int i, attend_entry *entry)
{
    if (i >= at_measures_count)
        return 0;
    return give(entry, at_measures[i]->name, at_measures[i]->formula, at_measures[i]->source);
}

static int tokenizer_at(int i, attend_entry *entry)
{
    if (i >= at_tokenizer_kind_count)
        return 0;
    const at_tokenizer_kind *k = at_tokenizer_kinds[i];
    return give(entry, k->name, k->what, k->source);
}

static int preset_at(int i, attend_entry *entry)
{
    if (i >= at_preset_count)
        return 0;
    return give(entry, at_presets[i]->name, at_presets[i]->formula, at_presets[i]->source);
}

static int format_at(int i, attend_entry *entry)
{
    if (i >= at_format_count)
        return 0;
    return give(entry, at_formats[i]->name, at_formats[i]->what, NULL);
}

static const kind kinds[] = {
    {"attention", "scores, scopes, picks and outputs: SCORE/SCOPE/PICK/HEADS", mechanism_at},
    {"presets", "named systems: attend train --preset", preset_at},
    {"kernels", "how weights fall with distance in pooling: attend fit --kernel", kernel_at},
    {"ops", "functions of tensors, each with its gradient", op_at},
    {"optimisers", "how gradients change parameters", optimiser_at},
    {"schedules", "how the learning rate changes over the steps", schedule_at},
    {"measures", "how good lines are, next to references", measure_at},
    {"tokenizers", "how text is cut into pieces", tokenizer_at},
    {"formats", "of corpora: attend data", format_at},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

int attend_list(const char *name, size_t index, attend_entry *entry)
{
    if (!name || !entry || index > INT_MAX)
        return 0;
    if (strcmp(name, "kinds") == 0)
        return index < KINDS && give(entry, kinds[index].name, kinds[index].what, NULL);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].at((int)index, entry);
    return 0;
}
