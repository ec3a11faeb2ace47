/* Running text as it stands: a file is one document, and line ends are part of its text. An example
 * is a line with its line end and all lines after it that are empty or begin with white space, so
 * that tokenizers which take white space together cut the examples as they cut the whole. */
#include "base/memory.h"
#include "data/format.h"

typedef struct {
    at_str text; /* of the example */
    at_str next; /* a line that was read, and belongs to the next one */
    long line;   /* its number; 0: there is none */
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

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    document *d = r->state;
    e->line = d->line ? d->line : 1;
    at_str_clear(&d->text);
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
    if (!d->text.length)
        return ATTEND_READ_END;
    e->source = (at_text){at_str_text(&d->text), d->text.length};
    e->has = d->begun ? 0 : ATTEND_HAS_BREAK;
    d->begun = true;
    return ATTEND_READ_EXAMPLE;
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
