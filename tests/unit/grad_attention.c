/* The attention op: what must not change a bit of it, its gradients at sizes of several blocks, and
 * its dropout. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "grad/ops.h"
#include "gradient_check.h"

#ifdef ATTEND_REAL_DOUBLE
static const double check_tolerance = 1e-6, agree_tolerance = 1e-11;
#else
static const double check_tolerance = 5e-3, agree_tolerance = 5e-5;
#endif

static at_params *params;

static int set_up(void **state)
{
    (void)state;
    params = at_params_new(1);
    return params ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    at_params_free(params);
    attend_set_threads(0);
    return 0;
}

/* ---- random cases ------------------------------------------------------------------------- */

static uint32_t drawn;

static int below(int n)
{
    return (int)at_random_below((at_random){.seed = 5}, drawn++, (uint32_t)n);
}

static real *numbers(at_tape *t, size_t n)
{
    real *x = at_scratch_reals(t, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(below(4001) - 2000) / 900;
    return x;
}

typedef struct {
    int B, Q, K, H, d, e;
    at_mask mask;
    real dropout;
} extent;

/* sizes around those of vectors and blocks */
static extent random_extent(void)
{
    static const int queries[] = {1, 2, 3, 4, 5, 30, 64, 65, 130},
                     keys[] = {1, 7, 16, 40, 64, 65, 100, 129, 200};
    static const int widths[] = {1, 3, 4, 8, 16, 17, 32, 40, 64};
    return (extent){.B = 1 + below(3),
                    .Q = queries[below(9)],
                    .K = keys[below(9)],
                    .H = 1 + below(4),
                    .d = widths[below(9)],
                    .e = widths[below(9)]};
}

/* any of lengths, first positions, flags, numbers for each head; in memory of the tape */
static at_mask random_mask(at_tape *t, extent x)
{
    int *lengths = at_scratch(t, (size_t)x.B * sizeof *lengths);
    int *first = at_scratch(t, (size_t)x.B * sizeof *first);
    size_t pairs = (size_t)x.B * (size_t)x.Q * (size_t)x.K;
    size_t heads = (size_t)x.H * (size_t)x.Q * (size_t)x.K;
    unsigned char *hidden = at_scratch(t, pairs);
    real *added = numbers(t, heads);
    for (int b = 0; b < x.B; b++) {
        lengths[b] = below(x.K + 1);
        first[b] = below(x.K + 3) - 2;
    }
    for (size_t i = 0; i < pairs; i++)
        hidden[i] = below(4) == 0;
    for (size_t i = 0; i < heads; i++)
        added[i] = below(5) ? added[i] : -(real)INFINITY;
    return (at_mask){.lengths = below(2) ? lengths : NULL,
                     .hidden = below(2) ? hidden : NULL,
                     .hidden_shape = SHAPE(x.B, 1, x.Q, x.K),
                     .added = below(2) ? added : NULL,
                     .added_shape = SHAPE(x.H, x.Q, x.K),
                     .causal = below(2),
                     .first = below(2) ? first : NULL,
                     .offset = below(x.K)};
}

typedef struct {
    at_tensor *q, *k, *v;
} operands;

static operands variables(at_tape *t, const extent *x)
{
    size_t B = (size_t)x->B, Q = (size_t)x->Q, K = (size_t)x->K, H = (size_t)x->H;
    size_t d = (size_t)x->d, e = (size_t)x->e;
    return (operands){at_variable(t, SHAPE(x->B, x->Q, x->H * x->d), numbers(t, B * Q * H * d)),
                      at_variable(t, SHAPE(x->B, x->K, x->H * x->d), numbers(t, B * K * H * d)),
                      at_variable(t, SHAPE(x->B, x->K, x->H * x->e), numbers(t, B * K * H * e))};
}

static at_attention_options options(const extent *x, bool weights)
{
    return (at_attention_options){.heads = x->H,
                                  .scale = (real)0.37,
                                  .mask = &x->mask,
                                  .dropout = x->dropout,
                                  .weights = weights};
}

static at_attention_result attend(at_tape *t, operands in, const extent *x, bool weights)
{
    at_attention_result r = at_attention(t, at_rows_of(in.q), at_rows_of(in.k), at_rows_of(in.v),
                                         options(x, weights));
    if (at_failed(t))
        fail_msg("%s", at_tape_error(t)->message);
    return r;
}

static void same_bits(const real *a, const real *b, size_t n, const extent *x, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0)
            fail_msg("%s: %d sentences, %d queries, %d keys, %d heads of %d and %d: number %zu of "
                     "%zu is %.9g and %.9g",
                     what, x->B, x->Q, x->K, x->H, x->d, x->e, i, n, (double)a[i], (double)b[i]);
}

