/* Philox4x32-10 (Salmon et al. 2011) for several blocks at once: word for word what base/random.c
 * has from Random123. For kernels: the vectors are those of the instruction set.
 *
 * A lane holds one 32-bit word of one block in its low half, and anything in its high half: the
 * product of low halves is one instruction, and its own low half needs no mask. */
#ifndef ATTEND_TENSOR_PHILOX_H
#define ATTEND_TENSOR_PHILOX_H

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "base/random.h"

/* PHILOX_FRONT, PHILOX_BACK: the lanes of two vectors in turn, the first and the second half */
#if defined(__AVX512F__)
enum { PHILOX_BYTES = 64 };
#define PHILOX_FRONT 0, 8, 1, 9, 2, 10, 3, 11
#define PHILOX_BACK 4, 12, 5, 13, 6, 14, 7, 15
#elif defined(__AVX2__)
enum { PHILOX_BYTES = 32 };
#define PHILOX_FRONT 0, 4, 1, 5
#define PHILOX_BACK 2, 6, 3, 7
#else
enum { PHILOX_BYTES = 16 };
#define PHILOX_FRONT 0, 2
#define PHILOX_BACK 1, 3
#endif
enum { PHILOX_BLOCKS = PHILOX_BYTES / 8 };
typedef uint64_t philox_lanes __attribute__((vector_size(PHILOX_BYTES)));
typedef uint64_t philox_store __attribute__((vector_size(PHILOX_BYTES), aligned(4), may_alias));

static inline philox_lanes philox_product(philox_lanes a, uint64_t factor)
{
#if defined(__AVX512F__)
    return (philox_lanes)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((long long)factor));
#elif defined(__AVX2__)
    return (philox_lanes)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((long long)factor));
#elif defined(__SSE2__)
    return (philox_lanes)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x((long long)factor));
#else
    return (a & 0xffffffffu) * factor;
#endif
}

/* words [4 PHILOX_BLOCKS]: those of the blocks first, first + 1, .. */
static inline void philox_words(const at_random *r, uint32_t first, uint32_t *words)
{
    philox_lanes a = {0}, none = {0};
    philox_lanes b = none + r->sentence, c = none + r->step, d = none + r->use;
    uint32_t low = (uint32_t)r->seed, high = (uint32_t)(r->seed >> 32);
    for (int i = 0; i < PHILOX_BLOCKS; i++)
        a[i] = (uint64_t)i;
    a += first; /* modulo 2^32, in the low half */
    for (int round = 0; round < 10; round++, low += 0x9E3779B9u, high += 0xBB67AE85u) {
        philox_lanes p = philox_product(a, 0xD2511F53u), q = philox_product(c, 0xCD9E8D57u);
        a = q >> 32 ^ b ^ low;
        c = p >> 32 ^ d ^ high;
        b = q;
        d = p;
    }
    philox_lanes ab = (a & 0xffffffffu) | b << 32, cd = (c & 0xffffffffu) | d << 32;
    philox_store *to = (philox_store *)words;
    to[0] = __builtin_shufflevector(ab, cd, PHILOX_FRONT);
    to[1] = __builtin_shufflevector(ab, cd, PHILOX_BACK);
}

#endif
