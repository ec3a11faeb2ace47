/* What attend_evaluate found, for people and programs. */
#ifndef ATTEND_CLI_EVALUATION_H
#define ATTEND_CLI_EVALUATION_H

#include "base/json.h"
#include "base/json_write.h"
#include "cli/cli.h"

/* how a range of lengths is called: "11-15", "over 50" */
typedef struct {
    char text[32];
} at_range_name;

at_range_name at_range_print(const attend_length_range *r);

void at_evaluation_text(at_str *out, const attend_evaluation *e, int columns, bool utf8);
void at_evaluation_json(at_json_out *j, const char *key, const attend_evaluation *e);

enum { ATTEND_RANGES_MOST = 8 }; /* lengths that are read */

/* The same from a JSON object; file stands for it in messages. Release it with attend_free. */
attend_status at_evaluation_read(attend_evaluation **out, const json_t *json, const char *file,
                                 attend_error *err);

#endif
