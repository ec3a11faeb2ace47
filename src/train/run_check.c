/* What can be refused before any data is read. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/split.h"
#include "train/kept.h"
#include "train/run_parts.h"
#include "train/settings.h"

/* ---- the folder ----------------------------------------------------------------------------- */

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

/* The folder, or the one that it would be made in, must take files: better known now than behind
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
    bool kept = !folder || at_kept_steps(folder, &step, 1) > 0;
    at_free(folder);
    return kept ? "training/step-*.safetensors" : NULL;
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

/* A run that was killed before its first checkpoint has only its settings: it starts at update 0.
 * Where anything was trained, starting over would replace it. */
static attend_status find_run(at_run *r, attend_error *err)
{
    attend_status status = at_run_has(r, "training") ? at_run_lock(r, err) : ATTEND_OK;
    if (status < 0 || at_run_has(r, "training/last.safetensors"))
        return status;
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
    r->again = true;
    r->settings.resume = false;
    at_run_say(r, "no checkpoint yet: the run begins at update 0");
    return ATTEND_OK;
}

const char *const at_run_leaves[] = {"model.safetensors",
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

attend_status at_run_check_taken(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (s->overwrite || r->again)
        return ATTEND_OK;
    if (at_run_has(r, "config.json") || at_run_has(r, "training/settings.yaml"))
        return at_error(
            err, ATTEND_OPTION, "%s: there is %s; %s--overwrite starts anew", at_show(s->out).text,
            at_run_has(r, "model.safetensors") ? "a model" : "an unfinished run",
            at_run_has(r, "training/last.safetensors") || at_run_has(r, "training/settings.yaml")
                ? "--resume goes on with it, "
                : "");
    for (const char *const *name = at_run_leaves; *name; name++)
        if (at_run_has(r, *name))
            return at_error(err, ATTEND_OPTION,
                            "%s: there is a file %s, which is not of a run; choose another --out, "
                            "or --overwrite removes it",
                            at_show(s->out).text, *name);
    return ATTEND_OK;
}

static bool same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev
           && one.st_ino == other.st_ino;
}

static attend_status check_folder(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (!s->out)
        return at_error(err, ATTEND_OPTION, "where does the model go? --out FOLDER says it");
    if (s->resume && s->overwrite)
        return at_error(err, ATTEND_OPTION,
                        "--resume and --overwrite: go on with the run, or start anew; leave one of "
                        "them out");
    if (s->resume)
        return find_run(r, err);
    if (s->init_from && s->overwrite && same_folder(s->init_from, s->out))
        return at_error(err, ATTEND_OPTION,
                        "--init-from and --out are one folder: its model would be gone before "
                        "there is another; choose another --out");
    /* who trains there is told before what there is */
    attend_status status = at_run_has(r, "training/lock") ? at_run_lock(r, err) : ATTEND_OK;
    return status < 0 ? status : at_run_check_taken(r, err);
}

/* ---- values -------------------------------------------------------------------------------- */

static attend_status check_watch(const char *watch, const at_job *job, attend_error *err)
{
    if (watch && at_word_place(job->metrics, watch, strlen(watch)) < 0)
        return at_error(err, ATTEND_OPTION, "--watch %.40s: a validation of %s finds: %s", watch,
                        job->name, job->metrics);
    return ATTEND_OK;
}

static attend_status check_tokenizer(const at_run_settings *s, attend_error *err)
{
    if (at_tokenizer_kind_find(s->tokenizer) || !at_file_exists(s->tokenizer))
        return at_tokenizer_kind_check(s->tokenizer, err);
    if (s->vocabulary || s->min_count || s->lower || s->pretokenised)
        return at_error(err, ATTEND_OPTION,
                        "--tokenizer %s has its vocabulary already; leave --vocabulary, "
                        "--min-count, --lower and --pretokenised out",
                        at_show(s->tokenizer).text);
    return ATTEND_OK;
}

/* a share, a number, or a file that is there */
static attend_status check_parts(const at_run_settings *s, attend_error *err)
{
    at_share share;
    attend_error ignored;
    if (s->valid && !at_file_exists(s->valid)
        && at_share_parse(&share, s->valid, "--valid", &ignored) < 0)
        return at_error(err, ATTEND_OPTION,
                        "--valid %s: there is no such file, and it is no share; a share is 5%%, "
                        "0.05 or 1000",
                        at_show(s->valid).text);
    if (s->valid_tgt && !at_run_valid_is_file(s))
        return at_error(err, ATTEND_OPTION,
                        "--valid-tgt %s: its sources are missing; --valid FILE has them",
                        at_show(s->valid_tgt).text);
    return at_share_parse(&share, s->test, "--test", err);
}

static attend_status check_files(const at_run_settings *s, attend_error *err)
{
    const char *file[] = {s->data,
                          s->src,
                          s->tgt,
                          s->valid_tgt,
                          s->guided_alignment,
                          s->resume ? NULL : s->init_embeddings};
    if (!s->data && !s->src && !s->tgt)
        return at_error(err, ATTEND_OPTION,
                        "what is there to learn from? --data FILE, or --src FILE --tgt FILE");
    if (s->data && (s->src || s->tgt))
        return at_error(err, ATTEND_OPTION,
                        "--data has both sides; leave it out, or --src and --tgt");
    if (!s->src != !s->tgt)
        return at_error(err, ATTEND_OPTION, "--src and --tgt belong together: the %s is missing",
                        s->src ? "second" : "first");
    if (s->init_from && s->init_embeddings && !s->resume)
        return at_error(err, ATTEND_OPTION,
                        "--init-embeddings: the model of --init-from has vectors already; leave "
                        "one of the two out");
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (file[i] && strcmp(file[i], "-") != 0 && access(file[i], R_OK) < 0)
            return at_file_fail(err, file[i], "cannot open");
    return ATTEND_OK;
}

static attend_status check_learning(const at_run_settings *s, attend_error *err)
{
    at_optim_options optimiser;
    at_rate rate;
    attend_status status = at_optim_options_parse(&optimiser, s->optimiser, err);
    if (status >= 0 && at_settings_has(s->optimiser, "lr"))
        return at_error(err, ATTEND_OPTION,
                        "--optimiser %s: the learning rate of a run is --lr; leave lr out",
                        at_show(s->optimiser).text);
    if (status >= 0)
        status = at_rate_parse(&rate, s->schedule, s->lr, err);
    if (status >= 0 && rate.mode == ATTEND_PLATEAU_MAX)
        return at_error(err, ATTEND_OPTION,
                        "--schedule %s: it follows the validation loss, which should fall; leave "
                        "mode out",
                        at_show(s->schedule).text);
    return status;
}

attend_status at_run_check_values(const at_run_settings *s, const at_job *job,
                                  const at_model_kind *kind, const void *model, attend_error *err)
{
    attend_status status = check_watch(s->watch, job, err);
    if (status >= 0)
        status = at_model_check_settings(kind, model, err);
    if (status >= 0)
        status = check_learning(s, err);
    return status < 0 ? status : check_tokenizer(s, err);
}

attend_status at_run_check(at_run *r, const void *model, attend_error *err)
{
    attend_status status = check_folder(r, err);
    if (status >= 0)
        status = check_place(r->settings.out, err);
    if (status >= 0)
        status = at_run_check_values(&r->settings, r->job, r->kind, model, err);
    if (status >= 0)
        status = check_parts(&r->settings, err);
    if (status >= 0)
        status = check_files(&r->settings, err);
    return status < 0 ? status : at_run_check_features(r, err);
}
