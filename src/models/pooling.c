#include "models/pooling.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK = 1 << 20 }; /* attention weights computed at once: 4 MB */

#define LARGEST 1e100 /* of the data: its squares are finite in double */
#define LARGEST_WEIGHT \
    1e15 /* inside: beyond it only the nearest key is seen, and squares overflow */

/* ---- the model -------------------------------------------------------------------------- */

static real weight_inside(const at_pooling *p, int column, double weight)
{
    return (real)fmin(fabs(weight) * p->unit[column], LARGEST_WEIGHT);
}

/* 1/h for each column */
static at_tensor *inverse_width(at_tape *t, const at_pooling *p, double width)
{
    real *inside = at_scratch_reals(t, (size_t)p->columns);
    for (int c = 0; inside && c < p->columns; c++)
        inside[c] = weight_inside(p, c, 1 / width);
    return at_failed(t) ? at_poison(t) : at_input(t, SHAPE(p->columns), inside);
}

at_reading at_pooling_read(at_tape *t, const at_pooling *p, at_pooling_way way, int queries,
                           const real *query, const at_mask *mask)
{
    int N = p->rows, C = p->columns;
    at_tensor *q = at_input(t, SHAPE(1, queries, C), query);
    at_tensor *keys = at_input(t, SHAPE(1, N, C), p->key);
    at_tensor *values = at_input(t, SHAPE(1, N, 1), p->value);
    if (way.kernel)
        return at_pool(t, way.kernel, inverse_width(t, p, way.width), q, keys, values, mask);
    at_memory m = at_attention_prepare(t, at_root(), &p->how, C, keys, values, NULL);
    at_query points = {.query = q, .weights = true};
    if (mask)
        points.mask = *mask;
    return at_attention_read(t, at_root(), &p->how, &m, points);
}

/* n of the points as queries [n][C], which must not see themselves */
static real *points_as_queries(at_tape *t, const at_pooling *p, size_t n, const uint32_t *rows,
                               at_mask *mask)
{
    size_t N = (size_t)p->rows, C = (size_t)p->columns;
    real *query = at_scratch_reals(t, n * C);
    unsigned char *hidden = at_scratch(t, n * N);
    if (at_failed(t))
        return NULL;
    memset(hidden, 0, n * N);
    for (size_t i = 0; i < n; i++) {
        hidden[i * N + rows[i]] = 1;
        memcpy(query + i * C, p->key + rows[i] * C, C * sizeof *query);
    }
    *mask = (at_mask){.hidden = hidden, .hidden_shape = SHAPE((int)n, p->rows)};
    return query;
}

at_tensor *at_pooling_loss(at_tape *t, const at_pooling *p, at_pooling_way way, int n,
                           const uint32_t *rows)
{
    at_mask mask;
    const real *query = points_as_queries(t, p, (size_t)n, rows, &mask);
    real *target = at_scratch_reals(t, (size_t)n);
    if (at_failed(t))
        return at_poison(t);
    for (int i = 0; i < n; i++)
        target[i] = -p->value[rows[i]];
    at_reading read = at_pooling_read(t, p, way, n, query, &mask);
    at_tensor *error = at_add(t, read.context, at_input(t, SHAPE(1, n, 1), target));
    return at_mean(t, at_multiply(t, error, error));
}

/* ---- the data --------------------------------------------------------------------------- */

/* first: the number of the first of these points */
static attend_status check_numbers(size_t rows, int columns, const double *x, size_t first,
                                   attend_error *err)
{
    for (size_t i = 0; i < rows * (size_t)columns; i++)
        if (!(fabs(x[i]) <= LARGEST))
            return at_error(err, ATTEND_NUMBER,
                            "pooling: x of point %zu is not a number up to 1e100",
                            first + i / (size_t)columns);
    return ATTEND_OK;
}

