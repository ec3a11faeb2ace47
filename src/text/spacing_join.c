/* Words back to running text. */
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "text/spacing.h"
#include "text/unicode.h"

typedef struct {
    const at_spacing *s;
    const at_text *word;
    size_t count;
    bool open[2]; /* a " or ' has been opened */
} joiner;

static uint32_t code_at(at_text w, size_t at)
{
    uint32_t code;
    return at < w.size && at_utf8_get(w.text + at, w.size - at, &code) ? code : 0;
}

static uint32_t last_code(at_text w)
{
    size_t at = w.size;
    while (at > 1 && ((unsigned char)w.text[at - 1] & 0xC0) == 0x80)
        at--;
    return at ? code_at(w, at - 1) : 0;
}

static bool is_wordlike(uint32_t c) { return at_is_letter(c) || at_is_digit(c) || at_is_mark(c); }

/* a letter or digit anywhere: <unk> is a word */
static bool has_wordlike(at_text w)
{
    for (size_t at = 0; at < w.size; at++)
        if (is_wordlike(code_at(w, at)))
            return true;
    return false;
}

static bool is_digits(at_text w)
{
    for (size_t i = 0; i < w.size; i++)
        if (w.text[i] < '0' || w.text[i] > '9')
            return false;
    return w.size > 0;
}

static bool one_of(at_text w, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == w.size && strncasecmp(*list, w.text, w.size) == 0)
            return true;
    return false;
}

/* is it ' or the typographic one? Then its length */
static size_t apostrophe(at_text w, size_t at)
{
    uint32_t code = code_at(w, at);
    return code == '\'' ? 1 : code == 0x2019 ? 3 : 0;
}

/* ---- one word --------------------------------------------------------------------------- */

/* don't, l'homme: an apostrophe by itself between two halves of a word */
static bool joins_halves(const joiner *j, size_t i)
{
    static const char *const after[] = {"s", "t", "re", "ve", "ll", "d", "m", NULL};
    static const char *const before[] = {"l", "d", "j", "c", "n", "m", "t", "s", "qu", NULL};
    if (i == 0 || i + 1 >= j->count)
        return false;
    return (one_of(j->word[i + 1], after) && is_wordlike(code_at(j->word[i - 1], 0)))
           || (one_of(j->word[i - 1], before) && is_wordlike(code_at(j->word[i + 1], 0)));
}

/* 3.14, 12:30 and 1,000, where every mark was cut off */
static bool joins_digits(const joiner *j, size_t i)
{
    at_text w = j->word[i];
    if (!j->s->all_split || w.size != 1 || i == 0 || i + 1 >= j->count || !strchr(".,:", *w.text)
        || !is_digits(j->word[i - 1]) || !is_digits(j->word[i + 1]))
        return false;
    return *w.text != ',' || (j->word[i - 1].size <= 3 && j->word[i + 1].size == 3);
}

static at_glue quote(joiner *j, size_t i)
{
    at_text w = j->word[i];
    bool *open = &j->open[*w.text == '\''];
    if (*w.text == '\'' && joins_halves(j, i))
        return (at_glue){true, true};
    if (*w.text == '\'' && !*open && i > 0 && j->word[i - 1].size
        && strchr("sS", j->word[i - 1].text[j->word[i - 1].size - 1]))
        return (at_glue){.left = true}; /* the dogs' */
    *open = !*open;
    return (at_glue){!*open, *open};
}

/* 't and l': a part of a word that ends where an apostrophe is */
static at_glue contraction(at_text w)
{
    size_t first = apostrophe(w, 0);
    at_glue glue = {0};
    glue.left = first && first < w.size && is_wordlike(code_at(w, first));
    for (size_t n = 1; n <= 3; n += 2)
        if (w.size > n && apostrophe(w, w.size - n) == n && is_wordlike(code_at(w, 0)))
            glue.right = true;
    return glue;
}

/* Takes the @ from a marked word, and says on which sides they were. An @ itself is marked for what
 * follows it, as in @name: @@ name. */
static at_glue unmark(at_text *w)
{
    at_glue marks = {0};
    bool at = w->size == 2 && memcmp(w->text, "@@", 2) == 0;
    if (!at && w->size > 1 && *w->text == '@' && !is_wordlike(code_at(*w, 1))) {
        marks.left = true;
        w->text++;
        w->size--;
    }
    if (w->size > 1 && w->text[w->size - 1] == '@' && !is_wordlike(code_at(*w, 0))) {
        marks.right = true;
        w->size--;
    }
    return marks;
}

/* how much of a word stands for an @ of the text itself */
static size_t escape(const at_spacing *s, at_text w)
{
    size_t size = strlen(ATTEND_SPACING_AT);
    return s->marked && w.size >= size && memcmp(w.text, ATTEND_SPACING_AT, size) == 0 ? size : 0;
}

static at_glue rule_of(joiner *j, size_t i, at_text word)
{
    if (escape(j->s, word))
        word = (at_text){"@", 1};
    if (at_spacing_alternates(word))
        return quote(j, i);
    if (joins_digits(j, i))
        return (at_glue){true, true};
    if (has_wordlike(word))
        return contraction(word);
    return at_spacing_of(j->s, word);
}

static at_glue glue_of(joiner *j, size_t i, at_text *word)
{
    at_glue marks = {0}, rule = {0}, wide = {0};
    if (j->s->marked)
        marks = unmark(word);
    if (j->s->wide)
        wide = (at_glue){at_is_wide(code_at(*word, 0)), at_is_wide(last_code(*word))};
    if (!j->s->plain)
        rule = rule_of(j, i, *word);
    return (at_glue){rule.left || marks.left || wide.left, rule.right || marks.right || wide.right};
}

/* ---- all -------------------------------------------------------------------------------- */

void at_spacing_join(const at_spacing *s, const at_text *words, size_t count, at_str *out)
{
    joiner j = {.s = s, .word = words, .count = count};
    bool close = true;
    for (size_t i = 0; i < count; i++) {
        at_text word = words[i];
        at_glue glue = glue_of(&j, i, &word);
        if (!close && !glue.left)
            at_str_add_bytes(out, " ", 1);
        size_t skip = escape(s, word);
        at_str_add(out, skip ? "@" : "");
        at_str_add_bytes(out, word.text + skip, word.size - skip);
        close = glue.right;
    }
}
