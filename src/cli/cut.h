/* Lines that were longer than what is read of them: counted, and told in the end. */
#ifndef ATTEND_CLI_CUT_H
#define ATTEND_CLI_CUT_H

#include "cli/cli.h"

typedef struct {
    long count;
    int longest;    /* what is read of one: a model may know fewer places than were asked for */
    const char *of; /* "frames"; NULL: pieces */
} at_cut;

/* A line, of which so many pieces were read. */
static inline void at_cut_note(at_cut *c, bool cut, int read)
{
    c->count += cut;
    c->longest = cut ? read : c->longest;
}

/* "3 lines have more than 1000 pieces; `what`" to standard error, unless none was cut. */
void at_cut_say(const at_cut *c, const at_cli *cli, const char *unit, const char *what);

#endif
