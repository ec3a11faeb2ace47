/* A model's folder without what only training needs, as a folder of its own. */
#ifndef ATTEND_STORE_MODEL_COPY_H
#define ATTEND_STORE_MODEL_COPY_H

#include "base/error.h"

/* Copies settings and tokenizers: all files of the folder and of the folders in it, but weights
 * (*.safetensors) and training/. out is made where it is missing. Files are written whole or not at
 * all. */
attend_status at_model_copy(const char *folder, const char *out, attend_error *err);

#endif
