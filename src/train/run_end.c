/* What a run says when it is over. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "train/run_parts.h"

void at_run_explain(at_run *r, attend_status status)
{
    long long saved = (long long)r->saved;
    if (status != ATTEND_NUMBER && status != ATTEND_FILE)
        return;
    if (saved)
        at_run_say(r, "nothing that was kept is lost: the checkpoint after %lld update%s%s", saved,
                   ATTEND_PLURAL(saved), isnan(r->state.best) ? "" : ", and the best model");
    if (status == ATTEND_NUMBER)
        at_run_say(r, "the run has diverged; start again with a smaller --lr or --clip, or a "
                      "--schedule that warms up; --init-from takes the weights of a model");
    else if (saved)
        at_run_say(r, "when that is put right, --resume goes on from there");
}

void at_run_say_end(at_run *r)
{
    const at_train_state *s = &r->state;
    const char *watch = r->settings.watch ? r->settings.watch : r->task->metrics;
    const char *const *use = r->task->use;
    at_shown out = at_show(r->settings.out);
    if (isnan(s->best))
        return;
    char which[60];
    if (s->best_mean)
        snprintf(which, sizeof which, "the mean of the last %d weights", s->best_mean);
    else
        snprintf(which, sizeof which, "the model of update %lld", (long long)s->best_update);
    at_run_say(r, "done: %s has %s, the best: %.*s %.4g", out.text, which, (int)strcspn(watch, " "),
               watch, fabs(s->best));
    at_run_say(r, "try it: attend %s %s%s", use[0], out.text,
               r->model->width && r->model->target ? " --src FILE.safetensors" : use[1]);
}
