/* Plain matrix products.
 *
 * --case gemm_nn_MxNxK    C[M,N] = A B; gemm_nt: B is held as [N,K]; gemm_tn: A as [K,M]
 * without --case          a table of all sizes beside OpenBLAS and oneDNN, taken in turns in one
 *                         process, in GFLOP/s; --threads N, --secs S for each figure; "gradient" is
 *                         at_gemm_gradient, which is another product where there is AMX
 *
 * The other libraries are loaded at run time where they are installed: nothing of ours needs
 * them. OpenBLAS must be its OpenMP build, or two thread pools fight. */
#include <dlfcn.h>
#include <stdint.h>

#include "bench.h"
#include "tensor/gemm.h"

typedef struct {
    int m, n, k;
    bool ta, tb;
    real *a, *b, *c;
} product;

/* ---- who multiplies ---------------------------------------------------------------------- */

typedef void multiply(const product *p);

static int lda(const product *p) { return p->ta ? p->m : p->k; }
static int ldb(const product *p) { return p->tb ? p->k : p->n; }

static void ours(const product *p)
{
    at_gemm(p->m, p->n, p->k, 1, (at_matrix){p->a, lda(p), p->ta}, (at_matrix){p->b, ldb(p), p->tb},
            0, p->c, p->n);
}

static void ours_of_gradients(const product *p)
{
    at_gemm_gradient(p->m, p->n, p->k, 1, (at_matrix){p->a, lda(p), p->ta},
                     (at_matrix){p->b, ldb(p), p->tb}, 0, p->c, p->n);
}

typedef void cblas_sgemm_function(int order, int ta, int tb, int m, int n, int k, float alpha,
                                  const float *a, int lda, const float *b, int ldb, float beta,
                                  float *c, int ldc);
typedef int dnnl_sgemm_function(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha,
                                const float *a, int64_t lda, const float *b, int64_t ldb,
                                float beta, float *c, int64_t ldc);
static cblas_sgemm_function *cblas_sgemm;
static dnnl_sgemm_function *dnnl_sgemm;

static void openblas(const product *p)
{
    enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
    cblas_sgemm(ROW_MAJOR, p->ta ? TRANSPOSED : PLAIN, p->tb ? TRANSPOSED : PLAIN, p->m, p->n, p->k,
                1, p->a, lda(p), p->b, ldb(p), 0, p->c, p->n);
}

static void onednn(const product *p)
{
    dnnl_sgemm(p->ta ? 'T' : 'N', p->tb ? 'T' : 'N', p->m, p->n, p->k, 1, p->a, lda(p), p->b,
               ldb(p), 0, p->c, p->n);
}

/* a function of a library that may not be there */
static void *find(const char *const libraries[], const char *name)
{
    for (int i = 0; libraries[i]; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        void *function = library ? dlsym(library, name) : NULL;
        if (function)
            return function;
    }
    return NULL;
}

