#include "store/safetensors.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/half.h"
#include "base/json.h"
#include "base/memory.h"
#include "store/safetensors_checksum.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors files are little-endian, and this code reads them as they are"
#endif

enum { COMMA_LIMIT = 4 * 1000 * 1000 }; /* half a million tensors; bounds the parser's memory */

struct at_safetensors {
    at_arena arena; /* holds everything below */
    at_map map;     /* empty when opened from memory */
    const char *file;
    const unsigned char *data; /* behind the header */
    size_t data_size;
    at_stored *tensors;
    const at_stored **by_name;
    at_metadata *metadata; /* without the checksums */
    int count, metadata_count;
    bool header_verified;
    uint64_t *checksum;     /* [count]; NULL: the file has none */
    atomic_uchar *verified; /* [count]: UNKNOWN, INTACT or DAMAGED */
};

enum { UNKNOWN, INTACT, DAMAGED };

/* ---- types ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
#define X(name, size) {#name, size},
    ATTEND_DTYPE_LIST(X)
#undef X
};

const char *at_dtype_name(at_dtype dtype) { return dtypes[dtype].name; }
size_t at_dtype_size(at_dtype dtype) { return dtypes[dtype].size; }
bool at_dtype_is_float(at_dtype dtype) { return dtype <= ATTEND_DTYPE_BF16; }

bool at_stored_shape(const at_stored *t, at_shape *shape)
{
    size_t len;
    if (t->rank > ATTEND_MAX_RANK)
        return false;
    *shape = (at_shape){.rank = t->rank};
    for (int i = 0; i < t->rank; i++) {
        if (t->dim[i] > INT32_MAX)
            return false;
        shape->dim[i] = (int)t->dim[i];
    }
    return at_shape_len(*shape, &len);
}

at_sizes at_sizes_print(int rank, const int64_t *dim)
{
    at_sizes out = {"("};
    size_t used = 1;
    for (int i = 0; i < rank && used < sizeof out.text; i++)
        used += (size_t)snprintf(out.text + used, sizeof out.text - used, "%s%lld", i ? ", " : "",
                                 (long long)dim[i]);
    if (used < sizeof out.text)
        snprintf(out.text + used, sizeof out.text - used, ")");
    return out;
}

bool at_dtype_measure(at_dtype dtype, int rank, const int64_t *dim, size_t *len, size_t *bytes)
{
    *len = 1;
    for (int i = 0; i < rank; i++)
        if ((uint64_t)dim[i] > SIZE_MAX || !at_size_multiply(*len, (size_t)dim[i], len))
            return false;
    return at_size_multiply(*len, at_dtype_size(dtype), bytes) && *bytes <= INT64_MAX;
}

attend_status at_tensor_error(attend_error *err, attend_status status, const char *file,
                              const char *tensor, const char *format, ...)
{
    char message[240];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return at_error(err, status, "%s: tensor '%s' %s", at_show(file).text, at_show(tensor).text,
                    message);
}

/* ---- opening: the header --------------------------------------------------------------- */

static bool too_many_commas(const char *text, size_t size)
{
    size_t commas = 0;
    for (size_t i = 0; i < size; i++)
        commas += text[i] == ',';
    return commas > COMMA_LIMIT;
}

/* Where the header is, and that it is not absurd. */
static attend_status find_header(at_safetensors *s, const unsigned char *bytes, size_t size,
                                 size_t *length, attend_error *err)
{
    at_shown file = at_show(s->file);
    uint64_t claimed;
    if (size < sizeof claimed)
        return at_error(err, ATTEND_FORMAT,
                        "%s: has %zu bytes, too few for a header; it is no safetensors file, or "
                        "cut short",
                        file.text, size);
    memcpy(&claimed, bytes, sizeof claimed);
    if (claimed > ATTEND_HEADER_LIMIT)
        return at_error(err, ATTEND_FORMAT,
                        "%s: claims a header of %llu bytes, more than the %d allowed; it is no "
                        "safetensors file",
                        file.text, (unsigned long long)claimed, ATTEND_HEADER_LIMIT);
    if (claimed > size - sizeof claimed)
        return at_error(err, ATTEND_FORMAT,
                        "%s: claims a header of %llu bytes, but has %zu in all; it is no "
                        "safetensors file, or cut short",
                        file.text, (unsigned long long)claimed, size);
    const char *text = (const char *)bytes + sizeof claimed;
    *length = (size_t)claimed;
    s->data = bytes + sizeof claimed + *length;
    s->data_size = size - sizeof claimed - *length;
    if (!*length || *text != '{')
        return at_error(err, ATTEND_FORMAT,
                        "%s: its header does not begin with '{'; it is no safetensors file",
                        file.text);
    if (too_many_commas(text, *length))
        return at_error(err, ATTEND_FORMAT,
                        "%s: its header has more than %d commas; it is no safetensors file",
                        file.text, COMMA_LIMIT);
    return ATTEND_OK;
}

