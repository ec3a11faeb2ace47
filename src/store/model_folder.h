/* A model as a folder: one of the Hugging Face hub (store/hub.h), or of our own, which has the same
 * files with other settings:
 *
 *     config.json            the settings (model_config.h)
 *     model.safetensors      the weights
 *     tokenizer/             or source/ and target/, where the sides have tokenizers of their own
 *
 * config.json also has the labels of a classifier as id2label; where sources are feature vectors,
 * source_features, feature_mean and feature_spread; of items item_mean and item_spread.
 *
 * A model of kind pooling is one file instead (pooling_file.h): at_model_open and
 * at_model_save take its path.
 *
 * Files are written whole or not at all. */
#ifndef ATTEND_STORE_MODEL_FOLDER_H
#define ATTEND_STORE_MODEL_FOLDER_H

#include "models/model.h"

enum { ATTEND_ITEM_WIDTH_MAX = 1024 }; /* numbers of an item to point to */

/* Opens a model of any kind, with its weights; release it with at_model_free. */
attend_status at_model_open(const char *folder, at_model **out, attend_error *err);

/* Everything but the weights: params is an empty set. */
attend_status at_model_open_unweighted(const char *folder, at_model **out, attend_error *err);

/* The weights from a file, NULL: the folder's own, borrowed (at_weights_borrow) and shared; no
 * others can be added afterwards. Fails where they are not those of the model: in a trial that
 * computes nothing, all shapes must be right, and every weight used. */
attend_status at_model_load_weights(at_model *m, const char *folder, const char *file,
                                    attend_error *err);

/* Everything but the weights of a folder, which is made where it is missing. */
attend_status at_model_save(const at_model *m, const char *folder, attend_error *err);

/* "text", or "feature vectors of 16 numbers": what a model of such a width reads */
typedef struct {
    char text[60];
} at_source_name;

at_source_name at_source_kind(int width);

#endif
