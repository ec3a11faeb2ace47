#include "decode/lexical_model.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/pairs.h"

static const double none_prior = 0.08, dirichlet = 0.01, first_tension = 4;

typedef struct {
    const at_word_lines *source, *target;
    at_pairs pairs;           /* of a source word, 0 for none, and a target word of one line */
    double *t, *count;        /* [pairs + 1]: the probability, and how often it is expected */
    uint32_t *from;           /* [pairs + 1]: its source word */
    double *total;            /* [source words + 1] */
    uint32_t *kinds;          /* [source words + 1]: pairs that each is in */
    double tension, distance; /* distance: the expected sum of |i / m - j / n| */
} lexical_model;

static double distance(size_t i, size_t m, size_t j, size_t n)
{
    return fabs((double)(i + 1) / (double)m - (double)(j + 1) / (double)n);
}

/* p(i | j, m, n) for all i */
static void priors(const lexical_model *model, size_t m, size_t j, size_t n, double *prior)
{
    double z = 0;
    for (size_t i = 0; i < m; i++)
        z += prior[i] = exp(-model->tension * distance(i, m, j, n));
    for (size_t i = 0; i < m; i++)
        prior[i] *= (1 - none_prior) / z;
}

static double digamma(double x)
{
    double sum = 0;
    for (; x < 7; x++)
        sum -= 1 / x;
    double y = 1 / (x * x);
    return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y / 252));
}

/* ---- expectation ---------------------------------------------------------------------------- */

/* the pair of source word i of a line, or of none for i = m, and the target word */
static uint32_t pair_of(const lexical_model *model, const uint32_t *word, size_t i, size_t m,
                        uint32_t to)
{
    return at_pairs_find(&model->pairs, i < m ? word[i] : 0, to);
}

/* p [m + 1]: the joint probability of each source word, and of none, with target word j */
static void joint(const lexical_model *model, size_t line, size_t j, double *p)
{
    size_t m = at_word_lines_words(model->source, line),
           n = at_word_lines_words(model->target, line);
    const uint32_t *from = model->source->word + model->source->begin[line];
    uint32_t to = model->target->word[model->target->begin[line] + j];
    priors(model, m, j, n, p);
    p[m] = none_prior;
    for (size_t i = 0; i <= m; i++)
        p[i] *= model->t[pair_of(model, from, i, m, to)];
}

static void expect_line(lexical_model *model, size_t line, double *p)
{
    size_t m = at_word_lines_words(model->source, line),
           n = at_word_lines_words(model->target, line);
    const uint32_t *from = model->source->word + model->source->begin[line];
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        joint(model, line, j, p);
        for (size_t i = 0; i <= m; i++)
            sum += p[i];
        uint32_t to = model->target->word[model->target->begin[line] + j];
        for (size_t i = 0; i <= m; i++) {
            model->count[pair_of(model, from, i, m, to)] += p[i] / sum;
            if (i < m)
                model->distance += p[i] / sum * distance(i, m, j, n);
        }
    }
}

/* ---- maximisation --------------------------------------------------------------------------- */

static void maximise_translations(lexical_model *model)
{
    memset(model->total, 0, ((size_t)model->source->numbers + 1) * sizeof *model->total);
    for (uint32_t k = 1; k <= model->pairs.count; k++)
        model->total[model->from[k]] += model->count[k];
    for (uint32_t k = 1; k <= model->pairs.count; k++) {
        double all = model->total[model->from[k]] + dirichlet * model->kinds[model->from[k]];
        model->t[k] = exp(digamma(model->count[k] + dirichlet) - digamma(all));
    }
}

/* the sum of |i / m - j / n| that the prior alone expects */
static double prior_distance(const lexical_model *model, double *p)
{
    double sum = 0;
    for (size_t line = 0; line < model->source->count; line++) {
        size_t m = at_word_lines_words(model->source, line),
               n = at_word_lines_words(model->target, line);
        for (size_t j = 0; j < n; j++) {
            priors(model, m, j, n, p);
            for (size_t i = 0; i < m; i++)
                sum += p[i] * distance(i, m, j, n);
        }
    }
    return sum;
}

