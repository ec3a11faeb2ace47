/* The configuration of a training run, from four places; later ones override earlier ones:
 *
 *     the preset, and the defaults
 *     training/settings.yaml    of a run that is resumed ("resume")
 *     a configuration file      ("config")
 *     the caller's settings
 *
 * A setting is one of every run, of its task, or of its model; another one is refused with the task
 * that has it. A resumed run must be the same run: changes that would make it another one are
 * refused. The model that a run starts from ("init-from") may get other settings, as long as its
 * weights fit them: soft attention becomes hard, dropout changes. Where the caller names another
 * preset than the file, settings of the file that are its own preset's do not count. */
#ifndef ATTEND_TRAIN_CONFIG_H
#define ATTEND_TRAIN_CONFIG_H

#include "attend.h"
#include "base/config.h"
#include "models/preset.h"
#include "train/run.h"

enum { ATTEND_CONFIG_SETS = ATTEND_TASK_TABLES + 3 };

struct at_train_config {
    const attend_setting *settings; /* the caller's */
    size_t count;
    at_config file, stored;
    const at_preset *preset;
    const at_task *task;
    at_run_settings run;
    void *own;                              /* settings of the task, */
    void *model;                            /* and of the model */
    at_option_set sets[ATTEND_CONFIG_SETS]; /* all of these; those of the model are the last */
    int n_sets;
    bool from_model;  /* the model is that of "init-from", */
    at_arena strings; /* which these are of */
    at_str changes;   /* permitted differences from before: "epochs is 20, was 10" */
};

/* Reads everything. settings are borrowed, for as long as the configuration is used; release it
 * with at_train_config_free, on failure too. */
attend_status at_train_config_read(at_train_config *c, const attend_setting *settings, size_t count,
                                   attend_error *err);
void at_train_config_free(at_train_config *c);

/* All of it as a configuration file, which gives the same run. */
void at_train_config_print(const at_train_config *c, at_str *out);

/* Saves it in the run's folder for "resume"; names of files are absolute, as the run may be resumed
 * from elsewhere. */
attend_status at_train_config_save(const at_train_config *c, attend_error *err);

/* The index-th of all options: those of every run, of the tasks, of the kinds of models; NULL after
 * the last. */
const at_option *at_train_config_option(int index);

#endif
