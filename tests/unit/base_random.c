#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* counter, key and result of Philox4x32-10: the known answers that come with Random123 */
static void gives_the_known_answers_of_philox(void **state)
{
    (void)state;
    static const uint32_t known[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int i = 0; i < 3; i++) {
        const uint32_t *k = known[i];
        uint32_t words[4];
        at_random r = {
            .seed = (uint64_t)k[5] << 32 | k[4], .sentence = k[1], .step = k[2], .use = k[3]};
        at_random_words(r, k[0], words);
        assert_memory_equal(words, k + 6, sizeof words);
    }
}

static void words_are_the_blocks_in_order(void **state)
{
    (void)state;
    at_random r = {.seed = 5, .use = 9};
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t words[4];
        at_random_words(r, i / 4, words);
        assert_int_equal(at_random_u32(r, i), words[i % 4]);
    }
}

static void a_number_depends_on_its_place_alone(void **state)
{
    (void)state;
    enum { N = 1000 };
    static double forward[N];
    at_random r = {.seed = 1, .step = 2, .sentence = 3, .use = 4}, other = {.seed = 77};
    for (uint32_t i = 0; i < N; i++)
        forward[i] = at_random_normal(r, i);
    for (uint32_t i = N; i-- > 0;) {
        at_random_uniform(other, i);
        assert_true(at_random_normal(r, i) == forward[i]);
    }
}

static void every_part_of_a_place_counts(void **state)
{
    (void)state;
    const at_random places[] = {
        {.seed = 1},
        {.seed = 2},
        {.seed = (uint64_t)1 << 32},
        {.seed = 1, .step = 1},
        {.seed = 1, .sentence = 1},
        {.seed = 1, .use = 1},
    };
    enum { PLACES = sizeof places / sizeof *places, N = 256 };
    for (int a = 0; a < PLACES; a++)
        for (int b = 0; b < a; b++) {
            int equal = 0;
            for (uint32_t i = 0; i < N; i++)
                equal += at_random_u32(places[a], i) == at_random_u32(places[b], i);
            assert_int_equal(equal, 0);
        }
}

typedef double draw(at_random r, uint32_t index);

/* the first four moments about zero, and of neighbours, over many numbers */
static void moments(draw *number, double moment[4], double *neighbours, double *low, double *high)
{
    enum { N = 400000 };
    at_random r = {.seed = 42};
    double before = number(r, N);
    memset(moment, 0, 4 * sizeof *moment);
    *neighbours = 0;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < N; i++) {
        double x = number(r, i), power = 1;
        for (int k = 0; k < 4; k++)
            moment[k] += (power *= x) / N;
        *neighbours += x * before / N;
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
        before = x;
    }
}

static void uniform_numbers_have_their_moments(void **state)
{
    (void)state;
    double m[4], neighbours, low, high;
    moments(at_random_uniform, m, &neighbours, &low, &high);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(m[k] - 1.0 / (k + 2)) < 0.003); /* six deviations */
    assert_true(fabs(neighbours - 0.25) < 0.003);
    assert_true(low >= 0 && low < 1e-4);
    assert_true(high < 1 && high > 1 - 1e-4);
}

static void uniform_numbers_use_all_their_bits(void **state)
{
    (void)state;
    at_random r = {.seed = 3};
    uint64_t ones = 0, zeros = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t bits = (uint64_t)ldexp(at_random_uniform(r, i), 53);
        ones |= bits;
        zeros |= ~bits;
    }
    assert_int_equal(ones & zeros, ((uint64_t)1 << 53) - 1);
}

static void normal_numbers_have_their_moments(void **state)
{
    (void)state;
    double m[4], neighbours, low, high;
    moments(at_random_normal, m, &neighbours, &low, &high);
    assert_true(fabs(m[0]) < 0.01);
    assert_true(fabs(m[1] - 1) < 0.015);
    assert_true(fabs(m[2]) < 0.04);
    assert_true(fabs(m[3] - 3) < 0.1);
    assert_true(fabs(neighbours) < 0.01);
    assert_true(low < -4 && low > -7);
    assert_true(high > 4 && high < 7);
}

