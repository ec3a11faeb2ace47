/* Parameters as tensors of a step, by their names, and their gradients. */
#include <stdio.h>
#include <string.h>

#include "grad/ops.h"
#include "grad/tape_inside.h"
#include "tensor/vector.h"

at_path at_root(void) { return (at_path){.text = ""}; }

at_path at_in(at_path p, const char *format, ...)
{
    size_t used = strlen(p.text);
    if (used && used + 1 < sizeof p.text)
        p.text[used++] = '.';
    va_list args;
    va_start(args, format);
    int more = vsnprintf(p.text + used, sizeof p.text - used, format, args);
    va_end(args);
    p.too_long |= more < 0 || used + (size_t)more >= sizeof p.text;
    return p;
}

/* room for the leaves of all parameters there are */
static bool reserve_leaf(at_tape *t)
{
    int count = at_params_count(t->params);
    if (count <= t->leaf_count)
        return true;
    int capacity = count < 64 ? 64 : 2 * count;
    at_tensor **leaves = at_alloc_zero((size_t)capacity, sizeof *leaves);
    at_weight **weights = at_alloc_zero((size_t)capacity, sizeof *weights);
    if (!leaves || !weights) {
        at_free(leaves);
        at_free(weights);
        return false;
    }
    if (t->leaf_count) {
        memcpy(leaves, t->leaves, (size_t)t->leaf_count * sizeof *leaves);
        memcpy(weights, t->weights, (size_t)t->leaf_count * sizeof *weights);
    }
    at_free(t->leaves);
    at_free(t->weights);
    t->leaves = leaves;
    t->weights = weights;
    t->leaf_count = capacity;
    return true;
}

static at_weight *weight_of(at_tape *t, at_parameter *v)
{
    at_weight **w = &t->weights[v->index];
    if (!*w && (*w = at_arena_alloc_small(&t->kept, sizeof **w)))
        **w = (at_weight){.parameter = v};
    return *w;
}

static at_tensor *new_leaf(at_tape *t, at_parameter *v, bool matrix)
{
    attend_error err;
    if (!t->dry && at_parameter_verify(v, &err) < 0)
        return at_fail_with(t, &err);
    at_shape shape = matrix ? at_shape_matrix(v->shape) : v->shape;
    if (shape.rank == 2 && !weight_of(t, v))
        return at_fail_memory(t);
    at_tensor *x = at_arena_alloc_small(&t->kept, sizeof *x);
    if (!x)
        return at_fail_memory(t);
    *x = (at_tensor){.shape = shape,
                     .len = v->len,
                     .value = v->value,
                     .wants_grad = t->mode != ATTEND_INFER && !v->frozen,
                     .weight = t->weights[v->index]};
    return t->leaves[v->index] = x;
}

/* x, which may have been asked for as a matrix and not, in the shape of this time */
static at_tensor *as_asked(at_tape *t, at_tensor *x, at_shape shape)
{
    return t->failed || at_shape_equal(x->shape, shape) ? x : at_reshape(t, x, shape);
}

/* the leaf of v; its numbers as reals unless it is a `matrix` */
static at_tensor *leaf(at_tape *t, at_parameter *v, bool matrix)
{
    if (!reserve_leaf(t))
        return at_fail_memory(t);
    at_tensor *x = t->leaves[v->index];
    if (!x)
        x = new_leaf(t, v, matrix);
    if (!t->failed && !x->value && !matrix && !(x->value = at_parameter_reals(t->params, v)))
        return at_fail_memory(t);
    return as_asked(t, x, matrix ? at_shape_matrix(v->shape) : v->shape);
}

void at_tape_bind(at_tape *t, const char *name, at_tensor *x)
{
    at_binding *b = at_arena_alloc_small(&t->memory, sizeof *b);
    if (!b) {
        at_fail_memory(t);
        return;
    }
    *b = (at_binding){name, x, t->bound};
    t->bound = b;
}

/* the tensor bound to a name, or NULL */
static at_tensor *bound(const at_tape *t, const char *name)
{
    for (const at_binding *b = t->bound; b; b = b->before)
        if (strcmp(b->name, name) == 0)
            return b->tensor;
    return NULL;
}

static at_tensor *wrong_shape(at_tape *t, const char *name, at_shape has, at_shape shape)
{
    return at_fail(t, "parameter '%s' has shape %s, but %s is needed here", name,
                   at_shape_print(has).text, at_shape_print(shape).text);
}

static at_tensor *find(at_tape *t, at_path p, const char *name, at_shape shape, at_init how,
                       bool matrix)
{
    if (t->failed)
        return &t->poison;
    at_path full = at_in(p, "%s", name);
    if (full.too_long)
        return at_fail(t, "parameter name '%s...' is too long", full.text);
    at_tensor *given = bound(t, full.text);
    if (given)
        return at_shape_equal(given->shape, shape)
                   ? as_asked(t, given, matrix ? at_shape_matrix(shape) : shape)
                   : wrong_shape(t, full.text, given->shape, shape);
    at_parameter *v = at_params_find(t->params, full.text);
    attend_error err;
    if (!v && at_params_add(t->params, full.text, shape, how, &v, &err) < 0)
        return at_fail_with(t, &err);
    if (!at_shape_equal(v->shape, shape))
        return wrong_shape(t, full.text, v->shape, shape);
    return leaf(t, v, matrix);
}

at_tensor *at_param(at_tape *t, at_path p, const char *name, at_shape shape, at_init how)
{
    return find(t, p, name, shape, how, false);
}

at_tensor *at_param_matrix(at_tape *t, at_path p, const char *name, at_shape shape, at_init how)
{
    return find(t, p, name, shape, how, true);
}

bool at_param_used(const at_tape *t, int index)
{
    return index < t->leaf_count && t->leaves[index];
}

real *at_param_grad(at_tape *t, int index)
{
    at_tensor *x = index < t->leaf_count ? t->leaves[index] : NULL;
    return x ? x->grad : NULL;
}