/* ---- the same attention in two ways -------------------------------------------------------- */

typedef struct {
    bool weights; /* asked for; they reach the loss where `uses` says so */
    bool uses;
    bool joined; /* q, k and v are columns of one tensor; of as many queries as keys */
    int threads;
} way;

typedef struct {
    at_tape *tape;
    operands in;
    at_tensor *all; /* q|k|v, or NULL */
    at_attention_result r;
} outcome;

/* q|k|v with a few columns of nothing before, between and behind */
static at_tensor *join(at_tape *t, operands in, const extent *x)
{
    int D = x->H * x->d, E = x->H * x->e, W = 2 * D + E + 4, at = 0;
    real *all = at_scratch_reals(t, (size_t)x->B * (size_t)x->Q * (size_t)W);
    for (int row = 0; row < x->B * x->Q; row++, at += W) {
        for (int c = 0; c < W; c++)
            all[at + c] = 9;
        memcpy(all + at + 1, in.q->value + row * D, (size_t)D * sizeof *all);
        memcpy(all + at + D + 2, in.k->value + row * D, (size_t)D * sizeof *all);
        memcpy(all + at + 2 * D + 3, in.v->value + row * E, (size_t)E * sizeof *all);
    }
    return at_variable(t, SHAPE(x->B, x->Q, W), all);
}

static at_attention_result attend_joined(at_tape *t, at_tensor *all, const extent *x, bool weights)
{
    int D = x->H * x->d, E = x->H * x->e;
    return at_attention(t, at_rows_columns(all, 1, 1 + D), at_rows_columns(all, D + 2, 2 * D + 2),
                        at_rows_columns(all, 2 * D + 3, 2 * D + 3 + E), options(x, weights));
}

/* forward and backward; the loss is the sum of C tanh C, and of W tanh W where weights are used */
static outcome run(const extent *x, uint32_t seed, way how)
{
    outcome o = {.tape = at_tape_new(params, ATTEND_TRAIN)};
    at_tape_keep_values(o.tape);
    at_tape *t = o.tape;
    attend_set_threads(how.threads ? how.threads : 1);
    at_tape_seed(t, 3, 1, 0);
    drawn = seed;
    o.in = variables(t, x);
    if (how.joined)
        o.all = join(t, o.in, x);
    o.r = how.joined ? attend_joined(t, o.all, x, how.weights) : attend(t, o.in, x, how.weights);
    at_tensor *loss = at_sum(t, at_multiply(t, o.r.context, at_tanh(t, o.r.context)));
    if (how.uses)
        loss = at_add(t, loss, at_sum(t, at_multiply(t, o.r.weights, at_tanh(t, o.r.weights))));
    if (!at_backward(t, loss))
        fail_msg("%s", at_tape_error(t)->message);
    return o;
}

static void same_gradients(const outcome *a, const outcome *b, const extent *x, const char *what)
{
    same_bits(a->r.context->value, b->r.context->value, a->r.context->len, x, what);
    same_bits(at_grad_of(a->in.q), at_grad_of(b->in.q), a->in.q->len, x, what);
    same_bits(at_grad_of(a->in.k), at_grad_of(b->in.k), a->in.k->len, x, what);
    same_bits(at_grad_of(a->in.v), at_grad_of(b->in.v), a->in.v->len, x, what);
}

static void stop(outcome *a, outcome *b)
{
    at_tape_free(a->tape);
    at_tape_free(b->tape);
}

/* a case with any mask, and dropout in a third of them; the mask is in memory of t */
static extent random_case(at_tape *t, int trial)
{
    drawn = (uint32_t)trial * 1000003u;
    extent x = random_extent();
    x.mask = random_mask(t, x);
    x.dropout = trial % 3 == 0 ? (real)0.3 : 0;
    return x;
}

