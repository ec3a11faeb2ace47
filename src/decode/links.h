/* Alignment links as Pharaoh writes them, "0-0 1-2": source and target, counted from 0; and one
 * alignment of two that were made in both directions. */
#ifndef ATTEND_DECODE_LINKS_H
#define ATTEND_DECODE_LINKS_H

#include <stdint.h>

#include "attend.h"
#include "base/error.h"
#include "base/str.h"

typedef struct {
    uint32_t source, target;
} at_link;

enum { ATTEND_LINK_MAX = 1 << 20 }; /* words of a line that can be linked */

/* Reads links; release them with at_free.
 *
 * out     receives them, in the order of the text
 * count   receives their number */
attend_status at_links_parse(const char *text, at_link **out, size_t *count, attend_error *err);

/* Appends the links that both directions have, or either, or those of grow-diag-final-and, ordered
 * by target (Koehn, Och and Marcu 2003; Koehn et al. 2005): the intersection grows by links of the
 * union that are next to one it has and link a word that has none; in the end come links of two
 * words that both have none.
 *
 * forward    links of the model from source to target
 * backward   links of the model from target to source, written as source-target, too */
attend_status at_links_symmetrise(const char *forward, const char *backward, attend_symmetrise how,
                                  at_str *out, attend_error *err);

#endif
