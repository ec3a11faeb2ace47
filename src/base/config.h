/* Configuration files: a YAML mapping from the names of options (option.h) to their values.
 *
 *     # what a run is told
 *     hidden: 512
 *     data: pairs.tsv
 *     lower: yes
 *     in: [a.txt, b.txt]        an option that takes several files
 *
 * A name without a value, or with null, is not given. Names of files are as on a command line:
 * relative ones begin where the program runs. */
#ifndef ATTEND_BASE_CONFIG_H
#define ATTEND_BASE_CONFIG_H

#include "base/arena.h"
#include "base/option.h"

typedef struct {
    const char *name, *value; /* value NULL: an empty one */
    int line;
    bool listed; /* one of [a, b] */
} at_config_entry;

/* a file in memory: what options are assigned points into it */
typedef struct {
    char *path;
    at_config_entry *entry;
    size_t count;
    bool ended; /* the last line is whole */
    at_arena memory;
} at_config;

enum { ATTEND_CONFIG_LARGEST = 1 << 20 }; /* bytes of a file */

/* Reads a regular file of at most a megabyte; at_config_free it, on failure too. Fails, with file
 * and line, on invalid YAML, on a name that comes twice, and on anything but a mapping of values
 * and lists of them. */
attend_status at_config_load(at_config *c, const char *path, attend_error *err);

/* The same from memory; path stands for it in messages. */
attend_status at_config_parse(at_config *c, const char *path, const char *text, size_t size,
                              attend_error *err);
void at_config_free(at_config *c); /* one that is all zeros is well, and twice is */

/* Assigns all entries, as if they stood first on a command line. Fails, with file and line, on a
 * name that no set has or that is for command lines alone, and on a value that its option does not
 * take. */
attend_status at_config_apply(const at_config *c, const at_option_set *sets, int n_sets,
                              attend_error *err);

/* The entry of that name or an alias of it, the first of a list; NULL where nothing is given. */
const at_config_entry *at_config_find(const at_config *c, const char *name);

/* ---- writing -------------------------------------------------------------------------------- */

/* Where a value comes from, in words for a comment; NULL or "": nothing is said. */
typedef const char *at_config_origin(void *user, const at_option *option);

/* All options of the sets that may stand in a file, with a comment for each: what it is for, and
 * where its value comes from. Reading it gives the same fields. Text that is no UTF-8 cannot be
 * kept as it is. */
void at_config_print(at_str *out, const at_option_set *sets, int n_sets, at_config_origin *origin,
                     void *user);

#endif
