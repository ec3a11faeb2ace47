#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend_data.h"
#include "base/memory.h"

static char folder[] = "/tmp/attend-data-XXXXXX";
static char corpus[64], out[64];

static int enter(void **state)
{
    (void)state;
    snprintf(corpus, sizeof corpus, "%s/corpus", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    return system(command);
}

static void put(const char *text)
{
    FILE *f = fopen(corpus, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect_file(const char *name, const char *expected)
{
    char got[4000], path[100];
    snprintf(path, sizeof path, "%s%s", out, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(got, 1, sizeof got - 1, f);
    got[size] = 0;
    fclose(f);
    assert_string_equal(got, expected);
}

static void gives_examples_one_by_one(void **state)
{
    (void)state;
    attend_examples *x;
    attend_example e;
    attend_error err;
    const char *text;
    size_t begin;
    put("{\"id\": \"7\", \"context\": \"x é yz\", \"question\": \"q\", \"answers\": {\"text\": "
        "[\"yz\"], \"answer_start\": [4]}}\n");
    assert_int_equal(attend_examples_open(corpus, NULL, &x, &err), ATTEND_OK);
    assert_string_equal(attend_examples_format(x), "jsonl");
    assert_int_equal(attend_examples_next(x, &e, &err), 1);
    assert_string_equal(e.source, "x é yz");
    assert_string_equal(e.question, "q");
    assert_string_equal(e.id, "7");
    assert_null(e.target);
    assert_null(e.label);
    assert_int_equal(e.line, 1);
    assert_string_equal(e.file, corpus);
    assert_int_equal(e.answers, 1);
    assert_true(attend_examples_answer(x, 0, &text, &begin));
    assert_string_equal(text, "yz");
    assert_int_equal(begin, 4);
    assert_false(attend_examples_answer(x, 1, &text, &begin));
    assert_int_equal(attend_examples_next(x, &e, &err), 0);
    attend_examples_free(x);
    attend_examples_free(NULL);
}

static void refuses_with_file_and_line(void **state)
{
    (void)state;
    attend_examples *x;
    attend_example e;
    attend_error err;
    attend_data_options o;
    attend_data_defaults(&o);
    o.format = "pairs";
    put("a\tb\nnone\n");
    assert_int_equal(attend_examples_open(corpus, &o, &x, &err), ATTEND_OK);
    assert_int_equal(attend_examples_next(x, &e, &err), 1);
    assert_string_equal(e.target, "b");
    assert_int_equal(attend_examples_next(x, &e, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "corpus:2: no tab"));
    attend_examples_free(x);
    o.size = 0;
    assert_int_equal(attend_examples_open(corpus, &o, &x, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "initialise them with attend_data_defaults"));
    assert_null(x);
}

static void converts_between_formats(void **state)
{
    (void)state;
    const char *paths[] = {corpus};
    attend_data_options o;
    attend_data_counts counts;
    attend_error err;
    attend_data_defaults(&o);
    put("{\"src\": \"a\\tb\", \"tgt\": \"c\"}\n{\"src\": \"d\", \"tgt\": \"\"}\n"
        "{\"src\": \"e\", \"tgt\": \"f, \\\"g\\\"\"}\n");
    o.to = "pairs";
    assert_int_equal(attend_data_convert(paths, 1, out, &o, &counts, &err), ATTEND_OK);
    expect_file("", "a b\tc\ne\tf, \"g\"\n");
    assert_int_equal(counts.written, 2);
    assert_int_equal(counts.skipped, 1);
    assert_int_equal(counts.flattened, 1);
    o.to = "aligned";
    assert_int_equal(attend_data_convert(paths, 1, out, &o, NULL, &err), ATTEND_OK);
    expect_file(".src", "a b\ne\n");
    expect_file(".tgt", "c\nf, \"g\"\n");
    o.to = "csv";
    assert_int_equal(attend_data_convert(paths, 1, out, &o, &counts, &err), ATTEND_OK);
    expect_file("", "sentence1,sentence2\n\"a\tb\",c\ne,\"f, \"\"g\"\"\"\n");
    assert_int_equal(counts.flattened, 0);
    o.to = "trec";
    assert_int_equal(attend_data_convert(paths, 1, out, &o, NULL, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "choose --to pairs, aligned, bars, jsonl, csv"));
}

static void a_third_column_stays_with_its_format_alone(void **state)
{
    (void)state;
    const char *paths[] = {corpus};
    attend_data_options o;
    attend_error err;
    attend_data_defaults(&o);
    put("Go.\tVa !\tby me\n");
    assert_int_equal(attend_data_convert(paths, 1, out, &o, NULL, &err), ATTEND_OK);
    expect_file("", "Go.\tVa !\tby me\n");
    o.to = "bars";
    assert_int_equal(attend_data_convert(paths, 1, out, &o, NULL, &err), ATTEND_OK);
    expect_file("", "Go. ||| Va !\n");
}

static void splits_into_three_files(void **state)
{
    (void)state;
    const char *paths[] = {corpus};
    attend_data_counts counts[3];
    attend_error err;
    char path[100];
    FILE *f = fopen(corpus, "wb");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "Sentence %d\tSatz %d\n", i / 2, i);
    fclose(f);
    assert_int_equal(attend_data_split(paths, 1, out, "10%", "50", NULL, counts, &err), ATTEND_OK);
    assert_int_equal(counts[0].written + counts[1].written + counts[2].written, 1000);
    assert_in_range(counts[1].written, 60, 140);
    assert_int_equal(counts[2].written, 50);
    static const char *const names[] = {"train", "valid", "test"};
    int side[500];
    memset(side, -1, sizeof side);
    for (int i = 0; i < 3; i++) {
        int source, target;
        snprintf(path, sizeof path, "%s/%s.tsv", out, names[i]);
        f = fopen(path, "rb");
        assert_non_null(f);
        while (fscanf(f, "Sentence %d\tSatz %d\n", &source, &target) == 2) {
            assert_true(side[source] == -1 || side[source] == i);
            side[source] = i;
        }
        fclose(f);
    }
    assert_int_equal(attend_data_split(paths, 1, out, "x", NULL, NULL, counts, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "--valid: \"x\" is no share"));
}

static void reports_what_a_check_finds(void **state)
{
    (void)state;
    const char *paths[] = {corpus}, *label;
    attend_check *c;
    attend_check_summary s;
    attend_finding f;
    attend_place p;
    attend_error err;
    attend_data_options o;
    size_t count;
    int found = 0, all = 0;
    attend_data_defaults(&o);
    put("1 good film\n0 bad film\n1 good film\n1 caf\xE9\n");
    assert_int_equal(attend_data_check(paths, 1, NULL, &o, &c, &err), ATTEND_OK);
    attend_check_summarise(c, &s);
    assert_string_equal(s.format, "sst");
    assert_int_equal(s.examples, 4);
    assert_int_equal(s.labels, 2);
    assert_true(s.complete);
    assert_null(s.copy);
    assert_string_equal(attend_check_file(c, 0), corpus);
    assert_null(attend_check_file(c, 1));
    assert_true(attend_check_label(c, 0, &label, &count));
    assert_string_equal(label, "1");
    assert_int_equal(count, 3);
    assert_false(attend_check_label(c, 2, &label, &count));
    for (; attend_check_finding(c, all, &f); all++) {
        if (!f.count)
            continue;
        found++;
        assert_true(attend_check_place(c, all, 0, &p));
        assert_false(attend_check_place(c, all, 1, &p) && f.count < 2);
        assert_int_equal(p.line, strcmp(f.name, "duplicate") == 0 ? 3 : 4);
        if (strcmp(f.name, "duplicate") == 0)
            assert_int_equal(p.also_line, 1);
        else
            assert_int_equal(f.level, ATTEND_LEVEL_ERROR);
    }
    assert_int_equal(found, 2);
    assert_false(attend_check_place(c, all, 0, &p));
    attend_check_free(c);
    attend_check_free(NULL);
    o.encoding = ATTEND_ENCODING_LATIN1; /* who says so gets no error */
    assert_int_equal(attend_data_check(paths, 1, NULL, &o, &c, &err), ATTEND_OK);
    for (int i = 0; attend_check_finding(c, i, &f); i++)
        assert_true(!f.count || f.level < ATTEND_LEVEL_ERROR);
    attend_check_free(c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *paths[] = {corpus};
    attend_data_options o;
    attend_data_defaults(&o);
    o.to = "jsonl";
    put("1 good film\n0 bad film\n1 so so\n0 hmm\n1 well\n0 oh no\n");
    long live = at_alloc_live();
    for (int which = 0; which < 3; which++)
        for (int n = 0;; n++) {
            attend_check *c = NULL;
            attend_error err;
            at_alloc_fail_after(n);
            attend_status status = which == 0   ? attend_data_convert(paths, 1, out, &o, NULL, &err)
                                   : which == 1 ? attend_data_split(paths, 1, folder, "1", NULL, &o,
                                                                    NULL, &err)
                                                : attend_data_check(paths, 1, NULL, &o, &c, &err);
            at_alloc_fail_after(-1);
            attend_check_free(c);
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
        TEST(gives_examples_one_by_one), TEST(refuses_with_file_and_line),
        TEST(converts_between_formats),  TEST(a_third_column_stays_with_its_format_alone),
        TEST(splits_into_three_files),   TEST(reports_what_a_check_finds),
        TEST(every_allocation_may_fail),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
