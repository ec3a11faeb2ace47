/* A label, a blank, the text: the Stanford sentiment files, and fastText's `__label__good text`. */
#include <string.h>

#include "data/format.h"

enum { MAX_LABELS = 12 };

/* a number of one or two digits, or __label__... */
static bool is_label(at_text t)
{
    if (t.size > 9 && memcmp(t.text, "__label__", 9) == 0)
        return true;
    size_t sign = t.size && t.text[0] == '-';
    for (size_t i = sign; i < t.size; i++)
        if (t.text[i] < '0' || t.text[i] > '9')
            return false;
    return t.size > sign && t.size <= 2 + sign;
}

static bool looks(at_text line)
{
    at_text label;
    return at_text_cut(&line, ' ', &label) && is_label(label) && line.size;
}

/* how many labels the sample has */
static int count_labels(const at_sample *s)
{
    at_text seen[MAX_LABELS + 1];
    int count = 0;
    for (int i = 0; i < s->lines && count <= MAX_LABELS; i++) {
        at_text line = s->line[i], label;
        int known = 0;
        at_text_cut(&line, ' ', &label);
        while (known < count
               && (seen[known].size != label.size
                   || memcmp(seen[known].text, label.text, label.size) != 0))
            known++;
        if (known == count)
            seen[count++] = label;
    }
    return count;
}

/* Lines with tabs are pairs, or a table, that begin with numbers. */
static int guess(const at_sample *s)
{
    if (at_sample_share(s, at_line_has_tab) > 50)
        return 0;
    return at_sample_share(s, looks) == 100 && count_labels(s) <= MAX_LABELS ? 85 : 0;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    at_read got = at_read_line(r, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    at_text line = {r->lines.text, r->lines.size};
    if (!at_text_cut(&line, ' ', &e->label) || !e->label.size)
        return at_read_bad(r, err, "no label: a line is LABEL, a blank, the text");
    e->source = line;
    e->has = ATTEND_HAS_LABEL;
    return ATTEND_READ_EXAMPLE;
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    at_str_add_bytes(out, e->label.text, e->label.size);
    at_str_add(out, " ");
    at_str_add_bytes(out, e->source.text, e->source.size);
    at_str_add(out, "\n");
}

const at_format at_format_sst = {
    .name = "sst",
    .what = "LABEL, a blank, the text",
    .files = "stsa.binary.train",
    .extension = ".txt",
    .guess = guess,
    .next = next,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_LABEL,
    .takes = ATTEND_HAS_LABEL,
};
