/* A reading (attend.h) for people. */
#ifndef ATTEND_CLI_READING_H
#define ATTEND_CLI_READING_H

#include "cli/cli.h"

/* Scores, weights and context as tables, and with plot the weights as a heat map. What is too large
 * for a screen is cut, and said to be. */
attend_status at_reading_write(at_str *out, const at_cli *cli, const attend_reading *reading,
                               bool plot, attend_error *err);

/* The weights as a heat map, one for each sentence and head, into a PNG, SVG or PDF file. */
attend_status at_reading_draw(const char *path, const attend_reading *reading, attend_error *err);

#endif
