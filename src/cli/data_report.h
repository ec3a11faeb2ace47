/* What `attend data check` found, for people and as JSON. */
#ifndef ATTEND_CLI_DATA_REPORT_H
#define ATTEND_CLI_DATA_REPORT_H

#include "attend_data.h"
#include "cli/cli.h"

/* columns: of the terminal */
void at_data_report_text(at_str *out, const attend_check *check, int columns);
void at_data_report_json(at_str *out, const attend_check *check);

#endif
