/* Where words end: white space, and with `punctuation` the rules of Moses' tokenizer without its
 * lists of languages.
 *
 *     letters, digits and marks make words; - joins them, and . between two of them (3.14, U.S.A),
 *     and , and : between digits (1,000, 12:30)
 *     an apostrophe between letters is a seam: don 't, l' homme
 *     any other character is a word by itself, and so are ... and --
 *     what looks like an address (a://b, a@b, www.) is one word
 *     Chinese and Japanese characters are words by themselves, where that is wanted
 *
 * Where punctuation stands close to a word and the rules of spacing.h would put a blank there, it
 * carries an @ on that side, as Moses writes @-@: so words become the same text again. An @ of the
 * text that could be taken for such a mark is written &#64; which cannot be a word otherwise. */
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "text/unicode.h"
#include "text/words.h"

typedef enum { WORD, MARK, ALONE, BOUND } sort; /* BOUND: belongs to what is before it */

typedef at_words_cutter cutter;

/* ---- characters ------------------------------------------------------------------------- */

static sort sort_of(const at_words *w, uint32_t c)
{
    if (c < 0x80)
        return c == '_' || !at_is_punctuation(c) ? WORD : MARK;
    if (w->split_chinese && (at_is_chinese(c) || at_is_japanese(c)))
        return ALONE;
    if (at_is_letter(c) || at_is_digit(c) || c == 0xFFFD)
        return WORD;
    if (at_is_bound(c))
        return BOUND;
    return w->punctuation && (at_is_punctuation(c) || at_is_symbol(c)) ? MARK : WORD;
}

static uint32_t code_at(const cutter *c, size_t i, size_t end)
{
    return i < end ? c->code_points.item[i].code : 0;
}

static sort sort_at(const cutter *c, size_t i, size_t end)
{
    return i < end ? sort_of(c->w, c->code_points.item[i].code) : MARK;
}

static bool is_hyphen(uint32_t c) { return c == '-' || c == 0x2010 || c == 0x2011; }
static bool is_apostrophe(uint32_t c) { return c == '\'' || c == 0x2019; }

/* ---- giving words ----------------------------------------------------------------------- */

/* The last word is complete: its marks follow from both neighbours' rules. */
static void give(cutter *c)
{
    if (c->waiting)
        c->sink(c->user, &c->last);
    c->waiting = false;
}

static at_glue glue_of(const cutter *c, const at_word *word)
{
    const char *text = word->text.text;
    size_t size = word->text.size;
    uint32_t first, last;
    if (!at_utf8_get(text, size, &first))
        return (at_glue){0};
    size_t at = size - 1;
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    at_utf8_get(text + at, size - at, &last);
    if (word->punctuation)
        return at_spacing_of(&c->w->spacing, word->text);
    if (at_spacing_alternates(word->text))
        return (at_glue){true, true};
    bool wide = c->w->split_chinese;
    return (at_glue){is_apostrophe(first) || (wide && at_is_wide(first)),
                     is_apostrophe(last) || (wide && at_is_wide(last))};
}

/* Two words without a blank between: does one of them need an @? */
static void meet(const cutter *c, at_word *left, at_word *right)
{
    left->close_right = right->close_left = true;
    left->letters_right = !right->punctuation && !at_spacing_alternates(right->text);
    right->letters_left = !left->punctuation && !at_spacing_alternates(left->text);
    if (glue_of(c, left).right || glue_of(c, right).left)
        return;
    if (right->punctuation)
        right->mark_left = true;
    else if (left->punctuation)
        left->mark_right = true;
}

static void spell(const cutter *c, size_t begin, size_t end, at_str *text)
{
    for (size_t i = begin; i < end; i++) {
        uint32_t code[2] = {c->code_points.item[i].code};
        int n = c->w->lower ? at_lower(code[0], code) : 1;
        for (int k = 0; k < n; k++) {
            char bytes[4];
            at_str_add_bytes(text, bytes, (size_t)at_utf8_put(bytes, code[k]));
        }
    }
}

