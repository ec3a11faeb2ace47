/* What every bench program shares: its command line, the clock, and the line it prints.
 *
 *     program --case NAME [--threads N] [--secs S]
 *     {"case": "gru_64x16x256", "tool": "attend", "threads": 2, "ms": 9.13, ...}
 *
 * The name of a case says all: words, then sizes, as in gemm_nt_64x3072x1024. peer.py reads the
 * same names. */
#ifndef ATTEND_BENCH_H
#define ATTEND_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "attend.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/real.h"

enum { BENCH_MAX_RUNS = 20000, BENCH_MIN_RUNS = 5, BENCH_WARM_UP = 3, BENCH_SIZES = 5 };

typedef struct {
    const char *name; /* the whole of it */
    char words[64];   /* "gemm_nt" */
    int sizes, size[BENCH_SIZES];
    int threads;
    double secs;
} bench_case;

/* what one run of the case does at least: products, or traffic with the memory */
typedef struct {
    double flops, bytes;
} bench_work;

static inline void bench_die(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, what);
    exit(2);
}

/* Every option has a value; --help, alone, prints which there are. */
static inline void bench_usage(int argc, char **argv, const char *options)
{
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        const char *slash = strrchr(argv[0], '/');
        printf("usage: %s %s\n", slash ? slash + 1 : argv[0], options);
        exit(0);
    }
    if (argc % 2 == 0)
        bench_die("an option without a value; --help lists them", argv[argc - 1]);
}

/* "gemm_nt_64x3072x1024" -> "gemm_nt", 64, 3072, 1024 */
static inline void bench_case_parse(bench_case *c)
{
    const char *last = strrchr(c->name, '_');
    size_t words = last && strchr("0123456789", last[1]) ? (size_t)(last - c->name)
                                                         : strlen(c->name);
    if (words >= sizeof c->words)
        bench_die("the name is too long", c->name);
    memcpy(c->words, c->name, words);
    c->words[words] = '\0';
    for (const char *p = c->name + words; *p && c->sizes < BENCH_SIZES; p += strcspn(p, "x"))
        c->size[c->sizes++] = atoi(++p);
}

static inline bench_case bench_arguments(int argc, char **argv)
{
    bench_case c = {.threads = 2, .secs = 1};
    bench_usage(argc, argv, "--case NAME [--threads N] [--secs S]\nbench/cases lists the names");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--case"))
            c.name = argv[i + 1];
        else if (!strcmp(argv[i], "--threads"))
            c.threads = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--secs"))
            c.secs = atof(argv[i + 1]);
        else
            bench_die("unknown option", argv[i]);
    }
    if (!c.name)
        bench_die("which case? bench/cases lists them, --case names one", argv[0]);
    bench_case_parse(&c);
    attend_set_threads(c.threads);
    return c;
}

/* the command line of programs that measure a curve: [--most N] [--secs S] [--threads N]
 * [--figure FILE]; what is not given stays */
typedef struct {
    const char *figure;
    int most, threads;
    double secs;
} bench_curve;

static inline void bench_curve_arguments(int argc, char **argv, bench_curve *c)
{
    bench_usage(argc, argv, "[--most N] [--threads N] [--secs S] [--figure FILE]");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--figure"))
            c->figure = argv[i + 1];
        else if (!strcmp(argv[i], "--most"))
            c->most = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--threads"))
            c->threads = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--secs"))
            c->secs = atof(argv[i + 1]);
        else
            bench_die("unknown option", argv[i]);
    }
    attend_set_threads(c->threads);
}

static inline void bench_need_sizes(const bench_case *c, int n)
{
    if (c->sizes != n)
        bench_die("no case of this kind has so many sizes", c->name);
}

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* processor time of all threads */
static inline double bench_cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(int n, double *v)
{
    qsort(v, (size_t)n, sizeof *v, bench_ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* normal numbers times scale, the same at every run */
static inline real *bench_numbers(size_t n, double scale)
{
    real *x = at_alloc(n * sizeof *x);
    if (!x)
        bench_die("out of memory", "bench");
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(scale
                      * at_random_normal((at_random){.seed = 1, .step = (uint32_t)(i >> 24)},
                                         (uint32_t)(i & 0xffffff)));
    return x;
}

static inline int *bench_ids(size_t n, int below)
{
    int *id = at_alloc(n * sizeof *id);
    if (!id)
        bench_die("out of memory", "bench");
    for (size_t i = 0; i < n; i++)
        id[i] = (int)at_random_below((at_random){.seed = 2}, (uint32_t)i, (uint32_t)below);
    return id;
}

typedef void bench_run(void *arg);

/* Seconds a run takes, and unless cpu is NULL of processors, over and over until the time is up;
 * returns how many there are. */
static inline int bench_repeat(double secs, bench_run *run, void *arg, double *took, double *cpu)
{
    int n = 0;
    double end = bench_now() + secs;
    for (double t = bench_now(); (t < end || n < BENCH_MIN_RUNS) && n < BENCH_MAX_RUNS; n++) {
        double before = bench_cpu_now();
        run(arg);
        if (cpu)
            cpu[n] = bench_cpu_now() - before;
        double after = bench_now();
        took[n] = after - t;
        t = after;
    }
    return n;
}

/* Warms up, repeats, prints the line. Allocations are counted after the first runs: there should
 * be none. cpu_ms, the least processor time of a run, says more than the clock where other programs
 * run too. */
static inline void bench_report(const bench_case *c, bench_work work, bench_run *run, void *arg)
{
    static double took[BENCH_MAX_RUNS], cpu[BENCH_MAX_RUNS];
    for (int i = 0; i < BENCH_WARM_UP; i++)
        run(arg);
    long allocations = at_alloc_count();
    int n = bench_repeat(c->secs, run, arg, took, cpu);
    allocations = at_alloc_count() - allocations;
    double median = bench_median(n, took);
    bench_median(n, cpu);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"case\": \"%s\", \"tool\": \"attend\", \"threads\": %d, \"ms\": %.6g, "
           "\"ms_min\": %.6g, \"cpu_ms\": %.6g, \"n\": %d, \"rss_mib\": %ld, \"flops\": %.6g, "
           "\"bytes\": %.6g, "
           "\"allocations\": %ld}\n",
           c->name, c->threads, median * 1e3, took[0] * 1e3, cpu[0] * 1e3, n,
           usage.ru_maxrss / 1024, work.flops, work.bytes, allocations);
}

#endif
