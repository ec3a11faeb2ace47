/* Every pair has its count and the words that may hold it. A heap gives the best pair; its entries
 * are not moved when counts change: an outdated one is put right when it comes to the top. */
#include "text/merges.h"

#include <string.h>

#include "base/memory.h"

typedef struct {
    size_t begin; /* in symbols */
    uint32_t count;
    uint64_t times;
} word;

typedef struct {
    int32_t left, right;
    uint64_t times;
    uint32_t *word; /* where it was seen: words may be in it twice, or hold it no more */
    size_t count, capacity;
} pair;

typedef struct {
    uint64_t times;
    uint32_t pair;
} candidate;

struct at_merger {
    int32_t *symbol;
    size_t symbols, symbol_capacity;
    word *word;
    size_t words, word_capacity;
    pair *pair;
    size_t pairs, pair_capacity;
    uint32_t *table; /* pair + 1 by its symbols; 0: free */
    size_t slots;    /* a power of two */
    candidate *heap;
    size_t candidates, heap_capacity;
    bool failed;
};

/* The items with room for one more; NULL without memory, and then they stay as they are. */
static void *reserve(at_merger *m, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t more = *capacity ? 2 * *capacity : 8;
    void *grown = at_realloc(items, *capacity * size, more * size);
    if (grown)
        *capacity = more;
    else
        m->failed = true;
    return grown;
}

at_merger *at_merger_new(void)
{
    at_merger *m = at_alloc_zero(1, sizeof *m);
    if (!m)
        return NULL;
    m->slots = 1024;
    m->table = at_alloc_zero(m->slots, sizeof *m->table);
    if (!m->table) {
        at_free(m);
        return NULL;
    }
    return m;
}

void at_merger_free(at_merger *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->pairs; i++)
        at_free(m->pair[i].word);
    at_free(m->symbol);
    at_free(m->word);
    at_free(m->pair);
    at_free(m->table);
    at_free(m->heap);
    at_free(m);
}

bool at_merger_failed(const at_merger *m) { return m->failed; }

/* ---- the heap of candidates ------------------------------------------------------------- */

/* does a come before b? */
static bool before(const at_merger *m, candidate a, candidate b)
{
    const pair *p = &m->pair[a.pair], *q = &m->pair[b.pair];
    if (a.times != b.times)
        return a.times > b.times;
    return p->left != q->left ? p->left < q->left : p->right < q->right;
}

