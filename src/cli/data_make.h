/* attend data make: examples by a rule, as lines SOURCE, a tab, TARGET. */
#ifndef ATTEND_CLI_DATA_MAKE_H
#define ATTEND_CLI_DATA_MAKE_H

#include "cli/cli.h"

typedef struct {
    const char *maker;
    int count, seed, size; /* as attend_data_make has them */
    const char *out;       /* a file, or NULL: standard output */
} at_making;

attend_status at_data_make(const at_making *m, attend_error *err);

#endif
