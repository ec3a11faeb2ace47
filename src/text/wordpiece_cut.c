/* From text to WordPiece ids, step by step as BERT's reference does it:
 *
 *     special pieces are taken out (or found later, as words)
 *     cleaning        U+0000, U+FFFD and control characters go; Chinese characters stand alone
 *     words           between white space
 *     normal form     lower case, no accents, as the model wants
 *     punctuation     every mark is a word
 *     pieces          of a word: the longest that fits at its start, then the longest that fits
 *                     what is left, with ## before it; where none does, the word is unknown
 *
 * No step looks beyond a blank, so all that follows from the bytes between two blanks is remembered
 * in the cache. */
#include <string.h>

#include "base/utf8.h"
#include "text/unicode.h"
#include "text/wordpiece.h"

/* ---- words ------------------------------------------------------------------------------ */

typedef struct {
    const at_wordpiece *w;
    at_wordpiece_sink *word, *whole;
    void *user;
    at_code_points raw, a, b; /* as written; two for the steps of normalising */
} cutter;

static bool is_added(const at_added_tokens *added, const char *text, size_t size)
{
    size_t length;
    int32_t id;
    return at_added_tokens_next(added, text, size, 0, &length, &id) == 0 && length == size;
}

/* Is it a word of never_split, or a special piece that is to be found here? */
static bool keeps_whole(const cutter *c)
{
    const at_wordpiece *w = c->w;
    uint32_t first = c->raw.item[0].code;
    bool special = w->options.special_alone && !w->options.special_never
                   && (first >= 0x80 || w->base.added.first[first]);
    at_str text = {0};
    if (!w->never_split && !special)
        return false;
    at_code_points_text(&c->raw, 0, c->raw.count, &text);
    bool found = text.text && w->never_split
                 && at_vocab_find(w->never_split, text.text, text.length) >= 0;
    if (!found && text.text && special)
        found = is_added(&w->base.added, text.text, text.length);
    at_str_free(&text);
    return found;
}

/* the word in its normal form */
static const at_code_points *normal_form(cutter *c)
{
    const at_code_points *word = &c->raw;
    if (c->w->options.lower) {
        at_code_points_lower(word, &c->a);
        word = &c->a;
    }
    if (c->w->options.strip_accents) {
        at_code_points_strip(word, &c->b);
        word = &c->b;
    }
    return word;
}

/* Ends the word between white space that has been gathered. */
static void flush(cutter *c)
{
    if (!c->raw.count)
        return;
    if (keeps_whole(c)) {
        c->whole(c->user, &c->raw, 0, c->raw.count);
    } else {
        const at_code_points *l = normal_form(c);
        size_t start = 0;
        for (size_t i = 0; i < l->count; i++) {
            if (!at_is_punctuation(l->item[i].code))
                continue;
            if (start < i)
                c->word(c->user, l, start, i);
            c->word(c->user, l, i, i + 1);
            start = i + 1;
        }
        if (start < l->count)
            c->word(c->user, l, start, l->count);
    }
    c->raw.count = 0;
}

static void take(cutter *c, uint32_t code, size_t begin, size_t end)
{
    if (code < 0x80 ? code < ' ' || code == 0x7F : code == 0xFFFD || at_is_control(code))
        return;
    bool alone = code >= 0x80 && c->w->options.split_chinese && at_is_chinese(code);
    bool blank = code < 0x80 ? code == ' ' : at_is_space(code);
    if (alone || blank)
        flush(c);
    if (!blank)
        at_code_points_add(&c->raw, code, begin, end);
    if (alone)
        flush(c);
}

bool at_wordpiece_words(const at_wordpiece *w, const char *text, size_t begin, size_t end,
                        at_wordpiece_sink *word, at_wordpiece_sink *whole, void *user,
                        size_t *invalid)
{
    cutter c;
    c.w = w;
    c.word = word;
    c.whole = whole;
    c.user = user;
    at_code_points_start(&c.raw);
    at_code_points_start(&c.a);
    at_code_points_start(&c.b);
    while (begin < end) {
        uint32_t code = (unsigned char)text[begin];
        size_t length = 1;
        if (code == '\t' || code == '\n' || code == '\r')
            code = ' ';
        if (code >= 0x80) {
            length = (size_t)at_utf8_get(text + begin, end - begin, &code);
            if (!length && invalid)
                ++*invalid;
            length += !length;
        }
        take(&c, code, begin, begin + length);
        begin += length;
    }
    flush(&c);
    bool failed = c.raw.failed || c.a.failed || c.b.failed;
    at_code_points_free(&c.raw);
    at_code_points_free(&c.a);
    at_code_points_free(&c.b);
    return !failed;
}

