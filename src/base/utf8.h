/* UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef ATTEND_BASE_UTF8_H
#define ATTEND_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The first character of size bytes. Returns its length, 1 to 4; 0 where there is none or the bytes
 * are no UTF-8, with U+FFFD in code: step over one byte then. */
int at_utf8_get(const char *text, size_t size, uint32_t *code);

/* Writes a character of at most U+10FFFF that is no surrogate; returns its length. */
int at_utf8_put(char out[4], uint32_t code);

/* how many bytes from the start are valid: size, where all are */
size_t at_utf8_valid(const char *text, size_t size);
size_t at_utf8_count_invalid(const char *text, size_t size); /* bytes */

/* how many characters, every invalid byte counted as one */
size_t at_utf8_count(const char *text, size_t size);

/* how many columns of a terminal a character takes: 2 for Chinese, Japanese and Korean ones, full
 * width forms and emoji; 0 for what is drawn over the character before; else 1 */
int at_utf8_columns(uint32_t code);

#endif