/* Steps up the gradient of the likelihood, which is the difference of the two distances. */
static void maximise_tension(lexical_model *model, double *p)
{
    enum { STEPS = 8 };
    const double rate = 20, low = 0.1, high = 14;
    size_t words = model->target->begin[model->target->count];
    for (int i = 0; i < STEPS && words; i++) {
        double gradient = (prior_distance(model, p) - model->distance) / (double)words;
        model->tension = fmin(high, fmax(low, model->tension + rate * gradient));
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Numbers the pairs; returns how many source words the longest line has. */
static size_t number_pairs(lexical_model *model)
{
    size_t longest = 0;
    at_pairs_start(&model->pairs);
    for (size_t line = 0; line < model->source->count; line++) {
        const uint32_t *from = model->source->word + model->source->begin[line],
                       *to = model->target->word + model->target->begin[line];
        size_t m = at_word_lines_words(model->source, line),
               n = at_word_lines_words(model->target, line);
        longest = m > longest ? m : longest;
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i <= m; i++)
                at_pairs_add(&model->pairs, i < m ? from[i] : 0, to[j]);
    }
    return longest;
}

static void name_sources(lexical_model *model)
{
    for (size_t line = 0; line < model->source->count; line++) {
        const uint32_t *from = model->source->word + model->source->begin[line],
                       *to = model->target->word + model->target->begin[line];
        size_t m = at_word_lines_words(model->source, line),
               n = at_word_lines_words(model->target, line);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i <= m; i++)
                model->from[pair_of(model, from, i, m, to[j])] = i < m ? from[i] : 0;
    }
    for (uint32_t k = 1; k <= model->pairs.count; k++) {
        model->kinds[model->from[k]]++;
        model->t[k] = 1; /* at first the prior alone decides */
    }
}

static bool allocate(lexical_model *model)
{
    size_t pairs = (size_t)model->pairs.count + 1, words = (size_t)model->source->numbers + 1;
    model->t = at_alloc_zero(pairs, sizeof *model->t);
    model->count = at_alloc_zero(pairs, sizeof *model->count);
    model->from = at_alloc_zero(pairs, sizeof *model->from);
    model->total = at_alloc_zero(words, sizeof *model->total);
    model->kinds = at_alloc_zero(words, sizeof *model->kinds);
    return !model->pairs.failed && model->t && model->count && model->from && model->total
           && model->kinds;
}

static void link_line(const lexical_model *model, size_t line, double *p, at_str *out)
{
    size_t m = at_word_lines_words(model->source, line),
           n = at_word_lines_words(model->target, line);
    for (size_t j = 0; j < n; j++) {
        size_t best = m;
        joint(model, line, j, p);
        for (size_t i = 0; i < m; i++)
            best = p[i] > p[best] ? i : best;
        if (best < m)
            at_str_print(out, "%s%zu-%zu", out->length ? " " : "", best, j);
    }
}

attend_status at_lexical_align(const at_word_lines *source, const at_word_lines *target,
                               int iterations, at_str *out, attend_error *err)
{
    lexical_model model = {.source = source, .target = target, .tension = first_tension};
    size_t longest = number_pairs(&model);
    double *p = at_alloc((longest + 1) * sizeof *p);
    attend_status status = p && allocate(&model) ? ATTEND_OK : at_error_memory(err);
    if (status >= 0)
        name_sources(&model);
    for (int i = 0; i < iterations && status >= 0; i++) {
        memset(model.count, 0, ((size_t)model.pairs.count + 1) * sizeof *model.count);
        model.distance = 0;
        for (size_t line = 0; line < source->count; line++)
            expect_line(&model, line, p);
        maximise_translations(&model);
        maximise_tension(&model, p);
    }
    for (size_t line = 0; line < source->count && status >= 0; line++) {
        link_line(&model, line, p, &out[line]);
        status = out[line].failed ? at_error_memory(err) : ATTEND_OK;
    }
    at_pairs_free(&model.pairs);
    at_free(model.t);
    at_free(model.count);
    at_free(model.from);
    at_free(model.total);
    at_free(model.kinds);
    at_free(p);
    return status;
}
