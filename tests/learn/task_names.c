/* Copy, where half of the words are names that the vocabulary lacks: they all look alike. */
#include "learn.h"

enum { WORDS = 9, NAMES = 8 }; /* the last of the words stands for every name */

static void draw(at_dice *d, at_case *c)
{
    at_draw_words(d, c, WORDS - 1 + NAMES);
    for (int j = 0; j < c->length; j++)
        c->word[j] += c->word[j] >= WORDS - 1;
}

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)s, (void)b;
    return at_add_sinusoids(t, ATTEND_SINUSOIDS_INTERLEAVED, values, 0);
}

const at_task at_task_names = {
    .name = "names",
    .says = "copy, half of the words being unknown to the vocabulary",
    .output = "copy",
    .words = WORDS,
    .unknown = NAMES,
    .draw = draw,
    .keys = keys,
    .queries = at_step_queries,
};
