#include "text/bpe.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum {
    SHORT = 48,         /* bytes up to which a scan is quicker than a heap */
    FIRST_SLOTS = 1024, /* of the table of pairs */
};

static const uint32_t none = UINT32_MAX; /* no rank */

/* a pair; empty where rank is none */
typedef struct {
    int left, right, merged;
    uint32_t rank;
} pair;

struct at_bpe {
    int byte[256];
    at_merge *merges; /* by rank */
    int count, capacity;
    pair *pairs; /* open addressing, at most half full */
    size_t slots, used;
};

/* ---- the list of merges ------------------------------------------------------------------ */

at_bpe *at_bpe_new(void)
{
    at_bpe *b = at_alloc_zero(1, sizeof *b);
    if (!b)
        return NULL;
    for (int i = 0; i < 256; i++)
        b->byte[i] = -1;
    b->pairs = at_alloc(FIRST_SLOTS * sizeof *b->pairs);
    b->slots = FIRST_SLOTS;
    if (!b->pairs) {
        at_bpe_free(b);
        return NULL;
    }
    for (size_t i = 0; i < b->slots; i++)
        b->pairs[i].rank = none;
    return b;
}

void at_bpe_free(at_bpe *b)
{
    if (!b)
        return;
    at_free(b->merges);
    at_free(b->pairs);
    at_free(b);
}

void at_bpe_set_byte(at_bpe *b, unsigned char byte, int id) { b->byte[byte] = id; }

int at_bpe_byte(const at_bpe *b, unsigned char byte) { return b->byte[byte]; }

/* where the pair is, or where it would be */
static pair *find(const at_bpe *b, int left, int right)
{
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    key *= 0x9E3779B97F4A7C15u;
    for (size_t i = (key ^ key >> 32) & (b->slots - 1);; i = (i + 1) & (b->slots - 1)) {
        pair *p = &b->pairs[i];
        if (p->rank == none || (p->left == left && p->right == right))
            return p;
    }
}

static bool grow_pairs(at_bpe *b)
{
    at_bpe larger = {.slots = 2 * b->slots};
    larger.pairs = at_alloc(larger.slots * sizeof *larger.pairs);
    if (!larger.pairs)
        return false;
    for (size_t i = 0; i < larger.slots; i++)
        larger.pairs[i].rank = none;
    for (size_t i = 0; i < b->slots; i++)
        if (b->pairs[i].rank != none)
            *find(&larger, b->pairs[i].left, b->pairs[i].right) = b->pairs[i];
    at_free(b->pairs);
    b->pairs = larger.pairs;
    b->slots = larger.slots;
    return true;
}

static bool grow_merges(at_bpe *b)
{
    int capacity = b->capacity ? 2 * b->capacity : 512;
    at_merge *merges = at_realloc(b->merges, (size_t)b->capacity * sizeof *merges,
                                  (size_t)capacity * sizeof *merges);
    if (!merges)
        return false;
    b->merges = merges;
    b->capacity = capacity;
    return true;
}

bool at_bpe_add(at_bpe *b, at_merge m)
{
    if (b->count == INT_MAX / 2 || (b->count == b->capacity && !grow_merges(b))
        || (2 * b->used >= b->slots && !grow_pairs(b)))
        return false;
    pair *p = find(b, m.left, m.right);
    b->used += p->rank == none;
    *p = (pair){m.left, m.right, m.merged, (uint32_t)b->count};
    b->merges[b->count++] = m;
    return true;
}

int at_bpe_merges(const at_bpe *b) { return b->count; }

at_merge at_bpe_merge(const at_bpe *b, int rank) { return b->merges[rank]; }

static uint32_t rank_of(const at_bpe *b, int left, int right)
{
    return left < 0 || right < 0 ? none : find(b, left, right)->rank;
}

int at_bpe_rank(const at_bpe *b, int left, int right)
{
    uint32_t rank = rank_of(b, left, right);
    return rank == none ? -1 : (int)rank;
}

/* ---- short words: the rule as it is written --------------------------------------------- */

static const uint32_t stale = UINT32_MAX - 1; /* a rank that is to be looked up again */

/* Merges rank wherever it stands, from the left; ranks[i] is that of parts i and i+1. */
static int merge_all(const at_bpe *b, at_bpe_part *parts, uint32_t *ranks, int n, uint32_t rank)
{
    int to = 0;
    for (int i = 0; i < n; i++, to++) {
        parts[to] = parts[i];
        ranks[to] = ranks[i];
        if (ranks[i] == rank) {
            parts[to] = (at_bpe_part){b->merges[rank].merged, parts[i].size + parts[i + 1].size};
            ranks[to] = stale;
            if (to > 0)
                ranks[to - 1] = stale;
            i++;
        }
    }
    return to;
}

