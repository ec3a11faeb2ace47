#include "base/json.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { FILE_LIMIT = 1 << 30 };

/* ---- memory ---------------------------------------------------------------------------- */

/* Jansson does not always say that memory ran out; this does, for the calling thread. */
static _Thread_local bool starved;

static void *json_alloc(size_t bytes)
{
    void *memory = at_alloc_small(bytes);
    starved |= !memory;
    return memory;
}

/* Memory of at_alloc and of malloc are both freed by free: what a program that uses Jansson, too,
 * made before this stays in order. With an allocator of its own it would not. */
static void set_allocator(void)
{
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    if (allocate == malloc && release == free)
        json_set_alloc_funcs(json_alloc, at_free);
}

void at_json_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_allocator);
    starved = false;
}

bool at_json_starved(void) { return starved; }

/* ---- loading --------------------------------------------------------------------------- */

attend_status at_json_parse(const char *name, const char *text, size_t size, json_t **out,
                            attend_error *err)
{
    json_error_t error = {.line = -1};
    at_json_start();
    *out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (*out)
        return ATTEND_OK;
    if (starved || json_error_code(&error) == json_error_out_of_memory)
        return at_error_memory(err);
    return at_error(err, ATTEND_FORMAT, "%s:%d:%d: %s; correct the file or get it again",
                    at_show(name).text, error.line, error.column, at_show(error.text).text);
}

attend_status at_json_load(const char *path, json_t **out, attend_error *err)
{
    char *text;
    size_t size;
    *out = NULL;
    attend_status status = at_file_read(path, FILE_LIMIT, &text, &size, err);
    if (status < 0)
        return status;
    size_t mark = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte order mark */
    status = at_json_parse(path, text + mark, size - mark, out, err);
    at_free(text);
    return status;
}

/* ---- saving ---------------------------------------------------------------------------- */

/* How many digits a number needs to be read back as itself: 0.1 has 1, not the 17 that are
 * always enough. */
static int digits_of(double x)
{
    char text[40];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return digits;
    }
    return 17;
}

/* the most that a number in the document needs */
static int digits_in(const json_t *value)
{
    int max = 1;
    if (json_is_real(value))
        return digits_of(json_real_value(value));
    for (size_t i = 0; i < json_array_size(value); i++) {
        int digits = digits_in(json_array_get(value, i));
        max = digits > max ? digits : max;
    }
    json_t *object = json_is_object(value) ? (json_t *)value : NULL;
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        int digits = digits_in(json_object_iter_value(i));
        max = digits > max ? digits : max;
    }
    return max;
}

static int write_part(const char *text, size_t size, void *writer)
{
    return at_writer_write(writer, text, size) < 0 ? -1 : 0;
}

attend_status at_json_save(const char *path, const json_t *value, attend_error *err)
{
    at_writer *w;
    if (!value)
        return at_error_memory(err);
    attend_status status = at_writer_open(&w, path, err);
    if (status < 0)
        return status;
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits_in(value));
    bool failed = json_dump_callback(value, write_part, w, flags) < 0;
    if (failed && at_writer_write(w, NULL, 0) >= 0) { /* not for the disk's sake */
        at_writer_abort(w);
        return at_error_memory(err);
    }
    at_writer_write(w, "\n", 1);
    return at_writer_commit(w, err);
}

/* ---- fields ---------------------------------------------------------------------------- */

/* a value for a message: itself as far as there is room, or "an object" */
typedef struct {
    char text[48];
    size_t size;
} value_text;

static int append(const char *text, size_t size, void *out)
{
    value_text *value = out;
    size_t room = sizeof value->text - sizeof "..." - value->size;
    memcpy(value->text + value->size, text, size < room ? size : room);
    value->size += size < room ? size : room;
    if (size > room)
        strcpy(value->text + value->size, "...");
    return size > room ? -1 : 0;
}

