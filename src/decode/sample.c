#include "decode/sample.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "tensor/vector.h"

attend_status at_sampling_check(const at_sampling *s, attend_error *err)
{
    if (!(s->temperature > 0))
        return at_error(err, ATTEND_OPTION, "temperature %g must be above 0; near 0 is greedy",
                        s->temperature);
    if (!(s->top_p > 0 && s->top_p <= 1) || s->top_k < 0)
        return at_error(err, ATTEND_OPTION,
                        "top-p %g must be above 0 and at most 1, top-k %d at least 0", s->top_p,
                        s->top_k);
    if (!(s->min_p >= 0 && s->min_p <= 1))
        return at_error(err, ATTEND_OPTION, "min-p %g must be in 0..1; 0 is off", s->min_p);
    if (!(s->repetition > 0))
        return at_error(err, ATTEND_OPTION, "the repetition penalty %g must be above 0; 1 is none",
                        s->repetition);
    return ATTEND_OK;
}

void at_sampling_repetition(double penalty, int vocabulary, real *logits, int count,
                            const int *came, bool *seen)
{
    if (penalty == 1)
        return;
    memset(seen, 0, (size_t)vocabulary * sizeof *seen);
    for (int i = 0; i < count; i++) {
        if (came[i] < 0 || came[i] >= vocabulary || seen[came[i]])
            continue;
        real *x = &logits[came[i]];
        *x = (real)(*x < 0 ? (double)*x * penalty : (double)*x / penalty);
        seen[came[i]] = true;
    }
}

/* ---- selection ------------------------------------------------------------------------------ */

/* Numbers as unsigned integers of the same order; -0 is 0. */
#ifdef ATTEND_REAL_DOUBLE
typedef uint64_t key;
#else
typedef uint32_t key;
#endif
enum { KEY_BITS = 8 * sizeof(key), DIGIT = 11, DIGITS = 1 << DIGIT };

