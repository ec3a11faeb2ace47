#include "base/random.h"

#include <Random123/philox.h>
#include <math.h>

void at_random_words(at_random r, uint32_t index, uint32_t words[4])
{
    philox4x32_ctr_t counter = {{index, r.sentence, r.step, r.use}};
    philox4x32_key_t key = {{(uint32_t)r.seed, (uint32_t)(r.seed >> 32)}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    for (int i = 0; i < 4; i++)
        words[i] = out.v[i];
}

uint32_t at_random_u32(at_random r, uint32_t index)
{
    uint32_t words[4];
    at_random_words(r, index / 4, words);
    return words[index % 4];
}

static double unit(uint32_t high, uint32_t low)
{
    return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

double at_random_uniform(at_random r, uint32_t index)
{
    uint32_t words[4];
    at_random_words(r, index, words);
    return unit(words[0], words[1]);
}

double at_random_normal(at_random r, uint32_t index) /* Box and Muller 1958 */
{
    uint32_t words[4];
    at_random_words(r, index, words);
    double radius = sqrt(-2 * log(1 - unit(words[0], words[1])));
    return radius * cos(2 * 3.14159265358979323846 * unit(words[2], words[3]));
}

uint32_t at_random_below(at_random r, uint32_t index, uint32_t n)
{
    uint32_t words[4];
    at_random_words(r, index, words);
    uint64_t wide = (uint64_t)words[0] << 32 | words[1]; /* bias below n / 2^64 */
    return (uint32_t)((unsigned __int128)wide * n >> 64);
}

void at_random_permutation(at_random r, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = at_random_below(r, i, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

uint32_t at_random_name(const char *name) /* FNV-1a */
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash | 0x80000000u; /* running numbers stay below */
}
