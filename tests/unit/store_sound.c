/* Frames of sound. */
#include "store/sound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"

enum { RATE = 16000, BANDS = 40, SAMPLES = 4000 };
static float tone[SAMPLES];

static void make_tone(double hertz, double loud)
{
    for (int i = 0; i < SAMPLES; i++)
        tone[i] = (float)(loud * sin(2 * 3.14159265358979 * hertz * i / RATE));
}

static int loudest(const float *frame)
{
    int best = 0;
    for (int i = 1; i < BANDS; i++)
        best = frame[i] > frame[best] ? i : best;
    return best;
}

static int band_of(double hertz)
{
    double low = 2595 * log10(1 + 60 / 700.), high = 2595 * log10(1 + 7600 / 700.);
    return (int)lround((2595 * log10(1 + hertz / 700) - low) / (high - low) * (BANDS + 1)) - 1;
}

static void a_tone_is_loudest_in_its_band(void **state)
{
    (void)state;
    for (double hertz = 200; hertz < 7000; hertz *= 1.7) {
        float *out;
        size_t frames;
        attend_error err;
        make_tone(hertz, 0.5);
        assert_int_equal(at_sound_frames(tone, SAMPLES, RATE, BANDS, 10, &out, &frames, &err),
                         ATTEND_OK);
        assert_int_equal(frames, (SAMPLES - 400) / 160 + 1);
        for (size_t i = 0; i < frames; i++)
            assert_in_range(loudest(out + i * BANDS), band_of(hertz) - 1, band_of(hertz) + 1);
        attend_free(out);
    }
}

/* Twice as loud is log 4 more; silence is the floor; a short sound is one frame. */
static void bands_are_logarithms_of_power(void **state)
{
    float *one, *two;
    size_t frames;
    attend_error err;
    (void)state;
    make_tone(1000, 0.25);
    assert_int_equal(at_sound_frames(tone, 100, RATE, BANDS, 10, &one, &frames, &err), ATTEND_OK);
    assert_int_equal(frames, 1);
    make_tone(1000, 0.5);
    assert_int_equal(at_sound_frames(tone, 100, RATE, BANDS, 10, &two, &frames, &err), ATTEND_OK);
    int k = loudest(one);
    assert_true(fabs(two[k] - one[k] - log(4)) < 1e-3);
    attend_free(one);
    attend_free(two);
    make_tone(1000, 0);
    assert_int_equal(at_sound_frames(tone, SAMPLES, RATE, BANDS, 10, &one, &frames, &err),
                     ATTEND_OK);
    assert_true(fabs(one[0] - log(1e-6)) < 1e-4);
    attend_free(one);
}

static void what_is_out_of_range_is_refused(void **state)
{
    float *out;
    size_t frames;
    attend_error err;
    (void)state;
    assert_int_equal(at_sound_frames(tone, 9, RATE, 0, 10, &out, &frames, &err), ATTEND_OPTION);
    assert_int_equal(at_sound_frames(tone, 9, RATE, 257, 10, &out, &frames, &err), ATTEND_OPTION);
    assert_int_equal(at_sound_frames(tone, 9, RATE, 40, 0.5, &out, &frames, &err), ATTEND_OPTION);
    assert_int_equal(at_sound_frames(tone, 9, RATE, 40, NAN, &out, &frames, &err), ATTEND_OPTION);
}

static void without_memory_it_fails_cleanly(void **state)
{
    attend_status status = ATTEND_MEMORY;
    (void)state;
    for (int n = 0; status != ATTEND_OK; n++) {
        float *out;
        size_t frames;
        attend_error err;
        at_alloc_fail_after(n);
        status = at_sound_frames(tone, SAMPLES, RATE, BANDS, 10, &out, &frames, &err);
        at_alloc_fail_after(-1);
        at_free(out);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_true(n < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tone_is_loudest_in_its_band),
        cmocka_unit_test(bands_are_logarithms_of_power),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(without_memory_it_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
