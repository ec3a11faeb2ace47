/* The first half of a check: every line, every example, before the corpus as a whole is known. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "data/check_work.h"

enum { MAX_LABELS = 10000 };

/* Does training refuse a line with these findings? */
static bool is_refused(const at_check_work *w, at_found found)
{
    if (w->options->reader.lines.encoding != ATTEND_ENCODING_UTF8)
        found &= ~FOUND(not_utf8);
    return found & (FOUND(zero_byte) | FOUND(not_utf8) | FOUND(long_line));
}

/* a line counts once, whatever is wrong with it */
static void refuse(at_check_work *w, long line)
{
    if (line && line == w->refused_line)
        return;
    w->refused_line = line;
    w->c->refused++;
}

static void see_line(void *user, const at_line_stream *s)
{
    static const struct {
        unsigned flag;
        at_found found;
    } flags[] = {
        {ATTEND_LINE_ZERO, FOUND(zero_byte)},  {ATTEND_LINE_INVALID, FOUND(not_utf8)},
        {ATTEND_LINE_LONG, FOUND(long_line)},  {ATTEND_LINE_MARK, FOUND(mark)},
        {ATTEND_LINE_RETURN, FOUND(carriage)}, {ATTEND_LINE_OPEN, FOUND(unended)},
    };
    at_check_work *w = user;
    at_finding_location location = {.file = w->main_file + (s->name != w->main_name),
                                    .line = s->number};
    at_found found = at_look_at_text(s->raw, s->raw_size) & ~FOUND(blanks);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (s->flags & flags[i].flag)
            found |= flags[i].found;
    if (found & (FOUND(zero_byte) | FOUND(long_line)))
        w->hard_line = s->number;
    if (is_refused(w, found))
        refuse(w, s->number);
    if (found)
        at_check_find(w, found, location, s->raw, s->raw_size);
}

static void see_bad(void *user, const char *file, long line, const char *message)
{
    at_check_work *w = user;
    (void)file;
    if (line == w->hard_line)
        return; /* told already */
    const char *colon = strstr(message, ": ");
    const char *what = colon ? colon + 2 : message;
    at_finding_location location = {.file = w->main_file, .line = line};
    refuse(w, line);
    at_check_find(w, FOUND(malformed), location, what, strlen(what));
}

static attend_status add_name(at_check *c, const char *name, attend_error *err)
{
    char **files = at_realloc(c->file, (size_t)c->files * sizeof *files,
                              (size_t)(c->files + 1) * sizeof *files);
    if (!files)
        return at_error_memory(err);
    c->file = files;
    files[c->files] = at_strdup(name);
    if (!files[c->files])
        return at_error_memory(err);
    c->files++;
    return ATTEND_OK;
}

static void measure(at_check_work *w, int which, at_text t, const at_example *e)
{
    at_side_sizes *s = &w->c->side[which];
    long words = at_check_words(t);
    s->texts++;
    s->words += words;
    s->characters += (long)at_utf8_count(t.text, t.size);
    w->histogram[which][words < ATTEND_CHECK_WORDS ? words : ATTEND_CHECK_WORDS]++;
    if (words > s->longest) {
        s->longest = words;
        s->longest_file = e->file;
        s->longest_line = e->line;
    }
}

static void count_ratio(at_check_work *w, const at_example *e)
{
    double source = (double)at_utf8_count(e->source.text, e->source.size);
    double target = (double)at_utf8_count(e->target.text, e->target.size);
    if (!source || !target)
        return;
    long step = lround(ATTEND_RATIO_STEPS * log2(target / source)), max = ATTEND_RATIO_MAX;
    w->ratios[max + (step < -max ? -max : step > max ? max : step)]++;
}

/* Counts a pair that pointer networks can train on, by the width of its items. */
static void count_items(at_check_work *w, const at_example *e)
{
    attend_error ignored;
    attend_status status = at_pointer_examples_fit(w->items, e->source, e->target, &ignored);
    if (status == ATTEND_MEMORY)
        w->status = status;
    if (status >= 0 && w->items[0].width <= ATTEND_CHECK_WIDTHS)
        w->item_widths[w->items[0].width]++;
}

