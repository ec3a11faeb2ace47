/* What this machine can do: multiply-adds per second of the best instruction set that attend's
 * kernels use here, and traffic with the memory. Every fraction of the peak that race prints is
 * one of these.
 *
 *     bench-peak [--threads N] [--secs S]
 *     {"isa": "avx2", "threads": 2, "gflops": 181.4, "gbs": 28.1}
 *
 * The best of many short runs: a peak that noise has lowered would flatter everyone. */
#include <sched.h>
#include <stdatomic.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "bench.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Twelve chains hide the latency of two multiply-add units; the empty asm keeps the compiler from
 * folding them. */
enum { CHAINS = 12 };

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define START(i) vector c##i = y;
#define FUSE(i) c##i = STEP(c##i, x, y);
#define KEEP(i) __asm__ volatile("" : KEEP_REGISTER(c##i));
#define MULTIPLY_ADDS(n)             \
    EACH(START)                      \
    for (long k = 0; k < (n); k++) { \
        EACH(FUSE)                   \
        EACH(KEEP)                   \
    }

#if defined(__x86_64__)

#define KEEP_REGISTER(c) "+x"(c)
#define STEP(c, x, y) ((c) * (x) + (y))
static void adds_base(long n)
{
    typedef float vector __attribute__((vector_size(16)));
    vector x = {0.999f, 0.999f, 0.999f, 0.999f}, y = {0.001f, 0.001f, 0.001f, 0.001f};
    MULTIPLY_ADDS(n)
}
#undef STEP

#define STEP _mm256_fmadd_ps
__attribute__((target("avx2,fma"))) static void adds_avx2(long n)
{
    typedef __m256 vector;
    vector x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
    MULTIPLY_ADDS(n)
}
#undef STEP
#undef KEEP_REGISTER

#define KEEP_REGISTER(c) "+v"(c)
#define STEP _mm512_fmadd_ps
__attribute__((target("avx512f"))) static void adds_avx512(long n)
{
    typedef __m512 vector;
    vector x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(0.001f);
    MULTIPLY_ADDS(n)
}

#elif defined(__aarch64__)

#define KEEP_REGISTER(c) "+w"(c)
#define STEP(c, x, y) vfmaq_f32(y, c, x)
static void adds_base(long n)
{
    typedef float32x4_t vector;
    vector x = vdupq_n_f32(0.999f), y = vdupq_n_f32(0.001f);
    MULTIPLY_ADDS(n)
}

#else

#define KEEP_REGISTER(c) "+m"(c)
#define STEP(c, x, y) ((c) * (x) + (y))
static void adds_base(long n)
{
    typedef float vector __attribute__((vector_size(16)));
    vector x = {0.999f, 0.999f, 0.999f, 0.999f}, y = {0.001f, 0.001f, 0.001f, 0.001f};
    MULTIPLY_ADDS(n)
}

#endif

typedef struct {
    void (*run)(long n);
    int lanes;
} multiply_adds;

static multiply_adds best_here(void)
{
#if defined(__x86_64__)
    switch (at_cpu_isa()) {
    case ATTEND_ISA_AMX:
    case ATTEND_ISA_AVX512: return (multiply_adds){adds_avx512, 16};
    case ATTEND_ISA_AVX2: return (multiply_adds){adds_avx2, 8};
    default: break;
    }
#endif
    return (multiply_adds){adds_base, 4};
}

/* ---- the two peaks ----------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

static void take_processor(void *arg, int thread, int threads)
{
    const cpu_set_t *all = arg;
    int left = thread % CPU_COUNT(all), cpu = 0;
    cpu_set_t own;
    (void)threads;
    while (!CPU_ISSET(cpu, all) || left-- > 0)
        cpu++;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
}

/* Every thread gets a processor of its own: two that share one would halve the peak. */
static void spread(int threads)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) == 0)
        at_pool_run(threads, take_processor, &all);
}

enum { STEPS = 1000000 };

static void run_adds(void *arg, int thread, int threads)
{
    (void)thread, (void)threads;
    ((const multiply_adds *)arg)->run(STEPS);
}

static double gflops(int threads, double secs)
{
    multiply_adds m = best_here();
    double best = 0;
    for (double end = bench_now() + secs; bench_now() < end;) {
        double start = bench_now();
        at_pool_run(threads, run_adds, &m);
        best = larger(best, 2e-9 * CHAINS * m.lanes * STEPS * threads / (bench_now() - start));
    }
    return best;
}

typedef struct {
    ptrdiff_t n;
    float *a;
    const float *b;
    atomic_int ones; /* so that nobody can leave the sums out */
} arrays;

/* a += b: two streams in, one out, like an optimiser */
static void add_part(void *arg, int thread, int threads)
{
    const arrays *x = arg;
    ptrdiff_t end = x->n * (thread + 1) / threads;
    for (ptrdiff_t i = x->n * thread / threads; i < end; i++)
        x->a[i] = 0.5f * x->a[i] + x->b[i];
}

/* a sum, which only reads */
static void sum_part(void *arg, int thread, int threads)
{
    enum { WIDTH = 32 };
    arrays *x = arg;
    float sum[WIDTH] = {0}, total = 0;
    ptrdiff_t rows = x->n / WIDTH, end = rows * (thread + 1) / threads;
    for (ptrdiff_t i = rows * thread / threads; i < end; i++)
        for (int j = 0; j < WIDTH; j++)
            sum[j] += x->a[i * WIDTH + j];
    for (int j = 0; j < WIDTH; j++)
        total += sum[j];
    atomic_fetch_add(&x->ones, total == 1);
}

static double stream(int threads, at_shard *shard, int passes, arrays *x)
{
    double start = bench_now();
    at_pool_run(threads, shard, x);
    return passes * 1e-9 * sizeof(float) * (double)x->n / (bench_now() - start);
}

static double gbs(int threads, double secs)
{
    ptrdiff_t n = 48 << 20; /* 192 MiB each: larger than any cache */
    float *a = at_alloc_zero((size_t)n, sizeof *a), *b = at_alloc_zero((size_t)n, sizeof *b);
    if (!a || !b)
        bench_die("out of memory", "bench-peak");
    memset(b, 0, (size_t)n * sizeof *b);
    arrays x = {n, a, b, 0};
    double best = 0;
    for (double end = bench_now() + secs; bench_now() < end;)
        best = larger(best,
                      larger(stream(threads, add_part, 3, &x), stream(threads, sum_part, 1, &x)));
    at_free(a);
    at_free(b);
    return best;
}

int main(int argc, char **argv)
{
    int threads = 2;
    double secs = 1;
    bench_usage(argc, argv, "[--threads N] [--secs S]");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--threads"))
            threads = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--secs"))
            secs = atof(argv[i + 1]);
        else
            bench_die("unknown option", argv[i]);
    }
    spread(threads);
    printf("{\"isa\": \"%s\", \"threads\": %d, \"gflops\": %.1f, \"gbs\": %.1f}\n",
           at_isa_name(at_cpu_isa()), threads, gflops(threads, secs), gbs(threads, secs));
    return 0;
}
