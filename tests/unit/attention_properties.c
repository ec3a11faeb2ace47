/* What must hold for every attention, whatever its score, scope, pick and heads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attention_every.h"
#include "base/random.h"

enum { B = 3, Q = 4, K = 6, D = 4 };
static const int lengths[B] = {6, 4, 1};

static at_params *params;
static at_tape *tape;
static real q_data[B * Q * D], k_data[2 * B * K * D], v_data[2 * B * K * D];

static void fill(real *x, size_t n, uint32_t use)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (real)at_random_normal((at_random){.seed = 11, .use = use}, (uint32_t)i);
}

static int set_up(void **state)
{
    (void)state;
    fill(q_data, B * Q * D, 1);
    fill(k_data, B * K * D, 2);
    fill(v_data, B * K * D, 3);
    return 0;
}

/* a fresh tape and fresh parameters, with the same values every time */
static void start_in(at_mode mode)
{
    at_tape_free(tape);
    at_params_free(params);
    params = at_params_new(1);
    tape = at_tape_new(params, mode);
}

static void start(void) { start_in(ATTEND_GRAD); } /* hard picks take the highest score */

static int tear_down(void **state)
{
    (void)state;
    at_tape_free(tape);
    at_params_free(params);
    tape = NULL;
    params = NULL;
    return 0;
}

typedef struct {
    const real *q, *k, *v;
    int batch, queries, keys;
    const int *lengths;
    at_mask mask;
    bool causal;
    const int *centres;
    bool scores;
    bool unseen; /* nobody wants the weights */
} source;

static source whole(void)
{
    return (source){.q = q_data,
                    .k = k_data,
                    .v = v_data,
                    .batch = B,
                    .queries = Q,
                    .keys = K,
                    .lengths = lengths};
}

static at_reading read(const at_how *how, source s, const char *text)
{
    at_tensor *q = at_input(tape, SHAPE(s.batch, s.queries, D), s.q);
    at_tensor *k = at_input(tape, SHAPE(s.batch, s.keys, D), s.k);
    at_tensor *v = at_input(tape, SHAPE(s.batch, s.keys, D), s.v);
    at_memory m = at_attention_prepare(tape, at_root(), how, D, k, v, s.lengths);
    s.mask.causal |= s.causal;
    at_reading r = at_attention_read(tape, at_root(), how, &m,
                                     (at_query){.query = q,
                                                .mask = s.mask,
                                                .centres = s.centres,
                                                .weights = !s.unseen,
                                                .scores = s.scores});
    if (at_tape_error(tape))
        fail_msg("%s: %s", text, at_tape_error(tape)->message);
    return r;
}

static void same(const char *text, const char *what, const real *a, const real *b, size_t n,
                 double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)(a[i] - b[i])) <= tolerance))
            fail_msg("%s: %s[%zu]: %.9g and %.9g", text, what, i, (double)a[i], (double)b[i]);
}

#define TIGHT (sizeof(real) == sizeof(double) ? 1e-12 : 3e-6)

/* ---- weights ------------------------------------------------------------------------------ */

static bool fades(const at_how *how) { return at_how_local(how)->loses_mass; }

static void check_weights(const at_how *how, const char *text, void *user)
{
    (void)user;
    int centres[B * Q]; /* as a decoder passes them: inside the sentence */
    for (int row = 0; row < B * Q; row++)
        centres[row] = row % Q < lengths[row / Q] ? row % Q : lengths[row / Q] - 1;
    for (int causal = 0; causal < 2; causal++) {
        start();
        source s = whole();
        s.causal = causal;
        s.centres = centres;
        at_reading r = read(how, s, text);
        int H = how->heads ? how->heads : 1;
        assert_true(at_shape_equal(r.weights->shape, SHAPE(B, H, Q, K)));
        for (int row = 0; row < B * H * Q; row++) {
            int b = row / H / Q, i = row % Q;
            int end = causal && i + 1 < lengths[b] ? i + 1 : lengths[b];
            double sum = 0;
            bool any = false;
            for (int j = 0; j < K; j++) {
                double w = (double)r.weights->value[row * K + j];
                if (!(w >= 0) || (j >= end && w != 0))
                    fail_msg("%s: weight [%d,%d] is %g", text, row, j, w);
                sum += w;
                any |= w > 0;
            }
            bool one = fabs(sum - 1) < 1e-5, empty = sum == 0 && !any;
            if (!one && !empty && !(fades(how) && sum <= 1 + 1e-5))
                fail_msg("%s: row %d sums to %g", text, row, sum);
        }
    }
}

