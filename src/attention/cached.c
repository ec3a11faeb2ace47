/* Attention on a cache: keys, values and prepared keys of the new positions are appended, those of
 * the old ones are there. Fused attention takes them where they lie; everything else takes a dense
 * copy, in which the rows are padded to the longest. */
#include "attention/attention.h"
#include "attention/parts.h"

int at_attention_streams(const at_how *how, int width, int keys, int values,
                         int widths[ATTEND_ATTENTION_STREAMS])
{
    int heads = how->heads ? how->heads : 1;
    widths[0] = keys;
    widths[1] = values;
    widths[2] = how->score->has_hidden && how->size ? heads * how->size : width;
    return how->score->prepare ? 3 : 2;
}

/* what the score has prepared of m, [rows,n,..], the heads side by side */
static at_tensor *all_prepared(at_tape *t, const at_how *how, const at_memory *m)
{
    if (!how->heads)
        return m->prepared;
    at_tensor **each = at_scratch(t, (size_t)how->heads * sizeof *each);
    for (int h = 0; each && h < how->heads; h++)
        each[h] = m->heads[h].prepared;
    return at_failed(t) ? at_poison(t) : at_concat(t, how->heads, each, 2);
}

at_memory at_append_slices(at_tape *t, at_path s, const at_how *how, int width, at_tensor *keys,
                           at_tensor *values, at_cache *c, int stream)
{
    at_memory added = at_attention_slices(t, s, how, width, keys, values, NULL);
    at_cache_write(t, c, stream, keys, 0);
    at_cache_write(t, c, stream + 1, values, 0);
    if (how->score->prepare && !at_failed(t))
        at_cache_write(t, c, stream + 2, all_prepared(t, how, &added), 0);
    return at_memory_cached(t, how, width, c, stream);
}

at_memory at_memory_cached(at_tape *t, const at_how *how, int width, const at_cache *c, int stream)
{
    at_memory m = {.width = width, .lengths = at_cache_lengths(c)};
    if (at_is_fused(how)) {
        m.cache = c;
        m.stream = stream;
        return m;
    }
    m.keys = at_cache_gather(t, c, stream);
    m.values = at_cache_gather(t, c, stream + 1);
    m.prepared = how->score->prepare ? at_cache_gather(t, c, stream + 2) : NULL;
    return at_failed(t) ? m : at_memory_heads(t, how, m);
}
