/* Warnings about lines of text: bytes that are not text, or that other programs misread. They are
 * counted while lines are read and reported once, so that nothing is skipped in silence. */
#ifndef ATTEND_CLI_LINE_WARNINGS_H
#define ATTEND_CLI_LINE_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    long times, first; /* lines that have it, and the first of them, from 1 */
} at_line_warning;

typedef struct {
    at_line_warning invalid, zeros, carriages, tabs;
    bool mark;
    bool texts;  /* lines are texts, and tabs odd: they come of tables; set it after opening */
    bool blanks; /* zeros were read as such */
} at_line_warnings;

/* Counts what is odd about a line without its \n, and takes what is no part of its text: a
 * byte-order mark off the first line, and a \r off the end. */
void at_line_warnings_take(at_line_warnings *o, long line, const char **text, size_t *size);

/* Logs what was found in the file of that name, as warnings or notes, and forgets it. */
void at_line_warnings_report(at_line_warnings *o, const char *name);

#endif