static void push(at_merger *m, uint32_t which)
{
    candidate c = {m->pair[which].times, which};
    candidate *heap = reserve(m, m->heap, m->candidates, &m->heap_capacity, sizeof c);
    if (!heap)
        return;
    m->heap = heap;
    size_t i = m->candidates++;
    for (; i > 0 && before(m, c, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = c;
}

static candidate pop(at_merger *m)
{
    candidate top = m->heap[0], last = m->heap[--m->candidates];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < m->candidates) {
        child += child + 1 < m->candidates && before(m, m->heap[child + 1], m->heap[child]);
        if (!before(m, m->heap[child], last))
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = last;
    return top;
}

/* ---- pairs ------------------------------------------------------------------------------ */

static size_t slot_of(const at_merger *m, int32_t left, int32_t right)
{
    uint64_t hash = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9E3779B97F4A7C15u;
    for (size_t i = hash >> 20;; i++) {
        uint32_t which = m->table[i & (m->slots - 1)];
        if (!which || (m->pair[which - 1].left == left && m->pair[which - 1].right == right))
            return i & (m->slots - 1);
    }
}

static bool grow_table(at_merger *m)
{
    uint32_t *table = at_alloc_zero(2 * m->slots, sizeof *table);
    if (!table) {
        m->failed = true;
        return false;
    }
    at_free(m->table);
    m->table = table;
    m->slots *= 2;
    for (size_t i = 0; i < m->pairs; i++)
        table[slot_of(m, m->pair[i].left, m->pair[i].right)] = (uint32_t)i + 1;
    return true;
}

/* the pair of two symbols, made where it is new; NULL without memory */
static pair *pair_of(at_merger *m, int32_t left, int32_t right)
{
    size_t slot = slot_of(m, left, right);
    if (m->table[slot])
        return &m->pair[m->table[slot] - 1];
    if (2 * (m->pairs + 1) > m->slots) {
        if (!grow_table(m))
            return NULL;
        slot = slot_of(m, left, right);
    }
    pair *grown = reserve(m, m->pair, m->pairs, &m->pair_capacity, sizeof *grown);
    if (!grown)
        return NULL;
    m->pair = grown;
    m->pair[m->pairs] = (pair){.left = left, .right = right};
    m->table[slot] = (uint32_t)++m->pairs;
    return &m->pair[m->pairs - 1];
}

/* One more place in a word where the two are neighbours. */
static void seen(at_merger *m, int32_t left, int32_t right, uint32_t where)
{
    pair *p = pair_of(m, left, right);
    if (!p)
        return;
    p->times += m->word[where].times;
    if (p->count && p->word[p->count - 1] == where)
        return;
    uint32_t *words = reserve(m, p->word, p->count, &p->capacity, sizeof *words);
    if (!words)
        return;
    p->word = words;
    p->word[p->count++] = where;
}

static void gone(at_merger *m, int32_t left, int32_t right, uint32_t where)
{
    pair *p = pair_of(m, left, right);
    if (p)
        p->times -= m->word[where].times;
}

/* ---- words ------------------------------------------------------------------------------ */

void at_merger_word(at_merger *m, const int32_t *symbols, size_t count, uint64_t times)
{
    if (count < 2 || !times || m->failed || count > UINT32_MAX || m->words >= UINT32_MAX)
        return;
    word *words = reserve(m, m->word, m->words, &m->word_capacity, sizeof *words);
    if (!words)
        return;
    m->word = words;
    m->word[m->words] = (word){m->symbols, (uint32_t)count, times};
    uint32_t where = (uint32_t)m->words++;
    for (size_t i = 0; i < count && !m->failed; i++) {
        int32_t *grown = reserve(m, m->symbol, m->symbols, &m->symbol_capacity, sizeof *grown);
        if (!grown)
            return;
        m->symbol = grown;
        m->symbol[m->symbols++] = symbols[i];
        if (i > 0)
            seen(m, symbols[i - 1], symbols[i], where);
    }
}

/* The first question puts all pairs into the heap; later ones come as they are made. */
static void fill(at_merger *m)
{
    for (size_t i = 0; i < m->pairs && !m->failed; i++)
        push(m, (uint32_t)i);
}

bool at_merger_best(at_merger *m, int32_t *left, int32_t *right, uint64_t *times)
{
    if (!m->heap)
        fill(m);
    while (m->candidates && !m->failed) {
        const pair *p = &m->pair[m->heap[0].pair];
        if (p->times == m->heap[0].times && p->times) {
            *left = p->left;
            *right = p->right;
            *times = p->times;
            return true;
        }
        candidate old = pop(m);
        if (m->pair[old.pair].times && m->pair[old.pair].times < old.times)
            push(m, old.pair);
    }
    return false;
}

/* A pair that has become more frequent needs a new candidate; every new pair among them. */
static void became(at_merger *m, int32_t left, int32_t right)
{
    size_t slot = slot_of(m, left, right);
    if (!m->failed && m->table[slot])
        push(m, m->table[slot] - 1);
}

static void apply_in(at_merger *m, uint32_t where, int32_t left, int32_t right, int32_t merged)
{
    word *w = &m->word[where];
    int32_t *s = m->symbol + w->begin;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->count && !m->failed; i++) {
        if (i + 1 == w->count || s[i] != left || s[i + 1] != right) {
            s[n++] = s[i];
            continue;
        }
        if (n > 0) {
            gone(m, s[n - 1], left, where);
            seen(m, s[n - 1], merged, where);
            became(m, s[n - 1], merged);
        }
        gone(m, left, right, where);
        if (i + 2 < w->count) {
            gone(m, right, s[i + 2], where);
            seen(m, merged, s[i + 2], where);
            became(m, merged, s[i + 2]);
        }
        s[n++] = merged;
        i++;
    }
    w->count = n;
}

void at_merger_apply(at_merger *m, int32_t left, int32_t right, int32_t merged)
{
    pair *p = pair_of(m, left, right);
    if (!p)
        return;
    uint32_t *words = p->word;
    size_t count = p->count;
    p->word = NULL; /* merges may add to it again, as where merged is left or right itself */
    p->count = p->capacity = 0;
    for (size_t i = 0; i < count && !m->failed; i++)
        apply_in(m, words[i], left, right, merged);
    at_free(words);
}
