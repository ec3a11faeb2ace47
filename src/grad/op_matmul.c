/* y = alpha op(a) op(b) for each of a batch of matrices, op transposing or not. One operand may
 * lack the batch axes: it is shared by all. */
#include "grad/ops.h"

#include "base/threads.h"
#include "tensor/gemm.h"

typedef struct {
    int m, n, k, batch;
    bool ta, tb;
    real alpha;
    ptrdiff_t a_step, b_step, y_step; /* from one matrix of the batch to the next; 0: shared */
} sizes;

static int rows(at_shape s) { return s.dim[s.rank - 2]; }
static int columns(at_shape s) { return s.dim[s.rank - 1]; }

static int batch_of(at_shape s)
{
    int n = 1;
    for (int i = 0; i + 2 < s.rank; i++)
        n *= s.dim[i];
    return n;
}

static bool same_batch(at_shape a, at_shape b)
{
    if (a.rank == 2 || b.rank == 2)
        return true;
    for (int i = 0; i + 2 < a.rank; i++)
        if (a.rank != b.rank || a.dim[i] != b.dim[i])
            return false;
    return a.rank == b.rank;
}

/* ---- one product per matrix of the batch ------------------------------------------------ */

typedef void multiply(int m, int n, int k, real alpha, at_matrix a, at_matrix b, real beta, real *c,
                      ptrdiff_t ldc);

typedef struct {
    int m, n, k;
    real alpha, beta;
    at_matrix a, b;
    real *c;
    ptrdiff_t a_step, b_step, c_step;
    multiply *with;
} products;

static void one_product(void *arg, int i)
{
    const products *p = arg;
    at_matrix a = p->a, b = p->b;
    a.data += i * p->a_step;
    b.data += i * p->b_step;
    /* a shared result gathers the whole batch, one after the other */
    p->with(p->m, p->n, p->k, p->alpha, a, b, p->c_step || i == 0 ? p->beta : 1,
            p->c + i * p->c_step, p->n);
}

static void all_products(int batch, products p)
{
    if (batch == 0 && p.c_step == 0) { /* a sum of none */
        p.k = 0;
        one_product(&p, 0);
    }
    if (p.c_step && batch >= at_threads())
        at_parallel_each(batch, (double)p.m * p.n * p.k, one_product, &p);
    else
        for (int i = 0; i < batch; i++)
            one_product(&p, i);
}

at_tensor *at_matmul(at_tape *t, at_tensor *a, bool ta, at_tensor *b, bool tb, real alpha)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape sa = a->shape, sb = b->shape;
    if (sa.rank < 2 || sb.rank < 2 || !same_batch(sa, sb)
        || (ta ? rows(sa) : columns(sa)) != (tb ? columns(sb) : rows(sb)))
        return at_fail(t, "matmul: %s%s does not fit %s%s", at_shape_print(sa).text,
                       ta ? " transposed" : "", at_shape_print(sb).text, tb ? " transposed" : "");
    sizes s = {.m = ta ? columns(sa) : rows(sa),
               .n = tb ? rows(sb) : columns(sb),
               .k = ta ? rows(sa) : columns(sa),
               .batch = batch_of(sa.rank > 2 ? sa : sb),
               .ta = ta,
               .tb = tb,
               .alpha = alpha};
    s.a_step = sa.rank > 2 ? (ptrdiff_t)s.m * s.k : 0;
    s.b_step = sb.rank > 2 ? (ptrdiff_t)s.k * s.n : 0;
    s.y_step = sa.rank > 2 || sb.rank > 2 ? (ptrdiff_t)s.m * s.n : 0;
    at_shape shape = sa.rank > 2 ? sa : sb;
    shape.dim[shape.rank - 2] = s.m;
    shape.dim[shape.rank - 1] = s.n;
    at_tensor *y = at_new(t, shape);
    sizes *saved = at_scratch(t, sizeof *saved);
    if (at_failed(t))
        return at_poison(t);
    *saved = s;
    all_products(s.batch, (products){s.m,
                                     s.n,
                                     s.k,
                                     alpha,
                                     0,
                                     {a->value, columns(sa), ta},
                                     {b->value, columns(sb), tb},
                                     y->value,
                                     s.a_step,
                                     s.b_step,
                                     s.y_step,
                                     at_gemm});
    if (at_recording(t, INPUTS(a, b)))
        at_record(t, &at_op_matmul, INPUTS(a, b), OUTPUTS(y), saved);
    return y;
}

/* Y = A B: dA = dY B^T and dB = A^T dY; a transposed operand takes the transposed product */
static void backward(const at_node *n)
{
    const sizes *s = n->saved;
    at_matrix dy = {at_grad_out(n, 0), s->n, false}, dyt = {dy.data, s->n, true};
    at_matrix a = {n->in[0]->value, s->ta ? s->m : s->k, !s->ta}; /* A^T */
    at_matrix b = {n->in[1]->value, s->tb ? s->k : s->n, !s->tb}; /* B^T */
    at_matrix a_plain = {a.data, a.ld, s->ta}, b_plain = {b.data, b.ld, s->tb};
    real beta, *da = at_grad_in(n, 0, &beta);
    if (da && !s->ta)
        all_products(s->batch, (products){s->m, s->k, s->n, s->alpha, beta, dy, b, da, s->y_step,
                                          s->b_step, s->a_step, at_gemm_gradient});
    else if (da)
        all_products(s->batch, (products){s->k, s->m, s->n, s->alpha, beta, b_plain, dyt, da,
                                          s->b_step, s->y_step, s->a_step, at_gemm_gradient});
    real *db = at_grad_in(n, 1, &beta);
    if (db && !s->tb)
        all_products(s->batch, (products){s->k, s->n, s->m, s->alpha, beta, a, dy, db, s->a_step,
                                          s->y_step, s->b_step, at_gemm_gradient});
    else if (db)
        all_products(s->batch, (products){s->n, s->k, s->m, s->alpha, beta, dyt, a_plain, db,
                                          s->y_step, s->a_step, s->b_step, at_gemm_gradient});
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *a = at_param(t, s, "a", SHAPE(2, 3, 4), INIT_NORMAL(1));
    at_tensor *b = at_param(t, s, "b", SHAPE(2, 4, 5), INIT_NORMAL(1));
    at_tensor *shared = at_param(t, s, "shared", SHAPE(6, 5), INIT_NORMAL(1));
    at_tensor *left = at_param(t, s, "left", SHAPE(3, 2), INIT_NORMAL(1));
    at_tensor *y = at_matmul(t, a, false, b, false, 1);        /* [2,3,5] */
    y = at_matmul(t, y, false, shared, true, (real)0.5);       /* [2,3,6] */
    y = at_matmul(t, left, true, y, false, 1);                 /* [2,2,6] */
    at_tensor *z = at_matmul(t, b, true, a, true, (real)-0.3); /* [2,5,3] */
    at_tensor *both[] = {at_reshape(t, y, SHAPE(24)), at_reshape(t, z, SHAPE(30))};
    return at_concat(t, 2, both, 0);
}

const at_op at_op_matmul = {
    .name = "matmul",
    .formula = "Y = c A B",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
