#include "text/sentences.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/str.h"
#include "text/unicode.h"

static void split(const char *text, size_t size, unsigned languages, at_str *out)
{
    at_sentences s = at_sentences_of(text, size, languages);
    size_t begin, end;
    while (at_sentences_next(&s, &begin, &end)) {
        if (out->length)
            at_str_add(out, "|");
        at_str_add_bytes(out, text + begin, end - begin);
    }
}

/* want has | between the sentences; the text is the same with blanks there */
static void assert_split(unsigned languages, const char *want)
{
    char text[1000];
    at_str out = {0};
    assert_true(strlen(want) < sizeof text);
    strcpy(text, want);
    for (char *p = text; (p = strchr(p, '|'));)
        *p = ' ';
    split(text, strlen(text), languages, &out);
    assert_string_equal(at_str_text(&out), want);
    at_str_free(&out);
}

static void assert_all(unsigned languages, const char *const *want)
{
    for (; *want; want++)
        assert_split(languages, *want);
}

static void plain_marks_end_sentences(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "One sentence.|Another one!|A third?|And so on", "Is it so?!|Yes!!|Ah.|É is a letter.",
        "It is 1999.|Nobody knew.", "Well…|That is it.|Then...|Nothing", NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
    assert_all(ATTEND_LANGUAGE_EN, cases);
}

static void small_letters_go_on(void **state)
{
    (void)state;
    static const char *const cases[] = {"Wait... what? he said.", "A vs. b. and c! yes",
                                        "He uses iTunes. and so on.", NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
}

static void abbreviations_end_nothing(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "Mr. and Mrs. Smith met Dr. Jones, Prof. Lee and J. R. Brown.|They talked.",
        "See Fig. 3 and pp. 4-5, e.g. No. 7.|No.|I said no.",
        "We met at 5 p.m. on Monday.|It was 7 p.m.|The sun was low.",
        "The U.S. Senate voted.|He lives in the U.S.|She does not.",
        "Apples, etc. are fruit.|We had pears, etc.|Then we left.",
        "So am I.|He is too.",
        "It is Tom's.|Ask Bob.",
        NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
    assert_all(ATTEND_LANGUAGE_EN, cases);
}

static void numbers_and_addresses_are_whole(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "It costs $3.50, or 1.000,25 in all.|Really?",
        "Visit www.example.com.|Mail me@example.org.|See version 2.0.1 now.", "1. The first item",
        NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
}

static void quotes_and_brackets_close_with_the_sentence(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "\"Stop!\" he cried.|\"Why?\"|She ran.|(It was late.)|They knew.",
        "He said, \"Go home.\"|Then he left.",
        "“Why me?” she asked.|“Because.”|He sighed.",
        "„Halt!“ rief er.|„Warum?“|Sie lief.",
        "»Halt!« rief er.|»Warum?«|Sie lief.",
        "« Quoi ? » dit-il.|« Rien. »|Elle partit.",
        "¿Qué tal?|¡Muy bien!|– Bueno.",
        NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
}

static void german(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "Am 3. Oktober kam Hr. Dr. Maier, z. B. mit dem Zug.|Er blieb bis zum 5. Mai.|Schade.",
        "Das kostet ca. 5 Mio. Euro bzw. 3 Mrd. Yen usw.|Das ist viel.",
        "Vgl. S. 5, Abb. 3 u.a. Werke.|Siehe Nr. 7.", NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
    assert_all(ATTEND_LANGUAGE_DE, cases);
    assert_split(ATTEND_LANGUAGE_DE, "Der 2. Band und Wilhelm II. König von Preußen.|Ende.");
}

static void french_spanish_italian_and_others(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "M. Dupont et Mme. Durand, cf. p. 5, sont là.|Le Dr. Martin aussi.",
        "El Sr. López y la Sra. Díaz viven en la pág. 3.|No lo sé.",
        "Il Sig. Rossi e il Dott. Bianchi.|Ecco.",
        "O Sr. Silva mora no n. 5.|Muito bem.",
        "Dhr. Jansen en mevr. De Vries kwamen o.a. langs.|Mooi.",
        "Г-н Иванов и проф. Петров, т.е. мы.|Всё.",
        NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
}

/* { text, with | between the sentences } */
static void assert_wide(const char *const (*cases)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        at_str out = {0};
        split(cases[i][0], strlen(cases[i][0]), 0, &out);
        assert_string_equal(at_str_text(&out), cases[i][1]);
        at_str_free(&out);
    }
}

static void chinese_and_japanese_need_no_blanks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"你好。我很好！你呢？好", "你好。|我很好！|你呢？|好"},
        {"他说：“好。”然后走了。3月5日。", "他说：“好。”|然后走了。|3月5日。"},
        {"「はい。」と言った。そうですか？", "「はい。」と言った。|そうですか？"},
        {"真的吗?当然!走吧", "真的吗?|当然!|走吧"},
        {"３．５メートル。それだけ．おわり", "３．５メートル。|それだけ．|おわり"},
        {"他……走了。", "他……走了。"},
    };
    assert_wide(cases, sizeof cases / sizeof *cases);
}

