#include "attend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/checksum_list.h"
#include "base/memory.h"

static const char *const story[] = {"the cat sat on the mat.", "the dog sat on the cat!", NULL};

static attend_status next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    const char *const **at = user;
    (void)err;
    *text = **at;
    if (**at)
        *size = strlen(*(*at)++);
    return ATTEND_OK;
}

static attend_tokenizer *learn(const char *kind)
{
    const char *const *lines = story;
    attend_tokenizer *t;
    attend_error err;
    if (attend_tokenizer_learn(kind, NULL, next_line, &lines, &t, &err) < 0)
        fail_msg("%s", err.message);
    return t;
}

static void text_goes_there_and_back(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("words");
    attend_tokens *p = NULL;
    attend_error err;
    const char text[] = "the mat, sat";
    assert_string_equal(attend_tokenizer_kind(t), "words");
    assert_int_equal(attend_tokenizer_encode(t, text, strlen(text), 0, &p, &err), ATTEND_OK);
    size_t count, size;
    const attend_token *item = attend_tokens_items(p, &count);
    assert_int_equal(count, 4);
    assert_string_equal(attend_tokenizer_token(t, item[0].id, NULL), "the");
    assert_int_equal(item[1].begin, 4);
    assert_int_equal(item[1].end, 7);
    assert_int_equal(item[3].word, 2);
    int ids[8];
    for (size_t i = 0; i < count; i++)
        ids[i] = item[i].id;
    char *back;
    assert_int_equal(attend_tokenizer_decode(t, ids, count, 0, &back, &size, &err), ATTEND_OK);
    assert_string_equal(back, "the <unk> <unk> sat");
    assert_int_equal(size, strlen(back));
    attend_free(back);
    attend_tokens_free(p);
    attend_tokenizer_free(t);
}

static void the_frame_is_there_when_asked_for(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("wordpiece");
    attend_tokens *p = NULL;
    size_t count;
    attend_tokenizer_encode(t, "the", 3, 1, &p, NULL);
    const attend_token *item = attend_tokens_items(p, &count);
    assert_int_equal(item[0].id, attend_tokenizer_special(t, "cls"));
    assert_int_equal(item[0].word, ATTEND_NO_WORD);
    assert_int_equal(item[count - 1].id, attend_tokenizer_special(t, "sep"));
    assert_int_equal(attend_tokenizer_special(t, "bos"), -1);
    assert_int_equal(attend_tokenizer_special(t, "nonsense"), -1);
    assert_true(attend_tokenizer_is_special(t, item[0].id));
    assert_false(attend_tokenizer_is_special(t, item[1].id));
    attend_tokens_free(p);
    attend_tokenizer_free(t);
}

static void offsets_can_count_characters(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("words");
    attend_tokens *p = NULL;
    size_t count;
    const char text[] = "\xC3\xA9\xC3\xA9 cat \xFF";
    attend_tokenizer_encode(t, text, strlen(text), 0, &p, NULL);
    assert_int_equal(attend_tokens_invalid(p), 1);
    attend_tokens_in_characters(p, text, strlen(text));
    const attend_token *item = attend_tokens_items(p, &count);
    assert_int_equal(item[1].begin, 3);
    assert_int_equal(item[1].end, 6);
    attend_tokens_free(p);
    attend_tokenizer_free(t);
}

static void pieces_as_text_are_joined(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("words");
    const char *pieces[] = {"Hello", ",", "you"};
    const size_t sizes[] = {5, 1, 3};
    char *text;
    assert_int_equal(attend_tokenizer_join(t, pieces, sizes, 3, &text, NULL, NULL), ATTEND_OK);
    assert_string_equal(text, "Hello, you");
    attend_free(text);
    assert_int_equal(attend_tokenizer_join(t, pieces, sizes, 0, &text, NULL, NULL), ATTEND_OK);
    assert_string_equal(text, "");
    attend_free(text);
    attend_tokenizer_free(t);
}

static void unknown_pieces_are_spelled_as_in_the_text(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("words");
    attend_tokens *p = NULL;
    size_t size;
    const char text[] = "the and/or", *const expected[] = {"the", "and", "@/@", "or", "<eos>"};
    attend_tokenizer_encode(t, text, strlen(text), 1, &p, NULL);
    assert_null(attend_tokens_text(p, 0, &size));
    assert_int_equal(attend_tokens_spell(p, t, text, strlen(text), NULL), ATTEND_OK);
    for (size_t i = 0; i < 5; i++) {
        const char *piece = attend_tokens_text(p, i, &size);
        assert_int_equal(size, strlen(expected[i]));
        assert_memory_equal(piece, expected[i], size);
    }
    assert_null(attend_tokens_text(p, 5, &size));
    attend_tokens_free(p);
    attend_tokenizer_free(t);
}

