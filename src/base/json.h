/* JSON files through Jansson: loading with positions in the messages, reading typed fields of a
 * configuration, saving atomically.
 *
 * Jansson allocates with at_alloc from at_json_start on, unless the program that holds us has
 * given it another allocator already. */
#ifndef ATTEND_BASE_JSON_H
#define ATTEND_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* To be called before Jansson's own functions; those below do it themselves. */
void at_json_start(void);

/* Whether memory ran out in Jansson since this thread called at_json_start: a json_t that could
 * not be made does not say why. */
bool at_json_starved(void);

/* An array or an object, without duplicate keys; json_decref it. On failure out is NULL.
 * name stands for the text in messages: "name:line:column: what". */
attend_status at_json_load(const char *path, json_t **out, attend_error *err);
attend_status at_json_parse(const char *name, const char *text, size_t size, json_t **out,
                            attend_error *err);

/* Indented, keys in their order, numbers as short as all of them survive; atomic. value may be
 * NULL, which is taken as memory that ran out while it was built. */
attend_status at_json_save(const char *path, const json_t *value, attend_error *err);

/* ---- fields ---------------------------------------------------------------------------- */

/* The fields of an object. The first failure is kept, so that a configuration is read line by
 * line and asked about once:
 *
 *     at_fields f = at_fields_of(json, "config.json", err);
 *     at_fields_need(&f, "hidden_size");
 *     c->width = (int)at_field_int(&f, "hidden_size", 0, 1, 1 << 20);
 *     c->epsilon = (real)at_field_number(&f, "layer_norm_eps", 1e-12, 0, 1);
 *     return f.status;
 *
 * A key that is missing or null has the default. After a failure every field has its default.
 * Strings, objects and arrays are borrowed from the document. */
typedef struct at_fields {
    const json_t *object;
    const char *file; /* for messages */
    char prefix[64];  /* "outer.inner.", for messages */
    struct at_fields *outer;
    attend_error *err;
    attend_status status;
} at_fields;

/* Fails when value is no object. file and err must outlive the result. */
at_fields at_fields_of(const json_t *value, const char *file, attend_error *err);

/* The object under key, or an empty one; its failures are also those of outer, which must
 * outlive it. */
at_fields at_fields_in(at_fields *outer, const char *key);

void at_fields_need(at_fields *f, const char *key); /* fails when it is missing or null */

int64_t at_field_int(at_fields *f, const char *key, int64_t otherwise, int64_t min, int64_t max);
double at_field_number(at_fields *f, const char *key, double otherwise, double min, double max);
bool at_field_bool(at_fields *f, const char *key, bool otherwise);
const char *at_field_string(at_fields *f, const char *key, const char *otherwise);
const json_t *at_field_array(at_fields *f, const char *key); /* or NULL */

/* Fails with "file: key 'a.b' must be <wanted>, not <value>; correct it": for checks beyond the
 * types. value may be NULL for the one under key. */
void at_field_fail(at_fields *f, const char *key, const json_t *value, const char *wanted, ...)
    __attribute__((format(printf, 4, 5)));

#endif
