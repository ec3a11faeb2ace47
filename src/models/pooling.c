#include "models/pooling.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK = 1 << 20 }; /* attention weights computed at once: 4 MB */

#define LARGEST 1e100 /* of the data: its squares are finite in double */
#define LARGEST_WEIGHT \
    1e15 /* inside: beyond it only the nearest key is seen, and squares overflow */

/* ---- the model -------------------------------------------------------------------------- */

at_tensor *at_pooling_read(at_tape *t, const at_pooling *p, at_tensor *weight, int queries,
                           const real *query, const at_mask *mask)
{
    int Q = queries, N = p->rows;
    at_tensor *square = NULL; /* of the weighted distance, [Q,N] */
    for (int c = 0; c < p->columns; c++) {
        at_tensor *q = at_input(t, SHAPE(Q, 1), query + (size_t)c * (size_t)Q);
        at_tensor *k = at_input(t, SHAPE(1, N), p->key + (size_t)c * (size_t)N);
        at_tensor *distance = at_add(t, q, at_scale(t, k, -1)); /* [Q,N] */
        distance = at_multiply(t, distance, at_slice(t, weight, 0, c, c + 1));
        distance = at_multiply(t, distance, distance);
        square = square ? at_add(t, square, distance) : distance;
    }
    at_tensor *attention = at_softmax(t, at_scale(t, square, (real)-0.5), mask); /* [Q,N] */
    at_tensor *values = at_input(t, SHAPE(N, 1), p->value);
    return at_matmul(t, attention, false, values, false, 1); /* [Q,1] */
}

at_tensor *at_pooling_loss(at_tape *t, const at_pooling *p, at_tensor *weight, int n,
                           const uint32_t *rows)
{
    size_t N = (size_t)p->rows, Q = (size_t)n;
    real *query = at_scratch_reals(t, Q * (size_t)p->columns), *target = at_scratch_reals(t, Q);
    unsigned char *hidden = at_scratch(t, Q * N);
    if (at_failed(t))
        return at_poison(t);
    memset(hidden, 0, Q * N);
    for (size_t i = 0; i < Q; i++) {
        hidden[i * N + rows[i]] = 1; /* a point must not see itself */
        target[i] = -p->value[rows[i]];
        for (size_t c = 0; c < (size_t)p->columns; c++)
            query[c * Q + i] = p->key[c * N + rows[i]];
    }
    at_mask mask = {.hidden = hidden, .hidden_shape = SHAPE(n, p->rows)};
    at_tensor *read = at_pooling_read(t, p, weight, n, query, &mask);
    at_tensor *error = at_add(t, read, at_input(t, SHAPE(n, 1), target));
    return at_mean(t, at_multiply(t, error, error));
}

at_tensor *at_pooling_param(at_tape *t, const at_pooling *p)
{
    return at_param(t, at_root(), "weight", SHAPE(p->columns), INIT_ONE);
}

/* ---- the data --------------------------------------------------------------------------- */

static attend_status check(size_t rows, int columns, const double *x, const double *y,
                           attend_error *err)
{
    if (rows < 2)
        return at_error(err, ATTEND_SHAPE, "pooling: %zu point%s; a fit needs at least two", rows,
                        rows == 1 ? "" : "s");
    if (columns < 1 || rows > INT_MAX / 2 || (size_t)columns > (size_t)INT_MAX / 2 / rows)
        return at_error(err, ATTEND_SHAPE, "pooling: %zu points of %d columns are too many", rows,
                        columns);
    for (size_t i = 0; i < rows * (size_t)columns; i++)
        if (!(fabs(x[i]) <= LARGEST))
            return at_error(err, ATTEND_NUMBER,
                            "pooling: x of point %zu is not a number up to 1e100",
                            i / (size_t)columns);
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(y[i]) <= LARGEST))
            return at_error(err, ATTEND_NUMBER,
                            "pooling: y of point %zu is not a number up to 1e100", i);
    return ATTEND_OK;
}

/* mean and spread of every stride-th of n numbers */
static void measure(size_t n, const double *x, size_t stride, double *mean, double *spread)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i * stride] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i * stride] - sum) * (x[i * stride] - sum) / (double)n;
    *mean = sum;
    *spread = sqrt(squares);
    if (!(*spread > 0)) /* all equal, or too small to square */
        *spread = 1;
}

static void choose_units(at_pooling *p)
{
    size_t C = (size_t)p->columns;
    double width = 1.06 * pow(p->rows, -1.0 / (4 + p->columns));
    for (size_t c = 0; c < C; c++) {
        measure((size_t)p->rows, p->x + c, C, &p->center[c], &p->unit[c]);
        p->unit[c] *= width;
    }
    measure((size_t)p->rows, p->y, 1, &p->y_center, &p->y_unit);
}

/* rows of the data's x [n][C] to the inside [C][n] */
static void to_inside(const at_pooling *p, size_t n, const double *x, real *inside)
{
    size_t C = (size_t)p->columns;
    for (size_t c = 0; c < C; c++)
        for (size_t i = 0; i < n; i++)
            inside[c * n + i] = (real)((x[i * C + c] - p->center[c]) / p->unit[c]);
}

static bool allocate(at_pooling *p)
{
    size_t N = (size_t)p->rows, C = (size_t)p->columns;
    p->x = at_alloc(N * C * sizeof *p->x);
    p->y = at_alloc(N * sizeof *p->y);
    p->center = at_alloc(C * sizeof *p->center);
    p->unit = at_alloc(C * sizeof *p->unit);
    p->key = at_alloc(N * C * sizeof *p->key);
    p->value = at_alloc(N * sizeof *p->value);
    p->params = at_params_new(0);
    return p->x && p->y && p->center && p->unit && p->key && p->value && p->params;
}

