/* What the terminal can show, and the line of progress. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
