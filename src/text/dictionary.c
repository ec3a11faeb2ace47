#include "text/dictionary.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "text/unicode.h"
#include "text/vocab.h"

static const size_t largest = (size_t)1 << 30; /* bytes of a file */

/* words and their translations, both in the text of the file; keys are numbered from 0 */
struct attend_dictionary {
    char *text;
    at_vocab *words;
    const char **translation;
    size_t capacity;
};

static attend_status add(at_dictionary *d, const char *word, size_t size, const char *translation,
                         attend_error *err)
{
    size_t n = (size_t)at_vocab_size(d->words);
    if (at_vocab_find(d->words, word, size) >= 0)
        return ATTEND_OK;
    if (n == d->capacity) {
        size_t capacity = d->capacity ? 2 * d->capacity : 1024;
        const char **more = at_realloc(d->translation, d->capacity * sizeof *more,
                                       capacity * sizeof *more);
        if (!more)
            return at_error_memory(err);
        d->translation = more;
        d->capacity = capacity;
    }
    d->translation[n] = translation;
    return at_vocab_add(d->words, word, size) < 0 ? at_error_memory(err) : ATTEND_OK;
}

/* Cuts off what follows the translation where it begins with a number. */
static void drop_numbers(char *translation)
{
    double number;
    char *tab = strchr(translation, '\t');
    if (tab && at_number_real(tab + 1, strcspn(tab + 1, "\t"), &number))
        *tab = '\0';
}

static attend_status read_line(at_dictionary *d, const char *path, long number, char *line,
                               size_t size, attend_error *err)
{
    size -= size > 0 && line[size - 1] == '\r';
    line[size] = '\0';
    if (size == 0)
        return ATTEND_OK;
    if (strlen(line) != size || at_utf8_valid(line, size) != size)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: not UTF-8 text", at_show(path).text, number);
    char *tab = strchr(line, '\t');
    if (tab)
        drop_numbers(tab + 1);
    if (!tab || tab == line || tab[1] == '\0' || strchr(tab + 1, '\t'))
        return at_error(err, ATTEND_FORMAT,
                        "%s:%ld: a line of a dictionary is a word, a tab and its translation",
                        at_show(path).text, number);
    return add(d, line, (size_t)(tab - line), tab + 1, err);
}

attend_status at_dictionary_open(const char *path, at_dictionary **out, attend_error *err)
{
    size_t size = 0;
    at_dictionary *d = *out = at_alloc_zero(1, sizeof *d);
    attend_status status = d && (d->words = at_vocab_new())
                               ? at_input_read(path, largest, &d->text, &size, err)
                               : at_error_memory(err);
    char *line = status < 0 ? NULL : d->text, *end = line ? line + size : NULL;
    if (size >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) /* a byte-order mark */
        line += 3;
    for (long number = 1; status >= 0 && line < end; number++) {
        char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
        status = read_line(d, path, number, line, (size_t)(stop - line), err);
        line = stop + 1;
    }
    if (status < 0) {
        at_dictionary_free(d);
        *out = NULL;
    }
    return status;
}

size_t at_dictionary_size(const at_dictionary *d) { return (size_t)at_vocab_size(d->words); }

static void add_lower(at_str *out, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code, lower[2];
        char bytes[4];
        int n = at_utf8_get(text + at, size - at, &code);
        for (int i = 0, count = n ? at_lower(code, lower) : 0; i < count; i++)
            at_str_add_bytes(out, bytes, (size_t)at_utf8_put(bytes, lower[i]));
        at += n ? (size_t)n : 1;
    }
}

const char *at_dictionary_find(const at_dictionary *d, const char *word, size_t size)
{
    int32_t id = at_vocab_find(d->words, word, size);
    if (id < 0) {
        at_str lower = {0};
        add_lower(&lower, word, size);
        id = at_vocab_find(d->words, at_str_text(&lower), lower.length);
        at_str_free(&lower);
    }
    return id < 0 ? NULL : d->translation[id];
}

void at_dictionary_free(at_dictionary *d)
{
    if (!d)
        return;
    at_free(d->text);
    at_free(d->translation);
    if (d->words)
        at_vocab_free(d->words);
    at_free(d);
}
