/* A string that grows. Failure is sticky: append without looking, ask once at the end.
 *
 *     at_str s = {0};
 *     at_str_add(&s, "loss ");
 *     at_str_print(&s, "%.3f", loss);
 *     char *text = at_str_take(&s);           // NULL if memory ran out on the way
 *     ...
 *     at_free(text);
 */
#ifndef ATTEND_BASE_STR_H
#define ATTEND_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *text; /* NULL while empty, else ended by a zero byte; see at_str_text */
    size_t length, capacity;
    bool failed; /* memory ran out: nothing is appended any more */
} at_str;

void at_str_add(at_str *s, const char *text);
void at_str_add_bytes(at_str *s, const char *bytes, size_t count);
void at_str_repeat(at_str *s, const char *text, int times); /* nothing for times <= 0 */
void at_str_print(at_str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void at_str_print_v(at_str *s, const char *format, va_list args);

/* text in columns: left aligned for width > 0, right aligned for width < 0 */
void at_str_pad(at_str *s, const char *text, int width);

/* Words of text up to column `right`; lines after the first start at column `indent`. `column`
 * is where the text starts. A newline in text ends the line. Adds no newline at the end. */
void at_str_wrap(at_str *s, const char *text, int column, int indent, int right);

/* text from an untrusted file, with what could steer a terminal as \n, \t or \x1b */
void at_str_add_safe(at_str *s, const char *text);
void at_str_add_safe_bytes(at_str *s, const char *text, size_t size); /* any bytes, zeros too */

/* text as a JSON string, with its quotes; bytes that are no UTF-8 become U+FFFD */
void at_str_add_json(at_str *s, const char *text);
void at_str_add_json_bytes(at_str *s, const char *text, size_t size); /* any bytes, zeros too */

const char *at_str_text(const at_str *s); /* never NULL; borrowed until the next change */
void at_str_clear(at_str *s);             /* empty again, also of failure; keeps the memory */
void at_str_free(at_str *s);

/* The text, for the caller to at_free; NULL after a failure. s is empty afterwards. */
char *at_str_take(at_str *s);

/* how many columns of a terminal UTF-8 text takes; see at_utf8_columns */
int at_str_columns(const char *text);

#endif