/* Letters [begin,end) are a word. */
static void word(cutter *c, size_t begin, size_t end)
{
    at_str *text = &c->text[c->turn ^= 1];
    at_str_clear(text);
    spell(c, begin, end, text);
    at_word found = {.text = {at_str_text(text), text->length},
                     .begin = c->code_points.item[begin].begin,
                     .end = c->code_points.item[end - 1].end};
    found.punctuation = c->w->punctuation && sort_at(c, begin, end) == MARK
                        && !at_spacing_alternates(found.text)
                        && !(is_apostrophe(code_at(c, begin, end)) && end > begin + 1);
    if (c->waiting)
        meet(c, &c->last, &found);
    give(c);
    c->last = found;
    c->waiting = true;
}

/* ---- finding their ends ----------------------------------------------------------------- */

/* Does the character at i join the words on its sides into one? */
static bool joins(const cutter *c, size_t i, size_t end)
{
    uint32_t code = code_at(c, i, end), before = code_at(c, i - 1, end),
             after = code_at(c, i + 1, end);
    if (is_hyphen(code))
        return !is_hyphen(after) && !is_hyphen(before);
    bool between = sort_at(c, i - 1, end) != MARK && sort_at(c, i + 1, end) == WORD;
    if (code == '.')
        return between;
    return (code == ',' || code == ':') && between && at_is_digit(before) && at_is_digit(after);
}

/* The end of the word part after an apostrophe, if it is one of English: 's, 't, 're, ... */
static size_t english_end(const cutter *c, size_t i, size_t end)
{
    static const char *const tails[] = {"s", "t", "re", "ve", "ll", "d", "m"};
    char tail[4] = "";
    size_t n = 0;
    for (; n < 3 && i + n < end && sort_at(c, i + n, end) == WORD; n++) {
        uint32_t code = code_at(c, i + n, end);
        tail[n] = code < 0x80 ? (char)code : '?';
    }
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++)
        if (strcasecmp(tail, tails[k]) == 0)
            return i + n;
    return 0;
}

/* A word from begin on, whose first character is in it; returns where it ends. */
static size_t cut_word(cutter *c, size_t begin, size_t end)
{
    size_t i = begin + 1;
    for (;;) {
        sort k = sort_at(c, i, end);
        if (i < end && (k == WORD || k == BOUND)) {
            i++;
        } else if (i < end && is_apostrophe(code_at(c, i, end))
                   && at_is_letter(code_at(c, i - 1, end)) && at_is_letter(code_at(c, i + 1, end))
                   && sort_at(c, i + 1, end) == WORD) {
            size_t tail = english_end(c, i + 1, end);
            word(c, begin, tail ? i : i + 1);
            begin = tail ? i : i + 1;
            i = tail ? tail : begin + 1;
        } else if (i < end && joins(c, i, end)) {
            i++;
        } else {
            break;
        }
    }
    word(c, begin, i);
    return i;
}

/* How many characters the mark at i has: ... and -- are one. */
static size_t mark_end(const cutter *c, size_t i, size_t end)
{
    uint32_t code = code_at(c, i, end);
    bool repeats = code < 0x80 && strchr(".-*=#~", (int)code);
    for (i++; repeats && code_at(c, i, end) == code;)
        i++;
    while (sort_at(c, i, end) == BOUND && i < end)
        i++;
    return i;
}

static void cut_range(cutter *c, size_t i, size_t end)
{
    while (i < end) {
        sort k = sort_at(c, i, end);
        bool negative = code_at(c, i, end) == '-' && at_is_digit(code_at(c, i + 1, end));
        size_t stop = k == MARK && !negative ? mark_end(c, i, end) : i + 1;
        if (k == ALONE)
            while (stop < end && sort_at(c, stop, end) == BOUND)
                stop++;
        if (k == ALONE || (k == MARK && !negative))
            word(c, i, stop);
        else
            stop = cut_word(c, i, end);
        i = stop;
    }
}

