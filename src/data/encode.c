#include "data/encode.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/key.h"
#include "data/record_store.h"

struct at_encoded {
    at_record_store *store;
    uint32_t *length[2];
    size_t capacity;
    at_encode_counts counts;
    uint64_t print;
    bool frames; /* sources are vectors: they have no tokens */
};

/* how an example lies in the store, its tokens behind it */
typedef struct {
    uint32_t source, target, second, example;
    int32_t label;
    uint32_t marks; /* BREAKS; and where what can be copied is kept, how many words are the source's
                       own, and 1, times COPIES */
} head;

enum { BREAKS = 1, COPIES = 2 };

/* what one example is made in */
typedef struct {
    const at_corpus *corpus;
    const at_encode_options *options;
    const at_tokenizer *tokenizer[2];
    at_tokens tokens[2];
    at_copied copied;
    at_str record;
    head head;
} maker;

/* ---- one text --------------------------------------------------------------------------- */

static void put(maker *m, int32_t id, bool begins)
{
    int32_t token = id * 2 + begins;
    at_str_add_bytes(&m->record, (const char *)&token, sizeof token);
}

/* Returns 1 where there is such a piece. */
static uint32_t put_special(maker *m, int32_t id)
{
    if (id >= 0)
        put(m, id, true);
    return id >= 0;
}

static uint32_t put_tokens(maker *m, const at_tokens *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool same = i && p->item[i].word == p->item[i - 1].word
                    && p->item[i].word != ATTEND_NO_WORD;
        put(m, p->item[i].id, !same);
    }
    return (uint32_t)count;
}

/* pieces that a frame takes, around one text or two */
static size_t frame_size(const at_tokenizer *t, at_framing framing, int texts)
{
    if (framing == ATTEND_FRAME_NONE || framing == ATTEND_FRAME_DOCUMENT)
        return 0;
    if (framing == ATTEND_FRAME_OUTPUT)
        return (size_t)(t->special[ATTEND_SPECIAL_BOS] >= 0)
               + (size_t)(t->special[ATTEND_SPECIAL_EOS] >= 0);
    return (size_t)(t->frame.before >= 0) + (size_t)(t->frame.after >= 0)
           + (size_t)texts * (size_t)(t->frame.each >= 0)
           + (size_t)(texts > 1 && t->frame.between >= 0);
}

/* A text, and a second one unless b is NULL, in its frame; how many tokens that makes. */
static uint32_t put_framed(maker *m, const at_tokenizer *t, at_framing framing, const at_tokens *a,
                           size_t a_count, const at_tokens *b, size_t b_count)
{
    bool input = framing == ATTEND_FRAME_INPUT, output = framing == ATTEND_FRAME_OUTPUT;
    uint32_t count = put_special(m, input    ? t->frame.before
                                    : output ? t->special[ATTEND_SPECIAL_BOS]
                                             : -1);
    count += put_tokens(m, a, a_count);
    count += put_special(m, input ? t->frame.each : output ? t->special[ATTEND_SPECIAL_EOS] : -1);
    if (b) {
        count += put_special(m, input ? t->frame.between : -1);
        m->head.second = count;
        count += put_tokens(m, b, b_count);
        count += put_special(m, input ? t->frame.each : -1);
    }
    return count + put_special(m, input ? t->frame.after : -1);
}

/* ---- length ----------------------------------------------------------------------------- */

typedef enum { FITS, SKIPPED, FAILED, NO_MEMORY } fit;

static attend_status too_long(const maker *m, const at_example *e, size_t size, size_t max_length,
                              attend_error *err)
{
    return at_error(err, ATTEND_FORMAT,
                    "%s:%ld: %zu tokens%s, and at most %zu are allowed; cut or skip long ones, or "
                    "allow more",
                    at_corpus_file(m->corpus, e->file), e->line, size,
                    m->options->frames ? " or frames" : "", max_length);
}

