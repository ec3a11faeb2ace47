#include "train/gradients.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "tensor/vector.h"

enum { CHUNK = 8 * ATTEND_GRADIENT_BLOCK, CHUNKS_A_THREAD = 2 };

/* one summand of every parameter's gradient */
typedef struct {
    const real **part; /* by parameter; NULL where it has none */
    int count, capacity;
    real weight;
} source;

struct at_gradients {
    at_params *params;
    source *sources; /* the first is the kept sum */
    int count, capacity;
    real **kept; /* memory of the kept sum, by parameter */
    int kept_capacity;
    double scale;

    /* derived from the sources: which parameters have a gradient, and their chunks */
    int *active;
    ptrdiff_t *first_chunk; /* of each active one; one more at the end */
    int active_count, active_capacity, first_capacity;
    double *partial;
    int partial_capacity;
};

/* ---- memory ----------------------------------------------------------------------------- */

/* Makes room for `wanted` items in the array that *pointer points to; new ones are all zero. */
static bool grow(void *pointer, int *capacity, ptrdiff_t wanted, size_t size)
{
    size_t room = (size_t)wanted + (size_t)wanted / 2;
    void *old, *more;
    if (wanted <= *capacity)
        return true;
    if (room > INT32_MAX || !(more = at_alloc_zero(room, size)))
        return false;
    memcpy(&old, pointer, sizeof old); /* whatever the type it points to */
    if (old)
        memcpy(more, old, (size_t)*capacity * size);
    at_free(old);
    memcpy(pointer, &more, sizeof more);
    *capacity = (int)room;
    return true;
}

at_gradients *at_gradients_new(at_params *params)
{
    at_gradients *g = at_alloc_zero(1, sizeof *g);
    if (!g)
        return NULL;
    g->params = params;
    at_gradients_clear(g);
    return g;
}

void at_gradients_free(at_gradients *g)
{
    if (!g)
        return;
    for (int i = 0; i < g->capacity; i++)
        at_free(g->sources[i].part);
    for (int i = 0; i < g->kept_capacity; i++)
        at_free(g->kept[i]);
    at_free(g->sources);
    at_free(g->kept);
    at_free(g->active);
    at_free(g->first_chunk);
    at_free(g->partial);
    at_free(g);
}

/* ---- the sum ---------------------------------------------------------------------------- */

static const real *part(const source *s, int index)
{
    return index < s->count ? s->part[index] : NULL;
}

static bool has_gradient(const at_gradients *g, int index)
{
    for (int s = 0; s < g->count; s++)
        if (part(&g->sources[s], index))
            return true;
    return false;
}

static ptrdiff_t chunks_of(const at_gradients *g, int index)
{
    return (ptrdiff_t)((at_params_at(g->params, index)->len + CHUNK - 1) / CHUNK);
}

/* room for all that a survey may find */
static bool prepare_survey(at_gradients *g)
{
    int count = at_params_count(g->params);
    ptrdiff_t chunks = 0;
    for (int i = 0; i < count; i++)
        chunks += chunks_of(g, i);
    return grow(&g->active, &g->active_capacity, count, sizeof *g->active)
           && grow(&g->first_chunk, &g->first_capacity, count + 1, sizeof *g->first_chunk)
           && grow(&g->partial, &g->partial_capacity, chunks, sizeof *g->partial);
}

/* which parameters have a gradient now, and how they are cut */
static void survey(at_gradients *g)
{
    ptrdiff_t chunks = 0;
    g->active_count = 0;
    for (int i = 0; i < at_params_count(g->params); i++) {
        if (!has_gradient(g, i))
            continue;
        g->active[g->active_count] = i;
        g->first_chunk[g->active_count++] = chunks;
        chunks += chunks_of(g, i);
    }
    g->first_chunk[g->active_count] = chunks;
}

/* A source more, empty, with room for every parameter; the first one is the kept sum. */
static source *next_source(at_gradients *g)
{
    int wanted = g->count ? g->count + 1 : 2, count = at_params_count(g->params);
    if (!grow(&g->sources, &g->capacity, wanted, sizeof *g->sources))
        return NULL;
    source *s = &g->sources[wanted - 1];
    if (!grow(&s->part, &s->capacity, count, sizeof *s->part) || !prepare_survey(g))
        return NULL;
    if (g->count == 0)
        g->sources[0].count = 0;
    s->count = count;
    return s;
}

/* counts the source in, now that nothing can fail any more */
static attend_status finish_source(at_gradients *g, source *s, double weight)
{
    s->weight = (real)weight;
    g->count = (int)(s - g->sources) + 1;
    survey(g);
    return ATTEND_OK;
}

attend_status at_gradients_add(at_gradients *g, at_tape *tape, double weight, attend_error *err)
{
    attend_status status = at_tape_status(tape, err);
    if (status < 0)
        return status;
    if (at_tape_params(tape) != g->params)
        return at_error(err, ATTEND_SHAPE, "the tape's gradients belong to other parameters");
    source *s = next_source(g);
    if (!s)
        return at_error_memory(err);
    for (int i = 0; i < s->count; i++)
        s->part[i] = at_params_at(g->params, i)->frozen ? NULL : at_param_grad(tape, i);
    return finish_source(g, s, weight);
}

attend_status at_gradients_add_arrays(at_gradients *g, const real *const *gradient, double weight,
                                      attend_error *err)
{
    source *s = next_source(g);
    if (!s)
        return at_error_memory(err);
    for (int i = 0; i < s->count; i++)
        s->part[i] = at_params_at(g->params, i)->frozen ? NULL : gradient[i];
    return finish_source(g, s, weight);
}

