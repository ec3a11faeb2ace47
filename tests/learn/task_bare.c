/* Copy, from keys that show their word alone: where a place stands only the mechanism can know. */
#include "learn.h"

enum { WORDS = 16 };

static void draw(at_dice *d, at_case *c) { at_draw_words(d, c, WORDS); }

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)t, (void)s, (void)b;
    return values;
}

const at_task at_task_bare = {
    .name = "bare",
    .says = "copy, but a key shows its word alone, not its position",
    .output = "words",
    .words = WORDS,
    .draw = draw,
    .keys = keys,
    .queries = at_step_queries,
};
