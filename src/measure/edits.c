/* The distance of Levenshtein near the diagonal.
 *
 *     d[i][j] = min(d[i-1][j-1] + (words differ), d[i-1][j] + 1, d[i][j-1] + 1)
 *
 * for j within 25 columns of i * m / n, as sacreBLEU and nearly as Tercom has it; on equal costs
 * the first of the three counts. That choice decides which words are aligned, and so which shifts
 * are tried: it is part of the measure.
 *
 * The rows of the matrix depend on the words above them alone. After a shift, rows above the first
 * word that moved are as before; and once a row below the last one is equal to the old one, so are
 * all that follow. */
#include "measure/edits.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { BEAM = 25, INFINITE = 1 << 29 };
enum { NOTHING, KEEP, REPLACE, DELETE, INSERT };

void at_edits_free(at_edits *e)
{
    at_free(e->memory);
    *e = (at_edits){0};
}

/* ---- memory ----------------------------------------------------------------------------- */

/* the next piece of a block; with a NULL block it only counts */
static void *take(char **block, size_t *used, size_t count, size_t size)
{
    size_t bytes = (count * size + 63) / 64 * 64;
    void *piece = *block ? *block + *used : NULL;
    *used += bytes;
    return piece;
}

static size_t lay_out(at_edits *e, char *block)
{
    size_t n = e->rows + 1, m = e->columns + 2, used = 0;
    e->first = take(&block, &used, n + 1, sizeof *e->first);
    e->end = take(&block, &used, n + 1, sizeof *e->end);
    e->cost = take(&block, &used, n * e->stride, sizeof *e->cost);
    e->op = take(&block, &used, n * e->stride, sizeof *e->op);
    for (int i = 0; i < 2; i++)
        e->line[i] = take(&block, &used, m, sizeof *e->line[i]);
    e->words = take(&block, &used, n, sizeof *e->words);
    e->moved = take(&block, &used, n, sizeof *e->moved);
    e->best = take(&block, &used, n, sizeof *e->best);
    e->aligned = take(&block, &used, m, sizeof *e->aligned);
    e->wrong_words = take(&block, &used, n + 1, sizeof *e->wrong_words);
    e->wrong_reference = take(&block, &used, m, sizeof *e->wrong_reference);
    return used;
}

static bool reserve(at_edits *e)
{
    size_t bytes = lay_out(e, NULL);
    if (bytes > e->capacity) {
        at_free(e->memory);
        e->memory = at_alloc(bytes);
        e->capacity = e->memory ? bytes : 0;
    }
    if (!e->memory)
        return false;
    lay_out(e, e->memory);
    return true;
}

bool at_edits_start(at_edits *e, size_t n, const uint32_t *reference, size_t m)
{
    double ratio = n ? (double)m / (double)n : 1;
    size_t beam = BEAM < ratio / 2 ? (size_t)ceil(ratio / 2 + BEAM) : BEAM;
    e->reference = reference;
    e->rows = n;
    e->columns = m;
    e->stride = 2 * beam + 2; /* the last row goes to the end, which may be two columns further */
    if (n >= INFINITE / 4 || m >= INFINITE / 4 || n > SIZE_MAX / 8 / e->stride || !reserve(e))
        return false;
    e->first[0] = 0;
    e->end[0] = m + 1;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = (size_t)floor((double)i * ratio);
        e->first[i] = diagonal > beam ? diagonal - beam : 0;
        e->end[i] = diagonal + beam < m + 1 && i < n ? diagonal + beam : m + 1;
    }
    e->end[n + 1] = m + 1;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------- */

static int32_t *stored(const at_edits *e, size_t i)
{
    return e->cost + (i - 1) * e->stride; /* from column first[i] on */
}

static size_t columns_of(const at_edits *e, size_t i) { return e->end[i] - e->first[i]; }

/* A row from the one before, for the i-th word; op may be NULL. Columns next to a row that the
 * following row may ask for are infinite. */
