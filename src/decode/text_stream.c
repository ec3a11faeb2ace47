#include "decode/text_stream.h"

#include <string.h>

#include "base/utf8.h"

void at_text_stream_begin(at_text_stream *s, int first, int prompt)
{
    enum { ENOUGH = 16 }; /* tokens that the text of the next one may depend on */
    s->known = prompt;
    s->anchor = prompt - first > ENOUGH ? prompt - ENOUGH : first;
}

/* ids[from] .. ids[to-1] as text */
static attend_status decode(const at_text_stream *s, const int *ids, int from, int to, at_str *out,
                            attend_error *err)
{
    int end = s->tokenizer->special[ATTEND_SPECIAL_EOS];
    attend_status status = ATTEND_OK;
    for (int i = from; i <= to && status >= 0; i++) {
        if (i < to && (s->newlines || ids[i] != end))
            continue;
        status = at_decode(s->tokenizer, ids + from, (size_t)(i - from), ATTEND_DECODE_PLAIN, out,
                           err);
        if (i < to)
            at_str_add(out, "\n");
        from = i + 1;
    }
    return status >= 0 && out->failed ? at_error_memory(err) : status;
}

/* bytes at the end that may be the beginning of a character */
static size_t unfinished(const char *text, size_t size)
{
    for (size_t n = 1; n <= 3 && n <= size; n++) {
        unsigned char c = (unsigned char)text[size - n];
        if (c >= 0xC0)
            return n < (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) ? n : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

static void add_valid(at_str *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t code;
        int n = at_utf8_get(text + i, size - i, &code);
        if (n > 0)
            at_str_add_bytes(out, text + i, (size_t)n);
        else
            at_str_add(out, "\xEF\xBF\xBD");
        i += n > 0 ? (size_t)n : 1;
    }
}

/* Ends the text before a stop string, or after the last line, in what is new from `from` on. */
static void find_end(at_text_stream *s, size_t from)
{
    size_t end = s->text.length;
    const char *text = at_str_text(&s->text);
    for (int i = 0; i < s->stops; i++) {
        size_t n = strlen(s->stop[i]), at = s->given;
        while (n && at + n <= s->text.length && memcmp(text + at, s->stop[i], n) != 0)
            at++;
        if (n && at + n <= s->text.length && at < end) {
            end = at;
            s->stopped = true;
        }
    }
    for (size_t i = from; s->lines && i < end; i++)
        if (text[i] == '\n' && ++s->lines_seen == s->lines) {
            end = i;
            s->stopped = true;
        }
    if (end < s->text.length)
        s->text.text[end] = '\0';
    s->text.length = end;
}

/* bytes at the end of the text that may be the beginning of a stop string */
static size_t waiting(const at_text_stream *s)
{
    size_t longest = 0, size = s->text.length - s->given;
    const char *end = at_str_text(&s->text) + s->text.length;
    for (int i = 0; i < s->stops; i++) {
        size_t n = strlen(s->stop[i]);
        for (size_t k = n ? n - 1 : 0; k > longest; k--)
            if (k <= size && memcmp(end - k, s->stop[i], k) == 0)
                longest = k;
    }
    return longest;
}

static attend_status give(at_text_stream *s, bool last, attend_error *err)
{
    size_t size = s->text.length - s->given;
    size -= last || s->stopped ? 0 : waiting(s);
    const char *from = at_str_text(&s->text) + s->given;
    s->given += size;
    return size && s->give ? s->give(s->user, from, size, err) : ATTEND_OK;
}

attend_status at_text_stream_take(at_text_stream *s, const int *ids, int count, bool last,
                                  attend_error *err)
{
    at_str before = {0}, all = {0};
    attend_status status = decode(s, ids, s->anchor, s->known, &before, err);
    if (status >= 0)
        status = decode(s, ids, s->anchor, count, &all, err);
    size_t n = before.length, old = s->text.length;
    if (status >= 0
        && (n > all.length || memcmp(at_str_text(&all), at_str_text(&before), n) != 0)) {
        at_str_clear(&all); /* the new tokens change what was written: they stand for themselves */
        n = 0;
        status = decode(s, ids, s->known, count, &all, err);
    }
    if (status >= 0 && !s->stopped
        && (last || !unfinished(at_str_text(&all) + n, all.length - n))) {
        add_valid(&s->text, at_str_text(&all) + n, all.length - n);
        s->anchor = s->known;
        s->known = count;
        status = s->text.failed ? at_error_memory(err) : ATTEND_OK;
        if (status >= 0)
            find_end(s, old);
    }
    if (status >= 0)
        status = give(s, last, err);
    at_str_free(&before);
    at_str_free(&all);
    return status;
}
