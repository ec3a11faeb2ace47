/* Text line by line from a file or standard input, and text out as it comes: what makes a command a
 * filter. Only \n ends a line; a \r before it and a byte-order mark at the start go. What is odd
 * about the lines is said when the file is closed. */
#ifndef ATTEND_CLI_STREAM_H
#define ATTEND_CLI_STREAM_H

#include "cli/cli.h"
#include "cli/line_warnings.h"

typedef struct {
    const char *name; /* of the file, for messages */
    long line;        /* of the last one, from 1 */
    int file;
    char *block; /* read, and not yet given out: [at,end) */
    size_t at, end;
    at_str text; /* a line that is longer than what was left of a block */
    bool begun, last;
    bool no_zeros; /* zero bytes become blanks; set after opening */
    at_line_warnings odd;
    at_str *flushed; /* written out before waiting for more; or NULL */
} at_reader;

/* path "-" is standard input. */
attend_status at_reader_open(at_reader *r, at_cli *cli, const char *path, attend_error *err);
void at_reader_close(at_reader *r); /* also after a failed open */

/* A line without its end, borrowed until the next call: 1; 0 after the last; a negative status. */
int at_reader_next(at_reader *r, const char **text, size_t *size, attend_error *err);

/* Can a line be had without waiting, as far as one can tell? At the end too. */
bool at_reader_ready(const at_reader *r);

/* Writes out what has gathered, where that is much or `all` is set; out is empty afterwards. */
attend_status at_cli_flush(at_str *out, bool all, attend_error *err);

#endif
