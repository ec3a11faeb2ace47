/* A task: what is learned, and all that a run (run.h) does not know about it. The run has the data,
 * the steps and the checkpoints; the model has its capabilities (models/model.h); the task has
 * batches, loss, validation, metrics, options and its part of a checkpoint.
 *
 *     check, load            before anything is read: refuse settings; the corpora
 *     prepare                tokenizers and ids from the corpora, and the model's network
 *     take, loss, done       of each batch: cut it into shards; the loss of a shard; after the step
 *     validate               metrics of the validation
 *     save_state, load_state what a checkpoint keeps of the task
 *
 * A task is a line of tasks.def and a constant at_task_NAME in task_NAME.c. Its own settings are in
 * run->task_settings, its state in run->task_state. The same loss serves validation, on a tape that
 * only infers. Functions may be NULL where it says so. */
#ifndef ATTEND_TRAIN_TASK_H
#define ATTEND_TRAIN_TASK_H

#include "base/json.h"
#include "base/option.h"
#include "data/batch.h"
#include "models/preset.h"
#include "store/model_folder.h"
#include "train/metrics.h"
#include "train/shards.h"
#include "train/trainer.h"

typedef struct at_run at_run;
typedef struct at_run_settings at_run_settings;

enum { ATTEND_TASK_TABLES = 3 }; /* of options that some tasks share */

typedef struct {
    const char *name;    /* "translate" */
    unsigned can;        /* what a model must be able to do: attend_capability */
    const char *metrics; /* of a validation, separated by spaces; the first is watched */
    const char *use[2];  /* the command for such a model, and its arguments after the model */
    const char *unit;    /* what a loss is the mean of: "words" */
    bool perplexity;     /* the exponential of the loss is reported */
    bool pretrains;      /* it needs no labels: attend pretrain has it */
    bool whole;          /* texts of any length are taken */
    bool features;       /* sources may be feature vectors (store/features.h) */
    unsigned needs;      /* parts that examples must have: ATTEND_HAS_.. */
    const char *lacking; /* what is wrong with a file without, and the remedy */

    /* Options beside those of every run: tables over at_run_settings that some tasks share, up to a
     * NULL; and its own, over its own settings. */
    const at_option *shared[ATTEND_TASK_TABLES + 1];
    const at_option *options; /* NULL: none */
    size_t settings_size;
    size_t state_size; /* of run->task_state, zeros at first */

    /* Settings that follow from others; model: settings of that kind. Or NULL. */
    attend_status (*choose)(const at_run_settings *run, void *settings, const at_model_kind *kind,
                            void *model, attend_error *err);

    /* Why an option that was given would change nothing: "has no alignments; ..", or NULL. The
     * function may be NULL. */
    const char *(*unused)(const at_run_settings *run, const void *settings, const char *name);

    /* Refuses settings and files before any data is read; or NULL. */
    attend_status (*check)(at_run *r, attend_error *err);

    /* The corpus to train on (which 0) or to validate with (1); NULL: at_run_load. */
    attend_status (*load)(at_run *r, int which, at_corpus **out, attend_error *err);

    /* run->model has its settings, and its tokenizers where another model had them: makes what is
     * missing, and the network; sets run->supply. */
    attend_status (*prepare)(at_run *r, attend_error *err);

    /* Saves the examples that are left out for a test; NULL: at_run_save_test. */
    attend_status (*save_test)(at_run *r, attend_error *err);

    /* Sets run->shards and run->n_targets; memory is the run's, of one batch. */
    attend_status (*take)(at_run *r, const at_batch *batch, int shards, attend_error *err);
    at_shard_loss *loss; /* of the run */

    /* After a step: objective is what was minimised; returns the loss to report. Or NULL. */
    double (*done)(at_run *r, double objective);

    /* Adds the task's metrics, after the loss of the whole validation was computed; or NULL. */
    attend_status (*validate)(at_run *r, at_metrics *metrics, attend_error *err);

    /* Appends row `row` of the batch that was taken last, as the network sees it; or NULL. */
    void (*show)(const at_run *r, int row, at_str *out);

    /* What a checkpoint keeps of the task, a JSON object (NULL without memory), and back; NULL
     * where there is nothing to keep. Arrays are in run->state.array, and read before load_state.
     */
    json_t *(*save_state)(const at_run *r);
    void (*load_state)(at_run *r, at_fields *fields);

    void (*free)(at_run *r); /* what its state holds; may be NULL */
} at_task;

#define TASK(name) extern const at_task at_task_##name;
#include "train/tasks.def"
#undef TASK
extern const at_task *const at_tasks[];
extern const int at_task_count;

/* The task that trains models of a kind by default: the first whose capabilities it has, of all or
 * of those that pre-train; or NULL. */
const at_task *at_task_for(const at_model_kind *kind, bool pretrain);

/* The task of that name for models of a kind; NULL with an error that names those there are. */
const at_task *at_task_find(const char *name, const at_model_kind *kind, bool pretrain,
                            attend_error *err);

#endif
