/* What self-attention costs as texts grow: forward and backward of one read of n queries from n
 * keys, with every scope, at n = 256, 512, .. The time and the memory of the tape, as a table and
 * as a figure.
 *
 *     bench-scopes [--most N] [--secs S] [--threads N] [--figure FILE]
 *
 * global is the fused read, whose memory is linear in n; window:D costs n D, expanded:m,w costs
 * n (2m + 1 + n/w). */
#include "attention/attention.h"
#include "bench.h"
#include "grad/ops.h"

enum { D = 64, FIRST = 256, MOST_SIZES = 10 };

static const char *const scopes[] = {"scaled-dot", "scaled-dot/window:64",
                                     "scaled-dot/expanded:32,128"};
enum { SCOPES = sizeof scopes / sizeof *scopes };

typedef struct {
    at_how how;
    int n;
    at_params *params;
    at_tape *tape;
} reading;

static void step(void *arg)
{
    reading *r = arg;
    at_tape *t = r->tape;
    at_tensor *x = at_param(t, at_root(), "x", SHAPE(1, r->n, D), INIT_NORMAL(1));
    at_memory m = at_attention_prepare(t, at_root(), &r->how, D, x, x, NULL);
    at_query q = {.query = x};
    at_backward(t, at_sum(t, at_attention_read(t, at_root(), &r->how, &m, q).context));
    if (at_failed(t))
        bench_die(at_tape_error(t)->message, "bench-scopes");
    at_tape_reset(t);
}

/* milliseconds of a read, and MiB of its tape */
static void measure(const char *scope, int n, double secs, double *ms, double *mib)
{
    static double took[BENCH_MAX_RUNS];
    attend_error err;
    reading r = {.n = n, .params = at_params_new(1)};
    if (at_how_parse(&r.how, scope, &err) < 0)
        bench_die(err.message, scope);
    r.tape = r.params ? at_tape_new(r.params, ATTEND_GRAD) : NULL;
    if (!r.tape)
        bench_die("out of memory", scope);
    step(&r);
    step(&r);
    *ms = 1e3 * bench_median(bench_repeat(secs, step, &r, took, NULL), took);
    *mib = (double)at_tape_bytes(r.tape) / (1 << 20);
    at_tape_free(r.tape);
    at_params_free(r.params);
}

typedef struct {
    double n[MOST_SIZES], ms[SCOPES][MOST_SIZES], mib[SCOPES][MOST_SIZES];
    int sizes;
} results;

static attend_chart chart(const results *r, const double values[][MOST_SIZES], const char *title,
                          const char *unit, attend_series *series)
{
    for (int s = 0; s < SCOPES; s++)
        series[s] = (attend_series){.name = s ? strchr(scopes[s], '/') + 1 : "global",
                                    .style = ATTEND_SERIES_BOTH,
                                    .count = (size_t)r->sizes,
                                    .x = r->n,
                                    .y = values[s]};
    return (attend_chart){.title = title,
                          .x_title = "length n",
                          .y_title = unit,
                          .count = SCOPES,
                          .series = series,
                          .log_x = 1,
                          .log_y = 1};
}

static void draw(const results *r, const char *path)
{
    attend_error err;
    attend_series time[SCOPES], memory[SCOPES];
    attend_chart a = chart(r, r->ms, "time", "ms, forward and backward", time);
    attend_chart b = chart(r, r->mib, "memory", "MiB", memory);
    attend_panel panels[] = {{.chart = &a}, {.chart = &b}};
    attend_figure figure = {.count = 2, .panels = panels};
    if (attend_figure_save(&figure, path, &err) < 0)
        bench_die(err.message, path);
}

int main(int argc, char **argv)
{
    bench_curve c = {.most = 16384, .threads = 2, .secs = 0.5};
    bench_curve_arguments(argc, argv, &c);
    results r = {.sizes = 0};
    printf("| n | global | | window:64 | | expanded:32,128 | |\n|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int n = FIRST; n <= c.most && r.sizes < MOST_SIZES; n *= 2, r.sizes++) {
        r.n[r.sizes] = n;
        printf("| %d |", n);
        for (int s = 0; s < SCOPES; s++) {
            measure(scopes[s], n, c.secs, &r.ms[s][r.sizes], &r.mib[s][r.sizes]);
            printf(" %.2f ms | %.1f MiB |", r.ms[s][r.sizes], r.mib[s][r.sizes]);
            fflush(stdout);
        }
        printf("\n");
    }
    if (c.figure)
        draw(&r, c.figure);
    return 0;
}
