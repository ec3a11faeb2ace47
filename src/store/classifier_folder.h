/* A classifier as a folder (model_folder.h): config.json has its classes as id2label, tokenizer/
 * its words. */
#ifndef ATTEND_STORE_CLASSIFIER_FOLDER_H
#define ATTEND_STORE_CLASSIFIER_FOLDER_H

#include "models/classifier.h"
#include "text/tokenizer.h"

typedef struct {
    at_classifier_settings settings;
    at_classifier model;
    at_params *params;
    at_tokenizer *tokenizer;
    at_vocab *labels; /* numbers of classes and their names */
    at_arena strings; /* what the settings point to */
} at_classifier_folder;

/* Everything but the weights; the folder is made where it is missing. */
attend_status at_classifier_folder_save(const char *folder, const at_classifier_folder *f,
                                        attend_error *err);

/* Everything but the weights: params is an empty set. at_classifier_folder_free it, on failure too.
 */
attend_status at_classifier_folder_open(const char *folder, at_classifier_folder *f,
                                        attend_error *err);

/* And the weights, of the folder's model.safetensors. No others can be added. */
attend_status at_classifier_folder_weights(at_classifier_folder *f, const char *folder,
                                           attend_error *err);
void at_classifier_folder_free(at_classifier_folder *f);

#endif
