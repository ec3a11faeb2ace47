/* Translations as JSON. */
#ifndef ATTEND_API_ATTENTION_H
#define ATTEND_API_ATTENTION_H

#include "attend.h"
#include "base/json_write.h"

/* The beginning of a translation as JSON: {"line": .. "target": [..]. sentence below 0: left out.
 */
void at_translation_json(at_json_out *j, const attend_translation *t, size_t line, int sentence,
                         bool source);

/* Ends an object, and gives its text to the caller. */
attend_status at_json_give(at_json_out *j, char **text, attend_error *err);

#endif
