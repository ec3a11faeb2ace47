/* The loops of vector_kernel.h: plain C that the compiler turns into vector code. Reductions say
 * so, because a sum may only be reordered where we allow it. */
#include "tensor/vector_kernel.h"

#include "tensor/philox.h"
#include "tensor/scalar.h"

#define EACH _Pragma("omp simd") for (size_t i = 0; i < n; i++)

static real vec_sum(size_t n, const real *x)
{
    real s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

static real vec_dot(size_t n, const real *x, const real *y)
{
    real s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static real plain_max(size_t n, const real *x)
{
    real m = -(real)INFINITY;
    for (size_t i = 0; i < n; i++)
        m = x[i] > m ? x[i] : m;
    return m;
}

static real vec_max(size_t n, const real *x)
{
    real m = -(real)INFINITY;
#pragma omp simd reduction(max : m)
    for (size_t i = 0; i < n; i++)
        m = x[i] > m ? x[i] : m;
    /* where OpenMP starts a maximum at the least finite number, all infinities look like that */
    return m > -REAL_MAX ? m : plain_max(n, x);
}

static void vec_add(size_t n, const real *a, const real *b, real *y) { EACH y[i] = a[i] + b[i]; }

static void vec_multiply(size_t n, const real *a, const real *b, real *y)
{
    EACH y[i] = a[i] * b[i];
}

static void vec_axpy(size_t n, real a, const real *x, real beta, real *y)
{
    if (beta == 0)
        EACH y[i] = a * x[i];
    else
        EACH y[i] = y[i] * beta + a * x[i];
}

static void vec_multiply_add(size_t n, const real *a, const real *b, real beta, real *y)
{
    if (beta == 0)
        EACH y[i] = a[i] * b[i];
    else
        EACH y[i] = y[i] * beta + a[i] * b[i];
}

#define ACTIVATION(name)                                                                        \
    static void vec_##name(size_t n, const real *x, real *y) { EACH y[i] = act_##name(x[i]); }  \
    static void vec_##name##_back(size_t n, const real *x, const real *dy, real beta, real *dx) \
    {                                                                                           \
        if (beta == 0)                                                                          \
            EACH dx[i] = dy[i] * slope_##name(x[i]);                                            \
        else                                                                                    \
            EACH dx[i] = dx[i] + dy[i] * slope_##name(x[i]);                                    \
    }

ACTIVATION(exp)
ACTIVATION(tanh)
ACTIVATION(sigmoid)
ACTIVATION(relu)
ACTIVATION(gelu)
ACTIVATION(gelu_tanh)
ACTIVATION(quick_gelu)
ACTIVATION(silu)
ACTIVATION(mish)
ACTIVATION(gelu_10)

static real exp_sum(size_t n, const real *x, real max, real *y)
{
    real s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++) {
        real e = fast_exp(x[i] - max);
        y[i] = e;
        s += e;
    }
    return s;
}

static real sum_exp(size_t n, const real *x, real max)
{
    real s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += fast_exp(x[i] - max);
    return s;
}

static void exp_scale(size_t n, const real *x, real max, real scale, real shift, real *y)
{
    EACH y[i] = scale * fast_exp(x[i] - max) + shift;
}

static double wide_sum_exp(size_t n, const real *x, double max, double scale)
{
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += wide_exp(((double)x[i] - max) * scale);
    return s;
}

static void vec_wide_exp(size_t n, const real *x, double max, double scale, double factor, real *y)
{
    EACH y[i] = (real)(factor * wide_exp(((double)x[i] - max) * scale));
}

static void scale_shift(size_t n, real scale, real shift, real *y)
{
    EACH y[i] = scale * y[i] + shift;
}

static void softmax_back(size_t n, const real *y, const real *dy, real beta, real *dx)
{
    real s = vec_dot(n, y, dy);
    if (beta == 0)
        EACH dx[i] = y[i] * (dy[i] - s);
    else
        EACH dx[i] = dx[i] + y[i] * (dy[i] - s);
}

static real tanh_dot(size_t n, const real *q, const real *k, const real *v)
{
    real s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += v[i] * fast_tanh(q[i] + k[i]);
    return s;
}

static void tanh_dot_back(size_t n, const real *q, const real *k, const real *v, real de, real *dq,
                          real *dk, real *dv)
{
    EACH
    {
        real y = fast_tanh(q[i] + k[i]), d = de * v[i] * (1 - y * y);
        dq[i] += d;
        dk[i] += d;
        dv[i] += de * y;
    }
}

static void layer_norm(size_t n, const real *x, const real *w, const real *b, real eps, real *y,
                       real *mean, real *rstd)
{
    real m = vec_sum(n, x) / (real)n, left = 0, v = 0; /* left: what rounding kept from the mean */
#pragma omp simd reduction(+ : left, v)
    for (size_t i = 0; i < n; i++) {
        left += x[i] - m;
        v += (x[i] - m) * (x[i] - m);
    }
    left /= (real)n;
    m += left;
    real r = 1 / real_sqrt(v / (real)n - left * left + eps);
    EACH y[i] = (x[i] - m) * r * w[i] + b[i];
    *mean = m;
    *rstd = r;
}

static void layer_norm_back(size_t n, const real *x, const real *w, real mean, real rstd,
                            const real *dy, real beta, real *dx, real *dw, real *db)
{
    if (dw)
        EACH dw[i] += dy[i] * (x[i] - mean) * rstd;
    if (db)
        EACH db[i] += dy[i];
    if (!dx)
        return;
    real g = 0, gx = 0; /* means of dy w and of dy w xhat */
#pragma omp simd reduction(+ : g, gx)
    for (size_t i = 0; i < n; i++) {
        g += dy[i] * w[i];
        gx += dy[i] * w[i] * (x[i] - mean);
    }
    g /= (real)n;
    gx *= rstd * rstd / (real)n;
    if (beta == 0)
        EACH dx[i] = rstd * (dy[i] * w[i] - g - (x[i] - mean) * gx);
    else
        EACH dx[i] += rstd * (dy[i] * w[i] - g - (x[i] - mean) * gx);
}

enum { WORDS = 64 }; /* that dropout draws at once */

/* The product goes through memory before it is added: fused, it would have other bits. */
static void dropout_part(const at_dropping *d, const uint32_t *word, size_t n, const real *x,
                         real beta, real *y)
{
    uint32_t threshold = d->threshold;
    real scale = d->scale, kept[WORDS], *to = beta == 0 ? y : kept;
    EACH
    {
        real product = x[i] * scale;
        to[i] = word[i] < threshold ? 0 : product;
    }
    if (beta != 0)
        vec_add(n, y, kept, y);
}

static void dropout(const at_dropping *d, size_t first, size_t n, const real *x, real beta, real *y)
{
    uint32_t words[WORDS], block = (uint32_t)(first / 4);
    size_t skip = first % 4; /* words of the first block that come before */
    for (size_t i = 0, part; i < n; i += part, block += WORDS / 4, skip = 0) {
        part = WORDS - skip < n - i ? WORDS - skip : n - i;
        for (uint32_t b = 0; 4 * b < skip + part; b += PHILOX_BLOCKS)
            philox_words(&d->random, block + b, words + 4 * (size_t)b);
        dropout_part(d, words + skip, part, x + i, beta, y + i);
    }
}

static void gru(size_t H, const real *gx, const real *gh, const real *h, real *gates, real *hn,
                real *h_new)
{
#pragma omp simd
    for (size_t i = 0; i < H; i++) {
        real r = fast_sigmoid(gx[i] + gh[i]);
        real z = fast_sigmoid(gx[H + i] + gh[H + i]);
        real n = fast_tanh(gx[2 * H + i] + r * gh[2 * H + i]);
        hn[i] = gh[2 * H + i];
        gates[i] = r;
        gates[H + i] = z;
        gates[2 * H + i] = n;
        h_new[i] = (1 - z) * n + z * h[i];
    }
}

static void gru_back(size_t H, const real *gates, const real *hn, const real *h, const real *dh_new,
                     real *dgx, real *dgh, real *dh)
{
#pragma omp simd
    for (size_t i = 0; i < H; i++) {
        real r = gates[i], z = gates[H + i], n = gates[2 * H + i], d = dh_new[i];
        real dn = d * (1 - z) * (1 - n * n);
        real dz = d * (h[i] - n) * z * (1 - z);
        real dr = dn * hn[i] * r * (1 - r);
        dgx[i] = dgh[i] = dr;
        dgx[H + i] = dgh[H + i] = dz;
        dgx[2 * H + i] = dn;
        dgh[2 * H + i] = dn * r;
        dh[i] = d * z;
    }
}

static void lstm(size_t H, const real *g, const real *c, real *gates, real *c_new, real *h_new)
{
#pragma omp simd
    for (size_t k = 0; k < H; k++) {
        real i = fast_sigmoid(g[k]), f = fast_sigmoid(g[H + k]);
        real u = fast_tanh(g[2 * H + k]), o = fast_sigmoid(g[3 * H + k]);
        real cell = f * c[k] + i * u;
        gates[k] = i;
        gates[H + k] = f;
        gates[2 * H + k] = u;
        gates[3 * H + k] = o;
        c_new[k] = cell;
        h_new[k] = o * fast_tanh(cell);
    }
}

static void lstm_back(size_t H, const real *gates, const real *c, const real *c_new,
                      const real *dh_new, real *dc, real *dg)
{
#pragma omp simd
    for (size_t k = 0; k < H; k++) {
        real i = gates[k], f = gates[H + k], u = gates[2 * H + k], o = gates[3 * H + k];
        real t = fast_tanh(c_new[k]), d = dc[k] + dh_new[k] * o * (1 - t * t);
        dg[k] = d * u * i * (1 - i);
        dg[H + k] = d * c[k] * f * (1 - f);
        dg[2 * H + k] = d * i * (1 - u * u);
        dg[3 * H + k] = dh_new[k] * t * o * (1 - o);
        dc[k] = d * f;
    }
}

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

const at_vector_kernel JOIN(at_vector_kernel_, ATTEND_ISA) = {
    .isa = STRING(ATTEND_ISA),
    .exp = vec_exp,
    .sum = vec_sum,
    .dot = vec_dot,
    .max = vec_max,
    .add = vec_add,
    .multiply = vec_multiply,
    .axpy = vec_axpy,
    .multiply_add = vec_multiply_add,
    .act = {vec_exp, vec_tanh, vec_sigmoid, vec_relu, vec_gelu, vec_gelu_tanh, vec_quick_gelu,
            vec_silu, vec_mish, vec_gelu_10},
    .act_back = {vec_exp_back, vec_tanh_back, vec_sigmoid_back, vec_relu_back, vec_gelu_back,
                 vec_gelu_tanh_back, vec_quick_gelu_back, vec_silu_back, vec_mish_back,
                 vec_gelu_10_back},
    .exp_sum = exp_sum,
    .sum_exp = sum_exp,
    .exp_scale = exp_scale,
    .wide_sum_exp = wide_sum_exp,
    .wide_exp = vec_wide_exp,
    .scale_shift = scale_shift,
    .softmax_back = softmax_back,
    .tanh_dot = tanh_dot,
    .tanh_dot_back = tanh_dot_back,
    .layer_norm = layer_norm,
    .layer_norm_back = layer_norm_back,
    .dropout = dropout,
    .gru = gru,
    .gru_back = gru_back,
    .lstm = lstm,
    .lstm_back = lstm_back,
};
