#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/attention.h"
#include "api/model.h"
#include "api/options.h"
#include "api/trace.h"
#include "attend.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "decode/align.h"
#include "decode/translate.h"
#include "text/counting.h"
#include "text/unicode.h"

struct attend_dictionary {
    at_dictionary *words;
};

/* A file of something else may have no line of the form, and would do nothing in silence. */
static void say_size(const char *path, size_t count)
{
    if (count)
        at_log(ATTEND_LOG_INFO, "%s: a dictionary of %zu word%s", at_show(path).text, count,
               count == 1 ? "" : "s");
    else
        at_log(ATTEND_LOG_WARNING,
               "%s: a dictionary without words; lines are a word, a tab and its "
               "translation",
               at_show(path).text);
}

attend_status attend_dictionary_open(const char *path, attend_dictionary **out, attend_error *err)
{
    attend_dictionary *d = *out = at_alloc_zero(1, sizeof *d);
    attend_status status = d ? at_dictionary_open(path, &d->words, err) : at_error_memory(err);
    if (status < 0) {
        at_free(d);
        *out = NULL;
    } else
        say_size(path, at_dictionary_size(d->words));
    return status;
}

void attend_dictionary_free(attend_dictionary *d)
{
    if (d)
        at_dictionary_free(d->words);
    at_free(d);
}

/* ---- options ------------------------------------------------------------------------------- */

void attend_translate_defaults(attend_translate_options *o)
{
    *o = (attend_translate_options){.size = sizeof *o,
                                    .best = 1,
                                    .rule = ATTEND_LENGTH_RULE_AVERAGE,
                                    .penalty = 1,
                                    .longest = 200,
                                    .batch = 64,
                                    .scores = 1,
                                    .temperature = 1,
                                    .top_p = 1,
                                    .record_layer = -1,
                                    .record_head = -1,
                                    .attention_layer = -1,
                                    .attention_head = -1};
}

/* What the model's folder says, where the caller does not. */
static void follow_folder(const at_model *m, attend_translate_options *o)
{
    enum { BEAM = 5 };
    const at_generation *g = m->generation;
    if (o->beam)
        return;
    o->beam = g && g->beam ? g->beam : BEAM;
    if (g && o->rule == ATTEND_LENGTH_RULE_AVERAGE && o->penalty == 1)
        o->penalty = g->length_penalty;
}

static at_sampling sampling_of(const attend_translate_options *o)
{
    return (at_sampling){.repetition = 1,
                         .temperature = o->temperature,
                         .top_k = o->top_k,
                         .top_p = o->top_p,
                         .min_p = o->min_p};
}

static attend_status check(const attend_translate_options *o, attend_error *err)
{
    at_sampling sampling = sampling_of(o);
    if (o->beam < 1 || o->best < 1 || o->best > o->beam || o->batch < 1 || o->longest < 1)
        return at_error(err, ATTEND_OPTION,
                        "beam %d, best %d, batch %d, longest %d: all at least 1, best at most beam",
                        o->beam, o->best, o->batch, o->longest);
    if (o->most < 0 || o->most > 1 << 20 || o->no_repeat < 0)
        return at_error(err, ATTEND_OPTION,
                        "most %d, no_repeat %d: both at least 0, most at most %d", o->most,
                        o->no_repeat, 1 << 20);
    if (!isfinite(o->penalty) || !isfinite(o->coverage))
        return at_error(err, ATTEND_OPTION, "penalty %g, coverage %g: both must be finite",
                        o->penalty, o->coverage);
    if (o->rule > ATTEND_LENGTH_RULE_WU || o->when_long > ATTEND_WHEN_LONG_ERROR)
        return at_error(err, ATTEND_OPTION, "unknown length rule %d or when_long %d", (int)o->rule,
                        (int)o->when_long);
    if (o->forced && (!o->prefix || o->beam != 1))
        return at_error(err, ATTEND_OPTION, "forced translations need a prefix, and a beam of 1");
    if (o->alternatives < 0 || o->alternatives > 1000)
        return at_error(err, ATTEND_OPTION, "alternatives %d: 0 to 1000", o->alternatives);
    return o->sample ? at_sampling_check(&sampling, err) : ATTEND_OK;
}

