/* On utf8proc, whose tables are those of its Unicode version; lists that do not change with it
 * are written out. */
#include "text/unicode.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/utf8.h"

static utf8proc_category_t category(uint32_t code)
{
    return utf8proc_category((utf8proc_int32_t)code);
}

bool at_is_space(uint32_t c)
{
    if (c < 0x80)
        return at_is_ascii_space((unsigned char)c);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028
           || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

int at_space_at(const char *text, size_t size)
{
    uint32_t code;
    if (size && (unsigned char)*text < 0x80)
        return at_is_space((unsigned char)*text);
    int length = at_utf8_get(text, size, &code);
    return length && at_is_space(code) ? length : 0;
}

bool at_is_control(uint32_t code)
{
    switch (category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN: return true;
    default: return false;
    }
}

bool at_is_mark(uint32_t code) { return category(code) == UTF8PROC_CATEGORY_MN; }
bool at_is_lower(uint32_t code) { return category(code) == UTF8PROC_CATEGORY_LL; }
bool at_is_digit(uint32_t code) { return category(code) == UTF8PROC_CATEGORY_ND; }

bool at_is_upper(uint32_t code)
{
    utf8proc_category_t k = category(code);
    return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LT;
}

bool at_is_punctuation(uint32_t c)
{
    if (c < 0x80)
        return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96)
               || (c >= 123 && c <= 126);
    utf8proc_category_t k = category(c);
    return k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO;
}

bool at_is_symbol(uint32_t code)
{
    utf8proc_category_t k = category(code);
    return k >= UTF8PROC_CATEGORY_SM && k <= UTF8PROC_CATEGORY_SO;
}

bool at_is_bound(uint32_t code)
{
    utf8proc_category_t k = category(code);
    return (k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME) || k == UTF8PROC_CATEGORY_CF;
}

bool at_is_letter(uint32_t code)
{
    utf8proc_category_t k = category(code);
    return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

bool at_is_chinese(uint32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF)
           || (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2CEAF)
           || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool at_is_japanese(uint32_t c)
{
    return (c >= 0x3041 && c <= 0x3096) || (c >= 0x309D && c <= 0x309F)
           || (c >= 0x30A1 && c <= 0x30FA) || (c >= 0x30FC && c <= 0x30FF)
           || (c >= 0x31F0 && c <= 0x31FF) || (c >= 0xFF66 && c <= 0xFF9D);
}

bool at_is_wide(uint32_t c)
{
    return at_is_chinese(c) || at_is_japanese(c) || (c >= 0x3001 && c <= 0x303F)
           || (c >= 0xFF01 && c <= 0xFF65);
}

int at_lower(uint32_t code, uint32_t out[2])
{
    if (code == 0x130) { /* the one character whose lower case is longer */
        out[0] = 'i';
        out[1] = 0x307;
        return 2;
    }
    out[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    return 1;
}

static int decompose(uint32_t code, utf8proc_option_t options, uint32_t *out, int max)
{
    utf8proc_int32_t part[ATTEND_COMPATIBLE_MAX];
    int boundary = 0;
    utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, part, max, options,
                                                 &boundary);
    if (n < 1 || n > max) {
        out[0] = code;
        return 1;
    }
    for (int i = 0; i < n; i++)
        out[i] = (uint32_t)part[i];
    return (int)n;
}

int at_decompose(uint32_t code, uint32_t out[4])
{
    return decompose(code, UTF8PROC_DECOMPOSE, out, 4);
}

int at_decompose_compatible(uint32_t code, uint32_t out[ATTEND_COMPATIBLE_MAX])
{
    return decompose(code, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, out, ATTEND_COMPATIBLE_MAX);
}

int at_combining_class(uint32_t code)
{
    return utf8proc_get_property((utf8proc_int32_t)code)->combining_class;
}

/* one stretch of valid UTF-8 */
static bool normalise_valid(utf8proc_option_t options, const char *text, size_t size, at_str *out)
{
    utf8proc_uint8_t *result = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size,
                                      &result, options);
    if (n < 0)
        return false;
    at_str_add_bytes(out, (const char *)result, (size_t)n);
    free(result);
    return !out->failed;
}

bool at_normalise(at_normal_form form, const char *text, size_t size, at_str *out)
{
    static const utf8proc_option_t options[] = {
        [ATTEND_NFC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE,
        [ATTEND_NFD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
        [ATTEND_NFKC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
        [ATTEND_NFKD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT,
    };
    while (size) {
        size_t valid = at_utf8_valid(text, size);
        if (valid && !normalise_valid(options[form], text, valid, out))
            return false;
        if (valid < size) {
            at_str_add(out, "\xEF\xBF\xBD");
            valid++;
        }
        text += valid;
        size -= valid;
    }
    return !out->failed;
}
