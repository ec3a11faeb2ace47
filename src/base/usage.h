/* What a program of several commands says about itself, all from its option tables: --help, manual
 * pages, completion for three shells. Text in, text out; failure is the at_str's. */
#ifndef ATTEND_BASE_USAGE_H
#define ATTEND_BASE_USAGE_H

#include "base/option.h"

typedef struct {
    const char *name;         /* "fit" */
    const char *summary;      /* a sentence without its full stop */
    const char *operands;     /* "DATA.csv", "[FILE]..." or NULL */
    const char *words;        /* what shells complete an operand to, "a|b", or NULL: files */
    bool of_command;          /* the operand is the name of a command */
    const char *description;  /* paragraphs, an empty line between them */
    const at_option *options; /* may be NULL */
    const at_term *examples;  /* command line and what it does */
    bool hidden;
} at_usage;

typedef struct {
    const char *name, *version, *summary, *description;
    const at_option *common;         /* options of every command */
    const at_usage *const *commands; /* up to a NULL */
    const at_term *examples, *exit_codes, *environment;
} at_program;

void at_usage_help(at_str *out, const at_program *p, const at_usage *u, int columns);
void at_program_help(at_str *out, const at_program *p, int columns);

/* in the man macros of roff, section 1 */
void at_usage_man(at_str *out, const at_program *p, const at_usage *u);
void at_program_man(at_str *out, const at_program *p);

/* a script for "bash", "zsh" or "fish"; false for another shell */
bool at_program_completion(at_str *out, const at_program *p, const char *shell);

/* ---- shared by the above ---- */

/* Can it be on without being given, so that --no-name is worth naming? */
bool at_option_can_be_off(const at_option *o);

/* "--steps N", "--json", "--[no-]plot" */
void at_option_title(at_str *out, const at_option *o);

/* help, range, choices and default: "Steps of training (1 to 1000000, default 1000)" */
void at_option_explain(at_str *out, const at_option *o);

#endif
