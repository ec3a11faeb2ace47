/* Numbers from text: the whole text or nothing, a decimal point in every locale. */
#ifndef ATTEND_BASE_NUMBER_H
#define ATTEND_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* "-1.5e3"; false for anything else: blanks, hexadecimal, inf, nan, what overflows a double */
bool at_number_real(const char *text, size_t length, double *value);

/* "-12"; false for anything else and for what does not fit */
bool at_number_whole(const char *text, size_t length, long long *value);

/* "4096", "64k", "2M", "1.5G", "8GiB": bytes, with powers of 1024 */
bool at_number_size(const char *text, size_t length, size_t *value);

/* value in as few digits as read back the same, into text (at least 32 bytes), which it returns */
char *at_number_print(char *text, double value);

/* the same for a number that came from a tensor: as few digits as read back the same `real` */
char *at_number_print_real(char *text, double value);

#endif
