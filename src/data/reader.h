/* Examples of a corpus file, one after another, in any of the formats of formats.def.
 *
 *     at_example_reader *r;
 *     attend_status status = at_examples_open("fra-eng.zip", NULL, &r, err);
 *     while (status >= 0 && at_examples_next(r, &example, &status, err))
 *         use(&example);
 *     at_examples_close(r);
 *
 * What is not an example in the file's format is refused with file and line; a lenient reader goes
 * on behind it, counts it and tells `bad`. */
#ifndef ATTEND_DATA_READER_H
#define ATTEND_DATA_READER_H

#include "data/example.h"
#include "data/lines.h"

typedef struct at_format at_format;
typedef struct at_example_reader at_example_reader;

typedef enum { ATTEND_HEADER_GUESS, ATTEND_HEADER_YES, ATTEND_HEADER_NO } at_header;

typedef struct {
    const char *format; /* a name of the list, or NULL: the first lines tell */
    const char *target; /* the second of two aligned files, or NULL */
    /* columns of a table, by name or number from 1, or keys of JSON objects; NULL: the usual ones.
     * source may name several, "title,body", which are joined */
    const char *source_column, *target_column, *label_column;
    at_header header;
    bool running; /* plain text is read as documents, where no format is named */
    bool reverse; /* source and target change places */
    at_line_options lines;
    bool lenient;
    void (*bad)(void *user, const char *file, long line, const char *message); /* or NULL */
    void *user;
} at_read_options;

typedef struct {
    long examples, bad;
    long blank;           /* empty lines, skipped where they mean nothing */
    long lines, repaired; /* of these, lines with bytes that were replaced */
} at_read_counts;

/* options may be NULL; the strings in it must outlive the reader */
attend_status at_examples_open(const char *path, const at_read_options *options,
                               at_example_reader **out, attend_error *err);

/* The same from bytes, which now belong to the reader, also on failure; other are those of the
 * second of two aligned files, or NULL. */
attend_status at_examples_start(at_stream *bytes, at_stream *other, const at_read_options *options,
                                at_example_reader **out, attend_error *err);

/* The next example, borrowed until the one after; false at the end, and with a negative status on
 * failure. Its file is 0. */
bool at_examples_next(at_example_reader *r, at_example *e, attend_status *status,
                      attend_error *err);

const at_format *at_examples_format(const at_example_reader *r);
const char *at_examples_name(const at_example_reader *r); /* of the file, for messages */
at_read_counts at_examples_count(const at_example_reader *r);
void at_examples_close(at_example_reader *r); /* NULL is well */

#endif