static attend_status parse_header(const at_safetensors *s, const unsigned char *text, size_t size,
                                  json_t **out, attend_error *err)
{
    char name[160];
    snprintf(name, sizeof name, "%s: header", at_show(s->file).text);
    return at_json_parse(name, (const char *)text, size, out, err);
}

static bool is_checksum(const char *key)
{
    return !strcmp(key, ATTEND_CHECKSUM_HEADER) || !strcmp(key, ATTEND_CHECKSUM_TENSORS);
}

static attend_status read_metadata(at_safetensors *s, json_t *object, attend_error *err)
{
    if (!json_is_object(object))
        return at_error(err, ATTEND_FORMAT, "%s: \"__metadata__\" is no object; get the file again",
                        at_show(s->file).text);
    s->metadata = at_arena_alloc(&s->arena, json_object_size(object) * sizeof *s->metadata);
    if (!s->metadata)
        return at_error_memory(err);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const char *value = json_string_value(json_object_iter_value(i));
        if (!value)
            return at_error(err, ATTEND_FORMAT,
                            "%s: \"__metadata__\" has a '%s' that is no string; get the file "
                            "again",
                            at_show(s->file).text, at_show(json_object_iter_key(i)).text);
        if (is_checksum(json_object_iter_key(i)))
            continue;
        at_metadata *m = &s->metadata[s->metadata_count++];
        m->key = at_arena_strdup(&s->arena, json_object_iter_key(i));
        m->value = at_arena_strdup(&s->arena, value);
        if (!m->key || !m->value)
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

/* ---- opening: one tensor --------------------------------------------------------------- */

static attend_status read_dtype(const at_safetensors *s, const json_t *info, at_stored *t,
                                attend_error *err)
{
    const char *name = json_string_value(json_object_get(info, "dtype"));
    if (!name)
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "has no \"dtype\" that is a string; get the file again");
    for (int i = 0; i < ATTEND_DTYPES; i++)
        if (!strcmp(dtypes[i].name, name)) {
            t->dtype = (at_dtype)i;
            return ATTEND_OK;
        }
    return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                           "is of type '%.40s', which is not known here; convert it to F32",
                           at_show(name).text);
}

static attend_status read_shape(const at_safetensors *s, const json_t *info, at_stored *t,
                                attend_error *err)
{
    const json_t *shape = json_object_get(info, "shape");
    size_t rank = json_array_size(shape);
    if (!json_is_array(shape))
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "has no \"shape\" that is an array; get the file again");
    if (rank > ATTEND_STORED_RANK)
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "has %zu dimensions, more than the %d allowed; reshape it", rank,
                               ATTEND_STORED_RANK);
    t->rank = (int)rank;
    for (int i = 0; i < t->rank; i++) {
        const json_t *dim = json_array_get(shape, (size_t)i);
        t->dim[i] = json_integer_value(dim);
        if (!json_is_integer(dim) || t->dim[i] < 0)
            return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                                   "has a size %d that is no whole number from 0 on; get the file "
                                   "again",
                                   i);
    }
    if (!at_dtype_measure(t->dtype, t->rank, t->dim, &t->len, &t->bytes))
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "of sizes %s is larger than any memory; get the file again",
                               at_sizes_print(t->rank, t->dim).text);
    return ATTEND_OK;
}