void at_gradients_clear(at_gradients *g)
{
    g->count = 0;
    g->active_count = 0;
    g->scale = 1;
}

void at_gradients_scale(at_gradients *g, double factor) { g->scale *= factor; }
at_params *at_gradients_params(const at_gradients *g) { return g->params; }
int at_gradients_count(const at_gradients *g) { return g->active_count; }
int at_gradients_index(const at_gradients *g, int i) { return g->active[i]; }
double *at_gradients_partial(at_gradients *g) { return g->partial; }

ptrdiff_t at_gradients_chunks(const at_gradients *g)
{
    return g->active_count ? g->first_chunk[g->active_count] : 0;
}

/* buffer = sum + weight x; sum may be buffer itself */
static void add_part(const at_vector_kernel *k, size_t n, const real *sum, real weight,
                     const real *x, real *buffer)
{
    if (sum != buffer && weight == 1) {
        k->add(n, sum, x, buffer);
        return;
    }
    if (sum != buffer)
        memcpy(buffer, sum, n * sizeof *buffer);
    k->axpy(n, weight, x, 1, buffer);
}

/* the sum before scaling, in place or in buffer */
static const real *sum_block(const at_gradients *g, int index, size_t offset, size_t n,
                             real *buffer)
{
    const at_vector_kernel *k = at_vector();
    const real *sum = NULL;
    for (int s = 0; s < g->count; s++) {
        const real *x = part(&g->sources[s], index);
        real weight = g->sources[s].weight;
        if (!x)
            continue;
        if (!sum && weight == 1) {
            sum = x + offset;
            continue;
        }
        if (!sum)
            k->axpy(n, weight, x + offset, 0, buffer);
        else
            add_part(k, n, sum, weight, x + offset, buffer);
        sum = buffer;
    }
    return sum;
}

/* the one source of a parameter's gradient, or NULL where there are several */
static const source *only_source(const at_gradients *g, int index)
{
    const source *only = NULL;
    for (int s = 0; s < g->count; s++)
        if (part(&g->sources[s], index)) {
            if (only)
                return NULL;
            only = &g->sources[s];
        }
    return only;
}

const real *at_gradients_block(const at_gradients *g, int index, size_t offset, size_t n,
                               real *buffer)
{
    const source *only = only_source(g, index);
    return only ? only->part[index] + offset : sum_block(g, index, offset, n, buffer);
}

double at_gradients_factor(const at_gradients *g, int index)
{
    const source *only = only_source(g, index);
    return only ? g->scale * (double)only->weight : g->scale;
}

bool at_gradients_read(const at_gradients *g, int index, real *out)
{
    if (!has_gradient(g, index))
        return false;
    size_t n = at_params_at(g->params, index)->len;
    const real *sum = at_gradients_block(g, index, 0, n, out);
    at_vector()->axpy(n, (real)at_gradients_factor(g, index), sum, 0, out);
    return true;
}

/* ---- chunks ----------------------------------------------------------------------------- */

typedef struct {
    const at_gradients *g;
    at_gradient_run *run;
    void *arg;
} walk;

/* the place in the list of active parameters that chunk c belongs to */
static int find_active(const at_gradients *g, ptrdiff_t c)
{
    int low = 0, high = g->active_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (g->first_chunk[middle] <= c)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void walk_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const walk *w = arg;
    const at_gradients *g = w->g;
    int i = find_active(g, begin);
    for (ptrdiff_t c = begin; c < end; c++) {
        while (g->first_chunk[i + 1] <= c)
            i++;
        size_t offset = (size_t)(c - g->first_chunk[i]) * CHUNK;
        size_t left = at_params_at(g->params, g->active[i])->len - offset;
        at_gradient_chunk chunk = {g->active[i], offset, left < CHUNK ? left : CHUNK, c};
        w->run(w->arg, &chunk);
    }
}

void at_gradients_each(const at_gradients *g, at_gradient_run *run, void *arg)
{
    walk w = {g, run, arg};
    at_parallel_for(at_gradients_chunks(g), CHUNKS_A_THREAD, walk_part, &w);
}

/* ---- keeping ---------------------------------------------------------------------------- */

static void keep_chunk(void *arg, const at_gradient_chunk *c)
{
    at_gradients *g = arg;
    real *kept = g->kept[c->index] + c->offset;
    const real *sum = sum_block(g, c->index, c->offset, c->len, kept);
    if (sum != kept)
        memcpy(kept, sum, c->len * sizeof *kept);
}

static bool make_kept(at_gradients *g)
{
    int count = at_params_count(g->params);
    source *first = g->sources;
    if (!grow(&g->kept, &g->kept_capacity, count, sizeof *g->kept)
        || !grow(&first->part, &first->capacity, count, sizeof *first->part))
        return false;
    for (int i = 0; i < g->active_count; i++) {
        int index = g->active[i];
        size_t bytes = at_params_at(g->params, index)->len * sizeof(real);
        if (!g->kept[index])
            g->kept[index] = at_alloc(bytes);
        if (!g->kept[index])
            return false;
    }
    return true;
}

attend_status at_gradients_keep(at_gradients *g, attend_error *err)
{
    if (g->active_count == 0)
        return ATTEND_OK;
    if (!make_kept(g))
        return at_error_memory(err);
    at_gradients_each(g, keep_chunk, g);
    source *first = g->sources;
    first->weight = 1;
    first->count = at_params_count(g->params);
    memset(first->part, 0, (size_t)first->count * sizeof *first->part);
    for (int i = 0; i < g->active_count; i++)
        first->part[g->active[i]] = g->kept[g->active[i]];
    g->count = 1;
    return ATTEND_OK;
}
