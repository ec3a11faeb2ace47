/* A kind of training: all that a run (run.h) does not know about what it trains. The run has the
 * data, the steps, validations and checkpoints; the job has the model.
 *
 *     prepare      vocabularies and numbers from the corpora, and the model's network
 *
 *     take, loss   of each batch: cut it into shards; what each of them loses
 *
 * A job keeps what it needs in run->task, and gives the run its parameters, supplies and shards
 * (run_parts.h). The same loss serves validation, on a tape that only infers. */
#ifndef ATTEND_TRAIN_JOB_H
#define ATTEND_TRAIN_JOB_H

#include "data/batch.h"
#include "models/preset.h"
#include "store/model_folder.h"
#include "train/shards.h"
#include "train/trainer.h"

typedef struct at_run at_run;

typedef struct {
    const char *name;
    unsigned can;        /* what a model must be able to do: attend_capability */
    size_t size;         /* of its task, zeros at first */
    const char *metrics; /* of a validation, separated by blanks; the first is watched */
    const char *use[2];  /* the command that takes such a model, and what follows the model */
    const char *unit;    /* what a loss is the mean of: "words" */
    bool perplexity;     /* the loss is one of words: its exponential says something */
    bool whole;          /* texts of any length are taken, and cut into windows */
    bool features;       /* sources may be feature vectors (store/features.h) */
    unsigned needs;      /* parts that examples must have: ATTEND_HAS_.. */
    const char *lacking; /* what is wrong with a file without, and the remedy */

    /* run->model has its settings, and its tokenizers where another model had them: makes what is
     * missing, and the network; sets run->supply. */
    attend_status (*prepare)(at_run *r, attend_error *err);

    /* Sets run->shards and run->asked; memory is the run's, of one batch. */
    attend_status (*take)(at_run *r, const at_batch *batch, int shards, attend_error *err);
    at_shard_loss *loss; /* of the run */

    /* Behind a step, or NULL: objective is what it was led by; returns the loss to report. */
    double (*done)(at_run *r, double objective);
    void (*free)(at_run *r); /* what the task holds */
} at_job;

#define JOB(name) extern const at_job at_job_##name;
#include "train/jobs.def"
#undef JOB
extern const at_job *const at_jobs[];
extern const int at_job_count;

/* The job that trains models of a kind: the first whose needs it meets; or NULL. */
const at_job *at_job_for(const at_model_kind *kind);

#endif