static void weights_are_a_distribution_over_what_is_visible(void **state)
{
    (void)state;
    assert_true(is_enough(every_attention(2, check_weights, NULL), 700));
}

/* ---- scores ------------------------------------------------------------------------------- */

/* one row of n weights against what its scores say: softmax, the first of the highest, or (fades,
 * blocks, mixtures, projections of the simplex) at least nothing where there is no score */
static void check_row(const at_how *how, const char *text, int n, const real *e, const real *w)
{
    bool plain = how->scope->sees_all
                 || (how->scope->is_local && !how->scope->loses_mass && !how->scope->has_blocks);
    double sum = 0, most = -INFINITY;
    int best = -1;
    for (int j = 0; j < n; j++)
        if ((double)e[j] > most) {
            most = (double)e[j];
            best = j;
        }
    for (int j = 0; j < n; j++)
        sum += best < 0 ? 0 : exp((double)e[j] - most);
    for (int j = 0; j < n; j++) {
        bool seen = e[j] > -(real)INFINITY;
        double soft = seen ? exp((double)e[j] - most) / sum : 0, hard = j == best;
        if (isnan((double)e[j]) || (!seen && w[j] != 0))
            fail_msg("%s: weight %g where the score is %g", text, (double)w[j], (double)e[j]);
        if (plain && how->pick->is_softmax && fabs((double)w[j] - soft) > 1e-5)
            fail_msg("%s: weight %g, softmax of the scores %g", text, (double)w[j], soft);
        if (plain && how->pick->draws && (double)w[j] != hard)
            fail_msg("%s: weight %g, the highest score is number %d", text, (double)w[j], best);
    }
}

static void check_scores(const at_how *how, const char *text, void *user)
{
    (void)user;
    int H = how->heads ? how->heads : 1;
    start();
    source s = whole();
    s.causal = true;
    at_reading without = read(how, s, text);
    s.scores = true;
    at_reading with = read(how, s, text);
    assert_null(without.scores);
    assert_true(at_shape_equal(with.scores->shape, SHAPE(B, H, Q, K)));
    assert_memory_equal(with.context->value, without.context->value,
                        with.context->len * sizeof(real));
    assert_memory_equal(with.weights->value, without.weights->value,
                        with.weights->len * sizeof(real));
    for (int row = 0; row < B * H * Q; row++)
        check_row(how, text, K, with.scores->value + row * K, with.weights->value + row * K);
}

static void scores_are_what_the_pick_saw(void **state)
{
    (void)state;
    assert_true(is_enough(every_attention(2, check_scores, NULL), 700));
}

/* ---- batches and padding ------------------------------------------------------------------ */

static void check_rows(const at_how *how, const char *text, void *user)
{
    (void)user;
    start();
    at_reading all = read(how, whole(), text);
    size_t width = at_shape_last(all.context->shape) * (size_t)Q;
    for (int b = 0; b < B; b++) {
        source s = whole();
        s.q += b * Q * D;
        s.k += b * K * D;
        s.v += b * K * D;
        s.lengths += b;
        s.batch = 1;
        at_reading one = read(how, s, text);
        assert_memory_equal(one.context->value, all.context->value + (size_t)b * width,
                            width * sizeof(real));
    }
}

static void a_batch_equals_its_sentences(void **state)
{
    (void)state;
    every_attention(2, check_rows, NULL);
}

static void check_padding(const at_how *how, const char *text, void *user)
{
    (void)user;
    enum { MORE = 8 };
    static real k[B * MORE * D], v[B * MORE * D];
    fill(k, B * MORE * D, 77); /* the padding is full of numbers */
    fill(v, B * MORE * D, 78);
    for (int b = 0; b < B; b++) {
        memcpy(k + b * MORE * D, k_data + b * K * D, K * D * sizeof(real));
        memcpy(v + b * MORE * D, v_data + b * K * D, K * D * sizeof(real));
    }
    start();
    at_reading tight = read(how, whole(), text);
    source s = whole();
    s.k = k;
    s.v = v;
    s.keys = MORE;
    at_reading wide = read(how, s, text);
    same(text, "context", tight.context->value, wide.context->value, tight.context->len, TIGHT);
}

