#include "cli/line_warnings.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/utf8.h"

static void count(at_line_warning *o, long line)
{
    if (!o->times++)
        o->first = line;
}

void at_line_warnings_take(at_line_warnings *o, long line, const char **text, size_t *size)
{
    if (line == 1 && *size >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0) {
        o->mark = true;
        *text += 3;
        *size -= 3;
    }
    if (*size && (*text)[*size - 1] == '\r') {
        count(&o->carriages, line);
        --*size;
    }
    if (memchr(*text, 0, *size))
        count(&o->zeros, line);
    if (o->texts && memchr(*text, '\t', *size))
        count(&o->tabs, line);
    if (at_utf8_valid(*text, *size) < *size)
        count(&o->invalid, line);
}

static void warn(const at_line_warning *o, const char *name, const char *what, const char *then)
{
    if (o->times)
        at_log(ATTEND_LOG_WARNING, "%ld line%s with %s, the first at %s:%ld%s", o->times,
               o->times == 1 ? "" : "s", what, at_show(name).text, o->first, then);
}

void at_line_warnings_report(at_line_warnings *o, const char *name)
{
    warn(&o->invalid, name, "bytes that are no UTF-8", "");
    warn(&o->zeros, name, "zero bytes", o->blanks ? "; they were read as blanks" : "");
    warn(&o->tabs, name, "a tab", ", read as a blank; of a table, cut -f 1 takes the first column");
    if (o->mark)
        at_log(ATTEND_LOG_INFO, "%s:1: a byte-order mark was skipped", at_show(name).text);
    if (o->carriages.times)
        at_log(ATTEND_LOG_INFO, "%s:%ld: \\r\\n ends %ld line%s; the \\r was skipped",
               at_show(name).text, o->carriages.first, o->carriages.times,
               o->carriages.times == 1 ? "" : "s");
    *o = (at_line_warnings){0};
}
