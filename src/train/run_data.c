/* The data of a run: corpora, their parts, tokenizers, numbers. */
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/export.h"
#include "data/key.h"
#include "data/split.h"
#include "data/vectors.h"
#include "train/run_parts.h"

/* which: 0 to train on, 1 to validate with */
static attend_status load(at_run *r, int which, const char *path, const char *other,
                          at_corpus **out, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (at_run_is_features(r))
        return at_run_load_features(r, which, path, other, out, err);
    at_corpus_options o = {.reader = {.format = s->format,
                                      .target = other,
                                      .source_column = s->text,
                                      .target_column = s->second,
                                      .label_column = s->label,
                                      .header = (at_header)s->header,
                                      .reverse = s->swap,
                                      .lines = {.encoding = (at_encoding)s->encoding}}};
    attend_status status = at_corpus_load(&path, 1, &o, out, err);
    if (status >= 0 && (at_corpus_has(*out) & r->job->needs) != r->job->needs)
        status = at_error(err, ATTEND_FORMAT, "%s: %s", at_show(path).text, r->job->lacking);
    return status;
}

static attend_status load_all(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    attend_status status = load(r, 0, s->data ? s->data : s->src, s->tgt, &r->corpus, err);
    if (status >= 0 && at_run_valid_is_file(s))
        status = load(r, 1, s->valid, s->valid_tgt, &r->valid, err);
    at_str text = {0};
    if (status >= 0)
        at_corpus_say(r->corpus, &text);
    if (*at_str_text(&text))
        at_run_say(r, "%s", at_str_text(&text));
    at_str_free(&text);
    return status;
}

bool at_run_valid_is_file(const at_run_settings *s) { return s->valid && at_file_exists(s->valid); }

/* Where nobody said one: a hundredth, but of little data so many that a measure of them means
 * something, and most are still learned from. */
static at_share usual_share(size_t n)
{
    enum { ENOUGH = 50 };
    size_t tenth = n / 10 > 0 ? n / 10 : 1;
    if (n >= 100 * ENOUGH)
        return (at_share){.share = 0.01};
    return (at_share){.count = tenth < ENOUGH ? tenth : ENOUGH};
}

static attend_status split(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    const char *what = r->job->needs & ATTEND_HAS_TARGET ? "pairs" : "texts";
    size_t sizes[ATTEND_PARTS], n = at_corpus_size(r->corpus);
    at_share valid = {.share = 0}, test;
    attend_status status = at_share_parse(&test, s->test, "--test", err);
    if (!r->valid && !s->valid)
        valid = usual_share(n);
    else if (status >= 0 && !r->valid)
        status = at_share_parse(&valid, s->valid, "--valid", err);
    if (status < 0)
        return status;
    r->part = at_alloc(n ? n : 1);
    if (!r->part)
        return at_error_memory(err);
    status = at_split(r->corpus, valid, test, r->part, sizes, err);
    r->tests = status >= 0 && sizes[ATTEND_PART_TEST] > 0;
    if (status >= 0 && s->valid && !r->valid && sizes[ATTEND_PART_VALID] == 0)
        status = at_error(err, ATTEND_OPTION,
                          "--valid %s of %zu %s is none; give more of them, or a file", s->valid, n,
                          what);
    if (status >= 0 && (test.count || test.share > 0) && !r->tests)
        status = at_error(err, ATTEND_OPTION, "--test %s of %zu %s is none; ask for more of them",
                          s->test, n, what);
    if (status >= 0)
        at_run_say(r, "%zu %s to learn from, %zu to validate with, %zu left out for a test",
                   sizes[0], what, r->valid ? at_corpus_size(r->valid) : sizes[1], sizes[2]);
    return status;
}

attend_status at_run_read(at_run *r, attend_error *err)
{
    attend_status status = load_all(r, err);
    return status < 0 ? status : split(r, err);
}

attend_status at_run_save_test(at_run *r, attend_error *err)
{
    if (at_run_is_features(r))
        return at_run_save_test_features(r, err);
    unsigned has = at_corpus_has(r->corpus);
    bool text = !(has & (ATTEND_HAS_TARGET | ATTEND_HAS_LABEL));
    const at_format *format = at_format_find(text                      ? "text"
                                             : has & ATTEND_HAS_TARGET ? "pairs"
                                                                       : "tsv");
    char *path = at_run_path(r, text ? "training/test.txt" : "training/test.tsv");
    at_export *x = NULL;
    at_example e;
    attend_status status = path ? at_export_open(path, NULL, format,
                                                 has & (format->needs | format->takes), &x, err)
                                : at_error_memory(err);
    for (size_t i = 0; status >= 0 && i < at_corpus_size(r->corpus); i++)
        if (r->part[i] == ATTEND_PART_TEST && at_corpus_at(r->corpus, i, NULL, &e))
            at_export_write(x, &e);
    if (status >= 0)
        status = at_export_commit(x, err);
    if (status >= 0)
        at_run_say(r, "what was left out is in %s", at_show(path).text);
    at_free(path);
    return status;
}

/* What is written must begin and end. */
static attend_status check_ends(const at_tokenizer *t, const char *name, attend_error *err)
{
    if (t->special[ATTEND_SPECIAL_BOS] >= 0 && t->special[ATTEND_SPECIAL_EOS] >= 0)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "--tokenizer %s has no pieces that begin and end a text; words, chars, bytes "
                    "and sentencepiece have",
                    at_show(name).text);
}

/* Pieces at most: as asked for, of words as the preset has them; 0: the kind's choice. */
static int vocabulary(const at_run_settings *s, const char *preset)
{
    bool words = at_tokenizer_kind_find(s->tokenizer) == &at_tokenizer_kind_words;
    const at_preset *p = words && !s->vocabulary ? at_preset_find(preset, NULL) : NULL;
    return p ? p->vocabulary : s->vocabulary;
}

