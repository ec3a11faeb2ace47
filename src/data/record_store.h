/* Records put away one after another and found again by number: in memory while they are few, in a
 * file without a name (temporary.h) when they are many, so that a corpus can be larger than memory.
 * The index takes 8 bytes for a record.
 *
 *     at_record_store *s = at_record_store_new(0);
 *     at_record_store_add(s, record, size, err);
 *     at_record_store_close(s, err);                 nothing can be added any more
 *     at_record_store_at(s, 0)                       the first record
 */
#ifndef ATTEND_DATA_RECORD_STORE_H
#define ATTEND_DATA_RECORD_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct at_record_store at_record_store;

/* memory: bytes of records up to which no file is made; 0: 64 MiB. NULL without memory. */
at_record_store *at_record_store_new(size_t memory);

attend_status at_record_store_add(at_record_store *s, const void *record, size_t size,
                                  attend_error *err);
attend_status at_record_store_close(at_record_store *s, attend_error *err);

size_t at_record_store_count(const at_record_store *s);

/* Aligned to 8 bytes; lives as long as the store. Only when it is closed; safe from threads. */
const void *at_record_store_at(const at_record_store *s, size_t index);

bool at_record_store_on_disk(const at_record_store *s);
void at_record_store_free(at_record_store *s); /* NULL is well */

#endif
