/* Points in the square from -1 to 1, each with a word. What is the word of the one nearest to this
 * point? Nothing stands between the points and the score: what it makes of two coordinates (and
 * zeros) is all there is. */
#include "learn.h"

enum { SIDE = 32, WORDS = 16, FEWEST = 4, QUESTIONS = 4, CLEAR = 36 };

static int distance(int a, int b) /* squared, in steps of the grid */
{
    int x = a % SIDE - b % SIDE, y = a / SIDE - b / SIDE;
    return x * x + y * y;
}

/* the point nearest to q, or -1 where the second is almost as near */
static int nearest(const at_case *c, int q)
{
    int best = 0;
    for (int j = 1; j < c->length; j++)
        if (distance(q, c->key[j]) < distance(q, c->key[best]))
            best = j;
    for (int j = 0; j < c->length; j++)
        if (j != best && distance(q, c->key[j]) < distance(q, c->key[best]) + CLEAR)
            return -1;
    return best;
}

/* finds a point to ask for; false where these points leave hardly any that is clear */
static bool ask(at_dice *d, at_case *c, int i)
{
    for (int tries = 0; tries < 100; tries++) {
        c->query[i] = at_roll(d, SIDE * SIDE);
        c->answer[i] = nearest(c, c->query[i]);
        if (c->answer[i] >= 0)
            return true;
    }
    return false;
}

static void draw(at_dice *d, at_case *c)
{
    c->length = FEWEST + at_roll(d, PLACES - FEWEST + 1);
    for (c->questions = 0; c->questions < QUESTIONS;) {
        if (c->questions == 0)
            at_roll_distinct(d, SIDE * SIDE, c->length, c->key);
        c->questions = ask(d, c, c->questions) ? c->questions + 1 : 0;
    }
    for (int j = 0; j < c->length; j++)
        c->word[j] = at_roll(d, WORDS);
}

static at_tensor *points(at_tape *t, const at_batch *b, const int *id)
{
    at_tensor *x = at_zeros(t, SHAPE(b->cases, PLACES, WIDTH));
    for (int i = 0; !at_failed(t) && i < b->cases * PLACES; i++) {
        x->value[i * WIDTH] = (real)(id[i] % SIDE) / (SIDE - 1) * 2 - 1;
        x->value[i * WIDTH + 1] = (real)(id[i] / SIDE) / (SIDE - 1) * 2 - 1;
    }
    return x;
}

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)s, (void)values;
    return points(t, b, b->key);
}

static at_tensor *queries(at_tape *t, at_path s, const at_batch *b)
{
    (void)s;
    return points(t, b, b->query);
}

const at_task at_task_nearest = {
    .name = "nearest",
    .says = "say the word of the nearest of 4 to 12 points, which are plain coordinates",
    .output = "words",
    .words = WORDS,
    .draw = draw,
    .keys = keys,
    .queries = queries,
};
