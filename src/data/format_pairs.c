/* Sentence pairs as manythings.org and Tatoeba give them: source, tab, target, and behind another
 * tab who wrote them, which is kept but not read. */
#include <string.h>

#include "data/format.h"

static bool has_pair(at_text line)
{
    at_text source, target;
    bool cut = at_text_cut(&line, '\t', &source);
    at_text_cut(&line, '\t', &target);
    return cut && at_text_trim(source).size && at_text_trim(target).size;
}

/* Most lines are enough: the others are mistakes in a file of pairs, which a check shows, and would
 * be lines like any other in plain text. */
static int guess(const at_sample *s) { return at_sample_share(s, has_pair) > 50 ? 70 : 0; }

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    at_read got = at_read_line(r, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    at_text line = {r->lines.text, r->lines.size};
    if (!at_text_cut(&line, '\t', &e->source))
        return at_read_bad(r, err, "no tab: a pair is SOURCE, a tab, TARGET");
    at_text_cut(&line, '\t', &e->target);
    e->rest = line;
    e->has = ATTEND_HAS_TARGET;
    return ATTEND_READ_EXAMPLE;
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    at_str_add_bytes(out, e->source.text, e->source.size);
    at_str_add(out, "\t");
    at_str_add_bytes(out, e->target.text, e->target.size);
    if (e->rest.size) {
        at_str_add(out, "\t");
        at_str_add_bytes(out, e->rest.text, e->rest.size);
    }
    at_str_add(out, "\n");
}

const at_format at_format_pairs = {
    .name = "pairs",
    .what = "SOURCE, a tab, TARGET; further columns are kept, but not read",
    .files = "fra-eng.zip",
    .extension = ".tsv",
    .guess = guess,
    .next = next,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_TARGET,
    .takes = ATTEND_HAS_TARGET,
};
