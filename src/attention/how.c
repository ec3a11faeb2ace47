/* The description language: SCORE[/SCOPE[/PICK[/HEADS]]], each name[:value[,value]]. */
#include <stdio.h>
#include <string.h>

#include "attention/parts.h"
#include "base/guess.h"
#include "base/number.h"

enum { MAX_PARTS = 4, MAX_VALUES = 5, MAX_HEADS = 256, MAX_LENGTH = 200 };

/* what a part is that is left out */
static const at_how standard = {
    .score = &at_score_scaled_dot, .scope = &at_scope_global, .pick = &at_pick_soft};

/* ---- names -------------------------------------------------------------------------------- */

static bool is_called(const at_about *a, const char *name)
{
    if (strcmp(a->name, name) == 0)
        return true;
    size_t length = strlen(name);
    for (const char *p = a->aliases; p && *p && length;) {
        size_t n = strcspn(p, " ");
        if (n == length && memcmp(p, name, n) == 0)
            return true;
        p += n + strspn(p + n, " ");
    }
    return false;
}

/* what a list of mechanisms looks like to the parser; every row begins with its at_about */
typedef struct {
    const char *kind;
    const void *const *list;
    int count;
} names;

#define NAMES(what, rows, n) ((names){what, (const void *const *)(rows), n})

/* A name that stands in another place of the description. */
static bool is_elsewhere(const char *kind, const char *name, attend_error *err)
{
    const struct {
        names all;
        const char *before;
    } places[] = {{NAMES("score", at_scores, at_score_count), ""},
                  {NAMES("scope", at_scopes, at_scope_count), "SCORE/"},
                  {NAMES("pick", at_picks, at_pick_count), "SCORE/SCOPE/"}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int i = 0; i < places[k].all.count && strcmp(places[k].all.kind, kind) != 0; i++)
            if (is_called(places[k].all.list[i], name)) {
                at_error(err, ATTEND_OPTION, "attention has no %s '%s'; '%s' is a %s: %s%s%s", kind,
                         name, name, places[k].all.kind, places[k].before, name,
                         k ? "" : "/SCOPE/PICK");
                return true;
            }
    return false;
}

static const void *find(names all, const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < all.count; i++) {
        const at_about *a = all.list[i];
        if (is_called(a, name))
            return all.list[i];
        at_guess_consider(&guess, a->name, strlen(a->name));
    }
    if (is_elsewhere(all.kind, name, err))
        return NULL;
    char known[200] = "";
    for (int i = 0; i < all.count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                 ((const at_about *)all.list[i])->name);
    }
    at_error(err, ATTEND_OPTION, "attention has no %s '%s'%s%s%s; there are %s", all.kind, name,
             *guess.best ? " (did you mean '" : "", guess.best, *guess.best ? "'?)" : "", known);
    return NULL;
}

