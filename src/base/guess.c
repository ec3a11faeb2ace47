#include "base/guess.h"

#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b) { return a < b ? a : b; }

/* changes, insertions, deletions and swaps of neighbours that lead from a to b (Damerau 1964) */
static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LONGEST + 1];
    for (int i = 0; i <= a_length; i++)
        for (int j = 0; j <= b_length; j++) {
            int *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            int steps = above[j - 1] + (a[i - 1] != b[j - 1]);
            steps = least(steps, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                steps = least(steps, twice[j - 2] + 1);
            row[j] = steps;
        }
    return rows[a_length % 3][b_length];
}

void at_guess_consider(at_guess *g, const char *candidate, size_t length)
{
    size_t word_length = strlen(g->word);
    if (length == 0 || length > LONGEST || word_length == 0 || word_length > LONGEST)
        return;
    int far = 1 + (int)word_length / 4;
    int found = distance(g->word, (int)word_length, candidate, (int)length);
    if (word_length > 2 && word_length < length && memcmp(g->word, candidate, word_length) == 0)
        found = 1; /* an abbreviation */
    if (found > far || found >= (int)length || (*g->best && found >= g->distance))
        return;
    g->distance = found;
    memcpy(g->best, candidate, length);
    g->best[length] = 0;
}
