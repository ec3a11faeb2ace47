#include "data/permute.h"

#include <string.h>

#include "base/random.h"
#include "data/masking.h"

void at_permuting_defaults(at_permuting *p, const at_tokenizer *tokenizer)
{
    *p = (at_permuting){.tokenizer = tokenizer, .share = 1.0 / 6, .max_span = 5};
}

/* ---- which tokens ----------------------------------------------------------------------- */

/* Sets chosen [T] for a sentence of n tokens; returns how many there are. */
static int choose(const at_batch *b, int row, const at_permuting *p, unsigned char *chosen)
{
    at_random key = {p->seed, b->step, (uint32_t)row, at_random_name("span")};
    const int *ids = b->source.ids + (size_t)row * (size_t)b->source.T;
    int n = b->source.lengths[row], count = 0;
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
    for (int i = 0; i < n; i++) {
        chosen[i] &= !at_tokenizer_is_special(p->tokenizer, ids[i]);
        count += chosen[i];
    }
    return count;
}

/* ---- who sees whom ---------------------------------------------------------------------- */

/* Place in the order: -1 for what everybody sees and that sees nothing of what is predicted; a
 * random one for what is predicted, and for special tokens, which thereby see a part of it. */
static int64_t order_of(const at_permuting *p, at_random key, int id, bool chosen, int i)
{
    if (!chosen && !at_tokenizer_is_special(p->tokenizer, id))
        return -1;
    return (int64_t)at_random_u32(key, (uint32_t)i) << 31 | i; /* no two are equal */
}

static void hide(const at_batch *b, int row, const at_permuting *p, const unsigned char *chosen,
                 int64_t *order, unsigned char *hidden)
{
    at_random key = {p->seed, b->step, (uint32_t)row, at_random_name("order")};
    const int *ids = b->source.ids + (size_t)row * (size_t)b->source.T;
    int n = b->source.lengths[row];
    size_t T = (size_t)b->source.T;
    memset(hidden, 0, T * T);
    for (int i = 0; i < n; i++)
        order[i] = order_of(p, key, ids[i], chosen[i], i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            hidden[(size_t)i * T + (size_t)j] = chosen[j] && order[i] <= order[j];
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
    int64_t *order = at_arena_alloc(arena, T * sizeof *order);
    *out = (at_permutation){.B = (int)B, .T = (int)T, .P = 1};
    out->hidden = at_arena_alloc(arena, B * T * T);
    if (!chosen || !order || !out->hidden)
        return at_error_memory(err);
    for (size_t row = 0; row < B; row++) {
        int count = choose(batch, (int)row, p, chosen + row * T);
        out->P = count > out->P ? count : out->P;
    }
    out->positions = at_arena_alloc(arena, B * (size_t)out->P * sizeof *out->positions);
    out->targets = at_arena_alloc(arena, B * (size_t)out->P * sizeof *out->targets);
    if (!out->positions || !out->targets)
        return at_error_memory(err);
    for (size_t row = 0; row < B; row++) {
        hide(batch, (int)row, p, chosen + row * T, order, out->hidden + row * T * T);
        list(batch, (int)row, chosen + row * T, out);
    }
    return ATTEND_OK;
}

void at_permutation_mapping(const at_permutation *p, float *mapping)
{
    size_t rows = (size_t)p->B * (size_t)p->P, T = (size_t)p->T;
    memset(mapping, 0, rows * T * sizeof *mapping);
    for (size_t i = 0; i < rows; i++)
        if (p->positions[i] >= 0)
            mapping[i * T + (size_t)p->positions[i]] = 1;
}
