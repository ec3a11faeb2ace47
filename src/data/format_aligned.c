/* Two files: line n of one is the translation of line n of the other. Empty lines count. */
#include <string.h>

#include "data/format.h"

typedef struct {
    at_line_stream other;
} aligned;

static attend_status open(at_example_reader *r, attend_error *err)
{
    aligned *a = r->state;
    at_stream *bytes = r->other;
    at_line_options options = r->options.lines;
    options.lenient |= r->options.lenient;
    r->other = NULL;
    return at_lines_start(&a->other, bytes, &options, err);
}

/* one file has ended: how many lines has the other? */
static at_read uneven(at_example_reader *r, at_line_stream *longer, attend_error *err)
{
    aligned *a = r->state;
    attend_status status;
    while (at_lines_next(longer, &status, err)) {
    }
    if (status < 0)
        return ATTEND_READ_FAILED;
    at_error(err, ATTEND_FORMAT,
             "%s has %ld line%s, %s has %ld: they must be translations of each other line by "
             "line",
             r->name, r->lines.number, r->lines.number == 1 ? "" : "s", a->other.name,
             a->other.number);
    return ATTEND_READ_FAILED;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    aligned *a = r->state;
    attend_error other_err = {0};
    at_read source = at_read_any_line(r, &r->lines, err);
    if (source == ATTEND_READ_FAILED)
        return source;
    at_read target = at_read_any_line(r, &a->other, &other_err);
    if (target == ATTEND_READ_FAILED || (target == ATTEND_READ_BAD && source != ATTEND_READ_BAD))
        *err = other_err;
    if (target == ATTEND_READ_FAILED)
        return target;
    if (source == ATTEND_READ_END && target == ATTEND_READ_END)
        return ATTEND_READ_END;
    if (source == ATTEND_READ_END || target == ATTEND_READ_END)
        return uneven(r, source == ATTEND_READ_END ? &a->other : &r->lines, err);
    if (source == ATTEND_READ_BAD || target == ATTEND_READ_BAD)
        return ATTEND_READ_BAD;
    e->source = (at_text){r->lines.text, r->lines.size};
    e->target = (at_text){a->other.text, a->other.size};
    e->has = ATTEND_HAS_TARGET;
    return ATTEND_READ_EXAMPLE;
}

static void close(at_example_reader *r)
{
    aligned *a = r->state;
    at_lines_close(&a->other);
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    at_str_add_bytes(out, e->source.text, e->source.size);
    at_str_add(out, "\n");
    at_str_add_bytes(second, e->target.text, e->target.size);
    at_str_add(second, "\n");
}

const at_format at_format_aligned = {
    .name = "aligned",
    .what = "two files; line n of one is the translation of line n of the other",
    .files = "train.en and train.de",
    .state = sizeof(aligned),
    .open = open,
    .next = next,
    .close = close,
    .write = write,
    .one_line = true,
    .needs = ATTEND_HAS_TARGET,
    .takes = ATTEND_HAS_TARGET,
};
