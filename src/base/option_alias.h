/* Other names of options and values: those of earlier versions, and those of Hugging Face, Joey
 * NMT, Marian and fairseq. Command lines, configuration files, the settings of model folders and
 * manual pages share this table; --help and shell completion show the canonical names alone. */
#ifndef ATTEND_BASE_OPTION_ALIAS_H
#define ATTEND_BASE_OPTION_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *alias, *name; /* without dashes; NULL ends the table */
    const char *unless;       /* an option beside which the alias would be ambiguous, or NULL */
} at_option_alias;

extern const at_option_alias at_option_aliases[];

/* The entry of an alias, or NULL. */
const at_option_alias *at_option_alias_find(const char *alias, size_t length);

/* Does the word stand for the option `name`: is it the name itself or an alias of it? */
bool at_option_alias_same(const char *word, const char *name);

/* The canonical value where `value` is an alias of it for the option `name`, else value. */
const char *at_option_alias_value(const char *name, const char *value);

/* The alias of a value of the option, or NULL. */
const char *at_option_alias_of_value(const char *name);

/* Why no command has the option, "attend runs on the CPU, in f32", or NULL. */
const char *at_option_refusal(const char *name);

#endif
