/* A model's folder: its settings, vocabularies, parts, files, and how training went. */
#ifndef ATTEND_CLI_INSPECT_MODEL_H
#define ATTEND_CLI_INSPECT_MODEL_H

#include "cli/cli.h"

/* Is it a folder with a config.json? */
bool at_inspect_is_model(const char *path);

/* Appends lines "name  value", or members of a JSON object, each with ",\n" behind it. */
attend_status at_inspect_model(at_str *out, at_cli *cli, const char *folder,
                               const attend_tensors *tensors, bool json, attend_error *err);

#endif
