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

/* steps of hidden along batch, head and query, false when its shape does not fit the scores */
static bool hidden_steps(at_mask_view *v, int scores_rank)
{
    at_shape s = v->mask.hidden_shape;
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
        v->step[axis] = dim == 1 ? 0 : size;
        size *= (size_t)dim;
    }
    return true;
}

bool at_mask_fit(at_tape *t, const char *op, const at_mask *mask, at_shape scores,
                 at_mask_view *view)
{
    *view = (at_mask_view){.mask = mask ? *mask : (at_mask){.lengths = NULL}};
    view_sizes(view, scores);
    if (view->mask.hidden && !hidden_steps(view, scores.rank)) {
        at_fail(t, "%s: a mask %s does not fit scores %s", op,
                at_shape_print(view->mask.hidden_shape).text, at_shape_print(scores).text);
        return false;
    }
    if (view->mask.lengths && scores.rank < 3) {
        at_fail(t, "%s: scores %s have no sentences, and lengths are one for each", op,
                at_shape_print(scores).text);
        return false;
    }
    for (int b = 0; view->mask.lengths && b < view->batch; b++)
        if (view->mask.lengths[b] < 0 || view->mask.lengths[b] > view->keys) {
            at_fail(t, "%s: length %d of sentence %d is outside 0..%d", op, view->mask.lengths[b],
                    b, view->keys);
            return false;
        }
    return true;
}

int at_mask_end(const at_mask_view *v, int b, int i)
{
    int end = v->mask.lengths ? v->mask.lengths[b] : v->keys;
    if (v->mask.causal) {
        int seen = v->mask.offset + i + 1;
        end = seen < end ? seen : end;
    }
    return end < 0 ? 0 : end;
}

const unsigned char *at_mask_row(const at_mask_view *v, int b, int h, int i)
{
    if (!v->mask.hidden)
        return NULL;
    return v->mask.hidden + (size_t)b * v->step[0] + (size_t)h * v->step[1]
           + (size_t)i * v->step[2];
}