static void normal_numbers_follow_the_bell_curve(void **state)
{
    (void)state;
    enum { N = 200000 };
    at_random r = {.seed = 4};
    for (double bound = -2.5; bound <= 2.5; bound += 0.5) {
        int below = 0;
        for (uint32_t i = 0; i < N; i++)
            below += at_random_normal(r, i) < bound;
        double expected = 0.5 * erfc(-bound / sqrt(2));
        assert_true(fabs((double)below / N - expected) < 0.006);
    }
}

static void whole_numbers_stay_below_and_are_even(void **state)
{
    (void)state;
    const uint32_t bounds[] = {1, 2, 3, 7, 10};
    for (int b = 0; b < 5; b++) {
        enum { N = 100000 };
        int count[10] = {0};
        for (uint32_t i = 0; i < N; i++) {
            uint32_t x = at_random_below((at_random){.seed = 8}, i, bounds[b]);
            assert_true(x < bounds[b]);
            count[x]++;
        }
        for (uint32_t x = 0; x < bounds[b]; x++)
            assert_true(fabs(count[x] - (double)N / bounds[b]) < 6 * sqrt(N / 4.0));
    }
    uint32_t largest = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t x = at_random_below((at_random){.seed = 8}, i, UINT32_MAX);
        largest = x > largest ? x : largest;
        assert_true(x < UINT32_MAX);
    }
    assert_true(largest > UINT32_MAX - UINT32_MAX / 100);
}

static void a_permutation_has_every_number_once(void **state)
{
    (void)state;
    const uint32_t sizes[] = {0, 1, 2, 3, 1000, 70000};
    for (int s = 0; s < 6; s++) {
        uint32_t n = sizes[s], *order = malloc((n + 1) * sizeof *order);
        bool *seen = calloc(n + 1, sizeof *seen);
        order[n] = 12345;
        at_random_permutation((at_random){.seed = 6}, n, order);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(order[i] < n && !seen[order[i]]);
            seen[order[i]] = true;
        }
        assert_int_equal(order[n], 12345);
        free(order);
        free(seen);
    }
}

static void every_permutation_is_as_likely(void **state)
{
    (void)state;
    enum { N = 24000 };
    int count[64] = {0}, kinds = 0;
    for (uint32_t step = 0; step < N; step++) {
        uint32_t order[4];
        at_random_permutation((at_random){.seed = 6, .step = step}, 4, order);
        count[order[0] * 16 + order[1] * 4 + order[2]]++;
    }
    for (int i = 0; i < 64; i++)
        if (count[i]) {
            kinds++;
            assert_true(abs(count[i] - N / 24) < 200); /* six deviations */
        }
    assert_int_equal(kinds, 24);
}

static void names_differ_from_each_other_and_from_numbers(void **state)
{
    (void)state;
    const char *names[] = {"", "shuffle", "dropout", "init", "mask", "Shuffle", "encoder.weight"};
    for (int a = 0; a < 7; a++) {
        assert_true(at_random_name(names[a]) >= 0x80000000u);
        assert_int_equal(at_random_name(names[a]), at_random_name(names[a]));
        for (int b = 0; b < a; b++)
            assert_true(at_random_name(names[a]) != at_random_name(names[b]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_known_answers_of_philox),
        cmocka_unit_test(words_are_the_blocks_in_order),
        cmocka_unit_test(a_number_depends_on_its_place_alone),
        cmocka_unit_test(every_part_of_a_place_counts),
        cmocka_unit_test(uniform_numbers_have_their_moments),
        cmocka_unit_test(uniform_numbers_use_all_their_bits),
        cmocka_unit_test(normal_numbers_have_their_moments),
        cmocka_unit_test(normal_numbers_follow_the_bell_curve),
        cmocka_unit_test(whole_numbers_stay_below_and_are_even),
        cmocka_unit_test(a_permutation_has_every_number_once),
        cmocka_unit_test(every_permutation_is_as_likely),
        cmocka_unit_test(names_differ_from_each_other_and_from_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
