/* The data of a run: corpora, their parts, tokenizers, ids. */
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/export.h"
#include "data/split.h"
#include "data/vectors.h"
#include "store/features.h"
#include "train/run_parts.h"

attend_status at_run_load(at_run *r, const char *path, const char *other, bool swap,
                          at_corpus **out, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    at_corpus_options o = {.reader = {.format = s->format,
                                      .target = other,
                                      .source_column = s->text,
                                      .target_column = s->second,
                                      .label_column = s->label,
                                      .header = (at_header)s->header,
                                      .running = at_model_keeps_newlines(r->kind, r->config->model),
                                      .reverse = swap,
                                      .lines = {.encoding = (attend_encoding)s->encoding}}};
    attend_status status = at_corpus_load_path(path, &o, out, err);
    if (status < 0 || (at_corpus_has(*out) & r->task->needs) == r->task->needs)
        return status;
    return at_error(err, ATTEND_FORMAT, "%s: %s", at_show(path).text, r->task->lacking);
}

bool at_run_is_features(const at_run *r)
{
    return r->settings.src && at_features_is(r->settings.src);
}

const at_corpus *at_run_valid(const at_run *r) { return r->valid ? r->valid : r->corpus; }

bool at_run_valid_at(const at_run *r, size_t i, at_example *texts, at_item_view *ids)
{
    if (i >= at_encoded_size(r->ids[1]))
        return false;
    *ids = at_encoded_at(r->ids[1], i);
    return at_corpus_at(at_run_valid(r), ids->example, NULL, texts);
}

/* which: 0 to train on, 1 to validate with */
static attend_status load(at_run *r, int which, at_corpus **out, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (r->task->load)
        return r->task->load(r, which, out, err);
    const char *path = which ? s->valid : s->data ? s->data : s->src;
    return at_run_load(r, path, which ? NULL : s->tgt, false, out, err);
}

static attend_status load_all(at_run *r, attend_error *err)
{
    attend_status status = load(r, 0, &r->corpus, err);
    if (status >= 0 && at_run_valid_is_file(&r->settings))
        status = load(r, 1, &r->valid, err);
    if (status < 0)
        return status;
    at_str text = {0};
    at_corpus_say(r->corpus, &text);
    if (*at_str_text(&text))
        at_run_say(r, "%s", at_str_text(&text));
    at_str_free(&text);
    return ATTEND_OK;
}

bool at_run_valid_is_file(const at_run_settings *s) { return s->valid && at_file_exists(s->valid); }

/* Where nobody said one: a hundredth, but of little data so many that a measure of them means
 * something, and most are still learned from. */
static at_fraction usual_fraction(size_t n)
{
    enum { ENOUGH = 50 };
    size_t tenth = n / 10 > 0 ? n / 10 : 1;
    if (n >= 100 * ENOUGH)
        return (at_fraction){.fraction = 0.01};
    return (at_fraction){.count = tenth < ENOUGH ? tenth : ENOUGH};
}

/* No example is left for validation. */
static attend_status refuse_valid(const at_run *r, size_t n, const char *what, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    if (at_corpus_runs(r->corpus) && n == 1)
        return at_error(err, ATTEND_OPTION,
                        "the text is too short to take a part of it for validation; give more, or "
                        "another text with --valid FILE");
    return at_error(err, ATTEND_OPTION,
                    "--valid %s of %zu %s is none; give more of them, or a file",
                    s->valid ? s->valid : "by default", n, what);
}

