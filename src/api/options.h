/* The caller's options, from this or another version of their struct. */
#ifndef ATTEND_API_OPTIONS_H
#define ATTEND_API_OPTIONS_H

#include "attend.h"

/* Copies the caller's options over the defaults: members that the caller's struct does not have
 * keep them, and members that this version does not know must be zero.
 *
 * own       of `size` bytes, set by the function `defaults`, whose name is for the message
 * given     the caller's, beginning with their size; may be NULL */
attend_status at_options_accept(void *own, size_t size, const void *given, const char *defaults,
                                attend_error *err);

#endif