/* all models have the layer and head that weights are made of */
static attend_status check_choice(const at_session *s, const attend_translate_options *o,
                                  attend_error *err)
{
    at_attention_record chosen;
    attend_status status = ATTEND_OK;
    if (o->attention_layer < 0 && o->attention_head < 0)
        return ATTEND_OK;
    for (int i = 0; i < at_session_models(s) && status >= 0; i++)
        status = at_attention_wanted(at_session_model(s, i), 1u << ATTEND_ATTENTION_CROSS,
                                     o->attention_layer, o->attention_head, &chosen, err);
    return status;
}

/* what counts on weights is refused where there are none */
static attend_status check_looks(const at_session *s, const attend_translate_options *o,
                                 attend_error *err)
{
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    const char *wants = o->coverage != 0 ? "coverage counts" : "unknown words are replaced by";
    if (o->coverage == 0 && !o->replace_unknown)
        return ATTEND_OK;
    for (int i = 0; i < at_session_models(s); i++)
        if (at_model_attention(at_session_model(s, i), layout) > 0)
            return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "%s what was looked at; a model without attention looks at nothing", wants);
}

/* Is the source what the model reads? */
static attend_status check_source(const attend_model *m, const attend_translate_options *o,
                                  size_t count, attend_error *err)
{
    int reads = m->inside->width;
    int given = o->features ? attend_features_width(o->features) : 0;
    if (reads != given)
        return at_error(err, ATTEND_FORMAT, "the model reads %s, and the source has %s",
                        at_source_kind(reads).text, at_source_kind(given).text);
    if (given && o->replace_unknown)
        return at_error(err, ATTEND_OPTION,
                        "unknown words cannot be replaced: feature vectors have no words to take");
    size_t there = given ? attend_features_count(o->features) : 0;
    if (given && (o->first > there || count > there - o->first))
        return at_error(err, ATTEND_OPTION,
                        "%zu sequences from number %zu on are asked for, and there are %zu", count,
                        o->first, there);
    return ATTEND_OK;
}

static at_translate_options inside_of(const attend_translate_options *o,
                                      const at_sampling *sampling, const at_text *prefix)
{
    return (at_translate_options){.beam = {.width = o->beam,
                                           .most = o->most,
                                           .rule = o->rule,
                                           .penalty = o->penalty,
                                           .coverage = o->coverage,
                                           .alternatives = o->alternatives,
                                           .trace = o->trace != 0},
                                  .no_repeat = o->no_repeat,
                                  .best = o->best,
                                  .batch = o->batch,
                                  .longest = o->longest,
                                  .when_long = o->when_long,
                                  .weights = o->attention != 0,
                                  .weights_of = {o->attention_layer, o->attention_head},
                                  .words = o->target_words != 0,
                                  .words_alone = !o->scores,
                                  .sampling = o->sample ? sampling : NULL,
                                  .seed = o->seed,
                                  .first = o->first,
                                  .features = o->features ? at_features_of(o->features) : NULL,
                                  .prefix = o->prefix ? prefix : NULL,
                                  .forced = o->forced != 0,
                                  .replace_unknown = o->replace_unknown != 0,
                                  .dictionary = o->dictionary ? o->dictionary->words : NULL};
}

/* ---- what is given ------------------------------------------------------------------------- */

typedef struct {
    const at_tokenizer *source, *target; /* source is NULL: features */
    bool words;
    attend_translation_function *function;
    void *user;
} giving;

/* the source's pieces: their texts and words */
typedef struct {
    const char **text;
    unsigned *word;
} source_pieces;

/* numbers of frames, each a word of its own */
static source_pieces frames_of(at_arena *memory, const at_translated *t)
{
    enum { DIGITS = 12 };
    size_t n = (size_t)t->positions + 1;
    char *digits = at_arena_alloc(memory, n * DIGITS);
    source_pieces p = {at_arena_alloc(memory, n * sizeof *p.text),
                       at_arena_alloc(memory, n * sizeof *p.word)};
    for (int i = 0; digits && p.text && p.word && i < t->positions; i++, digits += DIGITS) {
        snprintf(digits, DIGITS, "%d", i);
        p.text[i] = digits;
        p.word[i] = (unsigned)i;
    }
    return digits ? p : (source_pieces){NULL, NULL};
}