/* no blank tells which way a quote looks */
static void quotes_between_chinese_sentences_open_or_close(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"他走了。“再见。”没有人来了。", "他走了。|“再见。”|没有人来了。"},
        {"他走了。\"再见。\"没有人在。", "他走了。|\"再见。\"|没有人在。"},
        {"他说:\"你好。\"然后走了。\"走吧。\"", "他说:\"你好。\"|然后走了。|\"走吧。\""},
        {"她问:\"你好吗?\"天黑了!\"好!\"完", "她问:\"你好吗?\"|天黑了!|\"好!\"|完"},
        {"\"你好。我走了。\"门开了。\"好。\"", "\"你好。|我走了。\"|门开了。|\"好。\""},
        {"他走了。＂好。＂天黑了。", "他走了。|＂好。＂|天黑了。"},
        {"他走了。'好。'天黑了。", "他走了。|'好。'|天黑了。"},
        {"It's Tom's. 他说:'好。'天黑了。'走。'", "It's Tom's.|他说:'好。'|天黑了。|'走。'"},
        {"一\"二。\n\n三。\"四。\"五。", "一\"二。|三。|\"四。\"|五。"},
        {"走了。«好。»天黑了。", "走了。|«好。»|天黑了。"},
    };
    assert_wide(cases, sizeof cases / sizeof *cases);
}

/* "Yes." she said: one sentence, as in English */
static void who_speaks_belongs_to_the_speech(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"“你好。”她说。天黑了。", "“你好。”她说。|天黑了。"},
        {"\"走吗？\"老师问道，\"快。\"", "\"走吗？\"老师问道，\"快。\""},
        {"“你好!”他喊。", "“你好!”他喊。"},
        {"他说：“好。”她说不好。", "他说：“好。”|她说不好。"},
        {"“好。”门开了，他说话了。", "“好。”|门开了，他说话了。"},
        {"“好。”他说：“走。”", "“好。”|他说：“走。”"},
        {"（好。）他说。", "（好。）|他说。"},
        {"「はい。」彼は言った。", "「はい。」彼は言った。"},
    };
    assert_wide(cases, sizeof cases / sizeof *cases);
}

static void other_scripts_have_their_marks(void **state)
{
    (void)state;
    static const char *const cases[] = {"यह है।|वह है।", "هل هذا؟|نعم.", "Սա է։|Այո։", NULL};
    assert_all(ATTEND_LANGUAGES_ALL, cases);
}

static void an_empty_line_ends_a_sentence(void **state)
{
    (void)state;
    static const char text[] = "A title\n\nA sentence\nover lines.\r\n \n\n Last";
    at_str out = {0};
    split(text, strlen(text), ATTEND_LANGUAGES_ALL, &out);
    assert_string_equal(at_str_text(&out), "A title|A sentence\nover lines.|Last");
    at_str_free(&out);
}

static void languages_are_known_by_name(void **state)
{
    (void)state;
    bool known;
    assert_int_equal(at_language_bits("en", &known), ATTEND_LANGUAGE_EN);
    assert_int_equal(at_language_bits("ru", &known), ATTEND_LANGUAGE_RU);
    assert_int_equal(at_language_bits("auto", &known), ATTEND_LANGUAGES_ALL);
    assert_int_equal(at_language_bits("zh", &known), 0);
    assert_true(known);
    assert_int_equal(at_language_bits("xx", &known), 0);
    assert_false(known);
}

/* what is no white space comes out, in order, whatever the bytes */
static void nothing_is_lost(void **state)
{
    (void)state;
    static const char *const parts[] = {" ",  "\n", ".",   "...", "!",      "。", "」",
                                        "\"", "A",  "b",   "Mr",  "1",      "é",  "\xFF",
                                        "«",  " »", "e.g", "汤",  "\u00A0", "(",  ")"};
    for (uint32_t seed = 0; seed < 3000; seed++) {
        char text[300];
        size_t size = 0, covered = 0, begin, end;
        for (uint32_t i = 0; i < 40; i++) {
            const char *part =
                parts[at_random_below((at_random){.seed = seed}, i, sizeof parts / sizeof *parts)];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
        }
        at_sentences s = at_sentences_of(text, size, seed % 256);
        while (at_sentences_next(&s, &begin, &end)) {
            assert_true(begin < end && begin >= covered && end <= size);
            while (covered < begin) {
                int blank = at_space_at(text + covered, size - covered);
                assert_true(blank > 0);
                covered += (size_t)blank;
            }
            assert_int_equal(at_space_at(text + begin, size - begin), 0);
            covered = end;
        }
        while (covered < size) {
            int blank = at_space_at(text + covered, size - covered);
            assert_true(blank > 0);
            covered += (size_t)blank;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_marks_end_sentences),
        cmocka_unit_test(small_letters_go_on),
        cmocka_unit_test(abbreviations_end_nothing),
        cmocka_unit_test(numbers_and_addresses_are_whole),
        cmocka_unit_test(quotes_and_brackets_close_with_the_sentence),
        cmocka_unit_test(german),
        cmocka_unit_test(french_spanish_italian_and_others),
        cmocka_unit_test(chinese_and_japanese_need_no_blanks),
        cmocka_unit_test(quotes_between_chinese_sentences_open_or_close),
        cmocka_unit_test(who_speaks_belongs_to_the_speech),
        cmocka_unit_test(other_scripts_have_their_marks),
        cmocka_unit_test(an_empty_line_ends_a_sentence),
        cmocka_unit_test(languages_are_known_by_name),
        cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
