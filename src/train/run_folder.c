/* The folder of a run: can it be there, is it the only one, what is there already? */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "train/retained.h"
#include "train/run_parts.h"

bool at_run_has(const at_run *r, const char *name)
{
    char *path = at_run_path(r, name);
    bool found = path && at_file_exists(path);
    at_free(path);
    return found;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The folder, or the one that it would be made in, must take files: better known now than after
 * an hour of reading. */
static attend_status check_place(const char *out, attend_error *err)
{
    char path[PATH_MAX];
    if (strlen(out) >= sizeof path)
        return at_error(err, ATTEND_OPTION, "--out: the name is too long");
    strcpy(path, out);
    while (*path && !at_file_exists(path)) {
        char *slash = strrchr(path, '/');
        if (slash == path)
            slash++;
        if (!slash || !*slash)
            strcpy(path, slash ? "/" : ".");
        else
            *slash = '\0';
    }
    if (*path && !is_folder(path))
        return at_error(err, ATTEND_FILE, "%s: %s is a file, not a folder; choose another --out",
                        at_show(out).text, at_show(path).text);
    if (access(*path ? path : ".", W_OK | X_OK) < 0)
        return at_error(err, ATTEND_FILE, "%s: cannot write into %s: %s; choose another --out",
                        at_show(out).text, at_show(path).text, strerror(errno));
    return ATTEND_OK;
}

static bool same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev
           && one.st_ino == other.st_ino;
}

static attend_status no_run(const at_run *r, attend_error *err)
{
    return at_error(err, ATTEND_OPTION, "%s: there is no run to go on with; %s",
                    at_show(r->settings.out).text,
                    at_run_has(r, "config.json")
                        ? "--init-from begins a run elsewhere with its weights, --overwrite "
                          "starts anew"
                        : "check the name, or leave --resume out");
}

attend_status at_run_check_folder(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (!s->out)
        return at_error(err, ATTEND_OPTION, "where does the model go? --out FOLDER says it");
    if (s->resume && s->overwrite)
        return at_error(err, ATTEND_OPTION,
                        "--resume and --overwrite: go on with the run, or start anew; leave one of "
                        "them out");
    if (s->resume && !at_run_has(r, "training"))
        return no_run(r, err);
    if (s->init_from && !s->resume && s->overwrite && same_folder(s->init_from, s->out))
        return at_error(err, ATTEND_OPTION,
                        "--init-from and --out are one folder: its model would be gone before "
                        "there is another; choose another --out");
    return check_place(s->out, err);
}

/* ---- the lock ------------------------------------------------------------------------------ */

static attend_status lock_file(at_run *r, const char *path, attend_error *err)
{
    r->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (r->lock < 0 && errno == ELOOP)
        return at_error(err, ATTEND_FILE,
                        "%s: is a symbolic link, which a lock may not be; remove it",
                        at_show(path).text);
    if (r->lock < 0)
        return at_file_fail(err, path, "cannot write");
    if (flock(r->lock, LOCK_EX | LOCK_NB) < 0)
        return at_error(err, ATTEND_FILE,
                        "%s: another run is training here; wait for it, or choose another --out",
                        at_show(r->settings.out).text);
    return ATTEND_OK;
}

/* The lock goes with the process, however it ends. */
attend_status at_run_lock(at_run *r, attend_error *err)
{
    char *folder = at_run_path(r, "training"), *path = at_run_path(r, "training/lock");
    bool new_out = !at_file_exists(r->settings.out), new_folder = !at_run_has(r, "training");
    attend_status status = folder && path ? at_folder_make(folder, err) : at_error_memory(err);
    if (status >= 0) {
        r->made = new_out ? 2 : new_folder;
        status = lock_file(r, path, err);
    }
    if (status >= 0) {
        at_folder_sweep(folder);
        at_folder_sweep(r->settings.out);
    }
    at_free(folder);
    at_free(path);
    return status;
}

void at_run_abandon(at_run *r)
{
    if (!r->made || r->has_output)
        return;
    char *folder = at_run_path(r, "training"), *path = at_run_path(r, "training/lock");
    if (folder && path) {
        unlink(path);
        rmdir(folder);
    }
    if (r->made > 1)
        rmdir(r->settings.out);
    at_free(folder);
    at_free(path);
}

