/* config.json of a model folder: the settings under their names, with '_' for '-', under the
 * model_type of the kind, and what the kind adds. */
#ifndef ATTEND_STORE_MODEL_CONFIG_H
#define ATTEND_STORE_MODEL_CONFIG_H

#include "base/json.h"
#include "models/model.h"

/* Writes the settings, and more members, whose reference is taken (NULL: none). */
attend_status at_model_config_save(const char *folder, const at_model_kind *kind, void *settings,
                                   json_t *more, attend_error *err);

/* The file; release *json with json_decref. */
attend_status at_model_config_load(const char *folder, json_t **json, attend_error *err);

/* The kind of the model, of those that attend writes. */
attend_status at_model_config_kind(const char *folder, const json_t *json,
                                   const at_model_kind **kind, attend_error *err);

/* Every setting of the file. Refuses a key that is missing, and an unknown one. Strings are copied
 * into the arena. */
attend_status at_model_config_settings(const char *folder, const at_model_kind *kind, json_t *json,
                                       void *settings, at_arena *strings, attend_error *err);

/* Settings of a config.json that make no model are errors of that file: with its name. Other errors
 * stay as they are. */
attend_status at_model_config_error(const char *folder, attend_status status, attend_error *err);

/* The value of a setting; NULL without memory. */
json_t *at_config_value(const at_option *o, const void *fields);

/* id2label, {"0": "negative", "1": "positive"}; NULL without memory. */
json_t *at_config_labels(const at_vocab *labels);

/* Lists of numbers: made, NULL without memory; and those of a name read into `to`, at most `max`,
 * all finite and above `above`: how many, or 0 where they make no sense. */
json_t *at_config_numbers_json(const double *value, int n);
int at_config_numbers(const json_t *json, const char *name, int max, double above, double *to);

#endif
