#include "data/split.h"

#include "data_tokens.h"

static void reads_fractions(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double fraction;
        size_t count;
    } good[] = {{"5%", 0.05, 0},   {"0.25", 0.25, 0},   {"0", 0, 0},
                {"1000", 0, 1000}, {"12.5%", 0.125, 0}, {"0%", 0, 0}};
    static const char *const bad[] = {"", "%", "100%", "1.5", "-3", "-5%", "x", "5 %", "1e"};
    at_fraction s;
    attend_error err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(at_fraction_parse(&s, good[i].text, "--valid", &err), ATTEND_OK);
        assert_true(s.fraction == good[i].fraction);
        assert_int_equal(s.count, good[i].count);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(at_fraction_parse(&s, bad[i], "--valid", &err), ATTEND_OPTION);
        assert_says(&err, "--valid: ");
    }
}

/* The last tenth of the bytes validates, and what is before it trains. */
static void running_text_is_split_at_its_end(void **state)
{
    (void)state;
    at_str text = {0};
    for (int i = 0; i < 200; i++)
        at_str_print(&text, "line %03d\n", i);
    at_corpus *c = corpus_of(text.text, "document");
    size_t sizes[ATTEND_PARTS];
    unsigned char part[200];
    attend_error err;
    at_fraction none = {0}, tenth = {.fraction = 0.1}, seven = {.count = 7};
    assert_int_equal(at_corpus_size(c), 200);
    assert_int_equal(at_split(c, tenth, none, part, sizes, &err), ATTEND_OK);
    for (int i = 0; i < 200; i++)
        assert_int_equal(part[i], i < 180 ? ATTEND_PART_TRAIN : ATTEND_PART_VALID);
    assert_int_equal(at_split(c, tenth, seven, part, sizes, &err), ATTEND_OK);
    assert_int_equal(sizes[ATTEND_PART_TEST], 7);
    assert_int_equal(sizes[ATTEND_PART_VALID], 20);
    assert_int_equal(part[199], ATTEND_PART_TEST);
    assert_int_equal(part[192], ATTEND_PART_VALID);
    at_corpus_free(c);
    at_str_free(&text);
}

/* pairs in which every source comes one to five times, spelt a little differently */
static void make_pairs(at_str *out, int sources)
{
    uint32_t seed = 7;
    for (int i = 0; i < sources; i++)
        for (int k = 0; k <= i % 5; k++) {
            at_str_print(out, "%sSource %d%s\t", k % 2 ? " " : "", i, k == 3 ? "  " : "");
            random_words(out, &seed, 3);
            at_str_add(out, "\n");
        }
}

static int source_of(const at_corpus *c, size_t i)
{
    at_example e;
    char text[40] = "";
    int number;
    at_corpus_at(c, i, NULL, &e);
    memcpy(text, e.source.text, e.source.size);
    assert_int_equal(sscanf(text, " Source %d", &number), 1);
    return number;
}

static void no_source_stands_on_two_sides(void **state)
{
    (void)state;
    at_str text = {0};
    make_pairs(&text, 2000);
    at_corpus *c = corpus_of(text.text, "pairs");
    size_t size = at_corpus_size(c), sizes[ATTEND_PARTS];
    unsigned char *part = malloc(size);
    const at_fraction fractions[][2] = {
        {{.fraction = 0.05}, {.fraction = 0.1}},
        {{.count = 100}, {.count = 300}},
        {{.fraction = 0.5}, {.fraction = 0}},
        {{.count = 1}, {.fraction = 0.3}},
    };
    for (size_t k = 0; k < sizeof fractions / sizeof *fractions; k++) {
        attend_error err;
        int side[2000];
        memset(side, -1, sizeof side);
        assert_int_equal(at_split(c, fractions[k][0], fractions[k][1], part, sizes, &err),
                         ATTEND_OK);
        assert_int_equal(sizes[0] + sizes[1] + sizes[2], size);
        for (size_t i = 0; i < size; i++) {
            int source = source_of(c, i);
            assert_true(side[source] == -1 || side[source] == part[i]);
            side[source] = part[i];
        }
        for (int p = 0; p < 2; p++) {
            at_fraction s = fractions[k][p];
            double wanted = s.count ? (double)s.count : s.fraction * (double)size;
            double got = (double)sizes[p ? ATTEND_PART_TEST : ATTEND_PART_VALID];
            assert_true(got >= wanted * (s.count ? 1 : 0.8));
            assert_true(got <= wanted * 1.2 + 5);
        }
    }
    free(part);
    at_corpus_free(c);
    at_str_free(&text);
}