static void next_row(const at_edits *e, size_t i, uint32_t word, const int32_t *above, int32_t *row,
                     unsigned char *op)
{
    size_t first = e->first[i], end = e->end[i], j = first;
    int32_t left = INFINITE;
    if (first == 0) {
        left = row[0] = above[0] + 1;
        if (op)
            op[0] = DELETE;
        j = 1;
    } else
        row[first - 1] = INFINITE;
    for (; j < end; j++) {
        int differs = word != e->reference[j - 1];
        int32_t best = INFINITE, replaced = above[j - 1] + differs;
        unsigned char how = NOTHING;
        if (best > replaced)
            best = replaced, how = differs ? REPLACE : KEEP;
        if (best > above[j] + 1)
            best = above[j] + 1, how = DELETE;
        if (best > left + 1)
            best = left + 1, how = INSERT;
        left = row[j] = best;
        if (op)
            op[j - first] = how;
    }
    size_t next_end = i < e->rows ? e->end[i + 1] : end;
    for (j = end; j < next_end; j++)
        row[j] = INFINITE;
}

/* row i of the hypothesis last computed, with its infinite neighbours */
static void restore_row(const at_edits *e, size_t i, int32_t *row)
{
    if (i == 0) {
        for (size_t j = 0; j <= e->columns; j++)
            row[j] = (int32_t)j;
        return;
    }
    size_t first = e->first[i];
    if (first > 0)
        row[first - 1] = INFINITE;
    memcpy(row + first, stored(e, i), columns_of(e, i) * sizeof *row);
    for (size_t j = e->end[i]; i < e->rows && j < e->end[i + 1]; j++)
        row[j] = INFINITE;
}

/* ---- distances -------------------------------------------------------------------------- */

/* where each word went, from the last one backwards */
static void trace(at_edits *e)
{
    size_t i = e->rows, j = e->columns;
    while (i > 0 || j > 0) {
        int op = i == 0 ? INSERT : j == 0 ? DELETE : NOTHING;
        if (op == NOTHING && j >= e->first[i] && j < e->end[i])
            op = e->op[(i - 1) * e->stride + j - e->first[i]];
        if (op != INSERT)
            e->wrong_words[i] = op != KEEP;
        if (op != DELETE) {
            e->aligned[j - 1] = (ptrdiff_t)i - 1;
            e->wrong_reference[j] = op != KEEP;
        }
        i -= op != INSERT;
        j -= op != DELETE;
    }
    e->wrong_words[0] = e->wrong_reference[0] = 0;
    for (i = 1; i <= e->rows; i++)
        e->wrong_words[i] += e->wrong_words[i - 1];
    for (j = 1; j <= e->columns; j++)
        e->wrong_reference[j] += e->wrong_reference[j - 1];
}

int32_t at_edits_distance(at_edits *e, const uint32_t *words)
{
    int32_t *above = e->line[0], *row = e->line[1];
    restore_row(e, 0, above);
    for (size_t i = 1; i <= e->rows; i++) {
        next_row(e, i, words[i - 1], above, row, e->op + (i - 1) * e->stride);
        memcpy(stored(e, i), row + e->first[i], columns_of(e, i) * sizeof *row);
        int32_t *other = above;
        above = row;
        row = other;
    }
    trace(e);
    return above[e->columns];
}

int32_t at_edits_distance_moved(at_edits *e, const uint32_t *words, size_t from, size_t to)
{
    int32_t *above = e->line[0], *row = e->line[1];
    restore_row(e, from, above);
    for (size_t i = from + 1; i <= e->rows; i++) {
        next_row(e, i, words[i - 1], above, row, NULL);
        if (i >= to && memcmp(stored(e, i), row + e->first[i], columns_of(e, i) * sizeof *row) == 0)
            return stored(e, e->rows)[e->columns - e->first[e->rows]];
        int32_t *other = above;
        above = row;
        row = other;
    }
    return above[e->columns];
}
