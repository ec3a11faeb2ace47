#include "data/encode.h"

#include "data/labels.h"
#include "data_tokens.h"

/* the tokens of an item, "+" before one that does not begin a word: "4 7 +8 5 / 9" */
static void show_item(at_str *out, const at_item_view *v)
{
    for (int i = 0; i < v->source_size + v->target_size; i++) {
        int32_t token = i < v->source_size ? v->source[i] : v->target[i - v->source_size];
        at_str_print(out, "%s%s%d",
                     i == v->source_size ? " / "
                     : i                 ? " "
                                         : "",
                     at_token_begins(token) ? "" : "+", at_token_id(token));
    }
    at_str_print(out, "%s", v->breaks ? " !" : "");
    for (int i = 0; v->copied && i < v->source_size; i++)
        at_str_print(out, "%s%d", i ? "," : " copied ", v->copied[i]);
    if (v->copied)
        at_str_print(out, " extra %d", v->extra);
    if (v->second < v->source_size)
        at_str_print(out, " second %d", v->second);
    if (v->label >= 0)
        at_str_print(out, " label %d", v->label);
    at_str_add(out, "\n");
}

static void check(const at_encoded *e, const char *expected)
{
    at_str out = {0};
    for (size_t i = 0; i < at_encoded_size(e); i++) {
        at_item_view v = at_encoded_at(e, i);
        show_item(&out, &v);
        assert_int_equal(at_encoded_lengths(e, 0)[i], v.source_size);
        if (at_encoded_lengths(e, 1))
            assert_int_equal(at_encoded_lengths(e, 1)[i], v.target_size);
    }
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
}

/* ids: a = 7, aa = 8, ab = 9, ...; b = 34 */

static void frames_stand_around_texts(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    const char *text = "ab a\taab\n?\tb\n";
    at_encode_options o = {.source = t};
    at_encoded *e = encoded_of(text, "pairs", &o);
    check(e, "9 7 / 8 +34\n1 / 34\n");
    at_encoded_free(e);
    o.source_frame = ATTEND_FRAME_INPUT;
    o.target_frame = ATTEND_FRAME_OUTPUT;
    e = encoded_of(text, "pairs", &o);
    check(e, "4 9 7 5 / 2 8 +34 3\n4 1 5 / 2 34 3\n");
    at_encode_counts counts = at_encoded_count(e);
    assert_int_equal(counts.tokens[0], 7);
    assert_int_equal(counts.tokens[1], 7);
    assert_int_equal(counts.unknown[0], 1);
    assert_int_equal(counts.unknown[1], 0);
    assert_int_equal(counts.max_length[0], 4);
    at_encoded_free(e);
    o.joined = true;
    e = encoded_of(text, "pairs", &o);
    check(e, "4 9 7 5 8 +34 5 second 4\n4 1 5 34 5 second 3\n");
    assert_null(at_encoded_lengths(e, 1));
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void unknown_words_are_counted_on_their_side(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer(), *all = toy_tokenizer();
    all->special[ATTEND_SPECIAL_UNK] = -1; /* as if it knew everything */
    at_encode_options o = {.source = all, .target = t};
    at_encoded *e = encoded_of("a b\ta ?\n", "pairs", &o);
    at_encode_counts counts = at_encoded_count(e);
    assert_int_equal(counts.unknown[0], 0);
    assert_int_equal(counts.unknown[1], 1);
    at_encoded_free(e);
    at_tokenizer_free(t);
    at_tokenizer_free(all);
}

/* V = 7 + 26 + 26 * 26 = 709 */
static void what_can_be_copied_is_kept(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    attend_error err;
    at_copying *c;
    assert_int_equal(at_copying_new(t, t, &c, &err), ATTEND_OK);
    at_encode_options o = {.source = t,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .copying = c};
    const char *text = "? a !\ta ! ? # !\na\tb ?\n";
    at_encoded *e = encoded_of(text, "pairs", &o);
    check(e, "4 1 7 1 5 / 2 7 710 709 1 710 3 copied 4,709,7,710,5 extra 2\n"
             "4 7 5 / 2 34 1 3 copied 4,7,5 extra 0\n");
    at_encoded_free(e);
    o.max_source = 4; /* and what is cut off cannot */
    e = encoded_of(text, "pairs", &o);
    check(e, "4 1 7 5 / 2 7 1 709 1 1 3 copied 4,709,7,5 extra 1\n"
             "4 7 5 / 2 34 1 3 copied 4,7,5 extra 0\n");
    at_encoded_free(e);
    at_copying_free(c);
    at_tokenizer_free(t);
}

static void labels_have_numbers(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    attend_error err;
    at_vocab *labels;
    at_encoded *e;
    at_corpus *c = corpus_of("pos a\nneg b\n", "sst"), *other = corpus_of("odd a\n", "sst");
    assert_int_equal(at_labels_of(c, &labels, &err), ATTEND_OK);
    at_encode_options o = {.source = t, .labels = labels};
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_OK);
    check(e, "7 label 1\n34 label 0\n");
    at_encoded_free(e);
    assert_int_equal(at_encode_corpus(other, &o, &e, &err), ATTEND_FORMAT);
    assert_null(e);
    assert_says(&err, "file:1: the label \"odd\" is none of those known");
    at_vocab_free(labels);
    at_corpus_free(c);
    at_corpus_free(other);
    at_tokenizer_free(t);
}