static void weights_do_not_change_a_bit(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    for (int trial = 0; trial < 100; trial++, at_tape_reset(t)) {
        extent x = random_case(t, trial);
        outcome a = run(&x, 7, (way){.weights = false}), b = run(&x, 7, (way){.weights = true});
        same_gradients(&a, &b, &x, "weights");
        assert_null(a.r.weights);
        stop(&a, &b);
    }
    at_tape_free(t);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    for (int trial = 0; trial < 50; trial++, at_tape_reset(t)) {
        extent x = random_case(t, trial + 200);
        outcome one = run(&x, 7, (way){.weights = true, .uses = true, .threads = 1});
        for (int threads = 2; threads <= 5; threads += 3) {
            outcome more = run(&x, 7, (way){.weights = true, .uses = true, .threads = threads});
            same_gradients(&one, &more, &x, "threads");
            same_bits(one.r.weights->value, more.r.weights->value, one.r.weights->len, &x,
                      "weights");
            at_tape_free(more.tape);
        }
        at_tape_free(one.tape);
    }
    at_tape_free(t);
}

static void same_columns(const real *part, int width, const real *all, int W, int begin, int rows,
                         const extent *x, const char *what)
{
    for (int row = 0; row < rows; row++)
        same_bits(part + row * width, all + row * W + begin, (size_t)width, x, what);
}

static void columns_of_one_tensor_equal_tensors(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    for (int trial = 0; trial < 50; trial++, at_tape_reset(t)) {
        drawn = (uint32_t)trial * 1000033u;
        extent x = random_extent();
        x.K = x.Q;
        x.mask = random_mask(t, x);
        x.dropout = trial % 2 ? (real)0.2 : 0;
        outcome a = run(&x, 7, (way){.threads = 3}),
                b = run(&x, 7, (way){.joined = true, .threads = 3});
        int D = x.H * x.d, E = x.H * x.e, W = 2 * D + E + 4, rows = x.B * x.Q;
        const real *all = at_grad_of(b.all);
        same_bits(a.r.context->value, b.r.context->value, a.r.context->len, &x, "columns");
        same_columns(at_grad_of(a.in.q), D, all, W, 1, rows, &x, "dq");
        same_columns(at_grad_of(a.in.k), D, all, W, D + 2, rows, &x, "dk");
        same_columns(at_grad_of(a.in.v), E, all, W, 2 * D + 3, rows, &x, "dv");
        for (int row = 0; row < rows; row++)
            assert_true(all[row * W] == 0 && all[row * W + D + 1] == 0
                        && all[row * W + 2 * D + 2] == 0 && all[row * W + W - 1] == 0);
        stop(&a, &b);
    }
    at_tape_free(t);
}

/* ---- few queries, and one at a time -------------------------------------------------------- */

/* rows of up to four queries are computed in another way than rows of more */
static void few_queries_equal_many(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    for (int trial = 0; trial < 200; trial++, at_tape_reset(t)) {
        drawn = (uint32_t)trial * 1000037u;
        extent x = random_extent();
        x.B = 1;
        x.Q = 5 + below(80);
        x.mask = (at_mask){.causal = below(2), .offset = below(x.K)};
        operands in = variables(t, &x);
        at_attention_result all = attend(t, in, &x, true);
        int n = 1 + below(4), i = below(x.Q - n + 1);
        extent few = x;
        few.Q = n;
        few.mask.offset += i;
        in.q = at_slice(t, in.q, 1, i, i + n);
        at_attention_result some = attend(t, in, &few, true);
        same_bits(some.context->value, all.context->value + i * x.H * x.e, some.context->len, &few,
                  "few queries");
        for (int h = 0; h < x.H; h++)
            same_bits(some.weights->value + h * n * x.K, all.weights->value + (h * x.Q + i) * x.K,
                      (size_t)(n * x.K), &few, "weights");
    }
    at_tape_free(t);
}

/* a cache of keys and values: [columns][room][width], where nothing is but what was written */
typedef struct {
    int columns, room, rows;
    real *k, *v;
    int *which; /* [B, rows] */
} cache;

