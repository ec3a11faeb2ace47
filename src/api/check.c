/* attend_data_check and attend_check: a check of data seen from outside. */
#include "data/check.h"

#include "api/data.h"
#include "base/memory.h"

struct attend_check {
    at_check *check;
    int32_t *order;    /* of labels */
    bool asked_latin1; /* bytes that are no UTF-8 are what the caller expects */
};

attend_status attend_data_check(const char *const *paths, size_t count, const char *fix,
                                const attend_data_options *options, attend_check **out,
                                attend_error *err)
{
    attend_data_options o;
    at_check_options checking;
    *out = NULL;
    attend_status status = at_data_options(&o, options, err);
    if (status < 0)
        return status;
    at_check_defaults(&checking);
    checking.reader = at_data_read_options(&o);
    checking.ratio = o.ratio;
    checking.max_words = o.longest_text;
    checking.locations = o.places;
    checking.fix = fix;
    checking.to = o.to;
    checking.keep = o.keep != 0;
    attend_check *c = at_alloc_zero(1, sizeof *c);
    if (!c)
        return at_error_memory(err);
    c->asked_latin1 = o.encoding != ATTEND_ENCODING_UTF8;
    status = at_check_files(paths, (int)count, &checking, &c->check, err);
    at_vocab *labels = status >= 0 ? c->check->labels : NULL;
    if (labels) {
        c->order = at_alloc(((size_t)at_vocab_size(labels) + 1) * sizeof *c->order);
        if (c->order)
            at_vocab_by_count(labels, c->order);
        else
            status = at_error_memory(err);
    }
    if (status < 0)
        attend_check_free(c);
    else
        *out = c;
    return status;
}

void attend_check_free(attend_check *c)
{
    if (!c)
        return;
    at_check_free(c->check);
    at_free(c->order);
    at_free(c);
}

static attend_text_sizes sizes(const at_check *c, int which)
{
    const at_side_sizes *s = &c->side[which];
    return (attend_text_sizes){.texts = (size_t)s->texts,
                               .words = (size_t)s->words,
                               .characters = (size_t)s->characters,
                               .half = (size_t)s->percentile[0],
                               .most = (size_t)s->percentile[1],
                               .longest = (size_t)s->longest,
                               .file = c->files ? c->file[s->longest_file] : "",
                               .line = (size_t)s->longest_line};
}

void attend_check_summarise(const attend_check *check, attend_check_summary *out)
{
    const at_check *c = check->check;
    *out = (attend_check_summary){.format = c->format->name,
                                  .files = (size_t)c->files,
                                  .lines = (size_t)c->lines,
                                  .examples = (size_t)c->examples,
                                  .documents = (size_t)c->documents,
                                  .sources = (size_t)c->sources,
                                  .unanswered = (size_t)c->unanswered,
                                  .source = sizes(c, 0),
                                  .target = sizes(c, 1),
                                  .question = sizes(c, 2),
                                  .labels = c->labels ? (size_t)at_vocab_size(c->labels) : 0,
                                  .complete = !c->full,
                                  .copy = c->copy[0],
                                  .second_copy = c->copy[1],
                                  .kept = (size_t)c->kept,
                                  .dropped = (size_t)c->dropped,
                                  .repaired = (size_t)c->repaired,
                                  .flattened = (size_t)c->flattened,
                                  .refused = (size_t)c->refused};
}

const char *attend_check_file(const attend_check *check, size_t index)
{
    return index < (size_t)check->check->files ? check->check->file[index] : NULL;
}

int attend_check_label(const attend_check *check, size_t index, const char **label, size_t *count)
{
    const at_vocab *labels = check->check->labels;
    if (!labels || index >= (size_t)at_vocab_size(labels))
        return 0;
    *label = at_vocab_text(labels, check->order[index], NULL);
    *count = at_vocab_count(labels, check->order[index]);
    return 1;
}

int attend_check_finding(const attend_check *check, size_t index, attend_finding *out)
{
    static const char *const fixes[] = {"", "repaired", "dropped"};
    if (index >= ATTEND_FINDINGS)
        return 0;
    const at_finding *f = at_findings[index];
    *out = (attend_finding){.name = f->name,
                            .what = f->what,
                            .remedy = f->remedy,
                            .fix = fixes[f->fix],
                            .level = f->level,
                            .count = (size_t)check->check->count[index]};
    if (index == ATTEND_FOUND_not_utf8 && check->asked_latin1)
        out->level = ATTEND_LEVEL_NOTE;
    return 1;
}

int attend_check_place(const attend_check *check, size_t finding, size_t index, attend_place *out)
{
    const at_check *c = check->check;
    if (finding >= ATTEND_FINDINGS || index >= (size_t)c->locations
        || index >= (size_t)c->count[finding])
        return 0;
    const at_finding_location *p = &c->location[finding][index];
    *out = (attend_place){.file = c->file[p->file],
                          .line = (size_t)p->line,
                          .also_file = p->also ? c->file[p->also_file] : NULL,
                          .also_line = (size_t)p->also,
                          .text = p->text};
    return 1;
}
