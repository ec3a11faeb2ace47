/* Training steps on a batch that is there: forward, backward, optimiser, through the trainer. */
#ifndef ATTEND_BENCH_TRAINING_H
#define ATTEND_BENCH_TRAINING_H

#include "bench.h"
#include "train/shards.h"
#include "train/trainer.h"

typedef struct {
    const char *optimiser;
    at_params *params;
    at_shards shards;
    at_shard_loss *loss;
    void *user;          /* of the loss */
    at_trainer *trainer; /* bench_training makes it */
} bench_trained;

static inline void bench_train_step(void *arg)
{
    bench_trained *b = arg;
    attend_error err;
    at_step_result r;
    if (at_trainer_step(b->trainer, b->shards.count, b->shards.first, b->loss, b->user, &r, &err)
        < 0)
        bench_die(err.message, "training");
}

static inline void bench_training(const bench_case *c, double flops, bench_trained *b)
{
    attend_error err;
    at_trainer_options options = {.accumulate = 1};
    if (at_rate_parse(&options.rate, "constant", 1e-3, &err) < 0
        || at_optim_options_parse(&options.optim, b->optimiser, &err) < 0
        || at_trainer_new(b->params, &options, &b->trainer, &err) < 0)
        bench_die(err.message, c->name);
    bench_report(c, (bench_work){.flops = flops}, bench_train_step, b);
    at_trainer_free(b->trainer);
}

#endif
