/* Lines of a text file, packed or not, one after another in constant memory.
 *
 *     at_line_stream s;
 *     attend_status status = at_lines_open(&s, "corpus.en.gz", NULL, err);
 *     while (status >= 0 && at_lines_next(&s, &status, err))
 *         use(s.text, s.size, s.number);
 *     at_lines_close(&s);
 *
 * Only \n ends a line; a \r before it goes. Other programs also split at U+2028, U+0085, vertical
 * tabs and more, and two aligned files are then no longer aligned. A byte-order mark goes too. */
#ifndef ATTEND_DATA_LINES_H
#define ATTEND_DATA_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "attend_data.h"
#include "base/str.h"
#include "data/stream.h"

/* what a line looked like in the file */
enum {
    ATTEND_LINE_ZERO = 1,    /* a zero byte */
    ATTEND_LINE_INVALID = 2, /* bytes that are no UTF-8 */
    ATTEND_LINE_LONG = 4,    /* over the limit: text is its beginning */
    ATTEND_LINE_MARK = 8,    /* a byte-order mark before it */
    ATTEND_LINE_RETURN = 16, /* ended by \r\n */
    ATTEND_LINE_OPEN = 32,   /* the last one, not ended */
};

typedef struct at_line_stream at_line_stream;

typedef struct {
    attend_encoding encoding;
    size_t max_length; /* bytes of a line; 0: 1 MiB */
    bool lenient;      /* zero bytes (as U+FFFD) and long lines (cut) are given, with their flags */
    void (*observe)(void *user, const at_line_stream *s); /* sees every line first; or NULL */
    void *user;
} at_line_options;

struct at_line_stream {
    char *text; /* UTF-8 with a zero behind it; borrowed until the next line, and writable */
    size_t size;
    long number;     /* from 1 */
    unsigned flags;  /* ATTEND_LINE_... */
    const char *raw; /* the line before bytes were replaced */
    size_t raw_size;
    const char *name; /* of the file, for messages */
    size_t replaced;  /* bytes replaced so far, and lines that they were in */
    long repaired;

    /* private */
    at_line_options options;
    at_stream *bytes;
    char *buffer;
    size_t capacity, at, end; /* the buffer's size; what is in it, not given yet */
    at_str fixed, kept;       /* a line with other bytes, a long line's beginning */
    bool ended;
};

/* options may be NULL */
attend_status at_lines_open(at_line_stream *s, const char *path, const at_line_options *options,
                            attend_error *err);

/* The same from bytes, which now belong to s, also on failure. */
attend_status at_lines_start(at_line_stream *s, at_stream *bytes, const at_line_options *options,
                             attend_error *err);

/* The next line; false at the end, and with a negative status on failure. */
bool at_lines_next(at_line_stream *s, attend_status *status, attend_error *err);

void at_lines_close(at_line_stream *s); /* also after a failed open, and twice */

/* Appends size bytes as UTF-8: all as Windows-1252, or else what is no UTF-8, and zero bytes, as
 * U+FFFD. Returns how many bytes were not taken as they are. */
size_t at_repair(at_str *out, const char *text, size_t size, bool latin1);

#endif
