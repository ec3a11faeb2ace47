/* Written by hand because Jansson holds a whole document in memory, and libyajl calls back for each
 * value where a format wants to pull the next example, and to leave a value to Jansson as text. */
#include "data/json_stream.h"

#include <string.h>

enum { LARGEST = 64 << 20 };

void at_json_stream_start(at_json_stream *p, at_stream *bytes)
{
    p->bytes = bytes;
    p->line = 1;
    p->first = true;
    p->ended = false;
    p->at = p->end = 0;
}

static attend_status fail(const at_json_stream *p, const char *what, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT, "%s:%ld: %s", at_stream_name(p->bytes), p->line, what);
}

/* The next byte, which stays; -1 at the end of the file; a smaller number is a status minus 1. */
static int peek(at_json_stream *p, attend_error *err)
{
    if (p->at == p->end && !p->ended) {
        ptrdiff_t got = at_stream_read(p->bytes, p->buffer, sizeof p->buffer, err);
        if (got < 0)
            return (int)got - 1;
        p->at = 0;
        p->end = (size_t)got;
        p->ended = got == 0;
    }
    return p->at < p->end ? (unsigned char)p->buffer[p->at] : -1;
}

static void step(at_json_stream *p) { p->line += p->buffer[p->at++] == '\n'; }

/* the next byte that is no blank; a byte-order mark counts as one */
static int peek_word(at_json_stream *p, attend_error *err)
{
    int c;
    while ((c = peek(p, err)) == ' ' || c == '\t' || c == '\r' || c == '\n'
           || (p->first && p->line == 1 && (c == 0xEF || c == 0xBB || c == 0xBF)))
        step(p);
    return c;
}

/* where something else was expected */
static attend_status unexpected(const at_json_stream *p, int c, const char *wanted,
                                attend_error *err)
{
    char what[80];
    if (c < -1)
        return (attend_status)(c + 1);
    if (c == -1)
        return fail(p, "the JSON text ends early; get the file again", err);
    at_str text = {0};
    at_str_print(&text, "%s is wanted here, not byte 0x%02X", wanted, (unsigned)c);
    strncpy(what, at_str_text(&text), sizeof what - 1);
    what[sizeof what - 1] = 0;
    at_str_free(&text);
    return fail(p, what, err);
}

attend_status at_json_stream_open(at_json_stream *p, char bracket, attend_error *err)
{
    const char wanted[] = {bracket, 0};
    int c = peek_word(p, err);
    if (c != bracket)
        return unexpected(p, c, wanted, err);
    step(p);
    p->first = true;
    return ATTEND_OK;
}

bool at_json_stream_more(at_json_stream *p, char bracket, attend_status *status, attend_error *err)
{
    const char wanted[] = {',', ' ', 'o', 'r', ' ', bracket, 0};
    int c = peek_word(p, err);
    *status = ATTEND_OK;
    if (c == bracket) {
        step(p);
        p->first = false; /* of what is around it */
        return false;
    }
    if (p->first && c >= 0) {
        p->first = false;
        return true;
    }
    if (c == ',') {
        step(p);
        return true;
    }
    *status = unexpected(p, c, wanted, err);
    return false;
}

/* a string with its quotes, which comes next */
static attend_status take_string(at_json_stream *p, at_str *out, attend_error *err)
{
    bool escaped = false;
    for (bool begun = false;; begun = true) {
        int c = peek(p, err);
        if (c < 0)
            return unexpected(p, c, "a string", err);
        if (out)
            at_str_add_bytes(out, &p->buffer[p->at], 1);
        if (out && out->length > LARGEST)
            return fail(p, "a value of more than 64 MiB", err);
        step(p);
        if (begun && c == '"' && !escaped)
            return ATTEND_OK;
        escaped = c == '\\' && !escaped;
    }
}

attend_status at_json_stream_key(at_json_stream *p, at_str *key, attend_error *err)
{
    at_str_clear(key);
    int c = peek_word(p, err);
    if (c != '"')
        return unexpected(p, c, "a key", err);
    attend_status status = take_string(p, key, err);
    if (status < 0)
        return status;
    if (key->failed)
        return at_error_memory(err);
    c = peek_word(p, err);
    if (c != ':')
        return unexpected(p, c, ":", err);
    step(p);
    memmove(key->text, key->text + 1, key->length - 2);
    key->length -= 2;
    key->text[key->length] = 0;
    return ATTEND_OK;
}

/* Is the value whole before this byte, which follows a number or a word of it at depth 0? */
static bool ends_word(int c) { return c == ',' || c == '}' || c == ']' || c <= ' '; }

attend_status at_json_stream_value(at_json_stream *p, at_str *out, long *line, attend_error *err)
{
    long depth = 0;
    int c = peek_word(p, err);
    if (line)
        *line = p->line;
    if (c < 0 || ends_word(c))
        return unexpected(p, c, "a value", err);
    do {
        c = peek(p, err);
        if (c == '"') {
            attend_status status = take_string(p, out, err);
            if (status < 0)
                return status;
            if (depth == 0)
                break;
            continue;
        }
        if (depth == 0 && ends_word(c) && c >= -1)
            break; /* a number, true, false or null */
        if (c < 0)
            return unexpected(p, c, "a value", err);
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (out)
            at_str_add_bytes(out, &p->buffer[p->at], 1);
        if (out && out->length > LARGEST)
            return fail(p, "a value of more than 64 MiB", err);
        step(p);
        if (depth == 0 && (c == '}' || c == ']'))
            break;
    } while (true);
    return out && out->failed ? at_error_memory(err) : ATTEND_OK;
}

attend_status at_json_stream_end(at_json_stream *p, attend_error *err)
{
    int c = peek_word(p, err);
    return c == -1 ? ATTEND_OK : unexpected(p, c, "the end", err);
}
