/* Files of lines that belong to each other, whole in memory. */
#ifndef ATTEND_CLI_LINES_H
#define ATTEND_CLI_LINES_H

#include "cli/cli.h"

typedef struct {
    char *text; /* the file, with zeros for its newlines */
    const char **line;
    attend_lines lines; /* what attend_measure takes */
} at_lines;

/* Reads a file, or standard input for "-". Only \n ends a line; a \r before it and a byte order
 * mark at the start go. A zero byte is an error that names the line. */
attend_status at_lines_read(at_lines *l, at_cli *cli, const char *path, attend_error *err);

/* The same from memory: text of that size and a zero behind it, which now belongs to l. */
attend_status at_lines_take(at_lines *l, const char *name, char *text, size_t size,
                            attend_error *err);
void at_lines_free(at_lines *l);

#endif
