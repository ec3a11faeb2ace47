#include "base/option.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/option_alias.h"

/* ---- choices ---------------------------------------------------------------------------- */

/* the index-th of "a|b|c", or NULL */
static const char *choice_at(const char *choices, int index, size_t *length)
{
    while (choices) {
        *length = strcspn(choices, "|");
        if (index-- == 0)
            return choices;
        const char *bar = strchr(choices, '|');
        choices = bar ? bar + 1 : NULL;
    }
    return NULL;
}

int at_choice_count(const char *choices)
{
    int count = 0;
    for (size_t length; choice_at(choices, count, &length);)
        count++;
    return count;
}

int at_choice_find(const char *choices, const char *word)
{
    size_t length;
    const char *choice;
    for (int i = 0; (choice = choice_at(choices, i, &length)); i++)
        if (length == strlen(word) && memcmp(choice, word, length) == 0)
            return i;
    return -1;
}

void at_choice_print(at_str *out, const char *choices, int index)
{
    size_t length;
    const char *choice = choice_at(choices, index, &length);
    if (choice)
        at_str_add_bytes(out, choice, length);
}

/* ---- one value -------------------------------------------------------------------------- */

static bool limited(const at_option *o) { return o->min < o->max; }

void at_option_range(at_str *out, const at_option *o)
{
    char low[32], high[32];
    if (!limited(o))
        return;
    at_number_print(low, o->min);
    at_number_print(high, o->max);
    if (isinf(o->max))
        at_str_print(out, "at least %s", low);
    else if (isinf(o->min))
        at_str_print(out, "at most %s", high);
    else
        at_str_print(out, "%s to %s", low, high);
}

static attend_status check_range(const at_option *o, double number, const char *value,
                                 const char *where, attend_error *err)
{
    if (!limited(o) || (number >= o->min && number <= o->max))
        return ATTEND_OK;
    char low[32], high[32];
    at_number_print(low, o->min);
    at_number_print(high, o->max);
    if (isinf(o->max))
        return at_error(err, ATTEND_OPTION, "%s: %s is out of range; it must be at least %s", where,
                        value, low);
    if (isinf(o->min))
        return at_error(err, ATTEND_OPTION, "%s: %s is out of range; it must be at most %s", where,
                        value, high);
    return at_error(err, ATTEND_OPTION, "%s: %s is out of range; it goes from %s to %s", where,
                    value, low, high);
}

static attend_status assign_flag(bool *field, const char *value, const char *where,
                                 attend_error *err)
{
    int found = at_choice_find("yes|true|on|1|no|false|off|0", value);
    if (found < 0)
        return at_error(err, ATTEND_OPTION, "%s: \"%s\" is neither yes nor no", where, value);
    *field = found < 4;
    return ATTEND_OK;
}

static attend_status assign_switch(const char **field, const char *value, const char *where,
                                   attend_error *err)
{
    bool on = false;
    attend_status status = assign_flag(&on, value, where, err);
    if (status >= 0)
        *field = on ? "yes" : "no";
    return status;
}

static attend_status assign_int(const at_option *o, const char *value, int *field,
                                const char *where, attend_error *err)
{
    long long number;
    if (!at_number_whole(value, strlen(value), &number))
        return at_error(err, ATTEND_OPTION, "%s: \"%s\" is not a whole number", where, value);
    attend_status status = check_range(o, (double)number, value, where, err);
    if (status < 0)
        return status;
    if (number < INT_MIN || number > INT_MAX)
        return at_error(err, ATTEND_OPTION, "%s: %s is out of range; it goes from %d to %d", where,
                        value, INT_MIN, INT_MAX);
    *field = (int)number;
    return ATTEND_OK;
}

static attend_status assign_real(const at_option *o, const char *value, double *field,
                                 const char *where, attend_error *err)
{
    double number;
    if (!at_number_real(value, strlen(value), &number))
        return at_error(err, ATTEND_OPTION, "%s: \"%s\" is not a number", where, value);
    attend_status status = check_range(o, number, value, where, err);
    if (status == ATTEND_OK)
        *field = number;
    return status;
}

static attend_status assign_size(const at_option *o, const char *value, size_t *field,
                                 const char *where, attend_error *err)
{
    size_t number;
    if (!at_number_size(value, strlen(value), &number))
        return at_error(err, ATTEND_OPTION,
                        "%s: \"%s\" is not a size; write a number, or one with k, M or G", where,
                        value);
    attend_status status = check_range(o, (double)number, value, where, err);
    if (status == ATTEND_OK)
        *field = number;
    return status;
}

