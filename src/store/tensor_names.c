#include "store/tensor_names.h"

#include <string.h>

enum { CAPTURES = 4 };

typedef struct {
    const char *text[CAPTURES];
    size_t size[CAPTURES];
    int count;
} captured;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t digits(const char *text)
{
    size_t n = 0;
    while (is_digit(text[n]))
        n++;
    return n;
}

static bool match(const char *name, const char *pattern, captured *c)
{
    while (*pattern && *pattern != '*')
        if (*name++ != *pattern++)
            return false;
    if (!*pattern)
        return !*name;
    if (c->count == CAPTURES)
        return false;
    int k = c->count++;
    bool any = pattern[1] == '*';
    pattern += 1 + any;
    c->text[k] = name;
    if (!any) {
        c->size[k] = digits(name);
        return c->size[k] && match(name + c->size[k], pattern, c);
    }
    for (size_t n = strlen(name) + 1; n-- > 0; c->count = k + 1) {
        c->size[k] = n;
        if (match(name + n, pattern, c))
            return true;
    }
    return false;
}

bool at_tensor_rename(const char *name, const char *from, const char *to,
                      char out[ATTEND_TENSOR_NAME_MAX])
{
    captured c = {.count = 0};
    size_t used = 0;
    if (!match(name, from, &c))
        return false;
    for (int k = 0; to && *to;) {
        bool put = *to == '*' && k < c.count;
        const char *text = put ? c.text[k] : to;
        size_t size = put ? c.size[k++] : 1;
        if (size >= ATTEND_TENSOR_NAME_MAX - used)
            return false;
        memcpy(out + used, text, size);
        used += size;
        to += put && to[1] == '*' ? 2 : 1;
    }
    if (to)
        out[used] = '\0';
    return true;
}
