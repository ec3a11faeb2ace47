/* "did you mean": the word nearest to a misspelt one among those it is shown. It
 * begins with the same letter, and each of its parts between dashes is near.
 *
 *     at_guess guess = {.word = "stesp"};
 *     for each option: at_guess_consider(&guess, name, strlen(name));
 *     guess.best                              // "steps", or "" when none is near
 */
#ifndef ATTEND_BASE_GUESS_H
#define ATTEND_BASE_GUESS_H

#include <stddef.h>

typedef struct {
    const char *word;
    char best[64];
    int distance;
} at_guess;

void at_guess_consider(at_guess *g, const char *candidate, size_t length);

#endif
