#include "cli/data_make.h"
#include "attend_data.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "makers/features.h"

typedef struct {
    at_writer *file, *gold; /* NULL: standard output, and none */
    at_str lines;
} output;

static attend_status flush(output *o, attend_error *err)
{
    if (!o->file)
        return at_cli_write(&o->lines, err);
    attend_status status = o->lines.failed ? at_error_memory(err) : ATTEND_OK;
    if (status >= 0)
        at_writer_write(o->file, at_str_text(&o->lines), o->lines.length);
    at_str_clear(&o->lines);
    return status;
}

static attend_status take(void *user, const at_made *made, attend_error *err)
{
    enum { BLOCK = 1 << 16 };
    output *o = user;
    at_str_print(&o->lines, "%s\t%s\n", at_str_text(&made->source), at_str_text(&made->target));
    if (o->gold) {
        at_writer_write(o->gold, at_str_text(&made->gold), made->gold.length);
        at_writer_write(o->gold, "\n", 1);
    }
    return o->lines.failed || o->lines.length > BLOCK ? flush(o, err) : ATTEND_OK;
}

/* Ends a file that was written, whole or not at all. */
static attend_status end(at_writer *file, attend_status status, attend_error *err)
{
    if (file && status >= 0)
        return at_writer_commit(file, err);
    at_writer_abort(file);
    return status;
}

static attend_status make_lines(const at_making *m, const at_maker *maker, attend_error *err)
{
    output o = {0};
    attend_error later;
    attend_status status = m->out ? at_writer_open(&o.file, m->out, err) : ATTEND_OK;
    if (status >= 0 && m->gold)
        status = at_writer_open(&o.gold, m->gold, err);
    if (status >= 0
        && (status = at_maker_run(maker, m->count, (uint64_t)m->seed, m->size, take, &o, err)) >= 0)
        status = flush(&o, err);
    else if (!m->out)
        flush(&o, &later); /* as many as the message of the failure says */
    status = end(o.gold, status, err);
    status = end(o.file, status, err);
    at_str_free(&o.lines);
    return status;
}

static attend_status may_write(const char *option, const char *path, bool overwrite,
                               attend_error *err)
{
    if (!overwrite && path && at_file_exists(path))
        return at_error(err, ATTEND_OPTION, "%s: %s exists; --overwrite replaces it", option,
                        at_show(path).text);
    return ATTEND_OK;
}

/* ---- feature vectors ----------------------------------------------------------------------- */

/* OUT, without .safetensors at its end, and this one; at_free it */
static char *named(const char *out, const char *end)
{
    static const char tensors[] = ".safetensors";
    at_str name = {0};
    at_str_add_bytes(&name, out,
                     strlen(out) - (at_file_ends(out, tensors) ? sizeof tensors - 1 : 0));
    at_str_add(&name, end);
    char *text = at_str_take(&name);
    at_str_free(&name);
    return text;
}

static attend_status make_features(const at_making *m, const at_maker *maker, attend_error *err)
{
    char *features = named(m->out, ".safetensors"), *lines = named(m->out, ".txt");
    attend_status status = features && lines ? ATTEND_OK : at_error_memory(err);
    if (status >= 0 && m->pictures)
        status = at_folder_make(m->pictures, err);
    if (status >= 0 && (status = may_write("--out", features, m->overwrite, err)) >= 0)
        status = may_write("--out", lines, m->overwrite, err);
    if (status >= 0)
        status = at_make_features(maker, m->count, (uint64_t)m->seed, m->size, features, lines,
                                  m->pictures, err);
    at_free(features);
    at_free(lines);
    return status;
}

static attend_status make(const at_making *m, const at_maker *maker, attend_error *err)
{
    if (m->gold && !maker->gold)
        return at_error(err, ATTEND_OPTION,
                        "--gold: %s does not know which words are translations of each other; "
                        "en-fr does",
                        maker->name);
    if (m->pictures && !(maker->pictures && m->out))
        return at_error(err, ATTEND_OPTION,
                        maker->pictures ? "--pictures needs --out NAME, too"
                                        : "--pictures: %s makes none; scenes does",
                        maker->name);
    if (m->out && maker->features)
        return make_features(m, maker, err);
    attend_status status = may_write("--out", m->out, m->overwrite, err);
    if (status >= 0)
        status = may_write("--gold", m->gold, m->overwrite, err);
    return status >= 0 ? make_lines(m, maker, err) : status;
}

attend_status at_data_make(const at_making *m, attend_error *err)
{
    const at_maker *maker;
    attend_status status = at_maker_named(m->maker, &maker, err);
    if (status >= 0)
        status = make(m, maker, err);
    if (status >= 0 && m->out)
        at_log(ATTEND_LOG_INFO, "%d example%s of %s in %s%s", m->count, m->count == 1 ? "" : "s",
               m->maker, at_show(m->out).text, maker->features ? ": .safetensors and .txt" : "");
    return status;
}