static key key_of(real x)
{
    key bits, sign = (key)1 << (KEY_BITS - 1);
    real plain = x + 0;
    memcpy(&bits, &plain, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* The words that may stay, in the order of the vocabulary: word[n], or all n where word is NULL. */
typedef struct {
    const real *logits;
    const int *word;
    int n;
} words;

static int word_at(const words *w, int i) { return w->word ? w->word[i] : i; }
static key key_at(const words *w, int i) { return key_of(w->logits[word_at(w, i)]); }

/* How far the boundary is known: its key down to bit `low`, what is dropped below it, how many
 * words are at it, and whether one is above. at[among]: the words to look at, or NULL for all. */
typedef struct {
    key logit;
    double tail;
    int count;
    bool above;
    const int *at;
    int among;
} search;

static int candidate(const search *s, int i) { return s->at ? s->at[i] : i; }

/* The digit of the boundary's key from bit `low` to below bit `high`: the first whose words do not
 * all fit into what may still be dropped, or the last with a word. */
static void next_digit(const words *w, const real *weight, double budget, int high, int low,
                       search *s)
{
    double mass[DIGITS] = {0};
    int count[DIGITS] = {0}, last = 0, digit = 0;
    key mask = high < KEY_BITS ? ~(key)0 << high : 0;
    for (int i = 0; i < s->among; i++) {
        int at = candidate(s, i);
        key k = key_at(w, at);
        if ((k & mask) != s->logit)
            continue;
        int d = (int)((k & ~mask) >> low);
        mass[d] += weight ? (double)weight[at] : 1;
        count[d]++;
        last = d > last ? d : last;
    }
    for (; digit < last && (!count[digit] || s->tail + mass[digit] <= budget); digit++)
        s->tail += mass[digit];
    s->above |= digit < last;
    s->count = count[digit];
    s->logit |= (key)digit << low;
}

/* From now on only words whose key is the boundary's from bit `low` on; they are listed in room. */
static void narrow(words w, int low, int *room, search *s)
{
    int n = 0;
    search was = *s;
    for (int i = 0; i < was.among; i++) {
        int at = candidate(&was, i);
        room[n] = at;
        n += key_at(&w, at) >> low == was.logit >> low;
    }
    s->at = room;
    s->among = n;
}

/* Words of less than half of an n-th of the budget are dropped in any case: all n would fit. */
static void drop_small(int count, const real *weight, double budget, int *room, search *s)
{
    real least = (real)(budget / count / 2);
    double tail = 0;
    int n = 0;
#pragma omp simd reduction(+ : tail)
    for (int i = 0; i < count; i++)
        tail += weight[i] < least ? (double)weight[i] : 0;
    for (int i = 0; i < count; i++) {
        room[n] = i;
        n += !(weight[i] < least);
    }
    s->tail = tail;
    s->at = room;
    s->among = n;
}

/* Drops the least likely words, of equal ones the last, as long as their weights (1 each, where
 * weight is NULL) sum to at most the budget; one word stays. Returns the least likely that does.
 * room: for n numbers, or NULL. */
static int select_words(const words *w, const real *weight, double budget, int *room)
{
    search s = {.among = w->n};
    if (room && weight)
        drop_small(w->n, weight, budget, room, &s);
    for (int high = KEY_BITS, low; high > 0; high = low) {
        low = high > DIGIT ? high - DIGIT : 0;
        next_digit(w, weight, budget, high, low, &s);
        if (room)
            narrow(*w, low, room, &s);
    }
    int word = 0;
    bool dropped = true;
    for (int i = s.among; i-- > 0 && dropped;) {
        int at = candidate(&s, i);
        if (key_at(w, at) != s.logit)
            continue;
        s.tail += weight ? (double)weight[at] : 1;
        word = word_at(w, at);
        dropped = (s.above || --s.count > 0) && s.tail <= budget;
    }
    return word;
}

/* ---- cuts ----------------------------------------------------------------------------------- */

/* Lists the words down to `least`; of those as likely as it, all or up to itself. Their numbers in
 * p [w.n], unless it is NULL, move up with them. */
static int list_words(words w, int least, bool all, int *word, real *p)
{
    real bound = w.logits[least];
    int n = 0, last = all ? INT_MAX : least;
    for (int i = 0; i < w.n; i++) {
        int at = word_at(&w, i);
        real x = w.logits[at];
        word[n] = at;
        if (p)
            p[n] = p[i];
        n += (x > bound) | ((x >= bound) & (at <= last)); /* without branches */
    }
    return n;
}

/* The k likeliest words, and those equal to the k-th. */
static void cut_by_count(words *w, int top_k, int *word)
{
    int least = select_words(w, NULL, (double)(w->n - top_k), word);
    w->n = list_words(*w, least, true, word, NULL);
    w->word = word;
}

/* p[n] of the words that are left, with the sum 1 */
static void rescale(int n, real *p)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += (double)p[i];
    for (int i = 0; i < n; i++)
        p[i] = (real)((double)p[i] / sum);
}

/* those whose probabilities p[n], summed from the least likely, exceed 1 - top_p; one at least */
static void cut_by_mass(words *w, real *p, double top_p, int *word)
{
    int least = select_words(w, p, 1 - top_p, w->word ? NULL : word);
    w->n = list_words(*w, least, false, word, p);
    w->word = word;
    rescale(w->n, p);
}

/* those whose probability is at least min_p times that of the likeliest word */
static void cut_by_ratio(words *w, real *p, double min_p, int *word)
{
    double least = min_p * (double)at_vector()->max((size_t)w->n, p);
    int n = 0;
    for (int i = 0; i < w->n; i++) {
        bool stays = !((double)p[i] < least);
        word[n] = word_at(w, i);
        p[n] = p[i];
        n += stays;
    }
    w->n = n;
    w->word = word;
    rescale(n, p);
}

/* p[i] = softmax over the n words */
static void normalise(const at_sampling *s, const words *w, real *p)
{
    size_t n = (size_t)w->n;
    for (size_t i = 0; i < n; i++)
        p[i] = w->logits[word_at(w, (int)i)];
    double max = (double)at_vector()->max(n, p), scale = 1 / s->temperature;
    double sum = at_vector()->wide_sum_exp(n, p, max, scale);
    at_vector()->wide_exp(n, p, max, scale, 1 / sum, p);
}

/* from p[n] of the words at word[n], which ascend, to those of all words, in place */
static void spread(int vocabulary, const int *word, int n, real *p)
{
    memset(p + n, 0, (size_t)(vocabulary - n) * sizeof *p);
    while (n-- > 0) {
        real kept = p[n];
        p[n] = 0;
        p[word[n]] = kept; /* at n or above, where all is done */
    }
}

void at_sampling_probabilities(const at_sampling *s, int vocabulary, const real *logits, real *p,
                               int *word)
{
    words w = {logits, NULL, vocabulary};
    if (s->top_k > 0 && s->top_k < vocabulary)
        cut_by_count(&w, s->top_k, word);
    normalise(s, &w, p);
    if (s->top_p < 1)
        cut_by_mass(&w, p, s->top_p, word);
    if (s->min_p > 0)
        cut_by_ratio(&w, p, s->min_p, word);
    if (w.n < vocabulary)
        spread(vocabulary, word, w.n, p);
}

int at_sampling_draw(int vocabulary, const real *p, double u)
{
    double sum = 0;
    for (int i = 0; i < vocabulary; i++) {
        sum += (double)p[i];
        if (u < sum)
            return i;
    }
    int last = vocabulary - 1; /* rounding left the sum below u */
    while (last > 0 && p[last] <= 0)
        last--;
    return last;
}
