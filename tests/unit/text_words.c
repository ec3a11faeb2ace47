#include "text/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "text_lines.h"

static at_tokenizer *learn(const char *const *lines, const attend_learn_options *options)
{
    at_tokenizer *t;
    attend_error err;
    if (at_tokenizer_learn("words", TEST_LINES(lines), options, &t, &err) < 0)
        fail_msg("%s", err.message);
    return t;
}

/* a vocabulary of nothing: all words as they are written */
static at_tokenizer *bare(void)
{
    static const char *const none[] = {NULL};
    return learn(none, NULL);
}

/* the words, with blanks between them */
static void cut(const at_tokenizer *t, const char *text, at_str *out)
{
    at_tokens p = {0};
    at_str spelled = {0};
    size_t end[100], begin = 0;
    assert_int_equal(at_encode(t, text, strlen(text), &p, NULL), ATTEND_OK);
    at_spell(t, text, strlen(text), &p, &spelled, end);
    for (size_t i = 0; i < p.count; begin = end[i++])
        at_str_print(out, "%s%.*s", i ? " " : "", (int)(end[i] - begin), spelled.text + begin);
    at_tokens_free(&p);
    at_str_free(&spelled);
}

static void join(const at_tokenizer *t, const char *words, at_str *out)
{
    at_text list[100];
    size_t n = 0;
    for (const char *w = words; *w; n++) {
        size_t size = strcspn(w, " ");
        list[n] = (at_text){w, size};
        w += size + (w[size] == ' ');
    }
    assert_int_equal(at_join(t, list, n, out, NULL), ATTEND_OK);
}

static void check_cut(const char *text, const char *expected)
{
    at_tokenizer *t = bare();
    at_str words = {0};
    cut(t, text, &words);
    assert_string_equal(at_str_text(&words), expected);
    at_str_free(&words);
    at_tokenizer_free(t);
}

/* cut as expected, and joined to the same text again */
static void check(const char *text, const char *expected)
{
    at_tokenizer *t = bare();
    at_str again = {0};
    check_cut(text, expected);
    join(t, expected, &again);
    assert_string_equal(at_str_text(&again), text);
    at_str_free(&again);
    at_tokenizer_free(t);
}

static void cuts_punctuation_off_and_brings_it_back(void **state)
{
    (void)state;
    check("Hello, world!", "Hello , world !");
    check("Wait... what?!", "Wait ... what ? !");
    check("He said: \"No (never).\"", "He said : \" No ( never ) . \"");
    check("It costs $5 or 10%.", "It costs $ 5 or 10 % .");
    check("¿Qué? ¡No!", "¿ Qué ? ¡ No !");
}

static void numbers_and_abbreviations_stay_whole(void **state)
{
    (void)state;
    check("3.14 1,000 12:30 -5 U.S.A. e.g. this", "3.14 1,000 12:30 -5 U.S.A . e.g . this");
    check("well-known pre- and post-war -- yes", "well-known pre- and post-war -- yes");
    check("1,2,3 a,b", "1,2,3 a ,@ b");
}

static void apostrophes_are_seams(void **state)
{
    (void)state;
    check("don't I'm he'll they've", "don 't I 'm he 'll they 've");
    check("l'homme qu'il aujourd'hui", "l' homme qu' il aujourd' hui");
    check("l’homme don’t", "l’ homme don ’t");
    check("the dogs' food", "the dogs ' food");
    check("say 'yes' now", "say ' yes ' now");
}

static void marks_show_where_there_was_no_blank(void **state)
{
    (void)state;
    check("and/or and / or", "and @/@ or and / or");
    check("a+b=c", "a @+@ b @=@ c");
    check("it costs 5%/year", "it costs 5 % @/@ year");
    check("#1 @home", "# 1 @@ home");
    check("see a @ b", "see a @ b");
}

static void an_at_sign_is_no_mark(void **state)
{
    (void)state;
    check("a@ b", "a @&#64; b");
    check("@@ a", "@ @&#64; a");
    check("/@ a @/ b", "/ @&#64; a @ @/ b");
    check("a/@b", "a @/ @@@ b");
    check("@\u200D a", "&#64;\u200D a");
    check("a &#64; b", "a & @# 64 ; b");
}