static attend_status check(size_t rows, int columns, const double *x, const double *y,
                           attend_error *err)
{
    if (rows < 2)
        return at_error(err, ATTEND_SHAPE, "pooling: %zu point%s; a fit needs at least two", rows,
                        rows == 1 ? "" : "s");
    if (columns < 1 || rows > INT_MAX / 2 || (size_t)columns > (size_t)INT_MAX / 2 / rows)
        return at_error(err, ATTEND_SHAPE, "pooling: %zu points of %d columns are too many", rows,
                        columns);
    if (check_numbers(rows, columns, x, 0, err) < 0)
        return ATTEND_NUMBER;
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

/* Where the columns share one w, they share one unit too. */
static void choose_units(at_pooling *p)
{
    size_t C = (size_t)p->columns;
    double width = 1.06 * pow(p->rows, -1.0 / (4 + p->columns)), common = 0;
    for (size_t c = 0; c < C; c++) {
        measure((size_t)p->rows, p->x + c, C, &p->center[c], &p->unit[c]);
        common += log(p->unit[c]) / (double)C;
    }
    for (size_t c = 0; c < C; c++)
        p->unit[c] = width * (p->settings->each ? p->unit[c] : exp(common));
    measure((size_t)p->rows, p->y, 1, &p->y_center, &p->y_unit);
}

/* rows of the data's x, inside */
static void to_inside(const at_pooling *p, size_t n, const double *x, real *inside)
{
    size_t C = (size_t)p->columns;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < C; c++)
            inside[i * C + c] = (real)((x[i * C + c] - p->center[c]) / p->unit[c]);
}

static bool allocate(at_pooling *p, at_arena *memory)
{
    size_t N = (size_t)p->rows, C = (size_t)p->columns;
    p->x = at_arena_alloc(memory, N * C * sizeof *p->x);
    p->y = at_arena_alloc(memory, N * sizeof *p->y);
    p->center = at_arena_alloc(memory, C * sizeof *p->center);
    p->unit = at_arena_alloc(memory, C * sizeof *p->unit);
    p->key = at_arena_alloc(memory, N * C * sizeof *p->key);
    p->value = at_arena_alloc(memory, N * sizeof *p->value);
    p->weight = at_arena_alloc(memory, C * sizeof *p->weight);
    return p->x && p->y && p->center && p->unit && p->key && p->value && p->weight;
}

static void take(at_pooling *p, const double *x, const double *y)
{
    size_t N = (size_t)p->rows;
    memcpy(p->x, x, N * (size_t)p->columns * sizeof *x);
    memcpy(p->y, y, N * sizeof *y);
    choose_units(p);
    to_inside(p, N, x, p->key);
    for (size_t i = 0; i < N; i++)
        p->value[i] = (real)((y[i] - p->y_center) / p->y_unit);
}

/* the network of a model that has its settings */
static attend_status describe(at_model *m, size_t rows, int columns, attend_error *err)
{
    at_pooling *p = m->net;
    at_parameter *weight;
    p->settings = m->settings;
    p->params = m->params;
    p->rows = (int)rows;
    p->columns = columns;
    bool each = p->settings->each;
    attend_status status = at_how_parse(&p->how, each ? "gaussian-w:vector" : "gaussian-w", err);
    if (status < 0)
        return status;
    if (!allocate(p, &m->memory))
        return at_error_memory(err);
    memset(p->weight, 0, (size_t)columns * sizeof *p->weight);
    return at_params_add(p->params, "score.width", SHAPE(each ? columns : 1), INIT_ONE, &weight,
                         err);
}

attend_status at_pooling_new(size_t rows, int columns, const double *x, const double *y,
                             const at_pooling_settings *settings, at_model **out, attend_error *err)
{
    *out = NULL;
    attend_status status = check(rows, columns, x, y, err);
    if (status < 0)
        return status;
    at_model *m = at_model_new(&at_model_pooling, 0);
    if (!m)
        return at_error_memory(err);
    *(at_pooling_settings *)m->settings = *settings;
    status = describe(m, rows, columns, err);
    if (status < 0) {
        at_model_free(m);
        return status;
    }
    take(m->net, x, y);
    *out = m;
    return ATTEND_OK;
}

static at_parameter *weight_of(const at_pooling *p)
{
    return at_params_find(p->params, "score.width");
}

attend_status at_pooling_set_weight(at_pooling *p, const double *weight, attend_error *err)
{
    for (int c = 0; c < p->columns; c++) {
        if (!isfinite(weight[c]))
            return at_error(err, ATTEND_NUMBER, "pooling: the weight of column %d is not finite",
                            c + 1);
        if (p->settings->each || c == 0)
            weight_of(p)->value[c] = weight_inside(p, c, weight[c]);
    }
    return ATTEND_OK;
}

