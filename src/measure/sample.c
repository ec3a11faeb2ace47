/* How much of a score, or of a difference, is chance?
 *
 * Bootstrap resampling (Efron 1979; Koehn 2004): as many segments as there are, drawn with
 * replacement, a thousand times. The middle 95 % of the scores are the interval. For two systems
 * the draws are the same, and p is the share of samples whose difference, less the mean of all, is
 * larger than the one observed.
 *
 * Approximate randomisation (Riezler and Maxwell 2005): the outputs of the two systems are
 * exchanged for about half of the segments, and p is the share of exchanges with a difference
 * larger than the one observed. Both add one to numerator and denominator, and both are what
 * sacreBLEU does.
 *
 * Draws come from Philox and depend on seed, sample and segment alone. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "measure/results.h"

typedef struct {
    const at_results *s;
    int system, baseline; /* baseline -1: none */
    uint32_t use;
    double *score[2]; /* of each sample, for the system and the baseline */
    atomic_bool failed;
} sampling;

static at_random place(const sampling *p, ptrdiff_t sample)
{
    return (at_random){.seed = p->s->task.o.seed, .step = (uint32_t)sample, .use = p->use};
}

/* ---- bootstrap -------------------------------------------------------------------------- */

static void resample(const sampling *p, ptrdiff_t sample, double *sum[2])
{
    const at_results *s = p->s;
    size_t segments = s->task.segments;
    at_random r = place(p, sample);
    uint32_t words[4] = {0};
    for (size_t i = 0; i < segments; i++) {
        if (i % 4 == 0)
            at_random_words(r, (uint32_t)(i / 4), words);
        size_t drawn = (size_t)((uint64_t)words[i % 4] * segments >> 32);
        at_results_add(s, at_results_statistics(s, p->system, drawn), sum[0]);
        if (p->baseline >= 0)
            at_results_add(s, at_results_statistics(s, p->baseline, drawn), sum[1]);
    }
}

/* ---- randomisation ---------------------------------------------------------------------- */

static void exchange(const sampling *p, ptrdiff_t sample, double *sum[2])
{
    const at_results *s = p->s;
    const double *all[2] = {at_results_sum(s, p->system), at_results_sum(s, p->baseline)};
    at_random r = place(p, sample);
    uint32_t words[4] = {0};
    for (size_t i = 0; i < s->task.segments; i++) {
        if (i % 128 == 0)
            at_random_words(r, (uint32_t)(i / 128), words);
        bool exchanged = words[i % 128 / 32] >> i % 32 & 1;
        int system = exchanged ? p->baseline : p->system;
        at_results_add(s, at_results_statistics(s, system, i), sum[0]);
    }
    for (size_t i = 0; i < s->task.sum_width; i++)
        sum[1][i] = all[0][i] + all[1][i] - sum[0][i];
}

/* ---- samples ---------------------------------------------------------------------------- */

typedef void draw(const sampling *p, ptrdiff_t sample, double *sum[2]);

static void sample_part(sampling *p, ptrdiff_t begin, ptrdiff_t end, draw *one)
{
    size_t width = p->s->task.sum_width;
    double *memory = at_alloc(2 * width * sizeof *memory), *sum[2] = {memory, memory + width};
    if (!memory)
        atomic_store(&p->failed, true);
    for (ptrdiff_t i = begin; i < end && memory; i++) {
        memset(memory, 0, 2 * width * sizeof *memory);
        one(p, i, sum);
        for (int k = 0; k < 2 && p->score[k]; k++)
            p->score[k][i] = at_results_of_sum(p->s, sum[k]);
    }
    at_free(memory);
}

static void resample_part(void *p, ptrdiff_t begin, ptrdiff_t end)
{
    sample_part(p, begin, end, resample);
}

static void exchange_part(void *p, ptrdiff_t begin, ptrdiff_t end)
{
    sample_part(p, begin, end, exchange);
}

/* Fills score, which is then the caller's to free, also after a failure. */
static attend_status run(sampling *p, at_part *part, const char *name, attend_error *err)
{
    const at_task *t = &p->s->task;
    if (t->o.resamples < 1)
        return at_error(err, ATTEND_OPTION, "resamples is %d; at least 1 is needed",
                        t->o.resamples);
    if (t->segments >= UINT32_MAX)
        return at_error(err, ATTEND_OPTION, "there are too many lines for random samples of them");
    for (int k = 0; k < (p->baseline >= 0 ? 2 : 1); k++) {
        p->score[k] = at_alloc((size_t)t->o.resamples * sizeof *p->score[k]);
        if (!p->score[k])
            return at_error_memory(err);
    }
    p->use = at_random_name(name);
    at_parallel_for(t->o.resamples, 1, part, p);
    return atomic_load(&p->failed) ? at_error_memory(err) : ATTEND_OK;
}

static void end(sampling *p)
{
    at_free(p->score[0]);
    at_free(p->score[1]);
}

/* ---- what follows from them ------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean(const double *value, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += value[i];
    return sum / count;
}

attend_status at_results_interval(const at_results *s, int system, attend_interval *out,
                                  attend_error *err)
{
    sampling p = {.s = s, .system = system, .baseline = -1};
    attend_status status = run(&p, resample_part, "bootstrap", err);
    if (status >= 0) {
        int count = s->task.o.resamples, cut = count / 40;
        qsort(p.score[0], (size_t)count, sizeof *p.score[0], by_value);
        *out = (attend_interval){.mean = mean(p.score[0], count),
                                 .low = p.score[0][cut],
                                 .high = p.score[0][count - cut - 1]};
    }
    end(&p);
    return status;
}

/* p of a difference larger than observed; centred: differences are compared without their mean */
static double chance(const sampling *p, double observed, bool centred)
{
    int count = p->s->task.o.resamples, larger = 0;
    double *difference = p->score[0];
    for (int i = 0; i < count; i++)
        difference[i] = fabs(p->score[0][i] - p->score[1][i]);
    double centre = centred ? mean(difference, count) : 0;
    for (int i = 0; i < count; i++)
        larger += difference[i] - centre > observed;
    return (double)(larger + 1) / (count + 1);
}

attend_status at_results_compare(const at_results *s, int system, int baseline,
                                 attend_comparison *out, attend_error *err)
{
    double difference = at_results_of_sum(s, at_results_sum(s, system))
                        - at_results_of_sum(s, at_results_sum(s, baseline));
    sampling a = {.s = s, .system = system, .baseline = baseline}, b = a;
    attend_status status = run(&a, resample_part, "bootstrap", err);
    if (status >= 0)
        status = run(&b, exchange_part, "randomisation", err);
    if (status >= 0)
        *out = (attend_comparison){.difference = difference,
                                   .bootstrap = chance(&a, fabs(difference), true),
                                   .randomisation = chance(&b, fabs(difference), false)};
    end(&a);
    end(&b);
    return status;
}
