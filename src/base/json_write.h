/* JSON, written member by member into a string. Separators, quotes and escapes are the writer's.
 *
 *     at_json_out j = {.out = &text};
 *     at_json_object(&j, NULL);
 *     at_json_string(&j, "name", name);
 *     at_json_array(&j, "scores");
 *     at_json_real(&j, NULL, 0.25, 0);
 *     at_json_end(&j);
 *     at_json_end(&j);                        // {"name": "luong", "scores": [0.25]}
 *
 * key is the name of a member, and NULL for an element of an array and for the document. Failure is
 * that of the string: ask it once at the end. */
#ifndef ATTEND_BASE_JSON_WRITE_H
#define ATTEND_BASE_JSON_WRITE_H

#include <jansson.h>

#include "base/str.h"

typedef struct {
    at_str *out;
    bool more;                 /* a comma is due before the next value */
    int line;                  /* columns of the line that begins before it, and 1; 0: none does */
    unsigned long long arrays; /* a bit for each open bracket: at most 64 of them */
} at_json_out;

void at_json_object(at_json_out *j, const char *key);
void at_json_array(at_json_out *j, const char *key);
void at_json_end(at_json_out *j); /* of the innermost object or array */

/* The next value, or the end of this object or array, begins a line with so many spaces. */
void at_json_line(at_json_out *j, int indent);

void at_json_string(at_json_out *j, const char *key, const char *text); /* see at_str_add_json */
void at_json_bytes(at_json_out *j, const char *key, const char *text, size_t size);
void at_json_int(at_json_out *j, const char *key, long long value);
void at_json_bool(at_json_out *j, const char *key, bool value);
void at_json_null(at_json_out *j, const char *key);

/* digits: significant ones, or 0 for as few as read back the same; null where it is not finite */
void at_json_real(at_json_out *j, const char *key, double value, int digits);

/* JSON that exists already: a value; or, without a key, several elements or members */
void at_json_raw(at_json_out *j, const char *key, const char *json, size_t size);
void at_json_tree(at_json_out *j, const char *key, const json_t *value); /* on one line */

#endif
