#include "grad/weight.h"

#include <limits.h>
#include <string.h>

#include "tensor/vector.h"

/* [k,n] of W or W^T */
static int depth(const at_tensor *w, bool turned) { return w->shape.dim[turned ? 1 : 0]; }
static int width(const at_tensor *w, bool turned) { return w->shape.dim[turned ? 0 : 1]; }

static at_matrix matrix(const at_tensor *w, bool turned)
{
    return (at_matrix){w->value, w->shape.dim[1], turned};
}

static at_half_matrix half_matrix(const at_tensor *w, bool turned)
{
    const at_parameter *v = w->weight->parameter;
    return (at_half_matrix){v->data, w->shape.dim[1], turned, v->type};
}

void at_weight_rows(const at_tensor *w, size_t n, const int *id, real *to)
{
    size_t width = (size_t)w->shape.dim[1];
    at_element type = w->value ? ATTEND_ELEMENT_REAL : w->weight->parameter->type;
    const char *from = w->value ? (const void *)w->value : w->weight->parameter->data;
    if (!from) /* of an outline */
        memset(to, 0, n * width * sizeof *to);
    for (size_t i = 0; from && i < n; i++, to += width)
        at_element_widen(type, width, from + (size_t)id[i] * width * at_element_size(type), to);
}

/* ---- products ------------------------------------------------------------------------------ */

/* One more product forward. A weight that is kept for a whole program sees more rows than an int
 * counts. */
static void add_rows(at_weight *k, int rows)
{
    k->rows = rows < INT_MAX - k->rows ? k->rows + rows : INT_MAX;
    k->to_come += k->to_come < INT_MAX;
}

static bool is_first(at_weight *k, bool turned, bool back)
{
    bool first = !k->multiplied[turned][back];
    k->multiplied[turned][back] = true;
    return first;
}

static at_packed packed_into(const at_tensor *w, bool turned, bool tiled, real *panels)
{
    int n = width(w, turned), k = depth(w, turned);
    return panels ? at_pack(n, k, matrix(w, turned), tiled, panels) : (at_packed){.n = n, .k = k};
}

static size_t packed_len(const at_tensor *w, bool turned, bool tiled)
{
    return at_pack_len(width(w, turned), depth(w, turned), tiled);
}

/* Training has no promise of equal bits for any batch: it may multiply forward in tiles, too. */
static bool tiled(at_tape *t, const at_tensor *w, bool turned, bool back, int rows)
{
    return (back || at_tape_mode(t) == ATTEND_TRAIN)
           && at_gemm_tiled(rows, width(w, turned), depth(w, turned));
}

/* for products of `rows` rows */
static bool pack(at_tape *t, const at_tensor *w, bool turned, bool back, bool in_tiles)
{
    at_packed *p = &w->weight->packed[turned][back];
    if (!p->panels)
        *p = packed_into(w, turned, in_tiles, at_tape_keep(t, packed_len(w, turned, in_tiles)));
    return p->panels;
}

enum { FEW = 6 }; /* rows that a plain W serves without packing */

/* are panels those of the set, for all tapes? */
static bool shares(at_tape *t)
{
    return at_tape_mode(t) == ATTEND_INFER && at_params_shared(at_tape_params(t));
}

static const at_packed *shared_panels(at_tape *t, const at_tensor *w, bool turned,
                                      at_pack_when when)
{
    if (!w->weight || !shares(t))
        return NULL;
    return at_parameter_packed(at_tape_params(t), w->weight->parameter, turned, when);
}

/* its panels where rows shall be multiplied with them, NULL where it is multiplied as it lies */
static const at_packed *panels(at_tape *t, at_tensor *w, bool turned, bool back, int rows)
{
    bool worth = turned || rows > FEW;
    if (at_tape_is_dry(t))
        return NULL;
    if (shares(t))
        return shared_panels(t, w, turned, worth ? ATTEND_PACK_SECOND : ATTEND_PACK_NOT);
    bool again = w->weight && w->value && !is_first(w->weight, turned, back) && worth;
    return again && pack(t, w, turned, back, tiled(t, w, turned, back, rows))
               ? &w->weight->packed[turned][back]
               : NULL;
}

/* with panels, or with the matrix as it lies where p is NULL */
static void multiply(at_tape *t, const at_tensor *w, const at_packed *p, bool turned, int rows,
                     const real *x, const real *bias, real *y)
{
    int n = width(w, turned), k = depth(w, turned);
    at_matrix left = {x, k, false};
    if (at_failed(t))
        return;
    if (at_tape_is_dry(t))
        at_vector_zero((size_t)rows * (size_t)n, y);
    else if (p)
        at_gemm_packed_bias(rows, left, p, bias, y, n);
    else if (!w->value)
        at_gemm_bias_half(rows, n, k, left, half_matrix(w, turned), bias, y, n);
    else if (at_tape_mode(t) == ATTEND_TRAIN)
        at_gemm_bias_tiled(rows, n, k, left, matrix(w, turned), bias, y, n);
    else
        at_gemm_bias(rows, n, k, left, matrix(w, turned), bias, y, n);
}

void at_weight_multiply(at_tape *t, at_tensor *w, bool turned, int rows, const real *x,
                        const real *bias, real *y)
{
    const at_packed *p = shares(t) ? panels(t, w, turned, false, rows) : NULL;
    multiply(t, w, p, turned, rows, x, bias, y);
}

