/* attend_examples, attend_data_convert and attend_data_split: corpora seen from outside. */
#include "api/data.h"

#include <string.h>

#include "api/options.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/corpus.h"
#include "data/export.h"
#include "data/split.h"
#include "data/split_files.h"

/* ---- options ---------------------------------------------------------------------------- */

void attend_data_defaults(attend_data_options *o)
{
    *o = (attend_data_options){.size = sizeof *o, .ratio = 9, .longest_text = 250, .places = 5};
}

attend_status at_data_options(attend_data_options *o, const attend_data_options *given,
                              attend_error *err)
{
    attend_data_defaults(o);
    attend_status status = at_options_accept(o, sizeof *o, given, "attend_data_defaults", err);
    if (status >= 0 && o->encoding > ATTEND_ENCODING_LATIN1)
        return at_error(err, ATTEND_OPTION, "unknown encoding %d", (int)o->encoding);
    return status;
}

at_read_options at_data_read_options(const attend_data_options *o)
{
    return (at_read_options){
        .format = o->format,
        .target = o->target,
        .source_column = o->text,
        .target_column = o->second,
        .label_column = o->label,
        .header = o->header > 0   ? ATTEND_HEADER_YES
                  : o->header < 0 ? ATTEND_HEADER_NO
                                  : ATTEND_HEADER_GUESS,
        .reverse = o->reverse != 0,
        .lines = {.encoding = o->encoding, .max_length = o->longest_line},
    };
}

/* ---- examples --------------------------------------------------------------------------- */

enum { PARTS = 5 };

struct attend_examples {
    at_example_reader *reader;
    at_example example;
    at_str part[PARTS], answer;
};

attend_status attend_examples_open(const char *path, const attend_data_options *options,
                                   attend_examples **out, attend_error *err)
{
    attend_data_options o;
    *out = NULL;
    attend_status status = at_data_options(&o, options, err);
    if (status < 0)
        return status;
    attend_examples *x = at_alloc_zero(1, sizeof *x);
    if (!x)
        return at_error_memory(err);
    at_read_options reading = at_data_read_options(&o);
    status = at_examples_open(path, &reading, &x->reader, err);
    if (status < 0)
        at_free(x);
    else
        *out = x;
    return status;
}

/* a copy with a zero behind it */
static const char *copy(at_str *to, at_text t)
{
    at_str_clear(to);
    at_str_add_bytes(to, t.text ? t.text : "", t.size);
    return at_str_text(to);
}

int attend_examples_next(attend_examples *x, attend_example *out, attend_error *err)
{
    attend_status status;
    at_example *e = &x->example;
    if (!at_examples_next(x->reader, e, &status, err))
        return status;
    *out = (attend_example){.answers = (size_t)e->answer_count,
                            .file = at_examples_name(x->reader),
                            .line = (size_t)e->line};
    const struct {
        const char **to;
        at_text text;
        bool there;
    } parts[PARTS] = {{&out->source, e->source, true},
                      {&out->target, e->target, e->has & ATTEND_HAS_TARGET},
                      {&out->label, e->label, e->has & (ATTEND_HAS_LABEL | ATTEND_HAS_TAGS)},
                      {&out->question, e->question, e->has & ATTEND_HAS_QUESTION},
                      {&out->id, e->id, e->id.size > 0}};
    for (int i = 0; i < PARTS; i++)
        if (parts[i].there) {
            *parts[i].to = copy(&x->part[i], parts[i].text);
            if (x->part[i].failed)
                return at_error_memory(err);
        }
    return 1;
}

int attend_examples_answer(const attend_examples *x, size_t index, const char **text, size_t *begin)
{
    attend_examples *changed = (attend_examples *)x;
    if (index >= (size_t)x->example.answer_count)
        return 0;
    *text = copy(&changed->answer, x->example.answers[index].text);
    *begin = x->example.answers[index].begin;
    return !x->answer.failed;
}

const char *attend_examples_format(const attend_examples *x)
{
    return at_examples_format(x->reader)->name;
}

void attend_examples_free(attend_examples *x)
{
    if (!x)
        return;
    at_examples_close(x->reader);
    for (int i = 0; i < PARTS; i++)
        at_str_free(&x->part[i]);
    at_str_free(&x->answer);
    at_free(x);
}

/* ---- writing ---------------------------------------------------------------------------- */

