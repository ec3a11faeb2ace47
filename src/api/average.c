#include <string.h>
#include <sys/stat.h>

#include "attend.h"
#include "base/config.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/average.h"
#include "store/model_copy.h"
#include "store/weights.h"

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* the folder of a model, from a path of it or of a file of weights in it or in its training/;
 * at_free it */
static char *folder_of(const char *path)
{
    if (is_folder(path))
        return at_strdup(path);
    char *folder = at_strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!slash)
        return folder ? at_free(folder), at_strdup(".") : NULL;
    *slash = '\0';
    char *last = strrchr(folder, '/');
    if (strcmp(last ? last + 1 : folder, "training") != 0)
        return folder;
    if (!last)
        return at_free(folder), at_strdup(".");
    *last = '\0';
    return folder;
}

static attend_status refuse_old(const char *folder, char **weights, attend_error *err)
{
    *weights = at_file_join(folder, "model.safetensors");
    if (!*weights)
        return at_error_memory(err);
    if (at_file_exists(*weights))
        return at_error(err, ATTEND_OPTION,
                        "%s: there is a model already; remove it, or choose another folder",
                        at_show(folder).text);
    return ATTEND_OK;
}

/* weights alone, in a folder of anything, make no model */
static attend_status check_model(const char *folder, attend_error *err)
{
    char *config = at_file_join(folder, "config.json");
    if (!config)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    if (!at_file_exists(config))
        status = at_error(
            err, ATTEND_FORMAT,
            "%s: there is no config.json; weights are averaged in the folder of their "
            "model",
            at_show(folder).text);
    at_free(config);
    return status;
}

/* the files of weights; at_free each of them */
static attend_status files_of(size_t count, const char *const *path, char **file, attend_error *err)
{
    for (size_t i = 0; i < count; i++) {
        file[i] = is_folder(path[i]) ? at_file_join(path[i], "model.safetensors")
                                     : at_strdup(path[i]);
        if (!file[i])
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

/* ---- models of one training? --------------------------------------------------------------- */

/* what its training was told, where that is known: empty without it */
static void load_settings(at_config *config, const char *path)
{
    attend_error ignored;
    char *folder = folder_of(path);
    char *file = folder ? at_file_join(folder, "training/settings.yaml") : NULL;
    *config = (at_config){0};
    if (file && at_file_exists(file) && at_config_load(config, file, &ignored) < 0) {
        at_config_free(config);
        *config = (at_config){0};
    }
    at_free(file);
    at_free(folder);
}

static const char *value_of(const at_config *config, const char *name)
{
    const at_config_entry *e = at_config_find(config, name);
    return e && e->value ? e->value : "";
}

static bool warn_of(const at_config *one, const at_config *other, const char *const *path)
{
    static const char *const names[] = {"preset",    "seed",      "data",  "src",
                                        "tgt",       "attention", "place", "output",
                                        "tokenizer", "init-from", "swap",  NULL};
    for (const char *const *name = names; one->count && other->count && *name; name++) {
        const char *a = value_of(one, *name), *b = value_of(other, *name);
        if (strcmp(a, b) == 0)
            continue;
        at_log(
            ATTEND_LOG_WARNING,
            "%s and %s are of different trainings, with %s %s and %s; such weights seldom have a "
            "useful mean: `attend translate` with both averages what they say",
            at_show(path[0]).text, at_show(path[1]).text, *name, *a ? at_show(a).text : "none",
            *b ? at_show(b).text : "none");
        return true;
    }
    return false;
}

/* Warns of the first that is not of the training of the first of all. */
static void check_trainings(const char *const *paths, size_t count)
{
    at_config first, other;
    bool warned = false;
    load_settings(&first, paths[0]);
    for (size_t i = 1; i < count && !warned; i++) {
        load_settings(&other, paths[i]);
        warned = warn_of(&first, &other, (const char *const[]){paths[0], paths[i]});
        at_config_free(&other);
    }
    at_config_free(&first);
}

attend_status attend_average(const char *const *paths, size_t count, const char *out,
                             attend_error *err)
{
    if (count < 1 || count > 1 << 20)
        return at_error(err, ATTEND_OPTION, "a mean needs at least one model");
    char **file = at_alloc_zero(count, sizeof *file), *folder = folder_of(paths[0]);
    char *weights = NULL;
    at_params *mean = at_params_new(0);
    attend_status status = file && folder && mean ? refuse_old(out, &weights, err)
                                                  : at_error_memory(err);
    if (status >= 0)
        status = files_of(count, paths, file, err);
    if (status >= 0 && at_file_exists(file[0])) /* else that is what is wrong */
        status = check_model(folder, err);
    if (status >= 0)
        status = at_weights_average((const char *const *)file, (int)count, mean, err);
    if (status >= 0)
        check_trainings(paths, count);
    if (status >= 0 && (status = at_model_copy(folder, out, err)) >= 0)
        status = at_weights_save(weights, mean, err);
    for (size_t i = 0; file && i < count; i++)
        at_free(file[i]);
    if (mean)
        at_params_free(mean);
    at_free(file);
    at_free(folder);
    at_free(weights);
    return status;
}
