/* Written by hand because ICU's rules (UAX #29) end a sentence at a stop before a capital, after
 * abbreviations and initials too, so that these rules would be needed beside its 36 MB. */
#include "text/sentences.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "text/unicode.h"

/* ---- characters ------------------------------------------------------------------------- */

typedef enum {
    NO_END,
    FULL_STOP,
    MARK,     /* ! ? and those of other scripts that stand before a blank */
    ELLIPSIS, /* … */
    WIDE,     /* Chinese and Japanese: no blank follows */
} ending;

static ending ending_of(uint32_t code)
{
    switch (code) {
    case '.': return FULL_STOP;
    case '!':
    case '?':
    case 0x0589: /* Armenian */
    case 0x061F: /* Arabic question mark */
    case 0x06D4: /* Urdu */
    case 0x0964: /* danda, of the scripts of India */
    case 0x0965:
    case 0x104B: /* Burmese */
    case 0x1362: /* Ethiopic */
    case 0x1367:
    case 0x17D4: /* Khmer */
    case 0x203C: /* doubled marks */
    case 0x203D:
    case 0x2047:
    case 0x2048:
    case 0x2049: return MARK;
    case 0x2026: return ELLIPSIS;
    case 0x3002:
    case 0xFF01:
    case 0xFF0E:
    case 0xFF1F:
    case 0xFF61: return WIDE;
    default: return NO_END;
    }
}

/* Quotes close differently by language: „so“, »so«, «ainsi», “thus”. Right after the end of a
 * sentence they all close. */
static bool closes(uint32_t code)
{
    static const uint32_t list[] = {'"',    '\'',   ')',    ']',    '}',    0x2019, 0x201D, 0xBB,
                                    0x203A, 0x201C, 0x2018, 0xAB,   0x300D, 0x300F, 0xFF09, 0x3011,
                                    0x300B, 0x3009, 0x3015, 0xFF3D, 0xFF5D, 0xFF02, 0};
    return at_char_among(code, list);
}

/* what may stand before the first letter: quotes, brackets, dashes of speech, ¿ ¡ */
static bool opens(uint32_t code)
{
    static const uint32_t list[] = {'"',    '\'',   '(',    '[',    '{',    0x201C, 0x2018,
                                    0x201D, 0x201E, 0x201A, 0xAB,   0xBB,   0x2039, 0x203A,
                                    0x300C, 0x300E, 0xFF08, 0x3010, 0x300A, 0xBF,   0xA1,
                                    '-',    0x2010, 0x2013, 0x2014, '*',    '_',    0};
    return at_char_among(code, list);
}

/* after a wide quote that closes, the sentence goes on: 「はい。」と言った。 */
static bool goes_on(uint32_t code)
{
    static const uint32_t list[] = {0xFF0C, 0x3001, 0xFF1B, 0xFF1A, 0x3068, ',', ';', ':', 0};
    return at_char_among(code, list);
}

/* ---- places ----------------------------------------------------------------------------- */

static size_t peek(const at_sentences *s, size_t at, uint32_t *code)
{
    return at_char_at(s->text, s->size, at, code);
}

static size_t skip_blanks(const at_sentences *s, size_t at)
{
    int length;
    while (at < s->size && (length = at_space_at(s->text + at, s->size - at)) > 0)
        at += (size_t)length;
    return at;
}

/* the start of the character before byte `at`, which is not 0 */
static size_t before(const at_sentences *s, size_t at)
{
    size_t start = at - 1;
    while (start > 0 && at - start < 4 && ((unsigned char)s->text[start] & 0xC0) == 0x80)
        start--;
    uint32_t code;
    return start + peek(s, start, &code) == at ? start : at - 1;
}

/* the end of [from,to) without white space there */
static size_t trim(const at_sentences *s, size_t from, size_t to)
{
    while (to > from) {
        size_t start = before(s, to);
        if (!at_space_at(s->text + start, s->size - start))
            break;
        to = start;
    }
    return to;
}

/* a word with the punctuation inside it */
typedef struct {
    size_t begin, end;
} span;

static bool letter_precedes(const at_sentences *s, size_t from, size_t at)
{
    uint32_t code = 0;
    if (at > from)
        peek(s, before(s, at), &code);
    return at_is_letter(code);
}

/* The word that ends at byte `end`: back to white space, without quotes and brackets. An apostrophe
 * belongs to it. */