static cache make_cache(at_tape *t, const extent *x, int rows)
{
    cache c = {.columns = x->B + 3, .room = x->K + 5, .rows = rows};
    size_t len = (size_t)c.columns * (size_t)c.room * (size_t)x->H;
    c.k = at_scratch_reals(t, len * (size_t)x->d);
    c.v = at_scratch_reals(t, len * (size_t)x->e);
    c.which = at_scratch(t, (size_t)x->B * (size_t)rows * sizeof *c.which);
    for (size_t i = 0; i < len * (size_t)x->d; i++)
        c.k[i] = (real)NAN;
    for (size_t i = 0; i < len * (size_t)x->e; i++)
        c.v[i] = (real)NAN;
    for (int i = 0; i < x->B * rows; i++)
        c.which[i] = -1000000;
    return c;
}

/* Keys lo .. hi-1 of each sentence go to columns of their own: one for all sentences' keys j, in an
 * order that changes with j, so that no two sentences share a slot; or each sentence to column b.
 */
static void write_cache(cache *c, operands in, const extent *x, int lo, int hi, bool scattered)
{
    int D = x->H * x->d, E = x->H * x->e;
    for (int b = 0; b < x->B; b++)
        for (int j = lo; j < hi; j++) {
            int column = scattered ? (b + j / 3) % c->columns : b;
            c->which[b * c->rows + j] = column;
            memcpy(c->k + (column * c->room + j) * D, in.k->value + (b * x->K + j) * D,
                   (size_t)D * sizeof *c->k);
            memcpy(c->v + (column * c->room + j) * E, in.v->value + (b * x->K + j) * E,
                   (size_t)E * sizeof *c->v);
        }
}

static at_rows cache_rows(const cache *c, const real *data, int width, int rows, bool table)
{
    return (at_rows){.data = data,
                     .rows = rows,
                     .width = width,
                     .ld = width,
                     .step = (ptrdiff_t)c->room * width,
                     .which = table ? c->which : NULL};
}

/* Queries i .. i+n-1 with the keys so far, sentence b beginning b positions late: sentences have
 * lengths and positions of their own. */
static void step_through(at_tape *t, const extent *x, operands in, at_tensor *whole, bool table)
{
    cache c = make_cache(t, x, x->K);
    int *first = at_scratch(t, (size_t)x->B * sizeof *first);
    int *lengths = at_scratch(t, (size_t)x->B * sizeof *lengths);
    int D = x->H * x->d, E = x->H * x->e;
    for (int i = 0, n; i < x->K; i += n) {
        n = below(3) ? 1 : 1 + below(x->K > 90 ? 90 : x->K);
        n = n < x->K - i ? n : x->K - i;
        write_cache(&c, in, x, i, i + n, table);
        for (int b = 0; b < x->B; b++) {
            first[b] = i;
            lengths[b] = i + n;
        }
        extent part = *x;
        part.Q = n;
        part.mask = (at_mask){.causal = true, .first = first, .lengths = lengths};
        at_attention_result r = at_attention(
            t, at_rows_of(at_slice(t, in.q, 1, i, i + n)), cache_rows(&c, c.k, D, x->K, table),
            cache_rows(&c, c.v, E, x->K, table), options(&part, below(2)));
        if (at_failed(t))
            fail_msg("%s", at_tape_error(t)->message);
        for (int b = 0; b < x->B; b++)
            same_bits(r.context->value + b * n * E, whole->value + (b * x->K + i) * E,
                      (size_t)(n * E), &part, "step by step");
    }
}

static void one_step_at_a_time_equals_all(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    for (int trial = 0; trial < 40; trial++, at_tape_reset(t)) {
        drawn = (uint32_t)trial * 1000039u;
        extent x = random_extent();
        x.Q = x.K;
        x.mask = (at_mask){.causal = true};
        operands in = variables(t, &x);
        at_tensor *whole = attend(t, in, &x, false).context;
        step_through(t, &x, in, whole, trial % 2);
    }
    at_tape_free(t);
}

/* ---- batches ------------------------------------------------------------------------------- */