static attend_status count_label(at_check_work *w, const at_example *e, attend_error *err)
{
    at_check *c = w->c;
    if (!c->labels && !(c->labels = at_vocab_new()))
        return at_error_memory(err);
    bool known = at_vocab_find(c->labels, e->label.text, e->label.size) >= 0;
    if (!known && at_vocab_size(c->labels) >= MAX_LABELS)
        return ATTEND_OK;
    int32_t id = at_vocab_add(c->labels, e->label.text, e->label.size);
    if (id < 0)
        return at_error_memory(err);
    at_vocab_seen(c->labels, id, 1);
    return ATTEND_OK;
}

/* An example of another kind than those before it, which a corpus does not take. */
static attend_status leave_out(at_check_work *w, at_finding_location location)
{
    static const char what[] = "other parts (target, label, question) than the examples before it; "
                               "keep kinds of data apart";
    w->bad++;
    refuse(w, location.line);
    at_check_find(w, FOUND(malformed), location, what, sizeof what - 1);
    return ATTEND_OK;
}

/* All that can be said of an example before the corpus is known. */
static attend_status take(at_check_work *w, at_example *e, const at_format *format,
                          attend_error *err)
{
    at_check *c = w->c;
    attend_status status = ATTEND_OK;
    at_finding_location location = {.file = e->file, .line = e->line};
    unsigned kind = e->has & ~(unsigned)ATTEND_HAS_BREAK;
    if (c->examples && kind != c->has)
        return leave_out(w, location);
    c->examples++;
    c->has = kind;
    c->documents += (e->has & ATTEND_HAS_BREAK) != 0;
    measure(w, 0, e->source, e);
    if (e->has & ATTEND_HAS_TARGET) {
        measure(w, 1, e->target, e);
        count_ratio(w, e);
        count_items(w, e);
        at_swap_detector_learn(w->swap_detector, e->source, e->target);
    }
    if (e->has & ATTEND_HAS_QUESTION) {
        measure(w, 2, e->question, e);
        c->unanswered += !e->answer_count && !(e->has & ATTEND_HAS_LABEL);
    }
    if (e->has & ATTEND_HAS_LABEL)
        status = count_label(w, e, err);
    if (format->no_lines)
        at_check_find(w, at_look_at_text(e->source.text, e->source.size) & ~FOUND(blanks), location,
                      e->source.text, e->source.size);
    at_str_clear(&w->packed);
    at_example_pack(&w->packed, e);
    if (status >= 0 && w->packed.failed)
        status = at_error_memory(err);
    return status < 0 ? status
                      : at_record_store_add(w->store, w->packed.text, w->packed.length, err);
}

static attend_status read_examples(at_check_work *w, at_example_reader *r, attend_error *err)
{
    at_check *c = w->c;
    at_example e;
    attend_status status = ATTEND_OK;
    if (w->options->reader.target)
        status = add_name(c, w->options->reader.target, err);
    while (status >= 0 && at_examples_next(r, &e, &status, err)) {
        e.file = w->main_file;
        status = take(w, &e, at_examples_format(r), err);
        if (status >= 0 && w->status < 0)
            status = at_error_memory(err);
    }
    at_read_counts counts = at_examples_count(r);
    c->lines += counts.lines;
    c->blank += counts.blank;
    w->bad += counts.bad;
    return status;
}

attend_status at_check_read(at_check_work *w, const char *path, attend_error *err)
{
    at_example_reader *r;
    at_read_options o = w->options->reader;
    o.lenient = true;
    o.bad = see_bad;
    o.user = w;
    o.lines.observe = see_line;
    o.lines.user = w;
    if (o.lines.encoding == ATTEND_ENCODING_UTF8)
        o.lines.encoding = ATTEND_ENCODING_LATIN1; /* what a clean copy has */
    attend_status status = at_examples_open(path, &o, &r, err);
    if (status < 0)
        return status;
    w->hard_line = w->refused_line = 0;
    w->main_file = w->c->files;
    w->main_name = at_examples_name(r);
    status = add_name(w->c, at_examples_name(r), err);
    if (!w->c->format)
        w->c->format = at_examples_format(r);
    if (status >= 0)
        status = read_examples(w, r, err);
    at_examples_close(r);
    return status;
}
