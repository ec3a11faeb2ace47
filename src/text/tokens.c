/* The list of pieces, and what can be said of them from the text alone. */
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

static bool grow(at_tokens *p)
{
    size_t capacity = p->capacity ? 2 * p->capacity : 64;
    at_token *item = at_realloc(p->item, p->capacity * sizeof *item, capacity * sizeof *item);
    if (!item) {
        p->failed = true;
        return false;
    }
    p->item = item;
    p->capacity = capacity;
    return true;
}

void at_tokens_add(at_tokens *p, int32_t id, size_t begin, size_t end)
{
    if (p->failed || (p->count == p->capacity && !grow(p)))
        return;
    p->item[p->count++] = (at_token){
        .id = id, .word = ATTEND_NO_WORD, .begin = (uint32_t)begin, .end = (uint32_t)end};
}

void at_tokens_clear(at_tokens *p)
{
    p->count = p->invalid = 0;
    p->failed = false;
}

void at_tokens_free(at_tokens *p)
{
    at_free(p->item);
    *p = (at_tokens){0};
}

/* ---- characters ------------------------------------------------------------------------- */

/* a place that walks forward through a text */
typedef struct {
    const char *text;
    size_t size, byte;
    uint32_t character;
} walker;

static void walk_to(walker *w, size_t byte)
{
    uint32_t code;
    if (byte < w->byte) /* rare: a piece of the frame, behind others */
        w->byte = w->character = 0;
    while (w->byte < byte) {
        int length = at_utf8_get(w->text + w->byte, w->size - w->byte, &code);
        if (length > 1 && w->byte + (size_t)length > byte)
            return; /* inside a character: at its start */
        w->byte += length ? (size_t)length : 1;
        w->character++;
    }
}

/* A piece that ends inside a character (byte-level kinds cut there) reaches to its end. */
static uint32_t end_of(walker *w, size_t byte)
{
    walk_to(w, byte);
    return w->character + (w->byte < byte);
}

void at_tokens_in_characters(at_tokens *p, const char *text, size_t size)
{
    walker begin = {.text = text, .size = size}, end = begin;
    for (size_t i = 0; i < p->count; i++) {
        at_token *item = &p->item[i];
        walk_to(&begin, item->begin);
        item->begin = begin.character;
        item->end = end_of(&end, item->end);
    }
}

/* ---- words ------------------------------------------------------------------------------ */

/* words that have begun before `byte`, which moves forward */
typedef struct {
    const char *text;
    size_t size, byte;
    uint32_t words;
    bool inside; /* is the last of them still going on at byte? */
} counter;

/* Steps over one character; returns whether it is white space. */
static inline bool step(counter *c)
{
    unsigned char byte = (unsigned char)c->text[c->byte];
    int blank = byte < 0x80 ? at_is_ascii_space(byte)
                            : at_space_at(c->text + c->byte, c->size - c->byte);
    if (!blank && !c->inside)
        c->words++;
    c->inside = !blank;
    c->byte += blank ? (size_t)blank : 1; /* the bytes within a character are no white space */
    return blank != 0;
}

uint32_t at_tokens_number_words(at_tokens *p, size_t first, const char *text, size_t size)
{
    counter c = {.text = text, .size = size};
    for (size_t i = first; i < p->count; i++) {
        at_token *item = &p->item[i];
        if (item->begin == item->end)
            continue;
        while (c.byte < item->begin)
            step(&c);
        bool seen = c.byte > item->begin; /* it shares bytes with the piece before it */
        while (!seen && c.byte < item->end)
            seen = !step(&c);
        item->word = seen ? c.words - 1 : c.words;
    }
    while (c.byte < c.size)
        step(&c);
    return c.words;
}
