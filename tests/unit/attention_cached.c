/* Attention position by position on a cache equals causal attention on whole texts, to the bit, for
 * every score, scope, pick and number of heads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attention_every.h"
#include "base/memory.h"
#include "base/random.h"

enum { D = 4, HEADS = 2, ROWS = 5, LONGEST = 84, PROMPT = 70 };

/* One row's history: the numbers of its tokens, from which their vectors follow, and what attention
 * gave at each position. */
typedef struct {
    int length, number[LONGEST];
    real context[LONGEST][D], weights[LONGEST][HEADS][LONGEST];
} history;

typedef struct {
    const at_how *how;
    const char *text;
    at_params *params;
    at_tape *tape;
    at_cache *cache;
    bool weights, scores;
    int rows, numbers;
    history row[ROWS];
} job;

static real value(int number, uint32_t use, int k)
{
    at_random r = {.seed = 5, .use = use};
    return (real)at_random_normal(r, (uint32_t)(number * D + k));
}

/* vectors of the numbers of rows, [rows,n,D]; padding is full of numbers too */
static at_tensor *vectors(at_tape *t, uint32_t use, int rows, int n, const int *numbers)
{
    at_tensor *x = at_new(t, SHAPE(rows, n, D));
    for (int i = 0; !at_failed(t) && i < rows * n * D; i++)
        x->value[i] = value(numbers[i / D], use, i % D);
    return x;
}

static void check_tape(const job *j)
{
    if (at_failed(j->tape))
        fail_msg("%s: %s", j->text, at_tape_error(j->tape)->message);
}

/* ---- on a cache ---------------------------------------------------------------------------- */

static at_reading read_new(job *j, int n, const int *numbers)
{
    at_tape *t = j->tape;
    at_tape_reset(t);
    at_tensor *k = vectors(t, 1, j->rows, n, numbers), *v = vectors(t, 2, j->rows, n, numbers);
    at_memory m = at_attention_append(t, at_root(), j->how, D, k, v, j->cache, 0);
    at_query q = {.query = vectors(t, 3, j->rows, n, numbers),
                  .mask = {.causal = true, .first = at_cache_firsts(j->cache)},
                  .weights = j->weights,
                  .scores = j->scores};
    return at_attention_read(t, at_root(), j->how, &m, q);
}

static void record(job *j, const at_reading *r, int row, int i, int n)
{
    history *h = &j->row[row];
    int H = j->how->heads ? j->how->heads : 1, K = at_cache_max_length(j->cache), at = h->length;
    memcpy(h->context[at], r->context->value + (row * n + i) * D, sizeof h->context[at]);
    for (int head = 0; j->weights && head < H; head++) {
        const real *w = r->weights->value + ((size_t)((row * H + head) * n + i)) * (size_t)K;
        memcpy(h->weights[at][head], w, (size_t)(at + 1) * sizeof *w);
        for (int k = at + 1; k < K; k++)
            assert_true(w[k] == 0);
    }
}

/* counts[r] new tokens of each row, at most n */
static void step(job *j, int n, const int *counts)
{
    attend_error err;
    int numbers[ROWS * PROMPT];
    for (int r = 0; r < j->rows; r++)
        for (int i = 0; i < n; i++)
            numbers[r * n + i] = j->numbers++;
    assert_true(at_cache_extend(j->cache, n, counts, &err) >= 0);
    at_reading read = read_new(j, n, numbers);
    check_tape(j);
    for (int r = 0; r < j->rows; r++)
        for (int i = 0; i < counts[r]; i++) {
            record(j, &read, r, i, n);
            j->row[r].number[j->row[r].length++] = numbers[r * n + i];
        }
    at_cache_commit(j->cache);
}

static void reorder(job *j, int n, const int *from)
{
    static history before[ROWS];
    attend_error err;
    memcpy(before, j->row, sizeof before);
    assert_true(at_cache_reorder(j->cache, n, from, &err) >= 0);
    for (int i = 0; i < n; i++)
        j->row[i] = before[from[i]];
    j->rows = n;
}

static void join(job *j, int n)
{
    attend_error err;
    assert_true(at_cache_join(j->cache, n, &err) >= 0);
    for (int i = 0; i < n; i++)
        j->row[j->rows++].length = 0;
}

/* ---- the whole text at once ---------------------------------------------------------------- */

static void check_row(const job *j, int row)
{
    const history *h = &j->row[row];
    at_tape *t = j->tape;
    int L = h->length, H = j->how->heads ? j->how->heads : 1;
    at_tape_reset(t);
    at_tensor *k = vectors(t, 1, 1, L, h->number), *v = vectors(t, 2, 1, L, h->number);
    at_memory m = at_attention_prepare(t, at_root(), j->how, D, k, v, NULL);
    at_query q = {
        .query = vectors(t, 3, 1, L, h->number), .mask = {.causal = true}, .weights = j->weights};
    at_reading r = at_attention_read(t, at_root(), j->how, &m, q);
    check_tape(j);
    for (int i = 0; i < L; i++) {
        if (memcmp(r.context->value + i * D, h->context[i], sizeof h->context[i]) != 0)
            fail_msg("%s: row %d, position %d: another context", j->text, row, i);
        for (int head = 0; j->weights && head < H; head++)
            if (memcmp(r.weights->value + (head * L + i) * L, h->weights[i][head],
                       (size_t)(i + 1) * sizeof(real))
                != 0)
                fail_msg("%s: row %d, head %d, position %d: other weights", j->text, row, head, i);
    }
}

