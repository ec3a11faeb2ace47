/* A translator as a folder, as on the Hugging Face hub:
 *
 *     config.json            the settings of the model
 *     model.safetensors      its weights
 *     source/, target/       the tokenizers; tokenizer/ where both sides have one
 *
 * Where the source is feature vectors, there is no source/, and config.json has source_features,
 * the numbers of a frame, and how they are scaled: feature_mean and feature_spread.
 *
 * Files are written whole or not at all. */
#ifndef ATTEND_STORE_TRANSLATOR_FOLDER_H
#define ATTEND_STORE_TRANSLATOR_FOLDER_H

#include "models/translator.h"
#include "text/copying.h"
#include "text/tokenizer.h"

typedef struct {
    at_translator settings;
    at_seq2seq model;
    at_params *params;
    at_tokenizer *source, *target; /* the same one where they share it; source NULL: features */
    at_copying *copying;           /* of these, where the output is copy; else NULL */
    int features;                  /* numbers of a frame; 0: the source is text */
    double *mean, *spread;         /* [features], in the arena; NULL: they are not scaled */
    at_arena strings;              /* what the settings point to */
} at_translator_folder;

/* Everything but the weights; the folder is made where it is missing. */
attend_status at_translator_folder_save(const char *folder, const at_translator_folder *f,
                                        attend_error *err);

/* The model of settings, tokenizers and features that are there. */
attend_status at_translator_folder_describe(at_translator_folder *f, attend_error *err);

/* "text", or "feature vectors of 16 numbers": what such a width says */
typedef struct {
    char text[60];
} at_source_name;

at_source_name at_source_kind(int features);

/* Room for mean and spread. */
attend_status at_translator_folder_scaling(at_translator_folder *f, attend_error *err);

/* Settings and tokenizers, without weights: params is an empty set. at_translator_folder_free it,
 * on failure too. */
attend_status at_translator_folder_open(const char *folder, at_translator_folder *f,
                                        attend_error *err);

/* And the weights, from a file, NULL: the folder's model.safetensors. No others can be added. */
attend_status at_translator_folder_weights(at_translator_folder *f, const char *folder,
                                           const char *file, attend_error *err);
void at_translator_folder_free(at_translator_folder *f);

#endif