static attend_status split(at_run *r, attend_error *err)
{
    const at_run_settings *s = &r->settings;
    const char *what = r->task->needs & ATTEND_HAS_TARGET ? "pairs" : "texts";
    size_t sizes[ATTEND_PARTS], n = at_corpus_size(r->corpus);
    at_fraction valid = {.fraction = 0}, test;
    attend_status status = at_fraction_parse(&test, s->test, "--test", err);
    if (!r->valid && !s->valid)
        valid = usual_fraction(n);
    else if (status >= 0 && !r->valid)
        status = at_fraction_parse(&valid, s->valid, "--valid", err);
    if (status < 0)
        return status;
    r->part = at_alloc(n ? n : 1);
    if (!r->part)
        return at_error_memory(err);
    status = at_split(r->corpus, valid, test, r->part, sizes, err);
    r->tests = status >= 0 && sizes[ATTEND_PART_TEST] > 0;
    if (status >= 0 && !r->valid && sizes[ATTEND_PART_VALID] == 0)
        status = refuse_valid(r, n, what, err);
    if (status >= 0 && (test.count || test.fraction > 0) && !r->tests)
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
    unsigned has = at_corpus_has(r->corpus);
    bool text = !(has & (ATTEND_HAS_TARGET | ATTEND_HAS_LABEL));
    const at_format *format = at_format_find(at_corpus_runs(r->corpus) ? "document"
                                             : has & ATTEND_HAS_TAGS   ? "conll"
                                             : text                    ? "text"
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
    attend_learn_options o;
    attend_status status;
    attend_learn_defaults(&o);
    if (vocabulary(s, preset))
        o.vocabulary = vocabulary(s, preset);
    if (s->min_count)
        o.min_count = s->min_count;
    if (s->lower)
        o.lower = 1;
    o.pretokenised = s->pretokenised - 1;
    at_corpus_walk walk = {
        .corpus = r->corpus, .part = r->part, .sources = sources, .targets = targets};
    bool learned = at_tokenizer_kind_find(s->tokenizer);
    status = learned ? at_tokenizer_learn(s->tokenizer, at_corpus_lines(&walk), &o, out, err)
                     : at_tokenizer_open(s->tokenizer, out, err);
    if (status >= 0 && learned && r->kind->frame)
        r->kind->frame(*out);
    if (status >= 0 && at_tokenizer_cutting(*out))
        at_run_say(r, "%s text is %s",
                   !sources  ? "target"
                   : targets ? "all"
                             : "source",
                   at_tokenizer_cutting(*out));
    return status >= 0 && targets && (r->task->can & ATTEND_CAN_TRANSLATE)
               ? check_ends(*out, s->tokenizer, err)
               : status;
}

/* the smaller of two limits; 0 is none */
static int limit(int a, int b) { return a && (!b || a < b) ? a : b; }

static void say_long(at_run *r, int which, const at_encode_options *o, at_encode_counts c)
{
    char limits[60] = "";
    int most = o->labels ? o->max_source : o->max_target;
    if (o->frames && o->max_source)
        snprintf(limits, sizeof limits, " or %d frames", o->max_source);
    else if (o->max_source != most)
        snprintf(limits, sizeof limits, ", or %d of a source", o->max_source);
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

attend_status at_run_encode(at_run *r, int which, const at_encode_options *options,
                            attend_error *err)
{
    const at_run_settings *s = &r->settings;
    bool own = which == 1 && r->valid;
    at_encode_options o = *options;
    int longest = r->task->whole ? 0 : s->max_length;
    o.max_target = limit(o.max_target, longest);
    if (!o.frames)
        o.max_source = limit(o.max_source, longest);
    o.when_long = (attend_when_long)s->when_long;
    o.part = own ? NULL : r->part;
    o.wanted = which == 0 ? ATTEND_PART_TRAIN : ATTEND_PART_VALID;
    attend_status status = at_encode_corpus(own ? r->valid : r->corpus, &o, &r->ids[which], err);
    if (status < 0)
        return status;
    say_long(r, which, &o, at_encoded_count(r->ids[which]));
    if (which == 0 && !s->resume && !s->init_from)
        say_unknown(r, at_encoded_count(r->ids[which]), o.target ? 2 : 1);
    const at_tokenizer *target = o.target ? o.target : o.source;
    r->sentences[which] = (at_encoded_supply){.data = r->ids[which],
                                              .pad_source = o.source ? at_tokenizer_pad(o.source)
                                                                     : 0,
                                              .pad_target = at_tokenizer_pad(target)};
    r->supply[which] = at_supply_encoded(&r->sentences[which]);
    return ATTEND_OK;
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

const void *at_run_model_setting(const at_run *r, const char *name)
{
    at_option_set set = {r->kind->options, r->model->settings};
    void *fields;
    const at_option *o = at_option_find(&set, 1, name, &fields);
    return o ? (const char *)fields + o->offset : NULL;
}

const char *at_run_preset(const at_run *r)
{
    return *(const char *const *)at_run_model_setting(r, "preset");
}