/* ---- pieces ----------------------------------------------------------------------------- */

typedef struct {
    const at_wordpiece *w;
    at_tokens *out;
} sink;

/* a word as UTF-8 with the place of each character, and room for a prefix before any of them */
typedef struct {
    char text[4 * ATTEND_WORDPIECE_CHARS];
    size_t at[ATTEND_WORDPIECE_CHARS + 1];
    size_t count;
} spelling;

static void spell(spelling *s, const at_code_points *l, size_t begin, size_t end)
{
    size_t at = 0;
    s->count = end - begin;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t code = l->item[begin + i].code;
        s->at[i] = at;
        if (code < 0x80)
            s->text[at++] = (char)code;
        else
            at += (size_t)at_utf8_put(s->text + at, code);
    }
    s->at[s->count] = at;
}

/* The longest piece that the word from character `start` on begins with; returns where it ends, or
 * start where there is none. */
static size_t longest_match(const at_wordpiece *w, const spelling *s, size_t start, int32_t *id)
{
    char joined[ATTEND_WORDPIECE_PREFIX + 4 * ATTEND_WORDPIECE_CHARS];
    const char *key = s->text;
    size_t prefix = 0, end = s->count, from = s->at[start];
    if (start > 0) {
        prefix = strlen(w->options.prefix);
        memcpy(joined, w->options.prefix, prefix);
        memcpy(joined + prefix, s->text + from, s->at[end] - from);
        key = joined;
    }
    for (; end > start; end--) {
        size_t size = prefix + s->at[end] - from;
        if (size > w->max_length)
            continue;
        *id = at_vocab_find(w->base.vocab, key, size);
        if (*id >= 0)
            return end;
    }
    return start;
}

static void cut_word(void *user, const at_code_points *l, size_t begin, size_t end)
{
    sink *to = user;
    const at_wordpiece *w = to->w;
    size_t before = to->out->count, start = 0;
    spelling s;
    s.count = end - begin;
    if (s.count <= (size_t)w->options.max_chars) {
        spell(&s, l, begin, end);
        while (start < s.count) {
            int32_t id;
            size_t next = longest_match(w, &s, start, &id);
            if (next == start)
                break;
            at_tokens_add(to->out, id, l->item[begin + start].begin, l->item[begin + next - 1].end);
            start = next;
        }
    }
    if (start == s.count)
        return;
    to->out->count = before;
    at_tokens_add(to->out, w->base.special[ATTEND_SPECIAL_UNK], l->item[begin].begin,
                  l->item[end - 1].end);
}

/* a word of never_split: one piece, or unknown */
static void cut_whole(void *user, const at_code_points *l, size_t begin, size_t end)
{
    sink *to = user;
    at_str text = {0};
    at_code_points_text(l, begin, end, &text);
    int32_t id = text.text ? at_vocab_find(to->w->base.vocab, text.text, text.length) : -1;
    to->out->failed |= text.failed;
    at_tokens_add(to->out, id >= 0 ? id : to->w->base.special[ATTEND_SPECIAL_UNK],
                  l->item[begin].begin, l->item[end - 1].end);
    at_str_free(&text);
}

/* ---- texts ------------------------------------------------------------------------------ */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* what stands between two blanks */
static void encode_chunk(sink *to, const char *text, size_t begin, size_t end)
{
    size_t first = to->out->count, invalid = 0;
    if (at_word_cache_tokens(to->w->cache, text + begin, end - begin, begin, to->out))
        return;
    if (!at_wordpiece_words(to->w, text, begin, end, cut_word, cut_whole, to, &invalid))
        to->out->failed = true;
    to->out->invalid += invalid;
    if (!invalid)
        at_word_cache_keep(to->w->cache, text + begin, end - begin, begin, to->out, first);
}

static void encode_plain(sink *to, const char *text, size_t begin, size_t end)
{
    while (begin < end && !to->out->failed) {
        size_t stop = begin;
        while (stop < end && !is_blank(text[stop]))
            stop++;
        if (stop > begin)
            encode_chunk(to, text, begin, stop);
        begin = stop + 1;
    }
}

attend_status at_wordpiece_encode(const at_tokenizer *t, const char *text, size_t size,
                                  at_tokens *out, attend_error *err)
{
    sink to = {(const at_wordpiece *)t, out};
    size_t from = 0, at, length;
    int32_t id;
    (void)err;
    while (!to.w->options.special_alone && !to.w->options.special_never
           && (at = at_added_tokens_next(&t->added, text, size, from, &length, &id)) < size) {
        encode_plain(&to, text, from, at);
        at_tokens_add(out, id, at, at + length);
        from = at + length;
    }
    encode_plain(&to, text, from, size);
    return ATTEND_OK;
}
