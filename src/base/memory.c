#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

static atomic_long allocations, live, fail_after = -1;

static bool planted_failure(void)
{
    long left = atomic_load(&fail_after);
    if (left < 0)
        return false;
    if (left > 0)
        atomic_fetch_sub(&fail_after, 1);
    return left == 0;
}

void *at_alloc(size_t bytes)
{
    if (planted_failure() || bytes > SIZE_MAX / 2)
        return NULL;
    /* large blocks get huge pages: fewer faults and fewer TLB misses */
    size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, rounded ? rounded : alignment);
    if (!memory)
        return NULL;
    if (alignment == HUGE_PAGE)
        madvise(memory, rounded, MADV_HUGEPAGE);
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&live, 1);
    return memory;
}

void *at_alloc_small(size_t bytes)
{
    void *memory = planted_failure() || bytes > SIZE_MAX / 2 ? NULL : malloc(bytes ? bytes : 1);
    if (!memory)
        return NULL;
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&live, 1);
    return memory;
}

void *at_alloc_zero(size_t count, size_t size)
{
    size_t bytes;
    void *memory = at_size_multiply(count, size, &bytes) ? at_alloc(bytes) : NULL;
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *at_realloc(void *old, size_t old_bytes, size_t bytes)
{
    void *memory = at_alloc(bytes);
    if (!memory)
        return NULL;
    if (old)
        memcpy(memory, old, old_bytes < bytes ? old_bytes : bytes);
    at_free(old);
    return memory;
}

void at_free(void *memory)
{
    if (!memory)
        return;
    atomic_fetch_sub(&live, 1);
    free(memory);
}

char *at_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = at_alloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

bool at_size_multiply(size_t count, size_t size, size_t *product)
{
    return !__builtin_mul_overflow(count, size, product);
}

void at_alloc_fail_after(long n) { atomic_store(&fail_after, n); }
long at_alloc_count(void) { return atomic_load(&allocations); }
long at_alloc_live(void) { return atomic_load(&live); }
