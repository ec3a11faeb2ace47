/* A JSON document piece by piece, for files that are one large document: whoever reads walks into
 * the objects and arrays on the way and takes or skips the values below. Memory is that of the
 * largest value taken. A value that is taken is checked by whoever parses it; of one that is
 * skipped only the brackets and strings are looked at.
 *
 *     at_json_stream_open(&p, '{', err)                 behind the {
 *     while (at_json_stream_more(&p, '}', &status, err)) {
 *         at_json_stream_key(&p, &key, err);            "data" :
 *         at_json_stream_value(&p, NULL, NULL, err);    skips it
 *     }
 */
#ifndef ATTEND_DATA_JSON_STREAM_H
#define ATTEND_DATA_JSON_STREAM_H

#include <stdbool.h>

#include "base/str.h"
#include "data/stream.h"

typedef struct {
    at_stream *bytes; /* not owned */
    long line;
    bool first; /* no value of this object or array has been seen */
    bool ended;
    size_t at, end;
    char buffer[1 << 16];
} at_json_stream;

void at_json_stream_start(at_json_stream *p, at_stream *bytes);

/* Steps over the bracket, which must come next. */
attend_status at_json_stream_open(at_json_stream *p, char bracket, attend_error *err);

/* Is there another value before the closing bracket? Steps over the comma, or over the bracket when
 * there is none. */
bool at_json_stream_more(at_json_stream *p, char bracket, attend_status *status, attend_error *err);

/* The key of an object's next value, and the colon; escapes stay as they are. */
attend_status at_json_stream_key(at_json_stream *p, at_str *key, attend_error *err);

/* The text of the next value, at most 64 MiB, into out; or skips it where out is NULL. *line,
 * unless NULL, receives the line it starts on. */
attend_status at_json_stream_value(at_json_stream *p, at_str *out, long *line, attend_error *err);

/* Nothing but blanks must follow. */
attend_status at_json_stream_end(at_json_stream *p, attend_error *err);

#endif