/* The corpus and the format of its first file. */
static attend_status load(const char *const *paths, size_t count, const attend_data_options *o,
                          at_corpus **corpus, const at_format **format, attend_error *err)
{
    at_read_options reading = at_data_read_options(o);
    at_example_reader *r;
    attend_status status = at_corpus_new(0, corpus, err);
    *format = NULL;
    for (size_t i = 0; i < count && status >= 0; i++) {
        status = at_examples_open(paths[i], &reading, &r, err);
        if (status >= 0 && !*format)
            *format = at_examples_format(r);
        if (status >= 0)
            status = at_corpus_read(*corpus, r, err);
        at_examples_close(r);
    }
    if (status >= 0)
        status = at_corpus_close(*corpus, err);
    if (status >= 0 && !at_corpus_size(*corpus))
        status = at_error(err, ATTEND_FORMAT, "%s: no example in it", at_show(paths[0]).text);
    if (status < 0) {
        at_corpus_free(*corpus);
        *corpus = NULL;
    }
    return status;
}

typedef struct {
    const at_corpus *corpus;
    const at_format *from, *to;
    const char *one, *two; /* names of what was read, for the names of aligned files */
    bool keep;             /* files that are there */
} job;

static attend_status find_format(job *j, const attend_data_options *o, attend_error *err)
{
    j->to = o->to ? at_format_find(o->to) : j->from;
    if (!j->to)
        return at_error(err, ATTEND_OPTION,
                        "there is no format \"%.40s\"; attend list formats shows them", o->to);
    return at_export_check(j->to, at_corpus_has(j->corpus), err);
}

/* The file of a part, of aligned ones both; to be freed. */
static attend_status name_files(const job *j, const char *path, char *name[2], attend_error *err)
{
    bool two = j->to == &at_format_aligned;
    name[0] = two ? at_export_side(path, j->one, j->two, false) : at_strdup(path);
    name[1] = two ? at_export_side(path, j->one, j->two, true) : NULL;
    return !name[0] || (two && !name[1]) ? at_error_memory(err) : ATTEND_OK;
}

static attend_status open_export(const job *j, char *const name[2], at_export **out,
                                 attend_error *err)
{
    attend_status status = j->keep ? at_export_keep(name[0], name[1], err) : ATTEND_OK;
    *out = NULL;
    return status < 0 ? status
                      : at_export_open(name[0], name[1], j->to, at_corpus_has(j->corpus), out, err);
}

/* All examples, each to the export of its part; part may be NULL. */
static attend_status write_all(const job *j, at_export **exports, const unsigned char *part,
                               attend_error *err)
{
    at_arena arena;
    bool starved = false;
    at_arena_init(&arena, 1 << 10);
    for (size_t i = 0; i < at_corpus_size(j->corpus) && !starved; i++) {
        at_example e;
        at_arena_reset(&arena);
        starved = !at_corpus_at(j->corpus, i, &arena, &e);
        if (j->to != j->from)
            e.rest = (at_text){0};
        if (!starved)
            at_export_write(exports[part ? part[i] : 0], &e);
    }
    at_arena_free(&arena);
    return starved ? at_error_memory(err) : ATTEND_OK;
}

static attend_status commit(at_export **x, attend_data_counts *counts, attend_error *err)
{
    *counts = (attend_data_counts){.written = (size_t)at_export_count(*x),
                                   .flattened = (size_t)at_export_flattened(*x)};
    attend_status status = at_export_commit(*x, err);
    *x = NULL;
    return status;
}

attend_status attend_data_convert(const char *const *paths, size_t count, const char *out,
                                  const attend_data_options *options, attend_data_counts *counts,
                                  attend_error *err)
{
    attend_data_options o;
    attend_data_counts done = {0};
    at_corpus *corpus = NULL;
    at_export *x = NULL;
    char *name[2] = {NULL, NULL};
    job j = {.one = count > 0 ? paths[0] : ""};
    attend_status status = at_data_options(&o, options, err);
    if (status >= 0)
        status = load(paths, count, &o, &corpus, &j.from, err);
    j.corpus = corpus;
    j.two = o.target ? o.target : j.one;
    j.keep = o.keep != 0;
    if (status >= 0 && (status = find_format(&j, &o, err)) >= 0
        && (status = name_files(&j, out, name, err)) >= 0
        && (status = open_export(&j, name, &x, err)) >= 0
        && (status = write_all(&j, &x, NULL, err)) >= 0)
        status = commit(&x, &done, err);
    if (status >= 0 && counts) {
        *counts = done;
        counts->skipped = (size_t)at_corpus_count(corpus).empty;
    }
    at_export_abort(x);
    at_free(name[0]);
    at_free(name[1]);
    at_corpus_free(corpus);
    return status;
}

