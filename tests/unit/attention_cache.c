/* The cache against a model that copies whole histories. */
#include "attention/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

enum { STREAMS = 3, ROWS = 12, LONGEST = 120, NEW = 5, EXTRA = 2 };
static const int widths[STREAMS] = {3, 1, 5};

/* A history is the numbers of its positions: what every stream holds there follows from them. */
typedef struct {
    int rows, length[ROWS], position[ROWS][LONGEST];
} naive;

typedef struct {
    at_cache *cache;
    naive model;
    at_params *params;
    at_tape *tape;
    at_random random;
    uint32_t draws;
    int numbers;
    bool state;
} job;

static void start(job *j, int capacity, uint32_t seed)
{
    memset(j, 0, sizeof *j);
    j->state = capacity == 1;
    j->random.seed = seed;
    j->params = at_params_new(1);
    j->tape = at_tape_new(j->params, ATTEND_INFER);
    j->cache = at_cache_new(capacity, STREAMS, widths);
    assert_non_null(j->cache);
}

static void finish(job *j)
{
    at_cache_free(j->cache);
    at_tape_free(j->tape);
    at_params_free(j->params);
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    return at_alloc_live() != 0;
}

static int below(job *j, int n) { return (int)at_random_below(j->random, j->draws++, (uint32_t)n); }

static real value(int number, int stream, int k) { return (real)(number * 100 + stream * 10 + k); }

/* ---- operations, each on both -------------------------------------------------------------- */

static attend_status join(job *j, int n, attend_error *err)
{
    attend_status status = at_cache_join(j->cache, n, err);
    for (int i = 0; i < n && status >= 0; i++)
        j->model.length[j->model.rows++] = 0;
    return status;
}

static attend_status reorder(job *j, int n, const int *from, attend_error *err)
{
    attend_status status = at_cache_reorder(j->cache, n, from, err);
    naive before = j->model;
    for (int i = 0; i < n && status >= 0; i++) {
        j->model.length[i] = before.length[from[i]];
        memcpy(j->model.position[i], before.position[from[i]], sizeof before.position[0]);
    }
    j->model.rows = status >= 0 ? n : before.rows;
    return status;
}

/* x [rows, n, EXTRA + width] of the numbers from `first` on; padding is full of numbers too */
static at_tensor *written(job *j, int stream, int n, const int *counts, int first)
{
    int wide = EXTRA + widths[stream];
    at_tensor *x = at_new(j->tape, SHAPE(j->model.rows, n, wide));
    for (int r = 0; r < j->model.rows && !at_failed(j->tape); r++)
        for (int i = 0; i < n; i++) {
            int number = i < counts[r] ? first++ : -7;
            for (int k = 0; k < wide; k++)
                x->value[(r * n + i) * wide + k] = k < EXTRA ? 99
                                                             : value(number, stream, k - EXTRA);
        }
    return x;
}

static attend_status extend(job *j, int n, const int *counts, bool commit, attend_error *err)
{
    attend_status status = at_cache_extend(j->cache, n, counts, err);
    if (status < 0)
        return status;
    at_tape_reset(j->tape);
    for (int s = 0; s < STREAMS; s++)
        at_cache_write(j->tape, j->cache, s, written(j, s, n, counts, j->numbers), EXTRA);
    if (at_failed(j->tape))
        return at_tape_status(j->tape, err);
    for (int r = 0; r < j->model.rows; r++) {
        int length = j->state && counts[r] ? 0 : j->model.length[r];
        for (int i = 0; i < counts[r]; i++)
            j->model.position[r][length + i] = j->numbers++;
        j->model.length[r] = length + (commit ? counts[r] : 0);
    }
    if (commit)
        at_cache_commit(j->cache);
    return ATTEND_OK;
}

/* ---- comparison ---------------------------------------------------------------------------- */

static void check_stream(job *j, int s, int longest)
{
    at_tensor *y = at_cache_gather(j->tape, j->cache, s);
    int width = widths[s], places = j->state ? 1 : longest;
    assert_false(at_failed(j->tape));
    assert_true(at_shape_equal(y->shape, j->state ? SHAPE(j->model.rows, width)
                                                  : SHAPE(j->model.rows, longest, width)));
    for (int r = 0; r < j->model.rows; r++)
        for (int i = 0; i < places; i++)
            for (int k = 0; k < width; k++) {
                bool there = i < j->model.length[r];
                real expected = there ? value(j->model.position[r][i], s, k) : 0;
                real found = y->value[(r * places + i) * width + k];
                if (found != expected)
                    fail_msg("seed %d, stream %d, row %d, position %d: %g, not %g",
                             (int)j->random.seed, s, r, i, (double)found, (double)expected);
            }
}