attend_status at_run_learn(at_run *r, bool sources, bool targets, const char *preset,
                           at_tokenizer **out, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_learn_options o;
    attend_status status;
    at_learn_defaults(&o);
    if (vocabulary(s, preset))
        o.size = vocabulary(s, preset);
    if (s->min_count)
        o.min_count = s->min_count;
    if (s->lower)
        o.lower = 1;
    o.pretokenised = s->pretokenised - 1;
    at_corpus_walk walk = {
        .corpus = r->corpus, .part = r->part, .sources = sources, .targets = targets};
    status = at_tokenizer_kind_find(s->tokenizer)
                 ? at_tokenizer_learn(s->tokenizer, at_corpus_lines(&walk), &o, out, err)
                 : at_tokenizer_open(s->tokenizer, out, err);
    if (status >= 0 && at_tokenizer_cutting(*out))
        at_run_say(r, "%s text is %s",
                   !sources  ? "target"
                   : targets ? "all"
                             : "source",
                   at_tokenizer_cutting(*out));
    return status >= 0 && targets ? check_ends(*out, s->tokenizer, err) : status;
}

/* the smaller of two limits; 0 is none */
static int limit(int a, int b) { return a && (!b || a < b) ? a : b; }

static void say_long(at_run *r, int which, const at_encode_options *o, at_encode_counts c)
{
    char limits[60] = "";
    int most = o->labels ? o->longest_source : o->longest_target;
    if (o->frames && o->longest_source)
        snprintf(limits, sizeof limits, " or %d frames", o->longest_source);
    else if (o->longest_source != most)
        snprintf(limits, sizeof limits, ", or %d of a source", o->longest_source);
    if (c.cut + c.skipped > 0)
        at_run_say(r, "%zu sentences to %s are longer than %d pieces%s: %s", c.cut + c.skipped,
                   which == 0 ? "learn from" : "validate with", most, limits,
                   c.cut ? "cut" : "left out");
}

/* Where many words of what is learned from are unknown, the model will write many unknown ones.
 * sides: 1 where targets are not used, else 2 */
static void say_unknown(at_run *r, at_encode_counts c, int sides)
{
    static const char *const side[] = {"source", "target"};
    enum { MANY = 10 }; /* of a hundred */
    for (int i = 0; i < sides; i++)
        if (c.unknown[i] * 100 > c.tokens[i] * MANY)
            at_run_say(
                r,
                "%zu of %zu %s pieces, ends of texts included, are unknown: seen too seldom, "
                "or beyond the vocabulary; --min-count 1 or a larger --vocabulary keeps more",
                c.unknown[i], c.tokens[i], side[i]);
}

/* which: 0 to train on, 1 to validate with */
static attend_status encode(at_run *r, int which, at_encode_options o, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    bool own = which == 1 && r->valid;
    const at_frames *frames = at_run_frames(r, which == 1);
    o.frames = frames->file ? frames->frames : NULL;
    o.longest_target = r->job->whole ? 0 : s->longest;
    o.longest_source = limit(o.longest_source, o.frames ? s->longest_frames : o.longest_target);
    o.when_long = (at_long)s->when_long;
    o.part = own ? NULL : r->part;
    o.wanted = which == 0 ? ATTEND_PART_TRAIN : ATTEND_PART_VALID;
    attend_status status = at_encode_corpus(own ? r->valid : r->corpus, &o, &r->numbers[which],
                                            err);
    if (status < 0)
        return status;
    say_long(r, which, &o, at_encoded_count(r->numbers[which]));
    if (which == 0 && !s->resume && !s->init_from)
        say_unknown(r, at_encoded_count(r->numbers[which]), o.target ? 2 : 1);
    const at_tokenizer *target = o.target ? o.target : o.source;
    r->sentences[which] = (at_encoded_supply){.data = r->numbers[which],
                                              .pad_source = o.source ? at_tokenizer_pad(o.source)
                                                                     : 0,
                                              .pad_target = at_tokenizer_pad(target)};
    r->supply[which] = at_supply_encoded(&r->sentences[which]);
    if (frames->file)
        r->supply[which].print = at_key_join(r->supply[which].print, frames->print);
    return ATTEND_OK;
}

attend_status at_run_encode(at_run *r, const at_encode_options *options, attend_error *err)
{
    attend_status status = encode(r, 0, *options, err);
    return status < 0 ? status : encode(r, 1, *options, err);
}

/* ---- vectors of words ---------------------------------------------------------------------- */

attend_status at_run_vectors(at_run *r, attend_error *err)
{
    const char *file = r->settings.init_embeddings;
    const at_tokenizer *tokenizer = r->model->source;
    at_embedding_info e = r->kind->embedding(r->model);
    at_shape shape = SHAPE(at_tokenizer_size(tokenizer), e.width);
    at_parameter *table;
    at_vector_counts counts;
    if (r->settings.resume || r->settings.init_from)
        return ATTEND_OK;
    attend_status status = at_params_add(r->params, e.name, shape, INIT_NORMAL(e.scale), &table,
                                         err);
    if (status < 0 || !file)
        return status;
    status = at_vectors_read(file, tokenizer->vocab, e.width, table->value, &counts, err);
    if (status >= 0)
        at_run_say(r, "%zu of %d words have a vector in %s, of %zu there", counts.found,
                   shape.dim[0], at_show(file).text, counts.lines);
    return status;
}

const char *at_run_preset(const at_run *r)
{
    at_option_set set = {r->kind->options, r->model->settings};
    void *fields;
    const at_option *o = at_option_find(&set, 1, "preset", &fields);
    return o ? *(const char **)((char *)fields + o->offset) : NULL;
}
