/* Tensors in files: the safetensors format of Hugging Face.
 *
 *     8 bytes    length N of the header, little-endian
 *     N bytes    JSON, padded with spaces:
 *                {"__metadata__": {"key": "text", ...},
 *                 "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
 *     the rest   the numbers, row by row, little-endian; the tensors fill it completely, without
 *                overlaps and holes
 *
 * A file is untrusted: it is open only if all of this holds. Files written here have checksums of
 * the header and of every tensor (store/safetensors_checksum.h): a header is verified when the
 * file is opened, a tensor when it is first read. Files without checksums are read unverified. */
#ifndef ATTEND_STORE_SAFETENSORS_H
#define ATTEND_STORE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/real.h"
#include "tensor/shape.h"

/* name, bytes of an element */
#define ATTEND_DTYPE_LIST(X) \
    X(F64, 8)                \
    X(F32, 4)                \
    X(F16, 2)                \
    X(BF16, 2)               \
    X(I64, 8)                \
    X(I32, 4)                \
    X(I16, 2)                \
    X(I8, 1)                 \
    X(U64, 8)                \
    X(U32, 4)                \
    X(U16, 2)                \
    X(U8, 1)                 \
    X(BOOL, 1)

typedef enum {
#define X(name, size) ATTEND_DTYPE_##name,
    ATTEND_DTYPE_LIST(X)
#undef X
        ATTEND_DTYPES
} at_dtype;

const char *at_dtype_name(at_dtype dtype); /* "F32" */
size_t at_dtype_size(at_dtype dtype);
bool at_dtype_is_float(at_dtype dtype);

enum {
    ATTEND_STORED_RANK = 8,
    ATTEND_HEADER_LIMIT = 100 * 1000 * 1000, /* bytes: that of the format's own library */
};

/* elements and bytes of a tensor of sizes >= 0; false when they do not fit */
bool at_dtype_measure(at_dtype dtype, int rank, const int64_t *dim, size_t *len, size_t *bytes);

typedef struct {
    char text[80];
} at_sizes;

at_sizes at_sizes_print(int rank, const int64_t *dim); /* "(2, 3)" */

/* Fails with "file: tensor 'name' message"; the message ends with the remedy. */
attend_status at_tensor_error(attend_error *err, attend_status status, const char *file,
                              const char *tensor, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* a tensor in an open file */
typedef struct {
    const char *name;
    at_dtype dtype;
    int rank;
    int64_t dim[ATTEND_STORED_RANK];
    size_t len;       /* elements */
    size_t bytes;     /* of data */
    const void *data; /* as in the file; need not be aligned */
    int place;        /* in the header */
} at_stored;

/* false when it has more than four dimensions, or too large ones, for a tensor of ours */
bool at_stored_shape(const at_stored *t, at_shape *shape);

typedef struct {
    const char *key, *value;
} at_metadata;

/* ---- reading --------------------------------------------------------------------------- */

typedef struct at_safetensors at_safetensors;

/* Maps the file; what the functions below return is borrowed until close. */
attend_status at_safetensors_open(const char *path, at_safetensors **out, attend_error *err);

/* The same from memory, which is borrowed until close; name stands for it in messages. */
attend_status at_safetensors_open_memory(const char *name, const void *bytes, size_t size,
                                         at_safetensors **out, attend_error *err);
void at_safetensors_close(at_safetensors *s); /* NULL is well */

/* the tensors in the order of their data, the metadata, without checksums, in that of the header */
int at_safetensors_count(const at_safetensors *s);
const at_stored *at_safetensors_at(const at_safetensors *s, int index);
int at_safetensors_metadata_count(const at_safetensors *s);
at_metadata at_safetensors_metadata_at(const at_safetensors *s, int index);

const at_stored *at_safetensors_find(const at_safetensors *s, const char *name); /* or NULL */
const char *at_safetensors_metadata(const at_safetensors *s, const char *key);   /* or NULL */

/* The tensor of this name, which must be there and have this shape. */
attend_status at_safetensors_need(const at_safetensors *s, const char *name, at_shape shape,
                                  const at_stored **out, attend_error *err);

/* Fails unless a tensor matches its checksum. t may be any part of a tensor: all of the tensor is
 * verified, once; later calls cost a search. Does not allocate; any number of threads may call it
 * at once. The functions that read numbers call it; callers that use t->data themselves must.
 * s may be NULL where t is not of a file. */
attend_status at_safetensors_verify(const at_safetensors *s, const at_stored *t, attend_error *err);
attend_status at_safetensors_verify_all(const at_safetensors *s, attend_error *err);
bool at_safetensors_has_checksums(const at_safetensors *s);

/* Fails where the file was written to since it was opened: what is mapped is neither the old file
 * nor the new one then. */
attend_status at_safetensors_check_unchanged(const at_safetensors *s, attend_error *err);

/* All t->len numbers. Shorter floats are widened exactly, F64 is rounded to the nearest; whole
 * numbers must be ones that `real` has. */
attend_status at_safetensors_read(const at_safetensors *s, const at_stored *t, real *out,
                                  attend_error *err);

/* The same of weights: a number that is not finite is an error. */
attend_status at_safetensors_read_weights(const at_safetensors *s, const at_stored *t, real *out,
                                          attend_error *err);

/* Fails where a number of a tensor of floats is not finite. */
attend_status at_safetensors_check_finite(const at_safetensors *s, const at_stored *t,
                                          attend_error *err);

/* The same of whole numbers and BOOL (0 and 1); refuses floats. */
attend_status at_safetensors_read_int(const at_safetensors *s, const at_stored *t, int64_t *out,
                                      attend_error *err);

/* ---- writing --------------------------------------------------------------------------- */

/* a tensor to be written: from data as it is, or from values */
typedef struct {
    const char *name;
    at_dtype dtype;
    int rank;
    int64_t dim[ATTEND_STORED_RANK];
    const void *data;   /* elements of dtype */
    const real *values; /* or numbers, rounded to the nearest of a dtype that is a float */
} at_to_store;

at_to_store at_store_values(const char *name, at_dtype dtype, at_shape shape, const real *values);
at_to_store at_store_data(const char *name, at_dtype dtype, at_shape shape, const void *data);
at_to_store at_store_again(const at_stored *t); /* as it was read */

/* Writes a file with its checksums, atomically. The longest elements come first, so that all are
 * aligned; else the order is kept. The same arguments make the same bytes, and so do those of a
 * file that was written by this. */
attend_status at_safetensors_save(const char *path, const at_to_store *tensors, int count,
                                  const at_metadata *metadata, int metadata_count,
                                  attend_error *err);

#endif
