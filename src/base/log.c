#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static attend_log_function *receiver;
static void *receiver_user;

void attend_set_log(attend_log_function *function, void *user)
{
    receiver = function;
    receiver_user = user;
}

void at_log(attend_log_level level, const char *format, ...)
{
    if (!receiver)
        return;
    char message[1004];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof message)
        memcpy(message + sizeof message - 4, "...", 4);
    at_printable(message);
    receiver(receiver_user, level, message);
}
