/* Errors of the outside world: a status and a message in the caller's attend_error. */
#ifndef ATTEND_BASE_ERROR_H
#define ATTEND_BASE_ERROR_H

#include <stdarg.h>

#include "attend.h"

/* Fills err (which may be NULL) and returns status, so that a failing function ends with
 * `return at_error(err, ATTEND_FILE, "%s: cannot open: %s", path, strerror(errno));` */
attend_status at_error(attend_error *err, attend_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
attend_status at_error_v(attend_error *err, attend_status status, const char *format, va_list args);

/* Text from outside, fit for a terminal: in place, every control character, mark that turns the
 * direction of text, and byte that is not UTF-8 becomes '?'. Messages of at_error are. */
void at_printable(char *text);

/* "out of memory": the one message that needs no place */
attend_status at_error_memory(attend_error *err);

#endif