/* the rows where they lie against the dense copy */
static void check_rows(job *j, int s, int longest)
{
    at_rows rows = at_cache_rows(j->cache, s);
    at_tensor *y = at_cache_gather(j->tape, j->cache, s);
    assert_null(rows.tensor);
    assert_int_equal(rows.rows, longest);
    assert_int_equal(rows.width, widths[s]);
    for (int r = 0; r < j->model.rows; r++)
        for (int i = 0; i < j->model.length[r]; i++) {
            int column = rows.which ? rows.which[r * longest + i] : r;
            assert_memory_equal(rows.data + column * rows.step + i * rows.ld,
                                y->value + (r * longest + i) * widths[s],
                                (size_t)widths[s] * sizeof(real));
        }
}

static void check(job *j)
{
    int longest = at_cache_max_length(j->cache);
    at_tape_reset(j->tape);
    assert_int_equal(at_cache_count(j->cache), j->model.rows);
    for (int r = 0; r < j->model.rows; r++) {
        assert_int_equal(at_cache_lengths(j->cache)[r], j->model.length[r]);
        assert_int_equal(at_cache_firsts(j->cache)[r], j->model.length[r]);
        assert_true(j->model.length[r] <= longest);
    }
    for (int s = 0; s < STREAMS; s++)
        check_stream(j, s, longest);
    for (int s = 0; s < STREAMS && !j->state; s++)
        check_rows(j, s, longest);
}

/* ---- random sequences ---------------------------------------------------------------------- */

static attend_status any_extend(job *j, attend_error *err)
{
    int counts[ROWS], n = j->state ? 1 : below(j, 3) ? 1 : 1 + below(j, NEW);
    bool ragged = below(j, 2);
    for (int r = 0; r < j->model.rows; r++) {
        counts[r] = ragged ? below(j, n + 1) : n;
        if (j->model.length[r] + n > LONGEST)
            counts[r] = 0;
    }
    /* rows of a state that is not committed are given up */
    bool commit = j->state || below(j, 8);
    attend_status status = extend(j, n, counts, commit, err);
    if (status >= 0 && !commit) /* the next operation drops it */
        status = join(j, 0, err);
    return status;
}

static attend_status any_reorder(job *j, attend_error *err)
{
    int from[ROWS], n = j->model.rows ? 1 + below(j, ROWS) : 0;
    if (below(j, 4) == 0) { /* some rows leave */
        n = 0;
        for (int r = 0; r < j->model.rows; r++)
            if (below(j, 3))
                from[n++] = r;
    } else {
        for (int i = 0; i < n; i++)
            from[i] = below(j, j->model.rows);
    }
    return reorder(j, n, from, err);
}

static attend_status any_operation(job *j, attend_error *err)
{
    int kind = below(j, 12);
    if (j->model.rows == 0 || (kind == 0 && j->model.rows < ROWS))
        return join(j, 1 + below(j, ROWS - j->model.rows), err);
    if (kind == 1 && below(j, 20) == 0) {
        at_cache_clear(j->cache);
        j->model.rows = 0;
        return ATTEND_OK;
    }
    return kind < 5 ? any_reorder(j, err) : any_extend(j, err);
}

static void run(int capacity, uint32_t seed, int steps)
{
    attend_error err;
    job j;
    start(&j, capacity, seed);
    for (int i = 0; i < steps; i++) {
        assert_true(any_operation(&j, &err) >= 0);
        check(&j);
    }
    finish(&j);
}

static void rows_keep_their_histories(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++)
        run(seed % 3 ? 2 : 0, seed, 120);
}

static void recurrent_states_are_replaced(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++)
        run(1, seed, 120);
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Every allocation of a sequence fails once: the operation ends with a status, the cache is as it
 * was, and the operation succeeds when it is repeated. */
static void run_failing(int capacity, uint32_t seed)
{
    attend_error err;
    job j;
    int failures = 0;
    start(&j, capacity, seed);
    for (int i = 0; i < 80; i++) {
        uint32_t draws = j.draws;
        int numbers = j.numbers;
        at_tape_reset(j.tape);
        for (int n = 0;; n++) {
            at_alloc_fail_after(n);
            attend_status status = any_operation(&j, &err);
            at_alloc_fail_after(-1);
            if (status >= 0)
                break;
            assert_int_equal(status, ATTEND_MEMORY);
            failures++;
            assert_true(join(&j, 0, &err) >= 0);
            check(&j);
            j.draws = draws;
            j.numbers = numbers;
        }
        check(&j);
    }
    assert_true(failures > 5);
    finish(&j);
}

