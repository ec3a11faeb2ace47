/* Running text as it stands: a file is one document, and line ends are part of its text. An example
 * is a line with its line end and all lines after it that are empty or begin with white space, so
 * that tokenizers which take white space together cut the examples as they cut the whole. A longer
 * one is given in parts that begin with a space, so that a text of one line can be split. */
#include "base/memory.h"
#include "data/format.h"

typedef struct {
    at_str text;  /* of the example, */
    size_t given; /* and how much of it was given */
    at_str next;  /* a line that was read, and belongs to the next one */
    long line;    /* its number; 0: there is none */
    bool begun;
} document;

static int guess(const at_sample *s)
{
    (void)s;
    return 0; /* text is the same without line ends */
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* the line with its end, after what is there */
static void add_line(at_str *to, const at_line_stream *s)
{
    at_str_add_bytes(to, s->text, s->size);
    if (!(s->flags & ATTEND_LINE_OPEN))
        at_str_add(to, "\n");
}

/* Adds lines until one begins another example, which is kept. */
static at_read take_lines(at_example_reader *r, document *d, attend_error *err)
{
    at_read got;
    bool visible = at_text_trim((at_text){at_str_text(&d->text), d->text.length}).size > 0;
    while ((got = at_read_any_line(r, &r->lines, err)) == ATTEND_READ_EXAMPLE) {
        at_text line = {r->lines.text, r->lines.size};
        if (visible && line.size && !is_space(line.text[0])) {
            at_str_clear(&d->next);
            add_line(&d->next, &r->lines);
            d->line = r->lines.number;
            return ATTEND_READ_EXAMPLE;
        }
        add_line(&d->text, &r->lines);
        visible |= at_text_trim(line).size > 0;
    }
    return got;
}

/* Bytes of the text's next part: it ends before a lone space, or where there is none before a
 * character. */
static size_t part_size(const char *text, size_t size)
{
    enum { LONG = 2048 };
    size_t n = LONG;
    if (size <= LONG)
        return size;
    while (n > LONG / 2 && !(text[n] == ' ' && !is_space(text[n - 1]) && !is_space(text[n + 1])))
        n--;
    if (n > LONG / 2)
        return n;
    for (n = LONG; n > LONG - 4 && ((unsigned char)text[n] & 0xC0) == 0x80;)
        n--;
    return n;
}

static at_read give_part(document *d, at_example *e)
{
    const char *text = at_str_text(&d->text) + d->given;
    size_t size = part_size(text, d->text.length - d->given);
    d->given += size;
    e->source = (at_text){text, size};
    e->has = d->begun ? 0 : ATTEND_HAS_BREAK;
    d->begun = true;
    return ATTEND_READ_EXAMPLE;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    document *d = r->state;
    e->line = d->line ? d->line : 1;
    if (d->given < d->text.length)
        return give_part(d, e);
    at_str_clear(&d->text);
    d->given = 0;
    if (d->line)
        at_str_add_bytes(&d->text, at_str_text(&d->next), d->next.length);
    d->line = 0;
    at_read got = take_lines(r, d, err);
    if (d->text.failed || d->next.failed) {
        at_error_memory(err);
        return ATTEND_READ_FAILED;
    }
    if (got == ATTEND_READ_BAD || got == ATTEND_READ_FAILED)
        return got;
    return d->text.length ? give_part(d, e) : ATTEND_READ_END;
}

static void close_document(at_example_reader *r)
{
    document *d = r->state;
    at_str_free(&d->text);
    at_str_free(&d->next);
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    at_str_add_bytes(out, e->source.text, e->source.size);
}

const at_format at_format_document = {
    .name = "document",
    .what = "running text as it stands, line ends included; a file is a document",
    .files = "tinyshakespeare.txt",
    .extension = ".txt",
    .guess = guess,
    .state = sizeof(document),
    .next = next,
    .close = close_document,
    .write = write,
    .takes = ATTEND_HAS_BREAK,
    .running = true,
};
