/* A training run, from files to a model folder: data, a model, and a job (job.h) that knows what is
 * learned.
 *
 *     corpus -> split -> tokenizers -> numbers -> batches -> steps -> validations -> checkpoints
 *
 * In the folder, beside what the job keeps there:
 *
 *     training/last.safetensors    the run as it stands (checkpoint.h)
 *     training/step-N.safetensors  weights of the last validations, where they are kept (kept.h)
 *     training/average.safetensors the mean of these, where it is asked for
 *     training/test.tsv            what was left out for a test, sources first; text in test.txt
 *     training/metrics.jsonl       a line for each validation
 *     training/lock                held while a run works here
 *
 * model.safetensors is the best so far. No decision depends on the clock. */
#ifndef ATTEND_TRAIN_RUN_H
#define ATTEND_TRAIN_RUN_H

#include "base/option.h"
#include "data/encode.h"
#include "store/features.h"
#include "train/job.h"
#include "train/metrics.h"

typedef struct {
    /* files; valid may be a share, or NULL: the usual one */
    const char *data, *src, *tgt, *valid, *valid_tgt, *test;
    bool swap;
    const char *format, *text, *second, *label; /* of these files: as of at_read_options */
    int header, encoding;
    const char *init_embeddings;
    const char *out;
    const char *tokenizer;
    int vocabulary, min_count;
    bool lower;
    int pretokenised; /* 0 looks at the text, 1 no, 2 yes */
    int longest, longest_frames, when_long;
    int epochs, steps, batch, batch_tokens;
    double mix_lengths;
    double lr, clip, smoothing, teacher_forcing;
    const char *optimiser, *schedule;
    const char *guided_alignment; /* a file of links, or NULL */
    double guided_weight;
    int accumulate, shards;
    int checkpoint_every, validate_every, patience;
    int keep, average; /* weights of so many validations */
    int curves;        /* the figure's format; drawn by the report */
    const char *watch; /* a metric; NULL: the job's first */
    bool resume, overwrite;
    const char *init_from;
    size_t seed;
    int threads;        /* 0: as they are */
    const char *config; /* a file of settings; whoever reads the settings has read it */
} at_run_settings;

extern const at_option at_run_options[];

/* ---- what it says on the way --------------------------------------------------------------- */

typedef enum {
    ATTEND_RUN_SAYS,      /* text */
    ATTEND_RUN_STEP,      /* a step is done */
    ATTEND_RUN_VALIDATED, /* metrics */
    ATTEND_RUN_SAVED,     /* a checkpoint has what the last validation found */
} at_run_kind;

typedef struct {
    at_run_kind kind;
    const char *text;
    int64_t step, steps; /* updates done, and of the whole run */
    double epoch;        /* 2.5: in the middle of the third */
    int epochs;
    double loss, norm, rate; /* norm: as in at_step_result */
    double asked;            /* what the loss is the mean of, in this step */
    const char *unit;        /* of asked: "words" */
    int64_t validations;     /* still to come */
    double validation;       /* what each of them asks for, about */
    const at_metrics *metrics;
    bool best;
} at_run_event;

/* Anything but 0 makes a checkpoint behind this step, which ends the run unless it is negative. */
typedef int at_run_report(void *user, const at_run_event *event);

/* Adds metrics that training does not know how to make: BLEU of translations. */
typedef attend_status at_run_judge(void *user, at_run *run, at_metrics *metrics, attend_error *err);

/* Writes down what the run was told, in its folder: before there is anything else of a new run, so
 * that one that is killed any time later can be begun again; and where a run goes on. */
typedef attend_status at_run_begin(void *user, attend_error *err);

typedef struct {
    at_run_report *report;
    at_run_judge *judge;
    at_run_begin *begin;
    void *user;
} at_run_hooks;

/* What can be said of the settings without files and folders: at_run_new begins with it, too. */
attend_status at_run_check_values(const at_run_settings *settings, const at_job *job,
                                  const at_model_kind *kind, const void *model, attend_error *err);

/* Everything up to the first step; model: settings of a model of that kind. Strings of the settings
 * are borrowed. */
attend_status at_run_new(const at_run_settings *settings, const at_job *job,
                         const at_model_kind *kind, const void *model, const at_run_hooks *hooks,
                         at_run **out, attend_error *err);

/* To the end; ATTEND_STOPPED where a report asked for it. */
attend_status at_run_go(at_run *r, attend_error *err);
void at_run_free(at_run *r); /* NULL is well */

/* ---- for the judge -------------------------------------------------------------------------- */

const at_job *at_run_job(const at_run *r);
void *at_run_task(const at_run *r); /* the job's */
const at_model *at_run_model(const at_run *r);
int at_run_valid_batch(const at_run *r); /* how many at a time: no more than are trained on */

/* the i-th example of the validation: texts, and its numbers; false beyond the last */
bool at_run_valid_at(const at_run *r, size_t i, at_example *texts, at_item_view *numbers);

/* Where sources are feature vectors: the file of those to validate with, else NULL; and which of
 * them is that of an example. */
const at_features *at_run_features(const at_run *r);
uint32_t at_run_sequence(const at_run *r, uint32_t example);

#endif
