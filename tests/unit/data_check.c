#include "data/check.h"

#include "data_tokens.h"

static char folder[] = "/tmp/attend-check-XXXXXX";
static char one[80], two[80], copy[80];
static long live;

static int enter(void **state)
{
    (void)state;
    snprintf(one, sizeof one, "%s/one.en", folder);
    snprintf(two, sizeof two, "%s/two.de", folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    live = at_alloc_live();
    return 0;
}

static int leave(void **state)
{
    (void)state;
    char path[100];
    at_alloc_fail_after(-1);
    unlink(one);
    unlink(two);
    unlink(copy);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", copy, i ? ".de" : ".en");
        unlink(path);
    }
    return at_alloc_live() != live;
}

static void put(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

static at_check *check(const at_check_options *options)
{
    at_check_options o;
    const char *paths[] = {one};
    at_check *c;
    attend_error err;
    at_check_defaults(&o);
    if (at_check_files(paths, 1, options ? options : &o, &c, &err) < 0)
        fail_msg("%s", err.message);
    return c;
}

/* "name:count@line,line ..." of everything found */
static void expect(const char *text, size_t size, const at_check_options *options,
                   const char *expected)
{
    at_str out = {0};
    put(one, text, size);
    at_check *c = check(options);
    for (int i = 0; i < ATTEND_FINDINGS; i++) {
        if (!c->count[i])
            continue;
        at_str_print(&out, "%s:%ld@", at_findings[i]->name, c->count[i]);
        for (int k = 0; k < c->locations && k < c->count[i]; k++)
            at_str_print(&out, "%s%ld", k ? "," : "", c->location[i][k].line);
        at_str_add(&out, " ");
    }
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
    at_check_free(c);
}

#define EXPECT(text, expected) expect(text, sizeof text - 1, NULL, expected)

static void every_fault_is_found_with_its_line(void **state)
{
    (void)state;
    at_check_options o;
    at_check_defaults(&o);
    o.reader.format = "pairs";
    static const char text[] = "\xEF\xBB\xBFone\tun\n" /* 1 mark */
                               "two\tdeux\r\n"         /* 2 carriage */
                               "th\0ree\ttrois\n"      /* 3 zero byte */
                               "caf\xE9\tcoffee\n"     /* 4 no UTF-8 */
                               "no tab here\n"         /* 5 malformed */
                               "\tempty\n"             /* 6 empty */
                               "empty\t \n"            /* 7 empty */
                               "one\tun\n"             /* 8 duplicate of 1 */
                               "One \tune\n"           /* 9 same source as 1, blanks */
                               "a\u2028b\tc\n"         /* 10 separator */
                               "d\x07\te\n"            /* 11 control */
                               "f\uFFFD\tg\n"          /* 12 lost */
                               "hÃ©\ti\n"              /* 13 garbled */
                               "soft\u00adly\tj\n"     /* 14 invisible */
                               "Tom\tTom\n"            /* 15 copy */
                               "x\tThis sentence is far longer than its other side is\n" /* 16 */
                               "last\tline"; /* 17 unended */
    expect(text, sizeof text - 1, &o,
           "zero-byte:1@3 not-utf8:1@4 malformed:1@5 empty:2@6,7 duplicate:1@8 ratio:1@16 "
           "separator:1@10 control:1@11 lost:1@12 garbled:1@13 copy:1@15 same-source:1@9 "
           "invisible:1@14 mark:1@1 carriage:1@2 blanks:1@9 unended:1@17 ");
    o.reader.lines.max_length = 10;
    o.max_words = 3;
    static const char other[] = "a b c d\te\n0123456789\t0\nf\tg\n";
    expect(other, sizeof other - 1, &o, "long-line:1@2 long-text:1@1 ");
}

static void a_clean_corpus_is_clean(void **state)
{
    (void)state;
    EXPECT("", "");
    EXPECT("one\tun\ntwo\tdeux\n", "");
    EXPECT("1 good film\n0 bad film\n", "");
    EXPECT("A line.\n\nAnother one.\n", "");
}

/* 1,990 short pairs, and one line whose target has 500 KB */
static void an_outlier_costs_no_good_pair(void **state)
{
    (void)state;
    at_str text = {0};
    for (int i = 0; i < 1990; i++) {
        if (i == 700) {
            at_str_add(&text, "Stop there!\tmots");
            for (int k = 0; k < 100000; k++)
                at_str_add(&text, " mots");
            at_str_add(&text, "\n");
        }
        at_str_print(&text, "I see %d%s.\tJe vois %d%s.\n", i, i % 3 ? "" : " birds in the sky", i,
                     i % 3 ? "" : " oiseaux dans le ciel");
    }
    expect(text.text, text.length, NULL, "ratio:1@701 long-text:1@701 ");
    at_str_clear(&text);
    for (int i = 1; i < 8; i++) {
        at_str_print(&text, "word%d\tmot%d\n", i, i);
        for (int k = 0; i == 6 && k < 100; k++)
            at_str_print(&text, "%s", k ? " longmot" : "short\tlongmot");
        at_str_add(&text, i == 6 ? "\n" : "");
    }
    expect(text.text, text.length, NULL, "ratio:1@7 ");
    at_str_free(&text);
}

/* the median of an even number: one good pair and one outlier, in either order */
static void of_two_pairs_the_uneven_one_is_found(void **state)
{
    (void)state;
    static const char good[] =
        "This is a sentence of usual length.\tUne phrase de longueur usuelle.\n";
    static const char bad[] = "No\tThis target is more than nine times longer than its source.\n";
    at_str text = {0};
    at_str_print(&text, "%s%s", good, bad);
    expect(text.text, text.length, NULL, "ratio:1@2 ");
    at_str_clear(&text);
    at_str_print(&text, "%s%s", bad, good);
    expect(text.text, text.length, NULL, "ratio:1@1 ");
    at_str_free(&text);
}

/* however uneven: sides of at most 30 characters are never dropped */
static void short_sides_are_never_uneven(void **state)
{
    (void)state;
    EXPECT("a\tbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\nc d\te f\n"
           "gggggggggggggggggggggggggggggg\th\ni j\tk l\nm n\to p\n",
           "");
    EXPECT("a\tbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\nc d\te f\n"
           "ggggggggggggggggggggggggggggggg\th\ni j\tk l\nm n\to p\n",
           "ratio:2@1,3 ");
}

static void labels_that_contradict_are_found(void **state)
{
    (void)state;
    EXPECT("1 good film\n0 bad film\n0 Good  film\n1 good film\n",
           "duplicate:1@4 other-label:1@3 ");
}

static void repeated_lines_of_plain_text_are_only_noted(void **state)
{
    (void)state;
    EXPECT("All:\nSpeak.\n\nAll:\nSpeak, speak.\n", "repeated:1@4 ");
}

static void the_same_question_with_another_answer_is_no_duplicate(void **state)
{
    (void)state;
    EXPECT("{\"context\": \"a b\", \"question\": \"q\", \"answers\": {\"text\": [\"a\"], "
           "\"answer_start\": [0]}}\n"
           "{\"context\": \"a b\", \"question\": \"q\", \"answers\": {\"text\": [\"b\"], "
           "\"answer_start\": [2]}}\n"
           "{\"context\": \"a b\", \"question\": \"q\", \"answers\": {\"text\": [\"a\"], "
           "\"answer_start\": [0]}}\n",
           "duplicate:1@3 ");
}

static void only_the_first_places_are_kept(void **state)
{
    (void)state;
    at_str text = {0};
    at_check_options o;
    at_check_defaults(&o);
    o.locations = 2;
    for (int i = 0; i < 50; i++)
        at_str_add(&text, "Go now!\tVa donc !\n");
    expect(text.text, text.length, &o, "duplicate:49@2,3 ");
    o.locations = 0;
    expect(text.text, text.length, &o, "duplicate:49@ ");
    at_str_free(&text);
}

static void places_show_what_cannot_be_seen(void **state)
{
    (void)state;
    put(one, "some words before it sur\u200Bla\tx\ncaf\xE9\ty\na\x07\tb\n", 45);
    at_check *c = check(NULL);
    assert_string_equal(c->location[ATTEND_FOUND_invisible][0].text,
                        "...efore it sur<U+200B>la\tx");
    assert_string_equal(c->location[ATTEND_FOUND_not_utf8][0].text, "caf<0xE9>\ty");
    assert_string_equal(c->location[ATTEND_FOUND_control][0].text, "a<U+0007>\tb");
    at_check_free(c);
}

static void sizes_are_told(void **state)
{
    (void)state;
    at_str text = {0};
    for (int i = 0; i < 200; i++) {
        at_str_print(&text, "w%d", i);
        for (int k = 0; k < i % 10; k++)
            at_str_add(&text, " w");
        at_str_add(&text, "\tà\n");
    }
    put(one, text.text, text.length);
    at_check *c = check(NULL);
    assert_int_equal(c->examples, 200);
    assert_int_equal(c->lines, 200);
    assert_int_equal(c->sources, 200);
    assert_int_equal(c->side[0].words, 200 * 5.5);
    assert_int_equal(c->side[0].longest, 10);
    assert_int_equal(c->side[0].longest_line, 10);
    assert_int_equal(c->side[0].percentile[0], 5);
    assert_int_equal(c->side[0].percentile[1], 10);
    assert_int_equal(c->side[1].characters, 200);
    at_check_free(c);
    at_str_free(&text);
}

static void expect_file(const char *path, const char *expected)
{
    char got[1000];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(got, 1, sizeof got - 1, f);
    got[size] = 0;
    fclose(f);
    assert_string_equal(got, expected);
}

static void a_clean_copy_has_nothing_left_to_repair(void **state)
{
    (void)state;
    at_check_options o;
    at_check_defaults(&o);
    o.reader.format = "pairs";
    o.fix = copy;
    static const char text[] = "\xEF\xBB\xBFone\tun\tby me\n  two\tdeux \r\nth\0ree\ttrois\n"
                               "caf\xE9\tcoffee\nnone\n\tempty\none\tun\na\u2028b\tc\nd\x07\te\n"
                               "soft\u00adly\tj";
    put(one, text, sizeof text - 1);
    at_check *c = check(&o);
    expect_file(copy, "one\tun\tby me\ntwo\tdeux\ncafé\tcoffee\na b\tc\nd\te\nsoftly\tj\n");
    assert_int_equal(c->kept, 6);
    assert_int_equal(c->dropped, 4); /* a zero byte, no tab, empty, duplicate */
    assert_int_equal(c->refused, 3); /* and what is no UTF-8, which was repaired */
    assert_int_equal(c->repaired, 6);
    assert_string_equal(c->copy[0], copy);
    at_check_free(c);
    rename(copy, one);
    c = check(NULL);
    for (int i = 0; i < ATTEND_FINDINGS; i++)
        assert_int_equal(c->count[i], 0);
    at_check_free(c);
}

static void aligned_files_are_copied_side_by_side(void **state)
{
    (void)state;
    at_check_options o;
    at_check_defaults(&o);
    o.reader.target = two;
    o.fix = copy;
    put(one, "one\n\nthree \nfour\n", 17);
    put(two, "eins\nzwei\ndrei\nv\xFC\n", 18);
    at_check *c = check(&o);
    assert_int_equal(c->count[ATTEND_FOUND_empty], 1);
    assert_int_equal(c->count[ATTEND_FOUND_not_utf8], 1);
    assert_string_equal(c->file[c->location[ATTEND_FOUND_not_utf8][0].file], two);
    char path[100];
    snprintf(path, sizeof path, "%s.en", copy);
    expect_file(path, "one\nthree\nfour\n");
    snprintf(path, sizeof path, "%s.de", copy);
    expect_file(path, "eins\ndrei\nvü\n");
    at_check_free(c);
}

static void what_cannot_be_written_is_said_before(void **state)
{
    (void)state;
    const char *paths[] = {one};
    at_check_options o;
    at_check *c;
    attend_error err;
    at_check_defaults(&o);
    o.fix = copy;
    put(one, "1 Mary went.\n2 Where?\tgarden\t1\n", 31);
    assert_int_equal(at_check_files(paths, 1, &o, &c, &err), ATTEND_OPTION);
    assert_says(&err, "babi is not written; choose --to jsonl");
    o.to = "pairs";
    assert_int_equal(at_check_files(paths, 1, &o, &c, &err), ATTEND_OPTION);
    assert_says(&err, "such examples cannot be written as pairs; choose --to jsonl");
    o.to = "nothing";
    assert_int_equal(at_check_files(paths, 1, &o, &c, &err), ATTEND_OPTION);
    assert_int_not_equal(access(copy, F_OK), 0);
    o.to = "jsonl";
    assert_int_equal(at_check_files(paths, 1, &o, &c, &err), ATTEND_OK);
    expect_file(copy, "{\"question\": \"Where?\", \"context\": \"Mary went.\", "
                      "\"label\": \"garden\"}\n");
    at_check_free(c);
}

static void swapped_pairs_are_found_and_dropped(void **state)
{
    (void)state;
    at_str text = {0};
    uint32_t seed = 1;
    for (int i = 0; i < 300; i++) {
        at_str side[2] = {{0}, {0}};
        for (int k = 0; k < 2; k++)
            for (int n = 0; n < 4; n++) {
                seed = seed * 1664525 + 1013904223;
                at_str_print(&side[k], "%s%c%c ", k ? "der" : "the", 'a' + (int)(seed >> 20) % 8,
                             'a' + (int)(seed >> 25) % 8);
            }
        bool swap = i == 77;
        at_str_print(&text, "%d %s\t%d %s\n", i, side[swap].text, i, side[!swap].text);
        at_str_free(&side[0]);
        at_str_free(&side[1]);
    }
    expect(text.text, text.length, NULL, "swapped:1@78 blanks:300@1,2,3,4,5 ");
    at_str_free(&text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *paths[] = {one};
    at_check_options o;
    at_check_defaults(&o);
    o.fix = copy;
    put(one, "caf\xC3\xA9\tb\ncaf\xC3\xA9\tb \nc\xE9\td\n\te\n", 26);
    o.reader.format = "pairs";
    long before = at_alloc_live();
    for (int n = 0;; n++) {
        at_check *c;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_check_files(paths, 1, &o, &c, &err);
        at_alloc_fail_after(-1);
        at_check_free(c);
        assert_int_equal(at_alloc_live(), before);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
        assert_true(n < 1000);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_fault_is_found_with_its_line),
        TEST(a_clean_corpus_is_clean),
        TEST(an_outlier_costs_no_good_pair),
        TEST(of_two_pairs_the_uneven_one_is_found),
        TEST(short_sides_are_never_uneven),
        TEST(labels_that_contradict_are_found),
        TEST(repeated_lines_of_plain_text_are_only_noted),
        TEST(the_same_question_with_another_answer_is_no_duplicate),
        TEST(only_the_first_places_are_kept),
        TEST(places_show_what_cannot_be_seen),
        TEST(sizes_are_told),
        TEST(a_clean_copy_has_nothing_left_to_repair),
        TEST(aligned_files_are_copied_side_by_side),
        TEST(what_cannot_be_written_is_said_before),
        TEST(swapped_pairs_are_found_and_dropped),
        TEST(every_allocation_may_fail),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