/* sentences of many lengths and positions alone, and as rows of a batch with padding */
static void the_batch_does_not_change_a_bit(void **state)
{
    (void)state;
    static const int sizes[] = {1, 7, 64};
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    for (int trial = 0; trial < 24; trial++, at_tape_reset(t)) {
        drawn = (uint32_t)trial * 1000081u;
        extent x = random_extent();
        x.B = sizes[trial % 3];
        x.Q = trial % 2 ? 1 + below(4) : 20;
        int lengths[64], first[64];
        for (int b = 0; b < x.B; b++) {
            lengths[b] = 1 + below(x.K);
            first[b] = below(x.K);
        }
        x.mask = (at_mask){.lengths = lengths, .causal = trial % 4 < 3, .first = first};
        operands in = variables(t, &x);
        at_attention_result all = attend(t, in, &x, true);
        for (int b = 0; b < x.B; b += 1 + below(5)) {
            extent one = x;
            one.B = 1;
            one.K = lengths[b];
            one.mask = (at_mask){.causal = x.mask.causal, .offset = first[b]};
            operands alone = {
                at_input(t, SHAPE(1, x.Q, x.H * x.d), in.q->value + b * x.Q * x.H * x.d),
                at_input(t, SHAPE(1, one.K, x.H * x.d), in.k->value + b * x.K * x.H * x.d),
                at_input(t, SHAPE(1, one.K, x.H * x.e), in.v->value + b * x.K * x.H * x.e)};
            at_attention_result r = attend(t, alone, &one, true);
            same_bits(r.context->value, all.context->value + b * x.Q * x.H * x.e, r.context->len,
                      &one, "batch");
            for (int row = 0; row < x.H * x.Q; row++)
                same_bits(r.weights->value + row * one.K,
                          all.weights->value + (b * x.H * x.Q + row) * x.K, (size_t)one.K, &one,
                          "weights in a batch");
        }
    }
    at_tape_free(t);
}

/* ---- masks --------------------------------------------------------------------------------- */

static void minus_infinity_hides_as_a_flag_does(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    for (int trial = 0; trial < 60; trial++, at_tape_reset(t)) {
        drawn = (uint32_t)trial * 1000099u;
        extent x = random_extent();
        size_t len = (size_t)x.Q * (size_t)x.K;
        unsigned char *hidden = at_scratch(t, len);
        real *added = at_scratch_reals(t, len);
        for (size_t i = 0; i < len; i++) {
            hidden[i] = below(3) == 0;
            added[i] = hidden[i] ? -(real)INFINITY : 0;
        }
        operands in = variables(t, &x);
        x.mask = (at_mask){.hidden = hidden, .hidden_shape = SHAPE(x.Q, x.K)};
        at_attention_result a = attend(t, in, &x, true);
        x.mask = (at_mask){.added = added, .added_shape = SHAPE(x.Q, x.K)};
        at_attention_result b = attend(t, in, &x, true);
        same_bits(a.context->value, b.context->value, a.context->len, &x, "-inf");
        same_bits(a.weights->value, b.weights->value, a.weights->len, &x, "-inf");
    }
    at_tape_free(t);
}

/* ---- gradients at sizes of several blocks -------------------------------------------------- */

typedef struct {
    extent x;
    bool weights; /* reach the loss; alone: the context does not */
    bool alone;
    bool cached;  /* keys and values are rows of a cache with a table: only q has a gradient */
    bool overlap; /* q and k are columns 0 .. and 1 .. of one tensor */
} trial;

static at_tensor *flat(at_tape *t, at_tensor *x)
{
    return at_failed(t) ? at_poison(t) : at_reshape(t, x, SHAPE((int)x->len));
}

static at_tensor *join_results(at_tape *t, const trial *r, at_attention_result y)
{
    if (!r->weights || r->alone)
        return flat(t, r->alone ? y.weights : y.context);
    return at_concat(t, 2, (at_tensor *[]){flat(t, y.context), flat(t, y.weights)}, 0);
}

