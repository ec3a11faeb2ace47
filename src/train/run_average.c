/* The mean of the last weights, judged like any other model. */
#include <math.h>

#include "base/memory.h"
#include "store/weights.h"
#include "train/retained.h"
#include "train/run_parts.h"

/* Two sets of the same parameters change their numbers. */
static attend_status swap(at_params *a, at_params *b, attend_error *err)
{
    for (int i = 0; i < at_params_count(a); i++) {
        at_parameter *p = at_params_at(a, i), *q = at_params_find(b, p->name);
        if (!q || q->len != p->len)
            return at_error(err, ATTEND_SHAPE, "the kept weights have no '%s' like the model's",
                            p->name);
    }
    for (int i = 0; i < at_params_count(a); i++) {
        at_parameter *p = at_params_at(a, i), *q = at_params_find(b, p->name);
        for (size_t j = 0; j < p->len; j++) {
            real x = p->value[j];
            p->value[j] = q->value[j];
            q->value[j] = x;
        }
    }
    return ATTEND_OK;
}

static attend_status save(at_run *r, attend_error *err)
{
    char *path = at_run_path(r, "training/average.safetensors");
    attend_status status = path ? at_weights_save(path, r->params, err) : at_error_memory(err);
    at_free(path);
    return status;
}

/* with the mean in the run's parameters */
static attend_status compare(at_run *r, int count, bool *better, attend_error *err)
{
    at_metrics found = {.count = 0};
    attend_status status = at_run_measure(r, &found, err);
    if (status < 0)
        return status;
    const attend_metric *m = at_run_watched(r, &found);
    double before = fabs(r->state.best);
    *better = at_run_better(r, &found);
    bool already = r->state.best_mean == count && m->value == before;
    at_run_say(r, "mean of the last %d weights: %s %.6g, the best before is %.6g: %s", count,
               m->title, m->value, before,
               *better   ? "it is the model"
               : already ? "it is the model already"
                         : "it is kept as training/average.safetensors");
    status = save(r, err);
    if (status < 0 || !*better)
        return status;
    r->state.best_mean = count;
    return at_run_save_best(r, err);
}

static attend_status judge_mean(at_run *r, const char *folder, const int64_t *step, int count,
                                at_params *mean, attend_error *err)
{
    bool better = false;
    attend_status status = at_retained_average(folder, step, count, mean, err);
    if (status >= 0)
        status = swap(r->params, mean, err);
    if (status < 0)
        return status;
    status = compare(r, count, &better, err);
    swap(r->params, mean, NULL);
    return status >= 0 && better ? at_run_checkpoint(r, err) : status;
}

attend_status at_run_average(at_run *r, attend_error *err)
{
    int64_t step[ATTEND_RETAINED_MAX];
    char *folder = at_run_path(r, "training");
    at_params *mean = at_params_new(0);
    attend_status status = folder && mean ? ATTEND_OK : at_error_memory(err);
    int count = status < 0 ? 0 : at_retained_steps(folder, step, r->settings.average);
    if (status >= 0 && count < 2)
        at_run_say(r, "there are too few validations for a mean of weights");
    else if (status >= 0)
        status = judge_mean(r, folder, step, count, mean, err);
    if (mean)
        at_params_free(mean);
    at_free(folder);
    return status;
}
