/* Twelve words that look at each other. A word is a noun or a verb (the first two numbers), stands
 * somewhere (the third, from -1.2 to 1.2), and is a word (the fourth):
 *
 *     N N V N V V V N N V V N        N = (1.6, 0, place, 0.8), V = (0, 1.6, place, 0.8)
 *
 * The key of word 8 is twice as loud a noun as others. Where a mechanism learns, its parameters are
 * chosen by hand so that a picture shows what it can do. */
#include "example.h"

#include <string.h>

enum { WORDS = ATTEND_EXAMPLE_WORDS, WIDTH = 4, LOUD = 8 };

static const char kinds[WORDS + 1] = "NNVNVVVNNVVN";

static double place_of(int i) { return (2.0 * i - (WORDS - 1)) / (WORDS - 1); }

static void fill(at_example_data *d)
{
    for (int i = 0; i < WORDS; i++) {
        double *q = d->queries + i * WIDTH, *k = d->keys + i * WIDTH, *v = d->values + i * WIDTH;
        q[0] = kinds[i] == 'N' ? 1.6 : 0;
        q[1] = 1.6 - q[0];
        q[2] = 1.2 * place_of(i);
        q[3] = 0.8;
        memcpy(k, q, WIDTH * sizeof *k);
        k[0] *= i == LOUD ? 2 : 1;
        memset(v, 0, WIDTH * sizeof *v);
        v[3] = 2 * place_of(i); /* values say: later is better */
    }
}

/* ---- what shows a mechanism well ----------------------------------------------------------- */

typedef struct {
    const char *mechanism, *attention; /* attention NULL: its own example */
    const char *shows;
    attend_parameter parameters[4];
} demonstration;

#define MATRIX(rows, columns, ...)                          \
    {                                                       \
        (const double[]){__VA_ARGS__}, 2, { rows, columns } \
    }
#define VECTOR(n, ...)                          \
    {                                           \
        (const double[]){__VA_ARGS__}, 1, { n } \
    }
#define IDENTITY MATRIX(4, 4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)

static const demonstration demonstrations[] = {
    {"dot",
     NULL,
     "words look for their kind and their end of the sentence; the loud noun wins",
     {{0}}},
    {"scaled-dot", NULL, "the same, less sharp", {{0}}},
    {"bilinear",
     NULL,
     "nouns look for verbs, and verbs for nouns",
     {{"score.weight", MATRIX(4, 4, 0, 1.2, 0, 0, 1.2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)}}},
    {"additive", /* the difference of two steps is a bump */
     NULL,
     "every word looks at the one before, whatever its kind; no product could say that",
     {{"score.query", MATRIX(2, 4, 0, 0, 4, 0, 0, 0, 4, -2.5)},
      {"score.key", MATRIX(2, 4, 0, 0, -4, 0, 0, 0, -4, 0)},
      {"score.energy", VECTOR(2, 2.5, -2.5)}}},
    {"location",
     "location:12",
     "nouns look at the start, verbs at the end, whatever stands there",
     {{"score.weight", MATRIX(12, 4, 2, 0, 0, 0, 1.3, 0, 0, 0, 0.6, 0, 0, 0, /* the start */
                              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                              0, 0, 0.6, 0, 0, 0, 1.3, 0, 0, 0, 2, 0, 0)}}},
    {"gaussian", NULL, "the nearest of the same kind; the loud noun is far from all", {{0}}},
    {"gaussian-w",
     NULL,
     "the same with w = 2.5: a narrower neighbourhood",
     {{"score.width", VECTOR(1, 2.5)}}},
    {"key-value",
     NULL,
     "scaled-dot, and values that say: later is better",
     {{"score.a", VECTOR(1, 1)}, {"score.b", VECTOR(1, 2)}}},
    {"cosine",
     NULL,
     "the direction counts alone: the loud noun is one among others",
     {{"score.log_beta", VECTOR(1, 1.8)}}},
    {"relative", /* cos(distance - 1) = sin(1) sin(distance) + cos(1) cos(distance) */
     NULL,
     "one word back; the sine that tells distances comes round after six words",
     {{"score.content_bias", VECTOR(4, 0, 0, 0, 0)},
      {"score.distance_bias", VECTOR(4, 0, 0, 0, 4)},
      {"score.distance", MATRIX(4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.26, 0, 0.81, 0)}}},
    {"global", NULL, "everything", {{0}}},
    {"window", NULL, "two words to each side", {{0}}},
    {"predicted",
     NULL,
     "it predicts to read from the end to the start, and fades to both sides",
     {{"position.weight", MATRIX(1, 4, 0, 0, 1.2, 0)}, {"position.energy", VECTOR(1, -2.6)}}},
    {"expanded", NULL, "one word to each side in detail, the others in blocks of three", {{0}}},
    {"hybrid", NULL, "a window of one word to each side, over a faint global read", {{0}}},
    {"soft", NULL, "a little of everything", {{0}}},
    {"hard", NULL, "one word for each", {{0}}},
    {"sparse", NULL, "some words, and exactly nothing of the others", {{0}}},
    {"heads",
     "scaled-dot/global/soft/2",
     "",
     {{"key", IDENTITY},
      {"value", IDENTITY},
      {"query", MATRIX(4, 4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0)},
      {"output", IDENTITY}}},
};

static const demonstration *find(const char *mechanism)
{
    for (size_t i = 0; i < sizeof demonstrations / sizeof *demonstrations; i++)
        if (strcmp(demonstrations[i].mechanism, mechanism) == 0)
            return &demonstrations[i];
    return NULL;
}

const char *at_example_shows(const char *mechanism)
{
    const demonstration *d = find(mechanism);
    return d ? d->shows : NULL;
}

void at_example_fill(at_example_data *data, const char *mechanism, attend_read_options *o)
{
    const demonstration *d = find(mechanism);
    fill(data);
    o->queries = (attend_array){data->queries, 2, {WORDS, WIDTH}};
    o->keys = (attend_array){data->keys, 2, {WORDS, WIDTH}};
    o->values = (attend_array){data->values, 2, {WORDS, WIDTH}};
    o->seed = 1;
    if (!d)
        return;
    o->attention = d->attention ? d->attention : o->attention;
    o->parameters = d->parameters;
    while (o->parameter_count < 4 && d->parameters[o->parameter_count].name)
        o->parameter_count++;
}
