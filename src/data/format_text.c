/* Plain text: a line is a sentence or a paragraph, an empty line ends a document. */
#include <string.h>

#include "data/format.h"

typedef struct {
    long blank; /* empty lines seen before the last example */
    bool begun;
} text;

static int guess(const at_sample *s)
{
    (void)s;
    return 1; /* when nothing else fits */
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    text *t = r->state;
    at_read got = at_read_line(r, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    e->source = (at_text){r->lines.text, r->lines.size};
    e->has = !t->begun || r->counts.blank > t->blank ? ATTEND_HAS_BREAK : 0;
    t->begun = true;
    t->blank = r->counts.blank;
    return ATTEND_READ_EXAMPLE;
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    if (e->has & ATTEND_HAS_BREAK)
        at_str_add(out, "\n");
    at_str_add_bytes(out, e->source.text, e->source.size);
    at_str_add(out, "\n");
}

const at_format at_format_text = {
    .name = "text",
    .what = "a sentence or paragraph a line; an empty line ends a document",
    .files = "ptb.train.txt",
    .extension = ".txt",
    .guess = guess,
    .state = sizeof(text),
    .next = next,
    .write = write,
    .one_line = true,
    .takes = ATTEND_HAS_BREAK,
};