/* ---- addresses -------------------------------------------------------------------------- */

static bool is_address(const cutter *c, size_t begin, size_t end)
{
    for (size_t i = begin + 1; i + 1 < end; i++) {
        uint32_t code = code_at(c, i, end);
        if (code == '@' && sort_at(c, i - 1, end) == WORD && sort_at(c, i + 1, end) == WORD)
            return true;
        if (code == ':' && code_at(c, i + 1, end) == '/' && code_at(c, i + 2, end) == '/')
            return true;
    }
    for (size_t i = begin; i < begin + 3; i++)
        if (code_at(c, i, end) != 'w')
            return false;
    return code_at(c, begin + 3, end) == '.';
}

static void cut_marks(cutter *c)
{
    size_t begin = 0, end = c->code_points.count;
    while (begin < end && sort_at(c, begin, end) == MARK)
        begin++;
    while (end > begin && sort_at(c, end - 1, end) == MARK && code_at(c, end - 1, end) != '/')
        end--;
    if (!is_address(c, begin, end)) {
        cut_range(c, 0, c->code_points.count);
        return;
    }
    cut_range(c, 0, begin);
    word(c, begin, end);
    cut_range(c, end, c->code_points.count);
}

/* ---- all -------------------------------------------------------------------------------- */

/* without punctuation: Chinese characters alone, all else together */
static void cut_plain(cutter *c)
{
    size_t begin = 0, n = c->code_points.count;
    for (size_t i = 0; i < n; i++) {
        sort k = sort_at(c, i, n);
        if (k != ALONE)
            continue;
        if (begin < i)
            word(c, begin, i);
        size_t stop = i + 1;
        while (stop < n && sort_at(c, stop, n) == BOUND)
            stop++;
        word(c, i, stop);
        begin = stop;
        i = stop - 1;
    }
    if (begin < n)
        word(c, begin, n);
}

void at_words_start(cutter *c, const at_words *w, at_words_sink *sink, void *user)
{
    c->w = w;
    c->sink = sink;
    c->user = user;
    c->waiting = false;
    c->turn = 0;
    c->text[0] = c->text[1] = (at_str){0};
    at_code_points_start(&c->code_points);
}

void at_words_end(cutter *c)
{
    at_code_points_free(&c->code_points);
    at_str_free(&c->text[0]);
    at_str_free(&c->text[1]);
}

bool at_words_cut(cutter *c, const char *text, size_t begin, size_t end, size_t *invalid)
{
    c->code_points.count = 0;
    *invalid += at_code_points_read(&c->code_points, text, begin, end);
    if (c->code_points.failed)
        return false;
    if (c->w->punctuation)
        cut_marks(c);
    else
        cut_plain(c);
    give(c);
    return !c->text[0].failed && !c->text[1].failed;
}

size_t at_words_chunk(const char *text, size_t begin, size_t size, size_t *next)
{
    size_t i = begin;
    int blank = 0;
    for (; i < size && !blank; i += !blank) {
        unsigned char byte = (unsigned char)text[i];
        blank = byte < 0x80   ? at_is_ascii_space(byte)
                : byte < 0xC0 ? 0
                              : at_space_at(text + i, size - i);
    }
    *next = i + (size_t)blank;
    return i;
}

/* Alone or marked on the right an @ is itself; with a mark on its left alone, @@ would be read as
 * the one marked on the right. */
static bool is_escaped(const at_word *word)
{
    return word->punctuation && *word->text.text == '@'
           && (word->text.size > 1 || (word->mark_left && !word->mark_right));
}

void at_word_spell(const at_word *word, at_str *out)
{
    size_t skip = is_escaped(word) ? 1 : 0;
    at_str_add(out, word->mark_left ? "@" : "");
    at_str_add(out, skip ? ATTEND_SPACING_AT : "");
    at_str_add_bytes(out, word->text.text + skip, word->text.size - skip);
    at_str_add(out, word->mark_right ? "@" : "");
}
