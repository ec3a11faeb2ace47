#include "grad/mask.h"

static void view_sizes(at_mask_view *v, at_shape s)
{
    int dim[4] = {1, 1, 1, 1};
    for (int i = 1; i <= s.rank; i++)
        dim[4 - i] = s.dim[s.rank - i];
    if (s.rank == 3) { /* [B,Q,K] has no head axis */
        dim[0] = s.dim[0];
        dim[1] = 1;
    }
    v->batch = dim[0];
    v->heads = dim[1];
    v->queries = dim[2];
    v->keys = dim[3];
}

/* steps of an array along batch, head and query; false when its shape does not fit the scores */
static bool steps_of(const at_mask_view *v, int scores_rank, at_shape s, size_t step[3])
{
    int want[3] = {v->batch, v->heads, v->queries};
    if (s.rank < 1 || s.rank > scores_rank || s.dim[s.rank - 1] != v->keys)
        return false;
    size_t size = (size_t)v->keys;
    for (int axis = 2; axis >= 0; axis--) {
        bool headless = scores_rank == 3 && axis == 1; /* no such axis in [B,Q,K] */
        int back = scores_rank == 3 && axis == 0 ? 3 : 4 - axis;
        int dim = headless || back > s.rank ? 1 : s.dim[s.rank - back];
        if (dim != 1 && dim != want[axis])
            return false;
        step[axis] = dim == 1 ? 0 : size;
        size *= (size_t)dim;
    }
    return true;
}

static bool arrays_fit(at_tape *t, const char *op, at_mask_view *v, at_shape scores)
{
    const at_mask *m = &v->mask;
    bool hidden = !m->hidden || steps_of(v, scores.rank, m->hidden_shape, v->hidden_step);
    if (hidden && (!m->added || steps_of(v, scores.rank, m->added_shape, v->added_step)))
        return true;
    at_fail(t, "%s: a mask %s does not fit scores %s", op,
            at_shape_print(hidden ? m->added_shape : m->hidden_shape).text,
            at_shape_print(scores).text);
    return false;
}

bool at_mask_fit_added(at_tape *t, const char *op, const at_mask *mask, at_shape scores,
                       at_mask_view *view)
{
    *view = (at_mask_view){.mask = mask ? *mask : (at_mask){.lengths = NULL}};
    view_sizes(view, scores);
    if (!arrays_fit(t, op, view, scores))
        return false;
    const int *lengths = view->mask.lengths;
    if ((lengths || view->mask.first) && scores.rank < 3) {
        at_fail(t, "%s: scores %s have no sentences, and %s are one for each", op,
                at_shape_print(scores).text, lengths ? "lengths" : "first positions");
        return false;
    }
    for (int b = 0; lengths && b < view->batch; b++)
        if (lengths[b] < 0 || lengths[b] > view->keys) {
            at_fail(t, "%s: length %d of sentence %d is outside 0..%d", op, lengths[b], b,
                    view->keys);
            return false;
        }
    return true;
}

bool at_mask_fit(at_tape *t, const char *op, const at_mask *mask, at_shape scores,
                 at_mask_view *view)
{
    if (mask && mask->added) {
        at_fail(t, "%s: a mask of numbers to be added is not taken here", op);
        return false;
    }
    return at_mask_fit_added(t, op, mask, scores, view);
}

int at_mask_end(const at_mask_view *v, int b, int i)
{
    int end = v->mask.lengths ? v->mask.lengths[b] : v->keys;
    if (v->mask.causal) {
        long seen = (long)at_mask_first(&v->mask, b) + i + 1;
        end = seen < end ? (int)seen : end;
    }
    return end < 0 ? 0 : end;
}

static size_t row_of(const size_t step[3], int b, int h, int i)
{
    return (size_t)b * step[0] + (size_t)h * step[1] + (size_t)i * step[2];
}

const unsigned char *at_mask_row(const at_mask_view *v, int b, int h, int i)
{
    return v->mask.hidden ? v->mask.hidden + row_of(v->hidden_step, b, h, i) : NULL;
}

const real *at_mask_added(const at_mask_view *v, int b, int h, int i)
{
    return v->mask.added ? v->mask.added + row_of(v->added_step, b, h, i) : NULL;
}