static void padding_changes_nothing(void **state)
{
    (void)state;
    every_attention(2, check_padding, NULL);
}

/* sentences of many lengths as a decoder reads them, in batches of many widths */
enum { MANY = 9, LONGEST = 70, WIDEST = 131 };
static const int many_lengths[MANY] = {70, 37, 33, 20, 17, 9, 8, 3, 1};
static real many_k[MANY * LONGEST * D], many_v[MANY * LONGEST * D], many_q[MANY * Q * D];

/* sentences first .. first+n-1, each with `keys` places, and steps from `step` on */
static at_reading read_many(const at_how *how, const char *text, int first, int n, int keys,
                            int step, bool unseen)
{
    static real k[MANY * WIDEST * D], v[MANY * WIDEST * D];
    int centres[MANY * Q];
    for (int i = 0; i < n * keys * D; i++)
        k[i] = v[i] = (real)(i % 7 - 3); /* the padding is full of numbers */
    for (int b = 0; b < n; b++) {
        int length = many_lengths[first + b];
        size_t bytes = (size_t)(length * D) * sizeof(real);
        memcpy(k + b * keys * D, many_k + (first + b) * LONGEST * D, bytes);
        memcpy(v + b * keys * D, many_v + (first + b) * LONGEST * D, bytes);
        for (int i = 0; i < Q; i++)
            centres[b * Q + i] = step + i < length ? step + i : length - 1;
    }
    return read(how,
                (source){.q = many_q + first * Q * D,
                         .k = k,
                         .v = v,
                         .batch = n,
                         .queries = Q,
                         .keys = keys,
                         .lengths = many_lengths + first,
                         .centres = centres,
                         .unseen = unseen},
                text);
}

static void check_bits(const at_how *how, const char *text, int b, const at_reading *all, int keys,
                       const at_reading *one)
{
    int H = how->heads ? how->heads : 1, length = many_lengths[b];
    size_t width = (size_t)at_shape_last(one->context->shape) * Q;
    const real *context = all->context->value + (size_t)b * width;
    if (memcmp(one->context->value, context, width * sizeof(real)) != 0)
        fail_msg("%s: the context of %d places is another in a batch of %d", text, length, keys);
    for (int row = 0; one->weights && row < H * Q; row++)
        if (memcmp(one->weights->value + row * length,
                   all->weights->value + (b * H * Q + row) * keys, (size_t)length * sizeof(real))
            != 0)
            fail_msg("%s: weights of %d places are others in a batch of %d", text, length, keys);
}

static void check_batches(const at_how *how, const char *text, void *user)
{
    static const int widths[] = {70, 73, 131};
    at_how wide = *how;
    (void)user;
    if (how->score->limits_length)
        wide.score_values.number[0] = WIDEST;
    for (int way = 0; way < 4; way++) {
        int step = 4 + way % 2 * 18;
        bool unseen = way >= 2;
        at_reading one[MANY], all;
        start_in(ATTEND_INFER);
        for (int b = 0; b < MANY; b++)
            one[b] = read_many(&wide, text, b, 1, many_lengths[b], step, unseen);
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            all = read_many(&wide, text, 0, MANY, widths[w], step, unseen);
            for (int b = 0; b < MANY; b++)
                check_bits(how, text, b, &all, widths[w], &one[b]);
        }
    }
}

static void no_bit_depends_on_padding_or_the_batch(void **state)
{
    (void)state;
    fill(many_q, MANY * Q * D, 81);
    fill(many_k, MANY * LONGEST * D, 82);
    fill(many_v, MANY * LONGEST * D, 83);
    assert_true(is_enough(every_attention(2, check_batches, NULL), 700));
}

/* ---- order and time ------------------------------------------------------------------------ */