static attend_status assign_choice(const at_option *o, const char *value, int *field,
                                   const char *where, attend_error *err)
{
    int found = at_choice_find(o->choices, value);
    if (found < 0)
        found = at_choice_find(o->choices, at_option_alias_value(o->name, value));
    if (found >= 0) {
        *field = found;
        return ATTEND_OK;
    }
    char list[200] = "";
    at_guess guess = {.word = value};
    size_t used = 0, length;
    const char *choice;
    for (int i = 0; (choice = choice_at(o->choices, i, &length)); i++) {
        at_guess_consider(&guess, choice, length);
        if (used + length + 3 > sizeof list)
            break;
        used += (size_t)sprintf(list + used, "%s%.*s", i ? ", " : "", (int)length, choice);
    }
    return at_error(err, ATTEND_OPTION, "%s: \"%s\" is not one of %s%s%s%s", where, value, list,
                    *guess.best ? "; did you mean " : "", guess.best, *guess.best ? "?" : "");
}

static attend_status check_path(const char *value, const char *where, attend_error *err)
{
    if (!*value)
        return at_error(err, ATTEND_OPTION, "%s: the name of the file is empty", where);
    return ATTEND_OK;
}

static attend_status add_path(at_paths *paths, const char *value, const char *where,
                              attend_error *err)
{
    if (paths->count == ATTEND_PATHS_MAX)
        return at_error(err, ATTEND_OPTION, "%s: %s is one too many; at most %d", where, value,
                        ATTEND_PATHS_MAX);
    paths->item[paths->count++] = value;
    return ATTEND_OK;
}

attend_status at_option_assign(const at_option *o, const char *value, void *fields,
                               const char *where, attend_error *err)
{
    attend_status status = ATTEND_OK;
    void *field = (char *)fields + o->offset;
    switch (o->type) {
    case ATTEND_OPTION_FLAG: return assign_flag(field, value, where, err);
    case ATTEND_OPTION_SWITCH: return assign_switch(field, value, where, err);
    case ATTEND_OPTION_INT: return assign_int(o, value, field, where, err);
    case ATTEND_OPTION_REAL: return assign_real(o, value, field, where, err);
    case ATTEND_OPTION_SIZE: return assign_size(o, value, field, where, err);
    case ATTEND_OPTION_CHOICE: return assign_choice(o, value, field, where, err);
    case ATTEND_OPTION_PATHS:
        status = check_path(value, where, err);
        return status < 0 ? status : add_path(field, value, where, err);
    case ATTEND_OPTION_TEXTS: return add_path(field, value, where, err);
    case ATTEND_OPTION_PATH: status = check_path(value, where, err); break;
    case ATTEND_OPTION_STRING: break;
    }
    if (status == ATTEND_OK)
        *(const char **)field = value;
    return status;
}

static void print_paths(at_str *out, const at_paths *paths)
{
    for (int i = 0; i < paths->count; i++)
        at_str_print(out, "%s%s", i ? "," : "", paths->item[i]);
}

void at_option_print(at_str *out, const at_option *o, const void *fields)
{
    const void *field = (const char *)fields + o->offset;
    const char *text;
    char number[32];
    switch (o->type) {
    case ATTEND_OPTION_FLAG: at_str_add(out, *(const bool *)field ? "yes" : "no"); break;
    case ATTEND_OPTION_INT: at_str_print(out, "%d", *(const int *)field); break;
    case ATTEND_OPTION_REAL:
        at_str_add(out, at_number_print(number, *(const double *)field));
        break;
    case ATTEND_OPTION_SIZE: at_str_print(out, "%zu", *(const size_t *)field); break;
    case ATTEND_OPTION_CHOICE: at_choice_print(out, o->choices, *(const int *)field); break;
    case ATTEND_OPTION_SWITCH:
    case ATTEND_OPTION_STRING:
    case ATTEND_OPTION_PATH:
        text = *(const char *const *)field;
        at_str_add(out, text ? text : "");
        break;
    case ATTEND_OPTION_TEXTS:
    case ATTEND_OPTION_PATHS: print_paths(out, field); break;
    }
}

static void assign_nothing(const at_option *o, void *fields)
{
    void *field = (char *)fields + o->offset;
    switch (o->type) {
    case ATTEND_OPTION_FLAG: *(bool *)field = false; break;
    case ATTEND_OPTION_INT:
    case ATTEND_OPTION_CHOICE: *(int *)field = 0; break;
    case ATTEND_OPTION_REAL: *(double *)field = 0; break;
    case ATTEND_OPTION_SIZE: *(size_t *)field = 0; break;
    case ATTEND_OPTION_SWITCH:
    case ATTEND_OPTION_STRING:
    case ATTEND_OPTION_PATH: *(const char **)field = NULL; break;
    case ATTEND_OPTION_TEXTS:
    case ATTEND_OPTION_PATHS: ((at_paths *)field)->count = 0; break;
    }
}

