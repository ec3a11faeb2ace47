#include "data/next_sentence.h"

#include "data_tokens.h"

enum { DOCUMENTS = 60, SENTENCES = 12, LONGEST = 40 };

static at_tokenizer *toy;
static at_encoded *data;
static at_arena arena;

/* Document d has sentences of single letters; the letter of sentence s is (d + s) % 26, written
 * 1 + s % 4 times: so ids tell where a token comes from. */
static int enter(void **state)
{
    (void)state;
    at_str text = {0};
    toy = toy_tokenizer();
    for (int d = 0; d < DOCUMENTS; d++) {
        at_str_add(&text, d ? "\n" : "");
        for (int s = 0; s < SENTENCES; s++) {
            for (int k = 0; k <= 3 + s % 4; k++)
                at_str_print(&text, "%s%c", k ? " " : "", 'a' + (d * 7 + s) % 26);
            at_str_add(&text, "\n");
        }
    }
    data = encoded_of(text.text, "text", &(at_encode_options){.source = toy});
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

static at_batches *pairs(at_next_sentences **n, size_t sentences)
{
    at_pairing p;
    at_batches *b;
    attend_error err;
    at_plan_options plan = {.sentences = sentences, .seed = 1};
    at_pairing_defaults(&p, toy, LONGEST);
    assert_int_equal(at_next_sentences_new(data, &p, n, &err), ATTEND_OK);
    assert_int_equal(at_batches_new(at_next_sentences_supply(*n), &plan, &b, &err), ATTEND_OK);
    return b;
}

static int letter_of(int id) { return (id - 7) / 27; }

static void pairs_stand_in_their_frame_and_segments(void **state)
{
    (void)state;
    at_next_sentences *n;
    at_batches *b = pairs(&n, 16);
    at_batch batch;
    attend_error err;
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        assert_true(batch.source.T <= LONGEST);
        for (int row = 0; row < batch.source.B; row++) {
            const int *ids = batch.source.ids + row * batch.source.T;
            const int *segment = batch.segments + row * batch.source.T;
            int length = batch.source.lengths[row], middle = 0;
            assert_int_equal(ids[0], TOY_CLS);
            assert_int_equal(ids[length - 1], TOY_SEP);
            for (int k = 1; k < length - 1; k++)
                if (ids[k] == TOY_SEP) {
                    assert_int_equal(middle, 0);
                    middle = k;
                }
            assert_true(middle > 1 && middle < length - 2); /* both texts have something */
            for (int k = 0; k < batch.source.T; k++)
                assert_int_equal(segment[k], k > middle && k < length);
        }
    }
    at_batches_free(b);
    at_next_sentences_free(n);
}

/* The first sentence of B follows the last of A in the alphabet where the label says so. */
static void labels_tell_what_follows(void **state)
{
    (void)state;
    at_next_sentences *n;
    at_batches *b = pairs(&n, 8);
    at_batch batch;
    attend_error err;
    int follows = 0, strange = 0, by_chance = 0;
    do {
        at_arena_reset(&arena);
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        for (int row = 0; row < batch.source.B; row++) {
            const int *ids = batch.source.ids + row * batch.source.T;
            int k = 1;
            while (ids[k] != TOY_SEP)
                k++;
            bool next = letter_of(ids[k + 1]) == (letter_of(ids[k - 1]) + 1) % 26;
            bool cut = batch.source.lengths[row] == LONGEST; /* A may have lost its end */
            if (batch.labels[row] == 0)
                assert_true(next || cut);
            follows += batch.labels[row] == 0;
            strange += batch.labels[row];
            by_chance += batch.labels[row] && next;
        }
    } while (batch.index + 1 < at_batches_in_epoch(b));
    assert_true(follows + strange > 150);
    assert_in_range(100 * strange / (follows + strange), 40, 70);
    assert_true(by_chance < strange / 5);
    at_batches_free(b);
    at_next_sentences_free(n);
}

static void epochs_differ_and_positions_are_kept(void **state)
{
    (void)state;
    at_next_sentences *n, *m;
    at_batches *b = pairs(&n, 8), *other = pairs(&m, 8);
    at_batch batch;
    attend_error err;
    at_str first = {0}, second = {0}, epoch = {0};
    size_t count = at_batches_in_epoch(b);
    for (size_t i = 0; i < 2 * count; i++) {
        at_arena_reset(&arena);
        if (i == count + 3)
            assert_int_equal(at_batches_seek(other, at_batches_position(b), &err), ATTEND_OK);
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        if (i == 0)
            show_block(&epoch, &batch.source);
        if (i == count)
            show_block(&first, &batch.source);
        if (i == count + 5) {
            assert_string_not_equal(first.text, epoch.text);
            at_str_clear(&first);
            show_batch(&first, &batch);
        }
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(at_batches_next(other, &arena, &batch, &err), ATTEND_OK);
    show_batch(&second, &batch);
    assert_string_equal(first.text, second.text);
    at_str_free(&first);
    at_str_free(&second);
    at_str_free(&epoch);
    at_batches_free(b);
    at_batches_free(other);
    at_next_sentences_free(n);
    at_next_sentences_free(m);
}

static void one_document_is_not_enough(void **state)
{
    (void)state;
    at_encoded *one = encoded_of("a\nb\n", "text", &(at_encode_options){.source = toy});
    at_next_sentences *n;
    at_pairing p;
    attend_error err;
    at_pairing_defaults(&p, toy, LONGEST);
    assert_int_equal(at_next_sentences_new(one, &p, &n, &err), ATTEND_FORMAT);
    assert_null(n);
    assert_says(&err, "at least two documents");
    p.max_length = 4;
    assert_int_equal(at_next_sentences_new(data, &p, &n, &err), ATTEND_OPTION);
    at_encoded_free(one);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_pairing p;
    at_plan_options plan = {.sentences = 8};
    long live = at_alloc_live();
    at_pairing_defaults(&p, toy, LONGEST);
    for (int k = 0;; k++) {
        at_next_sentences *n = NULL;
        at_batches *b = NULL;
        attend_error err;
        at_alloc_fail_after(k);
        attend_status status = at_next_sentences_new(data, &p, &n, &err);
        if (status >= 0)
            status = at_batches_new(at_next_sentences_supply(n), &plan, &b, &err);
        at_alloc_fail_after(-1);
        at_batches_free(b);
        at_next_sentences_free(n);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pairs_stand_in_their_frame_and_segments),
        TEST(labels_tell_what_follows),
        TEST(epochs_differ_and_positions_are_kept),
        TEST(one_document_is_not_enough),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
