/* attend data convert: examples in another format, to a file or to standard output. */
#ifndef ATTEND_CLI_DATA_CONVERT_H
#define ATTEND_CLI_DATA_CONVERT_H

#include "attend_data.h"
#include "cli/cli.h"

/* As attend_data_convert; out "-" is standard output, which takes no aligned files. */
attend_status at_data_convert(const char *const *paths, int count, const char *out,
                              const attend_data_options *options, attend_data_counts *counts,
                              attend_error *err);

#endif
