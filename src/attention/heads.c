/* Multi-head attention (Vaswani et al. 2017, 3.2.2): q, k and v are projected, cut into H slices,
 * each is read on its own, and the contexts are put together and projected once more. */
#include "attention/attention.h"

static at_tensor *project(at_tape *t, at_path s, const char *name, at_tensor *x, int width)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = at_param(t, s, name, SHAPE(width, at_shape_last(x->shape)), INIT_GLOROT);
    return at_affine(t, x, w, NULL, ATTEND_OUT_IN);
}

at_memory at_attention_prepare(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                               at_tensor *values, const int *lengths)
{
    if (how->heads) {
        keys = project(t, s, "key", keys, width);
        values = project(t, s, "value", values, width);
    }
    return at_attention_slices(t, s, how, width, keys, values, lengths);
}

at_memory at_attention_append(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                              at_tensor *values, at_cache *c, int stream)
{
    if (how->heads) {
        keys = project(t, s, "key", keys, width);
        values = project(t, s, "value", values, width);
    }
    return at_append_slices(t, s, how, width, keys, values, c, stream);
}

at_reading at_attention_read(at_tape *t, at_path s, const at_how *how, const at_memory *m,
                             at_query q)
{
    if (!how->heads)
        return at_read_slices(t, s, how, m, q);
    q.query = project(t, s, "query", q.query, m->width);
    at_reading r = at_read_slices(t, s, how, m, q);
    r.context = project(t, s, "output", r.context, m->width);
    return r;
}
