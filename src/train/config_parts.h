/* The parts of reading a configuration: config.c, config_options.c, config_start.c,
 * config_resume.c. */
#ifndef ATTEND_TRAIN_CONFIG_PARTS_H
#define ATTEND_TRAIN_CONFIG_PARTS_H

#include "train/config.h"

/* The caller's last value of a setting, or NULL; and the caller's, else the file's. */
const char *at_train_config_given(const at_train_config *c, const char *name);
const char *at_train_config_value(const at_train_config *c, const char *name);
bool at_train_config_resumes(const at_train_config *c);

/* Is it an option of every run, of any task or of any kind of model? */
bool at_train_config_knows(const char *name);

/* Is it the default of the option of that name? No value is. */
bool at_train_config_is_default(const char *name, const char *value);

/* The first task that has an option of that name, or NULL. */
const at_task *at_train_config_owner(const char *name);

/* Chooses preset, task and model settings: a preset, that of a file or of the run that is resumed,
 * or the model that a new run starts from; sets c->sets, with defaults. Settings of the file that
 * are its own preset's are taken out of it where the caller names another one. */
attend_status at_train_config_start(at_train_config *c, attend_error *err);

/* Takes settings of other tasks out of a file where they have their defaults: such a file is one of
 * all settings. Others are refused. */
attend_status at_train_config_drop_foreign(const at_train_config *c, at_config *file,
                                           attend_error *err);

/* Refuses settings that the caller gives and that would change nothing. */
attend_status at_train_config_refuse_unused(const at_train_config *c, attend_error *err);

/* Are all settings in the stored file, and is it whole? */
attend_status at_train_config_check_stored(const at_train_config *c, attend_error *err);

/* Compares with the settings before, sets as c->sets: what differs is refused, or, where it may, is
 * added to c->changes. */
attend_status at_train_config_compare(at_train_config *c, const at_option_set *before,
                                      attend_error *err);

/* Is the value of this option the name of a file? */
bool at_train_config_is_path(const at_option *o, const char *value);

/* The absolute path, where the file exists; buffer has PATH_MAX bytes. */
const char *at_train_config_absolute(const char *path, char *buffer);

#define ATTEND_TRAIN_SETTINGS "training/settings.yaml"

#endif
