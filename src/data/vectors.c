#include "data/vectors.h"

#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/lines.h"

typedef struct {
    at_line_stream lines;
    const at_vocab *vocab;
    size_t width;
    real *table;
    unsigned char *seen; /* [vocabulary] */
    at_vector_counts *counts;
} reader;

static bool blank(char c) { return c == ' ' || c == '\t'; }

/* the size of the text before the last n fields, or -1 where there are fewer */
static ptrdiff_t before_last(const char *text, size_t size, size_t n)
{
    while (n > 0) {
        size_t end = size;
        while (size > 0 && !blank(text[size - 1]))
            size--;
        if (size == end || size == 0)
            return -1;
        n--;
        while (n > 0 && size > 0 && blank(text[size - 1]))
            size--;
    }
    return (ptrdiff_t)size - 1; /* one blank behind the word */
}

static size_t count_fields(const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += !blank(text[i]) && (i == 0 || blank(text[i - 1]));
    return n;
}

/* "400000 300" */
static bool is_header(const char *text, size_t size)
{
    size_t cut = 0;
    long long words, width;
    while (cut < size && !blank(text[cut]))
        cut++;
    return cut < size && at_number_whole(text, cut, &words)
           && at_number_whole(text + cut + 1, size - cut - 1, &width);
}

static attend_status read_numbers(reader *r, const char *text, size_t size, real *row,
                                  attend_error *err)
{
    size_t at = 0;
    for (size_t i = 0; i < r->width; i++) {
        while (at < size && blank(text[at]))
            at++;
        size_t begin = at;
        double value;
        while (at < size && !blank(text[at]))
            at++;
        if (!at_number_real(text + begin, at - begin, &value) || !(fabs(value) < 1e30))
            return at_error(err, ATTEND_FORMAT,
                            "%s:%ld: '%.*s' is no number; is this a file of word vectors?",
                            r->lines.name, r->lines.number,
                            (int)(at - begin < 20 ? at - begin : 20), text + begin);
        row[i] = (real)value;
    }
    return ATTEND_OK;
}

/* The first line of all tells whether the file has vectors of this width. */
static attend_status check_width(const reader *r, size_t size, attend_error *err)
{
    size_t fields = count_fields(r->lines.text, size);
    if (fields == r->width + 1)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "%s:%ld: a word and %zu numbers, where vectors have %zu; --embedding %zu fits",
                    r->lines.name, r->lines.number, fields ? fields - 1 : 0, r->width,
                    fields > 1 ? fields - 1 : 1);
}

static attend_status read_line(reader *r, attend_error *err)
{
    const char *text = r->lines.text;
    size_t size = r->lines.size;
    while (size > 0 && blank(text[size - 1]))
        size--;
    if (size == 0 || (r->lines.number == 1 && r->width > 1 && is_header(text, size)))
        return ATTEND_OK;
    attend_status status = r->counts->lines == 0 ? check_width(r, size, err) : ATTEND_OK;
    ptrdiff_t word = before_last(text, size, r->width);
    if (status < 0)
        return status;
    if (word < 0)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: not a word and %zu numbers; correct the line",
                        r->lines.name, r->lines.number, r->width);
    r->counts->lines++;
    int32_t id = at_vocab_find(r->vocab, text, (size_t)word);
    if (id < 0 || r->seen[id])
        return ATTEND_OK;
    r->seen[id] = 1;
    r->counts->found++;
    return read_numbers(r, text + word, size - (size_t)word, r->table + (size_t)id * r->width, err);
}

attend_status at_vectors_take(at_stream *bytes, const at_vocab *vocab, int width, real *table,
                              at_vector_counts *counts, attend_error *err)
{
    at_line_options options = {.encoding = ATTEND_ENCODING_REPLACE};
    size_t n = (size_t)at_vocab_size(vocab);
    reader r = {.vocab = vocab, .width = (size_t)width, .table = table, .counts = counts};
    *counts = (at_vector_counts){0};
    attend_status status = at_lines_start(&r.lines, bytes, &options, err);
    r.seen = at_alloc_zero(n ? n : 1, 1);
    if (status >= 0 && !r.seen)
        status = at_error_memory(err);
    while (status >= 0 && at_lines_next(&r.lines, &status, err))
        status = read_line(&r, err);
    if (status >= 0 && counts->lines == 0)
        status = at_error(err, ATTEND_FORMAT, "%s: no word vectors", r.lines.name);
    at_lines_close(&r.lines);
    at_free(r.seen);
    return status;
}

attend_status at_vectors_read(const char *path, const at_vocab *vocab, int width, real *table,
                              at_vector_counts *counts, attend_error *err)
{
    at_stream *bytes;
    attend_status status = at_stream_open(path, &bytes, err);
    return status < 0 ? status : at_vectors_take(bytes, vocab, width, table, counts, err);
}
