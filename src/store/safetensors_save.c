/* Writing safetensors: first the plan (order, offsets, checksums, header), then the file. The
 * header comes first in the file and holds the checksums, so numbers are converted twice: to sum
 * them up, and to write them. */
#include <string.h>

#include "base/file.h"
#include "base/half.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/str.h"
#include "store/safetensors.h"
#include "store/safetensors_checksum.h"

static at_to_store to_store(const char *name, at_dtype dtype, at_shape shape)
{
    at_to_store t = {.name = name, .dtype = dtype, .rank = shape.rank};
    for (int i = 0; i < shape.rank; i++)
        t.dim[i] = shape.dim[i];
    return t;
}

at_to_store at_store_values(const char *name, at_dtype dtype, at_shape shape, const real *values)
{
    at_to_store t = to_store(name, dtype, shape);
    t.values = values;
    return t;
}

at_to_store at_store_data(const char *name, at_dtype dtype, at_shape shape, const void *data)
{
    at_to_store t = to_store(name, dtype, shape);
    t.data = data;
    return t;
}

at_to_store at_store_again(const at_stored *stored)
{
    at_to_store t = {
        .name = stored->name, .dtype = stored->dtype, .rank = stored->rank, .data = stored->data};
    memcpy(t.dim, stored->dim, sizeof t.dim);
    return t;
}

/* what a file is made of, on its way */
typedef struct {
    const char *path;
    const at_to_store **tensors; /* in the order of their data */
    int count;
    json_t *header;
    at_str text; /* of the header */
    attend_error *err;
} plan;

static attend_status check_tensor(const plan *p, const at_to_store *t, size_t *len, size_t *bytes)
{
    if (!strcmp(t->name, "__metadata__"))
        return at_tensor_error(p->err, ATTEND_FORMAT, p->path, t->name,
                               "has a name that the format keeps for itself; use another one");
    if (t->values && !at_dtype_is_float(t->dtype))
        return at_tensor_error(p->err, ATTEND_FORMAT, p->path, t->name,
                               "is made of real numbers, which are not stored as %s; use F32",
                               at_dtype_name(t->dtype));
    bool possible = t->rank >= 0 && t->rank <= ATTEND_STORED_RANK;
    for (int i = 0; possible && i < t->rank; i++)
        possible = t->dim[i] >= 0;
    if (!possible || !at_dtype_measure(t->dtype, t->rank, t->dim, len, bytes))
        return at_tensor_error(p->err, ATTEND_SHAPE, p->path, t->name,
                               "has impossible sizes: %d dimensions, %s; correct them", t->rank,
                               at_sizes_print(possible ? t->rank : 0, t->dim).text);
    return ATTEND_OK;
}

/* The longest elements first: behind the aligned header every tensor is aligned then, although
 * the format allows no gaps between them. */
static attend_status order_tensors(plan *p, const at_to_store *tensors)
{
    size_t bytes;
    p->tensors = NULL;
    if (at_size_multiply((size_t)p->count, sizeof *p->tensors, &bytes))
        p->tensors = at_alloc(bytes);
    if (!p->tensors)
        return at_error_memory(p->err);
    int placed = 0;
    for (size_t size = 8; size; size /= 2)
        for (int i = 0; i < p->count; i++)
            if (at_dtype_size(tensors[i].dtype) == size)
                p->tensors[placed++] = &tensors[i];
    return ATTEND_OK;
}

static json_t *describe(const at_to_store *t, uint64_t begin, uint64_t end)
{
    json_t *shape = json_array();
    for (int i = 0; i < t->rank; i++)
        if (json_array_append_new(shape, json_integer(t->dim[i])) < 0) {
            json_decref(shape);
            return NULL;
        }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", at_dtype_name(t->dtype), "shape", shape,
                     "data_offsets", (json_int_t)begin, (json_int_t)end);
}

/* what a name or text that Jansson refused has to answer for */
static attend_status refused(const plan *p, const char *text)
{
    if (at_json_starved())
        return at_error_memory(p->err);
    return at_error(p->err, ATTEND_FORMAT, "%s: '%s' is not UTF-8; use another name",
                    at_show(p->path).text, at_show(text).text);
}

/* The checksums come first, so that that of the header has a fixed position; plan_checksums and
 * plan_text fill them in. */
static attend_status plan_metadata(plan *p, const at_metadata *metadata, int count)
{
    json_t *object = json_pack("{ssss}", ATTEND_CHECKSUM_HEADER, "0000000000000000",
                               ATTEND_CHECKSUM_TENSORS, "");
    if (!object || json_object_set_new(p->header, "__metadata__", object) < 0)
        return at_error_memory(p->err);
    for (int i = 0; i < count; i++) {
        const at_metadata *m = &metadata[i];
        if (json_object_get(object, m->key))
            return at_error(p->err, ATTEND_FORMAT, "%s: metadata '%s' is given twice; remove one",
                            at_show(p->path).text, at_show(m->key).text);
        json_t *value = json_string(m->value);
        if (!value)
            return refused(p, m->value);
        if (json_object_set_new(object, m->key, value) < 0)
            return refused(p, m->key);
    }
    return ATTEND_OK;
}

