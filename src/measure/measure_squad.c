/* Exact match and F1 as SQuAD counts them (Rajpurkar et al. 2016, and 2018 for questions that have
 * no answer). An answer is lower-cased, loses ASCII punctuation and then the words a, an and the;
 * what is left are its words.
 *
 *     exact = the same words in the same order
 *     F1    = 2 P R / (P + R) over the words, each as often as it occurs
 *
 * The best of the answers counts. A line of the reference has one answer, or several with tabs
 * between them, or none. In version 2.0 nothing is right where there is no answer, and answers
 * without words are ignored; in version 1.1 an F1 without common words is 0 always. */
#include <string.h>

#include "measure/measure.h"

enum { EXACT, F1, ANSWERED_EXACT, ANSWERED_F1, ANSWERED, ALL, WIDTH };

/* ---- words of an answer ----------------------------------------------------------------- */

static bool is_ascii_punctuation(uint32_t c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`')
           || (c >= '{' && c <= '~');
}

static bool in_word(const at_chars *c, size_t i)
{
    return i < c->count && (at_char_is_letter(c->at[i]) || at_char_is_number(c->at[i]));
}

/* how long the article is that starts here, or 0 */
static size_t article(const at_chars *c, size_t i)
{
    static const char *const articles[] = {"a", "an", "the"};
    if (i > 0 && in_word(c, i - 1))
        return 0;
    for (size_t k = 0; k < 3; k++) {
        size_t length = strlen(articles[k]), same = 0;
        while (same < length && i + same < c->count
               && c->at[i + same] == (uint32_t)articles[k][same])
            same++;
        if (same == length && !in_word(c, i + length))
            return length;
    }
    return 0;
}

static void remove_articles(at_chars *c, at_chars *spare)
{
    at_chars_clear(spare);
    for (size_t i = 0; i < c->count; i++) {
        size_t length = article(c, i);
        at_chars_add(spare, length ? ' ' : c->at[i]);
        i += length ? length - 1 : 0;
    }
    at_chars_swap(c, spare);
}

static void read_answer(at_workspace *s, const char *text, size_t size, bool add, at_chars *words)
{
    at_chars_set(&s->text, text, size);
    at_chars_lower(&s->text, &s->spare);
    at_chars_each(&s->text, &s->spare, is_ascii_punctuation, "");
    remove_articles(&s->text, &s->spare);
    at_pairs_words(&s->pairs, &s->text, add, words);
}

/* ---- statistics ------------------------------------------------------------------------- */

typedef struct {
    double exact, f1;
} agreement;

static agreement agree(const at_measurement *t, at_workspace *s)
{
    const at_chars *a = &s->words, *b = &s->reference_words;
    agreement result = {0, 0};
    double common;
    bool same = a->count == b->count
                && (a->count == 0 || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
    result.exact = same;
    if (a->count == 0 || b->count == 0) {
        result.f1 = t->o.squad_v1 ? 0 : same;
        return result;
    }
    at_ngrams_unmatch(&s->grams);
    at_ngrams_match(&s->grams, b->at, b->count, 1);
    at_ngrams_matches(&s->grams, 1, &common);
    result.f1 = 2 * common / (double)(a->count + b->count);
    return result;
}

/* all answers of a line; returns how many have counted, or -1 without memory */
static int try_answers(const at_measurement *t, at_workspace *s, const char *line, agreement *best)
{
    int answers = 0;
    for (const char *answer = line;; answer++) {
        size_t size = strcspn(answer, "\t");
        read_answer(s, answer, size, false, &s->reference_words);
        if (s->reference_words.failed)
            return -1;
        if (s->reference_words.count || (t->o.squad_v1 && size)) {
            agreement one = agree(t, s);
            best->exact = one.exact > best->exact ? one.exact : best->exact;
            best->f1 = one.f1 > best->f1 ? one.f1 : best->f1;
            answers++;
        }
        answer += size;
        if (!*answer)
            return answers;
    }
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    const at_measurement *t = g->task;
    const char *line = at_segment_hypothesis(g);
    agreement best = {0, 0};
    int answers = 0, more = 0;
    at_pairs_start(&s->pairs);
    at_ngrams_start(&s->grams);
    read_answer(s, line, strlen(line), true, &s->words);
    at_ngrams_count(&s->grams, s->words.at, s->words.count, 1);
    for (int r = 0; r < t->references && more >= 0; r++) {
        more = try_answers(t, s, at_segment_reference(g, r), &best);
        answers += more;
    }
    if (more < 0 || s->words.failed || s->grams.failed)
        return at_error_memory(err);
    if (!answers)
        best.exact = best.f1 = s->words.count == 0;
    statistics[EXACT] = best.exact;
    statistics[F1] = best.f1;
    statistics[ANSWERED] = answers > 0;
    statistics[ANSWERED_EXACT] = answers ? best.exact : 0;
    statistics[ANSWERED_F1] = answers ? best.f1 : 0;
    statistics[ALL] = 1;
    return ATTEND_OK;
}

/* ---- scores ----------------------------------------------------------------------------- */

static double exact(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    return at_percent(sum[EXACT], sum[ALL]);
}

static double f1(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    return at_percent(sum[F1], sum[ALL]);
}

static void exact_title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "EM")); }
static void f1_title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "F1")); }

static void signature(const at_measurement *t, at_str *out)
{
    at_str_print(out, "squad:%s", t->o.squad_v1 ? "1.1" : "2.0");
}

/* with and without answer; nothing more to say where there is only one kind */
static void split(const double *sum, int of, int of_answered, at_str *out)
{
    double unanswered = sum[ALL] - sum[ANSWERED];
    if (unanswered == 0)
        at_str_print(out, "(%.0f questions)", sum[ALL]);
    else
        at_str_print(out, "(%.2f of %.0f with answers, %.2f of %.0f without)",
                     at_percent(sum[of_answered], sum[ANSWERED]), sum[ANSWERED],
                     at_percent(sum[of] - sum[of_answered], unanswered), unanswered);
}

static void exact_detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    split(sum, EXACT, ANSWERED_EXACT, out);
}

static void f1_detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    split(sum, F1, ANSWERED_F1, out);
}

/* the names of the official script */
static void members(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    double none = sum[ALL] - sum[ANSWERED];
    at_json_number(out, "exact", at_percent(sum[EXACT], sum[ALL]));
    at_json_number(out, "f1", at_percent(sum[F1], sum[ALL]));
    at_json_number(out, "total", sum[ALL]);
    at_json_number(out, "HasAns_exact", at_percent(sum[ANSWERED_EXACT], sum[ANSWERED]));
    at_json_number(out, "HasAns_f1", at_percent(sum[ANSWERED_F1], sum[ANSWERED]));
    at_json_number(out, "HasAns_total", sum[ANSWERED]);
    at_json_number(out, "NoAns_exact", at_percent(sum[EXACT] - sum[ANSWERED_EXACT], none));
    at_json_number(out, "NoAns_f1", at_percent(sum[F1] - sum[ANSWERED_F1], none));
    at_json_number(out, "NoAns_total", none);
}

#define SQUAD(id, text, what, the_score, the_title, the_detail)          \
    const at_measure at_measure_##id = {                                 \
        .name = text,                                                    \
        .formula = what,                                                 \
        .source = "Rajpurkar et al. 2016, 2018",                         \
        .lines = "an answer; several in a reference, with tabs between", \
        .min_references = 1,                                             \
        .max_references = 1000,                                          \
        .width = WIDTH,                                                  \
        .collect = collect,                                              \
        .score = the_score,                                              \
        .title = the_title,                                              \
        .signature = signature,                                          \
        .detail = the_detail,                                            \
        .members = members,                                              \
    };

SQUAD(exact_match, "exact-match", "100 answers right word for word / questions", exact, exact_title,
      exact_detail)
SQUAD(f1, "f1", "mean over questions of 2 P R / (P + R) of the answer's words, in per cent", f1,
      f1_title, f1_detail)
