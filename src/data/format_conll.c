/* CoNLL: a word on each line, its tag in the last column, an empty line after a sentence. Columns
 * in between are not read, nor lines -DOCSTART-. An example has its words as the source and its
 * tags as the label, with a space between two. */
#include <string.h>

#include "base/memory.h"
#include "data/format.h"

typedef struct {
    at_str words, tags;
} conll;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* the first and the last of at least two columns */
static bool cut(at_text line, at_text *word, at_text *tag)
{
    line = at_text_trim(line);
    size_t end = 0, begin = line.size;
    while (end < line.size && !is_blank(line.text[end]))
        end++;
    while (begin > 0 && !is_blank(line.text[begin - 1]))
        begin--;
    *word = (at_text){line.text, end};
    *tag = (at_text){line.text + begin, line.size - begin};
    return end < begin;
}

/* a word and O, B-PER, .. */
static bool looks(at_text line)
{
    at_text word, tag;
    if (!cut(line, &word, &tag))
        return false;
    return (tag.size == 1 && tag.text[0] == 'O')
           || (tag.size > 2 && tag.text[1] == '-' && strchr("BIES", tag.text[0]));
}

static int guess(const at_sample *s) { return at_sample_share(s, looks) >= 95 ? 91 : 0; }

static void add(at_str *out, at_text word)
{
    at_str_add(out, out->length ? " " : "");
    at_str_add_bytes(out, word.text, word.size);
}

static at_read give(conll *c, at_example *e, attend_error *err)
{
    e->source = (at_text){at_str_text(&c->words), c->words.length};
    e->label = (at_text){at_str_text(&c->tags), c->tags.length};
    e->has = ATTEND_HAS_TAGS;
    if (!c->words.failed && !c->tags.failed)
        return ATTEND_READ_EXAMPLE;
    at_error_memory(err);
    return ATTEND_READ_FAILED;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    conll *c = r->state;
    at_str_clear(&c->words);
    at_str_clear(&c->tags);
    for (;;) {
        at_text word, tag;
        at_read got = at_read_any_line(r, &r->lines, err);
        if (got == ATTEND_READ_END && c->words.length)
            return give(c, e, err);
        if (got != ATTEND_READ_EXAMPLE)
            return got;
        at_text line = at_text_trim((at_text){r->lines.text, r->lines.size});
        bool start = line.size >= 10 && memcmp(line.text, "-DOCSTART-", 10) == 0;
        if (!line.size && c->words.length)
            return give(c, e, err);
        if (!line.size || start)
            continue;
        if (!cut(line, &word, &tag))
            return at_read_bad(r, err, "one column; a line is a word, a space or tab, and its tag");
        if (!c->words.length)
            e->line = r->lines.number;
        add(&c->words, word);
        add(&c->tags, tag);
    }
}

static void close(at_example_reader *r)
{
    conll *c = r->state;
    at_str_free(&c->words);
    at_str_free(&c->tags);
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    at_text words = e->source, tags = e->label, word, tag;
    (void)second;
    while (words.size) {
        at_text_cut(&words, ' ', &word);
        at_text_cut(&tags, ' ', &tag);
        at_str_add_bytes(out, word.text, word.size);
        at_str_add(out, " ");
        at_str_add_bytes(out, tag.text, tag.size);
        at_str_add(out, "\n");
    }
    at_str_add(out, "\n");
}

const at_format at_format_conll = {
    .name = "conll",
    .what = "a word and its tag a line, in the first and the last column; an empty line ends a "
            "sentence",
    .files = "eng.train",
    .extension = ".conll",
    .guess = guess,
    .state = sizeof(conll),
    .next = next,
    .close = close,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_TAGS,
    .takes = ATTEND_HAS_TAGS,
};
