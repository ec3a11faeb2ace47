#include "data/corpus.h"

#include <string.h>

#include "base/memory.h"
#include "data/format.h"
#include "data/record_store.h"

struct at_corpus {
    at_record_store *store;
    char **file;
    int files;
    const at_format *format; /* of the last file */
    unsigned has;
    at_corpus_counts counts;
    at_str packed;
};

attend_status at_corpus_new(size_t memory, at_corpus **out, attend_error *err)
{
    at_corpus *c = at_alloc_zero(1, sizeof *c);
    if (c && !(c->store = at_record_store_new(memory))) {
        at_free(c);
        c = NULL;
    }
    *out = c;
    return c ? ATTEND_OK : at_error_memory(err);
}

void at_corpus_free(at_corpus *c)
{
    if (!c)
        return;
    at_record_store_free(c->store);
    for (int i = 0; i < c->files; i++)
        at_free(c->file[i]);
    at_free(c->file);
    at_str_free(&c->packed);
    at_free(c);
}

/* ---- reading ---------------------------------------------------------------------------- */

static attend_status add_file(at_corpus *c, const char *name, attend_error *err)
{
    char **files = at_realloc(c->file, (size_t)c->files * sizeof *files,
                              (size_t)(c->files + 1) * sizeof *files);
    if (!files)
        return at_error_memory(err);
    c->file = files;
    files[c->files] = at_strdup(name);
    return files[c->files] ? (c->files++, ATTEND_OK) : at_error_memory(err);
}

/* Does a part that a model reads have no text? */
static bool is_empty(const at_example *e)
{
    return !at_text_trim(e->source).size
           || ((e->has & ATTEND_HAS_TARGET) && !at_text_trim(e->target).size)
           || ((e->has & (ATTEND_HAS_LABEL | ATTEND_HAS_TAGS)) && !at_text_trim(e->label).size)
           || ((e->has & ATTEND_HAS_QUESTION) && !at_text_trim(e->question).size);
}

static attend_status other_parts(const at_corpus *c, const at_example *e, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT,
                    "%s:%ld: this example has other parts (target, label, question) than those "
                    "before it; keep kinds of data apart",
                    c->file[e->file], e->line);
}

static attend_status add_example(at_corpus *c, at_example *e, attend_error *err)
{
    unsigned kind = e->has & ~(unsigned)ATTEND_HAS_BREAK;
    e->file = c->files - 1;
    if (is_empty(e)) {
        c->counts.empty++;
        return ATTEND_OK;
    }
    if (c->counts.examples == 0)
        c->has = kind;
    if (kind != c->has)
        return other_parts(c, e, err);
    at_str_clear(&c->packed);
    at_example_pack(&c->packed, e);
    if (c->packed.failed)
        return at_error_memory(err);
    c->counts.documents += (e->has & ATTEND_HAS_BREAK) != 0;
    c->counts.examples++;
    return at_record_store_add(c->store, c->packed.text, c->packed.length, err);
}

attend_status at_corpus_read(at_corpus *c, at_example_reader *r, attend_error *err)
{
    at_example e;
    attend_status status = add_file(c, at_examples_name(r), err);
    c->format = at_examples_format(r);
    while (status >= 0 && at_examples_next(r, &e, &status, err))
        status = add_example(c, &e, err);
    at_read_counts counts = at_examples_count(r);
    c->counts.bad += counts.bad;
    c->counts.blank += counts.blank;
    c->counts.repaired += counts.repaired;
    c->counts.lines += counts.lines;
    return status;
}

attend_status at_corpus_close(at_corpus *c, attend_error *err)
{
    at_str_free(&c->packed);
    return at_record_store_close(c->store, err);
}

static attend_status load_file(at_corpus *c, const char *path, const at_read_options *options,
                               attend_error *err)
{
    at_example_reader *r;
    attend_status status = at_examples_open(path, options, &r, err);
    if (status >= 0)
        status = at_corpus_read(c, r, err);
    at_examples_close(r);
    return status;
}

static attend_status no_example(const at_corpus *c, attend_error *err)
{
    if (c->counts.lines == c->counts.blank)
        return at_error(err, ATTEND_FORMAT, "%s: no example in it", c->file[0]);
    return at_error(err, ATTEND_FORMAT,
                    "%s: no example in it%s; it was read as %s, and --format names another form",
                    c->file[0], c->counts.empty ? " that is not empty" : "", c->format->name);
}

attend_status at_corpus_load(const char *const *paths, int count, const at_corpus_options *options,
                             at_corpus **out, attend_error *err)
{
    at_corpus *c;
    attend_status status = at_corpus_new(options ? options->memory : 0, &c, err);
    for (int i = 0; i < count && status >= 0; i++)
        status = load_file(c, paths[i], options ? &options->reader : NULL, err);
    if (status >= 0)
        status = at_corpus_close(c, err);
    if (status >= 0 && c->counts.examples == 0)
        status = no_example(c, err);
    if (status < 0)
        at_corpus_free(c);
    *out = status < 0 ? NULL : c;
    return status;
}

/* ---- asking ----------------------------------------------------------------------------- */

size_t at_corpus_size(const at_corpus *c) { return at_record_store_count(c->store); }
unsigned at_corpus_has(const at_corpus *c) { return c->has; }
bool at_corpus_runs(const at_corpus *c) { return c->format && c->format->running; }
at_corpus_counts at_corpus_count(const at_corpus *c) { return c->counts; }
const char *at_corpus_file(const at_corpus *c, int file) { return c->file[file]; }

bool at_corpus_at(const at_corpus *c, size_t index, at_arena *arena, at_example *e)
{
    return at_example_unpack(e, at_record_store_at(c->store, index), arena);
}

void at_corpus_say(const at_corpus *c, at_str *out)
{
    const struct {
        long count;
        const char *one, *many;
    } said[] = {
        {c->counts.bad, "line in another form", "lines in another form"},
        {c->counts.empty, "example with an empty side", "examples with an empty side"},
    };
    size_t start = out->length;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].count)
            at_str_print(out, "%s%ld %s", out->length > start ? " and " : "", said[i].count,
                         said[i].count == 1 ? said[i].one : said[i].many);
    if (out->length > start)
        at_str_add(out, c->counts.bad + c->counts.empty == 1 ? " was skipped" : " were skipped");
    if (c->counts.repaired)
        at_str_print(out, "%s%ld line%s not UTF-8", out->length > start ? "; " : "",
                     c->counts.repaired, c->counts.repaired == 1 ? " was" : "s were");
}

/* ---- for vocabularies ------------------------------------------------------------------- */

static int next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    at_corpus_walk *w = user;
    (void)err;
    while (w->at < at_corpus_size(w->corpus)) {
        at_example e;
        bool second = w->second, taken = !w->part || w->part[w->at] == 0;
        at_corpus_at(w->corpus, w->at, NULL, &e);
        w->second = !second;
        w->at += second;
        at_text t = !second                         ? e.source
                    : (e.has & ATTEND_HAS_TARGET)   ? e.target
                    : (e.has & ATTEND_HAS_QUESTION) ? e.question
                                                    : (at_text){0};
        if (!taken || !t.size || !(second ? w->targets : w->sources))
            continue;
        *text = t.text;
        *size = t.size;
        return 1;
    }
    return 0;
}

at_line_source at_corpus_lines(at_corpus_walk *walk) { return (at_line_source){next_line, walk}; }
