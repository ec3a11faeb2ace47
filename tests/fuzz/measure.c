/* Fuzz target: any bytes as lines of a hypothesis and, behind a zero byte, of a reference, for
 * every measure. The first byte chooses options. Scores stay in their ranges, those of all lines
 * are those of a sum, and a hypothesis that is its reference loses nothing. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/results.h"

enum { MOST = 200 };

typedef struct {
    char *text;
    const char *line[MOST];
    attend_lines lines;
} part;

static void require(int holds, const char *measure, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s: %s\n", measure, what);
    abort();
}

static void split(part *p, const char *name, const uint8_t *data, size_t size)
{
    size_t count = 0;
    p->text = malloc(size + 1);
    require(p->text != NULL, "all", "memory");
    memcpy(p->text, data, size);
    p->text[size] = 0;
    for (char *at = p->text; at && count < MOST;) {
        p->line[count++] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = 0;
    }
    p->lines = (attend_lines){.name = name, .count = count, .line = p->line};
}

static void choose(attend_measure_options *o, unsigned bits)
{
    static const char *const tokenize[] = {"13a", "intl", "zh", "char", "none"};
    static const char *const smooth[] = {"exp", "floor", "add-k", "none"};
    attend_measure_defaults(o);
    o->tokenize = tokenize[bits % 5];
    o->smooth = smooth[bits % 4];
    o->lowercase = bits >> 1 & 1;
    o->max_order = 1 + (int)(bits % 6);
    o->whitespace = o->normalized = bits >> 2 & 1;
    o->eps_smoothing = o->no_punct = bits >> 3 & 1;
    o->asian = o->squad_v1 = bits >> 4 & 1;
    o->case_sensitive = bits >> 5 & 1;
    o->resamples = 3;
}

static double total(const at_results *r) { return at_results_of_sum(r, at_results_sum(r, 0)); }

static void check_score(const at_measure *m, double score)
{
    bool open = strcmp(m->name, "ter") == 0 || strcmp(m->name, "perplexity") == 0;
    require(!isnan(score) && score >= 0, m->name, "a score is a number, and not below 0");
    require(open || score <= 100 + 1e-6, m->name, "and not above 100");
}

static void check_results(const at_measure *m, at_results *r)
{
    double *sum = at_alloc(r->task.sum_width * sizeof *sum);
    attend_interval interval;
    at_str text = {0};
    require(sum != NULL, m->name, "memory");
    check_score(m, total(r));
    for (size_t i = 0; i < r->task.segments; i++)
        check_score(m, at_results_of_segment(r, 0, i, sum));
    require(at_results_interval(r, 0, &interval, NULL) == ATTEND_OK, m->name, "samples");
    require(interval.low <= interval.high, m->name, "an interval goes up");
    m->title(&r->task, &text);
    at_results_signature(r, &text);
    if (m->detail)
        m->detail(&r->task, at_results_sum(r, 0), &text);
    if (m->members)
        m->members(&r->task, at_results_sum(r, 0), &text);
    require(text.length > 0, m->name, "there is something to say");
    at_str_free(&text);
    at_free(sum);
}

/* the hypothesis as its own reference */
static void check_perfection(const at_measure *m, const attend_measure_options *o, const part *h)
{
    at_results *r;
    if (m->max_references == 0 || strcmp(m->name, "aer") == 0
        || at_results_new(m->name, o, 1, &h->lines, 1, &h->lines, &r, NULL) < 0)
        return;
    for (size_t i = 0; i < r->task.sum_width && strcmp(m->name, "ter") == 0; i += 2)
        require(at_results_sum(r, 0)[i] == 0, m->name, "no edits to itself");
    if (strcmp(m->name, "accuracy") == 0 || strcmp(m->name, "macro-f1") == 0)
        require(total(r) == 100, m->name, "a line is its own label");
    at_results_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    part h, r;
    attend_measure_options o;
    attend_error err;
    if (size < 2 || size > 4096)
        return 0;
    const uint8_t *middle = memchr(data + 1, 0, size - 1);
    size_t first = middle ? (size_t)(middle - data - 1) : size - 1;
    split(&h, "hyp", data + 1, first);
    split(&r, "ref", data + 1 + first + (middle != NULL), size - 1 - first - (middle != NULL));
    choose(&o, data[0]);
    if (h.lines.count > r.lines.count && data[0] < 128) /* else the counts are an error */
        h.lines.count = r.lines.count;
    if (r.lines.count > h.lines.count && data[0] < 128)
        r.lines.count = h.lines.count;
    for (int i = 0; i < at_measures_count; i++) {
        const at_measure *m = at_measures[i];
        at_results *results;
        attend_status status = at_results_new(m->name, &o, 1, &h.lines, m->max_references > 0,
                                              &r.lines, &results, &err);
        require(status == ATTEND_OK || status == ATTEND_FORMAT, m->name, "scores, or a wrong file");
        require(status == ATTEND_OK || strncmp(err.message, "hyp:", 4) == 0
                    || strncmp(err.message, "ref:", 4) == 0,
                m->name, "a message names file and line");
        if (status >= 0)
            check_results(m, results);
        at_results_free(results);
        check_perfection(m, &o, &h);
    }
    free(h.text);
    free(r.text);
    return 0;
}