static int encode_short(const at_bpe *b, at_bpe_part *parts, int n)
{
    uint32_t ranks[SHORT];
    for (int i = 0; i < n; i++)
        ranks[i] = stale;
    for (;;) {
        uint32_t best = none;
        for (int i = 0; i + 1 < n; i++) {
            if (ranks[i] == stale)
                ranks[i] = rank_of(b, parts[i].id, parts[i + 1].id);
            best = ranks[i] < best ? ranks[i] : best;
        }
        if (best == none)
            return n;
        ranks[n - 1] = none;
        n = merge_all(b, parts, ranks, n, best);
    }
}

/* ---- long words: a heap of pairs -------------------------------------------------------- */

/* The word is a list of parts with links; a part that was merged into its left neighbour has the
 * id -2. What waits in the heap is a rank and a place, in this order, so that equal pairs come from
 * the left. It is looked at again when it comes out: the parts may have changed since.
 *
 * A merge makes new pairs. In lists as learning makes them their ranks are higher. Where one is
 * lower, it waits in `held` until the rank at hand has been merged everywhere, as the rule says. */
typedef struct {
    const at_bpe *b;
    at_bpe_part *parts;
    uint32_t *next, *prev;
    uint64_t *heap; /* rank, place; held grows from its end */
    size_t size, heaped, held, capacity;
} long_word;

static void push(long_word *w, uint64_t item)
{
    size_t i = w->heaped++;
    for (; i > 0 && w->heap[(i - 1) / 2] > item; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = item;
}

static uint64_t pop(long_word *w)
{
    uint64_t top = w->heap[0], last = w->heap[--w->heaped];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < w->heaped) {
        child += child + 1 < w->heaped && w->heap[child + 1] < w->heap[child];
        if (w->heap[child] >= last)
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

/* the pair that starts at place i, where it is one; now is the rank at hand */
static void offer(long_word *w, uint32_t i, uint32_t now)
{
    if (w->next[i] >= w->size)
        return;
    uint32_t rank = rank_of(w->b, w->parts[i].id, w->parts[w->next[i]].id);
    if (rank == none)
        return;
    uint64_t item = (uint64_t)rank << 32 | i;
    if (rank < now)
        w->heap[w->capacity - ++w->held] = item;
    else
        push(w, item);
}

static void merge_at(long_word *w, uint32_t rank, uint32_t i)
{
    const at_merge *m = &w->b->merges[rank];
    uint32_t j = w->next[i];
    if (w->parts[i].id != m->left || j >= w->size || w->parts[j].id != m->right)
        return;
    w->parts[i] = (at_bpe_part){m->merged, w->parts[i].size + w->parts[j].size};
    w->parts[j].id = -2;
    w->next[i] = w->next[j];
    if (w->next[i] < w->size)
        w->prev[w->next[i]] = i;
    if (i > 0)
        offer(w, w->prev[i], rank);
    offer(w, i, rank);
}

static void merge_long(long_word *w)
{
    for (uint32_t i = 0; i < w->size; i++) {
        w->next[i] = i + 1;
        w->prev[i] = i - 1;
    }
    for (uint32_t i = 0; i < w->size; i++)
        offer(w, i, 0);
    while (w->heaped + w->held > 0) {
        uint32_t rank = w->heaped ? (uint32_t)(w->heap[0] >> 32) : none;
        while (w->heaped && w->heap[0] >> 32 == rank)
            merge_at(w, rank, (uint32_t)pop(w));
        for (; w->held > 0; w->held--)
            push(w, w->heap[w->capacity - w->held]);
    }
}

static ptrdiff_t encode_long(const at_bpe *b, at_bpe_part *parts, size_t n)
{
    if (n > INT32_MAX)
        return -1;
    long_word w = {.b = b, .parts = parts, .size = n, .capacity = 3 * n};
    w.next = at_alloc(n * sizeof *w.next);
    w.prev = at_alloc(n * sizeof *w.prev);
    w.heap = at_alloc(w.capacity * sizeof *w.heap);
    bool held = w.next && w.prev && w.heap;
    ptrdiff_t to = 0;
    if (held)
        merge_long(&w);
    for (size_t i = 0; held && i < n; i = w.next[i])
        parts[to++] = parts[i];
    at_free(w.next);
    at_free(w.prev);
    at_free(w.heap);
    return held ? to : -1;
}

/* ---- any word --------------------------------------------------------------------------- */

ptrdiff_t at_bpe_encode(const at_bpe *b, const char *word, size_t size, at_bpe_part *parts)
{
    for (size_t i = 0; i < size; i++)
        parts[i] = (at_bpe_part){b->byte[(unsigned char)word[i]], 1};
    return size <= SHORT ? encode_short(b, parts, (int)size) : encode_long(b, parts, size);
}
