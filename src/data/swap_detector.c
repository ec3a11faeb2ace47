/* A text's words w speak for the source by the sum of log P(w | source) / P(w | target), with
 * P(w | side) = (c(w, side) + 1/2) / (N(side) + V/2) and c without the pair in question. Counts are
 * kept in a table of fixed size where words share a place by chance; with so many words that does
 * no harm. A word is a run of letters, or one character of Chinese and the like. */
#include "data/swap_detector.h"

#include <math.h>

#include "base/memory.h"
#include "text/unicode.h"

enum { SLOTS = 1 << 19, MAX_WORDS = 400 };

/* from here on evidence is clear: 400 to 1 for each side */
static const double clear = 6;

struct at_swap_detector {
    uint32_t total[2];
    uint32_t count[SLOTS][2];
};

at_swap_detector *at_swap_detector_new(void) { return at_alloc_zero(1, sizeof(at_swap_detector)); }
void at_swap_detector_free(at_swap_detector *s) { at_free(s); }

/* ---- words ------------------------------------------------------------------------------ */

static bool ascii_letter(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* Bytes of the character at text that belongs to a word, or 0; *alone: it is a word by itself.
 * By bytes, since all of it is read twice: punctuation lies at U+2000 and U+3000. */
static size_t letter_size(const char *text, size_t size, bool *alone)
{
    unsigned char c = (unsigned char)text[0];
    *alone = false;
    if (c < 0x80)
        return ascii_letter(c);
    if (c < 0xC3)
        return 0;
    if (c < 0xE0)
        return size < 2 ? 0 : 2;
    unsigned char d = size > 1 ? (unsigned char)text[1] : 0;
    if (size < 3 || (c == 0xE2 && d < 0xB0) || (c == 0xE3 && d == 0x80) || c == 0xEF)
        return 0;
    *alone = c >= 0xE3;
    return c < 0xF0 ? 3 : size < 4 ? 0 : 4;
}

/* The places of the words of a text; how many there are. */
static int words_of(at_text t, uint32_t slot[MAX_WORDS])
{
    const uint32_t start = 2166136261u, prime = 16777619u;
    uint32_t hash = start;
    int count = 0;
    bool open = false, alone = false;
    for (size_t at = 0; at <= t.size && count < MAX_WORDS;) {
        size_t size = at < t.size ? letter_size(t.text + at, t.size - at, &alone) : 0;
        if (open && (!size || alone)) {
            slot[count++] = (hash ^ hash >> 15) * 0x2C1B3C6Du >> 13;
            hash = start;
            open = false;
            continue; /* the character is looked at again */
        }
        for (size_t i = 0; i < size; i++) {
            unsigned char c = (unsigned char)t.text[at + i];
            hash = (hash ^ (c < 0x80 ? c | 32u : c)) * prime;
        }
        if (size && alone) {
            slot[count++] = (hash ^ hash >> 15) * 0x2C1B3C6Du >> 13;
            hash = start;
        } else
            open = size > 0;
        at += size ? size : 1;
    }
    return count;
}

/* ---- counting --------------------------------------------------------------------------- */

void at_swap_detector_learn(at_swap_detector *s, at_text source, at_text target)
{
    const at_text text[2] = {source, target};
    uint32_t slot[MAX_WORDS];
    for (int side = 0; side < 2; side++) {
        int count = words_of(text[side], slot);
        if (s->total[side] > UINT32_MAX - MAX_WORDS)
            return; /* more would change nothing */
        for (int i = 0; i < count; i++)
            s->count[slot[i]][side]++;
        s->total[side] += (uint32_t)count;
    }
}

typedef struct {
    uint32_t slot[2][MAX_WORDS];
    int count[2];
} pair;

/* how often a place stands on a side of the pair itself */
static uint32_t own(const pair *p, int side, uint32_t slot)
{
    uint32_t count = 0;
    for (int i = 0; i < p->count[side]; i++)
        count += p->slot[side][i] == slot;
    return count;
}

/* log P(words of a side | source) - log P(... | target) */
static double evidence(const at_swap_detector *s, const pair *p, int side)
{
    double sum = 0;
    double scale = log((s->total[1] + 0.5 * SLOTS) / (s->total[0] + 0.5 * SLOTS));
    for (int i = 0; i < p->count[side]; i++) {
        uint32_t slot = p->slot[side][i];
        uint32_t source = s->count[slot][0] - own(p, 0, slot);
        uint32_t target = s->count[slot][1] - own(p, 1, slot);
        if (source + target)
            sum += log((source + 0.5) / (target + 0.5)) + scale;
    }
    return sum;
}

at_pair_order at_swap_detector_ask(const at_swap_detector *s, at_text source, at_text target)
{
    pair p;
    p.count[0] = words_of(source, p.slot[0]);
    p.count[1] = words_of(target, p.slot[1]);
    double a = evidence(s, &p, 0), b = evidence(s, &p, 1);
    bool source_strange = a<-clear, target_strange = b> clear;
    if (source_strange && target_strange)
        return ATTEND_PAIR_SWAPPED;
    if (source_strange && b < -clear)
        return ATTEND_PAIR_BOTH_TARGET;
    if (target_strange && a > clear)
        return ATTEND_PAIR_BOTH_SOURCE;
    return ATTEND_PAIR_IN_ORDER;
}
