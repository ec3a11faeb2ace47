/* Learning a WordPiece vocabulary: the special pieces, the characters, then merges of the most
 * frequent neighbours until it is full.
 *
 * The paper's own trainer was never published. This is what Hugging Face's does, whose vocabularies
 * are in use everywhere: pairs are chosen by count, as in BPE, and not by the likelihood that some
 * descriptions name. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/merges.h"
#include "text/unicode.h"
#include "text/wordpiece.h"

enum { SIZE = 30000, MIN_COUNT = 2, ALPHABET = 1000, SPECIALS = 5, WORD = 100 };

typedef struct {
    at_wordpiece *w;
    at_vocab *words; /* with counts */
    at_vocab *chars; /* those of the words, with counts */
    bool failed;
    at_str text;
} learner;

/* ---- counting --------------------------------------------------------------------------- */

static void count_word(void *user, const at_code_points *code_points, size_t begin, size_t end)
{
    learner *l = user;
    if (end - begin > WORD) /* would be unknown */
        return;
    at_str_clear(&l->text);
    at_code_points_text(code_points, begin, end, &l->text);
    int32_t id = l->text.failed ? -1 : at_vocab_add(l->words, l->text.text, l->text.length);
    if (id < 0)
        l->failed = true;
    else
        at_vocab_seen(l->words, id, 1);
}

static attend_status count_lines(learner *l, at_line_source lines, attend_error *err)
{
    const char *text;
    size_t size;
    int more;
    while ((more = lines.next(lines.user, &text, &size, err)) > 0) {
        if (!at_wordpiece_words(l->w, text, 0, size, count_word, count_word, l, NULL) || l->failed)
            return at_error_memory(err);
    }
    return more < 0 ? (attend_status)more : ATTEND_OK;
}