const at_scope *at_scope_find(const char *name, attend_error *err)
{
    return find(NAMES("scope", at_scopes, at_scope_count), name, err);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* cuts "name:a,b" into name and values, in place */
static int cut_values(char *part, const char *values[MAX_VALUES + 1])
{
    int n = 0;
    char *colon = strchr(part, ':');
    if (!colon)
        return 0;
    *colon = '\0';
    for (char *p = colon + 1; p && n <= MAX_VALUES; n++) {
        values[n] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = '\0';
    }
    return n;
}

attend_status at_how_whole(const char *text, const char *what, int min, int max, int *value,
                           attend_error *err)
{
    long long n;
    if (!at_number_whole(text, strlen(text), &n) || n < min || n > max)
        return at_error(err, ATTEND_OPTION, "%s takes a whole number from %d to %d, not '%s'", what,
                        min, max, text);
    *value = (int)n;
    return ATTEND_OK;
}

static attend_status parse_part(at_how *how, int i, char *part, attend_error *err)
{
    const char *values[MAX_VALUES + 1];
    if (i == 3)
        return at_how_whole(part, "the number of heads", 1, MAX_HEADS, &how->heads, err);
    int n = cut_values(part, values);
    if (n > MAX_VALUES)
        return at_error(err, ATTEND_OPTION, "too many values after '%s:'", part);
    if (i == 0) {
        how->score = find(NAMES("score", at_scores, at_score_count), part, err);
        return !how->score
                   ? ATTEND_OPTION
                   : at_values_parse(&how->score_values, &how->score->about, n, values, err);
    }
    if (i == 1) {
        how->scope = at_scope_find(part, err);
        return !how->scope ? ATTEND_OPTION
               : how->scope->parse
                   ? how->scope->parse(how, n, values, err)
                   : at_values_parse(&how->scope_values, &how->scope->about, n, values, err);
    }
    how->pick = find(NAMES("pick", at_picks, at_pick_count), part, err);
    return !how->pick ? ATTEND_OPTION
                      : at_values_parse(&how->pick_values, &how->pick->about, n, values, err);
}

/* ---- sense -------------------------------------------------------------------------------- */

static attend_status check(const at_how *how, attend_error *err)
{
    if (at_how_local(how)->has_blocks && how->score->knows_positions)
        return at_error(err, ATTEND_OPTION,
                        "%s and %s do not go together: a block of keys has "
                        "no single position to score",
                        how->score->about.name, at_how_local(how)->about.name);
    return ATTEND_OK;
}

attend_status at_how_parse(at_how *how, const char *text, attend_error *err)
{
    char copy[MAX_LENGTH];
    *how = standard;
    if (strlen(text) >= sizeof copy)
        return at_error(err, ATTEND_OPTION, "an attention is described in fewer than %d characters",
                        MAX_LENGTH);
    strcpy(copy, text);
    char *part = copy;
    for (int i = 0; part; i++) {
        char *slash = strchr(part, '/');
        if (slash)
            *slash++ = '\0';
        if (i >= MAX_PARTS)
            return at_error(err, ATTEND_OPTION, "'%s' has more parts than SCORE/SCOPE/PICK/HEADS",
                            text);
        if (!*part)
            return at_error(err, ATTEND_OPTION,
                            "'%s' has an empty part; parts may be left out from "
                            "the right only",
                            text);
        attend_status status = parse_part(how, i, part, err);
        if (status < 0)
            return status;
        part = slash;
    }
    return check(how, err);
}

attend_status at_how_check_width(const at_how *how, int width, attend_error *err)
{
    if (how->heads < 1 || width % how->heads == 0)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "attention: a width of %d cannot be cut into %d heads; choose a number of "
                    "heads that divides it",
                    width, how->heads);
}

attend_status at_how_check_keys(const at_how *how, bool bidirectional, attend_error *err)
{
    if (!bidirectional || !how->score->one_width || how->heads)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "attention %s needs keys as wide as the query, and an encoder of two "
                    "directions has them twice as wide; take bilinear or additive, or heads",
                    how->score->about.name);
}

int at_how_max_length(const at_how *how, int max_length)
{
    bool limits = how->score && how->score->limits_length;
    int known = limits ? (int)how->score_values.number[0] : 0;
    return known > 0 && (max_length == 0 || known < max_length) ? known : max_length;
}

/* ---- printing ----------------------------------------------------------------------------- */

void at_how_print(const at_how *how, char *text, size_t size)
{
    char score[MAX_LENGTH], scope[MAX_LENGTH], pick[MAX_LENGTH];
    bool has_pick = how->pick != standard.pick || how->pick_values.given;
    bool has_scope = how->scope != standard.scope || how->scope_values.given;
    int parts = how->heads ? 4 : has_pick ? 3 : has_scope ? 2 : 1;
    at_values_print(&how->score_values, &how->score->about, ':', score, sizeof score);
    at_values_print(&how->pick_values, &how->pick->about, ':', pick, sizeof pick);
    if (how->scope->print)
        how->scope->print(how, scope, sizeof scope);
    else
        at_values_print(&how->scope_values, &how->scope->about, ':', scope, sizeof scope);
    switch (parts) {
    case 1: snprintf(text, size, "%s", score); break;
    case 2: snprintf(text, size, "%s/%s", score, scope); break;
    case 3: snprintf(text, size, "%s/%s/%s", score, scope, pick); break;
    default: snprintf(text, size, "%s/%s/%s/%d", score, scope, pick, how->heads); break;
    }
}
