/* Every attention that makes sense: scores x scopes x picks x heads, from the lists. */
#ifndef ATTEND_TESTS_ATTENTION_EVERY_H
#define ATTEND_TESTS_ATTENTION_EVERY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"

/* what follows a name's colon in the tests; a scope or pick with several forms has several */
static const struct {
    const char *name, *form;
} every_form[] = {
    {"window", "window:1"},
    {"predicted", "predicted:2"},
    {"expanded", "expanded:1,2"},
    {"hybrid", "hybrid:window,1"},
    {"hybrid", "hybrid:predicted,2,0.3"},
    {"hybrid", "hybrid:expanded,0,2"},
    {"additive", "additive"},
    {"additive", "additive:bias"},
    {"location", "location:9"},
    {"gaussian-w", "gaussian-w"},
    {"gaussian-w", "gaussian-w:vector"},
    {"cosine", "cosine"},
    {"cosine", "cosine:2"},
    {"hard", "hard"},
};

/* the forms of a name, at least one: a mechanism without any above has its own example */
static inline int forms_of(const at_about *about, const char *forms[4])
{
    int n = 0;
    for (size_t i = 0; i < sizeof every_form / sizeof *every_form; i++)
        if (strcmp(every_form[i].name, about->name) == 0)
            forms[n++] = every_form[i].form;
    if (n == 0)
        forms[n++] = about->example ? about->example : about->name;
    return n;
}

typedef void every_test(const at_how *how, const char *text, void *user);

/* ATTEND_SCORE=dot in the environment leaves out all scores but that one. */
static inline bool is_left_out(const at_about *score)
{
    const char *only = getenv("ATTEND_SCORE");
    return only && *only && strcmp(only, score->name) != 0;
}

/* more than n, or, of a single score, some */
static inline bool is_enough(int count, int n)
{
    const char *only = getenv("ATTEND_SCORE");
    return count > (only && *only ? 0 : n);
}

/* Calls test for each description that parses; heads are 0 (none) to most. Returns how many. */
static inline int every_attention(int most, every_test *test, void *user)
{
    int count = 0;
    const char *score[4], *scope[4], *pick[4];
    for (int a = 0; a < at_score_count; a++)
        for (int i = is_left_out(&at_scores[a]->about) ? -1
                                                       : forms_of(&at_scores[a]->about, score) - 1;
             i >= 0; i--)
            for (int b = 0; b < at_scope_count; b++)
                for (int j = forms_of(&at_scopes[b]->about, scope) - 1; j >= 0; j--)
                    for (int c = 0; c < at_pick_count; c++)
                        for (int heads = 0; heads <= most; heads++) {
                            char text[120];
                            at_how how;
                            forms_of(&at_picks[c]->about, pick);
                            snprintf(text, sizeof text, heads ? "%s/%s/%s/%d" : "%s/%s/%s",
                                     score[i], scope[j], pick[0], heads);
                            if (at_how_parse(&how, text, NULL) < 0)
                                continue;
                            test(&how, text, user);
                            count++;
                        }
    return count;
}

#endif
