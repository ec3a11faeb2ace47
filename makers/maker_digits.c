/* Digits as a voice might say them: frames of sound, and the words.
 *
 * A frame has the loudness of BANDS bands, from low to high. In each digit two tones glide from one
 * band to another, over five to nine frames; one to three frames of silence lie between digits and
 * around them. Voices differ in pitch and loudness, and everything is noisy. All in whole
 * hundredths, so that no rounding makes a difference between machines. */
#include <stdlib.h>

#include "makers/maker.h"

enum { BANDS = 12, MAX_DIGITS = 20, NOISE = 15 };

/* two tones, each from and to a tenth of a band */
static const struct {
    const char *word;
    int from[2], to[2];
} digits[] = {
    {"zero", {10, 80}, {40, 100}},  {"one", {20, 50}, {20, 20}},  {"two", {60, 100}, {10, 30}},
    {"three", {30, 90}, {10, 100}}, {"four", {50, 70}, {20, 70}}, {"five", {10, 60}, {50, 110}},
    {"six", {40, 110}, {40, 60}},   {"seven", {0, 60}, {40, 30}}, {"eight", {70, 90}, {30, 110}},
    {"nine", {20, 90}, {60, 50}},
};

typedef struct {
    int pitch, loudness; /* tenths of a band up or down, hundredths */
} voice;

/* of a band, in hundredths: 100 at the tone, less by 6 for every tenth of a band away */
static int tone(int band, int at)
{
    int loud = 100 - 6 * abs(10 * band - at);
    return loud > 0 ? loud : 0;
}

/* two dice with -NOISE to NOISE on their sides, rolled as one */
static int noise(at_dice *d)
{
    enum { SIDES = 2 * NOISE + 1 };
    int roll = at_dice_roll(d, SIDES * SIDES);
    return roll % SIDES + roll / SIDES - 2 * NOISE;
}

static void put_frame(at_dice *d, const voice *v, int first, int second, bool silent,
                      at_str *source)
{
    for (int band = 0; band < BANDS; band++) {
        int loud = silent ? 0 : tone(band, first + v->pitch) + tone(band, second + v->pitch);
        int value = loud * v->loudness / 100 + noise(d);
        at_str_print(source, "%s%s%d.%02d",
                     band             ? ","
                     : source->length ? " "
                                      : "",
                     value < 0 ? "-" : "", abs(value) / 100, abs(value) % 100);
    }
}

static void put_silence(at_dice *d, const voice *v, at_str *source)
{
    for (int i = 1 + at_dice_roll(d, 3); i > 0; i--)
        put_frame(d, v, 0, 0, true, source);
}

static void make(at_dice *d, int size, at_made *made)
{
    at_str *source = &made->source, *target = &made->target;
    voice v = {at_dice_roll(d, 9) - 4, 70 + at_dice_roll(d, 51)};
    int n = 1 + at_dice_roll(d, size);
    put_silence(d, &v, source);
    for (int i = 0; i < n; i++) {
        int digit = at_dice_roll(d, 10), frames = 5 + at_dice_roll(d, 5), at[2];
        for (int t = 0; t < frames; t++) {
            for (int k = 0; k < 2; k++)
                at[k] = digits[digit].from[k]
                        + (digits[digit].to[k] - digits[digit].from[k]) * t / (frames - 1);
            put_frame(d, &v, at[0], at[1], false, source);
        }
        put_silence(d, &v, source);
        at_str_print(target, "%s%s", i ? " " : "", digits[digit].word);
    }
}

const at_maker at_maker_digits = {
    .name = "digits",
    .what = "made-up frames of sound of up to so many digits, and the digits in words",
    .size = 4,
    .smallest = 1,
    .largest = MAX_DIGITS,
    .features = true,
    .make = make,
};