static attend_status read_offsets(const at_safetensors *s, const json_t *info, at_stored *t,
                                  attend_error *err)
{
    const json_t *offsets = json_object_get(info, "data_offsets");
    const json_t *first = json_array_get(offsets, 0), *second = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(second))
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "has no \"data_offsets\" of two whole numbers; get the file again");
    int64_t begin = json_integer_value(first), end = json_integer_value(second);
    if (begin < 0 || end < begin || (uint64_t)end > s->data_size)
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "claims bytes %lld to %lld of the %zu that there are; the file is "
                               "cut short or damaged, get it again",
                               (long long)begin, (long long)end, s->data_size);
    if ((uint64_t)(end - begin) != t->bytes)
        return at_tensor_error(
            err, ATTEND_FORMAT, s->file, t->name,
            "of type %s and sizes %s needs %zu bytes, but has %lld; get the file "
            "again",
            at_dtype_name(t->dtype), at_sizes_print(t->rank, t->dim).text, t->bytes,
            (long long)(end - begin));
    t->data = s->data + begin;
    return ATTEND_OK;
}

static attend_status read_tensor(at_safetensors *s, const char *name, const json_t *info,
                                 attend_error *err)
{
    at_stored *t = &s->tensors[s->count];
    *t = (at_stored){.name = at_arena_strdup(&s->arena, name), .place = s->count};
    if (!t->name)
        return at_error_memory(err);
    s->count++;
    if (!json_is_object(info))
        return at_tensor_error(err, ATTEND_FORMAT, s->file, name,
                               "is described by no object; get the file again");
    attend_status status = read_dtype(s, info, t, err);
    if (status >= 0 && (status = read_shape(s, info, t, err)) >= 0)
        status = read_offsets(s, info, t, err);
    return status;
}

/* ---- opening: all of them -------------------------------------------------------------- */

/* by begin, then end, so that empty tensors come before what follows them */
static int compare_data(const void *a, const void *b)
{
    const at_stored *x = a, *y = b;
    const unsigned char *begin = x->data, *other = y->data;
    if (begin != other)
        return begin < other ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->place - y->place;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(at_stored *const *)a)->name, (*(at_stored *const *)b)->name);
}

/* The tensors, in order, must fill the data from its begin to its end. */
static attend_status check_layout(const at_safetensors *s, attend_error *err)
{
    size_t filled = 0;
    for (int i = 0; i < s->count; i++) {
        const at_stored *t = &s->tensors[i];
        size_t begin = (size_t)((const unsigned char *)t->data - s->data);
        if (begin < filled)
            return at_tensor_error(
                err, ATTEND_FORMAT, s->file, t->name,
                "begins at byte %zu, inside '%.60s', which ends at byte %zu; get "
                "the file again",
                begin, at_show(s->tensors[i - 1].name).text, filled);
        if (begin > filled)
            return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                                   "begins at byte %zu, and bytes %zu to %zu belong to none; get "
                                   "the file again",
                                   begin, filled, begin);
        filled += t->bytes;
    }
    if (filled != s->data_size)
        return at_error(err, ATTEND_FORMAT,
                        "%s: the tensors end at byte %zu of the data, which has %zu; get the "
                        "file again",
                        at_show(s->file).text, filled, s->data_size);
    return ATTEND_OK;
}

static attend_status index_tensors(at_safetensors *s, attend_error *err)
{
    size_t n = (size_t)s->count;
    qsort(s->tensors, n, sizeof *s->tensors, compare_data);
    s->by_name = at_arena_alloc(&s->arena, n * sizeof *s->by_name);
    if (!s->by_name)
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++)
        s->by_name[i] = &s->tensors[i];
    qsort(s->by_name, n, sizeof *s->by_name, compare_names);
    return check_layout(s, err);
}

/* ---- opening: checksums ---------------------------------------------------------------- */

static attend_status header_damaged(const at_safetensors *s, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT,
                    "%s: the header does not match its checksum; the file is damaged, get it "
                    "again, or save it without the metadata '" ATTEND_CHECKSUM_HEADER
                    "' and '" ATTEND_CHECKSUM_TENSORS "' if another program has rewritten it",
                    at_show(s->file).text);
}

