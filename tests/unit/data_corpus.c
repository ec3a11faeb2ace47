#include "data/corpus.h"

#include "data_tokens.h"

static char folder[] = "/tmp/attend-corpus-XXXXXX";
static char one[64], two[64];

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int enter(void **state)
{
    (void)state;
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(two, sizeof two, "%s/two", folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    unlink(one);
    unlink(two);
    return 0;
}

static void examples_of_several_files_have_numbers(void **state)
{
    (void)state;
    const char *paths[] = {one, two};
    at_corpus *c;
    at_example e;
    attend_error err;
    at_str said = {0};
    put(one, "a\tb\n\nc\t \n");
    put(two, "d\te\tx\n\tg\nh\ti\n");
    at_corpus_options options = {.reader.format = "pairs"};
    assert_int_equal(at_corpus_load(paths, 2, &options, &c, &err), ATTEND_OK);
    assert_int_equal(at_corpus_size(c), 3);
    assert_int_equal(at_corpus_has(c), ATTEND_HAS_TARGET);
    assert_true(at_corpus_at(c, 2, NULL, &e));
    assert_int_equal(e.file, 1);
    assert_int_equal(e.line, 3);
    assert_string_equal(at_corpus_file(c, 1), two);
    assert_memory_equal(e.source.text, "h", 1);
    at_corpus_counts counts = at_corpus_count(c);
    assert_int_equal(counts.empty, 2);
    assert_int_equal(counts.blank, 1);
    assert_int_equal(counts.lines, 6);
    at_corpus_say(c, &said);
    assert_string_equal(said.text, "2 examples with an empty side were skipped");
    at_str_free(&said);
    at_corpus_free(c);
}

static void refuses_what_has_no_example(void **state)
{
    (void)state;
    const char *paths[] = {one};
    at_corpus *c;
    attend_error err;
    put(one, "");
    assert_int_equal(at_corpus_load(paths, 1, NULL, &c, &err), ATTEND_FORMAT);
    assert_null(c);
    assert_says(&err, "one: no example in it");
    put(one, "a\t\n");
    at_corpus_options options = {.reader.format = "pairs"};
    assert_int_equal(at_corpus_load(paths, 1, &options, &c, &err), ATTEND_FORMAT);
    assert_says(&err, "no example in it that is not empty; it was read as pairs, and --format");
    put(one, "1 Mary went.\n2 Where is she?\t\n");
    assert_int_equal(at_corpus_load(paths, 1, NULL, &c, &err), ATTEND_FORMAT);
    assert_says(&err, "it was read as babi");
    unlink(one);
    assert_int_equal(at_corpus_load(paths, 1, NULL, &c, &err), ATTEND_FILE);
}

static void keeps_kinds_of_data_apart(void **state)
{
    (void)state;
    const char *paths[] = {one, two};
    at_corpus *c;
    attend_error err;
    put(one, "Go.\tVa !\n");
    put(two, "{\"text\": \"x\", \"label\": 1}\n");
    assert_int_equal(at_corpus_load(paths, 2, NULL, &c, &err), ATTEND_FORMAT);
    assert_says(&err, "two:1: this example has other parts");
}

static void goes_to_disk_when_memory_is_little(void **state)
{
    (void)state;
    const char *paths[] = {one};
    at_str text = {0};
    at_corpus *large, *small;
    attend_error err;
    random_pairs(&text, 3000, 8);
    put(one, text.text);
    at_corpus_options options = {.memory = 10000};
    assert_int_equal(at_corpus_load(paths, 1, NULL, &large, &err), ATTEND_OK);
    assert_int_equal(at_corpus_load(paths, 1, &options, &small, &err), ATTEND_OK);
    assert_int_equal(at_corpus_size(large), 3000);
    assert_int_equal(at_corpus_size(small), 3000);
    for (size_t i = 0; i < 3000; i++) {
        at_example a, b;
        at_corpus_at(large, i, NULL, &a);
        at_corpus_at(small, i, NULL, &b);
        assert_int_equal(a.target.size, b.target.size);
        assert_memory_equal(a.target.text, b.target.text, a.target.size);
    }
    at_corpus_free(large);
    at_corpus_free(small);
    at_str_free(&text);
}

static void gives_lines_for_a_vocabulary(void **state)
{
    (void)state;
    at_corpus *c = corpus_of("a\tb\nc\td\ne\tf\n", "pairs");
    const unsigned char part[] = {0, 1, 0};
    const struct {
        bool sources, targets;
        const char *expected;
    } cases[] = {{true, true, "abef"}, {true, false, "ae"}, {false, true, "bf"}};
    for (int i = 0; i < 3; i++) {
        at_corpus_walk walk = {
            .corpus = c, .part = part, .sources = cases[i].sources, .targets = cases[i].targets};
        at_line_source lines = at_corpus_lines(&walk);
        at_str out = {0};
        const char *text;
        size_t size;
        while (lines.next(lines.user, &text, &size, NULL) > 0)
            at_str_add_bytes(&out, text, size);
        assert_string_equal(out.text, cases[i].expected);
        at_str_free(&out);
    }
    at_corpus_free(c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *paths[] = {one, two};
    put(one, "a\tb\n");
    put(two, "c\td\n");
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        at_corpus *c;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_corpus_load(paths, 2, NULL, &c, &err);
        at_alloc_fail_after(-1);
        at_corpus_free(c);
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
        TEST(examples_of_several_files_have_numbers),
        TEST(refuses_what_has_no_example),
        TEST(keeps_kinds_of_data_apart),
        TEST(goes_to_disk_when_memory_is_little),
        TEST(gives_lines_for_a_vocabulary),
        TEST(every_allocation_may_fail),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
