/* What attend measure reads: hypotheses, references, and a source for the lengths of lines. */
#ifndef ATTEND_CLI_MEASURE_INPUT_H
#define ATTEND_CLI_MEASURE_INPUT_H

#include "base/option.h"
#include "cli/lines.h"

enum { ATTEND_SYSTEMS_MOST = 16 };

typedef struct {
    int systems, references;
    at_lines
        hypothesis[ATTEND_SYSTEMS_MOST + 1]; /* the baseline is the last one, if there is one */
    at_lines reference[ATTEND_PATHS_MAX];
    at_lines source; /* lines.name is NULL where there is none */
    bool squad_v1;   /* said by the version of a SQuAD file */
} at_measure_input;

/* Reads the files; "-" is standard input, once. */
attend_status at_measure_read(at_measure_input *in, at_cli *cli, int systems,
                              const char *const *hypotheses, const at_paths *references,
                              const char *source, attend_error *err);
void at_measure_input_free(at_measure_input *in);

/* ---- SQuAD's own files: measure_squad.c ---- */

/* ends in .json */
bool at_is_json(const char *path);

/* A data set as on SQuAD's site, and predictions {"id": "answer"}, as lines. Questions without
 * prediction are empty answers in version 1.1 and are left out in 2.0, with a warning either way.
 */
attend_status at_measure_read_squad(at_measure_input *in, at_cli *cli, int systems,
                                    const char *const *predictions, const char *data,
                                    attend_error *err);

#endif
