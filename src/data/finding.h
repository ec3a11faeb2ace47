/* What can be wrong with data, or worth knowing. One line in findings.def each, its words in
 * findings.c. */
#ifndef ATTEND_DATA_FINDING_H
#define ATTEND_DATA_FINDING_H

#include <stddef.h>

#include "attend_data.h"

/* what a clean copy does about it */
typedef enum { ATTEND_FIX_NOTHING, ATTEND_FIX_REPAIR, ATTEND_FIX_DROP } at_fix;

typedef struct {
    const char *name;   /* "not-utf8" */
    const char *what;   /* in a few words */
    const char *remedy; /* what it means, and what to do; a sentence */
    attend_level level;
    at_fix fix;
} at_finding;

#define FINDING(name) extern const at_finding at_finding_##name;
#include "data/findings.def"
#undef FINDING

#define FINDING(name) ATTEND_FOUND_##name,
enum {
#include "data/findings.def"
    ATTEND_FINDINGS
};
#undef FINDING

extern const at_finding *const at_findings[ATTEND_FINDINGS];

/* a set of findings */
typedef unsigned at_found;
#define FOUND(name) (1u << ATTEND_FOUND_##name)

/* What a line of a file, or a text, shows of these: separator, control, lost, garbled, invisible,
 * blanks. Any bytes. */
at_found at_look_at_text(const char *text, size_t size);

#endif
