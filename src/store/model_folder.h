/* What the folders of all models have, as on the Hugging Face hub:
 *
 *     config.json            the settings under their names, with '_' for '-'
 *     model.safetensors      the weights
 *
 * and tokenizers in folders of their own. Files are written whole or not at all. */
#ifndef ATTEND_STORE_MODEL_FOLDER_H
#define ATTEND_STORE_MODEL_FOLDER_H

#include "base/arena.h"
#include "base/json.h"
#include "base/option.h"
#include "grad/params.h"
#include "grad/tape.h"
#include "text/tokenizer.h"

/* Writes the settings under model_type, and more members, which are taken over (NULL: none). */
attend_status at_model_config_save(const char *folder, const char *type, at_option_set settings,
                                   json_t *more, attend_error *err);

/* Every setting, those that are missing as their defaults; keys that are none are other programs'.
 * Refuses another model_type. Strings are copied into the arena. *json, unless it is NULL, receives
 * the file; json_decref it. */
attend_status at_model_config_load(const char *folder, const char *type, at_option_set settings,
                                   at_arena *strings, json_t **json, attend_error *err);

/* Settings of a config.json that make no model are errors of that file: with its name. Other errors
 * stay as they are. */
attend_status at_model_config_error(const char *folder, attend_status status, attend_error *err);

/* Lists of numbers in a config.json: made, NULL without memory; and those of a name read into `to`,
 * at most so many, all finite and above `above`: how many, or 0 where they make no sense. */
json_t *at_model_numbers_json(const double *value, int n);
int at_model_numbers(const json_t *json, const char *name, int most, double above, double *to);

/* A tokenizer as folder/name. */
attend_status at_model_tokenizer_save(const char *folder, const char *name, const at_tokenizer *t,
                                      attend_error *err);
void at_model_tokenizer_forget(const char *folder, const char *name);
attend_status at_model_tokenizer_open(const char *folder, const char *name, at_tokenizer **out,
                                      attend_error *err);

/* Runs a model once, on the least that it reads, so that all of its weights take part. */
typedef void at_model_trial(at_tape *t, const void *model);

/* The weights from a file, NULL: the folder's own, borrowed (at_weights_borrow) and shared; no
 * others can be added afterwards. Fails where they are not those of the model: in a trial that
 * computes nothing, all shapes must be right, and every weight used. */
attend_status at_model_weights(const char *folder, const char *file, at_params *params,
                               at_model_trial *trial, const void *model, attend_error *err);

#endif
