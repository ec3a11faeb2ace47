/* A model is a protocol-buffers message:
 *
 *     1: piece      { 1: text, 2: score, 3: type }     repeated
 *     2: trainer    { ... }                            settings, plain values
 *     3: normalizer { 2: rules of characters, ... }    5: denormalizer, alike
 *     4: self test  { ... }
 *
 * A message is a sequence of fields: a number, a wire type, and a value of that type. */
#include "text/spiece_check.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/spiece_rules.h"

enum { MODEL_PIECE = 1, MODEL_NORMALIZER = 3, MODEL_DENORMALIZER = 5 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };
enum { NORMALIZER_RULES = 2 };
enum { NORMAL = 1, UNKNOWN = 2, USER_DEFINED = 4, LAST_TYPE = 6 };
enum { MAX_LENGTH = 8000 };    /* bytes of a piece; newer libraries refuse longer ones themselves */
enum { MAX_NESTED = 64 };      /* user-defined pieces that begin a text at once */
enum { MAX_TOKENS = 1 << 24 }; /* pieces */

typedef struct {
    const unsigned char *at, *end;
} bytes;

typedef struct {
    int number;
    uint64_t value; /* of an integer, or the bits of a float */
    bytes content;  /* of a string or a message */
    bool has_content;
} field;

/* ---- the wire format -------------------------------------------------------------------- */

