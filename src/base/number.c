#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"

enum { MAX_LENGTH = 400 }; /* DBL_MAX written out has 309 digits */

/* A program that uses the library may have chosen a locale with a decimal comma, which strtod and
 * printf would follow. Making the "C" locale costs nothing: the C library keeps it ready. */
static locale_t plain(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

bool at_number_real(const char *text, size_t length, double *value)
{
    char copy[MAX_LENGTH + 1];
    if (length == 0 || length > MAX_LENGTH)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr("+-.0123456789eE", text[i]))
            return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *end;
    locale_t c = plain();
    if (!c)
        return false;
    double result = strtod_l(copy, &end, c);
    freelocale(c);
    if (end != copy + length || !isfinite(result))
        return false;
    *value = result;
    return true;
}

bool at_number_whole(const char *text, size_t length, long long *value)
{
    char copy[32];
    if (length == 0 || length >= sizeof copy || isspace((unsigned char)*text))
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *end;
    errno = 0;
    long long result = strtoll(copy, &end, 10);
    if (end != copy + length || end == copy || errno)
        return false;
    *value = result;
    return true;
}

/* the power of 1024 that a unit stands for, or -1 */
static int unit_power(const char *unit, size_t length)
{
    static const char letters[] = "kMGT";
    if (length == 0)
        return 0;
    const char *found = *unit == 'K' ? letters : strchr(letters, *unit);
    bool plain = length == 1 || (length == 2 && unit[1] == 'B');
    if (!*unit || !found || !(plain || (length == 3 && memcmp(unit + 1, "iB", 2) == 0)))
        return -1;
    return (int)(found - letters) + 1;
}

bool at_number_size(const char *text, size_t length, size_t *value)
{
    size_t digits = 0;
    while (digits < length && (isdigit((unsigned char)text[digits]) || text[digits] == '.'))
        digits++;
    int power = unit_power(text + digits, length - digits);
    if (power < 0)
        return false;
    long long whole;
    if (power == 0 && at_number_whole(text, length, &whole)) {
        *value = (size_t)whole; /* exact above 2^53, too */
        return true;
    }
    double number;
    if (!at_number_real(text, digits, &number))
        return false;
    number = ldexp(number, 10 * power);
    if (number != floor(number) || number >= 0x1p63)
        return false;
    *value = (size_t)number;
    return true;
}

static void print_shortest(char *text, double value, bool tensor)
{
    double back;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (at_number_real(text, strlen(text), &back)
            && (tensor ? (real)back == (real)value : back == value))
            return;
    }
}

static char *print(char *text, double value, bool tensor)
{
    locale_t c = plain(), old = uselocale(c);
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(text, 32, "%.0f", value); /* not 1e+06 */
    else
        print_shortest(text, value, tensor);
    uselocale(old);
    if (c)
        freelocale(c);
    return text;
}

char *at_number_print(char *text, double value) { return print(text, value, false); }

char *at_number_print_real(char *text, double value) { return print(text, value, true); }
