#include "decode/sample.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

attend_status at_sampling_check(const at_sampling *s, attend_error *err)
{
    if (!(s->temperature > 0))
        return at_error(err, ATTEND_OPTION, "temperature %g must be above 0; near 0 is greedy",
                        s->temperature);
    if (!(s->top_p > 0 && s->top_p <= 1) || s->top_k < 0)
        return at_error(err, ATTEND_OPTION,
                        "top-p %g must be above 0 and at most 1, top-k %d at least 0", s->top_p,
                        s->top_k);
    if (!(s->repetition > 0))
        return at_error(err, ATTEND_OPTION, "the repetition penalty %g must be above 0; 1 is none",
                        s->repetition);
    return ATTEND_OK;
}

void at_sampling_repetition(double penalty, int vocabulary, real *logits, int count,
                            const int *came, bool *seen)
{
    if (penalty == 1)
        return;
    memset(seen, 0, (size_t)vocabulary * sizeof *seen);
    for (int i = 0; i < count; i++) {
        if (came[i] < 0 || came[i] >= vocabulary || seen[came[i]])
            continue;
        real *x = &logits[came[i]];
        *x = (real)(*x < 0 ? (double)*x * penalty : (double)*x / penalty);
        seen[came[i]] = true;
    }
}

/* likeliest first; of equal ones the first word */
static int likelier(const void *a, const void *b, void *logits)
{
    const real *x = logits;
    int i = *(const int *)a, j = *(const int *)b;
    return x[i] != x[j] ? (x[i] < x[j] ? 1 : -1) : (i > j) - (i < j);
}

/* the words that stay, of all in order: those equal to the k-th stay with it */
static int cut_by_count(const real *logits, const int *order, int n, int top_k)
{
    if (top_k < 1 || top_k >= n)
        return n;
    int left = top_k;
    while (left < n && logits[order[left]] == logits[order[top_k - 1]])
        left++;
    return left;
}

/* those whose probabilities, summed from the least likely, exceed 1 - p; one at least */
static int cut_by_mass(const real *p, const int *order, int n, double top_p)
{
    double tail = 0;
    while (n > 1 && tail + (double)p[order[n - 1]] <= 1 - top_p)
        tail += (double)p[order[--n]];
    return n;
}

/* softmax over the first n words in order, 0 elsewhere */
static void normalise(const at_sampling *s, int vocabulary, const real *logits, const int *order,
                      int n, real *p)
{
    double sum = 0, top = (double)logits[order[0]] / s->temperature;
    for (int i = 0; i < vocabulary; i++)
        p[i] = 0;
    for (int i = n; i-- > 0;) /* where they are sorted, small ones first */
        sum += exp((double)logits[order[i]] / s->temperature - top);
    for (int i = 0; i < n; i++)
        p[order[i]] = (real)(exp((double)logits[order[i]] / s->temperature - top) / sum);
}

/* All words, the likeliest first; where nothing is cut off, the others stay as they are. */
static void put_in_order(const at_sampling *s, int vocabulary, const real *logits, int *order)
{
    int best = 0;
    for (int i = 0; i < vocabulary; i++) {
        order[i] = i;
        best = logits[i] > logits[best] ? i : best;
    }
    if (s->top_k > 0 || s->top_p < 1) {
        qsort_r(order, (size_t)vocabulary, sizeof *order, likelier, (void *)(uintptr_t)logits);
    } else {
        order[0] = best;
        order[best] = 0;
    }
}

void at_sampling_probabilities(const at_sampling *s, int vocabulary, const real *logits, real *p,
                               int *order)
{
    put_in_order(s, vocabulary, logits, order);
    int n = cut_by_count(logits, order, vocabulary, s->top_k);
    normalise(s, vocabulary, logits, order, n, p);
    int left = s->top_p < 1 ? cut_by_mass(p, order, n, s->top_p) : n;
    if (left < n)
        normalise(s, vocabulary, logits, order, left, p);
}

int at_sampling_draw(int vocabulary, const real *p, double u)
{
    double sum = 0;
    int last = 0;
    for (int i = 0; i < vocabulary; i++) {
        if (p[i] <= 0)
            continue;
        last = i;
        sum += (double)p[i];
        if (u < sum)
            return i;
    }
    return last; /* rounding left the sum below u */
}