static operands trial_operands(at_tape *t, at_path s, const trial *r)
{
    const extent *x = &r->x;
    at_init how = INIT_NORMAL((real)0.7);
    int D = x->H * x->d, E = x->H * x->e;
    operands in = {.q = at_param(t, s, "q", SHAPE(x->B, x->Q, r->overlap ? D + 1 : D), how)};
    if (r->cached) {
        drawn = 4321;
        in.k = at_input(t, SHAPE(x->B, x->K, D), numbers(t, (size_t)(x->B * x->K * D)));
        in.v = at_input(t, SHAPE(x->B, x->K, E), numbers(t, (size_t)(x->B * x->K * E)));
        return in;
    }
    in.k = r->overlap ? in.q : at_param(t, s, "k", SHAPE(x->B, x->K, D), how);
    in.v = at_param(t, s, "v", SHAPE(x->B, x->K, E), how);
    return in;
}

static at_tensor *build(at_tape *t, at_path s, const void *arg)
{
    const trial *r = arg;
    const extent *x = &r->x;
    int D = x->H * x->d, E = x->H * x->e;
    operands in = trial_operands(t, s, r);
    if (at_failed(t))
        return at_poison(t);
    at_rows q = at_rows_columns(in.q, 0, D), k = at_rows_of(in.k), v = at_rows_of(in.v);
    if (r->overlap)
        k = at_rows_columns(in.q, 1, D + 1);
    if (r->cached) {
        cache c = make_cache(t, x, x->K);
        write_cache(&c, in, x, 0, x->K, true);
        k = cache_rows(&c, c.k, D, x->K, true);
        v = cache_rows(&c, c.v, E, x->K, true);
    }
    return join_results(t, r, at_attention(t, q, k, v, options(x, r->weights)));
}

static at_tensor *head_of(at_tape *t, at_tensor *x, int begin, int width, int h)
{
    return at_slice(t, x, 2, begin + h * width, begin + (h + 1) * width);
}

/* the same from products, the masked softmax and dropout */
static at_tensor *reference(at_tape *t, at_path s, const void *arg)
{
    const trial *r = arg;
    const extent *x = &r->x;
    operands in = trial_operands(t, s, r);
    at_tensor *e[4], *c[4];
    at_mask mask = x->mask;
    for (int h = 0; h < x->H; h++)
        e[h] = at_reshape(t,
                          at_matmul(t, head_of(t, in.q, 0, x->d, h), false,
                                    head_of(t, in.k, r->overlap, x->d, h), true, (real)0.37),
                          SHAPE(x->B, 1, x->Q, x->K));
    at_tensor *scores = at_concat(t, x->H, e, 1);
    if (mask.added)
        scores = at_add(t, scores, at_input(t, mask.added_shape, mask.added));
    mask.added = NULL;
    at_tensor *w = at_softmax(t, scores, &mask), *kept = at_dropout(t, w, x->dropout);
    for (int h = 0; h < x->H; h++) {
        at_tensor *one = at_reshape(t, at_slice(t, kept, 1, h, h + 1), SHAPE(x->B, x->Q, x->K));
        c[h] = at_matmul(t, one, false, head_of(t, in.v, 0, x->e, h), false, 1);
    }
    return join_results(t, r, (at_attention_result){at_concat(t, x->H, c, 2), w});
}

static void agrees(const trial *r, bool differences)
{
    at_gradcheck c = at_builds_agree(build, reference, r, agree_tolerance);
    if (!c.ok)
        fail_msg("%d x %d: reference: error %g at %s", r->x.Q, r->x.K, c.worst, c.where);
    if (!differences)
        return;
    c = at_gradient_check(build, r, check_tolerance, NULL, NULL);
    print_message("%3d queries, %3d keys: worst %.1e\n", r->x.Q, r->x.K, c.worst);
    if (!c.ok)
        fail_msg("%d x %d: error %g at %s", r->x.Q, r->x.K, c.worst, c.where);
}

