/* A model of kind pooling as one safetensors file:
 *
 *     x [N,C], y [N]            the points, F64
 *     weight [C], or [1]        w, where it is learned, F64
 *     notes                     model_type "pooling", attention, kernel, width, data (the tensors
 *                               that are not parameters), names (of the columns, a JSON list) */
#ifndef ATTEND_STORE_POOLING_FILE_H
#define ATTEND_STORE_POOLING_FILE_H

#include "models/model.h"

/* Is it a file with the model_type of this kind? */
bool at_pooling_file_is(const char *path);

/* Opens a model; release it with at_model_free. */
attend_status at_pooling_file_open(const char *path, at_model **out, attend_error *err);

/* Writes a model, completely or not at all. */
attend_status at_pooling_file_save(const at_model *m, const char *path, attend_error *err);

#endif