/* A header that begins with a checksum must match it. Whether one was lost is for
 * read_checksums to notice. */
static attend_status verify_header(at_safetensors *s, const char *text, size_t size,
                                   attend_error *err)
{
    uint64_t sum;
    if (size < ATTEND_CHECKSUM_TO || memcmp(text, ATTEND_CHECKSUM_BEGIN, ATTEND_CHECKSUM_AT) != 0)
        return ATTEND_OK;
    if (!at_checksum_read(text + ATTEND_CHECKSUM_AT, &sum) || sum != at_header_checksum(text, size))
        return header_damaged(s, err);
    s->header_verified = true;
    return ATTEND_OK;
}

static attend_status read_checksums(at_safetensors *s, const json_t *metadata, attend_error *err)
{
    const char *digits = json_string_value(json_object_get(metadata, ATTEND_CHECKSUM_TENSORS));
    bool named = digits || json_object_get(metadata, ATTEND_CHECKSUM_HEADER);
    size_t n = (size_t)s->count;
    if (!named && !s->header_verified)
        return ATTEND_OK;
    if (!s->header_verified || !digits || strlen(digits) != n * ATTEND_CHECKSUM_DIGITS)
        return header_damaged(s, err);
    s->checksum = at_arena_alloc(&s->arena, n * sizeof *s->checksum);
    s->verified = at_arena_alloc(&s->arena, n * sizeof *s->verified);
    if (!s->checksum || !s->verified)
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        atomic_init(&s->verified[i], UNKNOWN);
        if (!at_checksum_read(digits + i * ATTEND_CHECKSUM_DIGITS, &s->checksum[i]))
            return header_damaged(s, err);
    }
    return ATTEND_OK;
}

static attend_status read_header(at_safetensors *s, json_t *header, attend_error *err)
{
    attend_status status = ATTEND_OK;
    s->tensors = at_arena_alloc(&s->arena, json_object_size(header) * sizeof *s->tensors);
    if (!s->tensors)
        return at_error_memory(err);
    for (void *i = json_object_iter(header); i && status >= 0;
         i = json_object_iter_next(header, i)) {
        const char *name = json_object_iter_key(i);
        if (!strcmp(name, "__metadata__"))
            status = read_metadata(s, json_object_iter_value(i), err);
        else
            status = read_tensor(s, name, json_object_iter_value(i), err);
    }
    if (status >= 0)
        status = index_tensors(s, err);
    return status < 0 ? status : read_checksums(s, json_object_get(header, "__metadata__"), err);
}

static attend_status read_file(at_safetensors *s, const unsigned char *bytes, size_t size,
                               attend_error *err)
{
    size_t length = 0;
    json_t *header;
    attend_status status = find_header(s, bytes, size, &length, err);
    if (status < 0)
        return status;
    status = verify_header(s, (const char *)bytes + sizeof(uint64_t), length, err);
    if (status >= 0)
        status = parse_header(s, bytes + sizeof(uint64_t), length, &header, err);
    if (status < 0)
        return status;
    status = read_header(s, header, err);
    json_decref(header);
    return status;
}

attend_status at_safetensors_open_memory(const char *name, const void *bytes, size_t size,
                                         at_safetensors **out, attend_error *err)
{
    *out = NULL;
    at_safetensors *s = at_alloc_zero(1, sizeof *s);
    if (!s)
        return at_error_memory(err);
    at_arena_init(&s->arena, 4096);
    s->file = at_arena_strdup(&s->arena, name);
    attend_status status = s->file ? read_file(s, bytes, size, err) : at_error_memory(err);
    if (status < 0)
        at_safetensors_close(s);
    else
        *out = s;
    return status;
}

attend_status at_safetensors_open(const char *path, at_safetensors **out, attend_error *err)
{
    at_map map;
    *out = NULL;
    attend_status status = at_map_open(&map, path, err);
    if (status < 0)
        return status;
    status = at_safetensors_open_memory(path, map.data, map.size, out, err);
    if (status < 0)
        at_map_close(&map);
    else
        (*out)->map = map;
    return status;
}

void at_safetensors_close(at_safetensors *s)
{
    if (!s)
        return;
    at_map_close(&s->map);
    at_arena_free(&s->arena);
    at_free(s);
}