/* ragged prompts, a beam that forks and reorders, rows that wait, leave and join */
static void run(job *j)
{
    join(j, 3);
    step(j, PROMPT, (int[]){PROMPT, 5, 1});
    step(j, 1, (int[]){1, 1, 1});
    reorder(j, 4, (int[]){1, 1, 0, 2});
    step(j, 1, (int[]){1, 1, 1, 1});
    reorder(j, 4, (int[]){3, 0, 2, 1});
    step(j, 2, (int[]){2, 0, 1, 2});
    join(j, 1);
    step(j, 3, (int[]){1, 2, 0, 1, 3});
    reorder(j, 5, (int[]){4, 1, 1, 3, 2});
    step(j, 1, (int[]){1, 1, 1, 1, 1});
    for (int r = 0; r < j->rows; r++)
        check_row(j, r);
}

static at_cache *new_cache(const at_how *how)
{
    int widths[ATTEND_ATTENTION_STREAMS];
    int streams = at_attention_streams(how, D, D, D, widths);
    at_cache *c = at_cache_new(2, streams, widths);
    assert_non_null(c);
    return c;
}

static void begin(job *j, const at_how *how, const char *text)
{
    memset(j, 0, sizeof *j);
    j->how = how;
    j->text = text;
    j->params = at_params_new(1);
    j->tape = at_tape_new(j->params, ATTEND_INFER);
    j->cache = new_cache(how);
}

static void end(job *j)
{
    at_cache_free(j->cache);
    at_tape_free(j->tape);
    at_params_free(j->params);
}

static void check_attention(const at_how *how, const char *text, void *user)
{
    static job j;
    at_how wide = *how;
    const int *size = user;
    if (how->score->limits_length)
        wide.score_values.number[0] = LONGEST;
    wide.size = *size;
    for (int way = 0; way < 3; way++) {
        begin(&j, &wide, text);
        j.weights = way > 0;
        j.scores = way > 1;
        run(&j);
        end(&j);
    }
}

static void growing_texts_equal_whole_ones(void **state)
{
    (void)state;
    int size = 0;
    assert_true(is_enough(every_attention(HEADS, check_attention, &size), 700));
}

static void hidden_layers_may_have_another_width(void **state)
{
    (void)state;
    static const char *const texts[] = {"additive", "additive:bias/window:2/sparse/2"};
    at_how how;
    int size = 3;
    for (int i = 0; i < 2; i++) {
        assert_true(at_how_parse(&how, texts[i], NULL) >= 0);
        check_attention(&how, texts[i], &size);
    }
}

/* Each allocation of a step fails in turn; the step succeeds when it is repeated, with the bits
 * that it has without failures. */
static void a_step_without_memory_can_be_repeated(void **state)
{
    (void)state;
    static const char *const texts[] = {"scaled-dot", "additive/window:1", "cosine/expanded:1,2",
                                        "relative/global/sparse/2"};
    static job j;
    int failures = 0, numbers[2] = {901, 902};
    attend_error err;
    at_how how;
    for (int i = 0; i < 4; i++) {
        assert_true(at_how_parse(&how, texts[i], NULL) >= 0);
        begin(&j, &how, texts[i]);
        join(&j, 2);
        step(&j, 4, (int[]){4, 2});
        attend_status status = ATTEND_MEMORY;
        for (int n = 0; status < 0; n++) {
            at_tape_free(j.tape); /* a new one: the old one has the memory it needs */
            j.tape = at_tape_new(j.params, ATTEND_INFER);
            at_alloc_fail_after(n);
            status = at_cache_extend(j.cache, 1, NULL, &err);
            at_reading read = status < 0 ? (at_reading){.context = NULL} : read_new(&j, 1, numbers);
            status = status < 0 ? status : at_tape_status(j.tape, &err);
            at_alloc_fail_after(-1);
            failures += status < 0;
            assert_true(status >= 0 || status == ATTEND_MEMORY);
            for (int r = 0; r < 2 && status >= 0; r++) {
                record(&j, &read, r, 0, 1);
                j.row[r].number[j.row[r].length++] = numbers[r];
            }
        }
        for (int r = 0; r < 2; r++)
            check_row(&j, r);
        end(&j);
    }
    assert_true(failures > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_texts_equal_whole_ones),
        cmocka_unit_test(hidden_layers_may_have_another_width),
        cmocka_unit_test(a_step_without_memory_can_be_repeated),
    };
    return cmocka_run_group_tests_name("attention_cached", tests, NULL, NULL);
}
