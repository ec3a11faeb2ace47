#include "data/split_files.h"

#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/split.h"

/* "train", "train.de", but not "training.log" */
static bool is_part(const char *name)
{
    for (int i = 0; i < ATTEND_PARTS; i++) {
        size_t size = strlen(at_part_names[i]);
        if (strncmp(name, at_part_names[i], size) == 0 && (!name[size] || name[size] == '.'))
            return true;
    }
    return false;
}

static bool is_written(const char *name, char *const *written, int count)
{
    for (int i = 0; i < count; i++) {
        const char *slash = written[i] ? strrchr(written[i], '/') : NULL;
        if (written[i] && strcmp(slash ? slash + 1 : written[i], name) == 0)
            return true;
    }
    return false;
}

/* the first of them in the order of names, to be freed */
static attend_status find_stale(DIR *d, char *const *written, int count, char **found,
                                attend_error *err)
{
    for (struct dirent *e; (e = readdir(d));) {
        if (!is_part(e->d_name) || is_written(e->d_name, written, count)
            || (*found && strcmp(*found, e->d_name) <= 0))
            continue;
        at_free(*found);
        *found = at_strdup(e->d_name);
        if (!*found)
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

attend_status at_split_files_check(const char *folder, char *const *written, int count,
                                   attend_error *err)
{
    char *name = NULL;
    DIR *d = opendir(folder);
    if (!d)
        return ATTEND_OK; /* it is to be made */
    attend_status status = find_stale(d, written, count, &name, err);
    closedir(d);
    char *path = name ? at_file_join(folder, name) : NULL;
    if (name)
        status = at_error(
            err, ATTEND_OPTION,
            "%s is there and would not be replaced, so that it would stand beside the "
            "new parts; remove it, or choose another folder",
            at_show(path ? path : name).text);
    at_free(path);
    at_free(name);
    return status;
}