static source_pieces pieces_of(at_arena *memory, const at_tokenizer *source, const at_translated *t)
{
    size_t n = (size_t)t->positions + 1;
    source_pieces p = {at_arena_alloc(memory, n * sizeof *p.text),
                       at_arena_alloc(memory, n * sizeof *p.word)};
    bool alone = at_words_stand_alone(t->read.text, t->read.size);
    for (int i = 0; p.text && p.word && i < t->positions; i++) {
        at_token piece =
            t->source->item[t->cut && i + 1 == t->positions ? t->source->count - 1 : (size_t)i];
        if (!(p.text[i] = at_token_label(memory, source, t->read, piece)))
            return (source_pieces){NULL, NULL};
        p.word[i] = alone ? at_word_of(t->read.text, t->read.size, &piece) : piece.word;
    }
    return p;
}

/* texts with a zero behind each */
static const char **target_of(at_arena *memory, const at_translated *t)
{
    const char **text = at_arena_alloc(memory, (size_t)(t->count + 1) * sizeof *text);
    for (int i = 0; text && i < t->count; i++)
        if (!(text[i] = at_arena_text(memory, t->piece[i].text, t->piece[i].size)))
            return NULL;
    return text;
}

/* what the decoder reads: the start, then all but the last of the target */
static const char **input_of(at_arena *memory, const at_tokenizer *tokenizer, int count,
                             const char *const *target)
{
    const char **input = at_arena_alloc(memory, (size_t)(count + 1) * sizeof *input);
    if (!input || !target)
        return NULL;
    input[0] = at_vocab_text(tokenizer->vocab, tokenizer->special[ATTEND_SPECIAL_BOS], NULL);
    for (int i = 1; i < count; i++)
        input[i] = target[i - 1];
    return input;
}

static double *weights_of(at_arena *memory, const at_translated *t)
{
    size_t n = (size_t)t->count * (size_t)t->positions;
    double *w = at_arena_alloc(memory, (n ? n : 1) * sizeof *w);
    for (int i = 0; w && i < t->count; i++)
        for (int j = 0; j < t->positions; j++)
            w[i * t->positions + j] = (double)t->weights[i][j];
    return w;
}

/* rows of all tokens, in their order; NULL without memory */
static const attend_attention_row *attention_of(at_arena *memory, const at_translated *t,
                                                size_t *count)
{
    size_t n = 1;
    for (int i = 0; i < t->count; i++)
        n += (size_t)t->attention[i].count;
    attend_attention_row *row = at_arena_alloc(memory, n * sizeof *row);
    for (int i = 0; row && i < t->count; i++)
        if (!at_attention_rows_add(&t->attention[i], i, t->positions, memory, row, count))
            return NULL;
    return row;
}

static attend_status give(void *user, const at_translated *t, attend_error *err)
{
    const giving *g = user;
    at_arena memory = {.first_size = 0};
    source_pieces p = g->source ? pieces_of(&memory, g->source, t) : frames_of(&memory, t);
    attend_translation out = {.line = t->line,
                              .rank = t->rank,
                              .text = t->text,
                              .score = t->score,
                              .log_p = t->log_p,
                              .sources = t->positions,
                              .targets = t->count,
                              .source = p.text,
                              .target = target_of(&memory, t),
                              .source_word = p.word,
                              .target_word = g->words ? t->word : NULL,
                              .log_ps = t->log_ps,
                              .weights = t->weights ? weights_of(&memory, t) : NULL,
                              .cut = t->cut,
                              .skipped = t->skipped,
                              .frames = !g->source};
    attend_status status = ATTEND_OK;
    out.decoder_input = input_of(&memory, g->target, t->count, out.target);
    if (t->attention)
        out.attention = attention_of(&memory, t, &out.attention_count);
    if (!p.text || !p.word || !out.decoder_input || (t->weights && !out.weights)
        || (t->attention && !out.attention) || !at_trace_take(&memory, g->target, t, &out))
        status = at_error_memory(err);
    if (status >= 0)
        status = g->function(g->user, &out, err);
    at_arena_free(&memory);
    return status;
}

