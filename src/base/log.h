/* Messages to whoever asked for them with attend_set_log; dropped when nobody did. */
#ifndef ATTEND_BASE_LOG_H
#define ATTEND_BASE_LOG_H

#include "attend.h"

/* One line without its newline; what is longer than 1000 bytes is cut and ends in "...". Allocates
 * nothing, so it can report that memory ran out. */
void at_log(attend_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
