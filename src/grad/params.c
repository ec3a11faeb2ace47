#include "grad/params.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

/* a parameter, and what threads that share it find out about it */
typedef struct {
    at_parameter v;
    _Atomic(at_packed *) packed[2]; /* W, W^T */
    atomic_bool multiplied[2];
    _Atomic(real *) reals;
    atomic_bool verified;
} record;

/* what the set frees */
typedef struct owned {
    void *thing;
    at_release *release;
    struct owned *before;
} owned;

/* a lender of the set */
typedef struct lending {
    const at_lender *lender;
    struct lending *before;
} lending;

struct at_params {
    at_arena memory; /* names, records, values */
    at_arena panels; /* packed matrices */
    uint64_t seed;
    bool sealed, shared, outline;
    at_parameter **list;
    int count, capacity;
    int *table; /* open addressing: index + 1, or 0 */
    int table_size;
    owned *owned;
    lending *lending;     /* whose numbers are borrowed: see at_params_check_unchanged */
    pthread_mutex_t lock; /* of the arena, and of packing, once the set is shared */
};

at_params *at_params_new(uint64_t seed)
{
    at_params *p = at_alloc_zero(1, sizeof *p);
    if (!p)
        return NULL;
    at_arena_init(&p->memory, 1 << 16);
    at_arena_init(&p->panels, 1 << 16);
    pthread_mutex_init(&p->lock, NULL); /* cannot fail on Linux */
    p->seed = seed;
    return p;
}

void at_params_free(at_params *p)
{
    if (!p)
        return;
    at_params_unshare(p);
    for (owned *o = p->owned; o; o = o->before)
        o->release(o->thing);
    pthread_mutex_destroy(&p->lock);
    at_arena_free(&p->memory);
    at_free(p->list);
    at_free(p->table);
    at_free(p);
}

int at_params_count(const at_params *p) { return p->count; }
at_parameter *at_params_at(const at_params *p, int index) { return p->list[index]; }
void at_params_outline(at_params *p) { p->outline = true; }
void at_params_seal(at_params *p) { p->sealed = true; }

size_t at_params_len(const at_params *p)
{
    size_t len = 0;
    for (int i = 0; i < p->count; i++)
        len += p->list[i]->len;
    return len;
}

/* the slot of name, or the empty slot where it belongs */
static int *slot(const at_params *p, const char *name)
{
    unsigned i = at_random_name(name);
    for (;; i++) {
        int *s = &p->table[i & (unsigned)(p->table_size - 1)];
        if (*s == 0 || strcmp(p->list[*s - 1]->name, name) == 0)
            return s;
    }
}

at_parameter *at_params_find(const at_params *p, const char *name)
{
    int *s = p->table ? slot(p, name) : NULL;
    return s && *s ? p->list[*s - 1] : NULL;
}

/* room for one more in the list, and a table at most half full */
static bool reserve(at_params *p)
{
    if (p->count < p->capacity)
        return true;
    int capacity = p->capacity ? 2 * p->capacity : 64;
    at_parameter **list = at_alloc((size_t)capacity * sizeof *list);
    int *table = at_alloc_zero(2 * (size_t)capacity, sizeof *table);
    if (!list || !table) {
        at_free(list);
        at_free(table);
        return false;
    }
    if (p->count)
        memcpy(list, p->list, (size_t)p->count * sizeof *list);
    at_free(p->list);
    at_free(p->table);
    p->list = list;
    p->capacity = capacity;
    p->table = table;
    p->table_size = 2 * capacity;
    for (int i = 0; i < p->count; i++)
        *slot(p, p->list[i]->name) = i + 1;
    return true;
}

/* ---- initial values --------------------------------------------------------------------- */

typedef struct {
    real *value;
    int columns;
    at_init how;
    at_random key;
} filling;

static void fill_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const filling *f = arg;
    for (ptrdiff_t i = begin; i < end; i++)
        switch (f->how.kind) {
        case ATTEND_INIT_NORMAL:
            f->value[i] = (real)(f->how.scale * at_random_normal(f->key, (uint32_t)i));
            break;
        case ATTEND_INIT_UNIFORM:
            f->value[i] = (real)(f->how.scale * (2 * at_random_uniform(f->key, (uint32_t)i) - 1));
            break;
        case ATTEND_INIT_IDENTITY: f->value[i] = i / f->columns == i % f->columns; break;
        default: f->value[i] = f->how.scale;
        }
}