static void gradients_are_right_over_several_blocks(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    static const extent sizes[] = {{.B = 2, .Q = 3, .K = 70, .H = 2, .d = 2, .e = 1},
                                   {.B = 1, .Q = 70, .K = 66, .H = 2, .d = 1, .e = 2},
                                   {.B = 2, .Q = 6, .K = 6, .H = 2, .d = 3, .e = 3}};
    for (int n = 0; n < 36; n++, at_tape_reset(t)) {
        drawn = (uint32_t)n * 1000117u;
        trial r = {.x = sizes[n % 3],
                   .weights = n / 3 % 2,
                   .alone = n / 3 % 4 == 3,
                   .cached = n % 6 == 4,
                   .overlap = n % 3 == 2 && n % 2};
        r.x.mask = random_mask(t, r.x);
        r.x.dropout = n % 4 < 2 ? (real)0.3 : 0;
        attend_set_threads(1 + n % 3);
        agrees(&r, n < 12);
    }
    at_tape_free(t);
}

/* heads of q and k that are columns of one tensor, one apart, add to the same numbers */
static void columns_that_overlap_do_not_race(void **state)
{
    (void)state;
    extent x = {.B = 1, .Q = 130, .K = 130, .H = 8, .d = 16, .e = 16};
    real *once = NULL;
    for (int threads = 1; threads <= 5; threads++) {
        at_tape *t = at_tape_new(params, ATTEND_GRAD);
        attend_set_threads(threads);
        drawn = 99;
        at_tensor *all = at_variable(t, SHAPE(1, 130, 129), numbers(t, 130 * 129));
        at_rows q = at_rows_columns(all, 0, 128), k = at_rows_columns(all, 1, 129);
        at_tensor *c = at_attention(t, q, k, k, options(&x, false)).context;
        assert_true(at_backward(t, at_sum(t, at_multiply(t, c, c))));
        if (!once) {
            once = at_alloc(all->len * sizeof *once);
            memcpy(once, at_grad_of(all), all->len * sizeof *once);
        }
        same_bits(once, at_grad_of(all), all->len, &x, "overlap");
        at_tape_free(t);
    }
    at_free(once);
}

/* ---- dropout ------------------------------------------------------------------------------- */

static void dropout_is_of_the_sentence_not_of_the_shard(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    extent x = {.B = 5, .Q = 9, .K = 80, .H = 3, .d = 4, .e = 5, .dropout = (real)0.4};
    drawn = 77;
    operands in = variables(t, &x);
    at_tape_seed(t, 11, 4, 20);
    at_attention_result all = attend(t, in, &x, true);
    for (int b = 0; b < x.B; b++) {
        extent one = x;
        one.B = 1;
        operands alone = {at_slice(t, in.q, 0, b, b + 1), at_slice(t, in.k, 0, b, b + 1),
                          at_slice(t, in.v, 0, b, b + 1)};
        at_tape_seed(t, 11, 4, 20 + (uint32_t)b);
        at_attention_result r = attend(t, alone, &one, false);
        same_bits(r.context->value, all.context->value + b * x.Q * x.H * x.e, r.context->len, &one,
                  "shard");
    }
    at_tape_seed(t, 11, 4, 20);
    at_tensor *again = attend(t, in, &x, false).context;
    at_tape_seed(t, 11, 5, 20);
    at_tensor *later = attend(t, in, &x, false).context;
    same_bits(again->value, all.context->value, again->len, &x, "again");
    assert_memory_not_equal(later->value, again->value, again->len * sizeof(real));
    at_tape_free(t);
}

static void returned_weights_are_those_before_dropout(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_TRAIN), *infer = at_tape_new(params, ATTEND_INFER);
    extent x = {.B = 2, .Q = 7, .K = 90, .H = 2, .d = 3, .e = 4}, drops = x;
    drops.dropout = (real)0.5;
    drawn = 78;
    operands in = variables(t, &x);
    at_attention_result none = attend(t, in, &x, true), some = attend(t, in, &drops, true);
    at_attention_result never = attend(infer, in, &drops, true);
    same_bits(none.weights->value, some.weights->value, none.weights->len, &x, "weights");
    assert_memory_not_equal(none.context->value, some.context->value,
                            none.context->len * sizeof(real));
    same_bits(none.context->value, never.context->value, none.context->len, &x, "inference");
    at_tape_free(t);
    at_tape_free(infer);
}

/* ---- corners ------------------------------------------------------------------------------- */

