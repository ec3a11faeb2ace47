#include "cli/data_make.h"

#include "base/file.h"
#include "base/log.h"

typedef struct {
    at_writer *file; /* or NULL: standard output */
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

static attend_status take(void *user, const char *source, const char *target, attend_error *err)
{
    enum { BLOCK = 1 << 16 };
    output *o = user;
    at_str_print(&o->lines, "%s\t%s\n", source, target);
    return o->lines.failed || o->lines.length > BLOCK ? flush(o, err) : ATTEND_OK;
}

attend_status at_data_make(const at_making *m, attend_error *err)
{
    output o = {0};
    attend_status status = m->out ? at_writer_open(&o.file, m->out, err) : ATTEND_OK;
    if (status < 0)
        return status;
    status = attend_data_make(m->maker, m->count, (unsigned long long)m->seed, m->size, take, &o,
                              err);
    if (status >= 0)
        status = flush(&o, err);
    if (status >= 0 && m->out)
        status = at_writer_commit(o.file, err);
    else
        at_writer_abort(o.file);
    at_str_free(&o.lines);
    if (status >= 0 && m->out)
        at_log(ATTEND_LOG_INFO, "%d example%s of %s in %s", m->count, m->count == 1 ? "" : "s",
               m->maker, at_show(m->out).text);
    return status;
}
