/* What a training run is told, from four places, later ones stronger:
 *
 *     the preset, and the defaults
 *     training/settings.yaml    where a run goes on ("resume"): what it was told before
 *     a configuration file      ("config")
 *     the caller's settings
 *
 * A run that goes on must be the same run: what would make another one of it is refused. The model
 * that a run starts from ("init-from") may get other settings, as long as its weights fit them:
 * soft attention becomes hard, dropout another one. Where the caller names another preset than the
 * file, the file's settings that are those of its own preset do not count. */
#ifndef ATTEND_API_RECIPE_H
#define ATTEND_API_RECIPE_H

#include "attend.h"
#include "base/config.h"
#include "models/preset.h"
#include "train/run.h"

typedef struct {
    const attend_setting *settings; /* the caller's */
    size_t count;
    at_config file, stored;
    const at_preset *preset;
    at_run_settings run;
    void *model;      /* settings of the preset's family */
    bool begun;       /* the model is that of "init-from", */
    at_arena strings; /* which these are of */
    at_str changes;   /* what differs from before and may: "epochs is 20, was 10" */
} at_recipe;

/* settings are borrowed, for as long as the recipe is used; at_recipe_free it, on failure too. */
attend_status at_recipe_read(at_recipe *r, const attend_setting *settings, size_t count,
                             attend_error *err);
void at_recipe_free(at_recipe *r);

/* All of it as a configuration file, which gives the same run. */
void at_recipe_print(const at_recipe *r, at_str *out);

/* Keeps it in the run's folder for "resume"; names of files from the root on, as the run may go on
 * from elsewhere. */
attend_status at_recipe_save(const at_recipe *r, attend_error *err);

/* Is it a setting of the run or of any family of models? */
bool at_recipe_knows(const char *name);

/* The index-th of all settings: the run's, then those of each family; NULL beyond the last. */
const at_option *at_recipe_option(int index);

#endif
