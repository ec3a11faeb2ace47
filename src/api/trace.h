/* What a search did, as the caller gets it. */
#ifndef ATTEND_API_TRACE_H
#define ATTEND_API_TRACE_H

#include "decode/translate.h"

/* Puts alternatives and trace of a hypothesis into `out`, where its search has them, all in the
 * arena. False without memory. */
bool at_trace_take(at_arena *memory, const at_tokenizer *target, const at_translated *t,
                   attend_translation *out);

#endif
