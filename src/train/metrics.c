#include "train/metrics.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

attend_status at_metrics_keep(const at_metrics *m, const char *path, const at_metrics_line *line,
                              attend_error *err)
{
    FILE *f = fopen(path, "a");
    if (!f)
        return at_error(err, ATTEND_FILE, "%s: %s", at_show(path).text, strerror(errno));
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

static attend_status replace(const char *path, const at_str *text, attend_error *err)
{
    at_writer *w;
    attend_status status = text->failed ? at_error_memory(err) : at_writer_open(&w, path, err);
    if (status < 0)
        return status;
    at_writer_write(w, at_str_text(text), text->length);
    return at_writer_commit(w, err);
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
        status = replace(path, &kept, err);
    at_str_free(&kept);
    at_free(text);
    return status;
}