/* Makes sizes fit; of two texts the longer one gives way, the second where they are equal. */
static fit make_fit(maker *m, at_encode_counts *counts, const at_example *e, size_t frame,
                    int max_length, size_t *a, size_t *b, attend_error *err)
{
    size_t all = *a + *b + frame, max = (size_t)max_length;
    if (!max_length || all <= max)
        return FITS;
    if (m->options->when_long == ATTEND_WHEN_LONG_SKIP) {
        counts->skipped++;
        return SKIPPED;
    }
    if (m->options->when_long == ATTEND_WHEN_LONG_ERROR) {
        too_long(m, e, all, max, err);
        return FAILED;
    }
    size_t left = max > frame ? max - frame : 0;
    while (*a + *b > left)
        --*(*a > *b ? a : b);
    counts->cut++;
    return FITS;
}

/* ---- one example ------------------------------------------------------------------------ */

static attend_status find_label(maker *m, const at_example *e, attend_error *err)
{
    m->head.label = -1;
    if (!m->options->labels)
        return ATTEND_OK;
    m->head.label = at_vocab_find(m->options->labels, e->label.text, e->label.size);
    if (m->head.label >= 0)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT, "%s:%ld: the label \"%.*s\" is none of those known",
                    at_corpus_file(m->corpus, e->file), e->line,
                    (int)(e->label.size < 60 ? e->label.size : 60), e->label.text);
}

static attend_status cut_texts(maker *m, const at_example *e, attend_error *err)
{
    at_tokens_clear(&m->tokens[0]);
    at_tokens_clear(&m->tokens[1]);
    attend_status status = ATTEND_OK;
    if (!m->options->frames)
        status = at_encode(m->tokenizer[0], e->source.text, e->source.size, &m->tokens[0], err);
    if (status >= 0 && (e->has & ATTEND_HAS_TARGET))
        status = at_encode(m->tokenizer[1], e->target.text, e->target.size, &m->tokens[1], err);
    return status;
}

/* Numbers what of the first `count` pieces of the source can be copied, and the target's words that
 * are among it. */
static attend_status find_copied(maker *m, const at_example *e, size_t count, attend_error *err)
{
    const at_copying *c = m->options->copying;
    attend_status status = at_copied_read(&m->copied, c, e->source.text, e->source.size,
                                          &m->tokens[0], count, err);
    if (status >= 0)
        status = at_copied_find(&m->copied, c, e->target.text, e->target.size, &m->tokens[1], err);
    m->head.marks += ((uint32_t)m->copied.extra + 1) * COPIES;
    return status;
}

/* The numbers of the record's source, its frame included. */
static void put_copied(maker *m)
{
    const at_copying *c = m->options->copying;
    bool before = m->options->source_frame == ATTEND_FRAME_INPUT
                  && m->tokenizer[0]->frame.before >= 0;
    for (size_t i = 0; i < m->head.source && !m->record.failed; i++) {
        size_t position = i - before;
        const int32_t *token = (const int32_t *)(m->record.text + sizeof(head)) + i;
        int32_t number = (i || !before) && position < m->copied.count
                             ? m->copied.id[position]
                             : at_copying_number(c, at_token_id(*token));
        at_str_add_bytes(&m->record, (const char *)&number, sizeof number);
    }
}

/* The record of an example, whose texts are cut into pieces already. */
static fit make_record(maker *m, at_encode_counts *counts, const at_example *e, attend_error *err)
{
    const at_encode_options *o = m->options;
    size_t a = o->frames ? o->frames[m->head.example] : m->tokens[0].count;
    size_t b = m->tokens[1].count, none = 0;
    bool second = (e->has & ATTEND_HAS_TARGET) && o->joined;
    bool target = (e->has & ATTEND_HAS_TARGET) && !o->joined;
    fit fits = make_fit(m, counts, e, frame_size(m->tokenizer[0], o->source_frame, 1 + second),
                        o->max_source, &a, second ? &b : &none, err);
    if (fits == FITS && target)
        fits = make_fit(m, counts, e, frame_size(m->tokenizer[1], o->target_frame, 1),
                        o->max_target, &b, &none, err);
    if (fits != FITS)
        return fits;
    if (o->copying && find_copied(m, e, a, err) < 0)
        return NO_MEMORY;
    at_str_clear(&m->record);
    at_str_add_bytes(&m->record, (const char *)&m->head, sizeof m->head);
    bool begins = o->source_frame == ATTEND_FRAME_DOCUMENT && e->has & ATTEND_HAS_BREAK;
    uint32_t before = begins ? put_special(m, m->tokenizer[0]->special[ATTEND_SPECIAL_EOS]) : 0;
    m->head.source = o->frames
                         ? (uint32_t)a
                         : before
                               + put_framed(m, m->tokenizer[0], o->source_frame, &m->tokens[0], a,
                                            second ? &m->tokens[1] : NULL, b);
    if (!second)
        m->head.second = m->head.source;
    m->head.target =
        target ? put_framed(m, m->tokenizer[1], o->target_frame, &m->tokens[1], b, NULL, 0) : 0;
    if (o->copying)
        put_copied(m);
    if (!m->record.failed)
        memcpy(m->record.text, &m->head, sizeof m->head);
    return FITS;
}

