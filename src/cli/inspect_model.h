/* A model's folder: its settings, vocabularies, parts, files, and how training went. */
#ifndef ATTEND_CLI_INSPECT_MODEL_H
#define ATTEND_CLI_INSPECT_MODEL_H

#include "base/json_write.h"
#include "cli/cli.h"

/* Is it a folder with a config.json? */
bool at_inspect_is_model(const char *path);

/* Appends lines "name  value", and an empty one. */
attend_status at_inspect_model(at_str *out, at_cli *cli, const char *folder,
                               const attend_tensors *tensors, attend_error *err);

/* Adds members to the object that is open, each on its own line. */
attend_status at_inspect_model_json(at_json_out *j, const char *folder,
                                    const attend_tensors *tensors, attend_error *err);

/* The same of a folder of the hub alone: what it is, its memory and tokenizer, the commands that
 * take it, and keys without effect. j NULL: rows of text. */
attend_status at_inspect_hub(at_str *out, at_json_out *j, int columns, const char *folder,
                             attend_error *err);

#endif
