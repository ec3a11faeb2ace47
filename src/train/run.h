/* A training run of a translator, from files to a model folder.
 *
 *     corpus -> split -> tokenizers -> numbers -> batches -> steps -> validations -> checkpoints
 *
 * In the folder beside the model (translator_folder.h):
 *
 *     training/last.safetensors    the run as it stands (checkpoint.h)
 *     training/metrics.jsonl       a line for each validation
 *     training/lock                held while a run works here
 *
 * model.safetensors is the best so far. No decision depends on the clock. */
#ifndef ATTEND_TRAIN_RUN_H
#define ATTEND_TRAIN_RUN_H

#include "base/option.h"
#include "data/encode.h"
#include "data/split.h"
#include "models/translator.h"
#include "train/checkpoint.h"
#include "train/translation.h"

typedef struct {
    const char *data, *src, *tgt, *valid, *valid_tgt, *test; /* files; valid may be a share */
    bool swap;
    const char *out;
    const char *tokenizer;
    int vocabulary, min_count;
    bool lower;
    int longest, when_long;
    int epochs, steps, batch, batch_tokens;
    double lr, clip, smoothing;
    const char *optimiser, *schedule;
    int accumulate, shards;
    int checkpoint_every, validate_every, patience, watch;
    bool resume, overwrite;
    const char *init_from;
    size_t seed;
} at_run_settings;

extern const at_option at_run_options[];

/* ---- what it says on the way --------------------------------------------------------------- */

typedef enum {
    ATTEND_RUN_SAYS,      /* text */
    ATTEND_RUN_STEP,      /* a step is done */
    ATTEND_RUN_VALIDATED, /* loss is the validation's; bleu too, where a judge gave it */
} at_run_kind;

typedef struct {
    at_run_kind kind;
    const char *text;
    int64_t step, steps; /* updates done, and of the whole run */
    double epoch;        /* 2.5: in the middle of the third */
    int epochs;
    double loss, norm, rate;
    double words; /* of targets in this step */
    double bleu;  /* or NAN */
    bool best;
} at_run_event;

/* Anything but 0 ends the run behind this step, with a checkpoint. */
typedef int at_run_report(void *user, const at_run_event *event);

typedef struct at_run at_run;

/* Translates the validation's sources and measures: train does not know how. */
typedef attend_status at_run_judge(void *user, at_run *run, double *bleu, attend_error *err);

typedef struct {
    at_run_report *report;
    at_run_judge *judge; /* or NULL */
    void *user;
} at_run_hooks;

/* Everything up to the first step. Strings of the settings are borrowed. */
attend_status at_run_new(const at_run_settings *settings, const at_translator *model,
                         const at_run_hooks *hooks, at_run **out, attend_error *err);

/* To the end; ATTEND_STOPPED where a report asked for it. */
attend_status at_run_go(at_run *r, attend_error *err);
void at_run_free(at_run *r); /* NULL is well */

/* ---- for the judge -------------------------------------------------------------------------- */

const at_seq2seq *at_run_model(const at_run *r);
at_params *at_run_params(const at_run *r);
const at_tokenizer *at_run_tokenizer(const at_run *r, int side); /* 0 source, 1 target */

/* the i-th pair of the validation: texts, and the numbers of its source; false beyond the last */
bool at_run_valid_at(const at_run *r, size_t i, at_example *texts, at_item_view *numbers);

#endif
