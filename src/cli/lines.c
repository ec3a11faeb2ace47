#include "cli/lines.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/packed.h"
#include "cli/line_warnings.h"

static const size_t largest = (size_t)1 << 32;

void at_lines_free(at_lines *l)
{
    at_free(l->text);
    at_free(l->line);
    *l = (at_lines){0};
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 0;
    for (const char *end = text + size; text < end; count++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        text = newline ? newline + 1 : end;
    }
    return count;
}

static attend_status check_zeros(const char *name, const char *text, size_t size, attend_error *err)
{
    const char *zero = memchr(text, 0, size);
    if (!zero)
        return ATTEND_OK;
    size_t line = 1;
    for (const char *at = text; at < zero; at++)
        line += *at == '\n';
    return at_error(err, ATTEND_FORMAT, "%s:%zu: a zero byte; is this a text file?",
                    at_show(name).text, line);
}

attend_status at_lines_take(at_lines *l, const char *name, char *text, size_t size,
                            attend_error *err)
{
    *l = (at_lines){.text = text};
    attend_status status = at_packed_refuse(name, text, size, err);
    if (status >= 0)
        status = check_zeros(name, text, size, err);
    if (status < 0)
        return status;
    char *end = text + size;
    at_line_warnings odd = {0};
    size_t count = count_lines(text, (size_t)(end - text));
    l->line = at_alloc((count + 1) * sizeof *l->line);
    if (!l->line)
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *stop = newline ? newline : end;
        size_t length = (size_t)(stop - text);
        l->line[i] = text;
        text = stop + 1;
        at_line_warnings_take(&odd, (long)i + 1, &l->line[i], &length);
        l->text[l->line[i] + length - l->text] = 0;
    }
    at_line_warnings_report(&odd, name);
    l->lines = (attend_lines){.name = name, .count = count, .line = l->line};
    return ATTEND_OK;
}

attend_status at_lines_read(at_lines *l, at_cli *cli, const char *path, attend_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    char *text;
    size_t size;
    *l = (at_lines){0};
    cli->input = standard ? NULL : path;
    attend_status status = at_input_read(standard ? "/dev/stdin" : path, largest, &text, &size,
                                         err);
    if (status < 0)
        return status;
    return at_lines_take(l, standard ? "standard input" : path, text, size, err);
}