attend_status at_options_defaults(const at_option *options, void *fields, attend_error *err)
{
    for (const at_option *o = options; o->name; o++) {
        attend_status status = ATTEND_OK;
        if (o->value)
            status = at_option_assign(o, o->value, fields, o->name, err);
        else
            assign_nothing(o, fields);
        if (status < 0)
            return status;
    }
    return ATTEND_OK;
}

/* ---- command line ----------------------------------------------------------------------- */

static const at_option *find_name(const at_option_set *sets, int n, const char *name, size_t length,
                                  void **fields)
{
    for (int i = 0; i < n; i++)
        for (const at_option *o = sets[i].options; o->name; o++)
            if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) {
                *fields = sets[i].fields;
                return o;
            }
    return NULL;
}

/* by name, else by alias: an alias never hides an option */
static const at_option *find(const at_option_set *sets, int n, const char *name, size_t length,
                             void **fields)
{
    const at_option *o = find_name(sets, n, name, length, fields);
    const at_option_alias *a = o ? NULL : at_option_alias_find(name, length);
    if (!a || (a->unless && find_name(sets, n, a->unless, strlen(a->unless), fields)))
        return o;
    return find_name(sets, n, a->name, strlen(a->name), fields);
}

const at_option *at_option_find(const at_option_set *sets, int n_sets, const char *name,
                                void **fields)
{
    return find(sets, n_sets, name, strlen(name), fields);
}

static const at_option *find_letter(const at_option_set *sets, int n, char letter, void **fields)
{
    for (int i = 0; i < n && letter; i++)
        for (const at_option *o = sets[i].options; o->name; o++)
            if (o->letter == letter) {
                *fields = sets[i].fields;
                return o;
            }
    return NULL;
}

/* where a command line stands */
typedef struct {
    const at_option_set *sets;
    int n_sets, argc, next;
    char **argv;
    attend_error *err;
} line;

void at_option_guess(at_guess *guess, const at_option_set *sets, int n_sets, bool file)
{
    if (at_option_alias_find(guess->word, strlen(guess->word)))
        return;
    for (int i = 0; i < n_sets; i++)
        for (const at_option *o = sets[i].options; o->name; o++)
            if (!o->hidden && !(file && o->line_only))
                at_guess_consider(guess, o->name, strlen(o->name));
}

static attend_status unknown(const line *l, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word);
    const char *refusal = at_option_refusal(name);
    if (refusal)
        return at_error(l->err, ATTEND_OPTION, "--%s: %s; leave the option out", name, refusal);
    at_guess guess = {.word = name};
    at_option_guess(&guess, l->sets, l->n_sets, false);
    if (*guess.best)
        return at_error(l->err, ATTEND_OPTION, "unknown option --%s; did you mean --%s?", name,
                        guess.best);
    return at_error(l->err, ATTEND_OPTION, "unknown option --%s", name);
}

/* A forgotten value shows in what comes next: another option, or nothing. A number may be
 * negative, and a lone dash is standard input. */
static bool looks_like_option(const line *l, const char *word)
{
    void *fields;
    if (word[0] != '-' || !word[1])
        return false;
    return word[1] == '-' || find_letter(l->sets, l->n_sets, word[1], &fields);
}

static attend_status take_value(line *l, const at_option *o, void *fields, const char *where)
{
    if (l->next >= l->argc || looks_like_option(l, l->argv[l->next]))
        return at_error(l->err, ATTEND_OPTION, "%s needs a value: %s %s", where, where,
                        o->meta ? o->meta : "VALUE");
    return at_option_assign(o, l->argv[l->next++], fields, where, l->err);
}

/* length: of the name before an equals sign */
static attend_status parse_no(line *l, const char *word, size_t length)
{
    void *fields;
    const at_option *o = NULL;
    if (length > 3 && memcmp(word, "no-", 3) == 0)
        o = find(l->sets, l->n_sets, word + 3, length - 3, &fields);
    if (!o)
        return unknown(l, word, length);
    if (!at_option_is_flag(o))
        return at_error(l->err, ATTEND_OPTION,
                        "--no-%s: --%s takes a value and cannot be turned off", o->name, o->name);
    if (word[length])
        return at_error(l->err, ATTEND_OPTION, "--no-%s takes no value", o->name);
    return at_option_assign(o, "no", fields, o->name, l->err);
}

static attend_status parse_long(line *l, const char *word)
{
    size_t length = strcspn(word, "=");
    void *fields;
    const at_option *o = find(l->sets, l->n_sets, word, length, &fields);
    if (!o)
        return parse_no(l, word, length);
    char where[80];
    snprintf(where, sizeof where, "--%s", o->name);
    if (word[length] == '=')
        return at_option_assign(o, word + length + 1, fields, where, l->err);
    if (at_option_is_flag(o))
        return at_option_assign(o, "yes", fields, where, l->err);
    return take_value(l, o, fields, where);
}

