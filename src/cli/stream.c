#include "cli/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/packed.h"

enum { BLOCK = 1 << 16, LONGEST = 1 << 30 };

attend_status at_reader_open(at_reader *r, at_cli *cli, const char *path, attend_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    *r = (at_reader){.name = standard ? "standard input" : path, .file = -1};
    cli->input = standard ? NULL : path;
    r->block = at_alloc(BLOCK);
    if (!r->block)
        return at_error_memory(err);
    r->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->file < 0)
        return at_file_fail(err, path, "cannot open");
    return ATTEND_OK;
}

void at_reader_close(at_reader *r)
{
    if (r->file > STDIN_FILENO)
        close(r->file);
    at_line_warnings_report(&r->odd, r->name);
    at_free(r->block);
    at_str_free(&r->text);
    *r = (at_reader){.file = -1};
}

/* the next block; false at the end */
static attend_status refill(at_reader *r, attend_error *err)
{
    attend_status status = r->flushed ? at_cli_flush(r->flushed, true, err) : ATTEND_OK;
    ssize_t got = 0;
    if (status < 0)
        return status;
    do
        got = read(r->file, r->block, BLOCK);
    while (got < 0 && errno == EINTR && !at_cli_signal());
    if (got < 0)
        return at_file_fail(err, r->name, "cannot read");
    r->at = 0;
    r->end = (size_t)got;
    r->last = got == 0;
    bool first = !r->begun;
    r->begun = true;
    return first ? at_packed_refuse(r->name, r->block, r->end, err) : ATTEND_OK;
}

static int too_long(const at_reader *r, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT, "%s:%ld: a line of more than %d bytes; is it text?",
                    at_show(r->name).text, r->line, (int)LONGEST);
}

static int next_line(at_reader *r, char **text, size_t *size, attend_error *err)
{
    at_str_clear(&r->text);
    r->line++;
    for (;;) {
        char *begin = r->block + r->at, *stop = memchr(begin, '\n', r->end - r->at);
        size_t part = stop ? (size_t)(stop - begin) : r->end - r->at;
        r->at += part + (stop != NULL);
        if (stop && !r->text.length) {
            *text = begin;
            *size = part;
            return 1;
        }
        at_str_add_bytes(&r->text, begin, part);
        if (r->text.failed)
            return at_error_memory(err);
        if (r->text.length > LONGEST)
            return too_long(r, err);
        if (stop || (r->last && r->text.length))
            break;
        if (r->last)
            return 0;
        attend_status status = refill(r, err);
        if (status < 0)
            return status;
    }
    *text = r->text.text;
    *size = r->text.length;
    return 1;
}

int at_reader_next(at_reader *r, const char **text, size_t *size, attend_error *err)
{
    char *line = NULL;
    int more = next_line(r, &line, size, err);
    if (more <= 0)
        return more;
    *text = line;
    at_line_warnings_take(&r->odd, r->line, text, size);
    r->odd.blanks = r->no_zeros;
    for (char *p = line; r->no_zeros && (p = memchr(p, 0, (size_t)(*text + *size - p)));)
        *p = ' ';
    return more;
}

bool at_reader_ready(const at_reader *r)
{
    struct pollfd in = {.fd = r->file, .events = POLLIN};
    return r->last || memchr(r->block + r->at, '\n', r->end - r->at) || poll(&in, 1, 0) != 0;
}

attend_status at_cli_flush(at_str *out, bool all, attend_error *err)
{
    if (out->failed)
        return at_error_memory(err);
    if (!all && out->length < BLOCK)
        return ATTEND_OK;
    bool well = fwrite(at_str_text(out), 1, out->length, stdout) == out->length
                && fflush(stdout) == 0;
    at_str_clear(out);
    return well ? ATTEND_OK : at_cli_cannot_write(err);
}
