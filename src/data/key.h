/* What a sentence is known by: a hash of its text that does not see case, how accents are encoded,
 * and how much white space there is. Splits stand on it, so it must never change. */
#ifndef ATTEND_DATA_KEY_H
#define ATTEND_DATA_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t *codes; /* scratch */
    size_t capacity;
} at_keys;

/* The key of a text; false without memory. Start with {0}. */
bool at_keys_of(at_keys *k, const char *text, size_t size, uint64_t *key);
void at_keys_free(at_keys *k);

/* a key of two, in this order */
uint64_t at_key_join(uint64_t a, uint64_t b);

/* a hash of the bytes themselves */
uint64_t at_key_bytes(const char *text, size_t size);

#endif
