/* Inside a training run: its parts, for the files run_*.c and for jobs. */
#ifndef ATTEND_TRAIN_RUN_PARTS_H
#define ATTEND_TRAIN_RUN_PARTS_H

#include "train/checkpoint.h"
#include "train/run.h"

/* the sources of a corpus, where they are feature vectors */
typedef struct {
    at_features *file;           /* NULL: they are texts */
    uint32_t *sequence, *frames; /* of each example */
    uint64_t print;              /* of all of the file */
} at_frames;

struct at_run {
    at_run_settings settings;
    at_run_hooks hooks;
    const at_job *job;
    const at_model_kind *kind;      /* of the model */
    void *task;                     /* the job's own */
    at_model *model;                /* that is trained */
    at_params *params;              /* the model's */
    at_corpus *corpus, *valid;      /* valid: of its own file, or NULL: a part of corpus */
    at_frames frames[2];            /* of corpus and valid */
    unsigned char *part;            /* of each example of corpus */
    at_encoded *numbers[2];         /* to train on, to validate with; by the job */
    at_encoded_supply sentences[2]; /* of these */
    at_supply supply[2];            /* by the job; the sentences, where at_run_encode made it */
    int valid_batch;                /* of a validation; 64 unless the job says otherwise */
    at_batches *batches;
    at_arena memory;  /* of one batch */
    at_shards shards; /* of the batch; by the job */
    double asked;     /* what its loss is the mean of */
    at_trainer *trainer;
    at_tape *tape; /* of validations */
    at_standing standing;
    bool validating;   /* batches are those of the validation */
    int64_t steps;     /* of the whole run */
    int64_t saved;     /* updates of the last checkpoint; 0: none yet */
    double validation; /* what a validation's loss is the mean of, about */
    bool tests;        /* some examples are left out for a test */
    int answer;        /* what the caller wants behind this step: see at_run_report */
    bool again;        /* it goes on, but from update 0: there was no checkpoint */
    int lock;
};

/* Reports an event, or a line of text. */
void at_run_tell(at_run *r, at_run_event e);
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

/* The loss, what follows from it, and what the judge finds. */
attend_status at_run_measure(at_run *r, at_metrics *m, attend_error *err);

/* The metric that decides which model is the best; the loss where nobody judges. */
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

/* ---- what can be refused before data is read: run_check.c ---------------------------------- */

/* The folder, the values of the settings, the files they name. A run to go on with that has no
 * checkpoint yet becomes one that begins again. */
attend_status at_run_check(at_run *r, const void *model, attend_error *err);
bool at_run_has(const at_run *r, const char *name); /* is it in the folder? */

/* Refuses a folder with a model, or with files that a new run would remove, unless it may. */
attend_status at_run_check_taken(const at_run *r, attend_error *err);

/* What a run leaves in its folder beside config.json, which comes first: names, up to a NULL; the
 * last one is what the run was told. */
extern const char *const at_run_leaves[];

/* ---- what comes before the first step: run_prepare.c --------------------------------------- */

/* Everything up to the first step of a fresh run. */
attend_status at_run_prepare(at_run *r, const void *model, attend_error *err);

/* Takes the folder for this run alone. */
attend_status at_run_lock(at_run *r, attend_error *err);

/* Removes what an earlier run left in the folder: it would be taken for this one's. */
attend_status at_run_clear(at_run *r, attend_error *err);

/* To where the checkpoint in the folder stands. */
attend_status at_run_go_on(at_run *r, attend_error *err);

/* Says how much memory it will take; makes the parameters where there are none yet. */
attend_status at_run_estimate(at_run *r, attend_error *err); /* run_estimate.c */

/* ---- the data: run_data.c ------------------------------------------------------------------ */

/* Reads the corpora and splits them. */
attend_status at_run_read(at_run *r, attend_error *err);

/* Keeps the examples that were left out for a test in training/test.tsv, plain text in test.txt. */
attend_status at_run_save_test(at_run *r, attend_error *err);

/* ---- sources that are feature vectors: run_features.c -------------------------------------- */

bool at_run_is_features(const at_run *r); /* are they? */

/* Refuses what makes no sense with them. */
attend_status at_run_check_features(const at_run *r, attend_error *err);

/* A file of them and one of lines as a corpus; which: 0 to train on, 1 to validate with. */
attend_status at_run_load_features(at_run *r, int which, const char *path, const char *lines,
                                   at_corpus **out, attend_error *err);
void at_frames_free(at_frames *f);

/* Reads all files once, and notes what they are known by; mean and spread of what is trained on,
 * unless they are NULL. */
attend_status at_run_scan(at_run *r, double *mean, double *spread, attend_error *err);

/* Those of the examples to train on, or to validate with. */
const at_frames *at_run_frames(const at_run *r, bool validating);

/* The features [B,T,width] of a batch, in the run's memory. */
attend_status at_run_take_features(at_run *r, const at_batch *batch, const real **out,
                                   attend_error *err);

/* Keeps what was left out for a test in training/test.safetensors and test.txt. */
attend_status at_run_save_test_features(at_run *r, attend_error *err);

/* ---- texts as numbers: run_data.c ---------------------------------------------------------- */

/* A tokenizer from the texts to train on, or one that is named by its folder or file. preset: the
 * model's, which may have a number of words of its own. */
attend_status at_run_learn(at_run *r, bool sources, bool targets, const char *preset,
                           at_tokenizer **out, attend_error *err);

/* Both corpora as numbers and supplies. The settings decide what is too long; options say the rest,
 * in longest_source what the model can read of a source (0: any number); part and wanted are not
 * read. */
attend_status at_run_encode(at_run *r, const at_encode_options *options, attend_error *err);

/* Makes the vectors of the source's tokens, N(0, scale^2) or from the settings' file, unless they
 * come from another model. */
attend_status at_run_vectors(at_run *r, attend_error *err);

/* The preset of the model that is trained. */
const char *at_run_preset(const at_run *r);

#endif