attend_status at_safetensors_check_unchanged(const at_safetensors *s, attend_error *err)
{
    return at_map_unchanged(&s->map)
               ? ATTEND_OK
               : at_error(err, ATTEND_FILE,
                          "%s: was written to while it is in use; open the model again, and "
                          "replace its files by renaming new ones, not by copying over them",
                          at_show(s->file).text);
}

/* ---- asking ---------------------------------------------------------------------------- */

int at_safetensors_count(const at_safetensors *s) { return s->count; }
int at_safetensors_metadata_count(const at_safetensors *s) { return s->metadata_count; }

const at_stored *at_safetensors_at(const at_safetensors *s, int index)
{
    return &s->tensors[index];
}

at_metadata at_safetensors_metadata_at(const at_safetensors *s, int index)
{
    return s->metadata[index];
}

const char *at_safetensors_metadata(const at_safetensors *s, const char *key)
{
    for (int i = 0; i < s->metadata_count; i++)
        if (!strcmp(s->metadata[i].key, key))
            return s->metadata[i].value;
    return NULL;
}

static int compare_to_name(const void *name, const void *t)
{
    return strcmp(name, (*(at_stored *const *)t)->name);
}

const at_stored *at_safetensors_find(const at_safetensors *s, const char *name)
{
    const at_stored **found = bsearch(name, s->by_name, (size_t)s->count, sizeof *s->by_name,
                                      compare_to_name);
    return found ? *found : NULL;
}

attend_status at_safetensors_need(const at_safetensors *s, const char *name, at_shape shape,
                                  const at_stored **out, attend_error *err)
{
    at_shape found;
    const at_stored *t = *out = at_safetensors_find(s, name);
    if (!t)
        return at_tensor_error(err, ATTEND_FORMAT, s->file, name,
                               "is missing; check that the file belongs to this model");
    if (at_stored_shape(t, &found) && at_shape_equal(found, shape))
        return ATTEND_OK;
    *out = NULL;
    return at_tensor_error(err, ATTEND_SHAPE, s->file, name,
                           "has sizes %s, but %s is wanted; check that the file belongs to this "
                           "configuration",
                           at_sizes_print(t->rank, t->dim).text, at_shape_print(shape).text);
}

/* ---- verifying ------------------------------------------------------------------------- */

bool at_safetensors_has_checksums(const at_safetensors *s) { return s->checksum != NULL; }

/* the tensor whose data begins at these bytes or holds them: the last that begins there or before
 */
static int holder(const at_safetensors *s, const void *data)
{
    int low = 0, high = s->count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if ((uintptr_t)s->tensors[middle].data <= (uintptr_t)data)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

attend_status at_safetensors_verify(const at_safetensors *s, const at_stored *t, attend_error *err)
{
    if (!s || !s->checksum || !t->bytes)
        return ATTEND_OK;
    int i = holder(s, t->data);
    const at_stored *whole = &s->tensors[i];
    int found = atomic_load_explicit(&s->verified[i], memory_order_relaxed);
    if (found == UNKNOWN) {
        found = at_checksum_of(whole->data, whole->bytes) == s->checksum[i] ? INTACT : DAMAGED;
        atomic_store_explicit(&s->verified[i], (unsigned char)found, memory_order_relaxed);
    }
    if (found == INTACT)
        return ATTEND_OK;
    return at_tensor_error(err, ATTEND_FORMAT, s->file, whole->name,
                           "does not match its checksum; the file is damaged, get it again or take "
                           "an earlier one");
}

attend_status at_safetensors_verify_all(const at_safetensors *s, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->count && status >= 0; i++)
        status = at_safetensors_verify(s, &s->tensors[i], err);
    return status;
}

/* ---- reading numbers ------------------------------------------------------------------- */

/* an element of a type that is no float; false when it has no int64_t */
static bool int_at(const at_stored *t, size_t i, int64_t *out)
{
    size_t size = at_dtype_size(t->dtype);
    int unused = 64 - 8 * (int)size;
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)t->data + i * size, size);
    if (t->dtype >= ATTEND_DTYPE_I64 && t->dtype <= ATTEND_DTYPE_I8) {
        *out = (int64_t)(bits << unused) >> unused; /* repeats the sign */
        return true;
    }
    *out = t->dtype == ATTEND_DTYPE_BOOL ? bits != 0 : (int64_t)bits;
    return *out >= 0;
}

