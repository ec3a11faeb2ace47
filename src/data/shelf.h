/* Records put away one after another and found again by number: in memory while they are few, in a
 * file without a name (temporary.h) when they are many, so that a corpus can be larger than memory.
 * The index takes 8 bytes for a record.
 *
 *     at_shelf *s = at_shelf_new(0);
 *     at_shelf_add(s, record, size, err);
 *     at_shelf_close(s, err);                 nothing can be added any more
 *     at_shelf_at(s, 0)                       the first record
 */
#ifndef ATTEND_DATA_SHELF_H
#define ATTEND_DATA_SHELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct at_shelf at_shelf;

/* memory: bytes of records up to which no file is made; 0: 64 MiB. NULL without memory. */
at_shelf *at_shelf_new(size_t memory);

attend_status at_shelf_add(at_shelf *s, const void *record, size_t size, attend_error *err);
attend_status at_shelf_close(at_shelf *s, attend_error *err);

size_t at_shelf_count(const at_shelf *s);

/* Aligned to 8 bytes; lives as long as the shelf. Only when it is closed; safe from threads. */
const void *at_shelf_at(const at_shelf *s, size_t index);

bool at_shelf_on_disk(const at_shelf *s);
void at_shelf_free(at_shelf *s); /* NULL is well */

#endif