/* what stands close is marked, and nothing else here has a rule */
static void words_with_at_signs_come_back(void **state)
{
    (void)state;
    static const char *const parts[] = {"a", "é",      "@", "@@", "/", "_",
                                        "+", "\u200D", " ", " ",  "5"};
    at_tokenizer *t = bare();
    for (uint32_t seed = 0; seed < 5000; seed++) {
        at_str text = {0}, words = {0}, again = {0};
        at_str_add(&text, "x");
        for (uint32_t i = 0; i < 12; i++) {
            const char *part =
                parts[at_random_below((at_random){.seed = seed}, i, sizeof parts / sizeof *parts)];
            if (*part != ' ' || text.text[text.length - 1] != ' ')
                at_str_add(&text, part);
        }
        at_str_add(&text, "x");
        cut(t, at_str_text(&text), &words);
        join(t, at_str_text(&words), &again);
        assert_string_equal(at_str_text(&again), at_str_text(&text));
        at_str_free(&text);
        at_str_free(&words);
        at_str_free(&again);
    }
    at_tokenizer_free(t);
}

static void a_learned_rule_holds_for_an_at_sign_too(void **state)
{
    (void)state;
    static const char *const lines[] = {"see @bob @tom @ann @sue @joe @kim", NULL};
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.min_count = 100; /* no word is known, the rules are */
    at_tokenizer *t = learn(lines, &o);
    at_str words = {0}, again = {0};
    cut(t, "a@/b @bob", &words);
    assert_string_equal(at_str_text(&words), "a @&#64; /@ b @ bob");
    join(t, at_str_text(&words), &again);
    assert_string_equal(at_str_text(&again), "a@/b @bob");
    at_str_free(&words);
    at_str_free(&again);
    at_tokenizer_free(t);
}

static void addresses_are_words(void **state)
{
    (void)state;
    check("see http://x.org/a?b=1.", "see http://x.org/a?b=1 .");
    check("(mail me@x.org, please)", "( mail me@x.org , please )");
    check("www.x.org/ there", "www.x.org/ there");
}

static void chinese_and_japanese_by_character(void **state)
{
    (void)state;
    check("我用Python写。", "我 用 Python 写 。");
    check("これは「本」です。", "こ れ は 「 本 」 で す 。");
    check_cut("한국어 말", "한국어 말");
}

static void marks_and_joiners_stay_with_their_character(void **state)
{
    (void)state;
    check_cut("e\xCC\x81t\xCC\x81", "e\xCC\x81t\xCC\x81");
    check_cut("👩\xE2\x80\x8D x", "👩\xE2\x80\x8D x");
}

static void without_punctuation_white_space_alone_counts(void **state)
{
    (void)state;
    static const char *const lines[] = {"Hello, \"world\"! 你好 x", NULL};
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.pretokenised = 1;
    o.min_count = 1;
    at_tokenizer *t = learn(lines, &o);
    at_str out = {0}, again = {0};
    cut(t, lines[0], &out);
    assert_string_equal(at_str_text(&out), "Hello, \"world\"! 你 好 x");
    join(t, at_str_text(&out), &again);
    assert_string_equal(at_str_text(&again), "Hello, \"world\"!你好x");
    at_tokenizer_free(t);
    at_str_clear(&out);
    o.split_chinese = 0;
    t = learn(lines, &o);
    cut(t, lines[0], &out);
    assert_string_equal(at_str_text(&out), lines[0]);
    at_str_free(&out);
    at_str_free(&again);
    at_tokenizer_free(t);
}

static void a_text_that_was_cut_already_stays_as_it_is(void **state)
{
    (void)state;
    static const char cut_one[] = "a dog &apos;s bone , found by mr. x .";
    static const char whole_one[] = "a dog's bone, found by mr. x.";
    const char *lines[61] = {NULL};
    at_str out = {0};
    for (int i = 0; i < 60; i++)
        lines[i] = i ? "one , two ." : cut_one;
    at_tokenizer *t = learn(lines, NULL);
    assert_true(at_tokenizer_by_blanks(t));
    cut(t, cut_one, &out);
    assert_string_equal(at_str_text(&out), cut_one);
    at_tokenizer_free(t);
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.pretokenised = 0; /* told to */
    t = learn(lines, &o);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    for (int i = 0; i < 60; i++)
        lines[i] = i % 8 ? "Quoi ? Non !" : whole_one; /* French has blanks before these */
    t = learn(lines, NULL);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    lines[9] = NULL; /* too few to know */
    for (int i = 0; i < 9; i++)
        lines[i] = "yes .";
    t = learn(lines, NULL);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    at_str_free(&out);
}

