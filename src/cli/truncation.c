#include "cli/truncation.h"

#include <stdio.h>

void at_truncation_report(const at_truncation *c, const at_cli *cli, const char *unit,
                          const char *what)
{
    if (c->count)
        fprintf(stderr, "attend %s: %ld %s%s more than %d %s; %s\n", cli->command, c->count, unit,
                c->count == 1 ? " has" : "s have", c->longest, c->of ? c->of : "pieces", what);
}
