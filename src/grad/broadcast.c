#include "grad/broadcast.h"

#include "base/threads.h"
#include "tensor/vector.h"

/* steps of an operand along the four axes of the result */
static void steps(at_shape s, ptrdiff_t step[4])
{
    ptrdiff_t size = 1;
    for (int i = 1; i <= 4; i++) {
        int dim = i <= s.rank ? s.dim[s.rank - i] : 1;
        step[4 - i] = dim == 1 ? 0 : size;
        size *= dim;
    }
}

bool at_broadcast_plan(at_shape a, at_shape b, at_broadcast *plan)
{
    plan->same = at_shape_equal(a, b);
    plan->shape = a;
    if (plan->same)
        return true; /* no rows are needed */
    if (!at_shape_broadcast(a, b, &plan->shape))
        return false;
    plan->rows = at_shape_rows(plan->shape);
    plan->n = at_shape_last(plan->shape);
    for (int i = 0; i < 3; i++) {
        int axis = plan->shape.rank - 4 + i;
        plan->outer[i] = axis >= 0 ? plan->shape.dim[axis] : 1;
    }
    steps(a, plan->a_step);
    steps(b, plan->b_step);
    return true;
}

void at_broadcast_row(const at_broadcast *plan, size_t row, ptrdiff_t *a, ptrdiff_t *b)
{
    *a = *b = 0;
    for (int i = 2; i >= 0; i--) {
        size_t dim = (size_t)plan->outer[i];
        ptrdiff_t at = dim ? (ptrdiff_t)(row % dim) : 0;
        row = dim ? row / dim : 0;
        *a += at * plan->a_step[i];
        *b += at * plan->b_step[i];
    }
}

typedef struct {
    const at_broadcast *plan;
    at_broadcast_op *row;
    const real *a, *b;
    real *y;
} work;

static void run_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const work *w = arg;
    for (; row < end; row++) {
        ptrdiff_t i, j;
        at_broadcast_row(w->plan, (size_t)row, &i, &j);
        w->row(w->plan, w->a + i, w->b + j, w->y + row * w->plan->n);
    }
}

void at_broadcast_run(const at_broadcast *plan, at_broadcast_op *row, const real *a, const real *b,
                      real *y)
{
    work w = {plan, row, a, b, y};
    at_parallel_for((ptrdiff_t)plan->rows, at_rows_grain((size_t)plan->n), run_rows, &w);
}
