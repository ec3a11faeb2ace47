#include "data/batch.h"

#include "data/labels.h"
#include "data_tokens.h"

static at_tokenizer *toy;

static at_encoded *pairs_encoded(const char *text)
{
    at_encode_options o = {
        .source = toy, .source_frame = ATTEND_FRAME_INPUT, .target_frame = ATTEND_FRAME_OUTPUT};
    return encoded_of(text, "pairs", &o);
}

static at_batches *batches_of(at_encoded_supply *s, at_plan_options plan)
{
    at_batches *b;
    attend_error err;
    if (at_batches_new(at_supply_encoded(s), &plan, &b, &err) < 0)
        fail_msg("%s", err.message);
    return b;
}

/* the next count batches as text */
static void show_next(at_batches *b, int count, at_str *out)
{
    at_arena arena;
    at_arena_init(&arena, 1 << 12);
    for (int i = 0; i < count; i++) {
        at_batch batch;
        attend_error err;
        at_arena_reset(&arena);
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
        show_batch(out, &batch);
    }
    at_arena_free(&arena);
}

static void rows_are_padded_to_the_longest(void **state)
{
    (void)state;
    at_encoded *e = pairs_encoded("a\tb\na a\tb b b\n");
    at_encoded_supply s = {.data = e, .pad_source = TOY_PAD, .pad_target = 99};
    at_batches *b = batches_of(&s, (at_plan_options){.sentences = 2, .in_order = true});
    at_str out = {0};
    show_next(b, 2, &out);
    assert_string_equal(out.text, "0.0#0 [4 7 5 0|4 7 7 5][2 34 3 99 99|2 34 34 34 3]\n"
                                  "1.0#1 [4 7 5 0|4 7 7 5][2 34 3 99 99|2 34 34 34 3]\n");
    assert_int_equal(at_batches_in_epoch(b), 1);
    at_str_free(&out);
    at_batches_free(b);
    at_encoded_free(e);
}

static void lengths_labels_segments_and_numbers_go_with_rows(void **state)
{
    (void)state;
    attend_error err;
    at_vocab *labels;
    at_encoded *e;
    at_batch batch;
    at_arena arena;
    at_corpus *c = corpus_of("label\tsentence1\tsentence2\nyes\ta b\tc\nno\tab\tc d\n", "tsv");
    assert_int_equal(at_labels_of(c, &labels, &err), ATTEND_OK);
    at_encode_options o = {
        .source = toy, .source_frame = ATTEND_FRAME_INPUT, .joined = true, .labels = labels};
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_OK);
    at_encoded_supply s = {.data = e};
    at_batches *b = batches_of(&s, (at_plan_options){.sentences = 8, .in_order = true});
    at_arena_init(&arena, 1 << 12);
    assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
    assert_int_equal(batch.source.B, 2);
    assert_int_equal(batch.source.T, 6);
    assert_int_equal(batch.target.T, 0);
    const int lengths[] = {6, 6}, segments[] = {0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1};
    const int numbers[] = {1, 0};
    assert_memory_equal(batch.source.lengths, lengths, sizeof lengths);
    assert_memory_equal(batch.segments, segments, sizeof segments);
    assert_memory_equal(batch.labels, numbers, sizeof numbers);
    assert_int_equal(batch.examples[1], 1);
    assert_int_equal(batch.begins[2], 1);
    at_arena_free(&arena);
    at_batches_free(b);
    at_encoded_free(e);
    at_vocab_free(labels);
    at_corpus_free(c);
}

static void every_example_comes_once_an_epoch_with_its_own_ids(void **state)
{
    (void)state;
    at_str text = {0};
    random_pairs(&text, 500, 9);
    at_encoded *e = pairs_encoded(text.text);
    at_encoded_supply s = {.data = e};
    at_batches *b = batches_of(&s, (at_plan_options){.tokens = 300, .seed = 3});
    at_arena arena;
    at_arena_init(&arena, 1 << 12);
    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        bool seen[500] = {false};
        size_t batches = epoch ? 0 : at_batches_in_epoch(b), rows = 0;
        for (size_t i = 0; rows < 500; i++) {
            at_batch batch;
            attend_error err;
            at_arena_reset(&arena);
            assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
            assert_int_equal(batch.epoch, epoch);
            assert_int_equal(batch.index, i);
            for (int row = 0; row < batch.source.B; row++, rows++) {
                at_item_view v = at_encoded_at(e, batch.examples[row]);
                assert_false(seen[batch.examples[row]]);
                seen[batch.examples[row]] = true;
                assert_int_equal(batch.source.lengths[row], v.source_size);
                assert_int_equal(batch.target.lengths[row], v.target_size);
                for (int k = 0; k < batch.target.T; k++)
                    assert_int_equal(batch.target.ids[row * batch.target.T + k],
                                     k < v.target_size ? at_token_id(v.target[k]) : 0);
            }
        }
        assert_true(!batches || batches == at_batches_in_epoch(b));
    }
    assert_true(at_batches_padding(b) < 0.3); /* sides do not go together here */
    at_arena_free(&arena);
    at_batches_free(b);
    at_encoded_free(e);
    at_str_free(&text);
}