static void check_order(const at_how *how, const char *text, void *user)
{
    int *checked = user;
    if (how->score->knows_positions || !how->scope->sees_all)
        return;
    static const int order[] = {3, 0, 5, 1, 4, 2};
    real k[K * D], v[K * D];
    for (int j = 0; j < K; j++) {
        memcpy(k + j * D, k_data + order[j] * D, D * sizeof(real));
        memcpy(v + j * D, v_data + order[j] * D, D * sizeof(real));
    }
    start();
    source s = whole();
    s.batch = 1;
    at_reading a = read(how, s, text);
    s.k = k;
    s.v = v;
    at_reading b = read(how, s, text);
    same(text, "context", a.context->value, b.context->value, a.context->len, TIGHT);
    for (size_t i = 0; i < a.weights->len; i++)
        if (fabs((double)(a.weights->value[i / K * K + (size_t)order[i % K]] - b.weights->value[i]))
            > TIGHT)
            fail_msg("%s: weights do not move with their keys", text);
    ++*checked;
}

static void weights_move_with_their_keys(void **state)
{
    (void)state;
    int checked = 0;
    every_attention(2, check_order, &checked);
    assert_true(is_enough(checked, 50));
}

/* change the future: the past must not notice */
static void check_causal(const at_how *how, const char *text, void *user)
{
    (void)user;
    static real k[B * K * D], v[B * K * D];
    start();
    source s = whole();
    s.causal = true;
    at_reading a = read(how, s, text);
    size_t width = (size_t)at_shape_last(a.context->shape);
    for (int now = 0; now < Q; now++) {
        memcpy(k, k_data, sizeof k);
        memcpy(v, v_data, sizeof v);
        for (int i = 0; i < B * K * D; i++)
            if (i / D % K > now)
                k[i] += 9, v[i] -= 9;
        s.k = k;
        s.v = v;
        at_reading b = read(how, s, text);
        for (int row = 0; row < B * Q; row++)
            if (row % Q <= now)
                assert_memory_equal(a.context->value + (size_t)row * width,
                                    b.context->value + (size_t)row * width, width * sizeof(real));
    }
}

static void nothing_causal_depends_on_the_future(void **state)
{
    (void)state;
    every_attention(2, check_causal, NULL);
}

static at_how parsed(const char *format, const char *score)
{
    char text[120];
    at_how how;
    attend_error err;
    snprintf(text, sizeof text, format, score);
    if (at_how_parse(&how, text, &err) < 0)
        fail_msg("%s: %s", text, err.message);
    return how;
}

/* ---- masks --------------------------------------------------------------------------------- */

/* sentences whose first queries stand at positions of their own, as in one batch of a decoder */
static void check_firsts(const at_how *how, const char *text, void *user)
{
    (void)user;
    static const int first[B] = {0, 3, 1};
    start();
    source s = whole();
    s.causal = true;
    s.mask.first = first;
    at_reading all = read(how, s, text);
    size_t width = at_shape_last(all.context->shape) * (size_t)Q;
    for (int b = 0; b < B; b++) {
        s = whole();
        s.q += b * Q * D;
        s.k += b * K * D;
        s.v += b * K * D;
        s.lengths += b;
        s.batch = 1;
        s.causal = true;
        s.mask.offset = first[b];
        at_reading one = read(how, s, text);
        assert_memory_equal(one.context->value, all.context->value + (size_t)b * width,
                            width * sizeof(real));
    }
}

static void sentences_have_first_positions_of_their_own(void **state)
{
    (void)state;
    every_attention(2, check_firsts, NULL);
}

/* numbers for each head are added to its scores, and -inf hides; blocks of keys have no numbers */
static void check_added(const at_how *how, const char *text, void *user)
{
    int H = how->heads ? how->heads : 1, *checked = user;
    real added[2 * Q * K];
    unsigned char hidden[2 * Q * K];
    if (at_how_local(how)->has_blocks)
        return;
    fill(added, (size_t)(H * Q * K), 91);
    for (int i = 0; i < H * Q * K; i++) {
        hidden[i] = i % 5 == 1;
        added[i] = hidden[i] ? -(real)INFINITY : added[i];
    }
    start();
    source s = whole();
    s.scores = true;
    s.mask = (at_mask){.hidden = hidden, .hidden_shape = SHAPE(1, H, Q, K)};
    at_reading plain = read(how, s, text);
    s.mask = (at_mask){.added = added, .added_shape = SHAPE(1, H, Q, K)};
    at_reading with = read(how, s, text);
    for (int i = 0; i < B * H * Q * K; i++) {
        real e = plain.scores->value[i], a = added[i % (H * Q * K)];
        if (hidden[i % (H * Q * K)]
            && (with.weights->value[i] != 0 || !isinf(with.scores->value[i])))
            fail_msg("%s: weight %g at a hidden key", text, (double)with.weights->value[i]);
        if (!isinf(e) && fabs((double)(with.scores->value[i] - e - a)) > 1e-5)
            fail_msg("%s: score %g, %g with %g", text, (double)e, (double)with.scores->value[i],
                     (double)a);
    }
    for (int row = 0; row < B * H * Q; row++)
        check_row(how, text, K, with.scores->value + row * K, with.weights->value + row * K);
    ++*checked;
}

