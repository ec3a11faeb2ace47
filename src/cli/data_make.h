/* attend data make: examples by a rule, as lines SOURCE, a tab, TARGET; sources that are feature
 * vectors go to a file of their own, OUT.safetensors beside OUT.txt, where there is an --out. */
#ifndef ATTEND_CLI_DATA_MAKE_H
#define ATTEND_CLI_DATA_MAKE_H

#include "attend_data.h"
#include "cli/cli.h"

typedef struct {
    const char *maker;
    int count, seed, size; /* as at_maker_run has them */
    const char *out;       /* a file, or NULL: standard output */
    const char *gold;      /* a file of alignment links, a line for each example; or NULL */
    const char *pictures;  /* a folder for PNG files, or NULL */
    bool overwrite;        /* files that are there */
} at_making;

attend_status at_data_make(const at_making *m, attend_error *err);

#endif
