#include "train/trainer.h"

#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "train/clip.h"

enum { MOST_SHARDS = 64 };

struct at_trainer {
    at_trainer_options options;
    at_params *params;
    at_optim *optim;
    at_gradients *gradients;
    at_tape *tape[MOST_SHARDS];
    int64_t updates, batches;
    int waiting; /* batches accumulated */
};

/* ---- life ---------------------------------------------------------------------------------- */

attend_status at_trainer_new(at_params *params, const at_trainer_options *options, at_trainer **out,
                             attend_error *err)
{
    at_trainer *t = *out = at_alloc_zero(1, sizeof *t);
    if (!t)
        return at_error_memory(err);
    t->options = *options;
    t->params = params;
    t->gradients = at_gradients_new(params);
    attend_status status = t->gradients ? at_optim_new(params, &options->optim, &t->optim, err)
                                        : at_error_memory(err);
    if (status >= 0)
        status = at_rate_check(&options->rate, err);
    if (status < 0) {
        at_trainer_free(t);
        *out = NULL;
    }
    return status;
}

void at_trainer_free(at_trainer *t)
{
    if (!t)
        return;
    for (int i = 0; i < MOST_SHARDS; i++)
        if (t->tape[i])
            at_tape_free(t->tape[i]);
    if (t->gradients)
        at_gradients_free(t->gradients);
    if (t->optim)
        at_optim_free(t->optim);
    at_free(t);
}

/* ---- a step -------------------------------------------------------------------------------- */

typedef struct {
    at_trainer *trainer;
    at_shard_loss *loss;
    void *user;
    const int *first;
    double value[MOST_SHARDS];
} shards;

static void run_shard(void *arg, int i)
{
    shards *s = arg;
    at_trainer *t = s->trainer;
    at_tape *tape = t->tape[i];
    at_tape_seed(tape, t->options.seed, (uint32_t)t->batches, (uint32_t)s->first[i]);
    at_tensor *loss = s->loss(s->user, tape, i);
    s->value[i] = at_backward(tape, loss) ? (double)loss->value[0] : 0;
}

/* the first batch of all makes the parameters: one shard after another, so that they come in the
 * same order every time */
static void run_shards(shards *s, int n)
{
    enum { LARGE = 1 << 30 };
    if (s->trainer->batches == 0)
        for (int i = 0; i < n; i++)
            run_shard(s, i);
    else
        at_parallel_each(n, LARGE, run_shard, s);
}

static attend_status ready_tapes(at_trainer *t, int n, attend_error *err)
{
    if (n < 1 || n > MOST_SHARDS)
        return at_error(err, ATTEND_OPTION, "a batch of %d shards cannot be; 1 to %d", n,
                        MOST_SHARDS);
    for (int i = 0; i < n; i++) {
        if (!t->tape[i])
            t->tape[i] = at_tape_new(t->params, ATTEND_TRAIN);
        if (!t->tape[i])
            return at_error_memory(err);
        at_tape_reset(t->tape[i]);
    }
    return ATTEND_OK;
}

static attend_status update(at_trainer *t, at_step_result *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (t->options.accumulate > 1)
        at_gradients_scale(t->gradients, 1.0 / t->options.accumulate);
    if (t->options.clip > 0) /* the norm reads every gradient once more */
        status = at_clip_norm(t->gradients, t->options.clip, 2, &r->norm, err);
    if (status >= 0) {
        at_optim_set_lr(t->optim, r->rate);
        status = at_optim_step(t->optim, t->gradients, err);
    }
    at_gradients_clear(t->gradients);
    t->waiting = 0;
    t->updates += status >= 0;
    r->updated = status >= 0;
    return status;
}

attend_status at_trainer_step(at_trainer *t, int n, const int *first, at_shard_loss *loss,
                              void *user, at_step_result *r, attend_error *err)
{
    shards s = {.trainer = t, .loss = loss, .user = user, .first = first};
    attend_status status = ready_tapes(t, n, err);
    if (status < 0)
        return status;
    *r = (at_step_result){.rate = at_rate_at(&t->options.rate, t->updates)};
    run_shards(&s, n);
    for (int i = 0; i < n && status >= 0; i++) {
        status = at_gradients_add(t->gradients, t->tape[i], 1, err);
        r->loss += s.value[i];
    }
    if (status >= 0 && !isfinite(r->loss))
        status = at_error(err, ATTEND_NUMBER,
                          "the loss is %s after %lld update%s; try a smaller learning rate",
                          isnan(r->loss) ? "not a number" : "infinite", (long long)t->updates,
                          t->updates == 1 ? "" : "s");
    if (status < 0) {
        at_gradients_clear(t->gradients);
        t->waiting = 0;
        return status;
    }
    t->batches++;
    if (++t->waiting < t->options.accumulate)
        return at_gradients_keep(t->gradients, err);
    return update(t, r, err);
}

/* ---- what a checkpoint asks ----------------------------------------------------------------- */

int64_t at_trainer_updates(const at_trainer *t) { return t->updates; }
int64_t at_trainer_batches(const at_trainer *t) { return t->batches; }
at_optim *at_trainer_optim(at_trainer *t) { return t->optim; }
at_rate *at_trainer_rate(at_trainer *t) { return &t->options.rate; }
bool at_trainer_between(const at_trainer *t) { return t->waiting > 0; }

void at_trainer_set_updates(at_trainer *t, int64_t updates, int64_t batches)
{
    t->updates = updates;
    t->batches = batches;
}
