/* Vectors of texts as one table [count,width] of float, and files of them: NumPy's .npy, or
 * .safetensors with one tensor, "embeddings". */
#ifndef ATTEND_CLI_VECTOR_FILE_H
#define ATTEND_CLI_VECTOR_FILE_H

#include "cli/cli.h"

typedef struct {
    float *value; /* [room,width]; at_free it */
    size_t count, room;
    int width;
} at_vectors; /* starts as zeros */

attend_status at_vectors_add(at_vectors *v, const float *vector, int width, attend_error *err);

/* Is the end of the name one of .npy and .safetensors, and may the file be written? */
attend_status at_vector_file_check(const char *path, bool overwrite, attend_error *err);
attend_status at_vector_file_save(const at_vectors *v, const char *path, attend_error *err);

/* Appends the cosines of all vectors of a with all of b: a line for each of a, a tab between. */
void at_vectors_similarity(const at_vectors *a, const at_vectors *b, at_str *out);

#endif
