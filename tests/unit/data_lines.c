#include "data/lines.h"

#include "data_help.h"

/* every line as "number:flags:text|" */
static attend_status read_lines(at_str *out, const char *text, size_t size,
                                const at_line_options *options, attend_error *err)
{
    at_line_stream s;
    attend_status status = at_lines_start(&s, bytes_of(text, size), options, err);
    while (status >= 0 && at_lines_next(&s, &status, err)) {
        at_str_print(out, "%ld:%u:", s.number, s.flags);
        at_str_add_bytes(out, s.text, s.size);
        at_str_add(out, "|");
        assert_int_equal(s.text[s.size], 0);
    }
    at_lines_close(&s);
    at_lines_close(&s);
    return status;
}

static void check(const char *text, size_t size, const at_line_options *options,
                  const char *expected)
{
    at_str out = {0};
    attend_error err;
    assert_int_equal(read_lines(&out, text, size, options, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
}

static void check_refused(const char *text, size_t size, const at_line_options *options,
                          const char *said)
{
    at_str out = {0};
    attend_error err;
    assert_int_equal(read_lines(&out, text, size, options, &err), ATTEND_FORMAT);
    assert_says(&err, said);
    at_str_free(&out);
}
#define CHECK(text, expected) check(text, sizeof text - 1, NULL, expected)

static void only_a_newline_ends_a_line(void **state)
{
    (void)state;
    CHECK("", "");
    CHECK("\n", "1:0:|");
    CHECK("a\nb\n", "1:0:a|2:0:b|");
    CHECK("a\n\nb", "1:0:a|2:0:|3:32:b|");
    CHECK("a\r\nb\rc\r\n\r\n", "1:16:a|2:16:b\rc|3:16:|");
    CHECK("a\r", "1:48:a|");
    CHECK("a\u2028b\u2029c\xC2\x85"
          "d\ve\ff\x1cg\n",
          "1:0:a\u2028b\u2029c\xC2\x85"
          "d\ve\ff\x1cg|");
}

static void a_byte_order_mark_goes_from_the_first_line_alone(void **state)
{
    (void)state;
    CHECK("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n", "1:8:one|2:0:\xEF\xBB\xBFtwo|");
    CHECK("\xEF\xBB\xBF", "1:40:|");
}

static void names_the_line_of_a_zero_byte(void **state)
{
    (void)state;
    check_refused("one\nt\0wo\n", 9, NULL, "file:2: a zero byte");
    at_line_options lenient = {.lenient = true};
    check("one\nt\0wo\n", 9, &lenient, "1:0:one|2:1:t\uFFFDwo|");
}

static void names_line_byte_and_column_of_what_is_no_utf8(void **state)
{
    (void)state;
    static const char text[] = "one\nn\xC3\xA9 caf\xE9 \x93x\x94\xC3\xA9\n";
    const size_t size = sizeof text - 1;
    check_refused(text, size, NULL, "file:2: byte 0xE9 in column 7 is no UTF-8");
    at_line_options replace = {.encoding = ATTEND_ENCODING_REPLACE};
    check(text, size, &replace, "1:0:one|2:2:né caf\uFFFD \uFFFDx\uFFFDé|");
    at_line_options latin1 = {.encoding = ATTEND_ENCODING_LATIN1};
    check(text, size, &latin1, "1:0:one|2:2:nÃ© café “x”Ã©|");
    check("n\xC3\xA9\n\xE9\n", 6, &latin1, "1:0:né|2:2:é|");
    check("\x81\xE9\n", 3, &latin1, "1:2:\uFFFDé|");
}

static void counts_what_it_replaced(void **state)
{
    (void)state;
    at_line_stream s;
    attend_error err;
    attend_status status;
    at_line_options replace = {.encoding = ATTEND_ENCODING_REPLACE};
    assert_int_equal(at_lines_start(&s, bytes_of("\xE9\xE9\nx\n\xE9\n", 7), &replace, &err),
                     ATTEND_OK);
    while (at_lines_next(&s, &status, &err)) {
    }
    assert_int_equal(s.replaced, 3);
    assert_int_equal(s.repaired, 2);
    at_lines_close(&s);
}

static void refuses_or_cuts_a_line_that_is_too_long(void **state)
{
    (void)state;
    at_line_options short_lines = {.max_length = 5};
    check("12345\nabcde", 11, &short_lines, "1:0:12345|2:32:abcde|");
    check_refused("1\n123456\n", 9, &short_lines, "file:2: a line of more than 5 bytes");
    short_lines.lenient = true;
    check("1\n123456\n3\n", 11, &short_lines, "1:0:1|2:4:12345|3:0:3|");
    check("1234567890", 10, &short_lines, "1:36:12345|");
    check("abc\u00e9\u00e9\nx\n", 10, &short_lines, "1:4:abc\u00e9|2:0:x|");
    check("abcd\u00e9\u00e9\nx\n", 11, &short_lines, "1:4:abcd|2:0:x|");
    check("ab\0\xE9yz\nx\n", 9, &short_lines, "1:7:ab\uFFFD\uFFFDy|2:0:x|");
}

static void a_long_line_is_skipped_in_constant_memory(void **state)
{
    (void)state;
    at_str text = {0}, out = {0};
    attend_error err;
    at_line_options options = {.max_length = 1000, .lenient = true};
    for (int i = 0; i < 300000; i++)
        at_str_add(&text, "0123456789");
    at_str_add(&text, "\nnext\n");
    assert_int_equal(read_lines(&out, text.text, text.length, &options, &err), ATTEND_OK);
    assert_int_equal(out.length, strlen("1:4:|2:0:next|") + 1000);
    at_str_free(&out);
    at_str_free(&text);
}

static void lines_of_any_length_come_whole(void **state)
{
    (void)state;
    at_str text = {0}, out = {0}, expected = {0};
    attend_error err;
    for (int i = 1; i < 40; i++) {
        at_str_print(&expected, "%d:0:", i);
        for (int k = 0; k < i * i * 100; k++) {
            at_str_print(&text, "%d", k % 10);
            at_str_print(&expected, "%d", k % 10);
        }
        at_str_add(&text, "\n");
        at_str_add(&expected, "|");
    }
    assert_int_equal(read_lines(&out, text.text, text.length, NULL, &err), ATTEND_OK);
    assert_string_equal(out.text, expected.text);
    at_str_free(&text);
    at_str_free(&out);
    at_str_free(&expected);
}

static void note(void *user, const at_line_stream *s)
{
    at_str_print(user, "%ld:%zu:%u|", s->number, s->raw_size, s->flags);
}

static void an_observer_sees_lines_as_they_were(void **state)
{
    (void)state;
    at_str seen = {0};
    at_line_options options = {.lenient = true, .max_length = 6, .observe = note, .user = &seen};
    check("\xE9\n1234567\na\0b\r\n", 15, &options, "1:2:\uFFFD|2:4:123456|3:17:a\uFFFDb|");
    assert_string_equal(seen.text, "1:1:2|2:6:4|3:3:17|");
    at_str_free(&seen);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_str text = {0};
    at_line_options options = {.lenient = true, .max_length = 200000};
    for (int i = 0; i < 30000; i++)
        at_str_add(&text, "0123456789");
    at_str_add(&text, "\n\xE9\n");
    long live = at_alloc_live();
    for (int n = 0;; n++) {
        at_line_stream s;
        at_stream *b;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_stream_memory("file", text.text, text.length, &b, &err);
        if (status >= 0) {
            status = at_lines_start(&s, b, &options, &err);
            while (status >= 0 && at_lines_next(&s, &status, &err)) {
            }
            at_lines_close(&s);
        }
        at_alloc_fail_after(-1);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0) {
            assert_true(n > 4);
            break;
        }
        assert_int_equal(status, ATTEND_MEMORY);
    }
    at_str_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_newline_ends_a_line),
        cmocka_unit_test(a_byte_order_mark_goes_from_the_first_line_alone),
        cmocka_unit_test(names_the_line_of_a_zero_byte),
        cmocka_unit_test(names_line_byte_and_column_of_what_is_no_utf8),
        cmocka_unit_test(counts_what_it_replaced),
        cmocka_unit_test(refuses_or_cuts_a_line_that_is_too_long),
        cmocka_unit_test(a_long_line_is_skipped_in_constant_memory),
        cmocka_unit_test(lines_of_any_length_come_whole),
        cmocka_unit_test(an_observer_sees_lines_as_they_were),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
