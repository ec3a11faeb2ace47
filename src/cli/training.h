/* The options, the run and the progress of the commands that train. */
#ifndef ATTEND_CLI_TRAINING_H
#define ATTEND_CLI_TRAINING_H

#include "cli/cli.h"

enum { ATTEND_TRAINING_OPTIONS = 160 };

/* values as they were given; NULL: the preset decides */
typedef struct {
    const char *value[ATTEND_TRAINING_OPTIONS];
    bool dump_config;
} at_training;

/* The settings of a training run, as the library lists them: at_training_prepare makes the table.
 */
extern at_option at_training_options[];
void at_training_prepare(void);

/* Trains. command: its name, for messages; more: a setting beside those of the command line, or
 * NULL. */
attend_status at_training_run(at_cli *cli, const char *command, const attend_setting *more,
                              const at_training *given, attend_error *err);

#endif
