#include "text/wordpiece.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "text_lines.h"

static char folder[] = "/tmp/attend-wordpiece-XXXXXX";

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\nrun\n##ning\n"
    "##s\n,\n.\n!\nthe\n中\ne\n##e\n[\n]\nmask\nkeep\nme\n-\nkeep-me\n";

static void write_file(const char *name, const char *text)
{
    char *path = at_file_join(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    at_free(path);
}

static void remove_file(const char *name)
{
    char *path = at_file_join(folder, name);
    unlink(path);
    at_free(path);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    remove_file("vocab.txt");
    remove_file("tokenizer.json");
    remove_file("tokenizer_config.json");
    remove_file(ATTEND_CHECKSUM_LIST);
    return rmdir(folder);
}

static at_tokenizer *open_it(void)
{
    at_tokenizer *t;
    attend_error err;
    if (at_tokenizer_open(folder, &t, &err) < 0)
        fail_msg("%s", err.message);
    return t;
}

static void check(const at_tokenizer *t, const char *text, const char *expected)
{
    at_tokens p = {0};
    at_str texts = {0};
    for (int again = 0; again < 2; again++) { /* the second time from the cache */
        at_tokens_clear(&p);
        at_str_clear(&texts);
        assert_int_equal(at_encode(t, text, strlen(text), &p, NULL), ATTEND_OK);
        test_texts(t, &p, &texts);
        assert_string_equal(at_str_text(&texts), expected);
    }
    at_tokens_free(&p);
    at_str_free(&texts);
}

static void takes_the_longest_token_first(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    at_tokenizer *t = open_it();
    assert_string_equal(t->kind->name, "wordpiece");
    check(t, "unaffable running runs", "un ##aff ##able run ##ning run ##s");
    check(t, "The  running,\trun.", "the run ##ning , run .");
    check(t, "unknown x", "[UNK] [UNK]");
    check(t, "the中the", "the 中 the");
    check(t, "\xC3\x89\xC3\xA9", "e ##e"); /* Éé */
    check(t, "r\x01u\xE2\x80\x8Bn\xEF\xBF\xBD", "run");
    check(t, "", "");
    at_tokenizer_free(t);
}

static void long_words_are_unknown(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    at_tokenizer *t = open_it();
    char text[202];
    memset(text, 'e', sizeof text);
    text[100] = 0;
    at_tokens p = {0};
    at_encode(t, text, 100, &p, NULL);
    assert_int_equal(p.count, 100);
    at_tokens_clear(&p);
    text[100] = 'e';
    at_encode(t, text, 101, &p, NULL);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.item[0].id, 1);
    assert_int_equal(p.item[0].end, 101);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void special_tokens_are_found_anywhere_in_the_text(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    at_tokenizer *t = open_it();
    check(t, "the [MASK].", "the [MASK] .");
    check(t, "the[MASK]run", "the [MASK] run");
    check(t, "[mask]", "[ mask ]");
    at_tokenizer_free(t);
}

static void or_as_words_alone(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    char *path = at_file_join(folder, "vocab.txt");
    at_wordpiece_options o = at_wordpiece_defaults(true);
    at_tokenizer *t;
    o.special_alone = true;
    assert_int_equal(at_wordpiece_load(path, &o, &t, NULL), ATTEND_OK);
    check(t, "the [MASK] run", "the [MASK] run");
    check(t, "the [MASK].", "the [ mask ] .");
    at_tokenizer_free(t);
    at_free(path);
}

static void or_never(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    write_file("tokenizer_config.json", "{\"split_special_tokens\": true}");
    at_tokenizer *t = open_it();
    check(t, "the [MASK] run", "the [ mask ] run");
    at_tokenizer_free(t);
    remove_file("tokenizer_config.json");
}

static void the_configuration_beside_it_counts(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    write_file("tokenizer_config.json",
               "{\"do_lower_case\": false, \"tokenize_chinese_chars\": false,"
               " \"never_split\": [\"keep-me\"], \"mask_token\": {\"content\": \"mask\"}}");
    at_tokenizer *t = open_it();
    check(t, "The run", "[UNK] run");
    check(t, "the中", "[UNK]");
    check(t, "keep-me keep-me,", "keep-me keep - me ,");
    assert_int_equal(t->special[ATTEND_SPECIAL_MASK], 20);
    at_tokenizer_free(t);
    remove_file("tokenizer_config.json");
}

static void capitals_tell_a_cased_vocabulary(void **state)
{
    (void)state;
    write_file("vocab.txt", "[UNK]\nThe\nthe\n");
    at_tokenizer *t = open_it();
    check(t, "The the THE", "The the [UNK]");
    at_tokenizer_free(t);
    write_file("vocab.txt", "[UNK]\nthe\n");
    t = open_it();
    check(t, "The", "the");
    at_tokenizer_free(t);
}

static void offsets_are_those_of_the_text_as_it_is(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    at_tokenizer *t = open_it();
    at_tokens p = {0};
    const char text[] = "\xC3\x89\xC3\xA9 R\x02uns"; /* Éé, a control character */
    at_encode(t, text, sizeof text - 1, &p, NULL);
    assert_int_equal(p.count, 4);
    const uint32_t expected[][3] = {{0, 2, 0}, {2, 4, 0}, {5, 9, 1}, {9, 10, 1}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(p.item[i].begin, expected[i][0]);
        assert_int_equal(p.item[i].end, expected[i][1]);
        assert_int_equal(p.item[i].word, expected[i][2]);
    }
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void frames_two_texts(void **state)
{
    (void)state;
    write_file("vocab.txt", vocabulary);
    at_tokenizer *t = open_it();
    at_tokens p = {0};
    at_str texts = {0};
    size_t second;
    at_encode_framed(t, "the run", 7, "runs", 4, &p, &second, NULL);
    test_texts(t, &p, &texts);
    assert_string_equal(at_str_text(&texts), "[CLS] the run [SEP] run ##s [SEP]");
    assert_int_equal(second, 4);
    assert_int_equal(p.item[4].begin, 0);
    assert_int_equal(p.item[4].word, 0);
    at_tokens_free(&p);
    at_str_free(&texts);
    at_tokenizer_free(t);
}

static void check_decoded(const at_tokenizer *t, const char *text, const char *expected)
{
    at_tokens p = {0};
    at_str out = {0};
    int32_t ids[64];
    at_encode_framed(t, text, strlen(text), NULL, 0, &p, NULL, NULL);
    for (size_t i = 0; i < p.count; i++)
        ids[i] = p.item[i].id;
    assert_int_equal(at_decode(t, ids, p.count, ATTEND_DECODE_PLAIN, &out, NULL), ATTEND_OK);
    assert_string_equal(at_str_text(&out), expected);
    at_tokens_free(&p);
    at_str_free(&out);
}

static void becomes_text_again(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "well - known don ' t l ' homme 3.14 12:30 1,000 ( a ) \" b \" 中文 ! ? / @ one , two",
        "well known don t l homme 3 14 12 30 1 000 a b 中 文 one two ( ) \" - ' , . : ! ? / @",
        NULL};
    attend_learn_options o;
    at_tokenizer *t;
    attend_learn_defaults(&o);
    assert_int_equal(at_tokenizer_learn("wordpiece", TEST_LINES(lines), &o, &t, NULL), ATTEND_OK);
    check_decoded(t, "well-known, don't! l'homme?", "well-known, don't! l'homme?");
    check_decoded(t, "3.14 12:30 1,000 (a) \"b\" one, two", "3.14 12:30 1,000 (a) \"b\" one, two");
    check_decoded(t, "中文a/b", "中文a/b");
    check_decoded(t, "one 犬", "one [UNK]");
    at_tokenizer_free(t);
}

static void check_refused(const char *name, const char *text, const char *expected)
{
    at_tokenizer *t;
    attend_error err;
    remove_file("vocab.txt");
    remove_file("tokenizer.json");
    write_file(name, text);
    assert_true(at_tokenizer_open(folder, &t, &err) < 0);
    assert_null(t);
    if (!strstr(err.message, expected))
        fail_msg("\"%s\" does not say \"%s\"", err.message, expected);
    remove_file(name);
}

static void refuses_what_is_no_vocabulary(void **state)
{
    (void)state;
    check_refused("vocab.txt", "", "has no piece [UNK]");
    check_refused("vocab.txt", "a\nb\n", "has no piece [UNK]");
    check_refused("vocab.txt", "[UNK]\nb\xFF\n", "vocab.txt:2: bytes that are no UTF-8");
    check_refused("tokenizer.json", "{}", "type");
    check_refused("tokenizer.json", "{\"model\": {\"type\": \"Strange\"}}", "cannot be read");
    check_refused("tokenizer.json", "{\"model\": {\"type\": \"WordPiece\"}}", "BertNormalizer");
#define BERT                                           \
    "\"normalizer\": {\"type\": \"BertNormalizer\"}, " \
    "\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "
    check_refused("tokenizer.json", "{" BERT "\"model\": {\"type\": \"WordPiece\"}}",
                  "no vocabulary");
    check_refused("tokenizer.json",
                  "{" BERT "\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": 0, \"b\": 0}}}",
                  "another piece's too");
    check_refused("tokenizer.json",
                  "{" BERT "\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": -1}}}",
                  "no number from 0 on");
    check_refused("tokenizer.json",
                  "{" BERT "\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": 99999999}}}",
                  "far beyond");
    check_refused("tokenizer.json",
                  "{" BERT "\"added_tokens\": [{\"id\": 5, \"content\": \"x\"}], "
                  "\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"[UNK]\": 0}}}",
                  "does not go with the vocabulary");
}

