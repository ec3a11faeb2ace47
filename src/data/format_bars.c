/* Sentence pairs as word aligners take them: source ||| target. */
#include <string.h>

#include "data/format.h"

static const char bars[] = " ||| ";

static const char *find_bars(at_text line) { return memmem(line.text, line.size, bars, 5); }

static bool has_bars(at_text line) { return find_bars(line) != NULL; }

static int guess(const at_sample *s) { return at_sample_share(s, has_bars) > 50 ? 90 : 0; }

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    at_read got = at_read_line(r, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    at_text line = {r->lines.text, r->lines.size};
    const char *stop = find_bars(line);
    if (!stop)
        return at_read_bad(r, err, "no \"%s\": a pair is SOURCE%sTARGET", bars, bars);
    size_t size = (size_t)(stop - line.text);
    e->source = at_text_trim((at_text){line.text, size});
    e->target = at_text_trim((at_text){stop + 5, line.size - size - 5});
    e->has = ATTEND_HAS_TARGET;
    return ATTEND_READ_EXAMPLE;
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    at_str_add_bytes(out, e->source.text, e->source.size);
    at_str_add(out, bars);
    at_str_add_bytes(out, e->target.text, e->target.size);
    at_str_add(out, "\n");
}

const at_format at_format_bars = {
    .name = "bars",
    .what = "SOURCE ||| TARGET, as word aligners take it",
    .files = "enfr.src-tgt",
    .extension = ".txt",
    .guess = guess,
    .next = next,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_TARGET,
    .takes = ATTEND_HAS_TARGET,
};
