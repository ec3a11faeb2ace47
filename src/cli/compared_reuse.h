/* Whether runs in the folders of an earlier comparison can be used again. Files are known by their
 * contents, so that a folder may be moved; settings are those that the run was started with.
 *
 *     OUT/data.json         what OUT/data was split from
 *     OUT/NAME/data.json    what a mechanism was trained and tested on */
#ifndef ATTEND_CLI_COMPARED_REUSE_H
#define ATTEND_CLI_COMPARED_REUSE_H

#include "base/json.h"
#include "cli/cli.h"

/* Contents of a file as 16 digits and a zero; all zeros for one that cannot be read twice. */
attend_status at_file_print(char print[17], const char *path, attend_error *err);

/* Files and shares by the names of their options; a NULL value is left out. json_decref it. */
attend_status at_compared_data(json_t **out, const attend_setting *parts, size_t count,
                               attend_error *err);

/* Fails, with a remedy, where the record at path is of other data; what names it in messages. */
attend_status at_compared_check_data(const json_t *now, const char *path, const char *what,
                                     attend_error *err);

/* The same of the settings of the run in a folder; text: those that are wanted, as YAML. */
attend_status at_compared_check_settings(const char *text, const char *folder, const char *what,
                                         attend_error *err);

#endif
