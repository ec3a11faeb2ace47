#include "data/permute.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/masking.h"

void at_permuting_defaults(at_permuting *p, const at_tokenizer *tokenizer)
{
    *p = (at_permuting){.tokenizer = tokenizer, .share = 1.0 / 6, .max_span = 5};
}

/* ---- which tokens ----------------------------------------------------------------------- */

/* A text of which nothing is visible keeps its first token. */
static int count_chosen(const at_batch *b, int row, const at_permuting *p, unsigned char *chosen)
{
    size_t first = (size_t)row * (size_t)b->source.T;
    int n = b->source.lengths[row], count = 0;
    for (int i = 0; i < n; i++) {
        bool other = p->second && !(b->segments && b->segments[first + (size_t)i] == 1);
        chosen[i] &= !other && !at_tokenizer_is_special(p->tokenizer, b->source.ids[first + i]);
        count += chosen[i];
    }
    if (n > 0 && count == n)
        chosen[0] = 0;
    return count - (n > 0 && count == n);
}

/* Sets chosen [T] for a text of n tokens; returns how many there are. */
static int choose(const at_batch *b, int row, const at_permuting *p, unsigned char *chosen)
{
    at_random key = {p->seed, b->step, (uint32_t)row, at_random_name("span")};
    int n = b->source.lengths[row];
    uint32_t draw = 0;
    memset(chosen, 0, (size_t)b->source.T);
    for (int at = 0; at < n;) {
        int span = 1 + (int)at_random_below(key, draw++, (uint32_t)p->max_span);
        int stretch = (int)(span / p->share);
        stretch = stretch > span ? stretch : span;
        int from = at + (int)at_random_below(key, draw++, (uint32_t)(stretch - span + 1));
        for (int i = from; i < from + span && i < n; i++)
            chosen[i] = 1;
        at += stretch;
    }
    return count_chosen(b, row, p, chosen);
}

/* ---- who sees whom ---------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Ranks of a text: places in a random order for what is predicted, and for special tokens, which
 * thereby see a part of it. What is neither is seen by all, and sees nothing that is predicted. */
static void rank(const at_batch *b, int row, const at_permuting *p, const unsigned char *chosen,
                 uint64_t *order, at_permutation *out)
{
    at_random key = {p->seed, b->step, (uint32_t)row, at_random_name("order")};
    size_t first = (size_t)row * (size_t)b->source.T;
    int *query = out->query_rank + first, *keys = out->key_rank + first, count = 0;
    for (int i = 0; i < b->source.T; i++) {
        query[i] = 0;
        keys[i] = -1;
        if (i < b->source.lengths[row]
            && (chosen[i] || at_tokenizer_is_special(p->tokenizer, b->source.ids[first + i])))
            order[count++] = (uint64_t)at_random_u32(key, (uint32_t)i) << 32 | (uint32_t)i;
    }
    qsort(order, (size_t)count, sizeof *order, compare);
    for (int place = 0; place < count; place++) {
        size_t i = (size_t)(uint32_t)order[place];
        query[i] = place;
        if (chosen[i])
            keys[i] = place;
    }
}

/* ---- all -------------------------------------------------------------------------------- */

static void list(const at_batch *b, int row, const unsigned char *chosen, at_permutation *out)
{
    const int *ids = b->source.ids + (size_t)row * (size_t)b->source.T;
    int *positions = out->positions + (size_t)row * (size_t)out->P, count = 0;
    int *targets = out->targets + (size_t)row * (size_t)out->P;
    for (int i = 0; i < b->source.lengths[row]; i++)
        if (chosen[i]) {
            positions[count] = i;
            targets[count++] = ids[i];
        }
    for (; count < out->P; count++) {
        positions[count] = -1;
        targets[count] = ATTEND_NO_TARGET;
    }
}

attend_status at_permute(const at_batch *batch, const at_permuting *p, at_arena *arena,
                         at_permutation *out, attend_error *err)
{
    size_t B = (size_t)batch->source.B, T = (size_t)batch->source.T;
    unsigned char *chosen = at_arena_alloc(arena, B * T);
    uint64_t *order = at_arena_alloc(arena, T * sizeof *order);
    *out = (at_permutation){.B = (int)B, .T = (int)T, .P = 1};
    out->query_rank = at_arena_alloc(arena, B * T * sizeof *out->query_rank);
    out->key_rank = at_arena_alloc(arena, B * T * sizeof *out->key_rank);
    if (!chosen || !order || !out->query_rank || !out->key_rank)
        return at_error_memory(err);
    for (size_t row = 0; row < B; row++) {
        int count = choose(batch, (int)row, p, chosen + row * T);
        out->count += (size_t)count;
        out->P = count > out->P ? count : out->P;
    }
    out->positions = at_arena_alloc(arena, B * (size_t)out->P * sizeof *out->positions);
    out->targets = at_arena_alloc(arena, B * (size_t)out->P * sizeof *out->targets);
    if (!out->positions || !out->targets)
        return at_error_memory(err);
    for (size_t row = 0; row < B; row++) {
        rank(batch, (int)row, p, chosen + row * T, order, out);
        list(batch, (int)row, chosen + row * T, out);
    }
    return ATTEND_OK;
}