/* -n value, -nvalue, -abc */
static attend_status parse_short(line *l, const char *letters)
{
    for (; *letters; letters++) {
        void *fields;
        char where[3] = {'-', *letters, 0};
        const at_option *o = find_letter(l->sets, l->n_sets, *letters, &fields);
        if (!o)
            return at_error(l->err, ATTEND_OPTION, "unknown option %s%s", where,
                            letters[1] ? "; a long name has two dashes" : "");
        if (!at_option_is_flag(o) && letters[1])
            return at_option_assign(o, letters + 1, fields, where, l->err);
        if (!at_option_is_flag(o))
            return take_value(l, o, fields, where);
        attend_status status = at_option_assign(o, "yes", fields, where, l->err);
        if (status < 0)
            return status;
    }
    return ATTEND_OK;
}

/* "-1.5" is an operand unless 1 is somebody's letter */
static bool is_operand(const line *l, const char *word)
{
    if (word[0] != '-' || !word[1])
        return true;
    void *fields;
    return (isdigit((unsigned char)word[1]) || word[1] == '.')
           && !find_letter(l->sets, l->n_sets, word[1], &fields);
}

attend_status at_options_parse(const at_option_set *sets, int n_sets, int argc, char **argv,
                               int *operands, attend_error *err)
{
    line l = {.sets = sets, .n_sets = n_sets, .argc = argc, .argv = argv, .err = err};
    attend_status status = ATTEND_OK;
    int count = 0;
    bool ended = false;
    while (status == ATTEND_OK && l.next < argc) {
        char *word = argv[l.next++];
        if (ended || is_operand(&l, word))
            argv[count++] = word;
        else if (strcmp(word, "--") == 0)
            ended = true;
        else if (word[1] == '-')
            status = parse_long(&l, word + 2);
        else
            status = parse_short(&l, word + 1);
    }
    *operands = count;
    return status;
}

/* ---- defaults ------------------------------------------------------------------------------- */

/* room for the field of one option, whatever its type */
typedef union {
    bool b;
    int i;
    double d;
    size_t s;
    const char *t;
    at_paths p;
} any_field;

static attend_status assign_default(const at_option *o, any_field *field, attend_error *err)
{
    at_option alone = *o;
    alone.offset = 0;
    *field = (any_field){.p = {0}};
    return o->value ? at_option_assign(&alone, o->value, field, o->name, err) : ATTEND_OK;
}

bool at_option_is_set(const at_option *option, const void *fields)
{
    any_field own;
    at_option alone = *option;
    at_str now = {0}, before = {0};
    alone.offset = 0;
    if (assign_default(option, &own, NULL) < 0)
        return false;
    at_option_print(&before, &alone, &own);
    at_option_print(&now, option, fields);
    bool set = strcmp(at_str_text(&before), at_str_text(&now)) != 0;
    at_str_free(&now);
    at_str_free(&before);
    return set;
}

/* ---- soundness -------------------------------------------------------------------------- */

/* "no-" turns a flag off: no flag begins with it */
static bool plain_name(const at_option *o)
{
    const char *name = o->name;
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name)
           && *name != '-' && strlen(name) < 64
           && !(at_option_is_flag(o) && strncmp(name, "no-", 3) == 0);
}

static attend_status check_one(const at_option *o, attend_error *err)
{
    any_field scratch;
    if (!plain_name(o))
        return at_error(err, ATTEND_OPTION, "--%s: a name is small letters, digits, dashes",
                        o->name);
    if (o->letter && !isalnum((unsigned char)o->letter))
        return at_error(err, ATTEND_OPTION, "--%s: its letter is no letter", o->name);
    if (!o->help || !*o->help || o->help[strlen(o->help) - 1] == '.')
        return at_error(err, ATTEND_OPTION, "--%s: help is a sentence without full stop", o->name);
    if ((o->type == ATTEND_OPTION_CHOICE) != (o->choices != NULL))
        return at_error(err, ATTEND_OPTION, "--%s: choices and type do not fit", o->name);
    return assign_default(o, &scratch, err);
}

static int count_same(const at_option_set *sets, int n, const at_option *o)
{
    int same = 0;
    for (int i = 0; i < n; i++)
        for (const at_option *other = sets[i].options; other->name; other++)
            same += strcmp(o->name, other->name) == 0 || (o->letter && o->letter == other->letter);
    return same;
}

attend_status at_options_check(const at_option_set *sets, int n_sets, attend_error *err)
{
    for (int i = 0; i < n_sets; i++)
        for (const at_option *o = sets[i].options; o->name; o++) {
            if (count_same(sets, n_sets, o) > 1)
                return at_error(err, ATTEND_OPTION, "--%s: its name or letter is used twice",
                                o->name);
            attend_status status = check_one(o, err);
            if (status < 0)
                return status;
        }
    return ATTEND_OK;
}
