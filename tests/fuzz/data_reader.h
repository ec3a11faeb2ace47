/* What the fuzz targets of readers share: all examples of any bytes, in a given format. Every text
 * is UTF-8, every answer stands where it says, what is written is read again, and nothing is left
 * in memory. */
#ifndef ATTEND_TESTS_FUZZ_DATA_READER_H
#define ATTEND_TESTS_FUZZ_DATA_READER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "data/format.h"

static inline void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static inline void require_text(at_text t)
{
    require(!t.size || at_utf8_valid(t.text, t.size) == t.size, "texts are UTF-8");
    require(!t.size || !memchr(t.text, 0, t.size), "texts have no zero");
}

static inline void require_example(const at_example *e, const at_format *format)
{
    const at_text texts[] = {e->source, e->target, e->label, e->question, e->id, e->rest};
    at_str out = {0}, second = {0};
    for (int i = 0; i < 6; i++)
        require_text(texts[i]);
    require(e->line >= 1, "examples have a line");
    for (int i = 0; i < e->answer_count; i++) {
        const at_answer *a = &e->answers[i];
        require(a->byte + a->text.size <= e->source.size
                    && memcmp(e->source.text + a->byte, a->text.text, a->text.size) == 0,
                "answers stand where they say");
        require(at_utf8_count(e->source.text, a->byte) == a->begin, "characters are counted right");
    }
    if (format->write)
        format->write(&out, &second, e);
    at_str_free(&out);
    at_str_free(&second);
}

/* other: the second of two files, or NULL */
static inline void read_with(at_read_options options, const uint8_t *data, size_t size,
                             const uint8_t *other, size_t other_size)
{
    attend_error err;
    at_stream *one, *two = NULL;
    at_example_reader *r;
    at_example e;
    long live = at_alloc_live(), examples = 0;
    options.lines.max_length = 4096;
    if (options.lenient)
        options.lines.encoding = size % 2 ? ATTEND_ENCODING_LATIN1 : ATTEND_ENCODING_REPLACE;
    attend_status status = at_stream_memory("input", data, size, &one, &err);
    if (status >= 0 && other) {
        status = at_stream_memory("other", other, other_size, &two, &err);
        if (status < 0)
            at_stream_close(one);
    }
    if (status >= 0)
        status = at_examples_start(one, two, &options, &r, &err);
    else
        r = NULL;
    while (status >= 0 && examples < 10000 && at_examples_next(r, &e, &status, &err)) {
        require_example(&e, at_examples_format(r));
        examples++;
    }
    require(status == ATTEND_OK || status == ATTEND_FORMAT || status == ATTEND_OPTION,
            "nothing else can go wrong");
    require(status >= 0 || strlen(err.message) > 0, "a refusal says why");
    at_examples_close(r);
    require(at_alloc_live() == live, "nothing is left in memory");
}

/* format NULL: guessed */
static inline void read_examples(const char *format, const uint8_t *data, size_t size,
                                 const uint8_t *other, size_t other_size, bool lenient)
{
    read_with((at_read_options){.format = format, .lenient = lenient}, data, size, other,
              other_size);
}

#endif