static void long_texts_are_cut_skipped_or_refused(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    attend_error err;
    at_encoded *e;
    at_corpus *c = corpus_of("a a a a\ta\na\ta a a a a a\na\ta\n", "pairs");
    at_encode_options o = {.source = t,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .max_source = 5,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .max_target = 5};
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_OK);
    check(e, "4 7 7 7 5 / 2 7 3\n4 7 5 / 2 7 7 7 3\n4 7 5 / 2 7 3\n");
    assert_int_equal(at_encoded_count(e).cut, 2);
    assert_int_equal(at_encoded_count(e).skipped, 0);
    at_encoded_free(e);
    o.when_long = ATTEND_WHEN_LONG_SKIP;
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_OK);
    check(e, "4 7 5 / 2 7 3\n");
    assert_int_equal(at_encoded_count(e).skipped, 2);
    assert_int_equal(at_encoded_at(e, 0).example, 2);
    at_encoded_free(e);
    o.when_long = ATTEND_WHEN_LONG_ERROR;
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_FORMAT);
    assert_says(&err, "file:1: 6 tokens, and at most 5 are allowed");
    o.max_source = 2;
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_OPTION);
    o.max_source = 0;
    assert_int_equal(at_encode_corpus(c, &o, &e, &err), ATTEND_FORMAT);
    assert_says(&err, "file:2: 8 tokens");
    at_corpus_free(c);
    at_tokenizer_free(t);
}

static void of_two_joined_texts_the_longer_gives_way(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_encode_options o = {
        .source = t, .source_frame = ATTEND_FRAME_INPUT, .joined = true, .max_source = 8};
    at_encoded *e = encoded_of("a a a a a a\tb\na a a a\tb b b b\n", "pairs", &o);
    check(e, "4 7 7 7 7 5 34 5 second 6\n4 7 7 7 5 34 34 5 second 5\n");
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void takes_one_part_of_a_split(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    const unsigned char part[] = {0, 1, 0};
    at_encode_options o = {.source = t, .part = part, .wanted = 1};
    at_encoded *e = encoded_of("a\nb\n\naa\n", "text", &o);
    check(e, "34\n");
    at_encoded_free(e);
    o.wanted = 0;
    e = encoded_of("a\nb\n\naa\n", "text", &o);
    check(e, "7 !\n8 !\n");
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void the_print_changes_with_every_token(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    static const char *const texts[] = {"a\tb\n", "a\tc\n", "b\ta\n", "a\tb\na\tb\n", "a a\tb\n"};
    uint64_t print[5];
    at_encode_options o = {.source = t};
    for (int i = 0; i < 5; i++) {
        at_encoded *e = encoded_of(texts[i], "pairs", &o);
        print[i] = at_encoded_print(e);
        at_encoded_free(e);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(print[i], print[k]);
    }
    at_encoded *e = encoded_of(texts[0], "pairs", &o);
    assert_int_equal(at_encoded_print(e), print[0]);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    at_corpus *c = corpus_of("ab a\taab\n?\tb ?\n", "pairs");
    at_encode_options o = {.source = t};
    at_copying *copying;
    assert_int_equal(at_copying_new(t, t, &copying, NULL), ATTEND_OK);
    o.copying = copying;
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        at_encoded *e;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_encode_corpus(c, &o, &e, &err);
        at_alloc_fail_after(-1);
        at_encoded_free(e);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
    at_corpus_free(c);
    at_copying_free(copying);
    at_tokenizer_free(t);
}

static void sources_may_be_vectors_that_others_keep(void **state)
{
    static const uint32_t frames[] = {3, 9, 1};
    (void)state;
    at_tokenizer *t = toy_tokenizer();
    const char *text = "x\tab a\ny\ta\nz\tb\n";
    at_encode_options o = {.target = t, .frames = frames, .target_frame = ATTEND_FRAME_OUTPUT};
    for (int longest = 0; longest <= 5; longest += 5) {
        o.max_source = longest;
        o.when_long = ATTEND_WHEN_LONG_SKIP;
        at_encoded *e = encoded_of(text, "pairs", &o);
        assert_int_equal(at_encoded_size(e), longest ? 2 : 3);
        at_item_view first = at_encoded_at(e, 0), last = at_encoded_at(e, longest ? 1 : 2);
        assert_null(first.source);
        assert_int_equal(first.source_size, 3);
        assert_int_equal(first.target_size, 4);
        assert_int_equal(at_token_id(first.target[0]), 2);
        assert_int_equal(at_token_id(first.target[1]), 9);
        assert_int_equal(last.source_size, 1);
        assert_int_equal(last.example, 2);
        assert_int_equal(at_encoded_lengths(e, 0)[0], 3);
        assert_int_equal(at_encoded_count(e).skipped, longest ? 1 : 0);
        at_encoded_free(e);
    }
    o.when_long = ATTEND_WHEN_LONG_CUT;
    at_encoded *e = encoded_of(text, "pairs", &o);
    assert_int_equal(at_encoded_at(e, 1).source_size, 5);
    at_encoded_free(e);
    at_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_may_be_vectors_that_others_keep),
        cmocka_unit_test(frames_stand_around_texts),
        cmocka_unit_test(unknown_words_are_counted_on_their_side),
        cmocka_unit_test(what_can_be_copied_is_kept),
        cmocka_unit_test(labels_have_numbers),
        cmocka_unit_test(long_texts_are_cut_skipped_or_refused),
        cmocka_unit_test(of_two_joined_texts_the_longer_gives_way),
        cmocka_unit_test(takes_one_part_of_a_split),
        cmocka_unit_test(the_print_changes_with_every_token),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
