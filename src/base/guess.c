#include "base/guess.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_LENGTH = 63 };

static int min(int a, int b) { return a < b ? a : b; }

/* changes, insertions, deletions and swaps of neighbours that lead from a to b (Damerau 1964) */
static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][MAX_LENGTH + 1];
    for (int i = 0; i <= a_length; i++)
        for (int j = 0; j <= b_length; j++) {
            int *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            int steps = above[j - 1] + (a[i - 1] != b[j - 1]);
            steps = min(steps, min(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                steps = min(steps, twice[j - 2] + 1);
            row[j] = steps;
        }
    return rows[a_length % 3][b_length];
}

/* how far a misspelt name, or part of it, may be from the one that is meant */
static int limit(int length) { return 1 + length / 4; }

/* n letters of a, all of them in b */
static bool same_letters(const char *a, const char *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!memchr(b, a[i], (size_t)n))
            return false;
    return true;
}

/* Are the parts of two names, between their dashes, near one by one, and short ones equal but for a
 * swap?
 * min-length is not near max-length, nor mix-lengths: parts have meanings of their own. */
static bool parts_near(const char *a, int a_length, const char *b, int b_length)
{
    bool whole = !memchr(a, '-', (size_t)a_length);
    while (a_length > 0 && b_length > 0) {
        const char *a_dash = memchr(a, '-', (size_t)a_length),
                   *b_dash = memchr(b, '-', (size_t)b_length);
        int m = a_dash ? (int)(a_dash - a) : a_length, n = b_dash ? (int)(b_dash - b) : b_length;
        int found = distance(a, m, b, n);
        if (!a_dash != !b_dash)
            return true; /* a dash too few or too many: the whole decides */
        if (found > limit(m) || (found && !whole && n <= 3 && (m != n || !same_letters(a, b, n))))
            return false;
        a += m + 1;
        b += n + 1;
        a_length -= m + 1;
        b_length -= n + 1;
    }
    return true;
}

/* the same first letter, but for a swap */
static bool same_start(const char *a, const char *b)
{
    return a[0] == b[0] || (a[0] == b[1] && a[1] == b[0]);
}

void at_guess_consider(at_guess *g, const char *candidate, size_t length)
{
    size_t word_length = strlen(g->word);
    if (length == 0 || length > MAX_LENGTH || word_length == 0 || word_length > MAX_LENGTH
        || !same_start(g->word, candidate))
        return;
    int found = distance(g->word, (int)word_length, candidate, (int)length);
    bool near = found <= limit((int)word_length)
                && parts_near(g->word, (int)word_length, candidate, (int)length);
    if (word_length > 2 && word_length < length && memcmp(g->word, candidate, word_length) == 0) {
        found = 1; /* an abbreviation */
        near = true;
    }
    if (!near || found >= (int)length || (*g->best && found >= g->distance))
        return;
    g->distance = found;
    memcpy(g->best, candidate, length);
    g->best[length] = 0;
}
