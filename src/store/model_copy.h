/* A model's folder without what only training needs, as a folder of its own. */
#ifndef ATTEND_STORE_MODEL_COPY_H
#define ATTEND_STORE_MODEL_COPY_H

#include "base/error.h"

/* Copies config.json and the tokenizers in tokenizer/, source/ and target/, by the names that their
 * files can have; nothing else that lies there. out is made where it is missing. Files are written
 * whole or not at all. */
attend_status at_model_copy(const char *folder, const char *out, attend_error *err);

#endif