/* ---- what is there already ----------------------------------------------------------------- */

/* Is the name taken, be it by a link that leads nowhere? */
static bool is_named(const at_run *r, const char *name)
{
    struct stat about;
    char *path = at_run_path(r, name);
    bool found = !path || lstat(path, &about) == 0;
    at_free(path);
    return found;
}

/* what only a run that has trained leaves in its folder, or NULL */
static const char *trained_file(const at_run *r)
{
    static const char *const files[] = {"training/last.safetensors", "model.safetensors",
                                        "training/metrics.jsonl", "training/average.safetensors"};
    int64_t step;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (is_named(r, files[i]))
            return files[i];
    char *folder = at_run_path(r, "training");
    bool kept = !folder || at_retained_steps(folder, &step, 1) > 0;
    at_free(folder);
    return kept ? "training/step-*.safetensors" : NULL;
}

/* A run that was killed before its first checkpoint has only its settings: it starts at update 0.
 * Where anything was trained, starting over would replace it. */
attend_status at_run_find_checkpoint(at_run *r, attend_error *err)
{
    if (at_run_has(r, "training/last.safetensors"))
        return ATTEND_OK;
    if (!at_run_has(r, "training/settings.yaml"))
        return no_run(r, err);
    const char *trained = trained_file(r), *out = r->settings.out;
    if (trained)
        return at_error(err, ATTEND_FILE,
                        "%.60s/training/last.safetensors, the checkpoint, cannot be reached, but "
                        "%s shows that the run has trained; restore the checkpoint, start from the "
                        "best weights with --init-from %.60s and another --out, or start over with "
                        "--overwrite in place of --resume",
                        at_show(out).text, trained, at_show(out).text);
    r->restarts = true;
    r->settings.resume = false;
    at_run_say(r, "no checkpoint yet: the run begins at update 0");
    return ATTEND_OK;
}

/* What a run leaves in its folder beside config.json, which comes first; the last one is its
 * settings. */
static const char *const leaves[] = {"model.safetensors",
                                     "training/last.safetensors",
                                     "training/average.safetensors",
                                     "training/metrics.jsonl",
                                     "training/test.tsv",
                                     "training/test.txt",
                                     "training/test.safetensors",
                                     "training/curves.svg",
                                     "training/curves.png",
                                     "training/curves.pdf",
                                     "training/" ATTEND_CHECKSUM_LIST,
                                     "training/settings.yaml",
                                     NULL};

attend_status at_run_check_empty(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (s->overwrite || r->restarts)
        return ATTEND_OK;
    if (at_run_has(r, "config.json") || at_run_has(r, "training/settings.yaml"))
        return at_error(
            err, ATTEND_OPTION, "%s: there is %s; %s--overwrite starts anew", at_show(s->out).text,
            at_run_has(r, "model.safetensors") ? "a model" : "an unfinished run",
            at_run_has(r, "training/last.safetensors") || at_run_has(r, "training/settings.yaml")
                ? "--resume goes on with it, "
                : "");
    for (const char *const *name = leaves; *name; name++)
        if (at_run_has(r, *name))
            return at_error(err, ATTEND_OPTION,
                            "%s: there is a file %s, which is not of a run; choose another --out, "
                            "or --overwrite removes it",
                            at_show(s->out).text, *name);
    return ATTEND_OK;
}

attend_status at_run_clear(at_run *r, attend_error *err)
{
    r->has_output = true;
    for (const char *const *name = leaves; *name; name++) {
        if (r->restarts && !name[1])
            break; /* its settings stay */
        char *path = at_run_path(r, *name);
        bool stays = path && unlink(path) < 0 && errno != ENOENT;
        attend_status status = !path   ? at_error_memory(err)
                               : stays ? at_file_fail(err, path, "cannot remove")
                                       : ATTEND_OK;
        at_free(path);
        if (status < 0)
            return status;
    }
    char *folder = at_run_path(r, "training");
    if (folder)
        at_retained_clear(folder);
    at_free(folder);
    return ATTEND_OK;
}
