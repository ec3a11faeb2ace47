#include "train/retained.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/average.h"
#include "store/weights.h"

static char *path_of(const char *folder, int64_t step)
{
    char name[48];
    snprintf(name, sizeof name, "step-%06lld.safetensors", (long long)step);
    return at_file_join(folder, name);
}

/* the step in a file's name, or -1 */
static int64_t step_in(const char *name)
{
    long long step;
    char tail;
    int end = 0;
    if (sscanf(name, "step-%lld.safetensors%n%c", &step, &end, &tail) != 1 || end == 0)
        return -1;
    return step >= 0 ? (int64_t)step : -1;
}

/* puts a step where it belongs among the `most` largest */
static int insert(int64_t *step, int count, int most, int64_t new)
{
    int at = count;
    while (at > 0 && step[at - 1] < new)
        at--;
    if (at >= most)
        return count;
    int last = count < most ? count : most - 1;
    memmove(step + at + 1, step + at, (size_t)(last - at) * sizeof *step);
    step[at] = new;
    return last + 1;
}

int at_retained_steps(const char *folder, int64_t *step, int most)
{
    DIR *d = opendir(folder);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        int64_t found = step_in(e->d_name);
        if (found >= 0)
            count = insert(step, count, most, found);
    }
    if (d)
        closedir(d);
    return count;
}

static void remove_step(const char *folder, int64_t step)
{
    char *path = path_of(folder, step);
    if (path)
        unlink(path);
    at_free(path);
}

void at_retained_clear(const char *folder)
{
    int64_t step;
    while (at_retained_steps(folder, &step, 1) > 0) {
        remove_step(folder, step);
        int64_t next;
        if (at_retained_steps(folder, &next, 1) > 0 && next == step)
            return; /* it cannot be removed */
    }
}

attend_status at_retained_save(const char *folder, int64_t step, at_params *params, int keep,
                               attend_error *err)
{
    int64_t steps[2 * ATTEND_RETAINED_MAX];
    char *path = path_of(folder, step);
    attend_status status = path ? at_weights_save(path, params, err) : at_error_memory(err);
    at_free(path);
    int count = status < 0 ? 0 : at_retained_steps(folder, steps, 2 * ATTEND_RETAINED_MAX);
    for (int i = 0, good = 0; i < count; i++) {
        bool stays = steps[i] <= step && good++ < keep;
        if (!stays)
            remove_step(folder, steps[i]);
    }
    return status;
}

attend_status at_retained_average(const char *folder, const int64_t *step, int count,
                                  at_params *out, attend_error *err)
{
    char *path[ATTEND_RETAINED_MAX] = {NULL};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < count && status >= 0; i++)
        if (!(path[i] = path_of(folder, step[i])))
            status = at_error_memory(err);
    if (status >= 0)
        status = at_weights_average((const char *const *)path, count, out, err);
    for (int i = 0; i < count; i++)
        at_free(path[i]);
    return status;
}
