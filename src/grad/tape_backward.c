/* What ops leave behind, and the way back through it. */
#include <string.h>

#include "grad/tape_inside.h"
#include "tensor/vector.h"

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

static real *gradient_memory(at_tape *t, size_t len)
{
    real *memory = at_spare_take(t, len);
    return memory ? memory : at_scratch_reals(t, len);
}

/* All that an output took part in has been gone back through: so its gradient is of no more use. */
static void spare_gradients(at_tape *t, const at_node *n)
{
    for (int i = 0; i < n->n_out; i++) {
        at_tensor *x = n->out[i];
        if (!x || x->base || !x->grad)
            continue;
        at_spare_gradient(t, x->grad, x->len);
        x->grad = NULL;
    }
}

/* Its value too, which only ops after it and its own backward read. Small ones stay: whoever made
 * the loss may ask for it. */
static void spare_values(at_tape *t, const at_node *n)
{
    enum { SMALL = 16 << 10 };
    for (int i = 0; i < n->n_out && !t->keeps_values; i++) {
        at_tensor *x = n->out[i];
        if (!x || x->base || !x->value || x->len < SMALL || x->grad == x->value)
            continue;
        at_tape_spare(t, x->value, x->len);
        x->value = NULL;
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
        at_vector_zero(n->in[input]->len, grad);
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
    if (n->op->forgets_output)
        spare_values(t, n);
    n->op->backward(n);
    at_arena_reset(&t->brief);
    spare_values(t, n);
    if (t->watch)
        t->watch(t->watch_user, n, true);
    spare_gradients(t, n);
}

/* What is packed for forward products gives way to what backward packs. */
static void forget_panels(at_tape *t)
{
    at_arena_reset(&t->panels);
    for (int i = 0; i < t->leaf_count; i++)
        if (t->weights[i])
            memset(t->weights[i]->packed, 0, sizeof t->weights[i]->packed);
}

/* And so does that, where no node to come multiplies with the weight. */
static void spare_panels(at_tape *t)
{
    for (int i = 0; i < t->leaf_count; i++)
        if (t->weights[i] && t->weights[i]->to_come <= 0)
            at_weight_spare(t, t->weights[i]);
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
    if (t->gone_back) {
        at_fail(t, "backward: a step is gone back through once; reset the tape for the next");
        return false;
    }
    t->gone_back = true;
    at_tensor *o = owner(loss);
    o->grad = at_scratch_reals(t, 1);
    if (!o->grad)
        return false;
    o->grad[0] = 1;
    forget_panels(t);
    at_spare_nothing(t); /* what is left of another time may have been released */
    for (at_node *n = t->last; n && !t->failed; n = n->before) {
        run_backward(t, n);
        spare_panels(t);
    }
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
