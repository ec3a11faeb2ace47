/* y[i] = table[ids[i]] */
#include <string.h>

#include "base/threads.h"
#include "grad/ops.h"
#include "grad/weight.h"
#include "tensor/vector.h"

typedef struct {
    size_t count;
    const int *id;
    int fixed; /* a row without a gradient */
} looked_up;

typedef struct {
    const at_tensor *table;
    const int *id;
    real *y;
} copying;

static void copy_rows(void *arg, ptrdiff_t i, ptrdiff_t end)
{
    const copying *c = arg;
    at_weight_rows(c->table, (size_t)(end - i), c->id + i, c->y + i * c->table->shape.dim[1]);
}

at_tensor *at_embedding(at_tape *t, at_tensor *table, at_ids ids)
{
    return at_embedding_fixed(t, table, ids, ATTEND_ROWS_NONE);
}

at_tensor *at_embedding_fixed(at_tape *t, at_tensor *table, at_ids ids, int fixed)
{
    size_t count;
    if (at_failed(t))
        return at_poison(t);
    if (table->shape.rank != 2 || ids.shape.rank >= ATTEND_MAX_RANK
        || !at_shape_len(ids.shape, &count))
        return at_fail(t, "embedding: a table %s cannot be read by ids %s",
                       at_shape_print(table->shape).text, at_shape_print(ids.shape).text);
    int rows = table->shape.dim[0], width = table->shape.dim[1];
    for (size_t i = 0; i < count; i++)
        if (ids.id[i] < 0 || ids.id[i] >= rows)
            return at_fail(t, "embedding: id %d at place %zu is outside 0..%d", ids.id[i], i,
                           rows - 1);
    at_shape shape = ids.shape;
    shape.dim[shape.rank++] = width;
    at_tensor *y = at_new(t, shape);
    looked_up *saved = at_scratch(t, sizeof *saved);
    int *kept = at_scratch(t, count * sizeof *kept); /* the caller's may change before backward */
    if (at_failed(t))
        return at_poison(t);
    if (count)
        memcpy(kept, ids.id, count * sizeof *kept);
    *saved = (looked_up){count, kept, fixed};
    copying c = {table, kept, y->value};
    at_parallel_for((ptrdiff_t)count, at_rows_grain((size_t)width), copy_rows, &c);
    if (fixed != ATTEND_ROWS_ALL && at_recording(t, INPUTS(table)))
        at_record(t, &at_op_embedding, INPUTS(table), OUTPUTS(y), saved);
    return y;
}

typedef struct {
    const looked_up *ids;
    size_t width;
    const real *dy;
    real *dx;
} scatter;

/* a range of columns for every row, so that threads never meet and sums keep their order */
static void add_columns(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const scatter *s = arg;
    for (size_t i = 0; i < s->ids->count; i++)
        if (s->ids->id[i] != s->ids->fixed)
            at_vector()->axpy((size_t)(end - begin), 1, s->dy + i * s->width + begin, 1,
                              s->dx + (size_t)s->ids->id[i] * s->width + begin);
}

static void backward(const at_node *n)
{
    scatter s = {n->saved, (size_t)n->in[0]->shape.dim[1], at_grad_out(n, 0), at_grad_add(n, 0)};
    if (s.dx)
        at_parallel_for((ptrdiff_t)s.width, 64, add_columns, &s);
}

at_tensor *at_take(at_tape *t, at_tensor *x, at_ids which)
{
    if (at_failed(t))
        return at_poison(t);
    at_shape shape = x->shape;
    int B = shape.dim[0];
    shape.dim[0] = which.shape.dim[0];
    at_tensor *table = at_reshape(t, x, SHAPE(B, B ? (int)(x->len / (size_t)B) : 0));
    return at_reshape(t, at_embedding(t, table, which), shape);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int ids[] = {2, 0, 2, 4, 1, 2};
    (void)arg;
    at_tensor *table = at_param(t, s, "table", SHAPE(5, 3), INIT_NORMAL(1));
    return at_embedding(t, table, (at_ids){SHAPE(2, 3), ids});
}

const at_op at_op_embedding = {
    .name = "embedding",
    .formula = "y_i = E[id_i]",
    .backward = backward,
    .sample = sample,
    .forgets_output = true,
};
