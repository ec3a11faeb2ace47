#include "data/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/guess.h"
#include "base/log.h"
#include "base/memory.h"
#include "data/format.h"

/* ---- for the formats -------------------------------------------------------------------- */

static at_read bad(at_example_reader *r, long line, attend_error *err, const char *format,
                   va_list args)
{
    char what[300];
    vsnprintf(what, sizeof what, format, args);
    r->bad_line = line;
    at_error(err, ATTEND_FORMAT, "%s:%ld: %s", r->name, line, what);
    return ATTEND_READ_BAD;
}

at_read at_read_bad(at_example_reader *r, attend_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at_read got = bad(r, r->format->no_lines ? r->bad_line : r->lines.number, err, format, args);
    va_end(args);
    return got;
}

at_read at_read_bad_at(at_example_reader *r, long line, attend_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at_read got = bad(r, line, err, format, args);
    va_end(args);
    return got;
}

at_read at_read_any_line(at_example_reader *r, at_line_stream *s, attend_error *err)
{
    attend_status status;
    if (!at_lines_next(s, &status, err))
        return status < 0 ? ATTEND_READ_FAILED : ATTEND_READ_END;
    if (!(s->flags & (ATTEND_LINE_ZERO | ATTEND_LINE_LONG)))
        return ATTEND_READ_EXAMPLE;
    r->bad_line = s->number;
    at_error(err, ATTEND_FORMAT, "%s:%ld: %s", s->name, s->number,
             s->flags & ATTEND_LINE_ZERO ? "a zero byte" : "too long a line");
    return ATTEND_READ_BAD;
}

at_read at_read_line(at_example_reader *r, attend_error *err)
{
    for (;;) {
        at_read got = at_read_any_line(r, &r->lines, err);
        at_text line = {r->lines.text, r->lines.size};
        if (got != ATTEND_READ_EXAMPLE || at_text_trim(line).size)
            return got;
        r->counts.blank++;
    }
}

/* ---- opening ---------------------------------------------------------------------------- */

static attend_status no_format(const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < at_format_count; i++)
        at_guess_consider(&guess, at_formats[i]->name, strlen(at_formats[i]->name));
    return at_error(err, ATTEND_OPTION, "there is no format \"%.40s\"%s%s%s", name,
                    *guess.best ? "; did you mean " : "; attend list formats shows them",
                    guess.best, *guess.best ? "?" : "");
}

/* the first column that the user names: as "--text 3", or NULL where he names none */
static const char *named_column(const at_read_options *o, char text[80])
{
    const char *word = o->source_column   ? o->source_column
                       : o->target_column ? o->target_column
                                          : o->label_column;
    if (!word)
        return NULL;
    snprintf(text, 80, "--%s %.60s",
             o->source_column   ? "text"
             : o->target_column ? "second"
                                : "label",
             word);
    return text;
}

/* A column that nobody reads would be left out without a word. */
static attend_status check_columns(const at_example_reader *r, attend_error *err)
{
    char text[80];
    const char *column = named_column(&r->options, text);
    if (!column || r->format->columns)
        return ATTEND_OK;
    if (r->other)
        return at_error(err, ATTEND_OPTION, "%s: aligned files have no columns; leave it out",
                        at_show(column).text);
    return at_error(err, ATTEND_OPTION,
                    "%s: format %s has no columns; --format tsv, csv and jsonl have",
                    at_show(column).text, r->format->name);
}

static attend_status guess_format(at_example_reader *r, at_stream *bytes, attend_error *err)
{
    const char *head;
    char text[80];
    size_t size;
    attend_status status = at_stream_peek(bytes, &head, &size, err);
    if (status < 0)
        return status;
    bool whole = size < 1 << 16;
    const char *column = named_column(&r->options, text);
    r->format = at_format_guess(r->name, head, size, whole, column != NULL);
    if (!r->format)
        return at_error(err, ATTEND_OPTION,
                        "%s: %s has no columns, it looks like %s; leave it out, or say --format "
                        "tsv, csv or jsonl",
                        at_show(column).text, at_show(r->name).text,
                        at_format_guess(r->name, head, size, whole, false)->name);
    if (r->options.running && r->format == &at_format_text)
        r->format = &at_format_document;
    at_log(ATTEND_LOG_DEBUG, "%s: read as %s: %s", r->name, r->format->name, r->format->what);
    return ATTEND_OK;
}

