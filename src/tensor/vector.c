#include "tensor/vector.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/threads.h"
#include "tensor/rows_kernel.h"

const at_vector_kernel *at_vector(void)
{
#if defined(__x86_64__)
    switch (at_cpu_isa()) {
    case ATTEND_ISA_AMX:
    case ATTEND_ISA_AVX512: return &at_vector_kernel_avx512;
    case ATTEND_ISA_AVX2: return &at_vector_kernel_avx2;
    default: break;
    }
#endif
    return &at_vector_kernel_base;
}

const at_rows_kernel *at_rows_with(void)
{
#if defined(__x86_64__)
    switch (at_cpu_isa()) {
    case ATTEND_ISA_AMX:
    case ATTEND_ISA_AVX512: return &at_rows_kernel_avx512;
    case ATTEND_ISA_AVX2: return &at_rows_kernel_avx2;
    default: break;
    }
#endif
    return &at_rows_kernel_base;
}

typedef struct {
    const at_vector_kernel *with;
    at_act f;
    real a, beta;
    const real *x, *y;
    real *out;
} loop;

static void run(size_t n, at_part *part, loop l)
{
    l.with = at_vector();
    at_parallel_for((ptrdiff_t)n, ATTEND_VECTOR_GRAIN, part, &l);
}

static void zero_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    memset(l->out + i, 0, (size_t)(end - i) * sizeof *l->out);
}

static void copy_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    memcpy(l->out + i, l->x + i, (size_t)(end - i) * sizeof *l->out);
}

static void add_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    l->with->add((size_t)(end - i), l->x + i, l->y + i, l->out + i);
}

static void multiply_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    l->with->multiply((size_t)(end - i), l->x + i, l->y + i, l->out + i);
}

static void axpy_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    l->with->axpy((size_t)(end - i), l->a, l->x + i, l->beta, l->out + i);
}

static void multiply_add_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    l->with->multiply_add((size_t)(end - i), l->x + i, l->y + i, l->beta, l->out + i);
}

static void act_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    l->with->act[l->f]((size_t)(end - i), l->x + i, l->out + i);
}

static void act_back_part(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const loop *l = arg;
    l->with->act_back[l->f]((size_t)(end - i), l->x + i, l->y + i, l->beta, l->out + i);
}

void at_vector_zero(size_t n, real *y) { run(n, zero_part, (loop){.out = y}); }

void at_vector_copy(size_t n, const real *x, real *y)
{
    run(n, copy_part, (loop){.x = x, .out = y});
}

void at_vector_add(size_t n, const real *a, const real *b, real *y)
{
    run(n, add_part, (loop){.x = a, .y = b, .out = y});
}

void at_vector_multiply(size_t n, const real *a, const real *b, real *y)
{
    run(n, multiply_part, (loop){.x = a, .y = b, .out = y});
}

void at_vector_axpy(size_t n, real a, const real *x, real beta, real *y)
{
    run(n, axpy_part, (loop){.a = a, .x = x, .beta = beta, .out = y});
}

void at_vector_multiply_add(size_t n, const real *a, const real *b, real beta, real *y)
{
    run(n, multiply_add_part, (loop){.x = a, .y = b, .beta = beta, .out = y});
}

void at_vector_act(at_act f, size_t n, const real *x, real *y)
{
    run(n, act_part, (loop){.f = f, .x = x, .out = y});
}

void at_vector_act_back(at_act f, size_t n, const real *x_or_y, const real *dy, real beta, real *dx)
{
    run(n, act_back_part, (loop){.f = f, .x = x_or_y, .y = dy, .beta = beta, .out = dx});
}

typedef struct {
    at_runs r;
    const real *x;
    real beta, *y;
} runs;

static void runs_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const runs *w = arg;
    for (size_t i = (size_t)begin, n; i < (size_t)end; i += n) {
        size_t run = i / w->r.size, at = i % w->r.size, left = (size_t)end - i;
        n = w->r.size - at < left ? w->r.size - at : left;
        const real *x = w->x + run * w->r.x_step + at;
        real *y = w->y + run * w->r.y_step + at;
        if (w->beta == 0)
            memcpy(y, x, n * sizeof *y);
        else
            at_vector()->add(n, y, x, y);
    }
}

void at_vector_runs(at_runs r, const real *x, real beta, real *y)
{
    runs w = {r, x, beta, y};
    at_parallel_for((ptrdiff_t)(r.count * r.size), ATTEND_VECTOR_GRAIN, runs_part, &w);
}

typedef struct {
    const at_vector_kernel *with;
    size_t rows;
    int n;
    real beta;
    const real *x;
    real *y;
} matrix;

/* each thread sums its own columns over all rows: the order of a sum never changes */
static void sum_columns(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const matrix *m = arg;
    size_t n = (size_t)(end - i);
    if (m->beta == 0)
        memset(m->y + i, 0, n * sizeof *m->y);
    for (size_t row = 0; row < m->rows; row++)
        m->with->add(n, m->x + row * (size_t)m->n + i, m->y + i, m->y + i);
}

void at_columns_sum(size_t rows, int n, const real *x, real beta, real *sum)
{
    matrix m = {at_vector(), rows, n, beta, x, sum};
    ptrdiff_t grain = (ptrdiff_t)(ATTEND_VECTOR_GRAIN / (rows ? rows : 1)) + 1;
    at_parallel_for(n, grain < 64 ? 64 : grain, sum_columns, &m);
}

double at_log_sum_exp(size_t n, const real *x)
{
    real max = at_vector()->max(n, x);
    return (double)max + log((double)at_vector()->sum_exp(n, x, max));
}

void at_log_softmax_row(size_t n, const real *x, real *y)
{
    real max = at_vector()->max(n, x);
    real log_sum = real_log(at_vector()->sum_exp(n, x, max));
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - max) - log_sum; /* max first: x may be huge */
}
