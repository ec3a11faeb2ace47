/* Inside a training run: its parts, for the files run_*.c and task_*.c. */
#ifndef ATTEND_TRAIN_RUN_PARTS_H
#define ATTEND_TRAIN_RUN_PARTS_H

#include "data/encode.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/layer_rates.h"

struct at_run {
    const at_train_config *config;
    at_run_settings settings; /* the configuration's; resume may become false */
    at_run_hooks hooks;
    const at_task *task;
    const void *task_settings; /* the task's own, */
    void *task_state;          /* and what it works with */
    const at_model_kind *kind; /* of the model */
    at_model *model;           /* that is trained */
    at_params *params;         /* the model's */

    at_corpus *corpus, *valid;      /* valid: of its own file, or NULL: a part of corpus */
    unsigned char *part;            /* of each example of corpus */
    bool tests;                     /* some examples are left out for a test */
    at_encoded *ids[2];             /* to train on, to validate with; by the task */
    at_encoded_supply sentences[2]; /* of these */
    at_supply supply[2];            /* by the task; the sentences, where at_run_encode made it */
    bool in_order;                  /* batches to train on are those of streams; by the task */
    int valid_batch;                /* of a validation; 64 unless the task says otherwise */
    at_batches *batches;

    at_arena memory;  /* of one batch */
    at_shards shards; /* of the batch; by the task */
    double n_targets; /* what the loss of the batch is the mean of; by the task */
    at_trainer *trainer;
    at_layer_rates rates; /* of the trainer, with --layer-decay */
    at_tape *tape;        /* of validations */
    bool estimating;      /* the batch is tried to see how much memory it takes */
    bool validating;      /* batches are those of the validation */

    at_train_state state;
    int64_t steps;        /* of the whole run */
    int64_t saved;        /* updates of the last checkpoint; 0: none yet */
    double valid_targets; /* what a validation's loss is the mean of, about */
    int answer;           /* to the report of this step: 1 stop, -1 make a checkpoint, 0 neither */
    attend_status ended;  /* negative: the report's error, which ends the run, is in `why` */
    attend_error why;

    bool restarts;   /* it resumes, but at update 0: there was no checkpoint */
    int lock;        /* of the folder; -1: not held */
    int made;        /* folders that the lock has made: 1 training/, 2 also --out */
    bool has_output; /* files were written: the folders stay */
};

/* Reports an event; or a line of text. */
void at_run_report(at_run *r, attend_train_event e);
void at_run_say(at_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ATTEND_PLURAL(n) ((n) == 1 ? "" : "s")

/* folder/name in out; at_free it; NULL without memory */
char *at_run_path(const at_run *r, const char *name);

/* Is there a file to validate with, not a share of the data? */
bool at_run_valid_is_file(const at_run_settings *s);

/* Sentences in a batch at most. */
static inline size_t at_run_batch(const at_run_settings *s)
{
    return s->batch ? (size_t)s->batch : s->batch_tokens ? (size_t)s->batch_tokens : 64;
}

/* ---- validations: run.c, run_average.c ----------------------------------------------------- */

/* The loss, what follows from it, and the task's metrics. */
attend_status at_run_measure(at_run *r, at_metrics *m, attend_error *err);

/* The metric that decides which model is the best. */
const attend_metric *at_run_watched(const at_run *r, const at_metrics *m);

/* Is it better than the best so far? The loss decides between equals. What is, is noted. */
bool at_run_better(at_run *r, const at_metrics *m);

/* The weights as the model of the folder; the run as it stands. */
attend_status at_run_save_best(at_run *r, attend_error *err);
attend_status at_run_checkpoint(at_run *r, attend_error *err);

/* In the end: the mean of the last weights, which becomes the model where it is better than the
 * best so far. The run's own weights are untouched. */
attend_status at_run_average(at_run *r, attend_error *err);

/* ---- the end: run_end.c -------------------------------------------------------------------- */

/* What is left of a run that failed, and what to do. */
void at_run_explain(at_run *r, attend_status status);

/* Which model there is, and what it is for. */
void at_run_say_end(at_run *r);

/* ---- before the first step: run_phases.c, run_folder.c, run_check.c ------------------------- */

/* Runs all phases. */
attend_status at_run_prepare(at_run *r, attend_error *err);

/* Phases: of the folder, */
attend_status at_run_check_folder(at_run *r, attend_error *err); /* can the run be there? */
attend_status at_run_lock(at_run *r, attend_error *err);         /* for this run alone */
attend_status at_run_find_checkpoint(at_run *r, attend_error *err);
attend_status at_run_check_empty(at_run *r, attend_error *err); /* unless it may be overwritten */
attend_status at_run_clear(at_run *r, attend_error *err);       /* of what an earlier run left */
void at_run_abandon(at_run *r); /* removes the folders that the lock has made */

/* of what can be refused before data is read, */
attend_status at_run_check_settings(at_run *r, attend_error *err);
attend_status at_run_check_files(at_run *r, attend_error *err);

/* of the data, */
attend_status at_run_read(at_run *r, attend_error *err); /* reads the corpora and splits them */
attend_status at_run_save_test(at_run *r, attend_error *err); /* in training/test.tsv or test.txt */

/* of a checkpoint, */
attend_status at_run_resume(at_run *r, attend_error *err);

/* and of memory: says how much the run takes; makes the parameters where there are none yet. */
attend_status at_run_estimate(at_run *r, attend_error *err); /* run_estimate.c */

bool at_run_has(const at_run *r, const char *name); /* is it in the folder? */

/* ---- for tasks: run_data.c ----------------------------------------------------------------- */

/* A file as a corpus; other: that of the targets, or NULL; swap: sources are the second side. */
attend_status at_run_load(at_run *r, const char *path, const char *other, bool swap,
                          at_corpus **out, attend_error *err);

/* Is the source a file of feature vectors? */
bool at_run_is_features(const at_run *r);

/* The corpus of the validation; and its i-th example, texts and ids; false after the last. */
const at_corpus *at_run_valid(const at_run *r);
bool at_run_valid_at(const at_run *r, size_t i, at_example *texts, at_item_view *ids);

/* A tokenizer from the texts to train on, or one that is named by its folder or file. preset: the
 * model's, which may have a number of words of its own. */
attend_status at_run_learn(at_run *r, bool sources, bool targets, const char *preset,
                           at_tokenizer **out, attend_error *err);

/* The corpus to train on (which 0) or to validate with (1) as ids and supply. The settings decide
 * what is too long; options say the rest, in longest_source how much of a source the model can read
 * (0: any number), or of frames how many are allowed; part and wanted are not read. */
attend_status at_run_encode(at_run *r, int which, const at_encode_options *options,
                            attend_error *err);

/* Makes the vectors of the source's tokens, N(0, scale^2) or from the settings' file, unless they
 * come from another model. */
attend_status at_run_vectors(at_run *r, attend_error *err);

/* The field of a setting of the model; NULL where its kind has no such setting. */
const void *at_run_model_setting(const at_run *r, const char *name);

/* The preset of the model that is trained. */
const char *at_run_preset(const at_run *r);

#endif
