/* Learning a vocabulary of words: the most frequent ones, and how the text spaces its punctuation.
 *
 * Spacing decides which words are written with an @, so it must be known before words are counted:
 * it is learned from the first megabyte, which is kept and counted then. So is whether somebody has
 * cut the text already, "a dog , asleep .": its words are those between blanks, as they stand. */
#include <string.h>

#include "base/memory.h"
#include "text/pretokenised.h"
#include "text/unicode.h"
#include "text/words.h"

enum { SAMPLE = 1 << 20, MIN_COUNT = 2 };

typedef struct {
    at_words *w;
    at_vocab *counts;
    at_str sample; /* lines, each with \n; a line with \n inside is more than one here */
    at_str text;
    size_t in_line; /* words of the line so far */
    bool more;      /* something follows in the line */
    bool asks;      /* the text decides whether punctuation is split off */
    bool failed;
} learner;

/* ---- spacing ---------------------------------------------------------------------------- */

/* Only a neighbour with letters tells: in ?" the quote stands close to the mark, not the other way
 * round. */
static void see_word(void *user, const at_word *word)
{
    learner *l = user;
    bool has_left = l->in_line++ > 0 && (!word->close_left || word->letters_left);
    bool has_right = word->close_right ? word->letters_right : l->more;
    if (word->punctuation
        && !at_spacing_see(&l->w->spacing, word->text, has_left, word->letters_left, has_right,
                           word->letters_right))
        l->failed = true;
}

static void count_word(void *user, const at_word *word)
{
    learner *l = user;
    at_str_clear(&l->text);
    at_word_spell(word, &l->text);
    int32_t id = l->text.failed ? -1 : at_vocab_add(l->counts, l->text.text, l->text.length);
    if (id < 0)
        l->failed = true;
    else
        at_vocab_seen(l->counts, id, 1);
}

static bool only_blanks(const char *text, size_t size)
{
    for (int blank; size; text += blank, size -= (size_t)blank)
        if (!(blank = at_space_at(text, size)))
            return false;
    return true;
}

static bool each_word(learner *l, const char *text, size_t size, at_words_sink *sink)
{
    size_t invalid = 0, next;
    bool well = true;
    at_words_cutter c;
    at_words_start(&c, l->w, sink, l);
    l->in_line = 0;
    for (size_t begin = 0; begin < size && well; begin = next) {
        size_t end = at_words_chunk(text, begin, size, &next);
        if (end == begin)
            continue;
        l->more = sink == see_word && !only_blanks(text + next, size - next);
        well = at_words_cut(&c, text, begin, end, &invalid) && !l->failed;
    }
    at_words_end(&c);
    return well;
}

/* the sample's lines, twice: to learn the spacing and to count the words */
static bool take_sample(learner *l)
{
    at_words_sink *const sinks[] = {see_word, count_word};
    at_pretokenised_marks marks = {0};
    at_pretokenised_marks_count(&marks, at_str_text(&l->sample), l->sample.length);
    if (l->asks && at_is_pretokenised(&marks))
        l->w->punctuation = false;
    for (int pass = 0; pass < 2; pass++) {
        const char *text = at_str_text(&l->sample), *stop = text + l->sample.length;
        for (const char *end; text < stop; text = end + 1) {
            end = memchr(text, '\n', (size_t)(stop - text));
            if (!each_word(l, text, (size_t)(end - text), sinks[pass]))
                return false;
        }
        if (pass == 0)
            at_spacing_learn(&l->w->spacing);
    }
    return true;
}

static attend_status count_lines(learner *l, at_line_source lines, attend_error *err)
{
    const char *text;
    size_t size;
    int more;
    bool sampling = true, well = true;
    while ((more = lines.next(lines.user, &text, &size, err)) > 0 && well) {
        if (sampling) {
            at_str_add_bytes(&l->sample, text, size);
            at_str_add_bytes(&l->sample, "\n", 1);
            well = !l->sample.failed;
            if (l->sample.length < SAMPLE)
                continue;
            sampling = false;
            well = well && take_sample(l);
        } else {
            well = each_word(l, text, size, count_word);
        }
    }
    if (sampling && more >= 0)
        well = well && take_sample(l);
    if (more < 0)
        return (attend_status)more;
    return well ? ATTEND_OK : at_error_memory(err);
}

/* ---- the vocabulary --------------------------------------------------------------------- */

/* U+0000 and what stands for invalid bytes are nothing to learn. */
static bool is_clean(const char *text, size_t size)
{
    return !memchr(text, 0, size) && !strstr(text, "\xEF\xBF\xBD");
}

static attend_status choose(learner *l, int size, uint64_t min, attend_error *err)
{
    at_vocab *v = l->w->base.vocab;
    int32_t n = at_vocab_size(l->counts);
    int32_t *order = at_alloc(((size_t)n + 1) * sizeof *order);
    bool well = order != NULL;
    if (well)
        at_vocab_by_count(l->counts, order);
    for (int32_t i = 0; well && i < n && at_vocab_size(v) < size; i++) {
        size_t bytes;
        const char *text = at_vocab_text(l->counts, order[i], &bytes);
        if (at_vocab_count(l->counts, order[i]) < min)
            break;
        if (is_clean(text, bytes))
            well = at_vocab_add(v, text, bytes) >= 0;
    }
    at_free(order);
    return well ? ATTEND_OK : at_error_memory(err);
}

attend_status at_words_learn(at_line_source lines, const attend_learn_options *o,
                             at_tokenizer **out, attend_error *err)
{
    learner l = {.w = at_words_new(), .counts = at_vocab_new()};
    attend_status status = ATTEND_OK;
    if (l.w && l.counts) {
        l.w->lower = o->lower > 0;
        l.w->punctuation = o->pretokenised <= 0;
        l.asks = o->pretokenised < 0;
        l.w->split_chinese = o->split_chinese != 0;
        status = count_lines(&l, lines, err);
        if (status >= 0)
            status = choose(&l, o->vocabulary > 0 ? o->vocabulary : INT32_MAX,
                            (uint64_t)(o->min_count >= 0 ? o->min_count : MIN_COUNT), err);
    } else {
        status = at_error_memory(err);
    }
    at_vocab_free(l.counts);
    at_str_free(&l.sample);
    at_str_free(&l.text);
    if (status < 0)
        at_tokenizer_free(l.w ? &l.w->base : NULL);
    else
        *out = &l.w->base;
    return status;
}
