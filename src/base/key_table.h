/* Keys that were seen, each with where it was first: a hash table that stops growing at a limit, so
 * that the memory of a check is bounded. Beyond it new keys are not remembered. */
#ifndef ATTEND_BASE_KEY_TABLE_H
#define ATTEND_BASE_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t *key, *value;
    size_t slots, count;
    size_t limit; /* bytes; 0: 512 MiB */
    bool full;    /* something was not remembered */
} at_key_table;

/* The value kept with the key, or else keeps this one (not 0) and returns 0. Start with {0}. Runs
 * on, full, without memory. */
uint64_t at_key_table_find_or_add(at_key_table *s, uint64_t key, uint64_t value);
/* How many keys are remembered at least, given memory. */
size_t at_key_table_capacity(const at_key_table *s);
void at_key_table_free(at_key_table *s);

#endif
