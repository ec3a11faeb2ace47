#include "train/metrics.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

void at_metrics_add(at_metrics *m, attend_metric metric)
{
    assert(m->count < ATTEND_METRICS_MOST);
    m->item[m->count++] = metric;
}

const attend_metric *at_metrics_find(const at_metrics *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->item[i].name, name) == 0)
            return &m->item[i];
    return NULL;
}

double at_metric_goodness(const attend_metric *m) { return m->falls ? -m->value : m->value; }

attend_status at_metrics_keep(const at_metrics *m, const char *path, long long step, double epoch,
                              int best, attend_error *err)
{
    FILE *f = fopen(path, "a");
    if (!f)
        return at_error(err, ATTEND_FILE, "%s: %s", at_show(path).text, strerror(errno));
    fprintf(f, "{\"step\": %lld, \"epoch\": %.4f", step, epoch);
    for (int i = 0; i < m->count; i++)
        if (isfinite(m->item[i].value))
            fprintf(f, ", \"%s\": %.9g", m->item[i].name, m->item[i].value);
        else
            fprintf(f, ", \"%s\": null", m->item[i].name);
    fprintf(f, ", \"best\": %s}\n", best ? "true" : "false");
    bool failed = ferror(f);
    failed |= fclose(f) != 0;
    return failed ? at_error(err, ATTEND_FILE, "%s: %s", at_show(path).text, strerror(errno))
                  : ATTEND_OK;
}