static void a_kept_position_gives_the_same_batches(void **state)
{
    (void)state;
    at_str text = {0};
    random_pairs(&text, 100, 6);
    at_encoded *e = pairs_encoded(text.text);
    at_encoded_supply s = {.data = e};
    at_plan_options plan = {.sentences = 8, .seed = 4};
    attend_error err;
    for (int before = 0; before < 30; before++) {
        at_str first = {0}, skipped = {0}, second = {0};
        at_batches *b = batches_of(&s, plan), *other = batches_of(&s, plan);
        show_next(b, before, &skipped);
        at_position here = at_batches_position(b);
        show_next(b, 15, &first);
        show_next(other, 5, &skipped); /* wherever it was */
        assert_int_equal(at_batches_seek(other, here, &err), ATTEND_OK);
        show_next(other, 15, &second);
        assert_string_equal(first.text, second.text);
        at_batches_free(b);
        at_batches_free(other);
        at_str_free(&first);
        at_str_free(&second);
        at_str_free(&skipped);
    }
    at_encoded_free(e);
    at_str_free(&text);
}

static void a_position_belongs_to_its_data_and_options(void **state)
{
    (void)state;
    at_encoded *e = pairs_encoded("a\tb\nb\ta\n"), *changed = pairs_encoded("a\tb\nb\tb\n");
    at_encoded_supply s = {.data = e}, t = {.data = changed};
    attend_error err;
    at_batches *b = batches_of(&s, (at_plan_options){.sentences = 1});
    at_position here = at_batches_position(b);
    at_batches *other = batches_of(&t, (at_plan_options){.sentences = 1});
    assert_int_equal(at_batches_seek(other, here, &err), ATTEND_OPTION);
    assert_says(&err, "not the one that the position was kept for");
    at_batches_free(other);
    other = batches_of(&s, (at_plan_options){.sentences = 2});
    assert_int_equal(at_batches_seek(other, here, &err), ATTEND_OPTION);
    at_batches_free(other);
    here.batch = 3;
    assert_int_equal(at_batches_seek(b, here, &err), ATTEND_OPTION);
    assert_says(&err, "there is no batch 3 in an epoch of 2");
    at_batches_free(b);
    at_encoded_free(e);
    at_encoded_free(changed);
}

static void nothing_gives_no_batches(void **state)
{
    (void)state;
    at_encode_options o = {.source = toy, .max_source = 1, .when_long = ATTEND_WHEN_LONG_SKIP};
    at_encoded *e = encoded_of("a a\tb\n", "pairs", &o);
    at_encoded_supply s = {.data = e};
    at_plan_options plan = {.sentences = 1};
    at_batches *b;
    attend_error err;
    assert_int_equal(at_batches_new(at_supply_encoded(&s), &plan, &b, &err), ATTEND_FORMAT);
    assert_null(b);
    assert_says(&err, "no example is left");
    at_encoded_free(e);
}

static void after_the_first_epoch_nothing_is_allocated_within_one(void **state)
{
    (void)state;
    at_str text = {0};
    random_pairs(&text, 200, 6);
    at_encoded *e = pairs_encoded(text.text);
    at_encoded_supply s = {.data = e};
    at_batches *b = batches_of(&s, (at_plan_options){.sentences = 8});
    at_arena arena;
    at_batch batch;
    attend_error err;
    at_arena_init(&arena, 1 << 16);
    long before = 0;
    for (size_t i = 0; i < at_batches_in_epoch(b); i++) {
        if (i == 1)
            before = at_alloc_count();
        at_arena_reset(&arena);
        assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
    }
    assert_int_equal(at_alloc_count(), before);
    at_arena_free(&arena);
    at_batches_free(b);
    at_encoded_free(e);
    at_str_free(&text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_encoded *e = pairs_encoded("a\tb\na a\tb b b\n");
    at_encoded_supply s = {.data = e};
    at_plan_options plan = {.sentences = 1};
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        at_batches *b;
        attend_error err;
        at_batch batch;
        at_arena arena;
        at_arena_init(&arena, 64);
        at_alloc_fail_after(n);
        attend_status status = at_batches_new(at_supply_encoded(&s), &plan, &b, &err);
        for (int i = 0; i < 5 && status >= 0; i++)
            status = at_batches_next(b, &arena, &batch, &err);
        at_alloc_fail_after(-1);
        at_batches_free(b);
        at_arena_free(&arena);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
    at_encoded_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_padded_to_the_longest),
        cmocka_unit_test(lengths_labels_segments_and_numbers_go_with_rows),
        cmocka_unit_test(every_example_comes_once_an_epoch_with_its_own_ids),
        cmocka_unit_test(a_kept_position_gives_the_same_batches),
        cmocka_unit_test(a_position_belongs_to_its_data_and_options),
        cmocka_unit_test(nothing_gives_no_batches),
        cmocka_unit_test(after_the_first_epoch_nothing_is_allocated_within_one),
        cmocka_unit_test(every_allocation_may_fail),
    };
    toy = toy_tokenizer();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    at_tokenizer_free(toy);
    return failed;
}
