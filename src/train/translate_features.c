/* Sources that are feature vectors (store/features.h): an example of the corpus has the name of a
 * sequence as its source, and the line that belongs to it as its target. */
#include "train/task_translate.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/format.h"
#include "data/split.h"

/* ---- what makes no sense with them --------------------------------------------------------- */

static attend_status check_valid(const at_run_settings *s, const char *lines, attend_error *err)
{
    if (!at_run_valid_is_file(s))
        return ATTEND_OK;
    if (!at_features_is(s->valid))
        return at_error(err, ATTEND_OPTION,
                        "--valid %s: --src has feature vectors, and so must what it is judged by",
                        at_show(s->valid).text);
    if (!lines)
        return at_error(err, ATTEND_OPTION,
                        "--valid %s has feature vectors: --valid-tgt FILE has what belongs to them",
                        at_show(s->valid).text);
    return ATTEND_OK;
}

attend_status at_translate_check_features(const at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    const at_translate_settings *own = at_translate_settings_of(r);
    const struct {
        bool given;
        const char *what;
    } senseless[] = {{own->swap, "--swap: feature vectors are read, never written"},
                     {s->format, "--format is for sentence pairs"},
                     {s->text || s->second || s->label || s->header,
                      "--text, --second, --label and --header are for tables"},
                     {s->init_embeddings, "--init-embeddings is for words of the source"},
                     {own->guided_alignment, "--guided-alignment links words of both sides"}};
    if (!at_run_is_features(r))
        return ATTEND_OK;
    for (size_t i = 0; i < sizeof senseless / sizeof *senseless; i++)
        if (senseless[i].given)
            return at_error(err, ATTEND_OPTION, "%s, and --src has feature vectors; leave it out",
                            senseless[i].what);
    return check_valid(s, own->valid_tgt, err);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct {
    const at_features *file;
    at_feature_name name; /* of the last one */
} naming;

/* line n of the targets belongs to sequence n */
static at_read next(at_example_reader *reader, at_example *e, attend_error *err)
{
    naming *n = reader->state;
    size_t count = at_features_count(n->file), at = (size_t)reader->lines.number;
    at_read got = at_read_any_line(reader, &reader->lines, err);
    if (got == ATTEND_READ_FAILED || got == ATTEND_READ_BAD)
        return got;
    if (got == ATTEND_READ_END && at == count)
        return got;
    if (got == ATTEND_READ_END || at >= count) {
        attend_status status = ATTEND_OK;
        while (at_lines_next(&reader->lines, &status, err))
            continue;
        if (status >= 0)
            at_error(err, ATTEND_FORMAT,
                     "%s has %zu sequence%s, and %s %ld line%s; they belong together, one for one",
                     at_show(at_features_file(n->file)).text, count, ATTEND_PLURAL(count),
                     reader->name, reader->lines.number, ATTEND_PLURAL(reader->lines.number));
        return ATTEND_READ_FAILED;
    }
    n->name = at_features_name(n->file, at);
    e->source = at_text_of(n->name.text);
    e->target = (at_text){reader->lines.text, reader->lines.size};
    e->has = ATTEND_HAS_TARGET;
    return ATTEND_READ_EXAMPLE;
}

static const at_format sequences = {.name = "features", .next = next};

static attend_status read_lines(const at_run *r, const at_features *file, const char *path,
                                at_corpus *corpus, attend_error *err)
{
    naming names = {.file = file};
    at_line_options o = {.encoding = (attend_encoding)r->settings.encoding};
    at_example_reader reader = {.format = &sequences, .state = &names};
    attend_status status = at_lines_open(&reader.lines, path, &o, err);
    reader.name = reader.lines.name;
    if (status >= 0 && (status = at_corpus_read(corpus, &reader, err)) >= 0)
        status = at_corpus_close(corpus, err);
    at_lines_close(&reader.lines);
    if (status >= 0 && at_corpus_size(corpus) == 0)
        status = at_error(err, ATTEND_FORMAT, "%s: all lines are empty", at_show(path).text);
    return status;
}

static attend_status find_sequences(at_frames *f, const at_corpus *corpus, attend_error *err)
{
    size_t n = at_corpus_size(corpus);
    f->sequence = at_alloc(n * sizeof *f->sequence);
    f->frames = at_alloc(n * sizeof *f->frames);
    if (!f->sequence || !f->frames)
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        at_example e;
        if (!at_corpus_at(corpus, i, NULL, &e))
            return at_error_memory(err);
        f->sequence[i] = (uint32_t)(e.line - 1);
        f->frames[i] = (uint32_t)at_features_frames(f->file, f->sequence[i]);
    }
    return ATTEND_OK;
}