static void a_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++)
        run_failing(2, seed);
}

/* A beam needs as many columns as it has rows, however it forks. */
static void a_beam_does_not_grow_but_in_length(void **state)
{
    (void)state;
    enum { BEAM = 4 };
    attend_error err;
    job j;
    int ones[ROWS];
    start(&j, LONGEST, 3);
    for (int r = 0; r < ROWS; r++)
        ones[r] = 1;
    assert_true(join(&j, BEAM, &err) >= 0 && extend(&j, 1, ones, true, &err) >= 0);
    size_t vectors = 0, bytes;
    for (int s = 0; s < STREAMS; s++)
        vectors += (size_t)widths[s] * BEAM * LONGEST * sizeof(real);
    for (int i = 1; i < LONGEST; i++) {
        int from[BEAM];
        for (int r = 0; r < BEAM; r++)
            from[r] = below(&j, BEAM);
        assert_true(reorder(&j, BEAM, from, &err) >= 0 && extend(&j, 1, ones, true, &err) >= 0);
        check(&j);
    }
    bytes = at_cache_bytes(j.cache);
    assert_true(bytes >= vectors && bytes < vectors + 8 * BEAM * LONGEST * sizeof(int) + 1000);
    finish(&j);
}

/* Rows that only grow lie each in its own column: attention needs no table. */
static void rows_that_only_grow_need_no_table(void **state)
{
    (void)state;
    attend_error err;
    job j;
    start(&j, 0, 1);
    assert_true(join(&j, 3, &err) >= 0);
    for (int i = 0; i < 20; i++) {
        assert_true(extend(&j, 2, (int[]){2, i % 3, 1}, true, &err) >= 0);
        assert_null(at_cache_rows(j.cache, 0).which);
    }
    assert_true(reorder(&j, 2, (int[]){1, 2}, &err) >= 0);
    assert_non_null(at_cache_rows(j.cache, 0).which);
    check(&j);
    finish(&j);
}

static void sizes_that_do_not_fit_memory_are_refused(void **state)
{
    (void)state;
    static const int wide[] = {INT32_MAX};
    attend_error err;
    at_cache *c = at_cache_new(INT32_MAX, 1, wide);
    assert_non_null(c);
    assert_true(at_cache_join(c, 1000, &err) >= 0);
    assert_int_equal(at_cache_extend(c, 1, NULL, &err), ATTEND_MEMORY);
    assert_int_equal(at_cache_join(c, INT32_MAX, &err), ATTEND_MEMORY);
    assert_int_equal(at_cache_count(c), 1000);
    assert_int_equal(at_cache_max_length(c), 0);
    at_cache_free(c);
}

static void tensors_of_another_size_are_refused(void **state)
{
    (void)state;
    attend_error err;
    job j;
    start(&j, 0, 1);
    assert_true(join(&j, 2, &err) >= 0 && at_cache_extend(j.cache, 3, NULL, &err) >= 0);
    at_cache_write(j.tape, j.cache, 0, at_zeros(j.tape, SHAPE(2, 3, 3)), 0);
    assert_false(at_failed(j.tape));
    at_cache_write(j.tape, j.cache, 0, at_zeros(j.tape, SHAPE(2, 3, 3)), 1);
    assert_non_null(strstr(at_tape_error(j.tape)->message, "columns 1..3 of (2, 3, 3)"));
    at_tape_reset(j.tape);
    at_cache_write(j.tape, j.cache, 0, at_zeros(j.tape, SHAPE(2, 2, 3)), 0);
    assert_true(at_failed(j.tape));
    finish(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_keep_their_histories, leave),
        cmocka_unit_test_teardown(recurrent_states_are_replaced, leave),
        cmocka_unit_test_teardown(a_failed_allocation_changes_nothing, leave),
        cmocka_unit_test_teardown(a_beam_does_not_grow_but_in_length, leave),
        cmocka_unit_test_teardown(rows_that_only_grow_need_no_table, leave),
        cmocka_unit_test_teardown(sizes_that_do_not_fit_memory_are_refused, leave),
        cmocka_unit_test_teardown(tensors_of_another_size_are_refused, leave),
    };
    return cmocka_run_group_tests_name("attention_cache", tests, NULL, NULL);
}
