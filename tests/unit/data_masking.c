#include "data/masking.h"

#include <math.h>

#include "data_tokens.h"

static at_tokenizer *toy;
static at_encoded *data;
static at_arena arena;

static int enter(void **state)
{
    (void)state;
    at_str text = {0};
    uint32_t seed = 11;
    toy = toy_tokenizer();
    for (int i = 0; i < 400; i++) {
        random_words(&text, &seed, 20);
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

/* all sentences as one batch, in order */
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

static int *mask(at_batch *b, const at_masking *m)
{
    int *targets;
    attend_error err;
    assert_int_equal(at_mask_tokens(b, m, &arena, &targets, &err), ATTEND_OK);
    return targets;
}

static void masks_fifteen_in_a_hundred_and_never_a_special_one(void **state)
{
    (void)state;
    at_masking m;
    at_masking_defaults(&m, toy);
    at_batch before = whole(5), b = whole(5);
    const int *targets = mask(&b, &m);
    int kinds[3] = {0}, chosen = 0;
    for (int row = 0; row < b.source.B; row++) {
        int count = 0, tokens = 0;
        for (int k = 0; k < b.source.T; k++) {
            int i = row * b.source.T + k, was = before.source.ids[i], is = b.source.ids[i];
            bool inside = k > 0 && k < b.source.lengths[row] - 1; /* [CLS] and [SEP] are not */
            tokens += inside;
            if (targets[i] == ATTEND_NO_TARGET) {
                assert_int_equal(is, was);
                continue;
            }
            assert_true(inside);
            assert_int_equal(targets[i], was);
            kinds[is == TOY_MASK ? 0 : is != was ? 1 : 2]++;
            assert_true(is == TOY_MASK || is >= TOY_FIRST);
            count++;
        }
        int wanted = (int)lround(0.15 * tokens);
        assert_int_equal(count, wanted < 1 ? 1 : wanted);
        chosen += count;
    }
    assert_true(chosen > 800);
    assert_in_range(100 * kinds[0] / chosen, 76, 84);
    assert_in_range(100 * kinds[1] / chosen, 7, 13);
    assert_in_range(100 * kinds[2] / chosen, 7, 13);
}

static void the_place_alone_decides(void **state)
{
    (void)state;
    at_masking m;
    at_masking_defaults(&m, toy);
    at_batch one = whole(5), two = whole(5), step = whole(6), seed = whole(5);
    size_t size = (size_t)one.source.B * (size_t)one.source.T * sizeof(int);
    const int *a = mask(&one, &m), *b = mask(&two, &m), *c = mask(&step, &m);
    m.seed = 1;
    const int *d = mask(&seed, &m);
    assert_memory_equal(a, b, size);
    assert_memory_equal(one.source.ids, two.source.ids, size);
    assert_memory_not_equal(a, c, size);
    assert_memory_not_equal(a, d, size);
}

/* A row's mask is the same whatever the padding and the other rows are. */
static void other_rows_do_not_matter(void **state)
{
    (void)state;
    at_masking m;
    at_masking_defaults(&m, toy);
    at_batch all = whole(5), few = whole(5);
    few.source.B = 10;
    const int *a = mask(&all, &m), *b = mask(&few, &m);
    assert_memory_equal(a, b, 10 * (size_t)all.source.T * sizeof *a);
}

static void whole_words_are_masked_or_not(void **state)
{
    (void)state;
    at_masking m;
    at_masking_defaults(&m, toy);
    m.whole_words = true;
    at_batch b = whole(5);
    const int *targets = mask(&b, &m);
    int tokens = 0, chosen = 0;
    for (int row = 0; row < b.source.B; row++)
        for (int k = 1; k < b.source.lengths[row] - 1; k++) {
            int i = row * b.source.T + k;
            bool is = targets[i] != ATTEND_NO_TARGET;
            if (!b.begins[i]) {
                assert_int_equal(is, targets[i - 1] != ATTEND_NO_TARGET);
                tokens += is;
            }
            chosen += is;
        }
    assert_true(tokens > 100); /* there were words of several pieces */
    assert_true(chosen > 600);
}

static void shares_can_be_chosen(void **state)
{
    (void)state;
    at_masking m;
    at_masking_defaults(&m, toy);
    m.share = 1;
    m.masked = 0;
    m.random = 0;
    at_batch before = whole(0), b = whole(0);
    const int *targets = mask(&b, &m);
    size_t size = (size_t)b.source.B * (size_t)b.source.T * sizeof(int);
    assert_memory_equal(before.source.ids, b.source.ids, size);
    for (int row = 0; row < b.source.B; row++)
        for (int k = 1; k < b.source.lengths[row] - 1; k++)
            assert_int_not_equal(targets[row * b.source.T + k], ATTEND_NO_TARGET);
}

static void needs_a_mask_in_the_vocabulary(void **state)
{
    (void)state;
    at_masking m;
    int *targets;
    attend_error err;
    at_batch b = whole(0);
    at_masking_defaults(&m, toy);
    toy->special[ATTEND_SPECIAL_MASK] = -1;
    assert_int_equal(at_mask_tokens(&b, &m, &arena, &targets, &err), ATTEND_OPTION);
    assert_says(&err, "the tokenizer has no mask");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(masks_fifteen_in_a_hundred_and_never_a_special_one),
        TEST(the_place_alone_decides),
        TEST(other_rows_do_not_matter),
        TEST(whole_words_are_masked_or_not),
        TEST(shares_can_be_chosen),
        TEST(needs_a_mask_in_the_vocabulary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