/* ---- all -------------------------------------------------------------------------------- */

static void count_tokens(at_encoded *e, const maker *m)
{
    const int32_t *token = (const int32_t *)(m->record.text + sizeof(head));
    for (int side = 0; side < 2; side++) {
        uint32_t size = side ? m->head.target : m->head.source;
        bool vectors = side == 0 && e->frames;
        int32_t unknown = vectors ? -1 : m->tokenizer[side]->special[ATTEND_SPECIAL_UNK];
        for (uint32_t i = 0; i < size && !vectors; i++, token++)
            e->counts.unknown[side] += unknown >= 0 && at_token_id(*token) == unknown;
        e->counts.tokens[side] += size;
        if (size > e->counts.max_length[side])
            e->counts.max_length[side] = size;
    }
}

static attend_status keep(at_encoded *e, const head *h, const at_str *record, attend_error *err)
{
    size_t at = e->counts.examples;
    if (record->failed)
        return at_error_memory(err);
    if (at == UINT32_MAX)
        return at_error(err, ATTEND_FORMAT, "more than %u examples", UINT32_MAX);
    if (at == e->capacity) {
        size_t capacity = e->capacity ? e->capacity + e->capacity / 2 : 1024;
        for (int side = 0; side < 2; side++) {
            uint32_t *grown = at_realloc(e->length[side], at * sizeof *grown,
                                         capacity * sizeof *grown);
            if (!grown)
                return at_error_memory(err);
            e->length[side] = grown;
        }
        e->capacity = capacity;
    }
    e->length[0][at] = h->source;
    e->length[1][at] = h->target;
    e->counts.examples++;
    e->print = at_key_join(e->print, at_key_bytes(record->text, record->length));
    return at_record_store_add(e->store, record->text, record->length, err);
}

static attend_status encode_all(at_encoded *e, maker *m, attend_error *err)
{
    const at_encode_options *o = m->options;
    for (size_t i = 0; i < at_corpus_size(m->corpus); i++) {
        at_example one;
        if (o->part && o->part[i] != o->wanted)
            continue;
        at_corpus_at(m->corpus, i, NULL, &one);
        m->head = (head){.example = (uint32_t)i, .marks = one.has & ATTEND_HAS_BREAK ? BREAKS : 0};
        attend_status status = find_label(m, &one, err);
        if (status >= 0)
            status = cut_texts(m, &one, err);
        if (status < 0)
            return status;
        fit fits = make_record(m, &e->counts, &one, err);
        if (fits == FAILED || fits == NO_MEMORY)
            return fits == FAILED ? ATTEND_FORMAT : ATTEND_MEMORY;
        if (fits == FITS)
            status = keep(e, &m->head, &m->record, err);
        if (status < 0)
            return status;
        if (fits == FITS)
            count_tokens(e, m);
    }
    return at_record_store_close(e->store, err);
}

