#include "grad/params.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

struct at_params {
    at_arena memory; /* names, records, values */
    uint64_t seed;
    bool sealed;
    at_parameter **list;
    int count, capacity;
    int *table; /* open addressing: index + 1, or 0 */
    int table_size;
};

at_params *at_params_new(uint64_t seed)
{
    at_params *p = at_alloc_zero(1, sizeof *p);
    if (!p)
        return NULL;
    at_arena_init(&p->memory, 1 << 16);
    p->seed = seed;
    return p;
}

void at_params_free(at_params *p)
{
    if (!p)
        return;
    at_arena_free(&p->memory);
    at_free(p->list);
    at_free(p->table);
    at_free(p);
}

int at_params_count(const at_params *p) { return p->count; }
at_parameter *at_params_at(const at_params *p, int index) { return p->list[index]; }
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
static bool make_room(at_params *p)
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
    at_random place;
} filling;

static void fill_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const filling *f = arg;
    for (ptrdiff_t i = begin; i < end; i++)
        switch (f->how.kind) {
        case ATTEND_INIT_NORMAL:
            f->value[i] = (real)(f->how.scale * at_random_normal(f->place, (uint32_t)i));
            break;
        case ATTEND_INIT_UNIFORM:
            f->value[i] = (real)(f->how.scale * (2 * at_random_uniform(f->place, (uint32_t)i) - 1));
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
                 .place = {.seed = seed, .use = at_random_name(v->name)}};
    at_parallel_for((ptrdiff_t)v->len, 4096, fill_part, &f);
}

attend_status at_params_add(at_params *p, const char *name, at_shape shape, at_init how,
                            at_parameter **out, attend_error *err)
{
    if (p->sealed)
        return at_error(err, ATTEND_FORMAT, "the model has no parameter '%s' %s", name,
                        at_shape_print(shape).text);
    if (at_params_find(p, name))
        return at_error(err, ATTEND_FORMAT, "parameter '%s' exists already", name);
    size_t len, bytes;
    if (!at_shape_len(shape, &len) || !at_size_multiply(len, sizeof(real), &bytes))
        return at_error(err, ATTEND_SHAPE, "parameter '%s' cannot have shape %s", name,
                        at_shape_print(shape).text);
    at_parameter *v = at_arena_alloc_small(&p->memory, sizeof *v);
    char *copy = at_arena_alloc_small(&p->memory, strlen(name) + 1);
    real *value = at_arena_alloc(&p->memory, bytes);
    if (!v || !copy || !value || !make_room(p))
        return at_error_memory(err);
    strcpy(copy, name);
    *v = (at_parameter){
        .name = copy, .shape = shape, .len = len, .value = value, .index = p->count};
    fill(v, how, p->seed);
    *slot(p, copy) = p->count + 1;
    p->list[p->count++] = v;
    *out = v;
    return ATTEND_OK;
}
