/* xxhash.h is compiled into this file: its streaming state may be declared by value only then, and
 * the library's own constructor would bypass at_alloc. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/checksum.h"

_Static_assert(sizeof(XXH3_state_t) <= sizeof(at_checksum), "the state fits");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(at_checksum), "the state is aligned");

void at_checksum_start(at_checksum *c) { XXH3_64bits_reset((XXH3_state_t *)c->state); }

void at_checksum_add(at_checksum *c, const void *data, size_t size)
{
    if (size)
        XXH3_64bits_update((XXH3_state_t *)c->state, data, size);
}

uint64_t at_checksum_end(const at_checksum *c)
{
    return XXH3_64bits_digest((const XXH3_state_t *)c->state);
}

uint64_t at_checksum_of(const void *data, size_t size)
{
    return XXH3_64bits(size ? data : "", size);
}

void at_checksum_print(uint64_t sum, char digits[ATTEND_CHECKSUM_DIGITS])
{
    for (int i = ATTEND_CHECKSUM_DIGITS - 1; i >= 0; i--, sum >>= 4)
        digits[i] = "0123456789abcdef"[sum & 15];
}

bool at_checksum_read(const char *digits, uint64_t *sum)
{
    *sum = 0;
    for (int i = 0; i < ATTEND_CHECKSUM_DIGITS; i++) {
        char c = digits[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        *sum = *sum << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}