static attend_status choose_format(at_example_reader *r, at_stream *bytes, attend_error *err)
{
    const char *wanted = r->options.format;
    if (wanted && !(r->format = at_format_find(wanted)))
        return no_format(wanted, err);
    if (r->other || (wanted && r->format == &at_format_aligned)) {
        if (!r->other)
            return at_error(err, ATTEND_OPTION, "aligned files are two: name the second, too");
        if (wanted && r->format != &at_format_aligned)
            return at_error(err, ATTEND_OPTION, "two files are aligned ones, not %s", wanted);
        r->format = &at_format_aligned;
    }
    return r->format ? check_columns(r, err) : guess_format(r, bytes, err);
}

static attend_status start_format(at_example_reader *r, at_stream *bytes, attend_error *err)
{
    at_line_options lines = r->options.lines;
    attend_status status = ATTEND_OK;
    lines.lenient |= r->options.lenient;
    if (r->format->no_lines)
        r->bytes = bytes;
    else
        status = at_lines_start(&r->lines, bytes, &lines, err);
    if (status >= 0 && r->format->state && !(r->state = at_alloc_zero(1, r->format->state)))
        status = at_error_memory(err);
    if (status >= 0 && r->format->open)
        status = r->format->open(r, err);
    return status;
}

attend_status at_examples_start(at_stream *bytes, at_stream *other, const at_read_options *options,
                                at_example_reader **out, attend_error *err)
{
    at_example_reader *r = at_alloc_zero(1, sizeof *r);
    *out = NULL;
    if (!r) {
        at_stream_close(bytes);
        at_stream_close(other);
        return at_error_memory(err);
    }
    if (options)
        r->options = *options;
    r->name = at_stream_name(bytes);
    r->other = other;
    attend_status status = choose_format(r, bytes, err);
    if (status < 0) {
        at_stream_close(bytes);
        at_stream_close(other);
        at_free(r);
        return status;
    }
    status = start_format(r, bytes, err);
    if (status < 0)
        at_examples_close(r);
    else
        *out = r;
    return status;
}

attend_status at_examples_open(const char *path, const at_read_options *options,
                               at_example_reader **out, attend_error *err)
{
    at_stream *bytes, *other = NULL;
    *out = NULL;
    attend_status status = at_stream_open(path, &bytes, err);
    if (status >= 0 && options && options->target) {
        status = at_stream_open(options->target, &other, err);
        if (status < 0)
            at_stream_close(bytes);
    }
    return status < 0 ? status : at_examples_start(bytes, other, options, out, err);
}

void at_examples_close(at_example_reader *r)
{
    if (!r)
        return;
    if (r->state && r->format->close)
        r->format->close(r);
    at_lines_close(&r->lines);
    at_stream_close(r->bytes);
    at_stream_close(r->other);
    at_free(r->state);
    at_free(r);
}

/* ---- reading ---------------------------------------------------------------------------- */

static void finish(at_example_reader *r, at_example *e)
{
    r->counts.examples++;
    if (!e->line)
        e->line = r->lines.number;
    e->repaired = r->lines.flags & (ATTEND_LINE_INVALID | ATTEND_LINE_MARK | ATTEND_LINE_RETURN);
    if (r->options.reverse && (e->has & ATTEND_HAS_TARGET)) {
        at_text source = e->source;
        e->source = e->target;
        e->target = source;
    }
}

bool at_examples_next(at_example_reader *r, at_example *e, attend_status *status, attend_error *err)
{
    *status = ATTEND_OK;
    while (r->error.status >= 0) {
        *e = (at_example){0};
        at_read got = r->format->next(r, e, &r->error);
        if (got == ATTEND_READ_EXAMPLE) {
            finish(r, e);
            return true;
        }
        if (got == ATTEND_READ_END)
            return false;
        if (got == ATTEND_READ_FAILED || !r->options.lenient)
            break;
        r->counts.bad++;
        if (r->options.bad)
            r->options.bad(r->options.user, r->name, r->bad_line, r->error.message);
        r->error.status = ATTEND_OK;
    }
    *status = at_error(err, r->error.status, "%s", r->error.message);
    return false;
}

const at_format *at_examples_format(const at_example_reader *r) { return r->format; }
const char *at_examples_name(const at_example_reader *r) { return r->name; }

at_read_counts at_examples_count(const at_example_reader *r)
{
    at_read_counts counts = r->counts;
    counts.lines = r->lines.number;
    counts.repaired = r->lines.repaired;
    return counts;
}
