/* Questions with their kind, as in TREC's question classification: COARSE:fine, a blank, the
 * question. As `trec` the label is the coarse kind (six of them), as `trec-fine` both. */
#include <ctype.h>
#include <string.h>

#include "data/format.h"

/* COARSE, fine and the text of a line */
static bool cut(at_text line, at_text *label, at_text *fine, at_text *text)
{
    at_text kinds;
    if (!at_text_cut(&line, ' ', &kinds))
        return false;
    *text = line;
    *fine = kinds;
    return at_text_cut(fine, ':', label) && label->size && fine->size;
}

static bool looks(at_text line)
{
    at_text label, fine, text;
    if (!cut(line, &label, &fine, &text) || label.size > 20 || fine.size > 20)
        return false;
    for (size_t i = 0; i < label.size; i++)
        if (!isupper((unsigned char)label.text[i]))
            return false;
    for (size_t i = 0; i < fine.size; i++)
        if (!isalpha((unsigned char)fine.text[i]))
            return false;
    return true;
}

static int guess(const at_sample *s) { return at_sample_share(s, looks) >= 95 ? 90 : 0; }

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    at_read got = at_read_line(r, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    if (!cut((at_text){r->lines.text, r->lines.size}, &e->label, &e->rest, &e->source))
        return at_read_bad(r, err, "no label: a line is COARSE:fine, a blank, the question");
    e->has = ATTEND_HAS_LABEL;
    return ATTEND_READ_EXAMPLE;
}

static at_read next_fine(at_example_reader *r, at_example *e, attend_error *err)
{
    at_read got = next(r, e, err);
    if (got == ATTEND_READ_EXAMPLE) {
        e->label.size += 1 + e->rest.size;
        e->rest = (at_text){0};
    }
    return got;
}

/* a label that came without a fine kind gets TREC's word for that */
static void write_label(at_str *out, const at_example *e)
{
    bool whole = e->label.size && memchr(e->label.text, ':', e->label.size);
    at_str_add_bytes(out, e->label.text, e->label.size);
    if (!whole) {
        at_str_add(out, ":");
        at_str_add_bytes(out, e->rest.size ? e->rest.text : "other",
                         e->rest.size ? e->rest.size : 5);
    }
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    write_label(out, e);
    at_str_add(out, " ");
    at_str_add_bytes(out, e->source.text, e->source.size);
    at_str_add(out, "\n");
}

const at_format at_format_trec = {
    .name = "trec",
    .what = "COARSE:fine, a blank, the text; the label is COARSE",
    .files = "TREC.train",
    .extension = ".txt",
    .guess = guess,
    .next = next,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_LABEL,
    .takes = ATTEND_HAS_LABEL,
};

const at_format at_format_trec_fine = {
    .name = "trec-fine",
    .what = "the same; the label is COARSE:fine",
    .files = "TREC.train",
    .extension = ".txt",
    .next = next_fine,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_LABEL,
    .takes = ATTEND_HAS_LABEL,
};
