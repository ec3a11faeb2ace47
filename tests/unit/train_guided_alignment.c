/* Word alignments as what attention over pieces should be. */
#include "train/guided_alignment.h"

#include "data_tokens.h"

static char path[] = "/tmp/attend-guide-......";

static void write_links(const char *text)
{
    memset(path + strlen(path) - 6, 'X', 6); /* as mkstemp wants it */
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

typedef struct {
    at_tokenizer *tokenizer;
    at_corpus *corpus;
    at_encoded *numbers;
    at_guided_alignment *guide;
    attend_error err;
} made;

static attend_status make(made *m, const char *text, const char *links, bool swapped)
{
    m->tokenizer = toy_tokenizer();
    m->corpus = corpus_of(text, "pairs");
    at_encode_options o = {.source = m->tokenizer,
                           .source_frame = ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT};
    assert_int_equal(at_encode_corpus(m->corpus, &o, &m->numbers, &m->err), ATTEND_OK);
    at_guided_data what = {.corpus = m->corpus,
                           .ids = m->numbers,
                           .source = m->tokenizer,
                           .target = m->tokenizer,
                           .swapped = swapped};
    write_links(links);
    attend_status status = at_guided_alignment_load(path, &what, &m->guide, &m->err);
    unlink(path);
    return status;
}

static void unmake(made *m)
{
    at_guided_alignment_free(m->guide);
    at_encoded_free(m->numbers);
    at_corpus_free(m->corpus);
    at_tokenizer_free(m->tokenizer);
}

/* rows of a batch of all examples, as text: "0 1 0 0|..." */
static void check(const made *m, bool reversed, const char *expected)
{
    at_encoded_supply all = {.data = m->numbers};
    at_supply supply = at_supply_encoded(&all);
    uint32_t items[] = {0, 1};
    at_arena arena = {0};
    at_batch batch;
    at_str out = {0};
    attend_error err;
    assert_int_equal(
        supply.make(supply.self, items, at_encoded_size(m->numbers), &arena, &batch, &err),
        ATTEND_OK);
    const real *a = at_guided_alignment_batch(m->guide, &batch, reversed, &arena);
    assert_non_null(a);
    for (int i = 0; i < batch.source.B * (batch.target.T - 1); i++) {
        at_str_add(&out, i ? "|" : "");
        for (int s = 0; s < batch.source.T; s++)
            at_str_print(&out, "%s%.3g", s ? " " : "", (double)*a++);
    }
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
    at_arena_free(&arena);
}

/* source: [CLS] ab a [SEP]; target: <bos> aa +b b <eos> */
static void pieces_share_the_links_of_their_words(void **state)
{
    (void)state;
    made m;
    assert_int_equal(make(&m, "ab a\taab b\n", "0-1 1-0\n", false), ATTEND_OK);
    check(&m, false, "0 0 1 0|0 0 1 0|0 1 0 0|0 0 0 0");
    check(&m, true, "0 1 0 0|0 1 0 0|0 0 1 0|0 0 0 0");
    unmake(&m);
}

static void rows_sum_to_one_or_to_nothing(void **state)
{
    (void)state;
    made m;
    assert_int_equal(make(&m, "ab a\taab b\nb\tb\n", "0-0 1-0\n\n", false), ATTEND_OK);
    check(&m, false,
          "0 0.5 0.5 0|0 0.5 0.5 0|0 0 0 0|0 0 0 0|"
          "0 0 0 0|0 0 0 0|0 0 0 0|0 0 0 0");
    unmake(&m);
}

static void links_of_the_other_direction_are_turned(void **state)
{
    (void)state;
    made m;
    assert_int_equal(make(&m, "ab a\taab b\n", "1-0\r\n", true), ATTEND_OK);
    check(&m, false, "0 0 0 0|0 0 0 0|0 1 0 0|0 0 0 0");
    unmake(&m);
}

static void refused(const char *text, const char *links, const char *message)
{
    made m;
    assert_int_equal(make(&m, text, links, false), ATTEND_FORMAT);
    assert_null(m.guide);
    assert_says(&m.err, message);
    unmake(&m);
}

static void says_where_a_link_is_wrong(void **state)
{
    (void)state;
    refused("ab a\taab b\na\tb\n", "0-0\n0-1\n",
            ":2: link 0-1, but the sentences have 1 and 1 words");
    refused("ab a\taab b\n", "0-0 2-0", ":1: link 2-0, but the sentences have 2 and 2 words");
    refused("ab a\taab b\n", "0-0 1", ":1: no link of the form 0-0");
    refused("ab a\taab b\n", "0-0x", ":1: no link of the form 0-0");
    refused("ab a\taab b\n", "-1-0", ":1: no link of the form 0-0");
    refused("ab a\taab b\n", "0-99999999999999999999", ":1: no link of the form 0-0");
    refused("ab a\taab b\na\tb\n", "0-0\n", ": 1 lines, but there is a sentence pair in line 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_share_the_links_of_their_words),
        cmocka_unit_test(rows_sum_to_one_or_to_nothing),
        cmocka_unit_test(links_of_the_other_direction_are_turned),
        cmocka_unit_test(says_where_a_link_is_wrong),
    };
    return cmocka_run_group_tests_name("train_guided_alignment", tests, NULL, NULL);
}
