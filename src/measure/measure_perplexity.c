/* Perplexity: how many words, all as likely, a model hesitates between,
 *
 *     exp(-1/N sum_i ln p_i)
 *
 * A line has the logarithms of the probabilities of its words, one after the other; there is no
 * reference. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "measure/measure.h"

enum { LOGS, WORDS, WIDTH };

static attend_status start(at_measurement *t, attend_error *err)
{
    if (t->o.log_base != 0 && !(t->o.log_base > 1 && t->o.log_base <= 1e9))
        return at_error(err, ATTEND_OPTION,
                        "the base of the logarithms is %g; it must be 0, for e, or more than 1",
                        t->o.log_base);
    return ATTEND_OK;
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    (void)s;
    double log_of_base = g->task->o.log_base == 0 ? 1 : log(g->task->o.log_base);
    statistics[LOGS] = statistics[WORDS] = 0;
    for (const char *word = at_segment_hypothesis(g);;) {
        double value;
        word += strspn(word, " \t\r");
        size_t size = strcspn(word, " \t\r");
        if (size == 0)
            return ATTEND_OK;
        if (!at_number_real(word, size, &value))
            return at_segment_error(g, -1, err, "\"%s\" is not a number",
                                    at_word_shown(word, size).text);
        if (value > 0)
            return at_segment_error(g, -1, err,
                                    "%s is no logarithm of a probability; these are at most 0",
                                    at_word_shown(word, size).text);
        statistics[LOGS] += value * log_of_base;
        statistics[WORDS]++;
        word += size;
    }
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    return sum[WORDS] > 0 ? exp(-sum[LOGS] / sum[WORDS]) : 0;
}

static void title(const at_measurement *t, at_str *out)
{
    at_str_add(out, ((void)t, "perplexity"));
}

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_str_print(out, "(%.0f words, %.4f bits each)", sum[WORDS],
                 sum[WORDS] > 0 ? -sum[LOGS] / sum[WORDS] / log(2) : 0);
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_json_number(out, "words", sum[WORDS]);
    at_json_number(out, "log_probability", sum[LOGS]);
}

const at_measure at_measure_perplexity = {
    .name = "perplexity",
    .formula = "exp(-1/N sum_i ln p_i) over N words",
    .source = "Jelinek et al. 1977",
    .lines = "the logarithms of the probabilities of its words; no reference",
    .low_is_good = true,
    .width = WIDTH,
    .start = start,
    .collect = collect,
    .score = score,
    .title = title,
    .detail = detail,
    .members = members,
};