/* film reviews, as sentiment treebanks have them: many marks are ellipses */
static void an_ellipsis_does_not_speak_against_a_cut(void **state)
{
    (void)state;
    static const char review[] =
        "it 's a film that wo n't let go ... and -lrb- mr. x -rrb- knows .";
    const char *lines[61] = {NULL};
    at_str out = {0};
    for (int i = 0; i < 60; i++)
        lines[i] = i == 0  ? review
                   : i % 3 ? "slow , loud , and dull , but never false ."
                           : "a first half that works ... and then ...";
    at_tokenizer *t = learn(lines, NULL);
    assert_true(at_tokenizer_by_blanks(t));
    cut(t, review, &out);
    assert_string_equal(at_str_text(&out), review);
    at_tokenizer_free(t);
    for (int i = 0; i < 60; i++) /* nor for one */
        lines[i] = i % 3 ? "Slow ... and then, at last, it works." : "Well .. no ...";
    t = learn(lines, NULL);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    at_str_free(&out);
}

/* a parliament: one mark of eight belongs to an abbreviation */
static void abbreviations_do_not_speak_against_a_cut(void **state)
{
    (void)state;
    const char *lines[41] = {NULL};
    for (int i = 0; i < 40; i++)
        lines[i] = i % 2 ? "then Mr. Stone , the member , rose ." : "no , no , no , no .";
    at_tokenizer *t = learn(lines, NULL);
    assert_true(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    for (int i = 0; i < 40; i++) /* commas are never part of one */
        lines[i] = i % 2 ? "then Stone, the other member , rose ." : "no , no , no , no .";
    t = learn(lines, NULL);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
}

static void parts_of_words_tell_that_a_text_was_cut(void **state)
{
    (void)state;
    static const char treebank[] = " mr. <unk> says it does n't own the bank 's N shares ";
    const char *lines[41] = {NULL};
    at_str out = {0};
    for (int i = 0; i < 40; i++)
        lines[i] = i % 4 ? treebank : " that 's the u.s. view of <unk> inc. in N ";
    at_tokenizer *t = learn(lines, NULL);
    assert_true(at_tokenizer_by_blanks(t));
    cut(t, treebank, &out);
    assert_string_equal(at_str_text(&out), "mr. <unk> says it does n't own the bank 's N shares");
    at_tokenizer_free(t);
    for (int i = 0; i < 40; i++) /* a rare word was left out of whole text */
        lines[i] = i % 4 ? "It's <unk> who came, isn't it?" : "Mr. <unk> didn't come.";
    t = learn(lines, NULL);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    for (int i = 0; i < 40; i++)
        lines[i] = i % 4 ? "Ik kom 's avonds." : "Het is 's middags te warm.";
    t = learn(lines, NULL);
    assert_false(at_tokenizer_by_blanks(t));
    at_tokenizer_free(t);
    at_str_free(&out);
}

static void learns_frequent_words_in_order(void **state)
{
    (void)state;
    static const char *const lines[] = {"b b b a a c", "a b c d", NULL};
    attend_learn_options o;
    attend_learn_defaults(&o);
    at_tokenizer *t = learn(lines, &o);
    assert_int_equal(at_tokenizer_size(t), 7); /* four special ones; d came once */
    assert_string_equal(at_vocab_text(t->vocab, 0, NULL), "<pad>");
    assert_string_equal(at_vocab_text(t->vocab, 4, NULL), "b");
    assert_string_equal(at_vocab_text(t->vocab, 5, NULL), "a");
    at_tokenizer_free(t);
    o.vocabulary = 5;
    t = learn(lines, &o);
    assert_int_equal(at_tokenizer_size(t), 5);
    at_tokenizer_free(t);
}

static void unknown_words_keep_their_place(void **state)
{
    (void)state;
    static const char *const lines[] = {"known known", NULL};
    at_tokenizer *t = learn(lines, NULL);
    at_tokens p = {0};
    const char text[] = "  known strange, <unk>";
    at_encode(t, text, strlen(text), &p, NULL);
    assert_int_equal(p.item[0].id, 4);
    assert_int_equal(p.item[0].begin, 2);
    assert_int_equal(p.item[1].id, t->special[ATTEND_SPECIAL_UNK]);
    assert_int_equal(p.item[1].begin, 8);
    assert_int_equal(p.item[1].end, 15);
    assert_int_equal(p.item[1].word, 1);
    assert_int_equal(p.item[2].word, 1);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void a_special_token_in_the_text_is_an_unknown_word(void **state)
{
    (void)state;
    static const char *const lines[] = {"<pad> x x", NULL};
    attend_learn_options o;
    at_tokens p = {0};
    attend_learn_defaults(&o);
    o.pretokenised = 1;
    at_tokenizer *t = learn(lines, &o);
    at_encode(t, "<pad> x", 7, &p, NULL);
    assert_int_equal(p.item[0].id, t->special[ATTEND_SPECIAL_UNK]);
    assert_int_equal(p.item[1].id, 4);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void lower_case_is_learned_and_looked_up(void **state)
{
    (void)state;
    static const char *const lines[] = {"The THE the DON'T don't", NULL};
    attend_learn_options o;
    at_tokens p = {0};
    attend_learn_defaults(&o);
    o.lower = 1;
    at_tokenizer *t = learn(lines, &o);
    at_str texts = {0};
    at_encode(t, "tHe Don't", 9, &p, NULL);
    test_texts(t, &p, &texts);
    assert_string_equal(at_str_text(&texts), "the don 't");
    at_str_free(&texts);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

static void spacing_is_learned_from_the_text(void **state)
{
    (void)state;
    static const char *const french[] = {"Oui ! Non !",
                                         "Ah ! Bon ? Oui ?",
                                         "Va ! Viens !",
                                         "Oui ! Non ? Si",
                                         "Quoi ? Ou ? Oh ! Oh",
                                         "1/2 3/4 a/b c/d e/f",
                                         NULL};
    attend_learn_options o;
    at_str out = {0};
    attend_learn_defaults(&o);
    o.min_count = 1;
    at_tokenizer *t = learn(french, &o);
    join(t, "Oui ! Bon ? a / b .", &out);
    assert_string_equal(at_str_text(&out), "Oui ! Bon ? a/b.");
    at_str_free(&out);
    at_tokenizer_free(t);
}

static void invalid_bytes_are_counted_and_never_learned(void **state)
{
    (void)state;
    static const char *const lines[] = {"caf\xE9 caf\xE9 \xFF", NULL};
    at_tokens p = {0};
    at_tokenizer *t = learn(lines, NULL);
    assert_int_equal(at_tokenizer_size(t), 4);
    at_encode(t, lines[0], strlen(lines[0]), &p, NULL);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.invalid, 3);
    at_encode(t, lines[0], strlen(lines[0]), &p, NULL); /* counted again where they were seen */
    assert_int_equal(p.invalid, 6);
    at_tokens_free(&p);
    at_tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_punctuation_off_and_brings_it_back),
        cmocka_unit_test(numbers_and_abbreviations_stay_whole),
        cmocka_unit_test(apostrophes_are_seams),
        cmocka_unit_test(marks_show_where_there_was_no_blank),
        cmocka_unit_test(an_at_sign_is_no_mark),
        cmocka_unit_test(words_with_at_signs_come_back),
        cmocka_unit_test(a_learned_rule_holds_for_an_at_sign_too),
        cmocka_unit_test(addresses_are_words),
        cmocka_unit_test(chinese_and_japanese_by_character),
        cmocka_unit_test(marks_and_joiners_stay_with_their_character),
        cmocka_unit_test(without_punctuation_white_space_alone_counts),
        cmocka_unit_test(a_text_that_was_cut_already_stays_as_it_is),
        cmocka_unit_test(an_ellipsis_does_not_speak_against_a_cut),
        cmocka_unit_test(abbreviations_do_not_speak_against_a_cut),
        cmocka_unit_test(parts_of_words_tell_that_a_text_was_cut),
        cmocka_unit_test(learns_frequent_words_in_order),
        cmocka_unit_test(unknown_words_keep_their_place),
        cmocka_unit_test(a_special_token_in_the_text_is_an_unknown_word),
        cmocka_unit_test(lower_case_is_learned_and_looked_up),
        cmocka_unit_test(spacing_is_learned_from_the_text),
        cmocka_unit_test(invalid_bytes_are_counted_and_never_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
