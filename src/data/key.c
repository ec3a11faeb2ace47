/* key = mix(FNV-1a over the characters of fold(NFC(text)), white space as one blank, none at the
 * ends). fold is Unicode's case folding, mix the finaliser of MurmurHash3. */
#include "data/key.h"

#include <utf8proc.h>

#include "base/memory.h"
#include "text/unicode.h"

#define START UINT64_C(14695981039346656037)
#define PRIME UINT64_C(1099511628211)

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

typedef struct {
    uint64_t hash;
    bool begun, blank;
} state;

static inline void add(state *s, uint32_t code, bool space)
{
    if (space) {
        s->blank = true;
        return;
    }
    if (s->blank && s->begun)
        s->hash = (s->hash ^ ' ') * PRIME;
    s->hash = (s->hash ^ code) * PRIME;
    s->begun = true;
    s->blank = false;
}

static bool plain(const char *text, size_t size)
{
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++)
        all |= (unsigned char)text[i];
    return all < 0x80;
}

static uint64_t plain_key(const char *text, size_t size)
{
    state s = {.hash = START};
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool upper = c >= 'A' && c <= 'Z';
        add(&s, upper ? c + 32u : c, c == ' ' || (c >= 9 && c <= 13));
    }
    return mix(s.hash);
}

static bool reserve(at_keys *k, size_t count)
{
    if (count <= k->capacity)
        return true;
    at_free(k->codes);
    k->capacity = 0;
    k->codes = at_alloc((count + count / 2) * sizeof *k->codes);
    if (k->codes)
        k->capacity = count + count / 2;
    return k->codes != NULL;
}

/* the text as folded characters; their number, or a negative one */
static utf8proc_ssize_t fold(at_keys *k, const char *text, size_t size)
{
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD;
    for (;;) {
        utf8proc_ssize_t count = utf8proc_decompose((const utf8proc_uint8_t *)text,
                                                    (utf8proc_ssize_t)size, k->codes,
                                                    (utf8proc_ssize_t)k->capacity, options);
        if (count < 0 || (size_t)count <= k->capacity)
            return count < 0 ? count : utf8proc_normalize_utf32(k->codes, count, options);
        if (!reserve(k, (size_t)count))
            return UTF8PROC_ERROR_NOMEM;
    }
}

bool at_keys_of(at_keys *k, const char *text, size_t size, uint64_t *key)
{
    if (plain(text, size)) {
        *key = plain_key(text, size);
        return true;
    }
    if (!reserve(k, size))
        return false;
    utf8proc_ssize_t count = fold(k, text, size);
    if (count == UTF8PROC_ERROR_NOMEM)
        return false;
    if (count < 0) { /* no UTF-8: what a careful reader never gives */
        *key = at_key_bytes(text, size);
        return true;
    }
    state s = {.hash = START};
    for (utf8proc_ssize_t i = 0; i < count; i++)
        add(&s, (uint32_t)k->codes[i], at_is_space((uint32_t)k->codes[i]));
    *key = mix(s.hash);
    return true;
}

void at_keys_free(at_keys *k)
{
    at_free(k->codes);
    *k = (at_keys){0};
}

uint64_t at_key_join(uint64_t a, uint64_t b) { return mix(a * PRIME ^ b); }

uint64_t at_key_bytes(const char *text, size_t size)
{
    uint64_t hash = START;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * PRIME;
    return mix(hash);
}