static void load_others(int threads)
{
    static const char *const blas[] = {"libopenblas.so.0", "libopenblas.so", NULL};
    static const char *const dnnl[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so", NULL};
    enum { OPENMP = 2 };
    int (*parallel)(void);
    void (*set_threads)(int);
    *(void **)&parallel = find(blas, "openblas_get_parallel");
    if (parallel && parallel() == OPENMP)
        *(void **)&cblas_sgemm = find(blas, "cblas_sgemm");
    else if (parallel)
        fprintf(stderr, "OpenBLAS is not the OpenMP build and is left out\n");
    *(void **)&dnnl_sgemm = find(dnnl, "dnnl_sgemm");
    /* both ask OpenMP, which at_gemm does not touch */
    *(void **)&set_threads = find((const char *const[]){"libgomp.so.1", NULL},
                                  "omp_set_num_threads");
    if (set_threads)
        set_threads(threads);
}

/* ---- the products ------------------------------------------------------------------------ */

static product make(int m, int n, int k, bool ta, bool tb)
{
    return (product){m,
                     n,
                     k,
                     ta,
                     tb,
                     bench_numbers((size_t)m * (size_t)k, 1),
                     bench_numbers((size_t)k * (size_t)n, 1),
                     bench_numbers((size_t)m * (size_t)n, 0)};
}

static void drop(product *p)
{
    at_free(p->a);
    at_free(p->b);
    at_free(p->c);
}

static void run_ours(void *arg) { ours(arg); }

static int one_case(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    bench_need_sizes(&c, 3);
    product p = make(c.size[0], c.size[1], c.size[2], !strcmp(c.words, "gemm_tn"),
                     !strcmp(c.words, "gemm_nt"));
    bench_report(&c, (bench_work){.flops = 2.0 * p.m * p.n * p.k}, run_ours, &p);
    drop(&p);
    return 0;
}

enum { OURS, GRADIENT, OPENBLAS, ONEDNN, WHO };

/* GFLOP/s of each, in turns so that all meet the same noise; the median of all runs */
static void compare(const product *p, double secs, int n, multiply *const who[], double rate[])
{
    enum { MAX = 3000 };
    static double took[WHO][MAX];
    int runs = 0;
    for (double end = bench_now() + n * secs; bench_now() < end && runs < MAX; runs++)
        for (int i = 0; i < n; i++) {
            double start = bench_now();
            if (who[i])
                who[i](p);
            took[i][runs] = bench_now() - start;
        }
    for (int i = 0; i < n; i++)
        rate[i] = 2e-9 * p->m * p->n * p->k / bench_median(runs, took[i]);
}

static int table(int threads, double secs)
{
    static const int sizes[][3] = {{64, 3072, 1024}, {64, 1024, 1024}, {1024, 5000, 1024},
                                   {960, 512, 256},  {256, 768, 3072}, {256, 50257, 768},
                                   {128, 768, 768},  {32, 512, 128}};
    static const char *const forms[] = {"nn", "nt", "tn"};
    attend_set_threads(threads);
    load_others(threads);
    multiply *const who[] = {ours, ours_of_gradients, cblas_sgemm ? openblas : NULL,
                             dnnl_sgemm ? onednn : NULL};
    printf("GFLOP/s, %d thread%s\n%-16s form %9s %9s %9s %9s %9s\n", threads,
           threads > 1 ? "s" : "", "M,N,K", "attend", "gradient", "OpenBLAS", "oneDNN",
           "ours/best");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 3; form++) {
            double rate[WHO];
            product p = make(sizes[i][0], sizes[i][1], sizes[i][2], form == 2, form == 1);
            compare(&p, secs, WHO, who, rate);
            drop(&p);
            double best = 0;
            char name[40], cell[WHO][16];
            snprintf(name, sizeof name, "%d,%d,%d", p.m, p.n, p.k);
            for (int j = 0; j < WHO; j++) {
                snprintf(cell[j], sizeof cell[j], who[j] ? "%.1f" : "-", rate[j]);
                if (j >= OPENBLAS && who[j] && rate[j] > best)
                    best = rate[j];
            }
            printf("%-16s %4s %9s %9s %9s %9s %9.2f\n", name, forms[form], cell[OURS],
                   cell[GRADIENT], cell[OPENBLAS], cell[ONEDNN], best > 0 ? rate[OURS] / best : 1);
        }
    return 0;
}

int main(int argc, char **argv)
{
    int threads = 2;
    double secs = 0.3;
    bench_usage(argc, argv,
                "[--case NAME] [--threads N] [--secs S]\nwithout a case: a table beside others");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--case"))
            return one_case(argc, argv);
        if (!strcmp(argv[i], "--threads"))
            threads = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--secs"))
            secs = atof(argv[i + 1]);
        else
            bench_die("unknown option", argv[i]);
    }
    return table(threads, secs);
}