/* bytes of the character that starts there; the text is valid */
static size_t char_size(const char *text)
{
    unsigned char first = (unsigned char)*text;
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static attend_status count_chars(learner *l, attend_error *err)
{
    for (int32_t id = 0; id < at_vocab_size(l->words); id++) {
        const char *text = at_vocab_text(l->words, id, NULL);
        for (; *text; text += char_size(text)) {
            int32_t c = at_vocab_add(l->chars, text, char_size(text));
            if (c < 0)
                return at_error_memory(err);
            at_vocab_seen(l->chars, c, at_vocab_count(l->words, id));
        }
    }
    return ATTEND_OK;
}

/* ---- the alphabet ----------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The most frequent characters, in the order of their codes, to begin a word and to go on in it. */
static attend_status add_alphabet(learner *l, int max, int size, attend_error *err)
{
    at_vocab *v = l->w->base.vocab;
    int32_t n = at_vocab_size(l->chars), kept = n < max ? n : max;
    if (2 * kept > size)
        return at_error(err, ATTEND_OPTION,
                        "a vocabulary of %d pieces has no room for %d characters, each at the "
                        "start of a word and inside; raise the size, or keep fewer with alphabet",
                        size + SPECIALS, kept);
    int32_t *order = at_alloc(((size_t)n + 1) * sizeof *order);
    const char **text = at_alloc(((size_t)n + 1) * sizeof *text);
    bool well = order && text;
    if (well)
        at_vocab_by_count(l->chars, order);
    for (int32_t i = 0; well && i < kept; i++)
        text[i] = at_vocab_text(l->chars, order[i], NULL);
    if (well)
        qsort(text, (size_t)kept, sizeof *text, by_text);
    for (int i = 0; well && i < 2 * kept; i++) {
        at_str_clear(&l->text);
        at_str_add(&l->text, i < kept ? "" : l->w->options.prefix);
        at_str_add(&l->text, text[i % kept]);
        well = !l->text.failed && at_vocab_add(v, l->text.text, l->text.length) >= 0;
    }
    at_free(order);
    at_free(text);
    return well ? ATTEND_OK : at_error_memory(err);
}

/* ---- merging ---------------------------------------------------------------------------- */

/* The word's characters as pieces; 0 where one of them is not in the alphabet: the word would be
 * unknown, so there is nothing to learn from it. */
static size_t spell(learner *l, const char *word, int32_t symbols[WORD])
{
    size_t n = 0;
    for (const char *text = word; *text; text += char_size(text)) {
        at_str_clear(&l->text);
        at_str_add(&l->text, n ? l->w->options.prefix : "");
        at_str_add_bytes(&l->text, text, char_size(text));
        int32_t id = l->text.failed ? -1
                                    : at_vocab_find(l->w->base.vocab, l->text.text, l->text.length);
        if (id < 0)
            return 0;
        symbols[n++] = id;
    }
    return n;
}

static int32_t merged(learner *l, int32_t left, int32_t right)
{
    at_vocab *v = l->w->base.vocab;
    at_str_clear(&l->text);
    at_str_add(&l->text, at_vocab_text(v, left, NULL));
    at_str_add(&l->text, at_vocab_text(v, right, NULL) + strlen(l->w->options.prefix));
    return l->text.failed ? -1 : at_vocab_add(v, l->text.text, l->text.length);
}

static attend_status merge(learner *l, int size, uint64_t min, attend_error *err)
{
    int32_t symbols[WORD], left, right;
    uint64_t times;
    at_merger *m = at_merger_new();
    if (!m)
        return at_error_memory(err);
    for (int32_t id = 0; id < at_vocab_size(l->words); id++) {
        size_t n = spell(l, at_vocab_text(l->words, id, NULL), symbols);
        at_merger_word(m, symbols, n, at_vocab_count(l->words, id));
    }
    bool well = true;
    while (well && at_vocab_size(l->w->base.vocab) < size
           && at_merger_best(m, &left, &right, &times) && times >= min) {
        int32_t id = merged(l, left, right);
        well = id >= 0;
        if (well)
            at_merger_apply(m, left, right, id);
    }
    well = well && !at_merger_failed(m);
    at_merger_free(m);
    return well ? ATTEND_OK : at_error_memory(err);
}

/* ---- all -------------------------------------------------------------------------------- */

static attend_status learn_all(learner *l, at_line_source lines, const attend_learn_options *o,
                               attend_error *err)
{
    static const struct {
        at_special which;
        const char *text;
    } specials[SPECIALS] = {{ATTEND_SPECIAL_PAD, "[PAD]"},
                            {ATTEND_SPECIAL_UNK, "[UNK]"},
                            {ATTEND_SPECIAL_CLS, "[CLS]"},
                            {ATTEND_SPECIAL_SEP, "[SEP]"},
                            {ATTEND_SPECIAL_MASK, "[MASK]"}};
    int size = o->vocabulary > 0 ? o->vocabulary : SIZE;
    attend_status status = ATTEND_OK;
    for (int i = 0; i < SPECIALS; i++)
        if (!at_tokenizer_add_special(&l->w->base, specials[i].which, specials[i].text))
            status = at_error_memory(err);
    if (status >= 0 && (status = count_lines(l, lines, err)) >= 0)
        status = count_chars(l, err);
    if (status >= 0)
        status = add_alphabet(l, o->alphabet > 0 ? o->alphabet : ALPHABET, size - SPECIALS, err);
    if (status >= 0)
        status = merge(l, size, (uint64_t)(o->min_count > 0 ? o->min_count : MIN_COUNT), err);
    return status < 0 ? status : at_wordpiece_ready(l->w, "what was learned", err);
}

attend_status at_wordpiece_learn(at_line_source lines, const attend_learn_options *o,
                                 at_tokenizer **out, attend_error *err)
{
    at_wordpiece_options options = at_wordpiece_defaults(o->lower > 0);
    if (o->strip_accents >= 0)
        options.strip_accents = o->strip_accents > 0;
    if (o->split_chinese >= 0)
        options.split_chinese = o->split_chinese > 0;
    learner l = {.w = at_wordpiece_new(&options), .words = at_vocab_new(), .chars = at_vocab_new()};
    attend_status status = l.w && l.words && l.chars ? learn_all(&l, lines, o, err)
                                                     : at_error_memory(err);
    at_vocab_free(l.words);
    at_vocab_free(l.chars);
    at_str_free(&l.text);
    if (status < 0)
        at_tokenizer_free(l.w ? &l.w->base : NULL);
    else
        *out = &l.w->base;
    return status;
}
