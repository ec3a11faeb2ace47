#include "data/permute.h"

#include "data/masking.h"
#include "data_tokens.h"

static at_tokenizer *toy;
static at_encoded *data;
static at_arena arena;

static int enter(void **state)
{
    (void)state;
    at_str text = {0};
    uint32_t seed = 5;
    toy = toy_tokenizer();
    toy->frame = (at_frame){-1, TOY_SEP, TOY_CLS, -1}; /* as XLNet has it */
    for (int i = 0; i < 300; i++) {
        random_words(&text, &seed, 25);
        at_str_add(&text, "\n");
    }
    at_encode_options o = {.source = toy, .source_frame = ATTEND_FRAME_INPUT};
    data = encoded_of(text.text, "text", &o);
    at_str_free(&text);
    at_arena_init(&arena, 1 << 16);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_arena_free(&arena);
    at_encoded_free(data);
    at_tokenizer_free(toy);
    return 0;
}

static at_batch whole(uint32_t step)
{
    at_encoded_supply s = {.data = data};
    at_plan_options plan = {.sentences = 1000, .in_order = true};
    at_batches *b;
    at_batch batch;
    attend_error err;
    assert_int_equal(at_batches_new(at_supply_encoded(&s), &plan, &b, &err), ATTEND_OK);
    assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
    batch.step = step;
    at_batches_free(b);
    return batch;
}

static at_permutation permute(const at_batch *b, const at_permuting *p)
{
    at_permutation out;
    attend_error err;
    assert_int_equal(at_permute(b, p, &arena, &out, &err), ATTEND_OK);
    return out;
}

static void one_token_in_six_is_predicted_in_short_spans(void **state)
{
    (void)state;
    at_permuting p;
    at_permuting_defaults(&p, toy);
    at_batch b = whole(1);
    at_permutation out = permute(&b, &p);
    int tokens = 0, chosen = 0;
    for (int row = 0; row < b.source.B; row++) {
        int last = -2, run = 0, n = b.source.lengths[row];
        tokens += n;
        for (int i = 0; i < out.P; i++) {
            int at = out.positions[row * out.P + i];
            if (at < 0) {
                assert_int_equal(out.targets[row * out.P + i], ATTEND_NO_TARGET);
                continue;
            }
            assert_true(at > last && at < n - 2); /* rising; the frame is at the end */
            assert_int_equal(out.targets[row * out.P + i], b.source.ids[row * b.source.T + at]);
            run = at == last + 1 ? run + 1 : 1;
            assert_true(run <= 10); /* two spans of five may meet */
            last = at;
            chosen++;
        }
    }
    assert_in_range(1000 * chosen / tokens, 120, 190);
}

/* Among predicted tokens: of two, exactly one sees the other; nobody sees itself; the relation is
 * an order. What is not predicted is seen by all, and sees no predicted token unless it is special.
 */
static void predicted_tokens_see_each_other_in_an_order(void **state)
{
    (void)state;
    at_permuting p;
    at_permuting_defaults(&p, toy);
    at_batch b = whole(1);
    at_permutation out = permute(&b, &p);
    int T = out.T;
    for (int row = 0; row < b.source.B; row++) {
        bool chosen[512] = {false};
        int n = b.source.lengths[row], count = 0;
        bool rank[512] = {false};
        for (int i = 0; i < out.P && out.positions[row * out.P + i] >= 0; i++, count++)
            chosen[out.positions[row * out.P + i]] = true;
        for (int i = 0; i < T; i++) {
            int seen = 0;
            for (int j = 0; j < T; j++) {
                bool hides = !at_permutation_sees(&out, row, i, j);
                if (i >= n)
                    continue;
                if (j >= n || !chosen[j])
                    assert_false(hides);
                else if (chosen[i] && i != j)
                    assert_int_not_equal(hides, !at_permutation_sees(&out, row, j, i));
                else if (i == j || i < n - 2)
                    assert_true(hides);
                seen += j < n && chosen[j] && !hides;
            }
            if (i < n && chosen[i]) { /* places 0 to count - 1, each once */
                assert_false(rank[seen]);
                rank[seen] = true;
            }
        }
        for (int i = 0; i < count; i++)
            assert_true(rank[i]);
    }
}

static void the_place_alone_decides(void **state)
{
    (void)state;
    at_permuting p;
    at_permuting_defaults(&p, toy);
    at_batch one = whole(1), two = whole(2);
    at_permutation a = permute(&one, &p), b = permute(&one, &p), c = permute(&two, &p);
    size_t size = (size_t)a.B * (size_t)a.T * sizeof *a.key_rank;
    assert_memory_equal(a.key_rank, b.key_rank, size);
    assert_memory_not_equal(a.key_rank, c.key_rank, size);
    p.seed = 9;
    b = permute(&one, &p);
    assert_memory_not_equal(a.key_rank, b.key_rank, size);
}

/* A prediction that sees nothing at all would see everything. */
static void every_prediction_sees_a_token(void **state)
{
    (void)state;
    at_permuting p;
    at_permuting_defaults(&p, toy);
    at_batch b = whole(1);
    p.share = 1;
    toy->special[ATTEND_SPECIAL_SEP] = toy->special[ATTEND_SPECIAL_CLS] = -1;
    at_permutation out = permute(&b, &p);
    for (int row = 0; row < b.source.B; row++)
        for (int i = 0; i < b.source.lengths[row]; i++) {
            int seen = 0;
            for (int j = 0; j < b.source.lengths[row]; j++)
                seen += at_permutation_sees(&out, row, i, j);
            assert_true(seen > 0 || out.key_rank[row * out.T + i] < 0);
        }
}

static void of_pairs_the_second_text_alone_is_predicted(void **state)
{
    (void)state;
    at_permuting p;
    at_permuting_defaults(&p, toy);
    at_batch b = whole(1);
    b.segments = calloc((size_t)b.source.B * (size_t)b.source.T, sizeof *b.segments);
    for (int i = 0; i < b.source.B * b.source.T; i++)
        b.segments[i] = i % b.source.T >= 10;
    p.second = true;
    at_permutation out = permute(&b, &p);
    for (int i = 0; i < out.B * out.P; i++)
        assert_true(out.positions[i] == -1 || out.positions[i] >= 10);
    assert_true(out.count > 0);
    free(b.segments);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_token_in_six_is_predicted_in_short_spans),
        TEST(predicted_tokens_see_each_other_in_an_order),
        TEST(the_place_alone_decides),
        TEST(every_prediction_sees_a_token),
        TEST(of_pairs_the_second_text_alone_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
