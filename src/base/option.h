/* Options: one table of plain data drives the command line, the defaults, --help, the manual page,
 * shell completion (usage.h) and configuration files (name -> field).
 *
 *     typedef struct { int steps; const char *out; } fit;
 *     static const at_option options[] = {
 *         {.name = "steps", .letter = 's', OPTION_INT(fit, steps), .value = "1000", .min = 1,
 *          .max = 1e6, .meta = "N", .help = "Steps of training"},
 *         {.name = "out", OPTION_PATH(fit, out), .meta = "FILE", .help = "Where the model goes"},
 *         {0}};
 *
 * Strings are borrowed: from the table, or from the text that was parsed. Nothing allocates. */
#ifndef ATTEND_BASE_OPTION_H
#define ATTEND_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/guess.h"
#include "base/str.h"

typedef enum {
    ATTEND_OPTION_FLAG,   /* bool: --name, --no-name, --name=yes */
    ATTEND_OPTION_SWITCH, /* const char *: the same; "yes", "no", or as it was when not given */
    ATTEND_OPTION_INT,    /* int */
    ATTEND_OPTION_REAL,   /* double */
    ATTEND_OPTION_STRING, /* const char * */
    ATTEND_OPTION_CHOICE, /* int: which of the choices */
    ATTEND_OPTION_SIZE,   /* size_t: 4096, 64k, 2M, 1G */
    ATTEND_OPTION_PATH,   /* const char *; shells complete it to a file */
    ATTEND_OPTION_PATHS,  /* at_paths: every time it is given adds a file */
    ATTEND_OPTION_TEXTS,  /* at_paths: every time it is given adds a text */
} at_option_type;

enum { ATTEND_PATHS_MAX = 16 };

typedef struct {
    int count;
    const char *item[ATTEND_PATHS_MAX];
} at_paths;

/* a left and a right column: an example, an exit code, a variable; {0} ends a list */
typedef struct {
    const char *term, *meaning;
} at_term;

typedef struct {
    const char *name; /* "learning-rate"; NULL ends a table */
    char letter;      /* 'l' for -l, or 0 */
    at_option_type type;
    size_t offset;       /* of the field */
    const char *value;   /* the default, written as a user would; NULL: 0, false, or no string */
    double min, max;     /* limits of a number, both included, in force when min < max */
    const char *choices; /* "gaussian|box" */
    const char *meta;    /* what help calls the value: "N", "FILE" */
    const char *group;   /* the heading that starts here, or NULL: as the option before */
    const char *help;    /* a sentence without its full stop */
    at_term example;     /* a command line that shows it, and what that does; or {0} */
    bool hidden;         /* not in help, manual and completion */
    bool line_only;      /* for command lines, not for configuration files (config.h) */
    bool later;          /* files of earlier versions lack it: there its default holds */
} at_option;

/* The type of the field must be the one above, or the table does not compile. */
#define OPTION_FIELD(S, field, T) \
    (offsetof(S, field) + 0 * sizeof(char[_Generic(((S *)0)->field, T : 1, default : -1)]))
#define OPTION_FLAG(S, field) .type = ATTEND_OPTION_FLAG, .offset = OPTION_FIELD(S, field, bool)
#define OPTION_INT(S, field) .type = ATTEND_OPTION_INT, .offset = OPTION_FIELD(S, field, int)
#define OPTION_REAL(S, field) .type = ATTEND_OPTION_REAL, .offset = OPTION_FIELD(S, field, double)
#define OPTION_COUNT(S, field, default_, from, to) \
    OPTION_INT(S, field), .value = default_, .min = from, .max = to, .meta = "N"
#define OPTION_NUMBER(S, field, default_, from, to, name) \
    OPTION_REAL(S, field), .value = default_, .min = from, .max = to, .meta = name
#define OPTION_STRING(S, field) \
    .type = ATTEND_OPTION_STRING, .offset = OPTION_FIELD(S, field, const char *)
#define OPTION_CHOICE(S, field) .type = ATTEND_OPTION_CHOICE, .offset = OPTION_FIELD(S, field, int)
#define OPTION_SIZE(S, field) .type = ATTEND_OPTION_SIZE, .offset = OPTION_FIELD(S, field, size_t)
#define OPTION_PATH(S, field) \
    .type = ATTEND_OPTION_PATH, .offset = OPTION_FIELD(S, field, const char *)
#define OPTION_TEXTS(S, field) \
    .type = ATTEND_OPTION_TEXTS, .offset = OPTION_FIELD(S, field, at_paths)
#define OPTION_PATHS(S, field) \
    .type = ATTEND_OPTION_PATHS, .offset = OPTION_FIELD(S, field, at_paths)

/* Does it stand alone on a command line? */
static inline bool at_option_is_flag(const at_option *o)
{
    return o->type == ATTEND_OPTION_FLAG || o->type == ATTEND_OPTION_SWITCH;
}

/* a table and the struct it fills; a command line usually has two, its own and the common one */
typedef struct {
    const at_option *options;
    void *fields;
} at_option_set;

/* Every field to its default. Fails only where the table is wrong. */
attend_status at_options_defaults(const at_option *options, void *fields, attend_error *err);

/* Reads a command line into the sets' fields, which hold defaults already.
 *
 * argv        the arguments after the command's name; rewritten so that the operands, in their
 *             order, come first
 * operands    receives how many there are
 *
 * --name value, --name=value, -n value, -nvalue, -abc for flags, --no-name for a flag; `--` ends
 * the options, `-` is an operand. The last of two wins, but for paths, which are all kept. */
attend_status at_options_parse(const at_option_set *sets, int n_sets, int argc, char **argv,
                               int *operands, attend_error *err);

/* One value from anywhere: a command line, a configuration file.
 *
 * where       how the message begins: "--steps", "train.yaml:12: steps" */
attend_status at_option_assign(const at_option *option, const char *value, void *fields,
                               const char *where, attend_error *err);

/* The option of that name or alias, or NULL; *fields receives the struct of its set. */
const at_option *at_option_find(const at_option_set *sets, int n_sets, const char *name,
                                void **fields);

/* The option whose spelling is near to guess->word, which is unknown. None where the word is an
 * alias: its option is not among these, and another one has another meaning.
 *
 * file        leaves out options for the command line alone */
void at_option_guess(at_guess *guess, const at_option_set *sets, int n_sets, bool file);

/* The value a field has, as at_option_assign would read it; nothing for no string. */
void at_option_print(at_str *out, const at_option *option, const void *fields);

/* Has the field another value than the option's own? */
bool at_option_is_set(const at_option *option, const void *fields);

/* The range as text: "1 to 1000000", "at least 0"; empty without limits */
void at_option_range(at_str *out, const at_option *option);

/* Is the table sound: names and letters plain and used once over all sets, every default in its
 * range, every option with a help text? For tests. */
attend_status at_options_check(const at_option_set *sets, int n_sets, attend_error *err);

/* ---- one of "a|b|c" --------------------------------------------------------------------- */

int at_choice_count(const char *choices);
int at_choice_find(const char *choices, const char *word); /* index, or -1 */
void at_choice_print(at_str *out, const char *choices, int index);

#endif