void at_weight_forward(at_tape *t, at_tensor *w, bool turned, int rows, const real *x,
                       const real *bias, real *y)
{
    if (w->weight)
        add_rows(w->weight, rows);
    multiply(t, w, panels(t, w, turned, false, rows), turned, rows, x, bias, y);
}

void at_weight_back(at_tape *t, at_tensor *w, bool turned, int rows, const real *dy, real beta,
                    real *dx)
{
    int n = width(w, turned), k = depth(w, turned);
    at_matrix left = {dy, k, false};
    if (w->weight)
        w->weight->to_come--;
    const at_packed *p = panels(t, w, turned, true, rows);
    if (p)
        at_gemm_packed(rows, 1, left, p, beta, dx, n);
    else if (!at_failed(t))
        at_gemm_gradient(rows, n, k, 1, left, matrix(w, turned), beta, dx, n);
}

static at_packed packed(at_tape *t, at_tensor *w, bool turned, bool back, int rows, bool alone)
{
    const at_packed *shared = back ? NULL : shared_panels(t, w, turned, ATTEND_PACK_NOW);
    bool in_tiles = back && at_gemm_tiled(rows, width(w, turned), depth(w, turned));
    if (shared)
        return *shared;
    if (w->weight && !alone) {
        w->weight->multiplied[turned][back] = true;
        pack(t, w, turned, back, in_tiles);
        return w->weight->packed[turned][back];
    }
    return packed_into(w, turned, in_tiles, at_scratch_reals(t, packed_len(w, turned, in_tiles)));
}

at_packed at_weight_packed(at_tape *t, at_tensor *w, bool turned, int rows, bool alone)
{
    if (w->weight)
        add_rows(w->weight, rows);
    return packed(t, w, turned, false, rows, alone);
}

at_packed at_weight_packed_back(at_tape *t, at_tensor *w, bool turned, int rows)
{
    if (w->weight)
        w->weight->to_come--;
    return packed(t, w, turned, true, rows, false);
}

void at_weight_spare(at_tape *t, at_weight *w)
{
    for (int turned = 0; turned < 2; turned++) {
        at_packed *p = &w->packed[turned][true];
        if (p->panels)
            at_tape_spare(t, p->panels, at_pack_len(p->n, p->k, p->tiled));
        *p = (at_packed){0};
    }
}

/* ---- the gradient -------------------------------------------------------------------------- */

static void add_product(at_tape *t, at_tensor *w, int rows, const real *left, const real *right)
{
    int R = w->shape.dim[0], C = w->shape.dim[1];
    real beta, *dw = at_grad_into(t, w, &beta);
    if (dw)
        at_gemm_gradient(R, C, rows, 1, (at_matrix){left, R, true}, (at_matrix){right, C, false},
                         beta, dw, C);
}

void at_weight_flush(at_tape *t, at_tensor *w)
{
    at_weight *k = w->weight;
    if (k && k->waiting)
        add_product(t, w, k->waiting, k->left, k->right);
    if (k)
        k->waiting = 0;
}

/* Rows that wait at most: all of them, or as many as make a product fast. */
static int capacity_of(const at_weight *k)
{
    enum { ENOUGH = 512 };
    return k->rows < ENOUGH ? k->rows : ENOUGH;
}

static bool reserve(at_tape *t, const at_tensor *w)
{
    at_weight *k = w->weight;
    size_t rows = (size_t)capacity_of(k);
    if (!k->left)
        k->left = at_scratch_reals(t, rows * (size_t)w->shape.dim[0]);
    if (!k->right)
        k->right = at_scratch_reals(t, rows * (size_t)w->shape.dim[1]);
    return k->left && k->right;
}

/* all rows that there were have come: nobody waits here again */
static void release_waiting(at_tape *t, const at_tensor *w)
{
    at_weight *k = w->weight;
    size_t rows = (size_t)capacity_of(k);
    at_tape_spare(t, k->left, rows * (size_t)w->shape.dim[0]);
    at_tape_spare(t, k->right, rows * (size_t)w->shape.dim[1]);
    k->left = k->right = NULL;
}

/* rows of one product join those that wait */
static void keep_waiting(at_tape *t, const at_tensor *w, int rows, const real *left,
                         const real *right)
{
    at_weight *k = w->weight;
    if (!reserve(t, w))
        return;
    size_t R = (size_t)w->shape.dim[0], C = (size_t)w->shape.dim[1], at = (size_t)k->waiting;
    at_vector_copy((size_t)rows * R, left, k->left + at * R);
    at_vector_copy((size_t)rows * C, right, k->right + at * C);
    k->waiting += rows;
}

void at_weight_gradient(const at_node *n, int input, int rows, const real *left, const real *right)
{
    at_tape *t = n->tape;
    at_tensor *w = n->in[input];
    if (!w || !w->wants_grad || rows == 0)
        return;
    at_weight *k = w->weight;
    if (!k) {
        add_product(t, w, rows, left, right);
        return;
    }
    int capacity = capacity_of(k);
    if (k->waiting + rows > capacity)
        at_weight_flush(t, w);
    if (rows >= capacity)
        add_product(t, w, rows, left, right);
    else
        keep_waiting(t, w, rows, left, right);
    k->came += rows;
    if (k->waiting == capacity || k->came == k->rows)
        at_weight_flush(t, w);
    if (k->left && k->right && k->came == k->rows)
        release_waiting(t, w);
}