static void rows_that_see_nothing_are_zero(void **state)
{
    (void)state;
    static const int lengths[] = {0, 3};
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    for (int Q = 2; Q <= 6; Q += 4, at_tape_reset(t)) {
        extent x = {.B = 2, .Q = Q, .K = 5, .H = 1, .d = 2, .e = 3};
        x.mask = (at_mask){.lengths = lengths, .causal = true, .offset = -1};
        operands in = variables(t, &x);
        at_attention_result r = attend(t, in, &x, true);
        for (int i = 0; i < Q + 1; i++) /* the first sentence, and the first query of the second */
            for (int c = 0; c < 5; c++)
                assert_true(r.weights->value[i * 5 + c] == 0
                            && (c >= 3 || r.context->value[i * 3 + c] == 0));
        assert_true(at_backward(t, at_sum(t, r.context)));
        for (int i = 0; i < (Q + 1) * 2; i++)
            assert_true(at_grad_of(in.q)[i] == 0);
    }
    at_tape_free(t);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    static const int table[2] = {0, 0};
    static const real none[9];
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    for (int n = 0; n < 5; n++, at_tape_reset(t)) {
        at_tensor *x = at_zeros(t, SHAPE(1, 2, 4));
        at_rows q = at_rows_of(x), k = q, v = q;
        at_mask mask = {.added = none, .added_shape = SHAPE(3, 3)};
        at_attention_options o = {.heads = 2, .scale = 1, .mask = n == 3 ? &mask : NULL};
        if (n == 0)
            q = (at_rows){.data = none, .rows = 2, .width = 4, .ld = 4, .step = 8};
        else if (n == 1)
            k.which = table;
        else if (n == 2)
            k = at_rows_columns(x, 2, 6);
        else if (n == 4)
            v.rows = 1;
        at_attention(t, q, k, v, o);
        assert_true(at_failed(t));
        assert_non_null(strstr(at_tape_error(t)->message, "attention"));
    }
    at_tape_free(t);
}

/* forward and backward on a tape of its own, as far as memory allows */
static bool survives(const extent *x)
{
    at_params *own = at_params_new(1);
    at_tape *t = own ? at_tape_new(own, ATTEND_TRAIN) : NULL;
    bool done = false;
    if (t) {
        at_init how = INIT_NORMAL(1);
        at_tensor *q = at_param(t, at_root(), "q", SHAPE(x->B, x->Q, x->H * x->d), how);
        at_tensor *v = at_param(t, at_root(), "v", SHAPE(x->B, x->K, x->H * x->d), how);
        at_attention_result r = at_attention(t, at_rows_of(q), at_rows_of(v), at_rows_of(v),
                                             options(x, true));
        at_tensor *sum = at_add(t, at_sum(t, r.context), at_sum(t, r.weights));
        done = at_backward(t, sum);
        assert_true(done || at_tape_error(t)->status == ATTEND_MEMORY);
    }
    at_tape_free(t);
    at_params_free(own);
    return done;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    extent x = {.B = 2, .Q = 300, .K = 400, .H = 2, .d = 8, .e = 8, .dropout = (real)0.1};
    attend_set_threads(1);
    assert_true(survives(&x)); /* threads keep their packing memory */
    long live = at_alloc_live(), failures = 0;
    for (bool done = false; !done; failures++) {
        at_alloc_fail_after(failures);
        done = survives(&x);
        at_alloc_fail_after(-1);
        assert_int_equal(at_alloc_live(), live);
    }
    print_message("%ld allocations failed in turn\n", failures - 1);
    assert_true(failures > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_do_not_change_a_bit),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(columns_of_one_tensor_equal_tensors),
        cmocka_unit_test(few_queries_equal_many),
        cmocka_unit_test(one_step_at_a_time_equals_all),
        cmocka_unit_test(the_batch_does_not_change_a_bit),
        cmocka_unit_test(minus_infinity_hides_as_a_flag_does),
        cmocka_unit_test(gradients_are_right_over_several_blocks),
        cmocka_unit_test(columns_that_overlap_do_not_race),
        cmocka_unit_test(dropout_is_of_the_sentence_not_of_the_shard),
        cmocka_unit_test(returned_weights_are_those_before_dropout),
        cmocka_unit_test(rows_that_see_nothing_are_zero),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("grad_attention", tests, set_up, tear_down);
}
