#include "data/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/format.h"

enum { MAX_LABELS = 100000 };

typedef struct {
    const char *text;
    size_t size;
    long long number;
    bool numbers; /* all of them are */
    uint64_t seen;
} label;

static int compare(const void *a, const void *b)
{
    const label *x = a, *y = b;
    if (x->numbers && x->number != y->number)
        return x->number < y->number ? -1 : 1;
    size_t shorter = x->size < y->size ? x->size : y->size;
    int order = memcmp(x->text, y->text, shorter);
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Adds a label that was seen. */
static attend_status add_label(at_vocab *seen, const at_corpus *c, const at_example *e,
                               at_text text, attend_error *err)
{
    int32_t id = at_vocab_add(seen, text.text, text.size);
    if (id < 0)
        return at_error_memory(err);
    if (id >= MAX_LABELS)
        return at_error(err, ATTEND_FORMAT,
                        "%s:%ld: more than %d different labels; is this the right column?",
                        at_corpus_file(c, e->file), e->line, MAX_LABELS);
    at_vocab_seen(seen, id, 1);
    return ATTEND_OK;
}

/* labels, or tags of words, in the order of the corpus, counted */
static attend_status collect(const at_corpus *c, at_vocab *seen, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < at_corpus_size(c) && status >= 0; i++) {
        at_example e;
        at_corpus_at(c, i, NULL, &e);
        if (!(e.has & (ATTEND_HAS_LABEL | ATTEND_HAS_TAGS)))
            return at_error(err, ATTEND_FORMAT, "%s:%ld: no label", at_corpus_file(c, e.file),
                            e.line);
        at_text rest = e.label, tag;
        if (!(e.has & ATTEND_HAS_TAGS))
            status = add_label(seen, c, &e, e.label, err);
        while ((e.has & ATTEND_HAS_TAGS) && rest.size && status >= 0) {
            at_text_cut(&rest, ' ', &tag);
            status = add_label(seen, c, &e, tag, err);
        }
    }
    return status;
}

static void list(const at_vocab *seen, label *labels, int32_t count)
{
    bool numbers = true;
    for (int32_t i = 0; i < count; i++) {
        label *l = &labels[i];
        l->text = at_vocab_text(seen, i, &l->size);
        l->seen = at_vocab_count(seen, i);
        numbers = at_number_whole(l->text, l->size, &l->number) && numbers;
    }
    for (int32_t i = 0; i < count; i++)
        labels[i].numbers = numbers;
    qsort(labels, (size_t)count, sizeof *labels, compare);
}

static attend_status sorted(const at_vocab *seen, at_vocab *out, attend_error *err)
{
    int32_t count = at_vocab_size(seen);
    label *labels = at_alloc_zero((size_t)count + 1, sizeof *labels);
    if (!labels)
        return at_error_memory(err);
    list(seen, labels, count);
    attend_status status = ATTEND_OK;
    for (int32_t i = 0; i < count && status >= 0; i++) {
        int32_t id = at_vocab_add(out, labels[i].text, labels[i].size);
        if (id < 0)
            status = at_error_memory(err);
        else
            at_vocab_seen(out, id, labels[i].seen);
    }
    at_free(labels);
    return status;
}

attend_status at_labels_of(const at_corpus *c, at_vocab **out, attend_error *err)
{
    at_vocab *seen = at_vocab_new();
    *out = at_vocab_new();
    attend_status status = seen && *out ? collect(c, seen, err) : at_error_memory(err);
    if (status >= 0)
        status = sorted(seen, *out, err);
    at_vocab_free(seen);
    if (status < 0) {
        at_vocab_free(*out);
        *out = NULL;
    }
    return status;
}
