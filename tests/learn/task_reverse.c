/* Say the source from its last word to its first. */
#include "learn.h"

enum { WORDS = 16 };

static void draw(at_dice *d, at_case *c)
{
    at_draw_words(d, c, WORDS);
    for (int i = 0; i < c->length; i++)
        c->answer[i] = c->length - 1 - i;
}

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)s, (void)b;
    return at_add_sinusoids(t, ATTEND_SINUSOIDS_INTERLEAVED, values, 0);
}

const at_task at_task_reverse = {
    .name = "reverse",
    .says = "say the source backwards; a key shows its word and its position",
    .output = "words",
    .words = WORDS,
    .draw = draw,
    .keys = keys,
    .queries = at_step_queries,
};
