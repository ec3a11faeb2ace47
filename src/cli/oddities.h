/* What lines of text have that is no text, or that other programs stumble over: counted while they
 * are read and said once, so that nothing is skipped or passed on in silence. */
#ifndef ATTEND_CLI_ODDITIES_H
#define ATTEND_CLI_ODDITIES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    long times, first; /* lines that have it, and the first of them, from 1 */
} at_oddity;

typedef struct {
    at_oddity invalid, zeros, carriages, tabs;
    bool mark;
    bool texts;  /* lines are texts, and tabs odd: they come of tables; set it after opening */
    bool blanks; /* zeros were read as such */
} at_oddities;

/* Counts what is odd about a line without its \n, and takes what is no part of its text: a
 * byte-order mark off the first line, and a \r off the end. */
void at_oddities_take(at_oddities *o, long line, const char **text, size_t *size);

/* Says what was found in the file of that name, as warnings or notes, and forgets it. */
void at_oddities_say(at_oddities *o, const char *name);

#endif
