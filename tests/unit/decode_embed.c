/* Vectors of texts: pooled as said, joined in a fixed order. */
#include "decode/embed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const real states[3 * 2] = {1, 4, 5, 0, 3, -1}; /* [T,D] */

static void assert_near(real got, double want)
{
    if (fabs((double)got - want) > 1e-6)
        fail_msg("%g, not %g", (double)got, want);
}

static void parts_are_joined_in_a_fixed_order(void **state)
{
    attend_error err;
    at_sentence how = {.normalize = false};
    real x[8];
    (void)state;
    assert_int_equal(at_sentence_parse(&how, "mean_sqrt_len,mean,max,cls", &err), ATTEND_OK);
    at_embed_pool(&how, 2, 3, states, x);
    static const double want[8] = {1, 4, 5, 4, 3, 1, 5.196152422706632, 1.7320508075688772};
    for (int i = 0; i < 8; i++)
        assert_near(x[i], want[i]);
}

static void normalised_vectors_have_length_1_and_zeros_stay(void **state)
{
    static const real zeros[2] = {0, 0};
    at_sentence how = {.parts = ATTEND_SENTENCE_CLS, .normalize = true};
    real x[2];
    (void)state;
    at_embed_pool(&how, 2, 1, (const real[]){3, -4}, x);
    assert_near(x[0], 0.6);
    assert_near(x[1], -0.8);
    at_embed_pool(&how, 2, 1, zeros, x);
    assert_true(x[0] == 0 && x[1] == 0);
}

static void unknown_parts_are_refused(void **state)
{
    static const char *const bad[] = {"", "mean,", "average", "mean,first_token_of_the_text"};
    at_sentence how;
    attend_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(at_sentence_parse(&how, bad[i], &err), ATTEND_OPTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_joined_in_a_fixed_order),
        cmocka_unit_test(normalised_vectors_have_length_1_and_zeros_stay),
        cmocka_unit_test(unknown_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