static attend_status check_options(const at_corpus *c, const at_encode_options *o,
                                   attend_error *err)
{
    const at_tokenizer *target = o->target ? o->target : o->source;
    size_t source_frame = frame_size(o->source, o->source_frame, o->joined ? 2 : 1);
    size_t target_frame = frame_size(target, o->target_frame, 1);
    if (o->max_source && (size_t)o->max_source <= source_frame)
        return at_error(
            err, ATTEND_OPTION,
            "longest: %d pieces leave no room for a text in its frame of %zu; take more",
            o->max_source, source_frame);
    if (o->max_target && (size_t)o->max_target <= target_frame)
        return at_error(
            err, ATTEND_OPTION,
            "longest: %d pieces leave no room for a text in its frame of %zu; take more",
            o->max_target, target_frame);
    if (o->labels && !(at_corpus_has(c) & ATTEND_HAS_LABEL))
        return at_error(err, ATTEND_FORMAT, "%s: its examples have no labels",
                        at_corpus_file(c, 0));
    return ATTEND_OK;
}

attend_status at_encoded_new(size_t memory, at_encoded **out, attend_error *err)
{
    at_encoded *e = *out = at_alloc_zero(1, sizeof *e);
    if (e && (e->store = at_record_store_new(memory)))
        return ATTEND_OK;
    at_free(e);
    *out = NULL;
    return at_error_memory(err);
}

attend_status at_encoded_add(at_encoded *e, const at_item_view *item, attend_error *err)
{
    at_str record = {0};
    head h = {.source = (uint32_t)item->source_size,
              .target = (uint32_t)item->target_size,
              .second = (uint32_t)item->second,
              .example = item->example,
              .label = item->label,
              .marks = item->breaks ? BREAKS : 0};
    at_str_add_bytes(&record, (const char *)&h, sizeof h);
    at_str_add_bytes(&record, (const char *)item->source, h.source * sizeof *item->source);
    at_str_add_bytes(&record, (const char *)item->target, h.target * sizeof *item->target);
    attend_status status = keep(e, &h, &record, err);
    for (int side = 0; side < 2 && status >= 0; side++) {
        size_t size = side ? h.target : h.source;
        e->counts.tokens[side] += size;
        if (size > e->counts.max_length[side])
            e->counts.max_length[side] = size;
    }
    at_str_free(&record);
    return status;
}

attend_status at_encoded_close(at_encoded *e, attend_error *err)
{
    return at_record_store_close(e->store, err);
}

attend_status at_encode_corpus(const at_corpus *c, const at_encode_options *options,
                               at_encoded **out, attend_error *err)
{
    *out = NULL;
    maker m = {.corpus = c, .options = options};
    m.tokenizer[0] = options->source;
    m.tokenizer[1] = options->target ? options->target : options->source;
    attend_status status = check_options(c, options, err);
    at_encoded *e = NULL;
    if (status >= 0)
        status = at_encoded_new(options->memory, &e, err);
    if (status >= 0)
        e->frames = options->frames != NULL;
    if (status >= 0)
        status = encode_all(e, &m, err);
    at_tokens_free(&m.tokens[0]);
    at_tokens_free(&m.tokens[1]);
    at_copied_free(&m.copied);
    at_str_free(&m.record);
    if (status < 0)
        at_encoded_free(e);
    else
        *out = e;
    return status;
}

void at_encoded_free(at_encoded *e)
{
    if (!e)
        return;
    at_record_store_free(e->store);
    at_free(e->length[0]);
    at_free(e->length[1]);
    at_free(e);
}

size_t at_encoded_size(const at_encoded *e) { return e->counts.examples; }
at_encode_counts at_encoded_count(const at_encoded *e) { return e->counts; }
uint64_t at_encoded_print(const at_encoded *e) { return e->print; }

const uint32_t *at_encoded_lengths(const at_encoded *e, int side)
{
    return side && !e->counts.max_length[1] ? NULL : e->length[side];
}

at_item_view at_encoded_at(const at_encoded *e, size_t index)
{
    const head *h = at_record_store_at(e->store, index);
    const int32_t *tokens = (const int32_t *)(h + 1);
    uint32_t copies = h->marks / COPIES;
    const int32_t *target = tokens + (e->frames ? 0 : h->source);
    return (at_item_view){.source = e->frames ? NULL : tokens,
                          .target = target,
                          .copied = copies ? target + h->target : NULL,
                          .source_size = (int)h->source,
                          .target_size = (int)h->target,
                          .extra = copies ? (int)copies - 1 : 0,
                          .second = (int)h->second,
                          .label = h->label,
                          .breaks = h->marks & BREAKS,
                          .example = h->example};
}