static void masks_add_numbers_to_scores(void **state)
{
    (void)state;
    int checked = 0;
    every_attention(2, check_added, &checked);
    assert_true(is_enough(checked, 400));
    at_how how = parsed("%s/expanded:1,2", "dot");
    static const real added[Q * K];
    start();
    at_tensor *x = at_input(tape, SHAPE(B, K, D), k_data);
    at_memory m = at_attention_prepare(tape, at_root(), &how, D, x, x, NULL);
    at_query q = {.query = at_input(tape, SHAPE(B, Q, D), q_data),
                  .mask = {.added = added, .added_shape = SHAPE(Q, K)}};
    at_attention_read(tape, at_root(), &how, &m, q);
    assert_true(at_failed(tape));
}

/* ---- one mechanism as a limit of another --------------------------------------------------- */

static void agree(const char *score, const char *one, const char *other)
{
    at_how a = parsed(one, score), b = parsed(other, score);
    start();
    at_reading x = read(&a, whole(), one), y = read(&b, whole(), other);
    same(other, score, x.context->value, y.context->value, x.context->len, TIGHT);
    same(other, score, x.weights->value, y.weights->value, x.weights->len, TIGHT);
}

static void wide_scopes_equal_global(void **state)
{
    (void)state;
    for (int i = 0; i < at_score_count; i++) {
        const char *name = at_scores[i]->about.name;
        agree(name, "%s", "%s/window:99");
        agree(name, "%s", "%s/hybrid:window,1,1");
        agree(name, "%s/window:1", "%s/hybrid:window,1,0");
        if (!at_scores[i]->knows_positions)
            agree(name, "%s", "%s/expanded:99,3");
    }
}

static void one_head_with_identity_projections_equals_none(void **state)
{
    (void)state;
    static const char *const names[] = {"query", "key", "value", "output"};
    real identity[D * D] = {0};
    for (int i = 0; i < D; i++)
        identity[i * D + i] = 1;
    for (int i = 0; i < at_score_count; i++) {
        at_how none = parsed("%s", at_scores[i]->about.name);
        at_how one = parsed("%s/global/soft/1", at_scores[i]->about.name);
        start();
        at_tensor *eye = at_input(tape, SHAPE(D, D), identity);
        for (int n = 0; n < 4; n++)
            at_tape_bind(tape, names[n], eye);
        at_reading b = read(&one, whole(), "one head");
        for (int n = 0; n < at_params_count(params);
             n++) { /* the same parameters, without head.0 */
            at_parameter *p = at_params_at(params, n);
            if (strncmp(p->name, "head.0.", 7) == 0)
                at_tape_bind(tape, p->name + 7, at_input(tape, p->shape, p->value));
        }
        at_reading a = read(&none, whole(), "no heads");
        same(at_scores[i]->about.name, "context", a.context->value, b.context->value,
             a.context->len, TIGHT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_a_distribution_over_what_is_visible),
        cmocka_unit_test(scores_are_what_the_pick_saw),
        cmocka_unit_test(a_batch_equals_its_sentences),
        cmocka_unit_test(padding_changes_nothing),
        cmocka_unit_test(no_bit_depends_on_padding_or_the_batch),
        cmocka_unit_test(weights_move_with_their_keys),
        cmocka_unit_test(nothing_causal_depends_on_the_future),
        cmocka_unit_test(sentences_have_first_positions_of_their_own),
        cmocka_unit_test(masks_add_numbers_to_scores),
        cmocka_unit_test(wide_scopes_equal_global),
        cmocka_unit_test(one_head_with_identity_projections_equals_none),
    };
    return cmocka_run_group_tests_name("attention_properties", tests, set_up, tear_down);
}
