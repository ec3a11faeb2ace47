/* A training run, from files to a model folder: data, a model, and a task (task.h), which is what
 * is learned.
 *
 *     corpus -> split -> tokenizers -> ids -> batches -> steps -> validations -> checkpoints
 *
 * In the folder, beside the model's own files:
 *
 *     training/settings.yaml       the settings, for --resume (config.h)
 *     training/last.safetensors    the checkpoint (checkpoint.h)
 *     training/step-N.safetensors  weights of the last validations, where they are retained
 *     training/average.safetensors the mean of these, where it is asked for
 *     training/test.tsv            the examples left out for a test, sources first
 *     training/test.txt            the same of text
 *     training/metrics.jsonl       a line for each validation
 *     training/lock                held while a run works here
 *
 * model.safetensors is the best so far. No decision depends on the clock. */
#ifndef ATTEND_TRAIN_RUN_H
#define ATTEND_TRAIN_RUN_H

#include "base/option.h"
#include "train/task.h"

/* the settings of every run, and those that some tasks share */
struct at_run_settings {
    /* files; valid may be a share, or NULL: the usual one */
    const char *data, *src, *tgt, *valid, *test;
    const char *format, *text, *second, *label; /* of these files: as of at_read_options */
    int header, encoding;
    const char *task;            /* its name; NULL: the first that fits the model */
    const char *init_embeddings; /* at_text_options, up to smoothing */
    const char *tokenizer;
    int vocabulary, min_count;
    bool lower;
    int pretokenised; /* 0 looks at the text, 1 no, 2 yes */
    double label_smoothing;
    int max_length, when_long; /* at_length_options */
    const char *out;
    int epochs, steps, batch, batch_tokens;
    double mix_lengths;
    double lr, clip, layer_decay;
    int freeze_layers; /* -1: none, 0: the embeddings, N: these and the first N layers */
    const char *optimizer, *schedule;
    int accumulate, shards;
    int checkpoint_every, validate_every, patience;
    int keep, average; /* weights of that many validations */
    int curves;        /* the figure's format; drawn by the caller */
    const char *watch; /* a metric; NULL: the task's first */
    bool resume, overwrite;
    const char *init_from;
    size_t seed;
    int threads;        /* 0: as they are */
    const char *config; /* a file of settings, read by config.c */
    bool pretrain;      /* only tasks that pre-train */
    int show;           /* at_pretrain_options: examples to show before the first step */
};

extern const at_option at_run_options[];      /* of every task */
extern const at_option at_text_options[];     /* of tasks that tokenize text */
extern const at_option at_length_options[];   /* of tasks that limit its length */
extern const at_option at_pretrain_options[]; /* of tasks that pre-train on text */

typedef struct {
    attend_train_function *report; /* or NULL */
    void (*saved)(void *user);     /* after the checkpoint of a validation; or NULL */
    void *user;
} at_run_hooks;

typedef struct at_train_config at_train_config;

/* What can be refused without files and folders: at_run_new checks it, too. */
attend_status at_run_check_values(const at_train_config *config, attend_error *err);

/* Everything up to the first step. The configuration is borrowed. */
attend_status at_run_new(const at_train_config *config, const at_run_hooks *hooks, at_run **out,
                         attend_error *err);

/* To the end; ATTEND_STOPPED where a report asked for it. */
attend_status at_run_go(at_run *r, attend_error *err);
void at_run_free(at_run *r); /* may be NULL */

#endif
