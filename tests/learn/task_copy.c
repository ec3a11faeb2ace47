/* Say the source again, word by word. A place shows its word and where it stands. */
#include "learn.h"

enum { WORDS = 16 };

static void draw(at_dice *d, at_case *c) { at_draw_words(d, c, WORDS); }

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)s, (void)b;
    return at_add_sinusoids(t, ATTEND_SINUSOIDS_INTERLEAVED, values, 0);
}

const at_task at_task_copy = {
    .name = "copy",
    .says = "say the source again; a key shows its word and its position",
    .output = "words",
    .words = WORDS,
    .draw = draw,
    .keys = keys,
    .queries = at_step_queries,
};