static attend_status plan_tensors(plan *p)
{
    uint64_t filled = 0;
    for (int i = 0; i < p->count; i++) {
        const at_to_store *t = p->tensors[i];
        size_t len, bytes;
        attend_status status = check_tensor(p, t, &len, &bytes);
        if (status < 0)
            return status;
        if (json_object_get(p->header, t->name))
            return at_tensor_error(p->err, ATTEND_FORMAT, p->path, t->name,
                                   "is given twice; give one of them another name");
        if (bytes > INT64_MAX - filled)
            return at_tensor_error(p->err, ATTEND_SHAPE, p->path, t->name,
                                   "makes the file larger than any disk; check the sizes");
        json_t *info = describe(t, filled, filled + bytes);
        if (!info)
            return at_error_memory(p->err);
        if (json_object_set_new(p->header, t->name, info) < 0)
            return refused(p, t->name);
        filled += bytes;
    }
    return ATTEND_OK;
}

/* n numbers as elements of dtype; returns their bytes */
static size_t narrow(at_dtype dtype, const real *in, size_t n, unsigned char *out)
{
#define EACH(type, value)                         \
    for (size_t i = 0; i < n; i++) {              \
        type x = (type)(value);                   \
        memcpy(out + i * sizeof x, &x, sizeof x); \
    }                                             \
    break
    switch (dtype) {
    case ATTEND_DTYPE_F64: EACH(double, in[i]);
    case ATTEND_DTYPE_F32: EACH(float, in[i]);
    case ATTEND_DTYPE_F16: EACH(uint16_t, at_half_from_double((double)in[i]));
    case ATTEND_DTYPE_BF16: EACH(uint16_t, at_bfloat_from_double((double)in[i]));
    default: break;
    }
#undef EACH
    return n * at_dtype_size(dtype);
}

/* takes the next bytes of a tensor; false: no more are wanted */
typedef bool taker(void *to, const void *bytes, size_t size);

static void each_part(const at_to_store *t, taker *take, void *to)
{
    enum { PART = 1024 };
    unsigned char part[PART * 8];
    size_t len, bytes;
    at_dtype_measure(t->dtype, t->rank, t->dim, &len, &bytes);
    if (!t->values)
        take(to, t->data, bytes);
    for (size_t i = 0; t->values && i < len; i += PART) {
        size_t n = len - i < PART ? len - i : PART;
        if (!take(to, part, narrow(t->dtype, t->values + i, n, part)))
            return;
    }
}

static bool sum_up(void *c, const void *bytes, size_t size)
{
    at_checksum_add(c, bytes, size);
    return true;
}

static bool write_part(void *w, const void *bytes, size_t size)
{
    return at_writer_write(w, bytes, size) >= 0;
}

static attend_status plan_checksums(plan *p)
{
    at_str text = {0};
    for (int i = 0; i < p->count; i++) {
        char digits[ATTEND_CHECKSUM_DIGITS];
        at_checksum c;
        at_checksum_start(&c);
        each_part(p->tensors[i], sum_up, &c);
        at_checksum_print(at_checksum_end(&c), digits);
        at_str_add_bytes(&text, digits, sizeof digits);
    }
    json_t *sums = text.failed ? NULL : json_string(at_str_text(&text));
    at_str_free(&text);
    if (json_object_set_new(json_object_get(p->header, "__metadata__"), ATTEND_CHECKSUM_TENSORS,
                            sums)
        < 0)
        return at_error_memory(p->err);
    return ATTEND_OK;
}

static int add_text(const char *text, size_t size, void *out)
{
    at_str_add_bytes(out, text, size);
    return ((at_str *)out)->failed ? -1 : 0;
}

/* The header as text, padded so that the data begins at a multiple of 64 bytes. */
static attend_status plan_text(plan *p)
{
    json_dump_callback(p->header, add_text, &p->text, JSON_COMPACT);
    size_t over = (sizeof(uint64_t) + p->text.length) % 64;
    at_str_repeat(&p->text, " ", over ? 64 - (int)over : 0);
    if (p->text.failed || at_json_starved())
        return at_error_memory(p->err);
    if (p->text.length > ATTEND_HEADER_LIMIT)
        return at_error(p->err, ATTEND_FORMAT,
                        "%s: the header would have %zu bytes, more than the %d allowed; use "
                        "shorter names",
                        at_show(p->path).text, p->text.length, ATTEND_HEADER_LIMIT);
    at_checksum_print(at_header_checksum(p->text.text, p->text.length),
                      p->text.text + ATTEND_CHECKSUM_AT);
    return ATTEND_OK;
}

static attend_status write_plan(const plan *p)
{
    at_writer *w;
    attend_status status = at_writer_open(&w, p->path, p->err);
    if (status < 0)
        return status;
    uint64_t length = p->text.length;
    at_writer_write(w, &length, sizeof length);
    at_writer_write(w, p->text.text, p->text.length);
    for (int i = 0; i < p->count; i++)
        each_part(p->tensors[i], write_part, w);
    return at_writer_commit(w, p->err);
}

attend_status at_safetensors_save(const char *path, const at_to_store *tensors, int count,
                                  const at_metadata *metadata, int metadata_count,
                                  attend_error *err)
{
    plan p = {.path = path, .count = count, .err = err};
    at_json_start();
    p.header = json_object();
    attend_status status = p.header ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && (status = order_tensors(&p, tensors)) >= 0
        && (status = plan_metadata(&p, metadata, metadata_count)) >= 0
        && (status = plan_tensors(&p)) >= 0 && (status = plan_checksums(&p)) >= 0
        && (status = plan_text(&p)) >= 0)
        status = write_plan(&p);
    json_decref(p.header);
    at_str_free(&p.text);
    at_free(p.tensors);
    return status;
}
