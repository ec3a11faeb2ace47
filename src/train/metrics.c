#include "train/metrics.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/str.h"

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

/* A regular file: a pipe would be waited for, and lose what it gets. */
static attend_status open_to_add(const char *path, FILE **f, attend_error *err)
{
    struct stat about;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    bool regular = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    *f = regular ? fdopen(file, "a") : NULL;
    if (*f)
        return ATTEND_OK;
    attend_status status = file < 0 || regular
                               ? at_file_fail(err, path, "cannot write")
                               : at_error(err, ATTEND_FILE, "%s: is a pipe or a device; remove it",
                                          at_show(path).text);
    if (file >= 0)
        close(file);
    return status;
}

attend_status at_metrics_keep(const at_metrics *m, const char *path, const at_metrics_line *line,
                              attend_error *err)
{
    FILE *f;
    attend_status status = open_to_add(path, &f, err);
    if (status < 0)
        return status;
    char number[32];
    fprintf(f, "{\"step\": %lld, \"epoch\": %s, \"shards\": %d", (long long)line->step,
            at_number_print(number, round(line->epoch * 1e4) / 1e4), line->shards);
    for (int i = 0; i < m->count; i++)
        if (isfinite(m->item[i].value))
            fprintf(f, ", \"%s\": %s", m->item[i].name,
                    at_number_print_real(number, m->item[i].value));
        else
            fprintf(f, ", \"%s\": null", m->item[i].name);
    fprintf(f, ", \"best\": %s}\n", line->best ? "true" : "false");
    bool failed = ferror(f);
    failed |= fclose(f) != 0;
    return failed ? at_error(err, ATTEND_FILE, "%s: %s", at_show(path).text, strerror(errno))
                  : ATTEND_OK;
}

/* the step of a line, or -1 where it is no such line */
static long long step_of(const char *path, const char *line, size_t size)
{
    json_t *json;
    long long step = -1;
    if (at_json_parse(path, line, size, &json, NULL) >= 0) {
        json_t *value = json_object_get(json, "step");
        step = json_is_integer(value) ? (long long)json_integer_value(value) : -1;
        json_decref(json);
    }
    return step;
}

attend_status at_metrics_forget(const char *path, long long step, attend_error *err)
{
    enum { LIMIT = 1 << 28 };
    char *text;
    size_t size;
    at_str kept = {0};
    if (!at_file_exists(path))
        return ATTEND_OK;
    attend_status status = at_file_read(path, LIMIT, &text, &size, err);
    if (status < 0)
        return status;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        long long found = step_of(path, line, (size_t)(end - line));
        if (found >= 0 && found <= step)
            at_str_add_bytes(&kept, line, (size_t)(end - line) + 1);
    }
    if (kept.length != size || kept.failed)
        status = at_file_write(path, &kept, err);
    at_str_free(&kept);
    at_free(text);
    return status;
}