void at_pooling_weight(const at_pooling *p, double *weight) /* its sign means nothing */
{
    for (int c = 0; c < p->columns; c++)
        weight[c] = fabs((double)weight_of(p)->value[p->settings->each ? c : 0]) / p->unit[c];
}

bool at_pooling_sound(const at_pooling *p)
{
    for (int c = 0; c < (p->settings->each ? p->columns : 1); c++)
        if (!(real_abs(weight_of(p)->value[c]) <= (real)LARGEST_WEIGHT))
            return false;
    return true;
}

/* ---- in the units of the data ----------------------------------------------------------- */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t block_rows(const at_pooling *p)
{
    int rows = BLOCK / p->rows;
    return (size_t)(rows > 1 ? rows : 1);
}

/* what a block of queries has read, in the units of y, and its weights unless they are not wanted
 */
static void give(const at_pooling *p, const at_reading *read, size_t n, double *y, double *weights)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (double)read->context->value[i] * p->y_unit + p->y_center;
    for (size_t i = 0; weights && i < n * (size_t)p->rows; i++)
        weights[i] = (double)read->weights->value[i];
}

attend_status at_pooling_predict(const at_pooling *p, at_pooling_way way, size_t rows,
                                 const double *x, double *y, double *weights, attend_error *err)
{
    at_tape *t = at_tape_new(p->params, ATTEND_INFER);
    attend_status status = t ? ATTEND_OK : at_error_memory(err);
    for (size_t begin = 0, n; begin < rows && status >= 0; begin += n) {
        n = smaller(block_rows(p), rows - begin);
        status = check_numbers(n, p->columns, x + begin * (size_t)p->columns, begin, err);
        if (status < 0)
            break;
        real *query = at_scratch_reals(t, n * (size_t)p->columns);
        if (query)
            to_inside(p, n, x + begin * (size_t)p->columns, query);
        at_reading read = {.context = NULL};
        if (query)
            read = at_pooling_read(t, p, way, (int)n, query, NULL);
        status = at_tape_status(t, err);
        if (status >= 0)
            give(p, &read, n, y + begin, weights ? weights + begin * (size_t)p->rows : NULL);
        at_tape_reset(t);
    }
    at_tape_free(t);
    return status;
}

/* one block of points, without themselves */
static attend_status leave_out(at_tape *t, const at_pooling *p, at_pooling_way way, size_t n,
                               const uint32_t *rows, double *y, attend_error *err)
{
    at_mask mask;
    const real *query = points_as_queries(t, p, n, rows, &mask);
    at_reading read = {.context = NULL};
    if (query)
        read = at_pooling_read(t, p, way, (int)n, query, &mask);
    attend_status status = at_tape_status(t, err);
    if (status >= 0)
        give(p, &read, n, y, NULL);
    at_tape_reset(t);
    return status;
}

attend_status at_pooling_left_out(const at_pooling *p, at_pooling_way way, size_t n,
                                  const uint32_t *which, double *y, attend_error *err)
{
    attend_status status = ATTEND_OK;
    size_t most = smaller(block_rows(p), n ? n : 1);
    at_tape *t = at_tape_new(p->params, ATTEND_INFER);
    uint32_t *rows = at_alloc(most * sizeof *rows);
    if (!t || !rows)
        status = at_error_memory(err);
    for (size_t begin = 0; begin < n && status >= 0; begin += most) {
        size_t count = smaller(most, n - begin);
        for (size_t i = 0; i < count; i++)
            rows[i] = which ? which[begin + i] : (uint32_t)(begin + i);
        status = leave_out(t, p, way, count, rows, y + begin, err);
    }
    at_tape_free(t);
    at_free(rows);
    return status;
}

attend_status at_pooling_error(const at_pooling *p, at_pooling_way way, size_t n,
                               const uint32_t *which, double *error, attend_error *err)
{
    double *y = at_alloc((n ? n : 1) * sizeof *y), sum = 0;
    if (!y)
        return at_error_memory(err);
    attend_status status = at_pooling_left_out(p, way, n, which, y, err);
    for (size_t i = 0; i < n && status >= 0; i++) {
        double missed = y[i] - p->y[which ? which[i] : i];
        sum += missed * missed;
    }
    *error = sum / (double)(n ? n : 1);
    at_free(y);
    return status;
}
