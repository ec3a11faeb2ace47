/* attend_verify: every file of a model that has a checksum. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attend.h"
#include "base/checksum_list.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "models/model.h"
#include "store/safetensors.h"

/* where lists of checksums are, from the model's folder */
static const char *const folders[] = {"", "tokenizer", "source", "target", "training"};
enum { FOLDERS = sizeof folders / sizeof *folders };

typedef struct {
    attend_verified_function *function;
    void *user;
    size_t files;        /* that were verified, or could not be */
    attend_error first;  /* fault */
    attend_status ended; /* negative: by the function, with its error here */
    attend_error why;
} verifier;

static void report(verifier *v, const char *path, bool checksums, const attend_error *fault)
{
    attend_verified found = {
        .path = path, .checksums = checksums, .fault = fault ? fault->message : NULL};
    if (fault && v->first.status >= 0)
        v->first = *fault;
    if (v->function && v->ended >= 0)
        v->ended = v->function(v->user, &found, &v->why);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- tensors ------------------------------------------------------------------------------- */

static attend_status verify_tensor(const at_safetensors *file, const at_stored *t,
                                   attend_error *fault)
{
    attend_status status = at_safetensors_verify(file, t, fault);
    return status < 0 || !at_dtype_is_float(t->dtype) ? status
                                                      : at_safetensors_check_finite(file, t, fault);
}

static void verify_tensors(verifier *v, const char *path)
{
    at_safetensors *file;
    attend_error fault;
    bool intact = true;
    v->files++;
    if (at_safetensors_open(path, &file, &fault) < 0) {
        report(v, path, true, &fault);
        return;
    }
    for (int i = 0; i < at_safetensors_count(file); i++)
        if (verify_tensor(file, at_safetensors_at(file, i), &fault) < 0) {
            report(v, path, true, &fault);
            intact = false;
        }
    if (intact)
        report(v, path, at_safetensors_has_checksums(file), NULL);
    at_safetensors_close(file);
}

static int is_weights(const struct dirent *e)
{
    return e->d_name[0] != '.' && at_file_ends(e->d_name, ".safetensors");
}

/* all files of tensors in a folder, in the order of their names */
static attend_status verify_weights(verifier *v, const char *folder, attend_error *err)
{
    struct dirent **entry;
    attend_status status = ATTEND_OK;
    int count = scandir(folder, &entry, is_weights, alphasort);
    if (count < 0)
        return at_file_fail(err, folder, "cannot read");
    for (int i = 0; i < count; i++) {
        char *path = status < 0 ? NULL : at_file_join(folder, entry[i]->d_name);
        if (path)
            verify_tensors(v, path);
        else if (status >= 0)
            status = at_error_memory(err);
        at_free(path);
        free(entry[i]);
    }
    free(entry);
    return status;
}

/* ---- small files --------------------------------------------------------------------------- */

static void report_small(void *user, const char *path, const attend_error *fault)
{
    verifier *v = user;
    v->files++;
    report(v, path, true, fault);
}

/* Names the folder where small files have no list; the list of a tokenizer is in its own folder. */
static attend_status verify_folder(verifier *v, const char *folder, attend_error *err)
{
    char *list = at_file_join(folder, ATTEND_CHECKSUM_LIST);
    attend_status status = list ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && at_file_exists(list))
        at_checksum_list_verify(folder, report_small, v, NULL);
    else if (status >= 0)
        report(v, folder, false, NULL);
    at_free(list);
    return status < 0 ? status : verify_weights(v, folder, err);
}

/* ---- all ----------------------------------------------------------------------------------- */

typedef attend_status for_folder(void *user, const char *folder, attend_error *err);

/* the folder and those of folders[] that are in it */
static attend_status each_folder(const char *path, for_folder *run, void *user, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < FOLDERS && status >= 0; i++) {
        char *folder = *folders[i] ? at_file_join(path, folders[i]) : at_strdup(path);
        if (!folder)
            status = at_error_memory(err);
        else if (is_folder(folder))
            status = run(user, folder, err);
        at_free(folder);
    }
    return status;
}

/* ---- does it open? ------------------------------------------------------------------------- */

/* a folder of another program's model need not open */
static void open_model(const char *folder, const char *type, attend_error *fault)
{
    attend_model *model = NULL;
    if (type && at_model_kind_of(type))
        attend_model_open(folder, &model, fault);
    attend_model_free(model);
}

/* A run has neither weights nor metrics before its first validation. */
static bool is_before_validation(const char *folder)
{
    static const char *const later[] = {"model.safetensors", "training/metrics.jsonl"};
    bool before = true;
    for (int i = 0; i < 2 && before; i++) {
        char *path = at_file_join(folder, later[i]);
        before = path && !at_file_exists(path);
        at_free(path);
    }
    return before;
}

/* Files that are missing have no checksum to be wrong: the model does not open. */
static attend_status verify_opens(verifier *v, const char *folder, attend_error *err)
{
    json_t *config = NULL;
    attend_error fault = {.status = ATTEND_OK};
    char *path = at_file_join(folder, "config.json");
    if (!path)
        return at_error_memory(err);
    if (!is_before_validation(folder) && at_file_exists(path)
        && at_json_load(path, &config, &fault) >= 0) {
        const char *type = json_string_value(json_object_get(config, "model_type"));
        open_model(folder, type, &fault);
    }
    if (fault.status < 0)
        report(v, folder, true, &fault);
    json_decref(config);
    at_free(path);
    return ATTEND_OK;
}

static attend_status verify_one(void *user, const char *folder, attend_error *err)
{
    return verify_folder(user, folder, err);
}

attend_status attend_verify(const char *path, attend_verified_function *function, void *user,
                            attend_error *err)
{
    verifier v = {.function = function, .user = user};
    attend_status status = ATTEND_OK;
    if (is_folder(path)) {
        status = each_folder(path, verify_one, &v, err);
        if (status >= 0 && v.files && v.first.status >= 0)
            status = verify_opens(&v, path, err);
    } else if (!at_file_exists(path))
        status = at_error(err, ATTEND_FILE, "%s: no such file or folder; check the path",
                          at_show(path).text);
    else
        verify_tensors(&v, path);
    if (status >= 0 && v.ended < 0) {
        if (err)
            *err = v.why;
        return v.ended;
    }
    if (status >= 0 && !v.files)
        return at_error(err, ATTEND_FORMAT,
                        "%s: has neither weights nor checksums; a model is the folder that attend "
                        "train made, its --out",
                        at_show(path).text);
    if (status < 0 || v.first.status >= 0)
        return status;
    if (err)
        *err = v.first;
    return v.first.status;
}

static attend_status update_one(void *user, const char *folder, attend_error *err)
{
    int *lists = user;
    char *list = at_file_join(folder, ATTEND_CHECKSUM_LIST);
    attend_status status = list ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && at_file_exists(list)) {
        status = at_checksum_list_update(folder, err);
        ++*lists;
    }
    at_free(list);
    return status;
}

attend_status attend_checksums_update(const char *path, attend_error *err)
{
    if (!at_file_exists(path))
        return at_error(err, ATTEND_FILE, "%s: no such folder; check the path", at_show(path).text);
    if (!is_folder(path))
        return at_error(err, ATTEND_OPTION,
                        "%s: is not a folder; checksums of edited files are those of a model's or "
                        "a tokenizer's folder",
                        at_show(path).text);
    int lists = 0;
    attend_status status = each_folder(path, update_one, &lists, err);
    return status < 0 || lists
               ? status
               : at_error(err, ATTEND_FORMAT, "%s: has no checksums to update", at_show(path).text);
}
