/* Examples written to a file, or two aligned ones, in one of the formats that can be written; whole
 * or not at all. */
#ifndef ATTEND_DATA_EXPORT_H
#define ATTEND_DATA_EXPORT_H

#include "data/format.h"

typedef struct at_export at_export;

/* Can examples with these parts (ATTEND_HAS_...) be written so? The message says what can. */
attend_status at_export_check(const at_format *format, unsigned has, attend_error *err);

/* second: the path of the second of two aligned files, or NULL for other formats. */
attend_status at_export_open(const char *path, const char *second, const at_format *format,
                             unsigned has, at_export **out, attend_error *err);

/* Refuses where one of these files is there; second may be NULL. */
attend_status at_export_keep(const char *path, const char *second, attend_error *err);

/* Tabs and line ends in a text become blanks where the format has one line for an example. The
 * first failure is kept, and told by commit. */
void at_export_write(at_export *x, const at_example *e);

long at_export_count(const at_export *x);
long at_export_flattened(const at_export *x); /* texts whose line ends became blanks */

/* Ends the export, on failure too. */
attend_status at_export_commit(at_export *x, attend_error *err);
void at_export_abort(at_export *x); /* leaves no trace; NULL is well */

/* The paths for aligned files: base with the ends of the names of two others, "OUT.en" and
 * "OUT.de", or .src and .tgt where they do not differ. To be freed; NULL without memory. */
char *at_export_side(const char *base, const char *name, const char *other, bool second);

#endif
