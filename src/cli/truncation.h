/* Lines that were longer than the limit: counted, and reported at the end. */
#ifndef ATTEND_CLI_TRUNCATION_H
#define ATTEND_CLI_TRUNCATION_H

#include "cli/cli.h"

typedef struct {
    long count;
    int longest; /* tokens that are read of one: a model may have fewer positions than the limit */
    const char *of; /* "frames"; NULL: pieces */
} at_truncation;

/* A line, of which so many pieces were read. */
static inline void at_truncation_note(at_truncation *c, bool cut, int read)
{
    c->count += cut;
    c->longest = cut ? read : c->longest;
}

/* "3 lines have more than 1000 pieces; `what`" to standard error, unless none was cut. */
void at_truncation_report(const at_truncation *c, const at_cli *cli, const char *unit,
                          const char *what);

#endif
