/* Drawing the next word: logits are bent, cut, and drawn from, in the order and with the meaning
 * of Hugging Face's generate. */
#ifndef ATTEND_DECODE_SAMPLE_H
#define ATTEND_DECODE_SAMPLE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/real.h"

typedef struct {
    double repetition;  /* words that have come: logits above 0 are divided by it, others
                           multiplied (Keskar et al. 2019); 1: off */
    double temperature; /* divides the logits; 1: off */
    int top_k;    /* only so many of the likeliest words, and those equal to the last; 0: off */
    double top_p; /* the fewest words whose probabilities reach p (Holtzman et al. 2019); 1: off */
    double min_p; /* only words at least this fraction as likely as the likeliest; 0: off */
} at_sampling;

attend_status at_sampling_check(const at_sampling *s, attend_error *err);

/* The repetition penalty alone, in place: every word of came[count] once; seen has room for
 * vocabulary marks. */
void at_sampling_repetition(double penalty, int vocabulary, real *logits, int count,
                            const int *came, bool *seen);

/* Temperature and cuts: from logits to p [vocabulary], the probabilities of the words that stay,
 * and 0; word is scratch for vocabulary numbers. */
void at_sampling_probabilities(const at_sampling *s, int vocabulary, const real *logits, real *p,
                               int *word);

/* The word where the running sum of p passes u, in [0,1). */
int at_sampling_draw(int vocabulary, const real *p, double u);

#endif
