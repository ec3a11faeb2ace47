#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static bool steers_terminal(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E)
           || (code >= 0x2066 && code <= 0x2069);
}

void at_printable(char *text)
{
    char *out = text;
    for (size_t left = strlen(text); left;) {
        uint32_t code;
        int size = at_utf8_get(text, left, &code), step = size ? size : 1;
        if (size == 0 || steers_terminal(code))
            *out++ = '?';
        else
            out = (char *)memmove(out, text, (size_t)size) + size;
        text += step;
        left -= (size_t)step;
    }
    *out = '\0';
}

attend_status at_error_v(attend_error *err, attend_status status, const char *format, va_list args)
{
    if (err) {
        err->status = status;
        vsnprintf(err->message, sizeof err->message, format, args);
        at_printable(err->message);
    }
    return status;
}

attend_status at_error(attend_error *err, attend_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at_error_v(err, status, format, args);
    va_end(args);
    return status;
}

attend_status at_error_memory(attend_error *err)
{
    return at_error(err, ATTEND_MEMORY, "out of memory; use a smaller batch or a smaller model");
}

const char *attend_status_name(attend_status status)
{
    switch (status) {
#define X(name, code, text) \
    case ATTEND_##name: return "ATTEND_" #name;
        ATTEND_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *attend_status_text(attend_status status)
{
    switch (status) {
#define X(name, code, text) \
    case ATTEND_##name: return text;
        ATTEND_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}