static void fill(at_parameter *v, at_init how, uint64_t seed)
{
    if (how.kind == ATTEND_INIT_NOT)
        return;
    if (how.kind == ATTEND_INIT_GLOROT) {
        int rows = v->shape.rank > 1 ? v->shape.dim[0] : 1;
        double both = rows + (double)v->len / (rows ? rows : 1);
        how = INIT_UNIFORM((real)sqrt(6 / both));
    }
    filling f = {.value = v->value,
                 .columns = at_shape_last(v->shape),
                 .how = how,
                 .key = {.seed = seed, .use = at_random_name(v->name)}};
    at_parallel_for((ptrdiff_t)v->len, 4096, fill_part, &f);
}

/* a record without values, in the list */
static attend_status add(at_params *p, const char *name, at_shape shape, size_t *bytes,
                         at_parameter **out, attend_error *err)
{
    if (p->sealed)
        return at_error(err, ATTEND_FORMAT, "the model has no parameter '%s' %s", name,
                        at_shape_print(shape).text);
    if (at_params_find(p, name))
        return at_error(err, ATTEND_FORMAT, "parameter '%s' exists already", name);
    size_t len;
    if (!at_shape_len(shape, &len) || !at_size_multiply(len, sizeof(real), bytes))
        return at_error(err, ATTEND_SHAPE, "parameter '%s' cannot have shape %s", name,
                        at_shape_print(shape).text);
    record *r = at_arena_alloc_small(&p->memory, sizeof *r);
    char *copy = at_arena_alloc_small(&p->memory, strlen(name) + 1);
    if (!r || !copy || !reserve(p))
        return at_error_memory(err);
    strcpy(copy, name);
    *r = (record){.v = {.name = copy, .shape = shape, .len = len, .index = p->count}};
    *out = &r->v;
    return ATTEND_OK;
}

static void enter(at_params *p, at_parameter *v)
{
    *slot(p, v->name) = p->count + 1;
    p->list[p->count++] = v;
}

attend_status at_params_add(at_params *p, const char *name, at_shape shape, at_init how,
                            at_parameter **out, attend_error *err)
{
    size_t bytes;
    at_parameter *v;
    attend_status status = add(p, name, shape, &bytes, &v, err);
    if (status < 0)
        return status;
    if (!p->outline) {
        v->data = v->value = at_arena_alloc(&p->memory, bytes);
        if (!v->value)
            return at_error_memory(err);
        fill(v, how, p->seed);
    }
    enter(p, v);
    *out = v;
    return ATTEND_OK;
}

/* ---- borrowed values ------------------------------------------------------------------------ */

/* can the numbers be used where they lie? */
static bool usable(at_element type, const void *data)
{
    size_t size = at_element_size(type);
    return (uintptr_t)data % size == 0 && sizeof(real) == sizeof(float);
}

static attend_status copy_in(at_params *p, at_parameter *v, attend_error *err)
{
    attend_status status = at_parameter_verify(v, err);
    real *value = status < 0 ? NULL : at_arena_alloc(&p->memory, v->len * sizeof *value);
    if (!value)
        return status < 0 ? status : at_error_memory(err);
    at_element_widen(v->type, v->len, v->data, value);
    v->data = v->value = value;
    v->type = ATTEND_ELEMENT_REAL;
    v->lender = NULL;
    return ATTEND_OK;
}

/* false without memory */
static bool remember(at_params *p, const at_lender *lender)
{
    for (const lending *l = p->lending; l; l = l->before)
        if (l->lender == lender)
            return true;
    lending *l = at_arena_alloc_small(&p->memory, sizeof *l);
    if (!l)
        return false;
    *l = (lending){lender, p->lending};
    p->lending = l;
    return true;
}

attend_status at_params_borrow(at_params *p, const char *name, at_shape shape, at_element type,
                               const void *data, const at_lender *lender, attend_error *err)
{
    size_t bytes;
    at_parameter *v;
    attend_status status = add(p, name, shape, &bytes, &v, err);
    if (status < 0)
        return status;
    v->type = type;
    v->data = data;
    v->lender = lender;
    if (!remember(p, lender))
        return at_error_memory(err);
    if (!usable(type, data))
        status = copy_in(p, v, err);
    else if (type == ATTEND_ELEMENT_REAL)
        v->value = (real *)data;
    if (status >= 0)
        enter(p, v);
    return status;
}

