/* The attention of a fit as a matrix that can be looked at. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/fit.h"

void at_fit_range(const attend_pooling *pooling, double range[2])
{
    const double *x = attend_pooling_x(pooling);
    size_t columns = (size_t)attend_pooling_columns(pooling);
    range[0] = range[1] = x[0];
    for (size_t i = 0; i < attend_pooling_rows(pooling); i++) {
        range[0] = x[i * columns] < range[0] ? x[i * columns] : range[0];
        range[1] = x[i * columns] > range[1] ? x[i * columns] : range[1];
    }
}

typedef struct {
    double key;
    size_t place;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key)
                            : (p->place > q->place) - (p->place < q->place);
}

size_t *at_fit_order(const attend_pooling *pooling)
{
    size_t n = attend_pooling_rows(pooling);
    const double *key = attend_pooling_columns(pooling) == 1 ? attend_pooling_x(pooling)
                                                             : attend_pooling_y(pooling);
    keyed *all = at_alloc(n * sizeof *all);
    size_t *order = at_alloc(n * sizeof *order);
    for (size_t i = 0; all && i < n; i++)
        all[i] = (keyed){key[i], i};
    if (all)
        qsort(all, n, sizeof *all, by_key);
    for (size_t i = 0; all && order && i < n; i++)
        order[i] = all[i].place;
    if (!all) {
        at_free(order);
        order = NULL;
    }
    at_free(all);
    return order;
}

/* x of the queries: places along the only column, or points in their order */
static void choose_queries(const at_fitted *f, const size_t *order, int rows, double *query)
{
    size_t columns = (size_t)attend_pooling_columns(f->pooling);
    size_t n = attend_pooling_rows(f->pooling);
    double range[2];
    at_fit_range(f->pooling, range);
    for (int i = 0; i < rows; i++) {
        double share = rows > 1 ? (double)i / (rows - 1) : 0;
        if (columns == 1)
            query[i] = range[0] + share * (range[1] - range[0]);
        else
            memcpy(query + (size_t)i * columns,
                   attend_pooling_x(f->pooling)
                       + order[(size_t)(share * (double)(n - 1) + 0.5)] * columns,
                   columns * sizeof *query);
    }
}

attend_status at_fit_weights(const at_fitted *f, attend_pooling_kind kind, int rows, int columns,
                             double *weights, attend_error *err)
{
    size_t n = attend_pooling_rows(f->pooling), width = (size_t)columns;
    size_t *order = at_fit_order(f->pooling);
    double *query = at_alloc((size_t)rows * (size_t)attend_pooling_columns(f->pooling)
                             * sizeof *query);
    double *row = at_alloc(n * sizeof *row);
    attend_status status = order && query && row ? ATTEND_OK : at_error_memory(err);
    if (status >= 0)
        choose_queries(f, order, rows, query);
    memset(weights, 0, (size_t)rows * width * sizeof *weights);
    for (int i = 0; i < rows && status >= 0; i++) {
        status = attend_pooling_attention(f->pooling, kind, 1,
                                          query + (size_t)(i * attend_pooling_columns(f->pooling)),
                                          row, err);
        for (size_t j = 0; j < n && status >= 0; j++)
            weights[(size_t)i * width + j * width / n] += row[order[j]];
    }
    at_free(order);
    at_free(query);
    at_free(row);
    return status;
}
