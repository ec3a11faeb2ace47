/* Is a SentencePiece model safe to load? Its library believes what a file says: a wrong place in
 * the table of character rules reads foreign memory, and some faults end the whole program. So the
 * file is read through here first, with every size and place checked. */
#ifndef ATTEND_TEXT_SPIECE_CHECK_H
#define ATTEND_TEXT_SPIECE_CHECK_H

#include <stddef.h>

#include "base/error.h"

/* file stands for the model in messages. */
attend_status at_spiece_check(const void *model, size_t size, const char *file, attend_error *err);

#endif
