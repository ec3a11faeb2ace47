/* Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011) from Random123.
 *
 * A number is a pure function of where it is used, never of who asked first: the same seed gives
 * the same dropout mask and the same shuffle for any number of threads and shards. */
#ifndef ATTEND_BASE_RANDOM_H
#define ATTEND_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* a place where random numbers are drawn */
typedef struct {
    uint64_t seed;
    uint32_t step;     /* of training, or 0 */
    uint32_t sentence; /* in the batch, or 0 */
    uint32_t use;      /* which use within the step: at_random_name, or a running number */
} at_random;

/* the index-th block of four 32-bit words of this place */
void at_random_words(at_random r, uint32_t index, uint32_t words[4]);

/* the index-th number of this place */
uint32_t at_random_u32(at_random r, uint32_t index);
double at_random_uniform(at_random r, uint32_t index);             /* in [0,1), 53 bits */
double at_random_normal(at_random r, uint32_t index);              /* mean 0, variance 1 */
uint32_t at_random_below(at_random r, uint32_t index, uint32_t n); /* in [0,n), unbiased */

/* a random order of 0..n-1 */
void at_random_permutation(at_random r, uint32_t n, uint32_t *order);

/* a `use` from a name, so that "shuffle" and "dropout" never share numbers */
uint32_t at_random_name(const char *name);

#endif
