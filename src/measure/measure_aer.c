/* Alignment error rate (Och and Ney 2003): links A between words, next to sure links S and possible
 * links P of people, where S is a part of P,
 *
 *     AER = 100 (1 - (|A and S| + |A and P|) / (|A| + |S|))
 *     precision = |A and P| / |A|,   recall = |A and S| / |S|
 *
 * A line of the hypothesis has links "0-0 1-2" (Pharaoh's format, words counted from 0), one of the
 * reference has sure "1-1" and possible "2p3" ones (counted from 1). A link given twice counts
 * once. */
#include <string.h>

#include "base/number.h"
#include "measure/measure.h"

enum { A_AND_S, A_AND_P, A, S, WIDTH };
enum { IN_A = 1, IN_S = 2, IN_P = 4 };

/* ---- reading links ---------------------------------------------------------------------- */

typedef struct {
    long long from, to;
    bool possible;
} alignment_link;

static bool read_link(const char *word, size_t size, alignment_link *l)
{
    size_t digits = strspn(word, "0123456789");
    if (digits == 0 || digits > 9 || digits + 1 >= size || size - digits - 1 > 9)
        return false;
    l->possible = word[digits] == 'p';
    return (l->possible || word[digits] == '-') && at_number_whole(word, digits, &l->from)
           && at_number_whole(word + digits + 1, size - digits - 1, &l->to) && l->to >= 0;
}

/* Marks a link as one of A, S or P; false without memory. s->words has the marks by number. */
static bool mark(at_workspace *s, const alignment_link *l, uint32_t marks)
{
    uint32_t number = at_pairs_add(&s->pairs, (uint32_t)l->from, (uint32_t)l->to);
    while (s->words.count <= number && !s->words.failed)
        at_chars_add(&s->words, 0);
    if (s->words.failed || s->pairs.failed)
        return false;
    s->words.at[number] |= marks;
    return true;
}

/* reference -1 is the hypothesis */
static attend_status read_links(const at_segment *g, at_workspace *s, int reference,
                                attend_error *err)
{
    bool gold = reference >= 0;
    const char *word = gold ? at_segment_reference(g, reference) : at_segment_hypothesis(g);
    int base = gold ? g->task->o.gold_base : g->task->o.link_base;
    for (;;) {
        word += strspn(word, " \t\r");
        size_t size = strcspn(word, " \t\r");
        alignment_link l;
        if (size == 0)
            return ATTEND_OK;
        if (!read_link(word, size, &l) || (l.possible && !gold))
            return at_segment_error(
                g, reference, err, "\"%s\" is no link; write %s", at_word_shown(word, size).text,
                gold ? "1-2 for a sure one, 1p2 for a possible one" : "links as 0-1");
        if (l.from < base || l.to < base)
            return at_segment_error(g, reference, err,
                                    "link %.*s: words are counted from %d here; --%s 0 is for "
                                    "links that count from 0, as attend align's",
                                    (int)size, word, base, gold ? "gold-base" : "link-base");
        l.from -= base;
        l.to -= base;
        if (!mark(s, &l, !gold ? IN_A : l.possible ? IN_P : IN_S | IN_P))
            return at_error_memory(err);
        word += size;
    }
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    at_pairs_start(&s->pairs);
    at_chars_clear(&s->words);
    attend_status status = read_links(g, s, -1, err);
    if (status >= 0)
        status = read_links(g, s, 0, err);
    memset(statistics, 0, WIDTH * sizeof *statistics);
    for (size_t i = 1; i < s->words.count && status >= 0; i++) {
        uint32_t marks = s->words.at[i];
        statistics[A] += (marks & IN_A) != 0;
        statistics[S] += (marks & IN_S) != 0;
        statistics[A_AND_S] += (marks & IN_A) && (marks & IN_S);
        statistics[A_AND_P] += (marks & IN_A) && (marks & IN_P);
    }
    return status;
}

/* ---- scores ----------------------------------------------------------------------------- */

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    double all = sum[A] + sum[S];
    return all > 0 ? 100 - at_percent(sum[A_AND_S] + sum[A_AND_P], all) : 0;
}

static double precision(const double *sum) { return at_percent(sum[A_AND_P], sum[A]); }
static double recall(const double *sum) { return at_percent(sum[A_AND_S], sum[S]); }

static void title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "AER")); }

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_str_print(out, "(precision = %.2f recall = %.2f links = %.0f sure = %.0f)", precision(sum),
                 recall(sum), sum[A], sum[S]);
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_json_number(out, "precision", precision(sum));
    at_json_number(out, "recall", recall(sum));
    at_json_number(out, "links", sum[A]);
    at_json_number(out, "sure", sum[S]);
    at_json_number(out, "links_and_sure", sum[A_AND_S]);
    at_json_number(out, "links_and_possible", sum[A_AND_P]);
}

const at_measure at_measure_aer = {
    .name = "aer",
    .formula = "100 (1 - (|A and S| + |A and P|) / (|A| + |S|)) of links A, sure S, possible P",
    .source = "Och and Ney 2003",
    .lines = "links as 0-1; in a reference 1-2 for a sure one, 1p2 for a possible one",
    .min_references = 1,
    .max_references = 1,
    .low_is_good = true,
    .width = WIDTH,
    .collect = collect,
    .score = score,
    .title = title,
    .detail = detail,
    .members = members,
};
