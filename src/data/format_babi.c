/* bAbI: numbered lines; a statement joins the story, a question has its answer after a tab, and
 * after another one the numbers of the statements that it follows from. Number 1 begins a new
 * story.
 *
 * An answer that is a word of the story has a place there: in the last of these statements that has
 * it, else where it comes last. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/answers.h"

typedef struct {
    long number;
    size_t begin, end; /* bytes of the story */
} statement;

typedef struct {
    at_str story;
    size_t first; /* bytes of its first statement */
    statement *statements;
    size_t count, capacity;
    at_answers answers;
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
    bool question = false;
    for (int i = 0; i < s->lines; i++) {
        at_text line = s->line[i];
        long number = number_of(&line);
        bool tab = memchr(line.text, '\t', line.size) != NULL;
        if ((number != 1 && number != before + 1) || (number == 1 && tab))
            return 0;
        question |= tab;
        before = number;
    }
    return s->lines > 1 && question ? 92 : 0;
}

static void keep_statement(babi *b, statement s)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        statement *grown = at_realloc(b->statements, b->count * sizeof *grown,
                                      capacity * sizeof *grown);
        b->story.failed = b->story.failed || !grown;
        if (!grown)
            return;
        b->statements = grown;
        b->capacity = capacity;
    }
    b->statements[b->count++] = s;
}

static void add_statement(babi *b, long number, at_text line)
{
    if (number == 1) {
        at_str_clear(&b->story);
        b->count = 0;
    }
    at_str_add(&b->story, b->story.length ? " " : "");
    size_t begin = b->story.length;
    at_str_add_bytes(&b->story, line.text, line.size);
    keep_statement(b, (statement){number, begin, b->story.length});
    if (number == 1)
        b->first = b->story.length;
}

/* ---- where an answer is --------------------------------------------------------------------- */

static bool in_word(at_text t, size_t i)
{
    return i < t.size && (isalnum((unsigned char)t.text[i]) || (unsigned char)t.text[i] >= 0x80);
}

/* The last place in bytes [begin, end) of the story where a word is the answer; the size of the
 * story if there is none. */
static size_t find_last(at_text story, size_t begin, size_t end, at_text answer)
{
    for (size_t i = end; i-- > begin;) {
        bool starts = i == 0 || !in_word(story, i - 1);
        if (starts && end - i >= answer.size && !in_word(story, i + answer.size)
            && memcmp(story.text + i, answer.text, answer.size) == 0)
            return i;
    }
    return story.size;
}

/* the place in the statement of that number */
static size_t find_in(const babi *b, at_text story, long number, at_text answer)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->statements[i].number == number)
            return find_last(story, b->statements[i].begin, b->statements[i].end, answer);
    return story.size;
}

/* support: "2 5" */
static at_read add_answer(at_example_reader *r, babi *b, at_example *e, at_text support,
                          attend_error *err)
{
    size_t place = e->source.size, found;
    b->answers.count = 0;
    for (at_text word; e->label.size && support.size;) {
        at_text_cut(&support, ' ', &word);
        found = find_in(b, e->source, word.size ? strtol(word.text, NULL, 10) : 0, e->label);
        place = found < e->source.size ? found : place;
    }
    if (place == e->source.size && e->label.size)
        place = find_last(e->source, 0, e->source.size, e->label);
    if (place == e->source.size)
        return ATTEND_READ_EXAMPLE;
    json_int_t character = 0;
    for (size_t i = 0; i < place; i++)
        character += ((unsigned char)e->source.text[i] & 0xC0) != 0x80;
    at_read got = at_answers_add(&b->answers, r, e->source, e->label, character, err);
    e->answers = b->answers.list;
    e->answer_count = b->answers.count;
    return got;
}

/* ---- lines ---------------------------------------------------------------------------------- */

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
        return add_answer(r, b, e, at_text_trim(line), err);
    }
}

static void close(at_example_reader *r)
{
    babi *b = r->state;
    at_str_free(&b->story);
    at_free(b->statements);
    at_answers_free(&b->answers);
}

const at_format at_format_babi = {
    .name = "babi",
    .what = "bAbI: numbered statements, and questions with their answers behind a tab",
    .files = "qa1_train.txt",
    .guess = guess,
    .state = sizeof(babi),
    .next = next,
    .close = close,
};