attend_status at_pooling_new(size_t rows, int columns, const double *x, const double *y,
                             at_pooling **out, attend_error *err)
{
    *out = NULL;
    attend_status status = check(rows, columns, x, y, err);
    if (status < 0)
        return status;
    at_pooling *p = at_alloc_zero(1, sizeof *p);
    if (!p)
        return at_error_memory(err);
    p->rows = (int)rows;
    p->columns = columns;
    at_parameter *weight;
    if (!allocate(p))
        status = at_error_memory(err);
    else
        status = at_params_add(p->params, "weight", SHAPE(columns), INIT_ONE, &weight, err);
    if (status < 0) {
        at_pooling_free(p);
        return status;
    }
    memcpy(p->x, x, rows * (size_t)columns * sizeof *x);
    memcpy(p->y, y, rows * sizeof *y);
    choose_units(p);
    to_inside(p, rows, x, p->key);
    for (size_t i = 0; i < rows; i++)
        p->value[i] = (real)((y[i] - p->y_center) / p->y_unit);
    *out = p;
    return ATTEND_OK;
}

void at_pooling_free(at_pooling *p)
{
    if (!p)
        return;
    at_free(p->x);
    at_free(p->y);
    at_free(p->center);
    at_free(p->unit);
    at_free(p->key);
    at_free(p->value);
    at_params_free(p->params);
    at_free(p);
}

static real weight_inside(const at_pooling *p, int column, double weight)
{
    return (real)fmin(fabs(weight) * p->unit[column], LARGEST_WEIGHT);
}

attend_status at_pooling_set_weight(at_pooling *p, const double *weight, attend_error *err)
{
    at_parameter *inside = at_params_find(p->params, "weight");
    for (int c = 0; c < p->columns; c++) {
        if (!isfinite(weight[c]))
            return at_error(err, ATTEND_NUMBER, "pooling: the weight of column %d is not finite",
                            c + 1);
        inside->value[c] = weight_inside(p, c, weight[c]);
    }
    return ATTEND_OK;
}

void at_pooling_weight(const at_pooling *p, double *weight) /* its sign means nothing */
{
    const at_parameter *inside = at_params_find(p->params, "weight");
    for (int c = 0; c < p->columns; c++)
        weight[c] = fabs((double)inside->value[c]) / p->unit[c];
}

bool at_pooling_sound(const at_pooling *p)
{
    const at_parameter *inside = at_params_find(p->params, "weight");
    for (int c = 0; c < p->columns; c++)
        if (!(real_abs(inside->value[c]) <= (real)LARGEST_WEIGHT))
            return false;
    return true;
}

/* ---- with any weight -------------------------------------------------------------------- */

static attend_status tape_status(const at_tape *t, attend_error *err)
{
    const attend_error *failed = at_tape_error(t);
    return failed ? at_error(err, failed->status, "%s", failed->message) : ATTEND_OK;
}

static at_tensor *weight_tensor(at_tape *t, const at_pooling *p, const double *weight)
{
    real *inside = at_scratch_reals(t, (size_t)p->columns);
    if (!inside)
        return at_poison(t);
    for (int c = 0; c < p->columns; c++)
        inside[c] = weight_inside(p, c, weight[c]);
    return at_input(t, SHAPE(p->columns), inside);
}

static size_t block_rows(const at_pooling *p)
{
    int rows = BLOCK / p->rows;
    return (size_t)(rows > 1 ? rows : 1);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

attend_status at_pooling_predict(const at_pooling *p, const double *weight, size_t rows,
                                 const double *x, double *y, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_tape *t = at_tape_new(p->params, ATTEND_INFER);
    if (!t)
        return at_error_memory(err);
    for (size_t begin = 0, n; begin < rows && status >= 0; begin += n) {
        n = smaller(block_rows(p), rows - begin);
        real *query = at_scratch_reals(t, n * (size_t)p->columns);
        if (query)
            to_inside(p, n, x + begin * (size_t)p->columns, query);
        at_tensor *w = weight_tensor(t, p, weight);
        const at_tensor *read = at_failed(t) ? NULL : at_pooling_read(t, p, w, (int)n, query, NULL);
        status = tape_status(t, err);
        for (size_t i = 0; i < n && status >= 0; i++)
            y[begin + i] = (double)read->value[i] * p->y_unit + p->y_center;
        at_tape_reset(t);
    }
    at_tape_free(t);
    return status;
}

attend_status at_pooling_error(const at_pooling *p, const double *weight, double *error,
                               attend_error *err)
{
    attend_status status = ATTEND_OK;
    double sum = 0;
    size_t N = (size_t)p->rows;
    at_tape *t = at_tape_new(p->params, ATTEND_INFER);
    uint32_t *rows = at_alloc(smaller(block_rows(p), N) * sizeof *rows);
    if (!t || !rows)
        status = at_error_memory(err);
    for (size_t begin = 0, n; begin < N && status >= 0; begin += n) {
        n = smaller(block_rows(p), N - begin);
        for (size_t i = 0; i < n; i++)
            rows[i] = (uint32_t)(begin + i);
        const at_tensor *loss = at_pooling_loss(t, p, weight_tensor(t, p, weight), (int)n, rows);
        status = tape_status(t, err);
        sum += status < 0 ? 0 : (double)loss->value[0] * (double)n;
        at_tape_reset(t);
    }
    *error = sum / (double)N * p->y_unit * p->y_unit;
    at_tape_free(t);
    at_free(rows);
    return status;
}