attend_status at_params_take(at_params *p, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_params_unshare(p);
    for (int i = 0; i < p->count && status >= 0; i++)
        if (p->list[i]->lender)
            status = copy_in(p, p->list[i], err);
    if (status >= 0)
        status = at_params_check_unchanged(p, err);
    p->lending = NULL;
    return status;
}

attend_status at_params_own(at_params *p, void *thing, at_release *release, attend_error *err)
{
    owned *o = at_arena_alloc_small(&p->memory, sizeof *o);
    if (!o)
        return at_error_memory(err);
    *o = (owned){thing, release, p->owned};
    p->owned = o;
    return ATTEND_OK;
}

attend_status at_params_check_unchanged(const at_params *p, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (const lending *l = p->lending; l && status >= 0; l = l->before)
        if (l->lender->unchanged)
            status = l->lender->unchanged(l->lender->user, err);
    return status;
}

attend_status at_parameter_verify(at_parameter *v, attend_error *err)
{
    record *r = (record *)v;
    if (!v->lender || !v->lender->verify || atomic_load(&r->verified))
        return ATTEND_OK;
    attend_status status = v->lender->verify(v->lender->user, v, err);
    if (status >= 0)
        atomic_store(&r->verified, true);
    return status;
}

real *at_parameter_reals(at_params *p, at_parameter *v)
{
    record *r = (record *)v;
    if (v->value)
        return v->value;
    real *reals = atomic_load(&r->reals);
    if (reals)
        return reals;
    pthread_mutex_lock(&p->lock);
    reals = atomic_load(&r->reals);
    if (!reals && (reals = at_arena_alloc(&p->memory, v->len * sizeof *reals))) {
        if (v->data)
            at_element_widen(v->type, v->len, v->data, reals);
        else /* of an outline */
            memset(reals, 0, v->len * sizeof *reals);
        atomic_store(&r->reals, reals);
    }
    pthread_mutex_unlock(&p->lock);
    return reals;
}

/* ---- shared values -------------------------------------------------------------------------- */

void at_params_share(at_params *p) { p->shared = true; }
bool at_params_shared(const at_params *p) { return p && p->shared; }

void at_params_unshare(at_params *p)
{
    p->shared = false;
    for (int i = 0; i < p->count; i++) {
        record *r = (record *)p->list[i];
        for (int turned = 0; turned < 2; turned++) {
            atomic_store(&r->packed[turned], NULL);
            atomic_store(&r->multiplied[turned], false);
        }
    }
    at_arena_free(&p->panels);
}

/* NULL without memory */
static at_packed *pack(at_arena *memory, const at_parameter *v, bool turned)
{
    at_shape shape = at_shape_matrix(v->shape);
    int n = shape.dim[turned ? 0 : 1], k = shape.dim[turned ? 1 : 0];
    at_packed *packed = at_arena_alloc_small(memory, sizeof *packed);
    real *panels = at_arena_alloc(memory, at_pack_len(n, k, false) * sizeof *panels);
    if (!packed || !panels)
        return NULL;
    *packed = at_pack(n, k, (at_matrix){v->value, shape.dim[1], turned}, false, panels);
    return packed;
}

const at_packed *at_parameter_packed(at_params *p, at_parameter *v, bool turned, at_pack_when when)
{
    record *r = (record *)v;
    at_packed *packed = atomic_load(&r->packed[turned]);
    if (packed || !p->shared || v->type != ATTEND_ELEMENT_REAL || v->shape.rank < 2)
        return packed;
    bool first = !atomic_exchange(&r->multiplied[turned], true);
    if (when == ATTEND_PACK_NOT || (when == ATTEND_PACK_SECOND && first))
        return NULL;
    pthread_mutex_lock(&p->lock);
    packed = atomic_load(&r->packed[turned]);
    if (!packed && (packed = pack(&p->panels, v, turned))) {
        atomic_store(&r->packed[turned], packed);
        if (v->lender && v->lender->retire)
            v->lender->retire(v->lender->user, v);
    }
    pthread_mutex_unlock(&p->lock);
    return packed;
}

size_t at_params_bytes(const at_params *p)
{
    return at_arena_used(&p->memory) + at_arena_used(&p->panels);
}
