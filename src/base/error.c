#include "base/error.h"

#include <stdio.h>

attend_status at_error_v(attend_error *err, attend_status status, const char *format, va_list args)
{
    if (err) {
        err->status = status;
        vsnprintf(err->message, sizeof err->message, format, args);
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
