/* Every allocation of the library goes through here, so that tests can make any of them fail
 * and can count them. Freed with at_free alone. */
#ifndef ATTEND_BASE_MEMORY_H
#define ATTEND_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *at_alloc(size_t bytes);       /* uninitialised, 64-byte aligned; NULL on failure */
void *at_alloc_small(size_t bytes); /* the same, 16-byte aligned: for many small blocks */
void *at_alloc_zero(size_t count, size_t size);
void *at_realloc(void *old, size_t old_bytes, size_t bytes); /* keeps min(old, new) bytes */
void at_free(void *memory);
char *at_strdup(const char *text);

/* count * size, or false when it does not fit a size_t */
bool at_size_multiply(size_t count, size_t size, size_t *product);

/* ---- for tests ---- */
void at_alloc_fail_after(
    long n);               /* the n-th allocation from now fails, and all after it; -1: never */
long at_alloc_count(void); /* allocations so far */
long at_alloc_live(void);  /* allocations not yet freed */

#endif