attend_status at_translate_load_features(at_run *r, int which, const char *path, const char *lines,
                                         at_corpus **out, attend_error *err)
{
    at_frames *f = &at_translate_of(r)->frames[which];
    const at_frames *first = &at_translate_of(r)->frames[0];
    attend_status status = at_features_open(path, &f->file, err);
    if (status >= 0 && (status = at_corpus_new(0, out, err)) >= 0
        && (status = read_lines(r, f->file, lines, *out, err)) >= 0)
        status = find_sequences(f, *out, err);
    if (status < 0 || at_features_width(f->file) == at_features_width(first->file))
        return status;
    return at_error(err, ATTEND_FORMAT, "%s has frames of %d numbers, and %s of %d",
                    at_show(path).text, at_features_width(f->file), at_show(r->settings.src).text,
                    at_features_width(first->file));
}

void at_frames_free(at_frames *f)
{
    at_features_close(f->file);
    at_free(f->sequence);
    at_free(f->frames);
    *f = (at_frames){.file = NULL};
}

/* ---- all of them --------------------------------------------------------------------------- */

attend_status at_translate_scan(at_run *r, double *mean, double *spread, attend_error *err)
{
    at_frames *f = at_translate_of(r)->frames;
    at_features_look look = {.mean = mean, .spread = spread};
    bool *counts = at_alloc_zero(at_features_count(f->file), sizeof *counts);
    attend_status status = counts ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < at_corpus_size(r->corpus) && status >= 0; i++)
        counts[f->sequence[i]] = r->part[i] == ATTEND_PART_TRAIN;
    if (status >= 0)
        status = at_features_scan(f->file, counts, &look, err);
    f->print = look.print;
    at_free(counts);
    if (status < 0 || !r->valid)
        return status;
    look.mean = look.spread = NULL;
    status = at_features_scan(f[1].file, NULL, &look, err);
    f[1].print = look.print;
    return status;
}

const at_frames *at_translate_frames(const at_run *r, bool validating)
{
    return &at_translate_of(r)->frames[validating && r->valid ? 1 : 0];
}

attend_status at_translate_take_features(at_run *r, const at_batch *batch, const real **out,
                                         attend_error *err)
{
    const at_frames *f = at_translate_frames(r, r->validating);
    const at_block *x = &batch->source;
    size_t width = (size_t)at_features_width(f->file), each = (size_t)x->T * width;
    real *all = at_arena_alloc(&r->memory, (size_t)x->B * each * sizeof *all);
    attend_status status = all ? ATTEND_OK : at_error_memory(err);
    for (size_t b = 0; b < (size_t)x->B && status >= 0; b++) {
        size_t used = (size_t)x->lengths[b] * width;
        status = at_features_read(f->file, f->sequence[batch->examples[b]], x->lengths[b],
                                  all + b * each, err);
        memset(all + b * each + used, 0, (each - used) * sizeof *all);
    }
    *out = all;
    return status;
}

/* ---- what is left out for a test ----------------------------------------------------------- */

attend_status at_translate_save_test(at_run *r, attend_error *err)
{
    const at_frames *f = &at_translate_of(r)->frames[0];
    size_t n = at_corpus_size(r->corpus), count = 0;
    uint32_t *sequence = at_alloc(n * sizeof *sequence);
    char *path = at_run_path(r, "training/test.safetensors");
    char *lines = at_run_path(r, "training/test.txt");
    at_writer *w = NULL;
    attend_status status = sequence && path && lines ? at_writer_open(&w, lines, err)
                                                     : at_error_memory(err);
    for (size_t i = 0; i < n && status >= 0; i++) {
        at_example e;
        if (r->part[i] != ATTEND_PART_TEST || !at_corpus_at(r->corpus, i, NULL, &e))
            continue;
        sequence[count++] = f->sequence[i];
        at_writer_write(w, e.target.text, e.target.size);
        at_writer_write(w, "\n", 1);
    }
    if (status >= 0)
        status = at_features_save(f->file, sequence, count, path, err);
    if (status >= 0) {
        status = at_writer_commit(w, err);
        w = NULL;
    }
    at_writer_abort(w);
    if (status >= 0)
        at_run_say(r, "what was left out is in %s and test.txt", at_show(path).text);
    at_free(sequence);
    at_free(path);
    at_free(lines);
    return status;
}