/* ---- splitting -------------------------------------------------------------------------- */

static attend_status parse_fraction(at_fraction *s, const char *text, const char *option,
                                    attend_error *err)
{
    *s = (at_fraction){0};
    return text ? at_fraction_parse(s, text, option, err) : ATTEND_OK;
}

/* folder/train.tsv; of aligned files without an end, which comes later */
static char *part_path(const at_format *to, const char *folder, int part)
{
    at_str name = {0};
    at_str_add(&name, at_part_names[part]);
    if (to->extension)
        at_str_add(&name, to->extension);
    char *path = name.failed ? NULL : at_file_join(folder, at_str_text(&name));
    at_str_free(&name);
    return path;
}

/* The files of all parts that have examples. */
static attend_status name_parts(const job *j, const char *folder, const size_t sizes[ATTEND_PARTS],
                                char *names[ATTEND_PARTS][2], attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < ATTEND_PARTS && status >= 0; i++) {
        char *path = sizes[i] ? part_path(j->to, folder, i) : NULL;
        if (sizes[i])
            status = path ? name_files(j, path, names[i], err) : at_error_memory(err);
        at_free(path);
    }
    return status;
}

static attend_status write_parts(const job *j, const char *folder, const unsigned char *part,
                                 const size_t sizes[ATTEND_PARTS],
                                 attend_data_counts counts[ATTEND_PARTS], attend_error *err)
{
    at_export *exports[ATTEND_PARTS] = {NULL};
    char *names[ATTEND_PARTS][2] = {{NULL}};
    attend_status status = name_parts(j, folder, sizes, names, err);
    if (status >= 0
        && (status = at_split_files_check(folder, names[0], 2 * ATTEND_PARTS, err)) >= 0)
        status = at_folder_make(folder, err);
    for (int i = 0; i < ATTEND_PARTS && status >= 0; i++)
        if (sizes[i])
            status = open_export(j, names[i], &exports[i], err);
    if (status >= 0)
        status = write_all(j, exports, part, err);
    for (int i = 0; i < ATTEND_PARTS && status >= 0; i++)
        if (exports[i])
            status = commit(&exports[i], &counts[i], err);
    for (int i = 0; i < ATTEND_PARTS; i++) {
        at_export_abort(exports[i]);
        at_free(names[i][0]);
        at_free(names[i][1]);
    }
    return status;
}

/* fractions: of validation and test */
static attend_status split(const job *j, const at_fraction fractions[2], const char *folder,
                           attend_data_counts counts[ATTEND_PARTS], attend_error *err)
{
    size_t sizes[ATTEND_PARTS];
    unsigned char *part = at_alloc(at_corpus_size(j->corpus));
    if (!part)
        return at_error_memory(err);
    attend_status status = at_split(j->corpus, fractions[0], fractions[1], part, sizes, err);
    if (status >= 0)
        status = write_parts(j, folder, part, sizes, counts, err);
    at_free(part);
    return status;
}

attend_status attend_data_split(const char *const *paths, size_t count, const char *folder,
                                const char *valid, const char *test,
                                const attend_data_options *options, attend_data_counts counts[3],
                                attend_error *err)
{
    attend_data_options o;
    attend_data_counts done[ATTEND_PARTS] = {{0}};
    at_fraction fractions[2];
    at_corpus *corpus = NULL;
    job j = {.one = count > 0 ? paths[0] : ""};
    attend_status status = at_data_options(&o, options, err);
    if (status >= 0 && (status = parse_fraction(&fractions[0], valid, "--valid", err)) >= 0
        && (status = parse_fraction(&fractions[1], test, "--test", err)) >= 0)
        status = load(paths, count, &o, &corpus, &j.from, err);
    j.corpus = corpus;
    j.two = o.target ? o.target : j.one;
    j.keep = o.keep != 0;
    if (status >= 0 && (status = find_format(&j, &o, err)) >= 0)
        status = split(&j, fractions, folder, done, err);
    if (status >= 0 && counts) {
        memcpy(counts, done, sizeof done);
        counts[0].skipped = (size_t)at_corpus_count(corpus).empty;
    }
    at_corpus_free(corpus);
    return status;
}
