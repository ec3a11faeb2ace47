/* chrF (Popović 2015), chrF+ and chrF++ (Popović 2017): F of n-grams of characters, and of words,
 *
 *     F = (1 + beta^2) P R / (beta^2 P + R)
 *
 * with precision P and recall R averaged over all orders that both texts have; or, with
 * eps_smoothing, F averaged over all orders. Of several references the one with the best F counts.
 * Numbers and corner cases are those of sacreBLEU. */
#include <string.h>

#include "measure/measure.h"

/* of one order: n-grams of the hypothesis (0 where the reference has none), of the reference, and
 * those in both */
typedef struct {
    double hypothesis, reference, match;
} counts;

_Static_assert(sizeof(counts) == 3 * sizeof(double), "counts lie in the statistics without gaps");

static int orders_of(const at_measurement *t) { return t->o.char_order + t->o.word_order; }

static attend_status start_with(at_measurement *t, int words)
{
    if (t->o.word_order < 0)
        t->o.word_order = words;
    t->width = 3 * (size_t)orders_of(t);
    return ATTEND_OK;
}

static attend_status start_chrf(at_measurement *t, attend_error *err)
{
    return (void)err, start_with(t, 0);
}
static attend_status start_plus(at_measurement *t, attend_error *err)
{
    return (void)err, start_with(t, 1);
}
static attend_status start_both(at_measurement *t, attend_error *err)
{
    return (void)err, start_with(t, 2);
}

/* ---- the score -------------------------------------------------------------------------- */

static double f_of(double precision, double recall, double factor)
{
    double below = factor * precision + recall;
    return below > 0 ? (1 + factor) * precision * recall / below : 0;
}

/* Where there is nothing to divide by, a share is this. */
static const double nearly_none = 1e-16;

static double share(double part, double whole) { return whole > 0 ? part / whole : nearly_none; }

static double mean_of_f(const at_measurement *t, const counts *c, double factor)
{
    double sum = 0;
    for (int i = 0; i < orders_of(t); i++) {
        double p = share(c[i].match, c[i].hypothesis), r = share(c[i].match, c[i].reference);
        sum += factor * p + r > 0 ? f_of(p, r, factor) : nearly_none;
    }
    return 100 * sum / orders_of(t);
}

static double f_of_means(const at_measurement *t, const counts *c, double factor)
{
    double precision = 0, recall = 0;
    int orders = 0;
    for (int i = 0; i < orders_of(t); i++)
        if (c[i].hypothesis > 0 && c[i].reference > 0) {
            precision += c[i].match / c[i].hypothesis;
            recall += c[i].match / c[i].reference;
            orders++;
        }
    return orders ? 100 * f_of(precision / orders, recall / orders, factor) : 0;
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)alone;
    const counts *c = (const counts *)sum;
    double factor = (double)t->o.beta * t->o.beta;
    return t->o.eps_smoothing ? mean_of_f(t, c, factor) : f_of_means(t, c, factor);
}

/* ---- statistics ------------------------------------------------------------------------- */

