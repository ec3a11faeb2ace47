#include "grad/tape.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "grad/weight.h"
#include "tensor/vector.h"

/* a name that stands for a tensor of the step */
typedef struct binding {
    const char *name;
    at_tensor *tensor;
    struct binding *before;
} binding;

enum { MOST_SPARE = 64 };

struct at_tape {
    at_params *params;
    at_mode mode;
    at_arena memory;
    at_node *last;
    at_tensor **leaves;  /* of the parameters used in this step, by index */
    at_weight **weights; /* of the parameters, by index */
    int leaf_count;
    at_arena kept, panels; /* of the weights, and packed: until the reset, or as long as the tape */
    at_arena brief;        /* of one op's backward */
    struct {
        real *memory;
        size_t len;
    } spare[MOST_SPARE]; /* gradients that nobody needs any more, while going back */
    int spares;
    bool keeps;
    binding *bound;
    at_random random;
    bool failed;
    attend_error error;
    at_tensor poison;
    at_watch *watch;
    void *watch_user;
};

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

void at_tape_reset(at_tape *t)
{
    at_arena_reset(&t->memory);
    t->last = NULL;
    t->bound = NULL;
    if (t->leaves)
        memset(t->leaves, 0, (size_t)t->leaf_count * sizeof *t->leaves);
    if (!t->keeps) {
        at_arena_reset(&t->kept);
        at_arena_reset(&t->panels);
        if (t->weights)
            memset(t->weights, 0, (size_t)t->leaf_count * sizeof *t->weights);
    }
    t->random.use = 0;
    t->failed = false;
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

void at_tape_keep_weights(at_tape *t) { t->keeps = true; }

static real *reals_of(at_tape *t, at_arena *arena, size_t len)
{
    size_t bytes;
    real *memory = at_size_multiply(len, sizeof(real), &bytes) ? at_arena_alloc(arena, bytes)
                                                               : NULL;
    if (!memory)
        at_fail_memory(t);
    return memory;
}

real *at_tape_keep(at_tape *t, size_t len) { return reals_of(t, &t->panels, len); }

at_mark at_tape_mark(at_tape *t)
{
    return (at_mark){.memory = at_arena_mark_here(&t->memory), .last = t->last};
}

/* parameters first used since the mark lose their tensors too: they will be made again */
void at_tape_release(at_tape *t, at_mark m)
{
    at_arena_release(&t->memory, m.memory);
    t->last = m.last;
    if (t->leaves)
        memset(t->leaves, 0, (size_t)t->leaf_count * sizeof *t->leaves);
}

void at_tape_seed(at_tape *t, uint64_t seed, uint32_t step, uint32_t first_sentence)
{
    t->random = (at_random){.seed = seed, .step = step, .sentence = first_sentence};
}

at_random at_tape_random(at_tape *t)
{
    at_random place = t->random;
    t->random.use++;
    return place;
}

/* ---- errors ----------------------------------------------------------------------------- */

at_tensor *at_poison(at_tape *t) { return &t->poison; }
bool at_failed(const at_tape *t) { return t->failed; }
const attend_error *at_tape_error(const at_tape *t) { return t->failed ? &t->error : NULL; }

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

/* a tensor around memory that somebody else owns */
static at_tensor *wrap(at_tape *t, at_shape shape, size_t len, real *value)
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
    return value ? wrap(t, shape, len, value) : &t->poison;
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

/* ---- parameters ------------------------------------------------------------------------- */

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
static bool make_leaf_room(at_tape *t)
{
    int count = at_params_count(t->params);
    if (count <= t->leaf_count)
        return true;
    int room = count < 64 ? 64 : 2 * count;
    at_tensor **leaves = at_alloc_zero((size_t)room, sizeof *leaves);
    at_weight **weights = at_alloc_zero((size_t)room, sizeof *weights);
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
    t->leaf_count = room;
    return true;
}

static at_weight *weight_of(at_tape *t, const at_parameter *v)
{
    at_weight **w = &t->weights[v->index];
    if (!*w && (*w = at_arena_alloc_small(&t->kept, sizeof **w)))
        **w = (at_weight){.rows = 0};
    return *w;
}

static at_tensor *leaf(at_tape *t, at_parameter *v)
{
    if (!make_leaf_room(t) || (v->shape.rank == 2 && !weight_of(t, v)))
        return at_fail_memory(t);
    at_tensor **place = &t->leaves[v->index];
    if (!*place) {
        at_tensor *x = wrap(t, v->shape, v->len, v->value);
        if (t->failed)
            return x;
        x->wants_grad = t->mode != ATTEND_INFER && !v->frozen;
        x->weight = t->weights[v->index];
        *place = x;
    }
    return *place;
}

void at_tape_bind(at_tape *t, const char *name, at_tensor *x)
{
    binding *b = at_arena_alloc_small(&t->memory, sizeof *b);
    if (!b) {
        at_fail_memory(t);
        return;
    }
    *b = (binding){name, x, t->bound};
    t->bound = b;
}

/* the tensor bound to a name, or NULL */
static at_tensor *bound(const at_tape *t, const char *name)
{
    for (const binding *b = t->bound; b; b = b->before)
        if (strcmp(b->name, name) == 0)
            return b->tensor;
    return NULL;
}

static at_tensor *wrong_shape(at_tape *t, const char *name, at_shape has, at_shape shape)
{
    return at_fail(t, "parameter '%s' has shape %s, but %s is needed here", name,
                   at_shape_print(has).text, at_shape_print(shape).text);
}

at_tensor *at_param(at_tape *t, at_path p, const char *name, at_shape shape, at_init how)
{
    if (t->failed)
        return &t->poison;
    at_path full = at_in(p, "%s", name);
    if (full.too_long)
        return at_fail(t, "parameter name '%s...' is too long", full.text);
    at_tensor *given = bound(t, full.text);
    if (given)
        return at_shape_equal(given->shape, shape) ? given
                                                   : wrong_shape(t, full.text, given->shape, shape);
    at_parameter *v = at_params_find(t->params, full.text);
    attend_error err;
    if (!v && at_params_add(t->params, full.text, shape, how, &v, &err) < 0)
        return at_fail_with(t, &err);
    if (!at_shape_equal(v->shape, shape))
        return wrong_shape(t, full.text, v->shape, shape);
    return leaf(t, v);
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

bool at_grads_add(at_tape *to, at_tape *from)
{
    for (int i = 0; i < at_params_count(from->params); i++) {
        real *more = at_param_grad(from, i);
        if (!more)
            continue;
        at_parameter *v = at_params_at(from->params, i);
        at_tensor *x = leaf(to, v);
        if (to->failed)
            return false;
        real beta = x->grad ? 1 : 0;
        if (!x->grad)
            x->grad = at_scratch_reals(to, x->len);
        if (!x->grad)
            return false;
        at_vector_axpy(x->len, 1, more, beta, x->grad);
    }
    return true;
}

/* ---- recording -------------------------------------------------------------------------- */

bool at_recording(const at_tape *t, int n, at_tensor *const *in)
{
    if (t->mode == ATTEND_INFER || t->failed)
        return false;
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->wants_grad)
            return true;
    return false;
}

void at_record(at_tape *t, const at_op *op, int n_in, at_tensor *const *in, int n_out,
               at_tensor *const *out, void *saved)
{
    size_t pointers = (size_t)(n_in + n_out) * sizeof(at_tensor *);
    at_node *n = at_arena_alloc_small(&t->memory, sizeof *n + pointers);
    if (!n) {
        at_fail_memory(t);
        return;
    }
    at_tensor **both = (at_tensor **)(n + 1);
    *n = (at_node){.op = op,
                   .tape = t,
                   .n_in = n_in,
                   .n_out = n_out,
                   .in = both,
                   .out = both + n_in,
                   .saved = saved,
                   .before = t->last};
    memcpy(n->in, in, (size_t)n_in * sizeof *in);
    memcpy(n->out, out, (size_t)n_out * sizeof *out);
    for (int i = 0; i < n_in; i++)
        if (in[i])
            (in[i]->base ? in[i]->base : in[i])->uses++;
    for (int i = 0; i < n_out; i++)
        if (out[i]) {
            out[i]->from = n;
            out[i]->wants_grad = true;
        }
    t->last = n;
}

/* ---- gradients -------------------------------------------------------------------------- */

/* who holds the gradient: a reshaped tensor shares its base's */
static at_tensor *owner(at_tensor *x) { return x->base ? x->base : x; }

const real *at_grad_of(const at_tensor *x) { return x->base ? x->base->grad : x->grad; }

const real *at_grad_out(const at_node *n, int output)
{
    return n->out[output] ? at_grad_of(n->out[output]) : NULL;
}

/* Memory for a gradient: of one that is not needed any more, or more. */
static real *gradient_memory(at_tape *t, size_t len)
{
    for (int i = t->spares - 1; i >= 0; i--)
        if (t->spare[i].len == len) {
            real *memory = t->spare[i].memory;
            t->spare[i] = t->spare[--t->spares];
            return memory;
        }
    return at_scratch_reals(t, len);
}

/* All that an output took part in has been gone back through: so its gradient is of no more use. */
static void spare_gradients(at_tape *t, const at_node *n)
{
    for (int i = 0; i < n->n_out; i++) {
        at_tensor *x = n->out[i];
        if (!x || x->base || !x->grad || t->spares == MOST_SPARE)
            continue;
        t->spare[t->spares].memory = x->grad;
        t->spare[t->spares++].len = x->len;
        x->grad = NULL;
    }
}

real *at_grad_into(at_tape *t, at_tensor *x, real *beta)
{
    at_tensor *o = owner(x);
    *beta = 1;
    if (!o->grad) {
        o->grad = gradient_memory(t, o->len);
        *beta = 0;
    }
    return o->grad;
}

real *at_grad_in(const at_node *n, int input, real *beta)
{
    at_tensor *x = n->in[input];
    return x && x->wants_grad ? at_grad_into(n->tape, x, beta) : NULL;
}

real *at_grad_add(const at_node *n, int input)
{
    real beta = 1;
    real *grad = at_grad_in(n, input, &beta);
    if (grad && beta == 0)
        memset(grad, 0, n->in[input]->len * sizeof *grad);
    return grad;
}

void at_grad_give(const at_node *n, int input, real *gradient)
{
    at_tensor *x = n->in[input];
    if (!x || !x->wants_grad)
        return;
    at_tensor *o = owner(x);
    if (o->grad)
        at_vector_axpy(o->len, 1, gradient, 1, o->grad);
    else
        o->grad = gradient;
}

static void run_backward(at_tape *t, at_node *n)
{
    bool reached = false;
    for (int i = 0; i < n->n_out; i++)
        reached |= at_grad_out(n, i) != NULL;
    if (!reached)
        return;
    if (t->watch)
        t->watch(t->watch_user, n, false);
    n->op->backward(n);
    at_arena_reset(&t->brief);
    if (t->watch)
        t->watch(t->watch_user, n, true);
    spare_gradients(t, n);
}

/* Backward multiplies with the weights the other way round: what is packed for forward products
 * gives way to it. */
static void forget_panels(at_tape *t)
{
    if (t->keeps)
        return;
    at_arena_reset(&t->panels);
    for (int i = 0; i < t->leaf_count; i++)
        if (t->weights[i])
            t->weights[i]->packed[0].panels = t->weights[i]->packed[1].panels = NULL;
}

bool at_backward(at_tape *t, at_tensor *loss)
{
    if (t->failed)
        return false;
    if (loss->len != 1 || !loss->wants_grad) {
        at_fail(t,
                loss->len != 1 ? "backward: the loss must be one number, it has shape %s"
                               : "backward: the loss %s depends on no parameter",
                at_shape_print(loss->shape).text);
        return false;
    }
    at_tensor *o = owner(loss);
    o->grad = at_scratch_reals(t, 1);
    if (!o->grad)
        return false;
    o->grad[0] = 1;
    forget_panels(t);
    t->spares = 0; /* what is left of another time may have been released */
    for (at_node *n = t->last; n && !t->failed; n = n->before)
        run_backward(t, n);
    for (int i = 0; i < t->leaf_count && !t->failed; i++)
        if (t->leaves[i])
            at_weight_flush(t, t->leaves[i]);
    return !t->failed;
}

void at_tape_watch(at_tape *t, at_watch *watch, void *user)
{
    t->watch = watch;
    t->watch_user = user;
}
