#include "train/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/guess.h"
#include "base/number.h"

enum { LONGEST = 80 }; /* of a value, and of a name with its owner */

static char dash(char c) { return c == '_' ? '-' : c; }

static bool same_word(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (dash(a[i]) != dash(b[i]))
            return false;
    return true;
}

int at_word_place(const char *list, const char *word, size_t length)
{
    for (int place = 0; *list; place++) {
        size_t size = strcspn(list, " ");
        if (size == length && same_word(list, word, length))
            return place;
        list += size + strspn(list + size, " ");
    }
    return -1;
}

const at_option *at_setting_find(const at_settings *s, const char *name, size_t length)
{
    if (at_word_place(s->has, name, length) < 0)
        return NULL;
    for (const at_option *o = s->options; o->name; o++)
        if (strlen(o->name) == length && same_word(o->name, name, length))
            return o;
    return NULL;
}

static attend_status unknown(const at_settings *s, const char *name, size_t length,
                             attend_error *err)
{
    char word[LONGEST];
    snprintf(word, sizeof word, "%.*s", (int)(length < LONGEST ? length : LONGEST - 1), name);
    at_guess guess = {.word = word};
    for (const char *next = s->has; *next; next += strspn(next, " ")) {
        size_t size = strcspn(next, " ");
        at_guess_consider(&guess, next, size);
        next += size;
    }
    return at_error(err, ATTEND_OPTION, "%s has no setting \"%s\"%s%s%s; it has: %s", s->owner,
                    word, *guess.best ? "; did you mean " : "", guess.best, *guess.best ? "?" : "",
                    *s->has ? s->has : "none");
}

static attend_status assign(const at_settings *s, const at_option *o, const char *value,
                            attend_error *err)
{
    char where[2 * LONGEST];
    snprintf(where, sizeof where, "%s: %s", s->owner, o->name);
    return at_option_assign(o, value, s->fields, where, err);
}

attend_status at_setting_set(const at_settings *s, const char *name, double value,
                             attend_error *err)
{
    const at_option *o = at_setting_find(s, name, strlen(name));
    at_str word = {0};
    char text[32];
    if (!o)
        return unknown(s, name, strlen(name), err);
    bool whole = value == floor(value) && fabs(value) < 1e15;
    if (whole && o->type != ATTEND_OPTION_REAL)
        snprintf(text, sizeof text, "%.0f", value);
    else
        at_number_print(text, value);
    if (o->type == ATTEND_OPTION_CHOICE && whole)
        at_choice_print(&word, o->choices, value >= 0 && value < 100 ? (int)value : 100);
    attend_status status = assign(s, o, word.length ? at_str_text(&word) : text, err);
    at_str_free(&word);
    return status;
}

/* one "name=value", or the name of a flag */
static attend_status parse_one(const at_settings *s, const char *text, size_t length,
                               attend_error *err)
{
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals ? (size_t)(equals - text) : length;
    const at_option *o = at_setting_find(s, text, name_length);
    char value[LONGEST] = "yes";
    if (!o)
        return unknown(s, text, name_length, err);
    if (!equals && o->type != ATTEND_OPTION_FLAG)
        return at_error(err, ATTEND_OPTION, "%s: %s needs a value; write %s=VALUE", s->owner,
                        o->name, o->name);
    if (equals && length - name_length > LONGEST)
        return at_error(err, ATTEND_OPTION, "%s: the value of %s is too long", s->owner, o->name);
    if (equals)
        snprintf(value, sizeof value, "%.*s", (int)(length - name_length - 1), equals + 1);
    return assign(s, o, value, err);
}

attend_status at_settings_parse(const at_settings *s, const char *text, attend_error *err)
{
    while (*text) {
        size_t length = strcspn(text, ",");
        attend_status status = parse_one(s, text, length, err);
        if (status != ATTEND_OK)
            return status;
        text += length;
        if (*text == ',' && !*++text)
            return at_error(err, ATTEND_OPTION, "%s: a setting must follow the last comma",
                            s->owner);
    }
    return ATTEND_OK;
}

bool at_settings_has(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ','))
        if (strncmp(p + 1, name, n) == 0 && p[1 + n] == '=')
            return true;
    return false;
}
