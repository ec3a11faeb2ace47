/* Packed: numbers as little-endian groups of seven bits, the highest bit of a byte saying that more
 * follow; texts as their size and their bytes. */
#include "data/example.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

bool at_text_position(at_text t, size_t character, size_t *byte)
{
    size_t at = 0;
    for (; character && at < t.size; character--) {
        uint32_t code;
        int length = at_utf8_get(t.text + at, t.size - at, &code);
        at += length ? (size_t)length : 1;
    }
    *byte = at;
    return character == 0;
}

static void put_number(at_str *out, uint64_t n)
{
    char bytes[10];
    size_t count = 0;
    for (; n >= 0x80; n >>= 7)
        bytes[count++] = (char)(n | 0x80);
    bytes[count++] = (char)n;
    at_str_add_bytes(out, bytes, count);
}

static uint64_t get_number(const unsigned char **in)
{
    uint64_t n = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char byte = *(*in)++;
        n |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return n;
    }
}

static void put_text(at_str *out, at_text t)
{
    put_number(out, t.size);
    at_str_add_bytes(out, t.text ? t.text : "", t.size);
}

static at_text get_text(const unsigned char **in)
{
    size_t size = (size_t)get_number(in);
    at_text t = {(const char *)*in, size};
    *in += size;
    return t;
}

/* the texts in the order in which they are kept */
static void texts(at_example *e, at_text *list[7])
{
    at_text *all[] = {&e->source, &e->target, &e->label, &e->question, &e->id, &e->rest, &e->group};
    memcpy(list, all, sizeof all);
}

void at_example_pack(at_str *out, const at_example *e)
{
    at_example copy = *e;
    at_text *list[7];
    texts(&copy, list);
    put_number(out, e->has);
    put_number(out, (uint64_t)e->file);
    put_number(out, (uint64_t)e->line << 1 | e->repaired);
    for (int i = 0; i < 7; i++)
        put_text(out, *list[i]);
    put_number(out, (uint64_t)e->answer_count);
    for (int i = 0; i < e->answer_count; i++) {
        put_text(out, e->answers[i].text);
        put_number(out, e->answers[i].begin);
        put_number(out, e->answers[i].byte);
    }
}

bool at_example_unpack(at_example *e, const void *bytes, at_arena *arena)
{
    const unsigned char *in = bytes;
    at_text *list[7];
    *e = (at_example){.has = (unsigned)get_number(&in)};
    texts(e, list);
    e->file = (int)get_number(&in);
    uint64_t line = get_number(&in);
    e->line = (long)(line >> 1);
    e->repaired = line & 1;
    for (int i = 0; i < 7; i++)
        *list[i] = get_text(&in);
    int count = (int)get_number(&in);
    if (!count || !arena)
        return true;
    e->answer_count = count;
    at_answer *answers = at_arena_alloc_small(arena, (size_t)e->answer_count * sizeof *answers);
    for (int i = 0; answers && i < e->answer_count; i++) {
        answers[i].text = get_text(&in);
        answers[i].begin = (size_t)get_number(&in);
        answers[i].byte = (size_t)get_number(&in);
    }
    e->answers = answers;
    return answers != NULL;
}