static void read_floats(const at_stored *t, real *out)
{
    const unsigned char *in = t->data;
#define EACH(type, value)                        \
    for (size_t i = 0; i < t->len; i++) {        \
        type x;                                  \
        memcpy(&x, in + i * sizeof x, sizeof x); \
        out[i] = (real)(value);                  \
    }                                            \
    break
    switch (t->dtype) {
    case ATTEND_DTYPE_F64: EACH(double, x);
    case ATTEND_DTYPE_F32: EACH(float, x);
    case ATTEND_DTYPE_F16: EACH(uint16_t, at_half_to_float(x));
    case ATTEND_DTYPE_BF16: EACH(uint16_t, at_bfloat_to_float(x));
    default: break;
    }
#undef EACH
}

attend_status at_safetensors_read(const at_safetensors *s, const at_stored *t, real *out,
                                  attend_error *err)
{
    const int64_t most = (int64_t)1 << (sizeof(real) == sizeof(float) ? 24 : 53);
    attend_status status = at_safetensors_verify(s, t, err);
    if (status < 0)
        return status;
    if (at_dtype_is_float(t->dtype)) {
        read_floats(t, out);
        return ATTEND_OK;
    }
    for (size_t i = 0; i < t->len; i++) {
        int64_t x;
        if (!int_at(t, i, &x) || x > most || x < -most)
            return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                                   "has a number at index %zu that is too large for a float; store "
                                   "it as F32 or F64",
                                   i);
        out[i] = (real)x;
    }
    return ATTEND_OK;
}

/* x - x is 0 but for infinities and NaN, and a sum with a NaN is NaN: a whole tensor in one loop */
static bool all_finite(size_t n, const real *x)
{
    real odd = 0;
#pragma omp simd reduction(+ : odd)
    for (size_t i = 0; i < n; i++)
        odd += x[i] - x[i];
    return odd == 0;
}

static attend_status not_finite(const at_safetensors *s, const at_stored *t, size_t i,
                                attend_error *err)
{
    return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                           "has a number at index %zu that is not finite; the file is damaged, or "
                           "its training diverged: take an earlier one",
                           i);
}

attend_status at_safetensors_read_weights(const at_safetensors *s, const at_stored *t, real *out,
                                          attend_error *err)
{
    attend_status status = at_safetensors_read(s, t, out, err);
    if (status < 0 || all_finite(t->len, out))
        return status;
    size_t i = 0;
    while (isfinite(out[i]))
        i++;
    return not_finite(s, t, i, err);
}

attend_status at_safetensors_check_finite(const at_safetensors *s, const at_stored *t,
                                          attend_error *err)
{
    enum { BLOCK = 2048 };
    real wide[BLOCK];
    size_t size = at_dtype_size(t->dtype);
    for (size_t begin = 0; begin < t->len; begin += BLOCK) {
        at_stored part = *t;
        part.data = (const char *)t->data + begin * size;
        part.len = t->len - begin < BLOCK ? t->len - begin : BLOCK;
        read_floats(&part, wide);
        if (all_finite(part.len, wide))
            continue;
        size_t i = 0;
        while (isfinite(wide[i]))
            i++;
        return not_finite(s, t, begin + i, err);
    }
    return ATTEND_OK;
}

attend_status at_safetensors_read_int(const at_safetensors *s, const at_stored *t, int64_t *out,
                                      attend_error *err)
{
    if (at_dtype_is_float(t->dtype))
        return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                               "is of type %s, but whole numbers are wanted; store it as I64",
                               at_dtype_name(t->dtype));
    attend_status status = at_safetensors_verify(s, t, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < t->len; i++)
        if (!int_at(t, i, &out[i]))
            return at_tensor_error(err, ATTEND_FORMAT, s->file, t->name,
                                   "has a number at index %zu that is too large for I64; store it "
                                   "as I64",
                                   i);
    return ATTEND_OK;
}
