/* Tags of words on their first tokens, and chunks of long sentences. */
#include "data/tagged_words.h"
#include "data_help.h"
#include "data_tokens.h"

static at_text text(const char *s) { return (at_text){s, strlen(s)}; }

/* toy tokens: hello is he ll o */
static void first_tokens_stand_for_words(void **unused)
{
    static const int expected[] = {0, -1, -1, 1, 2, -1};
    at_tokenizer *t = toy_tokenizer();
    at_tagged_words w = {.words = 0};
    attend_error err;
    (void)unused;
    assert_int_equal(at_tagged_words_read(&w, t, 20, text(" hello a  cats"), &err), ATTEND_OK);
    assert_int_equal(w.words, 3);
    assert_int_equal(w.tokens.count, 6);
    assert_memory_equal(w.word, expected, sizeof expected);
    assert_int_equal(w.room, 18);
    at_tagged_words_free(&w);
    at_tokenizer_free(t);
}

static void chunks_begin_with_words(void **unused)
{
    at_tokenizer *t = toy_tokenizer();
    at_tagged_words w = {.words = 0};
    attend_error err;
    (void)unused;
    for (int limit = 6; limit < 14; limit++) {
        int seen = 0;
        assert_int_equal(at_tagged_words_read(&w, t, limit, text("aaaa bb cccccc d ee ffff"), &err),
                         ATTEND_OK);
        for (int from = 0, to; from < (int)w.tokens.count; from = to) {
            to = at_tagged_words_end(&w, from);
            assert_true(to > from && to - from <= w.room);
            assert_true(w.word[from] >= 0);
            for (int i = from; i < to; i++)
                seen += w.word[i] >= 0;
        }
        assert_int_equal(seen, 6);
    }
    at_tagged_words_free(&w);
    at_tokenizer_free(t);
}

static void examples_have_tags(void **unused)
{
    static const int expected[] = {-1, 0, -1, -1, 1, -1};
    at_tokenizer *t = toy_tokenizer();
    at_corpus *c = corpus_of("hello B-X\na O\n\n", "conll");
    at_vocab *tags = at_vocab_new();
    at_encoded *e;
    attend_error err;
    (void)unused;
    at_vocab_add(tags, "B-X", 3);
    assert_int_equal(at_tagged_examples_new(c, NULL, 0, t, tags, 20, &e, &err), ATTEND_FORMAT);
    assert_says(&err, "the tag \"O\" is not known");
    at_vocab_add(tags, "O", 1);
    assert_int_equal(at_tagged_examples_new(c, NULL, 0, t, tags, 20, &e, &err), ATTEND_OK);
    at_item_view view = at_encoded_at(e, 0);
    assert_int_equal(view.source_size, 6);
    assert_int_equal(view.target_size, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(at_token_id(view.target[i]), expected[i]);
    at_encoded_free(e);
    at_vocab_free(tags);
    at_corpus_free(c);
    at_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_tokens_stand_for_words),
        cmocka_unit_test(chunks_begin_with_words),
        cmocka_unit_test(examples_have_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
