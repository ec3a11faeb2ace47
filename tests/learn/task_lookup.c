/* A dictionary: each place shows a symbol and holds a word. What is the word of this symbol? */
#include "learn.h"

enum { SYMBOLS = 24, WORDS = 16, FEWEST = 4, QUESTIONS = 4 };

static void draw(at_dice *d, at_case *c)
{
    c->length = FEWEST + at_roll(d, PLACES - FEWEST + 1);
    c->questions = QUESTIONS;
    at_roll_distinct(d, SYMBOLS, c->length, c->key);
    for (int j = 0; j < c->length; j++)
        c->word[j] = at_roll(d, WORDS);
    for (int i = 0; i < c->questions; i++) {
        c->answer[i] = at_roll(d, c->length);
        c->query[i] = c->key[c->answer[i]];
    }
}

/* keys and queries are symbols of one table */
static at_tensor *symbols(at_tape *t, const at_batch *b, const int *id)
{
    return at_embed(t, at_in(at_root(), "symbol"), at_row_ids(b, id), SYMBOLS, WIDTH, at_start);
}

static at_tensor *keys(at_tape *t, at_path s, const at_batch *b, at_tensor *values)
{
    (void)s, (void)values;
    return symbols(t, b, b->key);
}

static at_tensor *queries(at_tape *t, at_path s, const at_batch *b)
{
    (void)s;
    return symbols(t, b, b->query);
}

const at_task at_task_lookup = {
    .name = "lookup",
    .says = "say the word that is filed under a symbol, in a dictionary of 4 to 12",
    .output = "words",
    .words = WORDS,
    .draw = draw,
    .keys = keys,
    .queries = queries,
};
