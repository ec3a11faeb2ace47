/* The relative attention op at sizes of several blocks and bands: against the formula, written as
 * loops; what must not change a bit of it; its gradient along a direction; queries that see
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "grad/ops.h"

enum { B = 3, T = 330, M = 290, K = M + T, P = 50, H = 2, D = 5, W = H * D, N = K + T };

static at_params *params;
static int lengths[B], key_segment[B * K], segment[B * T], key_rank[B * K], rank[B * T];
static int positions[B * P], target_segment[B * P], target_rank[B * P], directions[B] = {1, 0, 1};

static int below(uint32_t i, int n)
{
    return (int)at_random_below((at_random){.seed = 5}, i, (uint32_t)n);
}

/* a permutation of the last T keys: ranks, as each text has them; P targets in any order */
static int set_up(void **state)
{
    (void)state;
    for (int b = 0; b < B; b++) {
        lengths[b] = K - 70 * b;
        for (int j = 0; j < K; j++) {
            bool first = j < M + 100;
            key_segment[b * K + j] = j < M ? 0 : first ? 1 : 2;
            key_rank[b * K + j] = j < M ? -1 : below((uint32_t)j, 1000);
        }
        for (int i = 0; i < T; i++) {
            segment[b * T + i] = key_segment[b * K + M + i];
            rank[b * T + i] = key_rank[b * K + M + i];
        }
        for (int i = 0; i < P; i++) {
            int p = (i * 37 + 11 * b) % (lengths[b] - M);
            positions[b * P + i] = i % 9 == 8 ? -1 : M + p;
            target_segment[b * P + i] = segment[b * T + p];
            target_rank[b * P + i] = rank[b * T + p];
        }
    }
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

/* ---- one call ------------------------------------------------------------------------------- */

typedef struct {
    at_tensor *q, *k, *v;
    at_relative_options o;
} call;

static at_tensor *number(at_tape *t, const char *name, at_shape shape)
{
    return at_param(t, at_root(), name, shape, INIT_NORMAL(1));
}

/* the content stream of a permutation, with memory, segments and two directions */
static call content(at_tape *t)
{
    return (call){
        number(t, "q", SHAPE(B, T, W)), number(t, "k", SHAPE(B, K, W)),
        number(t, "v", SHAPE(B, K, W)),
        (at_relative_options){
            .heads = H,
            .scale = (real)0.4,
            .distances = number(t, "r", SHAPE(2, N, W)),
            .far = K,
            .directions = directions,
            .u = number(t, "u", SHAPE(H, D)),
            .w = number(t, "w", SHAPE(H, D)),
            .s = number(t, "s", SHAPE(H, D)),
            .g = number(t, "g", SHAPE(2, H, D)),
            .query_segment = segment,
            .key_segment = key_segment,
            .sight = {.lengths = lengths, .query_rank = rank, .key_rank = key_rank, .self = true}}};
}

/* its query stream */
static call targets(at_tape *t)
{
    call c = content(t);
    c.q = number(t, "target q", SHAPE(B, P, W));
    c.o.positions = positions;
    c.o.query_segment = target_segment;
    c.o.sight.query_rank = target_rank;
    c.o.sight.self = false;
    return c;
}

static call causal(at_tape *t)
{
    call c = content(t);
    c.o.sight = (at_sight){.causal = true, .limited = true, .reach = M};
    return c;
}

static at_attention_result run(at_tape *t, const call *c)
{
    at_attention_result r = at_relative_attention(t, c->q, at_rows_of(c->k), at_rows_of(c->v),
                                                  c->o);
    if (at_failed(t))
        fail_msg("%s", at_tape_error(t)->message);
    return r;
}

/* ---- the formula as loops ------------------------------------------------------------------- */

static int position_of(const call *c, int b, int i)
{
    int Q = c->q->shape.dim[1];
    return c->o.positions ? c->o.positions[b * Q + i] : K - Q + i;
}

static bool sees(const call *c, int b, int i, int j)
{
    const at_sight *s = &c->o.sight;
    int Q = c->q->shape.dim[1], p = position_of(c, b, i);
    if (s->self && j == p)
        return true;
    if (s->causal && (j > p || j < p - s->reach))
        return false;
    return !s->key_rank || s->key_rank[b * K + j] < s->query_rank[b * Q + i];
}

static double score(const call *c, int b, int h, int i, int j)
{
    int Q = c->q->shape.dim[1], p = position_of(c, b, i);
    const real *q = c->q->value + (b * Q + i) * W + h * D, *u = c->o.u->value + h * D;
    const real *k = c->k->value + (b * K + j) * W + h * D, *w = c->o.w->value + h * D;
    const real *r = c->o.distances->value + (directions[b] * N + K - p + j) * W + h * D;
    bool other = c->o.query_segment[b * Q + i] != key_segment[b * K + j];
    const real *g = c->o.g->value + other * W + h * D, *s = c->o.s->value + h * D;
    double sum = 0;
    for (int d = 0; d < D; d++)
        sum += ((double)q[d] + u[d]) * k[d] + ((double)q[d] + w[d]) * r[d]
               + ((double)q[d] + s[d]) * g[d];
    return sum * c->o.scale;
}

static void compare_row(const call *c, at_attention_result r, int b, int h, int i)
{
    int Q = c->q->shape.dim[1], p = position_of(c, b, i);
    int keys = c->o.sight.lengths ? c->o.sight.lengths[b] : K;
    double weight[K] = {0}, context[D] = {0}, sum = 0;
    for (int j = 0; p >= 0 && j < keys; j++)
        sum += weight[j] = sees(c, b, i, j) ? exp(score(c, b, h, i, j) - 20) : 0;
    for (int j = 0; p >= 0 && j < keys; j++) {
        weight[j] /= sum;
        for (int d = 0; d < D; d++)
            context[d] += weight[j] * (double)c->v->value[(b * K + j) * W + h * D + d];
    }
    double tolerance = sizeof(real) == 8 ? 1e-12 : 2e-5;
    const real *got = r.weights->value + ((b * H + h) * Q + i) * K;
    for (int j = 0; j < K; j++)
        if (fabs(got[j] - weight[j]) > tolerance)
            fail_msg("weight %d %d %d %d is %g, not %g", b, h, i, j, (double)got[j], weight[j]);
    for (int d = 0; d < D; d++) {
        double x = (double)r.context->value[(b * Q + i) * W + h * D + d];
        if (fabs(x - context[d]) > 4 * tolerance)
            fail_msg("context %d %d %d is %g, not %g", b, h, i, x, context[d]);
    }
}

static void it_computes_the_formula(void **state)
{
    (void)state;
    call (*const calls[])(at_tape *) = {content, targets, causal};
    for (int n = 0; n < 3; n++) {
        at_tape *t = at_tape_new(params, ATTEND_INFER);
        call c = calls[n](t);
        c.o.weights = true;
        at_attention_result r = run(t, &c);
        for (int b = 0; b < B; b++)
            for (int i = 0; i < c.q->shape.dim[1]; i += 7)
                compare_row(&c, r, b, i % H, i);
        at_tape_free(t);
    }
}

/* ---- bits ----------------------------------------------------------------------------------- */

static void same(const real *a, const real *b, size_t n, const char *what)
{
    if (memcmp(a, b, n * sizeof *a) != 0)
        fail_msg("%s: other bits", what);
}

static void neither_weights_nor_threads_change_a_bit(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    call (*const calls[])(at_tape *) = {content, targets, causal};
    for (int n = 0; n < 3; n++) {
        call c = calls[n](t);
        at_attention_result one = run(t, &c);
        for (int threads = 1; threads < 6; threads += 2) {
            attend_set_threads(threads);
            c.o.weights = threads > 1;
            same(one.context->value, run(t, &c).context->value, one.context->len, "threads");
        }
        attend_set_threads(2);
    }
    at_tape_free(t);
}

/* a sentence alone, without its padding, has the bits that it has in the batch */
static void padding_changes_no_bit(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    call c = content(t);
    at_attention_result all = run(t, &c);
    int b = 2, keys = lengths[b], Q = keys - M;
    call one = c;
    one.q = at_slice(t, at_slice(t, c.q, 0, b, b + 1), 1, 0, Q);
    one.k = at_slice(t, at_slice(t, c.k, 0, b, b + 1), 1, 0, keys);
    one.v = at_slice(t, at_slice(t, c.v, 0, b, b + 1), 1, 0, keys);
    one.o.directions = directions + b;
    one.o.query_segment = segment + b * T;
    one.o.key_segment = key_segment + b * K;
    one.o.sight = (at_sight){
        .query_rank = rank + b * T, .key_rank = key_rank + b * K, .self = true};
    same(all.context->value + b * T * W, run(t, &one).context->value, (size_t)(Q * W), "padding");
    at_tape_free(t);
}

/* one query at a time, with the keys up to it, has the bits of all at once */
static void one_query_at_a_time_has_the_bits_of_all(void **state)
{
    (void)state;
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    call c = causal(t);
    c.o.sight.limited = false;
    at_attention_result all = run(t, &c);
    for (int i = 0; i < T; i += 13) {
        int keys = M + i + 1;
        call one = c;
        one.q = at_slice(t, at_slice(t, c.q, 0, 1, 2), 1, i, i + 1);
        one.k = at_slice(t, at_slice(t, c.k, 0, 1, 2), 1, 0, keys);
        one.v = at_slice(t, at_slice(t, c.v, 0, 1, 2), 1, 0, keys);
        one.o.directions = directions + 1;
        one.o.query_segment = segment + T + i;
        one.o.key_segment = key_segment + K;
        same(all.context->value + (T + i) * W, run(t, &one).context->value, W, "one query");
    }
    at_tape_free(t);
}

/* ---- gradients ------------------------------------------------------------------------------ */

static at_tensor *loss(at_tape *t)
{
    at_tensor *part[3];
    call (*const calls[])(at_tape *) = {content, targets, causal};
    at_tape_seed(t, 7, 1, 0);
    for (int n = 0; n < 3; n++) {
        call c = calls[n](t);
        c.o.weights = n == 0;
        c.o.dropout = n == 1 ? (real)0.2 : 0;
        at_attention_result r = run(t, &c);
        part[n] = at_sum(t, at_multiply(t, r.context, r.context));
        if (r.weights)
            part[n] = at_add(t, part[n], at_sum(t, at_multiply(t, r.weights, r.weights)));
        part[n] = at_reshape(t, part[n], SHAPE(1));
    }
    return at_sum(t, at_concat(t, 3, part, 0));
}

static void move(double by)
{
    for (int i = 0; i < at_params_count(params); i++) {
        at_parameter *v = at_params_at(params, i);
        at_random key = {.seed = 3, .use = (uint32_t)i};
        for (size_t j = 0; j < v->len; j++)
            v->value[j] += (real)(by * at_random_normal(key, (uint32_t)j));
    }
}

static double loss_now(at_tape *t)
{
    at_tape_reset(t);
    return (double)loss(t)->value[0];
}

static void the_gradient_along_a_direction_is_right(void **state)
{
    (void)state;
    if (sizeof(real) != 8)
        skip();
    at_tape *t = at_tape_new(params, ATTEND_TRAIN);
    assert_true(at_backward(t, loss(t)));
    double slope = 0, step = 1e-6;
    for (int i = 0; i < at_params_count(params); i++) {
        at_random key = {.seed = 3, .use = (uint32_t)i};
        const real *g = at_param_grad(t, i);
        for (size_t j = 0; j < at_params_at(params, i)->len; j++)
            slope += (double)g[j] * (double)(real)at_random_normal(key, (uint32_t)j);
    }
    move(step);
    double up = loss_now(t);
    move(-2 * step);
    double numeric = (up - loss_now(t)) / (2 * step);
    if (fabs(slope - numeric) > 1e-6 * fabs(numeric))
        fail_msg("analytic %.12g, numeric %.12g", slope, numeric);
    at_tape_free(t);
}

/* ---- queries that see nothing --------------------------------------------------------------- */

enum { SQ = 3, SK = 4 };

static const unsigned char hidden[SQ * SK] = {0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1};

/* content alone: as the peer, score - 1e30 */
static at_attention_result blind(at_tape *t, bool fused)
{
    at_tensor *q = number(t, "bq", SHAPE(1, SQ, D)), *k = number(t, "bk", SHAPE(1, SK, D));
    at_tensor *v = number(t, "bv", SHAPE(1, SK, D)), *zero = at_zeros(t, SHAPE(D));
    if (fused) {
        at_relative_options o = {.heads = 1,
                                 .scale = (real)0.5,
                                 .distances = at_zeros(t, SHAPE(1, SK + SQ, D)),
                                 .far = SK,
                                 .u = zero,
                                 .w = zero,
                                 .sight.hidden = hidden,
                                 .weights = true};
        return at_relative_attention(t, q, at_rows_of(k), at_rows_of(v), o);
    }
    at_tensor *mask = at_zeros(t, SHAPE(SQ, SK));
    for (int i = 0; i < SQ * SK; i++)
        mask->value[i] = hidden[i] ? (real)-1e30 : 0;
    at_tensor *s = at_add(t, at_matmul(t, q, false, k, true, (real)0.5), mask);
    at_tensor *weights = at_softmax(t, s, NULL);
    return (at_attention_result){at_matmul(t, weights, false, v, false, 1), weights};
}

static void who_sees_nothing_weighs_all_equally_and_passes_the_gradient_on(void **state)
{
    (void)state;
    real grad[2][SK * D * 3];
    for (int fused = 0; fused < 2; fused++) {
        at_tape *t = at_tape_new(params, ATTEND_GRAD);
        at_attention_result r = blind(t, fused);
        for (int j = 0; fused && j < SK; j++)
            assert_true(r.weights->value[SK + j] == (real)0.25);
        assert_true(at_backward(t, at_sum(t, at_multiply(t, r.context, r.context))));
        memset(grad[fused], 0, sizeof grad[fused]);
        for (int i = 0; i < 3; i++)
            memcpy(grad[fused] + i * SK * D, at_param_grad(t, i),
                   at_params_at(params, i)->len * sizeof(real));
        at_tape_free(t);
    }
    for (int i = 0; i < 3 * SK * D; i++)
        assert_true(fabs((double)(grad[0][i] - grad[1][i])) < (sizeof(real) == 8 ? 1e-13 : 1e-5));
}

/* ---- bad input ------------------------------------------------------------------------------ */

static void refuses(at_tape *t, const call *c, const char *what)
{
    at_tape_reset(t);
    call again = content(t);
    again.o = c->o;
    at_relative_attention(t, again.q, at_rows_of(again.k), at_rows_of(again.v), again.o);
    if (!at_failed(t) || !strstr(at_tape_error(t)->message, "relative attention"))
        fail_msg("%s is taken", what);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const int wrong[B] = {0, 2, 0}, long_length[B] = {1, 1, K + 1};
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    call c = content(t);
    c.o.far = K - 2;
    refuses(t, &c, "a query farther than all distances");
    c = content(t);
    c.o.far = N;
    refuses(t, &c, "a key before all distances");
    c = content(t);
    c.o.directions = wrong;
    refuses(t, &c, "a third direction");
    c = content(t);
    c.o.sight.lengths = long_length;
    refuses(t, &c, "a length beyond the keys");
    c = content(t);
    c.o.sight.query_rank = NULL;
    refuses(t, &c, "ranks of keys alone");
    c = content(t);
    c.o.s = NULL;
    refuses(t, &c, "segments without a bias");
    c = content(t);
    c.o.heads = 3;
    refuses(t, &c, "3 heads of 10 numbers");
    at_tape_free(t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_computes_the_formula),
        TEST(neither_weights_nor_threads_change_a_bit),
        TEST(padding_changes_no_bit),
        TEST(one_query_at_a_time_has_the_bits_of_all),
        TEST(the_gradient_along_a_direction_is_right),
        TEST(who_sees_nothing_weighs_all_equally_and_passes_the_gradient_on),
        TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