static value_text print_value(const json_t *value)
{
    value_text out = {"", 0};
    if (!value)
        strcpy(out.text, "nothing");
    else if (json_is_object(value) || json_is_array(value))
        strcpy(out.text, json_is_object(value) ? "an object" : "an array");
    else
        json_dump_callback(value, append, &out,
                           JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
    return out;
}

static void fail_with(at_fields *f, const char *message)
{
    if (f->status < 0)
        return;
    at_error(f->err, ATTEND_FORMAT, "%s: %s", at_show(f->file).text, message);
    for (; f; f = f->outer)
        f->status = ATTEND_FORMAT;
}

void at_field_fail(at_fields *f, const char *key, const json_t *value, const char *wanted, ...)
{
    char kind[120], message[300];
    va_list args;
    va_start(args, wanted);
    vsnprintf(kind, sizeof kind, wanted, args);
    va_end(args);
    value = value ? value : json_object_get(f->object, key);
    snprintf(message, sizeof message, "key '%s%.60s' must be %.80s, not %s; correct it", f->prefix,
             at_show(key).text, kind, print_value(value).text);
    fail_with(f, message);
}

at_fields at_fields_of(const json_t *value, const char *file, attend_error *err)
{
    at_fields f = {.object = value, .file = file, .err = err};
    if (!json_is_object(value)) {
        f.object = NULL;
        fail_with(&f, "must hold one object, {...}; correct it");
    }
    return f;
}

/* the value under key; NULL when it is missing, null, or not to be looked at any more */
static const json_t *get(const at_fields *f, const char *key)
{
    const json_t *value = f->status < 0 ? NULL : json_object_get(f->object, key);
    return json_is_null(value) ? NULL : value;
}

at_fields at_fields_in(at_fields *outer, const char *key)
{
    at_fields f = {.file = outer->file, .outer = outer, .err = outer->err, .status = outer->status};
    snprintf(f.prefix, sizeof f.prefix, "%.40s%.20s.", outer->prefix, key);
    const json_t *value = get(outer, key);
    if (value && !json_is_object(value)) {
        at_field_fail(outer, key, value, "an object");
        f.status = outer->status;
    } else {
        f.object = value;
    }
    return f;
}

void at_fields_need(at_fields *f, const char *key)
{
    char message[240];
    if (f->status < 0 || get(f, key))
        return;
    snprintf(message, sizeof message, "key '%s%s' is missing; add it", f->prefix,
             at_show(key).text);
    fail_with(f, message);
}

int64_t at_field_int(at_fields *f, const char *key, int64_t otherwise, int64_t min, int64_t max)
{
    const json_t *value = get(f, key);
    if (!value)
        return otherwise;
    int64_t x = json_integer_value(value);
    if (json_is_integer(value) && x >= min && x <= max)
        return x;
    bool too_large = json_is_integer(value) && x > max;
    if (min == 1 && !too_large)
        at_field_fail(f, key, value, "a positive integer");
    else
        at_field_fail(f, key, value, "an integer from %lld to %lld", (long long)min,
                      (long long)max);
    return otherwise;
}

double at_field_number(at_fields *f, const char *key, double otherwise, double min, double max)
{
    const json_t *value = get(f, key);
    if (!value)
        return otherwise;
    double x = json_number_value(value);
    if (json_is_number(value) && x >= min && x <= max)
        return x;
    if (isinf(min) && isinf(max))
        at_field_fail(f, key, value, "a number");
    else
        at_field_fail(f, key, value, "a number from %g to %g", min, max);
    return otherwise;
}

bool at_field_bool(at_fields *f, const char *key, bool otherwise)
{
    const json_t *value = get(f, key);
    if (!value)
        return otherwise;
    if (json_is_boolean(value))
        return json_is_true(value);
    at_field_fail(f, key, value, "true or false");
    return otherwise;
}

const char *at_field_string(at_fields *f, const char *key, const char *otherwise)
{
    const json_t *value = get(f, key);
    if (!value)
        return otherwise;
    if (json_is_string(value))
        return json_string_value(value);
    at_field_fail(f, key, value, "a string");
    return otherwise;
}

const json_t *at_field_array(at_fields *f, const char *key)
{
    const json_t *value = get(f, key);
    if (!value || json_is_array(value))
        return value;
    at_field_fail(f, key, value, "an array");
    return NULL;
}
