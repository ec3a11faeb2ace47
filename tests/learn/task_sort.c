/* Numbers in no order: point to the smallest, then to the next, to the last. The question is the
 * number pointed to before, so the answer is the smallest number above it. */
#include "learn.h"

enum { NUMBERS = 24, FEWEST = 3, MOST = 8 };

static int next_above(const at_case *c, int number)
{
    int best = -1;
    for (int j = 0; j < c->length; j++)
        if (c->key[j] > number && (best < 0 || c->key[j] < c->key[best]))
            best = j;
    return best;
}

static void draw(at_dice *d, at_case *c)
{
    c->length = c->questions = FEWEST + at_roll(d, MOST - FEWEST + 1);
    at_roll_distinct(d, NUMBERS, c->length, c->key);
    for (int i = 0, before = -1; i < c->length; i++) {
        c->word[i] = c->key[i];
        c->query[i] = before + 1; /* 0 says: nothing yet */
        c->answer[i] = next_above(c, before);
        before = c->key[c->answer[i]];
    }
}

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)values;
    return at_embed(t, s, at_row_ids(b, b->key), NUMBERS, WIDTH, at_start);
}

static at_tensor *queries(at_tape *t, at_path s, const at_batch *b)
{
    return at_embed(t, s, at_row_ids(b, b->query), NUMBERS + 1, WIDTH, at_start);
}

const at_task at_task_sort = {
    .name = "sort",
    .says = "point to 3 to 8 distinct numbers from the smallest to the largest",
    .output = "pointer",
    .words = NUMBERS,
    .draw = draw,
    .keys = keys,
    .queries = queries,
};
