#include "decode/word_lines.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "measure/pairs.h"
#include "text/counting.h"
#include "text/unicode.h"

/* A word without the marks at its ends, unless it is nothing else. */
static at_text bare(at_text word)
{
    size_t begin = word.size, end = 0;
    for (size_t at = 0, used; at < word.size; at += used) {
        uint32_t code;
        int length = at_utf8_get(word.text + at, word.size - at, &code);
        used = length > 0 ? (size_t)length : 1;
        if (length > 0 && at_is_punctuation(code))
            continue;
        begin = at < begin ? at : begin;
        end = at + used;
    }
    return end > begin ? (at_text){word.text + begin, end - begin} : word;
}

static uint32_t number_of(at_pairs *numbers, at_text word)
{
    uint32_t number = 0;
    for (size_t i = 0; i < word.size; i++)
        number = at_pairs_add(numbers, number, (unsigned char)word.text[i]);
    return number;
}

static attend_status allocate(at_word_lines *w, size_t count, const char *const *line,
                              attend_error *err)
{
    size_t words = 0;
    w->count = count;
    w->begin = at_alloc((count + 1) * sizeof *w->begin);
    for (size_t i = 0; i < count && w->begin; i++) {
        size_t size = strlen(line[i]);
        w->begin[i] = words;
        words += at_words_count(line[i], size, at_words_stand_alone(line[i], size));
    }
    if (w->begin)
        w->begin[count] = words;
    w->word = w->begin ? at_alloc((words + 1) * sizeof *w->word) : NULL;
    return w->word ? ATTEND_OK : at_error_memory(err);
}

static void number_words(at_word_lines *w, at_pairs *numbers, const char *const *line)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t size = strlen(line[i]), n = w->begin[i];
        bool alone = at_words_stand_alone(line[i], size);
        at_text word;
        for (size_t at = 0; at_words_next(line[i], size, alone, &at, &word);)
            w->word[n++] = number_of(numbers, bare(word));
    }
    w->numbers = numbers->count;
}

/* The spelling of each number, from where it first comes. */
static attend_status spell(at_word_lines *w, const char *const *line, attend_error *err)
{
    w->spelling = at_alloc_zero((size_t)w->numbers + 1, sizeof *w->spelling);
    at_str_add_bytes(&w->spellings, "", 1); /* so that no spelling is at 0 */
    for (size_t i = 0; i < w->count && w->spelling; i++) {
        size_t size = strlen(line[i]), n = w->begin[i];
        bool alone = at_words_stand_alone(line[i], size);
        at_text word;
        for (size_t at = 0; at_words_next(line[i], size, alone, &at, &word); n++) {
            if (w->spelling[w->word[n]])
                continue;
            w->spelling[w->word[n]] = w->spellings.length;
            at_str_add_bytes(&w->spellings, bare(word).text, bare(word).size);
            at_str_add_bytes(&w->spellings, "", 1);
        }
    }
    return w->spelling && !w->spellings.failed ? ATTEND_OK : at_error_memory(err);
}

attend_status at_word_lines_read(at_word_lines *w, size_t count, const char *const *line,
                                 attend_error *err)
{
    at_pairs numbers = {0};
    *w = (at_word_lines){.count = 0};
    attend_status status = allocate(w, count, line, err);
    if (status < 0)
        return status;
    at_pairs_start(&numbers);
    number_words(w, &numbers, line);
    status = numbers.failed ? at_error_memory(err) : spell(w, line, err);
    at_pairs_free(&numbers);
    return status;
}

void at_word_lines_free(at_word_lines *w)
{
    at_free(w->begin);
    at_free(w->word);
    at_free(w->spelling);
    at_str_free(&w->spellings);
    *w = (at_word_lines){.count = 0};
}