static span word_before(const at_sentences *s, size_t from, size_t end)
{
    span w = {end, end};
    uint32_t code;
    while (w.begin > from) {
        size_t start = before(s, w.begin);
        peek(s, start, &code);
        if (at_space_at(s->text + start, s->size - start))
            break;
        if (opens(code) && code != '-' && !(code == '\'' && letter_precedes(s, from, start)))
            break;
        w.begin = start;
    }
    return w;
}

static span letters_at(const at_sentences *s, size_t at)
{
    span w = {at, at};
    uint32_t code;
    size_t length;
    while ((length = peek(s, w.end, &code)) && at_is_letter(code))
        w.end += length;
    return w;
}

/* ---- what a word is --------------------------------------------------------------------- */

static size_t size_of(span w) { return w.end - w.begin; }

/* all of its characters are letters of lower case */
static bool is_small(const at_sentences *s, span w)
{
    uint32_t code;
    for (size_t at = w.begin; at < w.end; at += peek(s, at, &code)) {
        peek(s, at, &code);
        if (!at_is_lower(code))
            return false;
    }
    return size_of(w) > 0;
}

static bool is_one_letter(const at_sentences *s, span w)
{
    uint32_t code;
    return w.begin + peek(s, w.begin, &code) == w.end && at_is_letter(code);
}

/* U.S, e.g, z.B: single letters with full stops between */
static bool is_letters_and_stops(const at_sentences *s, span w)
{
    uint32_t code;
    bool letter = true, stops = false;
    for (size_t at = w.begin; at < w.end; at += peek(s, at, &code), letter = !letter) {
        peek(s, at, &code);
        if (letter ? !at_is_letter(code) : code != '.')
            return false;
        stops = stops || !letter;
    }
    return stops && !letter;
}

static bool is_number(const at_sentences *s, span w)
{
    for (size_t i = w.begin; i < w.end; i++)
        if (s->text[i] < '0' || s->text[i] > '9')
            return false;
    return size_of(w) > 0;
}

static bool is_roman(const at_sentences *s, span w)
{
    for (size_t i = w.begin; i < w.end; i++)
        if (!memchr("IVXLCDM", s->text[i], 7))
            return false;
    return size_of(w) > 1;
}

/* ---- the full stop ---------------------------------------------------------------------- */

/* a full stop, and what follows it */
typedef struct {
    const at_sentences *s;
    size_t sentence; /* where the sentence begins */
    span word;       /* before the full stop */
    size_t next;     /* the first letter or digit behind it */
    uint32_t code;   /* that one */
} stop;

static bool starter_follows(const stop *p)
{
    span w = letters_at(p->s, p->next);
    return at_word_starts(p->s->text + w.begin, size_of(w), p->s->languages);
}

static bool small_word_precedes(const stop *p)
{
    size_t end = trim(p->s, p->sentence, p->word.begin);
    return end < p->word.begin && is_small(p->s, word_before(p->s, p->sentence, end));
}

/* "1." begins an entry of a list; German writes "am 3. Oktober", "der 2. Band" */
static bool number_ends(const stop *p)
{
    const at_sentences *s = p->s;
    span w = letters_at(s, p->next);
    if (p->word.begin == p->sentence)
        return false;
    if (s->languages & ATTEND_LANGUAGE_DE && at_word_is_month(s->text + w.begin, size_of(w)))
        return false;
    if (s->languages == ATTEND_LANGUAGE_DE && size_of(p->word) <= 2 && at_is_upper(p->code))
        return starter_follows(p);
    return true;
}

static bool full_stop_ends(const stop *p)
{
    const at_sentences *s = p->s;
    if (size_of(p->word) == 0)
        return true;
    switch (at_word_class_of(s->text + p->word.begin, size_of(p->word), s->languages)) {
    case ATTEND_WORD_NEVER: return false;
    case ATTEND_WORD_NUMBER:
        if (at_is_digit(p->code))
            return false;
        break;
    case ATTEND_WORD_MAYBE: return starter_follows(p);
    case ATTEND_WORD_PLAIN: break;
    }
    if (is_number(s, p->word))
        return number_ends(p);
    if (is_one_letter(s, p->word)) /* an initial, or "z. B." */
        return small_word_precedes(p) && starter_follows(p);
    if (is_letters_and_stops(s, p->word))
        return starter_follows(p);
    if (s->languages == ATTEND_LANGUAGE_DE && is_roman(s, p->word))
        return starter_follows(p);
    return true;
}

/* ---- the end of a sentence -------------------------------------------------------------- */

/* one or more marks, and what closes after them */
typedef struct {
    size_t begin, marks_end, end;
    ending last;
    uint32_t last_code;
    int count;
    bool opens; /* a quotation, right behind the end */
} candidate;

