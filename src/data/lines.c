#include "data/lines.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

enum { MAX_LENGTH = 1 << 20, FIRST_CAPACITY = 1 << 16 };

/* ---- repair ----------------------------------------------------------------------------- */

/* Windows-1252 where it differs from Latin-1: 0x80 to 0x9F; 0: nothing is there */
static const uint16_t windows[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static uint32_t from_windows(unsigned char byte)
{
    if (byte == 0 || (byte >= 0x80 && byte < 0xA0 && !windows[byte - 0x80]))
        return 0xFFFD;
    return byte >= 0x80 && byte < 0xA0 ? windows[byte - 0x80] : byte;
}

size_t at_repair(at_str *out, const char *text, size_t size, bool latin1)
{
    size_t changed = 0;
    for (size_t at = 0; at < size;) {
        uint32_t code;
        char letter[4];
        int length = latin1 ? 0 : at_utf8_get(text + at, size - at, &code);
        if (length == 0 || code == 0) {
            code = latin1 ? from_windows((unsigned char)text[at]) : 0xFFFD;
            changed += code >= 0x80;
            length = 1;
        }
        at_str_add_bytes(out, letter, (size_t)at_utf8_put(letter, code));
        at += (size_t)length;
    }
    return changed;
}

/* ---- opening ---------------------------------------------------------------------------- */

attend_status at_lines_start(at_line_stream *s, at_stream *bytes, const at_line_options *options,
                             attend_error *err)
{
    *s = (at_line_stream){.bytes = bytes, .name = at_stream_name(bytes)};
    if (options)
        s->options = *options;
    if (!s->options.max_length)
        s->options.max_length = MAX_LENGTH;
    s->buffer = at_alloc(FIRST_CAPACITY);
    s->capacity = FIRST_CAPACITY;
    return s->buffer ? ATTEND_OK : at_error_memory(err);
}

attend_status at_lines_open(at_line_stream *s, const char *path, const at_line_options *options,
                            attend_error *err)
{
    at_stream *bytes;
    *s = (at_line_stream){0};
    attend_status status = at_stream_open(path, &bytes, err);
    return status < 0 ? status : at_lines_start(s, bytes, options, err);
}

void at_lines_close(at_line_stream *s)
{
    at_stream_close(s->bytes);
    at_free(s->buffer);
    at_str_free(&s->fixed);
    at_str_free(&s->kept);
    *s = (at_line_stream){0};
}

/* ---- the next line ---------------------------------------------------------------------- */

/* Makes room behind what is there, for a byte at least and the zero after a line. */
static bool reserve(at_line_stream *s)
{
    if (s->at) {
        memmove(s->buffer, s->buffer + s->at, s->end - s->at);
        s->end -= s->at;
        s->at = 0;
    }
    if (s->end + 1 < s->capacity)
        return true;
    char *buffer = at_realloc(s->buffer, s->end, 2 * s->capacity);
    if (!buffer)
        return false;
    s->buffer = buffer;
    s->capacity *= 2;
    return true;
}

static attend_status fill(at_line_stream *s, attend_error *err)
{
    if (!reserve(s))
        return at_error_memory(err);
    ptrdiff_t got = at_stream_read(s->bytes, s->buffer + s->end, s->capacity - s->end - 1, err);
    if (got < 0)
        return (attend_status)got;
    s->ended = got == 0;
    s->end += (size_t)got;
    return ATTEND_OK;
}

/* Where the line at s->at ends: its \n, or the end of what there is when that is the end of the
 * file or the line is too long. */
static attend_status find_end(at_line_stream *s, char **end, attend_error *err)
{
    size_t seen = 0; /* bytes of the line without a \n */
    for (;;) {
        char *line = s->buffer + s->at;
        size_t size = s->end - s->at;
        *end = memchr(line + seen, '\n', size - seen);
        if (*end)
            return ATTEND_OK;
        *end = line + size;
        if (s->ended || size > s->options.max_length)
            return ATTEND_OK;
        seen = size;
        attend_status status = fill(s, err);
        if (status < 0)
            return status;
    }
}

/* the rest of a line that is too long */
static attend_status skip_rest(at_line_stream *s, attend_error *err)
{
    s->at = s->end;
    for (;;) {
        char *end = memchr(s->buffer + s->at, '\n', s->end - s->at);
        s->at = end ? (size_t)(end - s->buffer) + 1 : s->end;
        if (!end && s->ended)
            s->flags |= ATTEND_LINE_OPEN;
        if (end || s->ended)
            return ATTEND_OK;
        attend_status status = fill(s, err);
        if (status < 0)
            return status;
    }
}

/* Cuts at the limit, at a character's border where there is one; the memory of the line is kept
 * aside before the rest is read over it. */
static attend_status cut(at_line_stream *s, bool ended, attend_error *err)
{
    size_t size = s->options.max_length;
    for (int back = 0; back < 3 && size && (s->text[size] & 0xC0) == 0x80; back++)
        size--;
    s->flags |= ATTEND_LINE_LONG;
    if (!s->options.lenient)
        return at_error(err, ATTEND_FORMAT,
                        "%s:%ld: a line of more than %zu bytes; allow longer ones, or check that "
                        "this is text",
                        s->name, s->number, s->options.max_length);
    at_str_clear(&s->kept);
    at_str_add_bytes(&s->kept, s->text, size);
    if (s->kept.failed)
        return at_error_memory(err);
    s->text = s->kept.text;
    s->size = size;
    return ended ? ATTEND_OK : skip_rest(s, err);
}

static attend_status take(at_line_stream *s, attend_error *err)
{
    char *end;
    attend_status status = find_end(s, &end, err);
    if (status < 0)
        return status;
    s->text = s->buffer + s->at;
    s->size = (size_t)(end - s->text);
    s->number++;
    s->flags = 0;
    bool ended = end < s->buffer + s->end; /* by a \n */
    s->at += s->size + ended;
    if (!ended && s->ended)
        s->flags |= ATTEND_LINE_OPEN;
    if (s->number == 1 && s->size >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0) {
        s->flags |= ATTEND_LINE_MARK;
        s->text += 3;
        s->size -= 3;
    }
    if (s->size && s->text[s->size - 1] == '\r' && (ended || s->ended)) {
        s->flags |= ATTEND_LINE_RETURN;
        s->size--;
    }
    if (s->size > s->options.max_length)
        return cut(s, ended || s->ended, err);
    s->text[s->size] = 0;
    return ATTEND_OK;
}

/* ---- what it must not hold -------------------------------------------------------------- */

static attend_status refuse(const at_line_stream *s, size_t position, attend_error *err)
{
    unsigned byte = (unsigned char)s->text[position];
    if (byte == 0)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: a zero byte; is this a text file?", s->name,
                        s->number);
    return at_error(err, ATTEND_FORMAT,
                    "%s:%ld: byte 0x%02X in column %zu is no UTF-8; if the file is in Latin-1, say "
                    "--encoding latin-1",
                    s->name, s->number, byte, at_utf8_count(s->text, position) + 1);
}

