/* How far a long job is: the share done, the time left, one line of it. Knows no clock and no
 * terminal: the caller brings the time, in seconds from anywhere. */
#ifndef ATTEND_BASE_PROGRESS_H
#define ATTEND_BASE_PROGRESS_H

#include <stdbool.h>

#include "base/str.h"

typedef struct {
    long first, total; /* the step at which this run started (not 0 after a resume); the last */
    double started;    /* when it did */
    long shown;        /* the last step drawn, or -1 */
    double shown_at;
    double aside, ahead; /* seconds that were no steps; such seconds still to come, about */
} at_progress;

void at_progress_start(at_progress *p, long first, long total, double now);

/* Is it time to draw again: ten times a second, and at the last step? Then it counts as drawn. */
bool at_progress_due(at_progress *p, long step, double now);

/* seconds left at the average speed of this run's steps; negative while it is not known */
double at_progress_left(const at_progress *p, long step, double now);

/* " 45 %  ########..........  450/1000  TEXT  0:03 left" in less than `columns` columns: the bar
 * gets what the rest leaves */
void at_progress_line(at_str *out, const at_progress *p, long step, double now, const char *text,
                      int columns, bool utf8);

/* 3 as "0:03", 3723 as "1:02:03" */
void at_progress_time(at_str *out, double seconds);

#endif
