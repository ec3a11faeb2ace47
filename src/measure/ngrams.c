#include "measure/ngrams.h"

#include "base/memory.h"

struct at_ngram {
    uint32_t count; /* in the sequence that was counted */
    uint32_t seen;  /* in the reference at hand */
    uint32_t best;  /* min(count, seen), the largest over the references */
    int order;
};

void at_ngrams_free(at_ngrams *g)
{
    at_pairs_free(&g->pairs);
    at_free(g->gram);
    *g = (at_ngrams){0};
}

void at_ngrams_start(at_ngrams *g)
{
    at_pairs_start(&g->pairs);
    g->failed = false;
}

static bool reserve(at_ngrams *g, uint32_t number)
{
    if (number < g->capacity)
        return true;
    size_t capacity = g->capacity ? 2 * g->capacity : 256;
    struct at_ngram *gram = at_realloc(g->gram, g->capacity * sizeof *gram,
                                       capacity * sizeof *gram);
    g->failed |= !gram;
    if (!gram)
        return false;
    g->gram = gram;
    g->capacity = capacity;
    return true;
}

void at_ngrams_count(at_ngrams *g, const uint32_t *symbol, size_t n, int order)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t number = 0;
        for (int k = 1; k <= order && i + (size_t)k <= n; k++) {
            uint32_t known = g->pairs.count;
            number = at_pairs_add(&g->pairs, number, symbol[i + (size_t)k - 1]);
            g->failed |= g->pairs.failed;
            if (g->failed || !reserve(g, number))
                return;
            if (number > known)
                g->gram[number] = (struct at_ngram){.order = k};
            g->gram[number].count++;
        }
    }
}

void at_ngrams_match(at_ngrams *g, const uint32_t *symbol, size_t n, int order)
{
    if (g->failed)
        return;
    for (size_t i = 0; i < n; i++) {
        uint32_t number = 0;
        for (int k = 1; k <= order && i + (size_t)k <= n; k++) {
            number = at_pairs_find(&g->pairs, number, symbol[i + (size_t)k - 1]);
            if (!number) /* then no longer one occurs either */
                break;
            g->gram[number].seen++;
        }
    }
    for (uint32_t i = 1; i <= g->pairs.count; i++) {
        struct at_ngram *gram = &g->gram[i];
        uint32_t clipped = gram->seen < gram->count ? gram->seen : gram->count;
        gram->best = clipped > gram->best ? clipped : gram->best;
        gram->seen = 0;
    }
}

void at_ngrams_unmatch(at_ngrams *g)
{
    for (uint32_t i = 1; i <= g->pairs.count && !g->failed; i++)
        g->gram[i].best = 0;
}

void at_ngrams_matches(const at_ngrams *g, int order, double *match)
{
    for (int k = 0; k < order; k++)
        match[k] = 0;
    for (uint32_t i = 1; i <= g->pairs.count && !g->failed; i++)
        match[g->gram[i].order - 1] += g->gram[i].best;
}