static attend_status inspect(at_line_stream *s, attend_error *err)
{
    size_t valid = at_utf8_valid(s->text, s->size);
    const char *zero = memchr(s->text, 0, s->size);
    bool utf8 = s->options.encoding == ATTEND_ENCODING_UTF8 && !s->options.lenient;
    s->flags |= (zero ? ATTEND_LINE_ZERO : 0u) | (valid < s->size ? ATTEND_LINE_INVALID : 0u);
    s->raw = s->text;
    s->raw_size = s->size;
    if (s->options.observe)
        s->options.observe(s->options.user, s);
    if (zero && !s->options.lenient)
        return refuse(s, (size_t)(zero - s->text), err);
    if (valid < s->size && utf8)
        return refuse(s, valid, err);
    if (!zero && valid == s->size)
        return ATTEND_OK;
    bool latin1 = valid < s->size && s->options.encoding == ATTEND_ENCODING_LATIN1;
    at_str_clear(&s->fixed);
    s->replaced += at_repair(&s->fixed, s->text, s->size, latin1);
    s->repaired++;
    s->text = s->fixed.text;
    s->size = s->fixed.length;
    return s->fixed.failed ? at_error_memory(err) : ATTEND_OK;
}

bool at_lines_next(at_line_stream *s, attend_status *status, attend_error *err)
{
    *status = ATTEND_OK;
    if (s->at == s->end && !s->ended)
        *status = fill(s, err);
    if (*status < 0 || (s->at == s->end && s->ended))
        return false;
    *status = take(s, err);
    if (*status >= 0)
        *status = inspect(s, err);
    return *status >= 0;
}
