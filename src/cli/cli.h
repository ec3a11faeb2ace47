/* The command `attend`: a client of attend.h like any other.
 *
 * A command is one file cmd_NAME.c with one const at_command, and one line in commands.def. Results
 * go to stdout, everything else to stderr. A command returns a status; main.c makes the exit code
 * of it and prints the message. */
#ifndef ATTEND_CLI_CLI_H
#define ATTEND_CLI_CLI_H

#include <stdbool.h>

#include "attend.h"
#include "base/usage.h"

/* what every command has been told */
typedef struct {
    bool help, quiet, verbose;
    int threads;
    int color; /* auto, always, never */
} at_common;

typedef struct {
    at_common common;
    int columns;         /* to wrap text at: at most 80 */
    bool utf8;           /* may output hold more than ASCII? */
    bool color;          /* may stdout hold colours? */
    bool bar;            /* may stderr hold a line that changes? */
    bool drawn;          /* does it? */
    const char *command; /* its name */
    const char *input;   /* the file being read: exit code 66 when it cannot be opened */
} at_cli;

typedef struct {
    at_usage usage;
    size_t size; /* of the struct that usage.options fill */
    int min_operands, max_operands;
    void (*prepare)(void); /* completes the options, before anything else; or NULL */
    attend_status (*run)(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err);
} at_command;

#define COMMAND(name) extern const at_command at_command_##name;
#include "cli/commands.def"
#undef COMMAND

extern const at_program at_program_attend;

/* the command of that name, or NULL with a message that suggests one */
const at_command *at_command_find(const char *name, attend_error *err);

/* Writes s to stdout and frees it; fails where stdout does or s has failed. */
attend_status at_cli_write(at_str *s, attend_error *err);

/* The error of a standard output that takes nothing more, with the cause in errno: exit code 74. */
attend_status at_cli_cannot_write(attend_error *err);

/* Terminal, colours and language of this run, after the options are known. */
void at_cli_look(at_cli *cli);

/* From now on SIGINT and SIGTERM only set at_cli_signal, once; a second one ends the process. So
 * does SIGHUP, unless it is ignored already, but however often it comes. A file that may not grow
 * (ulimit -f) is an error of writing, not a signal. */
void at_cli_catch_signals(void);
int at_cli_signal(void); /* the signal that came, or 0 */

/* For commands that mostly tell how far they are: that nobody reads it does not end the work. */
void at_cli_ignore_pipes(void);

/* Has SIGUSR1 come since the last call? It is caught with the others. */
bool at_cli_user_signal(void);

/* ---- a line on stderr that changes, where there is a terminal ---- */

void at_cli_progress(at_cli *cli, const char *line);
void at_cli_progress_end(at_cli *cli); /* takes it away */

/* ---- lines on stderr, which a terminal does not have to break ---- */

int at_cli_error_columns(const at_cli *cli); /* of the terminal there; without one, a great many */

/* A line, broken at blanks, with two blanks before what follows. */
void at_cli_say(at_cli *cli, const char *text);

/* "  BLEU 34.80": a measure with so many decimals; a very large one has an exponent instead. */
void at_cli_metric(at_str *out, const attend_metric *m, int decimals);

/* A line of which the terminal shows the beginning. */
void at_cli_say_cut(at_cli *cli, const char *text);

#endif
