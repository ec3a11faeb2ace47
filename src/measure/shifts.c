/* Shifts, as Tercom and sacreBLEU search them: runs of up to 10 words that stand in the hypothesis
 * and, up to 50 words away, in the reference, where neither place is right already. The one that
 * saves most edits is done (then the longest, the earliest, the one that moves furthest to the
 * left), and so on until none saves any or 1000 have been tried. */
#include <string.h>

#include "measure/edits.h"

enum { MAX_LENGTH = 10, FURTHEST = 50, TRIES = 1000 };

typedef struct {
    size_t start, reference, length; /* a run in the hypothesis and where the reference has it */
} run;

/* the shift that saves most so far */
typedef struct {
    bool found;
    int32_t saved;
    size_t length, start, target;
} choice;

typedef struct {
    at_edits *e;
    int32_t distance; /* before the shift */
    int tries;
    choice best;
} search;

/* words with the run moved to target, into e->moved */
static void move(at_edits *e, size_t start, size_t length, size_t target)
{
    size_t n = e->rows;
    uint32_t *out = e->moved;
    memcpy(out, e->words, n * sizeof *out);
    if (target < start) { /* back: the words between make room behind it */
        memcpy(out + target, e->words + start, length * sizeof *out);
        memcpy(out + target + length, e->words + target, (start - target) * sizeof *out);
        return;
    }
    size_t end = target > start + length ? target : target + length;
    size_t between = (end < n ? end : n) - (start + length);
    memcpy(out + start, e->words + start + length, between * sizeof *out);
    memcpy(out + start + between, e->words + start, length * sizeof *out);
}

static int32_t distance_moved(at_edits *e, int32_t before)
{
    size_t from = 0, to = e->rows;
    while (from < to && e->moved[from] == e->words[from])
        from++;
    while (to > from && e->moved[to - 1] == e->words[to - 1])
        to--;
    return from == to ? before : at_edits_distance_moved(e, e->moved, from, to);
}

static bool is_better(const choice *a, const choice *b)
{
    if (!b->found || a->saved != b->saved)
        return !b->found || a->saved > b->saved;
    if (a->length != b->length)
        return a->length > b->length;
    if (a->start != b->start)
        return a->start < b->start;
    return a->target < b->target;
}

static void try_target(search *s, const run *r, size_t target)
{
    at_edits *e = s->e;
    move(e, r->start, r->length, target);
    choice c = {true, s->distance - distance_moved(e, s->distance), r->length, r->start, target};
    s->tries++;
    if (!is_better(&c, &s->best))
        return;
    s->best = c;
    uint32_t *kept = e->best;
    e->best = e->moved;
    e->moved = kept;
}

/* tries a run in front of where its first word belongs, and behind each of its words */
static void try_run(search *s, const run *r)
{
    const at_edits *e = s->e;
    ptrdiff_t start = (ptrdiff_t)r->start, end = start + (ptrdiff_t)r->length;
    if (e->wrong_words[end] == e->wrong_words[start]
        || e->wrong_reference[r->reference + r->length] == e->wrong_reference[r->reference])
        return;
    if (e->aligned[r->reference] >= start && e->aligned[r->reference] < end)
        return;
    ptrdiff_t last = -1;
    for (size_t i = 0; i <= r->length; i++) {
        size_t behind = r->reference + i; /* the words of the reference that come before it */
        ptrdiff_t target = behind == 0 ? 0 : e->aligned[behind - 1] + 1;
        if (target != last)
            try_target(s, r, (size_t)target);
        last = target;
    }
}

/* every run that starts at these two words; false when enough has been tried */
static bool try_runs(search *s, size_t start, size_t reference)
{
    const at_edits *e = s->e;
    run r = {start, reference, 0};
    while (r.length < MAX_LENGTH && start + r.length < e->rows && reference + r.length < e->columns
           && e->words[start + r.length] == e->reference[reference + r.length]) {
        r.length++;
        try_run(s, &r);
        if (s->tries >= TRIES)
            return false;
    }
    return true;
}

static void find_best(search *s)
{
    const at_edits *e = s->e;
    for (size_t start = 0; start < e->rows; start++) {
        size_t from = start > FURTHEST ? start - FURTHEST : 0;
        for (size_t j = from; j < e->columns && j <= start + FURTHEST; j++)
            if (!try_runs(s, start, j))
                return;
    }
}

bool at_edits_count(at_edits *e, const uint32_t *hypothesis, size_t n, const uint32_t *reference,
                    size_t m, size_t *edits)
{
    if (!at_edits_start(e, n, reference, m))
        return false;
    if (n)
        memcpy(e->words, hypothesis, n * sizeof *hypothesis);
    search s = {.e = e};
    size_t shifts = 0;
    for (;; shifts++) {
        s.distance = at_edits_distance(e, e->words);
        s.best.found = false;
        find_best(&s);
        if (s.tries >= TRIES || !s.best.found || s.best.saved <= 0)
            break;
        uint32_t *kept = e->words;
        e->words = e->best;
        e->best = kept;
    }
    *edits = shifts + (size_t)s.distance;
    return true;
}
