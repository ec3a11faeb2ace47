#include "cli/compared_reuse.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/file.h"
#include "base/memory.h"

#define REMEDY "choose another --out, or --overwrite trains anew"

/* ---- data ----------------------------------------------------------------------------------- */

static bool is_plain_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

attend_status at_file_print(char print[17], const char *path, attend_error *err)
{
    unsigned char buffer[1 << 14];
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    int file;
    snprintf(print, 17, "%016d", 0);
    if (!is_plain_file(path))
        return ATTEND_OK;
    attend_status status = at_file_open(path, &file, err);
    if (status < 0)
        return status;
    ptrdiff_t got;
    while ((got = at_file_get(file, buffer, sizeof buffer)) > 0)
        for (ptrdiff_t i = 0; i < got; i++)
            hash = (hash ^ buffer[i]) * UINT64_C(1099511628211);
    if (got < 0)
        status = at_file_fail(err, path, "cannot read");
    close(file);
    snprintf(print, 17, "%016llx", (unsigned long long)hash);
    return status;
}

attend_status at_compared_data(json_t **out, const attend_setting *parts, size_t count,
                               attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_json_start();
    *out = json_object();
    for (size_t i = 0; i < count && status >= 0; i++) {
        char print[17];
        if (!parts[i].value)
            continue;
        bool file = is_plain_file(parts[i].value);
        status = at_file_print(print, parts[i].value, err);
        json_t *part = json_pack("{s:s, s:s}", "is", at_show(parts[i].value).text, "print",
                                 file ? print : parts[i].value);
        if (status >= 0 && json_object_set_new(*out, parts[i].name, part) < 0)
            status = at_error_memory(err);
    }
    return status;
}

static const char *field(const json_t *data, const char *name, const char *key)
{
    return json_string_value(json_object_get(json_object_get(data, name), key));
}

static attend_status compare_part(const json_t *now, const json_t *then, const char *name,
                                  const char *what, attend_error *err)
{
    const char *a = field(then, name, "print"), *b = field(now, name, "print");
    const char *was = field(then, name, "is"), *is = field(now, name, "is");
    if (a && b ? strcmp(a, b) == 0 : a == b)
        return ATTEND_OK;
    was = was ? was : "nothing";
    is = is ? is : "nothing";
    if (strcmp(was, is) == 0)
        return at_error(err, ATTEND_OPTION, "%s: --%s %s has changed since; " REMEDY, what, name,
                        at_show(is).text);
    return at_error(err, ATTEND_OPTION, "%s: --%s is %s, and was %s; " REMEDY, what, name,
                    at_show(is).text, at_show(was).text);
}

attend_status at_compared_check_data(const json_t *now, const char *path, const char *what,
                                     attend_error *err)
{
    static const char *const names[] = {"data",      "src",  "tgt",     "valid",
                                        "valid-tgt", "test", "test-tgt"};
    json_t *then;
    if (!at_file_exists(path))
        return at_error(err, ATTEND_OPTION, "%s: what it was trained on is not known; " REMEDY,
                        what);
    attend_status status = at_json_load(path, &then, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && status >= 0; i++)
        status = compare_part(now, then, names[i], what, err);
    json_decref(then);
    return status;
}

/* ---- settings ------------------------------------------------------------------------------ */

/* data is known by its contents; who works changes no more than last digits */
static bool is_elsewhere(const char *name)
{
    return at_choice_find("out|data|src|tgt|valid|valid-tgt|threads", name) >= 0;
}

static bool same_value(const char *now, const char *then)
{
    char path[PATH_MAX];
    return strcmp(now, then) == 0 || (realpath(now, path) && strcmp(path, then) == 0);
}

static attend_status compare_settings(const at_config *now, const at_config *then, const char *what,
                                      attend_error *err)
{
    for (size_t i = 0; i < now->count; i++) {
        const char *name = now->entry[i].name;
        const at_config_entry *before = at_config_find(then, name);
        const char *a = before && before->value ? before->value : "nothing";
        const char *b = now->entry[i].value ? now->entry[i].value : "nothing";
        if (!is_elsewhere(name) && !same_value(b, a))
            return at_error(err, ATTEND_OPTION, "%s: --%s is %s, and was %s; " REMEDY, what,
                            at_show(name).text, at_show(b).text, at_show(a).text);
    }
    return ATTEND_OK;
}

attend_status at_compared_check_settings(const char *text, const char *folder, const char *what,
                                         attend_error *err)
{
    at_config now = {0}, then = {0};
    char *path = at_file_join(folder, "training/settings.yaml");
    attend_status status = path ? at_config_load(&then, path, err) : at_error_memory(err);
    if (status >= 0 && (status = at_config_parse(&now, "settings", text, strlen(text), err)) >= 0)
        status = compare_settings(&now, &then, what, err);
    at_config_free(&now);
    at_config_free(&then);
    at_free(path);
    return status;
}