static void an_example_keeps_its_side_when_the_corpus_grows(void **state)
{
    (void)state;
    at_str text = {0};
    size_t sizes[ATTEND_PARTS];
    attend_error err;
    make_pairs(&text, 500);
    at_corpus *small = corpus_of(text.text, "pairs");
    make_pairs(&text, 900);
    at_corpus *large = corpus_of(text.text, "pairs");
    unsigned char *a = malloc(at_corpus_size(small)), *b = malloc(at_corpus_size(large));
    at_fraction valid = {.fraction = 0.1}, test = {.fraction = 0.1};
    assert_int_equal(at_split(small, valid, test, a, sizes, &err), ATTEND_OK);
    assert_int_equal(at_split(large, valid, test, b, sizes, &err), ATTEND_OK);
    assert_memory_equal(a, b, at_corpus_size(small));
    free(a);
    free(b);
    at_corpus_free(small);
    at_corpus_free(large);
    at_str_free(&text);
}

static void what_a_split_left_can_be_split_again(void **state)
{
    (void)state;
    at_str text = {0}, rest = {0};
    size_t sizes[ATTEND_PARTS];
    attend_error err;
    make_pairs(&text, 2000);
    at_corpus *c = corpus_of(text.text, "pairs");
    unsigned char *part = malloc(at_corpus_size(c));
    at_fraction fraction = {.fraction = 0.05};
    for (int again = 0; again < 4; again++) {
        assert_int_equal(at_split(c, fraction, fraction, part, sizes, &err), ATTEND_OK);
        double wanted = 0.05 * (double)at_corpus_size(c);
        for (int p = ATTEND_PART_VALID; p <= ATTEND_PART_TEST; p++) {
            assert_true((double)sizes[p] > 0.7 * wanted);
            assert_true((double)sizes[p] < 1.4 * wanted);
        }
        at_str_clear(&rest);
        for (size_t i = 0; i < at_corpus_size(c); i++)
            if (part[i] == ATTEND_PART_TRAIN)
                at_str_print(&rest, "Source %d\tx\n", source_of(c, i));
        at_corpus_free(c);
        c = corpus_of(rest.text, "pairs");
    }
    free(part);
    at_corpus_free(c);
    at_str_free(&text);
    at_str_free(&rest);
}

static void lines_of_a_document_stay_together(void **state)
{
    (void)state;
    at_str text = {0};
    size_t sizes[ATTEND_PARTS];
    attend_error err;
    uint32_t seed = 3;
    for (int i = 0; i < 300; i++) {
        at_str_add(&text, i ? "\n" : "");
        for (int k = 0; k < 4; k++) {
            random_words(&text, &seed, 5);
            at_str_add(&text, "\nthe same line everywhere\n");
        }
    }
    at_corpus *c = corpus_of(text.text, "text");
    unsigned char *part = malloc(at_corpus_size(c));
    assert_int_equal(
        at_split(c, (at_fraction){.fraction = 0.2}, (at_fraction){0}, part, sizes, &err),
        ATTEND_OK);
    for (size_t i = 0; i < at_corpus_size(c); i++)
        assert_int_equal(part[i], part[i / 8 * 8]);
    assert_in_range(sizes[ATTEND_PART_VALID], 300, 700);
    free(part);
    at_corpus_free(c);
    at_str_free(&text);
}

static void leaves_something_for_training(void **state)
{
    (void)state;
    size_t sizes[ATTEND_PARTS];
    unsigned char part[2];
    attend_error err;
    at_corpus *c = corpus_of("a\tb\na\tc\n", "pairs");
    assert_int_equal(at_split(c, (at_fraction){.count = 1}, (at_fraction){0}, part, sizes, &err),
                     ATTEND_OPTION);
    assert_says(&err, "take all 2 examples");
    assert_int_equal(at_split(c, (at_fraction){0}, (at_fraction){0}, part, sizes, &err), ATTEND_OK);
    assert_int_equal(sizes[ATTEND_PART_TRAIN], 2);
    at_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_fractions),
        cmocka_unit_test(running_text_is_split_at_its_end),
        cmocka_unit_test(no_source_stands_on_two_sides),
        cmocka_unit_test(an_example_keeps_its_side_when_the_corpus_grows),
        cmocka_unit_test(what_a_split_left_can_be_split_again),
        cmocka_unit_test(lines_of_a_document_stay_together),
        cmocka_unit_test(leaves_something_for_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
