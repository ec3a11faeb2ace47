/* How much of a score, or of a difference, is chance?
 *
 * Bootstrap resampling (Efron 1979; Koehn 2004): as many segments as there are, drawn with
 * replacement, a thousand times. The middle 95 % of the scores are the interval. For two systems
 * the draws are the same, and p is the share of samples in which the difference is as far from the
 * mean difference, to either side, as the observed one is from 0.
 *
 * Approximate randomisation (Riezler and Maxwell 2005): the outputs of two systems are exchanged
 * for about half of the segments, and p is the share of exchanges with a difference at least as
 * large as the observed one, to either side.
 *
 * Both add one to numerator and denominator. sacreBLEU's figures differ in two ways: it counts only
 * what is larger, and so finds a system significantly different from itself; and its bootstrap
 * drops the sign before it takes the mean away, which about halves p.
 *
 * A sample is how many times each segment counts. Draws come from Philox and depend on seed, sample
 * and segment alone; sums go through the segments in order, for a few samples at once. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "measure/results.h"

enum { TOGETHER = 8 };

/* how many times each segment is in a sample; 2^16 times one of many has no chance to come */
typedef void draw(at_random key, size_t segments, uint16_t *times);

typedef struct {
    const at_results *s;
    int system, baseline; /* baseline -1: none */
    draw *draw;
    bool exchanges; /* a segment that is drawn is one whose outputs are exchanged */
    uint32_t use;
    double *score[2]; /* of each sample, for the system and the baseline */
    atomic_bool failed;
} sampling;

/* ---- draws ------------------------------------------------------------------------------ */

static void resample(at_random key, size_t segments, uint16_t *times)
{
    uint32_t words[4];
    memset(times, 0, segments * sizeof *times);
    for (size_t i = 0; i < segments; i += 4) {
        at_random_words(key, (uint32_t)(i / 4), words);
        for (size_t k = 0; k < 4 && i + k < segments; k++)
            times[(uint64_t)words[k] * segments >> 32]++;
    }
}

static void halve(at_random key, size_t segments, uint16_t *times)
{
    uint32_t words[4] = {0};
    for (size_t i = 0; i < segments; i++) {
        if (i % 128 == 0)
            at_random_words(key, (uint32_t)(i / 128), words);
        times[i] = words[i % 128 / 32] >> i % 32 & 1;
    }
}

/* ---- sums ------------------------------------------------------------------------------- */

/* memory of one thread: for each of TOGETHER samples the times of all segments, and two sums */
typedef struct {
    uint16_t *times;
    double *sum[2];
} block;

static bool block_new(block *b, const at_measurement *t)
{
    size_t segments = t->segments * TOGETHER, sums = t->sum_width * TOGETHER;
    b->times = at_alloc(segments * sizeof *b->times);
    b->sum[0] = at_alloc(2 * sums * sizeof *b->sum[0]);
    b->sum[1] = b->sum[0] + sums;
    return b->times && b->sum[0];
}

static void block_free(block *b)
{
    at_free(b->times);
    at_free(b->sum[0]);
}

static void add_up(const at_results *s, int system, const block *b, int samples, double *sum)
{
    size_t segments = s->task.segments, width = s->task.sum_width;
    memset(sum, 0, width * TOGETHER * sizeof *sum);
    for (size_t i = 0; i < segments; i++) {
        const double *statistics = at_results_statistics(s, system, i);
        for (int k = 0; k < samples; k++) {
            uint16_t times = b->times[(size_t)k * segments + i];
            if (times)
                at_results_add(s, statistics, times, sum + (size_t)k * width);
        }
    }
}

/* From what is exchanged, in sum, to the sums of the two systems after the exchange. */
static void exchange(const sampling *p, double *a, double *b)
{
    const double *all_a = at_results_sum(p->s, p->system);
    const double *all_b = at_results_sum(p->s, p->baseline);
    for (size_t i = 0; i < p->s->task.sum_width; i++) {
        double out = a[i], in = b[i];
        a[i] = all_a[i] - out + in;
        b[i] = all_b[i] - in + out;
    }
}

static void sample_block(const sampling *p, block *b, ptrdiff_t first, int samples)
{
    const at_measurement *t = &p->s->task;
    int systems = p->baseline >= 0 ? 2 : 1;
    for (int k = 0; k < samples; k++)
        p->draw((at_random){.seed = t->o.seed, .step = (uint32_t)(first + k), .use = p->use},
                t->segments, b->times + (size_t)k * t->segments);
    add_up(p->s, p->system, b, samples, b->sum[0]);
    if (systems == 2)
        add_up(p->s, p->baseline, b, samples, b->sum[1]);
    for (int k = 0; k < samples; k++) {
        size_t at = (size_t)k * t->sum_width;
        if (p->exchanges)
            exchange(p, b->sum[0] + at, b->sum[1] + at);
        for (int i = 0; i < systems; i++)
            p->score[i][first + k] = at_results_of_sum(p->s, b->sum[i] + at);
    }
}

static void sample_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    sampling *p = arg;
    block b = {0};
    if (!block_new(&b, &p->s->task))
        atomic_store(&p->failed, true);
    for (ptrdiff_t i = begin; i < end && !atomic_load(&p->failed); i += TOGETHER)
        sample_block(p, &b, i, end - i < TOGETHER ? (int)(end - i) : TOGETHER);
    block_free(&b);
}

/* Fills score, which is then the caller's to free, also after a failure. */
static attend_status run(sampling *p, const char *name, attend_error *err)
{
    const at_measurement *t = &p->s->task;
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
    at_parallel_for(t->o.resamples, TOGETHER, sample_part, p);
    return atomic_load(&p->failed) ? at_error_memory(err) : ATTEND_OK;
}

static void end_sampling(sampling *p)
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
    sampling p = {.s = s, .system = system, .baseline = -1, .draw = resample};
    attend_status status = run(&p, "bootstrap", err);
    if (status >= 0) {
        int count = s->task.o.resamples, cut = count / 40;
        qsort(p.score[0], (size_t)count, sizeof *p.score[0], by_value);
        *out = (attend_interval){.mean = mean(p.score[0], count),
                                 .low = p.score[0][cut],
                                 .high = p.score[0][count - cut - 1]};
    }
    end_sampling(&p);
    return status;
}

/* p of a difference as large as observed; centred: differences are compared without their mean */
static double chance(const sampling *p, double observed, bool centred)
{
    static const double rounding = 1e-9;
    int count = p->s->task.o.resamples, large = 0;
    double *difference = p->score[0];
    for (int i = 0; i < count; i++)
        difference[i] -= p->score[1][i];
    double centre = centred ? mean(difference, count) : 0;
    for (int i = 0; i < count; i++)
        large += fabs(difference[i] - centre) >= observed - rounding;
    return (double)(large + 1) / (count + 1);
}

attend_status at_results_compare(const at_results *s, int system, int baseline,
                                 attend_comparison *out, attend_error *err)
{
    double difference = at_results_of_sum(s, at_results_sum(s, system))
                        - at_results_of_sum(s, at_results_sum(s, baseline));
    sampling a = {.s = s, .system = system, .baseline = baseline, .draw = resample}, b = a;
    b.draw = halve;
    b.exchanges = true;
    attend_status status = run(&a, "bootstrap", err);
    if (status >= 0)
        status = run(&b, "randomisation", err);
    if (status >= 0)
        *out = (attend_comparison){.difference = difference,
                                   .bootstrap = chance(&a, fabs(difference), true),
                                   .randomisation = chance(&b, fabs(difference), false)};
    end_sampling(&a);
    end_sampling(&b);
    return status;
}
