#include "grad/tape_inside.h"

#include <assert.h>
#include <string.h>

at_tape *at_tape_new(at_params *params, at_mode mode)
{
    at_tape *t = at_alloc_zero(1, sizeof *t);
    if (!t)
        return NULL;
    t->params = params;
    t->mode = mode;
    at_arena_init(&t->memory, 1 << 20);
    at_arena_init(&t->kept, 1 << 16);
    at_arena_init(&t->panels, 1 << 16);
    at_arena_init(&t->brief, 1 << 16);
    return t;
}

void at_tape_free(at_tape *t)
{
    if (!t)
        return;
    at_arena_free(&t->memory);
    at_arena_free(&t->kept);
    at_arena_free(&t->panels);
    at_arena_free(&t->brief);
    at_free(t->leaves);
    at_free(t->weights);
    at_free(t);
}

/* A step on numbers that have changed would be a step of no model. */
static void check_params(at_tape *t)
{
    attend_error err;
    if (t->params && at_params_check_unchanged(t->params, &err) < 0)
        at_fail_with(t, &err);
}

void at_tape_reset(at_tape *t)
{
    at_arena_reset(&t->memory);
    t->last = NULL;
    t->gone_back = false;
    t->bound = NULL;
    if (t->leaves)
        memset(t->leaves, 0, (size_t)t->leaf_count * sizeof *t->leaves);
    at_arena_reset(&t->kept);
    at_arena_reset(&t->panels);
    if (t->weights)
        memset(t->weights, 0, (size_t)t->leaf_count * sizeof *t->weights);
    t->random.use = 0;
    t->failed = false;
    if (t->mode == ATTEND_INFER)
        check_params(t);
}

at_mode at_tape_mode(const at_tape *t) { return t->mode; }
void at_tape_set_mode(at_tape *t, at_mode mode) { t->mode = mode; }
at_params *at_tape_params(at_tape *t) { return t->params; }

size_t at_tape_bytes(const at_tape *t)
{
    return at_arena_size(&t->memory) + at_arena_size(&t->kept) + at_arena_size(&t->panels)
           + at_arena_size(&t->brief);
}

size_t at_tape_used(const at_tape *t)
{
    return at_arena_used(&t->memory) + at_arena_used(&t->kept) + at_arena_used(&t->panels)
           + at_arena_size(&t->brief);
}

void at_tape_keep_values(at_tape *t) { t->keeps_values = true; }

void at_tape_dry(at_tape *t) { t->dry = true; }
bool at_tape_is_dry(const at_tape *t) { return t->dry; }

static real *reals_of(at_tape *t, at_arena *arena, size_t len)
{
    size_t bytes;
    real *memory = at_size_multiply(len, sizeof(real), &bytes) ? at_arena_alloc(arena, bytes)
                                                               : NULL;
    if (!memory)
        at_fail_memory(t);
    return memory;
}

real *at_tape_keep(at_tape *t, size_t len)
{
    real *memory = t->gone_back ? at_spare_take(t, len) : NULL;
    return memory ? memory : reals_of(t, &t->panels, len);
}

at_mark at_tape_mark(at_tape *t)
{
    return (at_mark){.memory = at_arena_mark_here(&t->memory), .bound = t->bound};
}

void at_tape_release(at_tape *t, at_mark m, at_tensor **keep, int n)
{
    enum { MAX_KEPT = 8 };
    at_arena_piece piece[MAX_KEPT] = {0};
    at_tensor copy[MAX_KEPT];
    if (t->failed || t->mode != ATTEND_INFER)
        return;
    assert(n <= MAX_KEPT);
    for (int i = 0; i < n; i++)
        if (keep[i]) {
            copy[i] = *keep[i];
            piece[i] = (at_arena_piece){copy[i].value, copy[i].len * sizeof(real), NULL};
        }
    t->bound = m.bound;
    if (!at_arena_keep(&t->memory, m.memory, n, piece))
        at_fail_memory(t);
    for (int i = 0; i < n; i++)
        if (keep[i] && !copy[i].weight) /* parameters do not live in this memory */
            keep[i] = t->failed ? &t->poison
                                : at_wrap(t, copy[i].shape, copy[i].len, piece[i].moved);
}

void at_tape_seed(at_tape *t, uint64_t seed, uint32_t step, uint32_t first_sentence)
{
    t->random = (at_random){.seed = seed, .step = step, .sentence = first_sentence};
}

at_random at_tape_random(at_tape *t)
{
    at_random key = t->random;
    t->random.use++;
    return key;
}

/* ---- errors ----------------------------------------------------------------------------- */

at_tensor *at_poison(at_tape *t) { return &t->poison; }
bool at_failed(const at_tape *t) { return t->failed; }
const attend_error *at_tape_error(const at_tape *t) { return t->failed ? &t->error : NULL; }

attend_status at_tape_status(const at_tape *t, attend_error *err)
{
    return t->failed ? at_error(err, t->error.status, "%s", t->error.message) : ATTEND_OK;
}

at_tensor *at_fail(at_tape *t, const char *format, ...)
{
    if (!t->failed) {
        va_list args;
        va_start(args, format);
        at_error_v(&t->error, ATTEND_SHAPE, format, args);
        va_end(args);
        t->failed = true;
    }
    return &t->poison;
}

at_tensor *at_fail_with(at_tape *t, const attend_error *err)
{
    if (!t->failed) {
        t->error = *err;
        t->failed = true;
    }
    return &t->poison;
}

at_tensor *at_fail_memory(at_tape *t)
{
    attend_error err;
    at_error_memory(&err);
    return at_fail_with(t, &err);
}

/* ---- tensors ---------------------------------------------------------------------------- */

void *at_scratch(at_tape *t, size_t bytes)
{
    void *memory = at_arena_alloc(&t->memory, bytes);
    if (!memory)
        at_fail_memory(t);
    return memory;
}

real *at_scratch_reals(at_tape *t, size_t len) { return reals_of(t, &t->memory, len); }
real *at_brief_reals(at_tape *t, size_t len) { return reals_of(t, &t->brief, len); }

void at_scratch_release(at_tape *t, at_mark m) { at_arena_release(&t->memory, m.memory); }

at_tensor *at_wrap(at_tape *t, at_shape shape, size_t len, real *value)
{
    at_tensor *x = at_arena_alloc_small(&t->memory, sizeof *x);
    if (!x)
        return at_fail_memory(t);
    *x = (at_tensor){.shape = shape, .len = len, .value = value};
    return x;
}

at_tensor *at_new(at_tape *t, at_shape shape)
{
    if (t->failed)
        return &t->poison;
    size_t len;
    if (!at_shape_len(shape, &len))
        return at_fail(t, "a tensor cannot have shape %s", at_shape_print(shape).text);
    real *value = at_scratch_reals(t, len);
    return value ? at_wrap(t, shape, len, value) : &t->poison;
}

at_tensor *at_input(at_tape *t, at_shape shape, const real *data)
{
    at_tensor *x = at_new(t, shape);
    if (!t->failed && x->len)
        memcpy(x->value, data, x->len * sizeof *data);
    return x;
}

at_tensor *at_zeros(at_tape *t, at_shape shape)
{
    at_tensor *x = at_new(t, shape);
    if (!t->failed && x->len)
        memset(x->value, 0, x->len * sizeof *x->value);
    return x;
}

at_tensor *at_variable(at_tape *t, at_shape shape, const real *data)
{
    at_tensor *x = at_input(t, shape, data);
    if (!t->failed)
        x->wants_grad = t->mode != ATTEND_INFER;
    return x;
}
