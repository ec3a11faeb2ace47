/* bAbI: numbered lines; a statement joins the story, a question has its answer behind a tab. Number
 * 1 begins a new story. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/format.h"

typedef struct {
    at_str story;
    size_t first; /* bytes of its first statement */
} babi;

/* a line's number, or 0 */
static long number_of(at_text *line)
{
    at_text word;
    long number = 0;
    if (!at_text_cut(line, ' ', &word) || !word.size || word.size > 6)
        return 0;
    for (size_t i = 0; i < word.size; i++) {
        if (word.text[i] < '0' || word.text[i] > '9')
            return 0;
        number = 10 * number + word.text[i] - '0';
    }
    return number;
}

/* A story cannot open with a question: line 1 has no tab, unlike in pairs that begin with
 * numbers. */
static int guess(const at_sample *s)
{
    long before = 0;
    bool asked = false;
    for (int i = 0; i < s->lines; i++) {
        at_text line = s->line[i];
        long number = number_of(&line);
        bool tab = memchr(line.text, '\t', line.size) != NULL;
        if ((number != 1 && number != before + 1) || (number == 1 && tab))
            return 0;
        asked |= tab;
        before = number;
    }
    return s->lines > 1 && asked ? 92 : 0;
}

static void add_statement(babi *b, long number, at_text line)
{
    if (number == 1)
        at_str_clear(&b->story);
    at_str_add(&b->story, b->story.length ? " " : "");
    at_str_add_bytes(&b->story, line.text, line.size);
    if (number == 1)
        b->first = b->story.length;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    babi *b = r->state;
    for (;;) {
        at_read got = at_read_line(r, err);
        if (got != ATTEND_READ_EXAMPLE)
            return got;
        at_text line = {r->lines.text, r->lines.size}, question;
        long number = number_of(&line);
        if (!number)
            return at_read_bad(r, err, "no number: a line is NUMBER, a blank, a sentence");
        if (number != 1 && b->story.length > r->lines.options.max_length)
            return at_read_bad(r, err, "a story without an end");
        if (!at_text_cut(&line, '\t', &question)) {
            add_statement(b, number, question);
            continue;
        }
        at_text_cut(&line, '\t', &e->label);
        e->question = at_text_trim(question);
        e->source = (at_text){at_str_text(&b->story), b->story.length};
        e->group = (at_text){at_str_text(&b->story), b->first};
        e->has = ATTEND_HAS_QUESTION | ATTEND_HAS_LABEL;
        if (b->story.failed) {
            at_error_memory(err);
            return ATTEND_READ_FAILED;
        }
        return ATTEND_READ_EXAMPLE;
    }
}

static void close(at_example_reader *r) { at_str_free(&((babi *)r->state)->story); }

const at_format at_format_babi = {
    .name = "babi",
    .what = "bAbI: numbered statements, and questions with their answers behind a tab",
    .files = "qa1_train.txt",
    .guess = guess,
    .state = sizeof(babi),
    .next = next,
    .close = close,
};
