/* What a validation found: numbers with names, the loss first. */
#ifndef ATTEND_TRAIN_METRICS_H
#define ATTEND_TRAIN_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "attend.h"
#include "base/error.h"

enum { ATTEND_METRICS_MOST = 8 };

typedef struct {
    attend_metric item[ATTEND_METRICS_MOST];
    int count;
} at_metrics;

void at_metrics_add(at_metrics *m, attend_metric metric);                    /* the most at most */
const attend_metric *at_metrics_find(const at_metrics *m, const char *name); /* or NULL */

/* Larger is better. */
double at_metric_goodness(const attend_metric *m);

/* the rest of a line: where the run was */
typedef struct {
    int64_t step;
    double epoch;
    int shards; /* of a batch */
    bool best;
} at_metrics_line;

/* Adds a line to a JSONL file. */
attend_status at_metrics_keep(const at_metrics *m, const char *path, const at_metrics_line *line,
                              attend_error *err);

/* Takes away the lines behind a step, and one that was never finished: a run that goes on from
 * there will write them again. A file that is not there is well. */
attend_status at_metrics_forget(const char *path, long long step, attend_error *err);

#endif