static candidate candidate_at(const at_sentences *s, size_t at)
{
    candidate c = {.begin = at, .end = at};
    uint32_t code;
    size_t length;
    while ((length = peek(s, c.end, &code)) && ending_of(code) != NO_END) {
        c.last = ending_of(code);
        c.last_code = code;
        c.end += length;
        c.count++;
    }
    c.marks_end = c.end;
    at_quotes quotes = s->quotes;
    for (;;) {
        length = peek(s, c.end, &code);
        c.opens = at_quote_opens(&quotes, s->text, s->size, c.end, c.last == WIDE);
        at_quotes_pass(&quotes, s->text, s->size, c.end, length);
        if (length && closes(code) && !c.opens)
            c.end += length;
        else if (c.last != WIDE && (length = at_french_quote(s->text, s->size, c.end)) > 0)
            c.end += length;
        else
            return c;
    }
}

static bool has_empty_line(const at_sentences *s, size_t from, size_t to)
{
    int breaks = 0;
    for (size_t i = from; i < to; i++)
        breaks += s->text[i] == '\n';
    return breaks > 1;
}

/* the first character behind quotes, brackets and dashes */
static size_t skip_opening(const at_sentences *s, size_t at)
{
    uint32_t code;
    size_t length;
    while ((length = peek(s, at, &code)) && opens(code))
        at = skip_blanks(s, at + length);
    return at;
}

static bool wide_ends(const at_sentences *s, size_t sentence, const candidate *c)
{
    uint32_t code;
    if (!peek(s, c->end, &code))
        return true;
    if (c->end > c->marks_end && at_speech_goes_on(s->text, s->size, sentence, c->end))
        return false;
    return !goes_on(code) && !(c->last_code == 0xFF0E && at_is_digit(code)); /* ３．５ */
}

static bool ends_here(const at_sentences *s, size_t sentence, const candidate *c)
{
    uint32_t code;
    size_t next = skip_blanks(s, c->end);
    if (next == s->size || has_empty_line(s, c->end, next))
        return true;
    if (c->last == WIDE)
        return wide_ends(s, sentence, c);
    size_t length = peek(s, next, &code);
    if (next == c->end && c->opens)
        peek(s, next + length, &code);
    if (next == c->end)
        return c->last == MARK && (at_is_chinese(code) || at_is_japanese(code))
               && wide_ends(s, sentence, c);
    next = skip_opening(s, next);
    peek(s, next, &code);
    if (at_is_lower(code))
        return false;
    if (c->last == ELLIPSIS || (c->last == FULL_STOP && c->count > 1))
        return at_is_letter(code);
    if (c->last != FULL_STOP || c->end > c->marks_end)
        return true;
    stop p = {.s = s, .sentence = sentence, .next = next, .code = code};
    p.word = word_before(s, sentence, c->begin);
    return full_stop_ends(&p);
}

at_sentences at_sentences_of(const char *text, size_t size, unsigned languages)
{
    return (at_sentences){.text = text, .size = size, .languages = languages};
}

static void pass(at_sentences *s, size_t from, size_t to)
{
    uint32_t code;
    for (size_t length; from < to && (length = peek(s, from, &code)) > 0; from += length)
        at_quotes_pass(&s->quotes, s->text, s->size, from, length);
}

/* without white space at its end */
static bool give(at_sentences *s, size_t from, size_t to, size_t *begin, size_t *end)
{
    s->at = to;
    if (has_empty_line(s, to, skip_blanks(s, to)))
        s->quotes = (at_quotes){0};
    *begin = from;
    *end = trim(s, from, to);
    return true;
}

bool at_sentences_next(at_sentences *s, size_t *begin, size_t *end)
{
    size_t from = skip_blanks(s, s->at), length;
    uint32_t code;
    if (from == s->size)
        return false;
    for (size_t at = from; (length = peek(s, at, &code)) > 0; at += length) {
        if (code == '\n' && has_empty_line(s, at, skip_blanks(s, at)))
            return give(s, from, at, begin, end);
        if (ending_of(code) == NO_END) {
            at_quotes_pass(&s->quotes, s->text, s->size, at, length);
            continue;
        }
        candidate c = candidate_at(s, at);
        pass(s, c.marks_end, c.end);
        if (ends_here(s, from, &c))
            return give(s, from, c.end, begin, end);
        length = c.end - at;
    }
    return give(s, from, s->size, begin, end);
}
