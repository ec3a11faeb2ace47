/* The width by leave-one-out: a search over a grid of widths, equally far apart in their logarithm,
 * and then between the neighbours of the best. The error has several valleys, and no slope where a
 * kernel has an edge, so this comes before any descent: a kernel has nothing but the search, and w
 * is learned from where the search has ended. */
#include "base/memory.h"
#include "models/pooling.h"

enum { GRID = 97, START_GRID = 33, AGAIN = 17, SAMPLE = 1 << 20, FEWEST = 512 };

typedef struct {
    const at_pooling *pooling;
    const at_kernel *kernel; /* NULL: w, with 1/width for all columns, inside */
    size_t count;            /* the points that are predicted: all, or a sample */
    uint32_t *which;         /* NULL: all */
    double best, error;
} search;

void at_pooling_widths(const at_pooling *p, double *least, double *most)
{
    double spread = 0; /* of all columns together; the units are spreads times a factor */
    double factor = 1.06 * pow(p->rows, -1.0 / (4 + p->columns));
    for (int c = 0; c < p->columns; c++)
        spread += p->unit[c] * p->unit[c] / (factor * factor);
    spread = sqrt(spread);
    *least = spread / fmin(1000, 4 * (double)p->rows);
    *most = 4 * spread;
}

static void set_inside(const at_pooling *p, double weight)
{
    at_parameter *w = at_params_find(p->params, "score.width");
    for (int c = 0; c < (p->settings->each ? p->columns : 1); c++)
        w->value[c] = (real)weight;
}

static attend_status try_width(search *s, double width, attend_error *err)
{
    double error;
    if (!s->kernel)
        set_inside(s->pooling, 1 / width);
    attend_status status = at_pooling_error(s->pooling, (at_pooling_way){s->kernel, width},
                                            s->count, s->which, &error, err);
    if (status >= 0 && (error < s->error || s->best == 0)) {
        s->error = error;
        s->best = width;
    }
    return status;
}

/* n widths between two, the ends included */
static attend_status try_widths(search *s, int n, double from, double to, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < n && status >= 0; i++)
        status = try_width(s, from * pow(to / from, (double)i / (n - 1)), err);
    return status;
}

static attend_status choose_sample(search *s, attend_error *err)
{
    size_t N = (size_t)s->pooling->rows;
    s->count = SAMPLE / N < FEWEST ? FEWEST : SAMPLE / N;
    if (s->count >= N) {
        s->count = N;
        return ATTEND_OK;
    }
    s->which = at_alloc(N * sizeof *s->which);
    if (!s->which)
        return at_error_memory(err);
    at_random_permutation((at_random){.use = at_random_name("width")}, (uint32_t)N, s->which);
    return ATTEND_OK;
}

static attend_status run(search *s, int grid, double least, double most, attend_error *err)
{
    double step = pow(most / least, 1.0 / (grid - 1));
    attend_status status = choose_sample(s, err);
    if (status >= 0)
        status = try_widths(s, grid, least, most, err);
    double middle = s->best;
    if (status >= 0)
        status = try_widths(s, AGAIN, middle / step, middle * step, err);
    at_free(s->which);
    return status;
}

attend_status at_pooling_best_width(const at_pooling *p, const at_kernel *kernel, double *width,
                                    attend_error *err)
{
    double least, most;
    search s = {.pooling = p, .kernel = kernel};
    at_pooling_widths(p, &least, &most);
    attend_status status = run(&s, GRID, least, most, err);
    *width = s.best;
    return status;
}

attend_status at_pooling_start(at_pooling *p, attend_error *err)
{
    search s = {.pooling = p};
    double far = pow(p->rows, 1.0 / (4 + p->columns)); /* a spread, in the units inside */
    attend_status status = run(&s, START_GRID, far / fmin(1000, 4 * (double)p->rows), 4 * far, err);
    if (status >= 0)
        set_inside(p, 1 / s.best);
    return status;
}

attend_status at_pooling_error_at(const at_pooling *p, const at_kernel *kernel, double width,
                                  double *error, attend_error *err)
{
    search s = {.pooling = p, .kernel = kernel};
    attend_status status = choose_sample(&s, err);
    if (status >= 0)
        status = try_width(&s, width, err);
    *error = s.error;
    at_free(s.which);
    return status;
}