static void what_is_not_in_the_vocabulary_has_no_id(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("words");
    int id = attend_tokenizer_id(t, "the", 3);
    assert_true(id >= 0 && id < attend_tokenizer_size(t));
    assert_string_equal(attend_tokenizer_token(t, id, NULL), "the");
    assert_int_equal(attend_tokenizer_id(t, "dog", 3), -1);
    assert_null(attend_tokenizer_token(t, -1, NULL));
    assert_null(attend_tokenizer_token(t, attend_tokenizer_size(t), NULL));
    attend_tokenizer_free(t);
}

static void options_must_come_from_their_defaults(void **state)
{
    (void)state;
    const char *const *lines = story;
    attend_learn_options o = {0};
    attend_tokenizer *t;
    attend_error err;
    assert_int_equal(attend_tokenizer_learn("words", &o, next_line, &lines, &t, &err),
                     ATTEND_OPTION);
    assert_null(t);
    attend_learn_defaults(&o);
    o.vocabulary = 6;
    assert_int_equal(attend_tokenizer_learn("words", &o, next_line, &lines, &t, &err), ATTEND_OK);
    assert_int_equal(attend_tokenizer_size(t), 6);
    attend_tokenizer_free(t);
}

static void coverage_lists_unknown_words(void **state)
{
    (void)state;
    attend_tokenizer *t = learn("words");
    attend_coverage *c;
    attend_coverage_info n;
    const char *text;
    size_t size;
    size_t count;
    assert_int_equal(attend_coverage_new(t, &c, NULL), ATTEND_OK);
    attend_coverage_add(c, "the dog and the dog and the bird", 32, NULL);
    attend_coverage_add(c, "dog", 3, NULL);
    attend_coverage_get(c, &n);
    assert_int_equal(n.lines, 2);
    assert_int_equal(n.unknown, 6);
    assert_int_equal(n.unknown_texts, 3);
    assert_true(attend_coverage_unknown(c, 0, &text, &size, &count));
    assert_string_equal(text, "dog");
    assert_int_equal(count, 3);
    assert_true(attend_coverage_unknown(c, 2, &text, &size, &count));
    assert_false(attend_coverage_unknown(c, 3, &text, &size, &count));
    attend_coverage_free(c);
    attend_tokenizer_free(t);
}

static void what_was_saved_can_be_opened(void **state)
{
    (void)state;
    char folder[] = "/tmp/attend-api-tokenizer-XXXXXX", file[80];
    attend_error err;
    assert_non_null(mkdtemp(folder));
    attend_tokenizer *t = learn("chars"), *again;
    assert_int_equal(attend_tokenizer_save(t, folder, &err), ATTEND_OK);
    assert_int_equal(attend_tokenizer_open(folder, &again, &err), ATTEND_OK);
    assert_int_equal(attend_tokenizer_size(again), attend_tokenizer_size(t));
    attend_tokenizer_free(again);
    snprintf(file, sizeof file, "%s/tokenizer.json", folder);
    assert_int_equal(attend_tokenizer_open(file, &again, &err), ATTEND_OK);
    attend_tokenizer_free(again);
    unlink(file);
    assert_int_equal(attend_tokenizer_open(folder, &again, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "tokenizer.json: is missing, but listed"));
    at_checksum_list_remove(folder);
    rmdir(folder);
    assert_int_equal(attend_tokenizer_open(folder, &again, &err), ATTEND_FILE);
    assert_null(again);
    attend_tokenizer_free(t);
    attend_tokenizer_free(NULL);
    attend_tokens_free(NULL);
    attend_coverage_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_goes_there_and_back),
        cmocka_unit_test(the_frame_is_there_when_asked_for),
        cmocka_unit_test(offsets_can_count_characters),
        cmocka_unit_test(pieces_as_text_are_joined),
        cmocka_unit_test(unknown_pieces_are_spelled_as_in_the_text),
        cmocka_unit_test(what_is_not_in_the_vocabulary_has_no_id),
        cmocka_unit_test(options_must_come_from_their_defaults),
        cmocka_unit_test(coverage_lists_unknown_words),
        cmocka_unit_test(what_was_saved_can_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