static void reads_what_hugging_face_writes(void **state)
{
    (void)state;
    remove_file("vocab.txt");
    write_file("tokenizer.json",
               "{\"version\": \"1.0\", \"truncation\": null, \"padding\": null, \"added_tokens\": ["
               "{\"id\": 0, \"special\": true, \"content\": \"[UNK]\", \"single_word\": false},"
               "{\"id\": 4, \"special\": true, \"content\": \"[NEW]\", \"single_word\": false}],"
               "\"normalizer\": {\"type\": \"BertNormalizer\", \"clean_text\": true, "
               "\"handle_chinese_chars\": true, \"strip_accents\": null, \"lowercase\": true},"
               "\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"},"
               "\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\","
               "\"continuing_subword_prefix\": \"~\", \"max_input_chars_per_word\": 5,"
               "\"vocab\": {\"[UNK]\": 0, \"ab\": 1, \"~c\": 2, \"~ab\": 3}}}");
    at_tokenizer *t = open_it();
    check(t, "AB abc ababc abcccc", "ab ab ~c ab ~ab ~c [UNK]");
    check(t, "ab[NEW]ab", "ab [NEW] ab");
    assert_true(at_tokenizer_is_special(t, 4));
    at_tokenizer_free(t);
    remove_file("tokenizer.json");
}

