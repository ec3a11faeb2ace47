#include "data/masking.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

void at_masking_defaults(at_masking *m, const at_tokenizer *tokenizer)
{
    *m = (at_masking){.tokenizer = tokenizer, .share = 0.15, .masked = 0.8, .random = 0.1};
}

/* one or more neighbouring positions, chosen together */
typedef struct {
    uint32_t draw;
    int from, count;
} unit;

static int compare(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    if (x->draw != y->draw)
        return x->draw < y->draw ? -1 : 1;
    return x->from - y->from;
}

/* The units of a sentence; *tokens receives how many tokens they have. */
static int find_units(const at_batch *b, int row, const at_masking *m, at_random key, unit *units,
                      int *tokens)
{
    const int *ids = b->source.ids + (size_t)row * (size_t)b->source.T;
    const unsigned char *begins = b->begins + (size_t)row * (size_t)b->source.T;
    int count = 0;
    bool open = false; /* may the next token join the last unit? */
    *tokens = 0;
    for (int i = 0; i < b->source.lengths[row]; i++) {
        if (at_tokenizer_is_special(m->tokenizer, ids[i])) {
            open = false;
            continue;
        }
        ++*tokens;
        if (open && m->whole_words && !begins[i])
            units[count - 1].count++;
        else
            units[count++] = (unit){at_random_u32(key, (uint32_t)i), i, 1};
        open = true;
    }
    qsort(units, (size_t)count, sizeof *units, compare);
    return count;
}

/* a token that is not special; so few are that a few draws are enough */
static int random_token(const at_masking *m, at_random key, int position, int otherwise)
{
    enum { TRIES = 16 };
    uint32_t size = (uint32_t)at_tokenizer_size(m->tokenizer);
    for (uint32_t i = 0; i < TRIES; i++) {
        int id = (int)at_random_below(key, (uint32_t)position * TRIES + i, size);
        if (!at_tokenizer_is_special(m->tokenizer, id))
            return id;
    }
    return otherwise;
}

static void replace(const at_masking *m, at_random key, int position, int *id)
{
    key.use = at_random_name("mask-kind");
    double draw = at_random_uniform(key, (uint32_t)position);
    key.use = at_random_name("mask-token");
    if (draw < m->masked)
        *id = m->tokenizer->special[ATTEND_SPECIAL_MASK];
    else if (draw < m->masked + m->random)
        *id = random_token(m, key, position, *id);
}

static void mask_row(at_batch *b, int row, const at_masking *m, unit *units, int *targets)
{
    at_random key = {m->seed, b->step, (uint32_t)row, at_random_name("mask")};
    int *ids = b->source.ids + (size_t)row * (size_t)b->source.T, tokens, done = 0;
    int count = find_units(b, row, m, key, units, &tokens);
    int wanted = (int)lround(m->share * tokens);
    wanted = wanted < 1 ? 1 : wanted;
    for (int i = 0; i < count && done < wanted; i++) {
        if (done && done + units[i].count > wanted)
            continue; /* a word that is too long; the first one is taken in any case */
        for (int k = units[i].from; k < units[i].from + units[i].count; k++) {
            targets[k] = ids[k];
            replace(m, key, k, &ids[k]);
        }
        done += units[i].count;
    }
}

attend_status at_mask_tokens(at_batch *batch, const at_masking *m, at_arena *arena, int **targets,
                             attend_error *err)
{
    size_t T = (size_t)batch->source.T, positions = (size_t)batch->source.B * T;
    if (m->tokenizer->special[ATTEND_SPECIAL_MASK] < 0)
        return at_error(err, ATTEND_OPTION,
                        "the tokenizer has no mask; masked language modelling "
                        "needs one");
    *targets = at_arena_alloc(arena, positions * sizeof **targets);
    unit *units = at_arena_alloc(arena, T * sizeof *units);
    if (!*targets || !units)
        return at_error_memory(err);
    for (size_t i = 0; i < positions; i++)
        (*targets)[i] = ATTEND_NO_TARGET;
    for (int row = 0; row < batch->source.B; row++)
        mask_row(batch, row, m, units, *targets + (size_t)row * T);
    return ATTEND_OK;
}
