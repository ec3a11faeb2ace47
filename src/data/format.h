/* Formats of corpora. Each is one file format_NAME.c with one const at_format, and a line in
 * formats.def; what --help, the manual and the tests say of them comes from there. */
#ifndef ATTEND_DATA_FORMAT_H
#define ATTEND_DATA_FORMAT_H

#include "data/reader.h"

/* the beginning of a file, for guessing */
enum { ATTEND_SAMPLE_LINES = 100 };

typedef struct {
    const char *name; /* of the file */
    const char *head; /* its first bytes */
    size_t head_size;
    at_text line[ATTEND_SAMPLE_LINES]; /* its first lines that are not empty */
    int lines;
    bool columns; /* the user names columns, so that it is a table, or objects */
} at_sample;

typedef enum {
    ATTEND_READ_END,
    ATTEND_READ_EXAMPLE,
    ATTEND_READ_BAD,    /* this one is wrong, and reading can go on behind it */
    ATTEND_READ_FAILED, /* reading cannot go on */
} at_read;

struct at_format {
    const char *name;                 /* "pairs" */
    const char *what;                 /* how a line looks, in a few words */
    const char *files;                /* an example of a name */
    const char *extension;            /* of a file that is written; NULL for two files, or none */
    int (*guess)(const at_sample *s); /* how surely it is this: 0 no, 100 yes */
    size_t state;  /* bytes of what the format keeps in reader->state, zeroed at first */
    bool no_lines; /* it reads reader->bytes, not reader->lines */
    bool columns;  /* it reads those that the user names */
    attend_status (*open)(at_example_reader *r, attend_error *err); /* or NULL */
    at_read (*next)(at_example_reader *r, at_example *e, attend_error *err);
    void (*close)(at_example_reader *r); /* or NULL */

    /* An example as text with its \n; a second part for the second of two files. NULL: this format
     * is not written. one_line: its texts cannot hold tabs and line ends. The first example of a
     * file comes without ATTEND_HAS_BREAK. */
    void (*write)(at_str *out, at_str *second, const at_example *e);
    void (*write_head)(at_str *out, unsigned has); /* what stands before all; or NULL */
    bool one_line;
    bool running; /* examples are parts of a document, with their line ends, one after the other */
    unsigned needs, takes; /* ATTEND_HAS_...: parts an example must have to be written, and may */
};

#define FORMAT(name) extern const at_format at_format_##name;
#include "data/formats.def"
#undef FORMAT

extern const at_format *const at_formats[];
extern const int at_format_count;

const at_format *at_format_find(const char *name); /* or NULL */

/* The likeliest format for the first bytes of a file. With columns it is one that has them, or NULL
 * where the file, if it is not empty, looks like none of these; without it is never NULL. */
const at_format *at_format_guess(const char *name, const char *head, size_t size, bool whole,
                                 bool columns);

/* ---- for the formats -------------------------------------------------------------------- */

struct at_example_reader {
    const at_format *format;
    at_read_options options;
    at_line_stream lines;
    at_stream *bytes, *other; /* where the format reads them itself, or two files */
    const char *name;
    void *state;
    at_read_counts counts;
    long bad_line;
    attend_error error; /* the first failure */
};

/* "file:line: what", with the current line of the file */
at_read at_read_bad(at_example_reader *r, attend_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* the same for a row of several lines, which begins on the one named */
at_read at_read_bad_at(at_example_reader *r, long line, attend_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The next line that is not empty; ATTEND_READ_EXAMPLE where there is one. */
at_read at_read_line(at_example_reader *r, attend_error *err);

/* The next line, also an empty one, of a stream; a zero byte or too many bytes make it a bad one.
 */
at_read at_read_any_line(at_example_reader *r, at_line_stream *s, attend_error *err);

/* the text without blanks at both ends */
at_text at_text_trim(at_text t);

/* Cuts t at the first byte c, or where there is none, at its end: the part before it, and t is what
 * comes behind; false where there is no such byte. */
bool at_text_cut(at_text *t, char c, at_text *before);

bool at_text_is(at_text t, const char *word); /* letters in either case */
bool at_text_same(at_text a, at_text b);      /* byte for byte */

/* The share, in per cent, of the sample's lines for which test holds. */
int at_sample_share(const at_sample *s, bool (*test)(at_text line));
bool at_line_has_tab(at_text line);

#endif