static void learns_the_merges_that_count_most(void **state)
{
    (void)state;
    static const char *const lines[] = {"hug hug hug hug hug hug hug hug hug hug",
                                        "pug pug pug pug pug",
                                        "pun pun pun pun pun pun pun pun pun pun pun pun",
                                        "bun bun bun bun hugs hugs hugs hugs hugs", NULL};
    static const char *const merged[] = {"##ug", "##un", "hug", "pun"};
    attend_learn_options o;
    at_tokenizer *t;
    attend_learn_defaults(&o);
    o.vocabulary = 5 + 2 * 7 + 4;
    assert_int_equal(at_tokenizer_learn("wordpiece", TEST_LINES(lines), &o, &t, NULL), ATTEND_OK);
    assert_int_equal(at_tokenizer_size(t), o.vocabulary);
    assert_string_equal(at_vocab_text(t->vocab, 5, NULL), "b");
    assert_string_equal(at_vocab_text(t->vocab, 12, NULL), "##b");
    for (int i = 0; i < 4; i++)
        assert_string_equal(at_vocab_text(t->vocab, 19 + i, NULL), merged[i]);
    check(t, "hugs pugs", "hug ##s p ##ug ##s");
    at_tokenizer_free(t);
}

static void a_size_without_room_for_the_characters_is_refused(void **state)
{
    (void)state;
    attend_learn_options o;
    at_tokenizer *t;
    attend_error err;
    attend_learn_defaults(&o);
    o.vocabulary = 20;
    assert_int_equal(at_tokenizer_learn("wordpiece", TEST_LINES(test_story), &o, &t, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "raise the size"));
    o.alphabet = 7;
    assert_int_equal(at_tokenizer_learn("wordpiece", TEST_LINES(test_story), &o, &t, &err),
                     ATTEND_OK);
    assert_int_equal(at_tokenizer_size(t), 20);
    at_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_longest_token_first),
        cmocka_unit_test(long_words_are_unknown),
        cmocka_unit_test(special_tokens_are_found_anywhere_in_the_text),
        cmocka_unit_test(or_as_words_alone),
        cmocka_unit_test(or_never),
        cmocka_unit_test(the_configuration_beside_it_counts),
        cmocka_unit_test(capitals_tell_a_cased_vocabulary),
        cmocka_unit_test(offsets_are_those_of_the_text_as_it_is),
        cmocka_unit_test(frames_two_texts),
        cmocka_unit_test(becomes_text_again),
        cmocka_unit_test(refuses_what_is_no_vocabulary),
        cmocka_unit_test(reads_what_hugging_face_writes),
        cmocka_unit_test(learns_the_merges_that_count_most),
        cmocka_unit_test(a_size_without_room_for_the_characters_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