static bool is_ascii_punctuation(uint32_t c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`')
           || (c >= '{' && c <= '~');
}

/* A sign at the end of a word, else one at its start, is a word of its own: "(hi)" is "(hi" and
 * ")". */
static void split_words(const at_chars *text, at_chars *out)
{
    size_t from = 0, start, length;
    at_chars_clear(out);
    while (at_chars_word(text, &from, &start, &length)) {
        const uint32_t *word = text->at + start;
        size_t cut = length; /* the second part begins here */
        if (length > 1 && is_ascii_punctuation(word[length - 1]))
            cut = length - 1;
        else if (length > 1 && is_ascii_punctuation(word[0]))
            cut = 1;
        for (size_t i = 0; i < length; i++) {
            if (i == 0 || i == cut)
                at_chars_add(out, ' ');
            at_chars_add(out, word[i]);
        }
    }
    out->failed |= text->failed;
}

/* characters into s->text, numbers of words into words */
static void read_line(const at_measurement *t, at_workspace *s, const char *line, bool add,
                      at_chars *words)
{
    at_chars_set(&s->text, line, strlen(line));
    if (t->o.lowercase)
        at_chars_lower(&s->text, &s->spare);
    at_chars_clear(words);
    if (t->o.word_order > 0) {
        split_words(&s->text, &s->spare);
        at_pairs_words(&s->pairs, &s->spare, add, words);
    }
    if (!t->o.whitespace)
        at_chars_squeeze(&s->text);
}

/* counts of one kind of n-grams against one reference */
static void compare(at_ngrams *g, size_t hypothesis, const at_chars *reference, int order,
                    counts *c)
{
    double match[ATTEND_ORDER_MAX];
    at_ngrams_unmatch(g);
    at_ngrams_match(g, reference->at, reference->count, order);
    at_ngrams_matches(g, order, match);
    for (int n = 0; n < order; n++) {
        c[n].reference = at_ngrams_in(reference->count, n + 1);
        c[n].hypothesis = c[n].reference > 0 ? at_ngrams_in(hypothesis, n + 1) : 0;
        c[n].match = match[n];
    }
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    const at_measurement *t = g->task;
    int chars = t->o.char_order, words = t->o.word_order;
    counts c[2 * ATTEND_ORDER_MAX];
    double best = -1;
    at_pairs_start(&s->pairs);
    at_ngrams_start(&s->grams);
    at_ngrams_start(&s->word_grams);
    read_line(t, s, at_segment_hypothesis(g), true, &s->words);
    size_t length = s->text.count;
    bool failed = s->text.failed || s->words.failed;
    at_ngrams_count(&s->grams, s->text.at, length, chars);
    at_ngrams_count(&s->word_grams, s->words.at, s->words.count, words);
    for (int r = 0; r < t->references; r++) {
        read_line(t, s, at_segment_reference(g, r), false, &s->reference_words);
        compare(&s->grams, length, &s->text, chars, c);
        compare(&s->word_grams, s->words.count, &s->reference_words, words, c + chars);
        failed |= s->text.failed || s->reference_words.failed;
        double f = score(t, (const double *)c, true);
        if (f > best)
            memcpy(statistics, c, t->width * sizeof *statistics);
        best = f > best ? f : best;
    }
    failed |= s->grams.failed || s->word_grams.failed;
    return failed ? at_error_memory(err) : ATTEND_OK;
}

/* ---- what is said of it ----------------------------------------------------------------- */

static void title(const at_measurement *t, at_str *out)
{
    at_str_print(out, "chrF%d", t->o.beta);
    at_str_repeat(out, "+", t->o.word_order);
}

static void signature(const at_measurement *t, at_str *out)
{
    at_str_print(out, "case:%s|eff:%s|nc:%d|nw:%d|space:%s" ATTEND_LIKE_SACREBLEU,
                 t->o.lowercase ? "lc" : "mixed", t->o.eps_smoothing ? "no" : "yes",
                 t->o.char_order, t->o.word_order, t->o.whitespace ? "yes" : "no");
}

#define CHRF(id, text, begin, of, paper)                                                 \
    const at_measure at_measure_##id = {                                                 \
        .name = text,                                                                    \
        .formula = "100 (1 + b^2) P R / (b^2 P + R), P and R means over n-grams of " of, \
        .source = paper,                                                                 \
        .lines = "text",                                                                 \
        .min_references = 1,                                                             \
        .max_references = 1000,                                                          \
        .start = begin,                                                                  \
        .collect = collect,                                                              \
        .score = score,                                                                  \
        .title = title,                                                                  \
        .signature = signature,                                                          \
    };

CHRF(chrf, "chrf", start_chrf, "1 to 6 characters", "Popović 2015")
CHRF(chrf_plus, "chrf+", start_plus, "1 to 6 characters and words", "Popović 2017")
CHRF(chrf_plus_plus, "chrf++", start_both, "1 to 6 characters and 1 to 2 words", "Popović 2017")
