/* The words that cuts leave, against a plain sort. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/random.h"
#include "decode/sample.h"

enum { MOST = 50257 };
static real logits[MOST], got[MOST], want[MOST];
static int scratch[MOST], order[MOST];

/* ---- the same by sorting ------------------------------------------------------------------- */

static int likelier(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return logits[i] != logits[j] ? (logits[i] < logits[j] ? 1 : -1) : (i > j) - (i < j);
}

static void normalise(const at_sampling *s, int V, int n)
{
    double sum = 0, top = (double)logits[order[0]] / s->temperature;
    for (int i = 0; i < V; i++)
        want[i] = 0;
    for (int i = n; i-- > 0;)
        sum += exp((double)logits[order[i]] / s->temperature - top);
    for (int i = 0; i < n; i++)
        want[order[i]] = (real)(exp((double)logits[order[i]] / s->temperature - top) / sum);
}

static void by_sorting(const at_sampling *s, int V)
{
    int n = V;
    for (int i = 0; i < V; i++)
        order[i] = i;
    qsort(order, (size_t)V, sizeof *order, likelier);
    if (s->top_k > 0 && s->top_k < V)
        for (n = s->top_k; n < V && logits[order[n]] == logits[order[s->top_k - 1]];)
            n++;
    normalise(s, V, n);
    double tail = 0;
    while (s->top_p < 1 && n > 1 && tail + (double)want[order[n - 1]] <= 1 - s->top_p)
        tail += (double)want[order[--n]];
    normalise(s, V, n);
    while (n > 1 && (double)want[order[n - 1]] < s->min_p * (double)want[order[0]])
        n--;
    normalise(s, V, n);
}

/* ---- logits -------------------------------------------------------------------------------- */

static double number(uint32_t round, uint32_t i)
{
    return at_random_uniform((at_random){.seed = 3, .step = round}, i);
}

/* kinds: all different, many equal, few values, two values, all equal, with impossible words */
static void fill(int V, uint32_t round)
{
    int kind = (int)(round % 6);
    for (int i = 0; i < V; i++) {
        double x = at_random_normal((at_random){.seed = 4, .step = round}, (uint32_t)i);
        x *= 1 + 4 * number(round, 0);
        x = kind == 1 ? rint(4 * x) / 4 : kind == 2 ? rint(x) : kind == 3 ? (x > 1) : x;
        logits[i] = (real)(kind == 4 ? 0.5 : x);
        if (kind == 5 && i % 3 == 1 && i)
            logits[i] = -(real)INFINITY;
        if (logits[i] == 0 && i % 2)
            logits[i] = -(real)0.0;
    }
}

static at_sampling sampling(uint32_t round, int V)
{
    static const double top_p[] = {0.5, 0.9, 0.25, 0.999, 1e-6, 0.75};
    static const double min_p[] = {0, 0.05, 1, 0.5};
    int which = (int)(number(round, 1) * 8);
    return (at_sampling){.repetition = 1,
                         .temperature = number(round, 2) < 0.5 ? 1 : 0.2 + 2 * number(round, 3),
                         .top_k = which & 1 ? 1 + (int)(number(round, 4) * V) / 2 : 0,
                         .top_p = which & 2 ? top_p[round % 6] : 1,
                         .min_p = which & 4 ? min_p[round % 4] : 0};
}

static void compare(int V, uint32_t round)
{
    fill(V, round);
    at_sampling s = sampling(round, V);
    by_sorting(&s, V);
    at_sampling_probabilities(&s, V, logits, got, scratch);
    for (int i = 0; i < V; i++)
        if ((got[i] > 0) != (want[i] > 0)
            || !(fabs((double)(got[i] - want[i])) <= 2e-7 * (double)want[i]))
            fail_msg("round %u, word %d of %d (top-k %d, top-p %g, min-p %g): %.9g, not %.9g",
                     round, i, V, s.top_k, s.top_p, s.min_p, (double)got[i], (double)want[i]);
}

static void cuts_leave_the_words_that_sorting_leaves(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 8, 50, 333, 1000};
    at_isa best = at_cpu_isa();
    for (int isa = ATTEND_ISA_BASE; isa <= (int)best; isa++) {
        assert_true(at_cpu_use((at_isa)isa));
        for (uint32_t round = 0; round < 2400; round++)
            compare(sizes[round / 7 % 8], round);
        for (uint32_t round = 0; round < 12; round++)
            compare(MOST, round);
    }
    at_cpu_use(best);
}

/* draws see the probabilities in the order of the vocabulary */
static void draws_stay_where_they_were(void **state)
{
    (void)state;
    int differ = 0;
    for (uint32_t round = 0; round < 300; round++) {
        fill(1000, round);
        at_sampling s = sampling(round, 1000);
        by_sorting(&s, 1000);
        at_sampling_probabilities(&s, 1000, logits, got, scratch);
        double u = number(round, 9);
        differ += at_sampling_draw(1000, got, u) != at_sampling_draw(1000, want, u);
    }
    assert_int_equal(differ, 0);
}

static void min_p_is_a_fraction_of_the_likeliest(void **state)
{
    (void)state;
    const double p[4] = {0.05, 0.5, 0.25, 0.2};
    for (int i = 0; i < 4; i++)
        logits[i] = (real)log(p[i]);
    at_sampling s = {1, 1, 0, 1, 0.45};
    at_sampling_probabilities(&s, 4, logits, got, scratch);
    assert_true(got[0] == 0 && got[3] == 0);
    assert_true(fabs((double)got[1] - 2.0 / 3) < 1e-6 && fabs((double)got[2] - 1.0 / 3) < 1e-6);
    attend_error err;
    s.min_p = 1.5;
    assert_true(at_sampling_check(&s, &err) < 0);
    s.min_p = (double)NAN;
    assert_true(at_sampling_check(&s, &err) < 0);
}

/* sums whose last bit would decide: four equal words, and half of the mass */
static void exact_halves_stay_halves(void **state)
{
    (void)state;
    for (int n = 2; n <= 1024; n *= 2) {
        for (int i = 0; i < n; i++)
            logits[i] = (real)-3.7;
        at_sampling s = {1, 1, 0, 0.5, 0};
        at_sampling_probabilities(&s, n, logits, got, scratch);
        for (int i = 0; i < n; i++)
            assert_true(got[i] == (i < n / 2 ? 2 / (real)n : 0));
    }
}

/* numbers that are not are no reason to run away */
static void anything_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        logits[i] = i % 3 ? (real)i : i % 2 ? (real)NAN : (real)INFINITY;
    at_sampling s = {1, 1, 20, 0.9, 0.1};
    at_sampling_probabilities(&s, 100, logits, got, scratch);
    assert_in_range(at_sampling_draw(100, got, 0.5), 0, 99);
    for (int i = 0; i < 100; i++)
        logits[i] = -(real)INFINITY;
    at_sampling_probabilities(&s, 100, logits, got, scratch);
    assert_in_range(at_sampling_draw(100, got, 0.5), 0, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_leave_the_words_that_sorting_leaves),
        cmocka_unit_test(draws_stay_where_they_were),
        cmocka_unit_test(min_p_is_a_fraction_of_the_likeliest),
        cmocka_unit_test(exact_halves_stay_halves),
        cmocka_unit_test(anything_ends),
    };
    return cmocka_run_group_tests_name("decode_sample", tests, NULL, NULL);
}
