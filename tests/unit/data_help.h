/* What tests of src/data share: bytes from strings, gzip and zip made on the spot, examples as
 * text. */
#ifndef ATTEND_TESTS_DATA_HELP_H
#define ATTEND_TESTS_DATA_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/str.h"
#include "data/format.h"

static inline void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

/* ---- bytes ------------------------------------------------------------------------------ */

static inline at_stream *bytes_of(const char *text, size_t size)
{
    at_stream *b;
    attend_error err;
    assert_int_equal(at_stream_memory("file", text, size, &b, &err), ATTEND_OK);
    return b;
}

/* Appends text packed by gzip. */
static inline void pack_gzip(at_str *out, const char *text, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, size);
    unsigned char *packed = malloc(room);
    assert_non_null(packed);
    z.next_in = (unsigned char *)text;
    z.avail_in = (unsigned)size;
    z.next_out = packed;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    at_str_add_bytes(out, (char *)packed, z.total_out);
    deflateEnd(&z);
    free(packed);
}

static inline void put_little(at_str *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value = value >> 7 >> 1) /* all 32 bits may go */
        at_str_add_bytes(out, &(char){(char)value}, 1);
}

typedef struct {
    const char *name, *text;
} packed_file;

/* A zip archive of stored files, up to one without a name. */
static inline void pack_zip(at_str *out, const packed_file *files)
{
    at_str index = {0};
    uint32_t count = 0;
    size_t start = out->length;
    for (; files[count].name; count++) {
        const char *name = files[count].name, *text = files[count].text;
        uint32_t size = (uint32_t)strlen(text), at = (uint32_t)(out->length - start);
        uint32_t sum = (uint32_t)crc32(0, (const unsigned char *)text, size);
        at_str *both[] = {out, &index};
        for (int i = 0; i < 2; i++) {
            at_str_add(both[i], i ? "PK\1\2" : "PK\3\4");
            put_little(both[i], 20, i ? 4 : 2); /* versions */
            put_little(both[i], 0, 8);          /* flags, method, time */
            put_little(both[i], sum, 4);
            put_little(both[i], size, 4);
            put_little(both[i], size, 4);
            put_little(both[i], (uint32_t)strlen(name), 2);
            put_little(both[i], 0, i ? 12 : 2);
            if (i)
                put_little(both[i], at, 4);
            at_str_add(both[i], name);
        }
        at_str_add(out, text);
    }
    uint32_t place = (uint32_t)(out->length - start);
    at_str_add_bytes(out, index.text ? index.text : "", index.length);
    at_str_add(out, "PK\5\6");
    put_little(out, 0, 4);
    put_little(out, count, 2);
    put_little(out, count, 2);
    put_little(out, (uint32_t)index.length, 4);
    put_little(out, place, 4);
    put_little(out, 0, 2);
    at_str_free(&index);
}

/* ---- examples --------------------------------------------------------------------------- */

static inline void show_text(at_str *out, const char *name, at_text t)
{
    at_str_add(out, name);
    at_str_add(out, "[");
    at_str_add_bytes(out, t.text ? t.text : "", t.size);
    at_str_add(out, "]");
}

/* "3:s[source]t[target]l[label]q[question]a[answer@begin]", parts that there are */
static inline void show_example(at_str *out, const at_example *e)
{
    at_str_print(out, "%ld:", e->line);
    show_text(out, e->has & ATTEND_HAS_BREAK ? "!s" : "s", e->source);
    if (e->has & ATTEND_HAS_TARGET)
        show_text(out, "t", e->target);
    if (e->has & ATTEND_HAS_LABEL)
        show_text(out, "l", e->label);
    if (e->has & ATTEND_HAS_QUESTION)
        show_text(out, "q", e->question);
    if (e->rest.size)
        show_text(out, "r", e->rest);
    if (e->id.size)
        show_text(out, "i", e->id);
    for (int i = 0; i < e->answer_count; i++) {
        show_text(out, "a", e->answers[i].text);
        at_str_print(out, "@%zu", e->answers[i].begin);
    }
    at_str_add(out, "\n");
}

/* All examples of a text; options may be NULL. */
static inline attend_status read_all(at_str *out, const char *text, size_t size, const char *second,
                                     const at_read_options *options, attend_error *err)
{
    at_example_reader *r;
    at_example e;
    at_stream *first = bytes_of(text, size);
    at_stream *other = second ? bytes_of(second, strlen(second)) : NULL;
    attend_status status = at_examples_start(first, other, options, &r, err);
    while (status >= 0 && at_examples_next(r, &e, &status, err))
        show_example(out, &e);
    at_examples_close(r);
    return status;
}

#endif