static at_text *texts(size_t count, const char *const *line, attend_error *err)
{
    at_text *text = at_alloc((count + 1) * sizeof *text);
    if (!text)
        at_error_memory(err);
    for (size_t i = 0; text && i < count; i++)
        text[i] = (at_text){line ? line[i] : "", line ? strlen(line[i]) : 0};
    return text;
}

static attend_status translate(const attend_model *m, at_session *session,
                               const attend_translate_options *o, size_t count,
                               const char *const *line, giving *g, attend_error *err)
{
    at_attention_record wanted = {.kinds = 0};
    attend_status status = check_source(m, o, count, err);
    if (status >= 0)
        status = check_looks(session, o, err);
    if (status >= 0)
        status = check_choice(session, o, err);
    if (status >= 0 && o->record && o->ensemble_count)
        status = at_error(err, ATTEND_OPTION, "attention is recorded of one model, not of several");
    if (status >= 0)
        status = at_attention_wanted(m->inside, o->record, o->record_layer, o->record_head, &wanted,
                                     err);
    if (status < 0)
        return status;
    at_text *text = texts(count, o->features ? NULL : line, err),
            *prefix = text ? texts(count, o->prefix, err) : NULL;
    at_sampling sampling = sampling_of(o);
    at_translate_options inside = inside_of(o, &sampling, prefix);
    inside.wanted = wanted;
    status = prefix ? at_translate(session, &inside, count, text, give, g, err) : ATTEND_MEMORY;
    at_free(text);
    at_free(prefix);
    return status < 0 ? status : ATTEND_OK;
}

attend_status attend_translate(const attend_model *m, const attend_translate_options *options,
                               size_t count, const char *const *line,
                               attend_translation_function *function, void *user, attend_error *err)
{
    attend_translate_options o;
    at_session *session;
    giving g = {m->inside->source, m->inside->target, false, function, user};
    attend_translate_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_translate_defaults",
                                             err);
    if (status >= 0)
        follow_folder(m->inside, &o);
    if (status >= 0)
        status = check(&o, err);
    if (status >= 0)
        status = at_model_session(m, o.ensemble, o.ensemble_count, ATTEND_CAN_TRANSLATE, &session,
                                  err);
    if (status < 0)
        return status;
    g.words = o.target_words != 0;
    status = translate(m, session, &o, count, line, &g, err);
    at_session_free(session);
    return status;
}

/* ---- links --------------------------------------------------------------------------------- */

/* a piece of nothing but punctuation, and the blank that SentencePiece writes before it */
static bool is_mark(const char *piece)
{
    enum { BLANK = 0x2581 };
    size_t size = strlen(piece);
    bool any = false;
    uint32_t code;
    for (int n; size; piece += n, size -= (size_t)n) {
        n = at_utf8_get(piece, size, &code);
        if (n <= 0 || (code != BLANK && !at_is_punctuation(code)))
            return false;
        any = any || code != BLANK;
    }
    return any;
}

/* NULL without memory */
static bool *marks_of(const attend_translation *t)
{
    bool *mark = at_alloc((size_t)t->targets + 1);
    for (int i = 0; mark && i < t->targets; i++)
        mark[i] = is_mark(t->target[i]);
    return mark;
}

attend_status attend_translation_links(const attend_translation *t, int pieces, double threshold,
                                       char **out, attend_error *err)
{
    at_str text = {0};
    at_align_options o = {pieces != 0, threshold};
    attend_status status = ATTEND_OK;
    *out = NULL;
    if (t->targets > 0 && !t->weights)
        status = at_error(err, ATTEND_OPTION,
                          "links need a translation with weights: ask for attention; a model "
                          "without it has none");
    else if (t->targets > 0 && !t->target_word)
        status = at_error(err, ATTEND_OPTION,
                          "links need the numbers of words: ask for target_words");
    bool *mark = status >= 0 && t->targets > 0 ? marks_of(t) : NULL;
    at_aligned a = {t->targets, t->sources, t->weights, t->target_word, t->source_word, mark};
    if (status >= 0 && t->targets > 0)
        status = mark ? at_align(&a, &o, &text, err) : at_error_memory(err);
    at_free(mark);
    at_str_add(&text, "");
    if (status >= 0 && !(*out = at_str_take(&text)))
        status = at_error_memory(err);
    at_str_free(&text);
    return status;
}
