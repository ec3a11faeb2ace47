/* Collecting statistics, on all threads, and adding them up, in the order of the segments. */
#include "measure/results.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/utf8.h"

/* ---- what is asked for ------------------------------------------------------------------ */

static attend_status find_measure(at_measurement *t, const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < at_measures_count; i++)
        at_guess_consider(&guess, at_measures[i]->name, strlen(at_measures[i]->name));
    t->measure = at_measure_find(name);
    if (t->measure)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "there is no measure \"%.40s\"%s%s%s", name,
                    *guess.best ? "; did you mean "
                                : "; attend list measures shows those there are",
                    guess.best, *guess.best ? "?" : "");
}

static attend_status find_words(at_measurement *t, attend_error *err)
{
    static const char *const smooth[] = {"exp", "floor", "add-k", "none"};
    t->tokenization = at_tokenization_find(t->o.tokenize);
    if (!t->tokenization)
        return at_error(err, ATTEND_OPTION,
                        "there is no tokenization \"%.40s\"; choose 13a, intl, zh, char or none",
                        t->o.tokenize);
    for (int i = 0; i < 4; i++)
        if (strcmp(smooth[i], t->o.smooth) == 0) {
            t->smooth = (at_smooth)i;
            return ATTEND_OK;
        }
    return at_error(err, ATTEND_OPTION,
                    "there is no smoothing \"%.40s\"; choose exp, floor, add-k or none",
                    t->o.smooth);
}

static attend_status check_ranges(const attend_measure_options *o, attend_error *err)
{
    const struct {
        const char *name;
        int value, min, max;
    } ranges[] = {
        {"max_order", o->max_order, 1, ATTEND_ORDER_MAX},
        {"char_order", o->char_order, 1, ATTEND_ORDER_MAX},
        {"word_order", o->word_order, -1, ATTEND_ORDER_MAX},
        {"beta", o->beta, 1, 1000},
        {"link_base", o->link_base, 0, 1},
        {"gold_base", o->gold_base, 0, 1},
        {"resamples", o->resamples, 0, 1000000},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].value < ranges[i].min || ranges[i].value > ranges[i].max)
            return at_error(err, ATTEND_OPTION, "%s is %d; it goes from %d to %d", ranges[i].name,
                            ranges[i].value, ranges[i].min, ranges[i].max);
    if (!(o->smooth_value <= 1e9))
        return at_error(err, ATTEND_OPTION, "smooth_value is %g; it goes up to 1e9",
                        o->smooth_value);
    return ATTEND_OK;
}

/* ---- what is given ---------------------------------------------------------------------- */

static attend_status check_utf8(const attend_lines *l, attend_error *err)
{
    for (size_t i = 0; i < l->count; i++) {
        size_t size = strlen(l->line[i]), valid = at_utf8_valid(l->line[i], size);
        if (valid < size)
            return at_error(err, ATTEND_FORMAT,
                            "%s:%zu: byte %zu is no UTF-8; convert the file, for instance with "
                            "iconv -f latin1 -t utf8",
                            at_show(at_lines_name(l)).text, i + 1, valid + 1);
    }
    return ATTEND_OK;
}

static attend_status check_count(const attend_lines *a, const attend_lines *b, attend_error *err)
{
    const attend_lines *less = a->count < b->count ? a : b, *more = less == a ? b : a;
    if (a->count == b->count)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "%s:%zu: this line is missing: the file has %zu line%s, %s has %zu; they must "
                    "belong to each other line by line",
                    at_show(at_lines_name(less)).text, less->count + 1, less->count,
                    less->count == 1 ? "" : "s", at_show(at_lines_name(more)).text, more->count);
}

static attend_status check_lines(const at_measurement *t, attend_error *err)
{
    const attend_lines *first = &t->hypotheses[0];
    attend_status status = ATTEND_OK;
    if (first->count == 0)
        return at_error(err, ATTEND_FORMAT, "%s: has no lines", at_show(at_lines_name(first)).text);
    for (int i = 0; i < t->references + t->systems && status >= 0; i++) {
        const attend_lines *l = i < t->references ? &t->reference[i]
                                                  : &t->hypotheses[i - t->references];
        status = check_count(first, l, err);
        if (status >= 0)
            status = check_utf8(l, err);
    }
    return status;
}

static attend_status check_references(const at_measurement *t, attend_error *err)
{
    const at_measure *m = t->measure;
    if (t->systems < 1)
        return at_error(err, ATTEND_OPTION, "there is nothing to measure");
    if (t->references >= m->min_references && t->references <= m->max_references)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "%s takes %s, and there %s %d", m->name,
                    m->max_references == 0   ? "no reference"
                    : m->max_references == 1 ? "one reference"
                                             : "a reference or more",
                    t->references == 1 ? "is" : "are", t->references);
}

/* ---- statistics ------------------------------------------------------------------------- */

typedef struct {
    const at_results *results;
    int system;
    atomic_size_t failed; /* the first segment that did, or SIZE_MAX */
} collecting;

static double *statistics_at(const at_results *s, int system, size_t segment)
{
    return s->statistics + ((size_t)system * s->task.segments + segment) * s->task.width;
}

const double *at_results_statistics(const at_results *s, int system, size_t segment)
{
    return statistics_at(s, system, segment);
}

static void collect_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    collecting *c = arg;
    const at_measurement *t = &c->results->task;
    at_workspace workspace = {0};
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        at_segment segment = {t, c->system, i};
        double *statistics = statistics_at(c->results, c->system, i);
        if (t->measure->collect(&segment, &workspace, statistics, NULL) >= 0)
            continue;
        size_t first = atomic_load(&c->failed);
        while (i < first && !atomic_compare_exchange_weak(&c->failed, &first, i))
            ;
        break;
    }
    at_workspace_free(&workspace);
}

