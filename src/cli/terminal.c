/* What the terminal can show, and the line of progress. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cli.h"

enum { WIDEST = 80, NARROWEST = 40 };

static int terminal_columns(int file)
{
    struct winsize size;
    const char *set = getenv("COLUMNS");
    int columns = set ? atoi(set) : 0;
    if (columns <= 0 && ioctl(file, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (columns <= 0 || columns > WIDEST)
        return WIDEST;
    return columns < NARROWEST ? NARROWEST : columns;
}

static bool set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool able(int file)
{
    const char *terminal = getenv("TERM");
    return isatty(file) && terminal && strcmp(terminal, "dumb") != 0;
}

void at_cli_look(at_cli *cli)
{
    enum { AUTO, ALWAYS, NEVER };
    setlocale(LC_CTYPE, "");
    cli->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    cli->columns = terminal_columns(STDOUT_FILENO);
    cli->color = cli->common.color == ALWAYS
                 || (cli->common.color == AUTO && able(STDOUT_FILENO) && !set("NO_COLOR"));
    cli->bar = able(STDERR_FILENO) && !cli->common.quiet;
}

void at_cli_progress(at_cli *cli, const char *line)
{
    if (!cli->bar)
        return;
    fprintf(stderr, "\r%s\x1b[K", line);
    cli->drawn = true;
}

void at_cli_progress_end(at_cli *cli)
{
    if (cli->drawn)
        fputs("\r\x1b[K", stderr);
    cli->drawn = false;
}

/* ---- lines on stderr ----------------------------------------------------------------------- */

int at_cli_error_columns(const at_cli *cli)
{
    enum { MANY = 1 << 20 };
    return cli->bar ? terminal_columns(STDERR_FILENO) : MANY;
}

/* bytes of text that take at most so many columns; *used: those they take */
static size_t fits(const char *text, int columns, int *used)
{
    size_t at = 0, left = strlen(text);
    *used = 0;
    while (at < left) {
        uint32_t code;
        int size = at_utf8_get(text + at, left - at, &code), wide = at_utf8_columns(code);
        if (*used + wide > columns)
            break;
        *used += wide;
        at += size > 0 ? (size_t)size : 1;
    }
    return at;
}

void at_cli_say(at_cli *cli, const char *text)
{
    int columns = at_cli_error_columns(cli), used;
    at_cli_progress_end(cli);
    for (bool first = true;; first = false) {
        size_t size = fits(text, columns - (first ? 0 : 2), &used), end = size;
        if (text[size])
            while (end > 0 && text[end] != ' ')
                end--;
        if (end == 0)
            end = size ? size : strlen(text);
        fprintf(stderr, "%s%.*s\n", first ? "" : "  ", (int)end, text);
        text += end + strspn(text + end, " ");
        if (!*text)
            return;
    }
}

void at_cli_metric(at_str *out, const attend_metric *m, int decimals)
{
    double large = 1e6;
    if (m->value < large)
        at_str_print(out, "  %s %.*f", m->title, decimals, m->value);
    else
        at_str_print(out, "  %s %.3g", m->title, m->value);
}

void at_cli_say_cut(at_cli *cli, const char *text)
{
    const char *more = cli->utf8 ? "…" : "...";
    int columns = at_cli_error_columns(cli), used;
    at_cli_progress_end(cli);
    size_t size = fits(text, columns, &used);
    if (!text[size]) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    size = fits(text, columns - (cli->utf8 ? 1 : 3), &used);
    fprintf(stderr, "%.*s%s\n", (int)size, text, more);
}
