/* The parts of the task "translate", for its files: task_translate.c, translate_features.c,
 * translate_validate.c. */
#ifndef ATTEND_TRAIN_TASK_TRANSLATE_H
#define ATTEND_TRAIN_TASK_TRANSLATE_H

#include "store/features.h"
#include "train/guided_alignment.h"
#include "train/run_parts.h"
#include "train/translate_loss.h"

typedef struct {
    bool swap;             /* sources are the second side of the data */
    const char *valid_tgt; /* targets of --valid, or NULL */
    int max_frames;        /* 0: any number */
    double teacher_forcing;
    const char *guided_alignment; /* a file of alignments, or NULL */
    double guided_weight;
    int guided_layer, guided_head; /* that follow it; -1: the last; the mean over all */
} at_translate_settings;

/* the sources of a corpus, where they are feature vectors */
typedef struct {
    at_features *file;           /* NULL: they are texts */
    uint32_t *sequence, *frames; /* of each example */
    uint64_t print;              /* of all of the file */
} at_frames;

typedef struct {
    at_translate_loss loss;
    at_guided_alignment *alignment; /* or NULL */
    at_baseline baseline;           /* of hard attention */
    at_frames frames[2];            /* of run->corpus and run->valid */
} at_translate_task;

static inline at_translate_task *at_translate_of(const at_run *r) { return r->task_state; }

static inline const at_translate_settings *at_translate_settings_of(const at_run *r)
{
    return r->task_settings;
}

/* ---- sources that are feature vectors: translate_features.c -------------------------------- */

/* Refuses what makes no sense with them. */
attend_status at_translate_check_features(const at_run *r, attend_error *err);

/* A file of them and one of lines as a corpus; which: 0 to train on, 1 to validate with. */
attend_status at_translate_load_features(at_run *r, int which, const char *path, const char *lines,
                                         at_corpus **out, attend_error *err);
void at_frames_free(at_frames *f);

/* Reads all files once, and notes what they are known by; mean and spread of what is trained on,
 * unless they are NULL. */
attend_status at_translate_scan(at_run *r, double *mean, double *spread, attend_error *err);

/* Those of the examples to train on, or to validate with. */
const at_frames *at_translate_frames(const at_run *r, bool validating);

/* The features [B,T,width] of a batch, in the run's memory. */
attend_status at_translate_take_features(at_run *r, const at_batch *batch, const real **out,
                                         attend_error *err);

/* Saves the examples left out for a test in training/test.safetensors and test.txt. */
attend_status at_translate_save_test(at_run *r, attend_error *err);

/* ---- metrics: translate_validate.c --------------------------------------------------------- */

/* BLEU of greedy translations; reports a few of them. */
attend_status at_translate_validate(at_run *r, at_metrics *metrics, attend_error *err);

#endif