static bool read_integer(bytes *b, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && b->at < b->end; shift += 7) {
        unsigned char byte = *b->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool read_fixed(bytes *b, int size, uint64_t *value)
{
    *value = 0;
    if (b->end - b->at < size)
        return false;
    for (int i = 0; i < size; i++)
        *value |= (uint64_t)*b->at++ << 8 * i;
    return true;
}

static bool read_content(bytes *b, bytes *content)
{
    uint64_t size;
    if (!read_integer(b, &size) || size > (uint64_t)(b->end - b->at))
        return false;
    *content = (bytes){b->at, b->at + size};
    b->at += size;
    return true;
}

/* The next field; false where the message is damaged. */
static bool read_field(bytes *b, field *f)
{
    uint64_t key;
    *f = (field){0};
    if (!read_integer(b, &key) || key >> 3 == 0 || key >> 3 > 536870911)
        return false;
    f->number = (int)(key >> 3);
    switch (key & 7) {
    case 0: return read_integer(b, &f->value);
    case 1: return read_fixed(b, 8, &f->value);
    case 2: f->has_content = true; return read_content(b, &f->content);
    case 5: return read_fixed(b, 4, &f->value);
    default: return false; /* groups, which no model has */
    }
}

/* ---- pieces ----------------------------------------------------------------------------- */

typedef struct {
    const char *file;
    attend_error *err;
    size_t tokens, unknown;
    bytes *user; /* pieces that are found before all others */
    size_t users, capacity;
} checker;

static attend_status damaged(const checker *c, const char *what)
{
    return at_error(c->err, ATTEND_FORMAT,
                    "%s: is damaged, or no SentencePiece model: %s; get the file again", c->file,
                    what);
}

static attend_status bad_token(const checker *c, const char *what)
{
    return at_error(c->err, ATTEND_FORMAT, "%s: piece %zu %s; get the file again", c->file,
                    c->tokens, what);
}

static attend_status keep_user_defined(checker *c, bytes text)
{
    if (c->users == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 64;
        bytes *user = at_realloc(c->user, c->capacity * sizeof *user, capacity * sizeof *user);
        if (!user)
            return at_error_memory(c->err);
        c->user = user;
        c->capacity = capacity;
    }
    c->user[c->users++] = text;
    return ATTEND_OK;
}

static attend_status check_text(const checker *c, bytes text)
{
    size_t size = (size_t)(text.end - text.at);
    if (size == 0)
        return bad_token(c, "is empty");
    if (size >= MAX_LENGTH)
        return bad_token(c, "is too long");
    if (memchr(text.at, 0, size))
        return bad_token(c, "holds a zero byte");
    if (at_utf8_valid((const char *)text.at, size) < size)
        return bad_token(c, "is no UTF-8");
    return ATTEND_OK;
}

static attend_status check_token(checker *c, bytes message)
{
    field f;
    bytes text = {0};
    uint64_t type = NORMAL;
    float score = 0;
    while (message.at < message.end) {
        if (!read_field(&message, &f))
            return bad_token(c, "cannot be read");
        if (f.number == PIECE_TEXT && f.has_content)
            text = f.content;
        else if (f.number == PIECE_TYPE && !f.has_content)
            type = f.value;
        else if (f.number == PIECE_SCORE && !f.has_content) {
            uint32_t bits = (uint32_t)f.value;
            memcpy(&score, &bits, sizeof score);
        }
    }
    if (type < NORMAL || type > LAST_TYPE)
        return bad_token(c, "has an unknown type");
    if (!isfinite(score))
        return bad_token(c, "has a score that is no number");
    c->unknown += type == UNKNOWN;
    attend_status status = check_text(c, text);
    if (status >= 0 && type == USER_DEFINED)
        status = keep_user_defined(c, text);
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    const bytes *x = a, *y = b;
    size_t n = (size_t)(x->end - x->at), m = (size_t)(y->end - y->at);
    int order = memcmp(x->at, y->at, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

/* The library has room for so many of them that begin each other: a, ab, abc, ... In order of their
 * bytes those that begin one stand before it, so the chain is a stack. */
static attend_status check_nesting(checker *c)
{
    const bytes *chain[MAX_NESTED];
    size_t depth = 0;
    if (c->users)
        qsort(c->user, c->users, sizeof *c->user, by_bytes);
    for (size_t i = 0; i < c->users; i++) {
        const bytes *u = &c->user[i];
        size_t size = (size_t)(u->end - u->at);
        while (depth) {
            size_t n = (size_t)(chain[depth - 1]->end - chain[depth - 1]->at);
            if (n <= size && memcmp(chain[depth - 1]->at, u->at, n) == 0)
                break;
            depth--;
        }
        if (depth == MAX_NESTED)
            return damaged(c, "more than 64 user-defined pieces begin each other");
        chain[depth++] = u;
    }
    return ATTEND_OK;
}

/* ---- the model -------------------------------------------------------------------------- */

static attend_status check_normalizer(const checker *c, bytes message)
{
    field f;
    while (message.at < message.end) {
        if (!read_field(&message, &f))
            return damaged(c, "its normalizer cannot be read");
        if (f.number != NORMALIZER_RULES || !f.has_content)
            continue;
        const char *fault;
        attend_status status = at_spiece_rules_check(
            f.content.at, (size_t)(f.content.end - f.content.at), &fault, c->err);
        if (status < 0 || fault)
            return status < 0 ? status : damaged(c, fault);
    }
    return ATTEND_OK;
}

static attend_status check_field(checker *c, const field *f)
{
    if (f->number == MODEL_PIECE && f->has_content) {
        if (c->tokens == MAX_TOKENS)
            return damaged(c, "it has too many pieces");
        attend_status status = check_token(c, f->content);
        c->tokens++;
        return status;
    }
    if ((f->number == MODEL_NORMALIZER || f->number == MODEL_DENORMALIZER) && f->has_content)
        return check_normalizer(c, f->content);
    return ATTEND_OK;
}

static attend_status check_model(checker *c, bytes message)
{
    field f;
    attend_status status = ATTEND_OK;
    while (message.at < message.end && status >= 0)
        status = read_field(&message, &f) ? check_field(c, &f)
                                          : damaged(c, "a field goes beyond its end");
    if (status < 0)
        return status;
    if (c->tokens == 0)
        return damaged(c, "it has no pieces");
    if (c->unknown != 1)
        return damaged(c, c->unknown ? "several pieces stand for what is unknown"
                                     : "no piece stands for what is unknown");
    return check_nesting(c);
}

attend_status at_spiece_check(const void *model, size_t size, const char *file, attend_error *err)
{
    checker c = {.file = file, .err = err};
    const unsigned char *start = model;
    attend_status status = check_model(&c, (bytes){start, start + size});
    at_free(c.user);
    return status;
}