/* Once more, for its message: threads have none to write it into. */
static attend_status fail(const collecting *c, size_t segment, attend_error *err)
{
    at_workspace workspace = {0};
    at_segment s = {&c->results->task, c->system, segment};
    double *statistics = statistics_at(c->results, c->system, segment);
    attend_status status = c->results->task.measure->collect(&s, &workspace, statistics, err);
    at_workspace_free(&workspace);
    return status < 0 ? status : at_error_memory(err);
}

static attend_status collect(at_results *s, attend_error *err)
{
    const at_measurement *t = &s->task;
    for (int system = 0; system < t->systems; system++) {
        collecting c = {.results = s, .system = system, .failed = SIZE_MAX};
        at_parallel_for((ptrdiff_t)t->segments, 32, collect_part, &c);
        size_t failed = atomic_load(&c.failed);
        if (failed != SIZE_MAX)
            return fail(&c, failed, err);
        double *sum = s->sums + (size_t)system * t->sum_width;
        for (size_t i = 0; i < t->segments; i++)
            at_results_add(s, statistics_at(s, system, i), 1, sum);
    }
    return ATTEND_OK;
}

static attend_status allocate(at_results *s, attend_error *err)
{
    const at_measurement *t = &s->task;
    size_t cells, systems = (size_t)t->systems;
    if (!at_size_multiply(systems * t->width, t->segments, &cells))
        return at_error_memory(err);
    s->statistics = at_alloc_zero(cells, sizeof *s->statistics);
    s->sums = at_alloc_zero(systems * t->sum_width + 1, sizeof *s->sums);
    return s->statistics && s->sums ? ATTEND_OK : at_error_memory(err);
}

static attend_status fill(at_results *s, const char *measure, attend_error *err)
{
    at_measurement *t = &s->task;
    attend_status status = find_measure(t, measure, err);
    if (status >= 0 && (status = find_words(t, err)) >= 0
        && (status = check_ranges(&t->o, err)) >= 0 && (status = check_references(t, err)) >= 0)
        status = check_lines(t, err);
    if (status >= 0)
        t->width = t->measure->width;
    if (status >= 0 && t->measure->start)
        status = t->measure->start(t, err);
    if (t->sum_width == 0)
        t->sum_width = t->width;
    if (status >= 0 && (status = allocate(s, err)) >= 0)
        status = collect(s, err);
    t->hypotheses = t->reference = NULL;
    t->o.tokenize = t->o.smooth = NULL;
    return status;
}

void at_measure_defaults(attend_measure_options *o)
{
    *o = (attend_measure_options){
        .size = sizeof *o,
        .tokenize = "13a",
        .smooth = "exp",
        .smooth_value = -1,
        .max_order = 4,
        .char_order = 6,
        .word_order = -1,
        .beta = 2,
        .gold_base = 1,
        .resamples = 0,
        .seed = 12345,
    };
}

attend_status at_results_new(const char *measure, const attend_measure_options *options,
                             int systems, const attend_lines *hypotheses, int references,
                             const attend_lines *reference, at_results **out, attend_error *err)
{
    at_results *s = at_alloc_zero(1, sizeof *s);
    *out = NULL;
    if (!s)
        return at_error_memory(err);
    s->task = (at_measurement){.o = *options,
                               .systems = systems,
                               .references = references,
                               .hypotheses = hypotheses,
                               .reference = reference,
                               .segments = systems > 0 ? hypotheses[0].count : 0};
    attend_status status = fill(s, measure, err);
    if (status < 0)
        at_results_free(s);
    else
        *out = s;
    return status;
}

void at_results_free(at_results *s)
{
    if (!s)
        return;
    at_labels_free(s->task.labels);
    at_free(s->statistics);
    at_free(s->sums);
    at_free(s);
}

/* ---- scores ----------------------------------------------------------------------------- */

void at_results_add(const at_results *s, const double *statistics, double times, double *sum)
{
    size_t width = s->task.width;
    if (s->task.measure->add)
        s->task.measure->add(&s->task, statistics, times, sum);
    else
        for (size_t i = 0; i < width; i++)
            sum[i] += times * statistics[i];
}

const double *at_results_sum(const at_results *s, int system)
{
    return s->sums + (size_t)system * s->task.sum_width;
}

double at_results_of_sum(const at_results *s, const double *sum)
{
    return s->task.measure->score(&s->task, sum, false);
}

/* sum: room for one */
double at_results_of_segment(const at_results *s, int system, size_t segment, double *sum)
{
    memset(sum, 0, s->task.sum_width * sizeof *sum);
    at_results_add(s, at_results_statistics(s, system, segment), 1, sum);
    return s->task.measure->score(&s->task, sum, true);
}

void at_results_signature(const at_results *s, at_str *out)
{
    const at_measurement *t = &s->task;
    if (t->references)
        at_str_print(out, "nrefs:%d|", t->references);
    if (t->o.resamples) {
        at_str_print(out, "bs:%d|", t->o.resamples);
        if (atomic_load(&s->compared))
            at_str_print(out, "ar:%d|", t->o.resamples);
        at_str_print(out, "seed:%llu|", t->o.seed);
    }
    if (t->measure->signature) {
        t->measure->signature(t, out);
        at_str_add(out, "|");
    }
    at_str_print(out, "by:attend-%d.%d.%d", ATTEND_VERSION_MAJOR, ATTEND_VERSION_MINOR,
                 ATTEND_VERSION_PATCH);
}
