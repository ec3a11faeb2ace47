/* The values of a mechanism in a description: window:5, additive:bias. */
#include <stdio.h>
#include <string.h>

#include "attention/parts.h"
#include "base/number.h"

enum { NAMED = 80 };

int at_values_count(const at_about *about)
{
    int n = 0;
    while (n < ATTEND_VALUES && about->value[n].kind != ATTEND_VALUE_NONE)
        n++;
    return n;
}

/* ---- names -------------------------------------------------------------------------------- */

/* name i of "m,w", and its length */
static const char *name_of(const at_about *about, int i, int *length)
{
    const char *p = about->values;
    while (i-- > 0)
        p += strcspn(p, ",") + 1;
    *length = (int)strcspn(p, ",");
    return p;
}

/* value i in an error: "window:D", "m of expanded:m,w" */
static const char *named(const at_about *about, int i, char text[NAMED])
{
    int length;
    const char *name = name_of(about, i, &length);
    if (at_values_count(about) == 1)
        snprintf(text, NAMED, "%s:%s", about->name, about->values);
    else
        snprintf(text, NAMED, "%.*s of %s:%s", length, name, about->name, about->values);
    return text;
}

/* ---- parsing ------------------------------------------------------------------------------ */

static attend_status refuse_word(const at_about *about, int i, const char *text, attend_error *err)
{
    int length;
    const char *name = name_of(about, i, &length);
    return at_error(err, ATTEND_OPTION, "after '%s:' only '%.*s' may follow, not '%s'", about->name,
                    length, name, text);
}

static attend_status refuse_count(const at_about *about, int count, attend_error *err)
{
    static const char *const numbers[] = {"one number", "two numbers", "three numbers",
                                          "four numbers"};
    char what[200] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(what);
        if (about->value[i].what)
            snprintf(what + used, sizeof what - used, "%s%s", used ? " and " : ", ",
                     about->value[i].what);
    }
    return at_error(err, ATTEND_OPTION, "%s:%s takes %s%s", about->name, about->values,
                    numbers[count - 1], what);
}

static attend_status parse_real(const at_about *about, int i, const char *text, double *number,
                                attend_error *err)
{
    char name[NAMED], min[32], max[32];
    const at_value *v = &about->value[i];
    bool limited = v->min != 0 || v->max != 0, fine = at_number_real(text, strlen(text), number);
    if (fine && (!limited || (*number >= v->min && *number <= v->max)))
        return ATTEND_OK;
    if (!limited)
        return at_error(err, ATTEND_OPTION, "%s takes one number, not '%s'", named(about, i, name),
                        text);
    return at_error(err, ATTEND_OPTION, "%s takes a number from %s to %s, not '%s'",
                    named(about, i, name), at_number_print(min, v->min),
                    at_number_print(max, v->max), text);
}

static attend_status parse_value(const at_about *about, int i, const char *text, double *number,
                                 attend_error *err)
{
    const at_value *v = &about->value[i];
    if (v->kind == ATTEND_VALUE_REAL)
        return parse_real(about, i, text, number, err);
    int n;
    if (v->kind == ATTEND_VALUE_WORD) {
        const char *name = name_of(about, i, &n);
        *number = 1;
        return strlen(text) == (size_t)n && memcmp(text, name, (size_t)n) == 0
                   ? ATTEND_OK
                   : refuse_word(about, i, text, err);
    }
    char name[NAMED];
    attend_status status = at_how_whole(text, named(about, i, name), (int)v->min, (int)v->max, &n,
                                        err);
    *number = status < 0 ? 0 : n;
    return status;
}

/* a value that is left out: its default, or true where it may be missing */
static const char *left_out(const at_value *v, bool *fine)
{
    *fine = v->kind == ATTEND_VALUE_WORD || v->optional || v->default_text;
    return v->default_text;
}

attend_status at_values_parse(at_values *values, const at_about *about, int n,
                              const char *const *texts, attend_error *err)
{
    int count = at_values_count(about);
    *values = (at_values){.given = 0};
    if (count == 0 && n > 0)
        return at_error(err, ATTEND_OPTION, "'%s' takes no value, '%s' was given", about->name,
                        texts[0]);
    if (n > count)
        return about->value[count - 1].kind == ATTEND_VALUE_WORD
                   ? refuse_word(about, count - 1, texts[count], err)
                   : refuse_count(about, count, err);
    for (int i = 0; i < count; i++) {
        bool fine = true;
        const char *text = i < n ? texts[i] : left_out(&about->value[i], &fine);
        if (!fine)
            return refuse_count(about, count, err);
        if (!text)
            break;
        attend_status status = parse_value(about, i, text, &values->number[i], err);
        if (status < 0)
            return status;
        values->given++;
    }
    return ATTEND_OK;
}

/* ---- printing ----------------------------------------------------------------------------- */

void at_values_print(const at_values *values, const at_about *about, char after_name, char *text,
                     size_t size)
{
    snprintf(text, size, "%s", about->name);
    for (int i = 0; i < values->given; i++) {
        char digits[32];
        int length = -1;
        const char *value = digits;
        if (about->value[i].kind == ATTEND_VALUE_WORD)
            value = name_of(about, i, &length);
        else if (about->value[i].kind == ATTEND_VALUE_WHOLE)
            snprintf(digits, sizeof digits, "%d", (int)values->number[i]);
        else
            at_number_print(digits, values->number[i]);
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%c%.*s", i ? ',' : after_name, length, value);
    }
}
