#include "data/windows.h"

#include "data_tokens.h"

/* 23 tokens in lines of 1 to 5: ids 7, 34, 61, ... are a, b, c, ... */
static const char text[] = "a b c\nd\ne f g h i\nj k\n\nl m n o p\nq r s t\nu v w\n";
enum { TOKENS = 23 };

static int id_of(int letter) { return 7 + 27 * letter; }

static at_encoded *letters(at_tokenizer *t)
{
    return encoded_of(text, "text", &(at_encode_options){.source = t});
}

static void windows_cover_the_text_and_look_one_ahead(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    at_windows *w;
    at_batches *b;
    at_batch batch;
    attend_error err;
    at_arena arena;
    at_arena_init(&arena, 1 << 12);
    for (int T = 1; T < TOKENS; T++) {
        bool seen[TOKENS] = {false};
        size_t rows = 0;
        assert_int_equal(at_windows_new(e, &(at_windows_options){.T = T}, &w, &err), ATTEND_OK);
        assert_int_equal(at_windows_count(w), (TOKENS - 1) / T);
        assert_int_equal(at_windows_left(w), TOKENS - (TOKENS - 1) / T * T);
        at_plan_options plan = {.sentences = 2, .seed = 1};
        assert_int_equal(at_batches_new(at_windows_supply(w), &plan, &b, &err), ATTEND_OK);
        while (rows < at_windows_count(w)) {
            assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
            assert_int_equal(batch.source.T, T);
            for (int i = 0; i < batch.source.B; i++, rows++) {
                int first = (int)batch.examples[i] * T;
                assert_false(seen[first]);
                seen[first] = true;
                assert_int_equal(batch.source.lengths[i], T);
                for (int k = 0; k < T; k++) {
                    assert_int_equal(batch.source.ids[i * T + k], id_of(first + k));
                    assert_int_equal(batch.target.ids[i * T + k], id_of(first + k + 1));
                }
            }
        }
        at_batches_free(b);
        at_windows_free(w);
    }
    at_arena_free(&arena);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

/* Every window is a piece of the text, and another epoch has others; resuming finds the same. */
static void random_windows_begin_anywhere(void **state)
{
    (void)state;
    enum { T = 3, BATCHES = 40, MIDDLE = 17 };
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    at_windows *w;
    at_batches *b;
    at_batch batch;
    attend_error err;
    at_arena arena;
    at_windows_options options = {.T = T, .random = true, .seed = 5};
    at_plan_options plan = {.sentences = 2, .seed = 1};
    at_position middle = {0};
    int first[BATCHES][2] = {{0}};
    bool seen[TOKENS] = {false};
    at_arena_init(&arena, 1 << 12);
    assert_int_equal(at_windows_new(e, &options, &w, &err), ATTEND_OK);
    assert_int_equal(at_batches_new(at_windows_supply(w), &plan, &b, &err), ATTEND_OK);
    for (int k = 0; k < BATCHES; k++) {
        if (k == MIDDLE)
            middle = at_batches_position(b);
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        for (int i = 0; i < batch.source.B; i++) {
            int at = 0;
            while (id_of(at) != batch.source.ids[i * T])
                at++;
            for (int j = 0; j < T; j++)
                assert_int_equal(batch.target.ids[i * T + j], id_of(at + j + 1));
            seen[at] = true;
            first[k][i] = at;
        }
    }
    for (int i = 0; i < TOKENS - T; i++)
        assert_true(seen[i]);
    assert_int_equal(at_batches_seek(b, middle, &err), ATTEND_OK);
    for (int k = MIDDLE; k < BATCHES; k++) {
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        for (int i = 0; i < batch.source.B; i++)
            assert_int_equal(batch.source.ids[i * T], id_of(first[k][i]));
    }
    at_batches_free(b);
    at_windows_free(w);
    at_arena_free(&arena);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void streams_go_on_where_they_ended(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    at_windows *w;
    at_batches *b;
    at_batch batch;
    attend_error err;
    at_arena arena;
    at_arena_init(&arena, 1 << 12);
    assert_int_equal(at_windows_new(e, &(at_windows_options){.T = 3, .streams = 2}, &w, &err),
                     ATTEND_OK);
    assert_int_equal(at_windows_count(w), 6);
    at_plan_options plan = {.sentences = 2, .in_order = true};
    assert_int_equal(at_batches_new(at_windows_supply(w), &plan, &b, &err), ATTEND_OK);
    int next[2] = {0, 9};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        assert_int_equal(batch.source.B, 2);
        for (int row = 0; row < 2; row++)
            for (int k = 0; k < 3; k++)
                assert_int_equal(batch.source.ids[row * 3 + k], id_of(next[row]++));
    }
    at_batches_free(b);
    at_windows_free(w);
    at_arena_free(&arena);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void too_little_text_is_an_error(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    at_windows *w;
    attend_error err;
    assert_int_equal(at_windows_new(e, &(at_windows_options){.T = TOKENS}, &w, &err),
                     ATTEND_FORMAT);
    assert_null(w);
    assert_says(&err, "23 tokens of text give no windows of 23");
    assert_int_equal(at_windows_new(e, &(at_windows_options){.T = 12, .streams = 2}, &w, &err),
                     ATTEND_FORMAT);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        at_windows *w;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_windows_new(e, &(at_windows_options){.T = 4}, &w, &err);
        at_alloc_fail_after(-1);
        at_windows_free(w);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
    at_encoded_free(e);
    at_tokenizer_free(t);
}

/* Rows of streams, forwards and backwards, and how much of their document comes before each. */
static void streams_have_a_stride_a_direction_and_a_history(void **state)
{
    (void)state;
    static const struct {
        at_windows_options o;
        int windows, first[8], history[8];
    } cases[] = {
        {{.T = 4, .streams = 2, .stride = 2, .backwards = 1},
         8,
         {0, 16, 2, 14, 4, 12, 6, 10},
         {0, 3, 2, 5, 4, 7, 6, 9}},
        {{.T = 5, .streams = 1}, 4, {0, 5, 10, 15}, {0, 5, 10, 4}},
    };
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    at_arena arena;
    at_arena_init(&arena, 1 << 12);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_windows *w;
        at_batches *b;
        at_batch batch;
        attend_error err;
        int B = cases[i].o.streams, T = cases[i].o.T;
        at_plan_options plan = {.sentences = (size_t)B, .in_order = true};
        assert_int_equal(at_windows_new(e, &cases[i].o, &w, &err), ATTEND_OK);
        assert_int_equal(at_windows_count(w), cases[i].windows);
        assert_int_equal(at_batches_new(at_windows_supply(w), &plan, &b, &err), ATTEND_OK);
        for (int k = 0; k < cases[i].windows; k++) {
            if (k % B == 0)
                assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
            assert_int_equal(batch.source.ids[k % B * T], id_of(cases[i].first[k]));
            assert_int_equal(batch.history[k % B], cases[i].history[k]);
        }
        at_batches_free(b);
        at_windows_free(w);
    }
    at_arena_free(&arena);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

/* Each epoch begins somewhere else, and stays in the text. */
static void shifted_streams_begin_elsewhere(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_encoded *e = letters(t);
    at_arena arena;
    at_windows *w;
    at_batches *b;
    at_batch batch;
    attend_error err;
    bool seen[TOKENS] = {false};
    int different = 0;
    at_windows_options o = {.T = 5, .streams = 1, .shifted = true, .seed = 3};
    at_plan_options plan = {.sentences = 1, .in_order = true};
    at_arena_init(&arena, 1 << 12);
    assert_int_equal(at_windows_new(e, &o, &w, &err), ATTEND_OK);
    assert_int_equal(at_batches_new(at_windows_supply(w), &plan, &b, &err), ATTEND_OK);
    for (size_t k = 0; k < 30 * at_windows_count(w); k++) {
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        int first = (batch.source.ids[0] - 7) / 27;
        for (int i = 0; i < 5; i++)
            assert_int_equal(batch.target.ids[i], id_of(first + i + 1));
        if (batch.index == 0 && !seen[first]) {
            assert_in_range(first, 0, 4);
            seen[first] = true;
            different++;
        }
    }
    assert_int_equal(different, 5);
    at_batches_free(b);
    at_windows_free(w);
    at_arena_free(&arena);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_cover_the_text_and_look_one_ahead),
        cmocka_unit_test(random_windows_begin_anywhere),
        cmocka_unit_test(streams_go_on_where_they_ended),
        cmocka_unit_test(streams_have_a_stride_a_direction_and_a_history),
        cmocka_unit_test(shifted_streams_begin_elsewhere),
        cmocka_unit_test(too_little_text_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
