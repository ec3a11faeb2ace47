/* A language model as a folder (model_folder.h): tokenizer/ has its words. */
#ifndef ATTEND_STORE_LANGUAGE_FOLDER_H
#define ATTEND_STORE_LANGUAGE_FOLDER_H

#include "models/language.h"
#include "text/tokenizer.h"

typedef struct {
    at_language_settings settings;
    at_language model;
    at_params *params;
    at_tokenizer *tokenizer;
    at_arena strings; /* what the settings point to */
} at_language_folder;

/* Everything but the weights; the folder is made where it is missing. */
attend_status at_language_folder_save(const char *folder, const at_language_folder *f,
                                      attend_error *err);

/* Everything but the weights: params is an empty set. at_language_folder_free it, on failure too.
 */
attend_status at_language_folder_open(const char *folder, at_language_folder *f, attend_error *err);

/* And the weights, of the folder's model.safetensors. No others can be added. */
attend_status at_language_folder_weights(at_language_folder *f, const char *folder,
                                         attend_error *err);
void at_language_folder_free(at_language_folder *f);

#endif
