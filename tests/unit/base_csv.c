#include "base/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/str.h"

static char path[] = "/tmp/attend-csv-XXXXXX";

static void write_file(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* the rows as "line:[cell][cell]" */
static attend_status read_rows(at_str *out, attend_error *err)
{
    at_csv c;
    attend_status status = at_csv_open(&c, path, err);
    while (status >= 0 && at_csv_next(&c, &status, err)) {
        at_str_print(out, "%ld:", c.line);
        for (int i = 0; i < c.count; i++)
            at_str_print(out, "[%s]", c.cell[i]);
    }
    at_csv_close(&c);
    at_csv_close(&c);
    return status;
}

static void check(const char *text, const char *expected)
{
    attend_error err;
    at_str out = {0};
    write_file(text, strlen(text));
    assert_int_equal(read_rows(&out, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
}

static void check_error(const char *text, size_t size, const char *expected)
{
    attend_error err;
    at_str out = {0};
    write_file(text, size);
    assert_int_equal(read_rows(&out, &err), ATTEND_FORMAT);
    assert_memory_equal(err.message, path, strlen(path));
    assert_string_equal(err.message + strlen(path), expected);
    at_str_free(&out);
}

static void finds_the_separator_in_the_first_line(void **state)
{
    (void)state;
    check("x,y\n1,2\n", "1:[x][y]2:[1][2]");
    check("x\ty,z\n1\t2,5\n", "1:[x][y,z]2:[1][2,5]");
    check("x;y\n1,5;2\n", "1:[x][y]2:[1,5][2]");
    check("1 2\n  3   4  \n5 6", "1:[1][2]2:[3][4]3:[5][6]");
    check("\"a,b\";c\n1;2\n", "1:[a,b][c]2:[1][2]");
    check("alone\n", "1:[alone]");
}

static void counts_lines_and_skips_empty_ones(void **state)
{
    (void)state;
    check("", "");
    check("\n\n", "");
    check("1,2", "1:[1][2]");
    check("\n1,2\n\n  \n\r\n3,4\n\n", "2:[1][2]6:[3][4]");
    check("\xEF\xBB\xBFx,y\n", "1:[x][y]");
    check("1,2\r\n3,4\r\n", "1:[1][2]2:[3][4]");
    check("1 2 \r\n3 4\r", "1:[1][2]2:[3][4]");
    check("1,2\r", "1:[1][2]");
}

static void keeps_empty_cells(void **state)
{
    (void)state;
    check(",\n", "1:[][]");
    check("1,,3\n,,", "1:[1][][3]2:[][][]");
    check("1,\"\"\n", "1:[1][]");
    check("a,b,c\n1\n", "1:[a][b][c]2:[1]");
}

static void reads_quoted_cells(void **state)
{
    (void)state;
    check("\"a\",\"b \"\"c\"\"\"\n", "1:[a][b \"c\"]");
    check("\"two\nlines\",1\n\"x\",2\r\n", "1:[two\nlines][1]3:[x][2]");
    check("a\"b,c\n", "1:[a\"b][c]"); /* a quote inside an unquoted cell is a character */
    check("\"a b\" c\n", "1:[a b][c]");
    check("1,\"x\"", "1:[1][x]");
    check_error("1,2\n\"open,2\n", 12, ":2: a quote opens here and never closes");
    check_error("\"a\"b,2\n", 7,
                ":1: text after a closing quote; a quote inside a cell is written twice");
}

static void keeps_every_byte_after_a_quote(void **state)
{
    (void)state;
    check_error("\"a\"\rb,2\n", 8,
                ":1: text after a closing quote; a quote inside a cell is written twice");
    check("\"a\"\r", "1:[a]");
}

static void rejects_zero_bytes_with_their_line(void **state)
{
    (void)state;
    check_error("1,2\n3,\0"
                "4\n",
                9, ":2: a zero byte; is this a text file?");
}

static void check_number(const char *row, int column, double expected, const char *message)
{
    at_csv c;
    attend_error err;
    attend_status status;
    double value = 0;
    write_file(row, strlen(row));
    assert_int_equal(at_csv_open(&c, path, &err), ATTEND_OK);
    assert_true(at_csv_next(&c, &status, &err));
    status = at_csv_number(&c, column, &value, &err);
    if (message) {
        assert_int_equal(status, ATTEND_FORMAT);
        assert_string_equal(err.message + strlen(path), message);
    } else {
        assert_int_equal(status, ATTEND_OK);
        assert_true(value == expected);
    }
    at_csv_close(&c);
}

static void reads_numbers_and_names_what_is_none(void **state)
{
    (void)state;
    check_number("1, -2.5e1 ,3\n", 1, -25, NULL);
    check_number("\n\n1;2,5\n", 1, 0,
                 ":3: column 2: \"2,5\" is not a number; write a decimal point");
    check_number("1,two\n", 1, 0, ":1: column 2: \"two\" is not a number");
    check_number("1,\x1b[31m\n", 1, 0, ":1: column 2: \"?[31m\" is not a number");
    check_number("1, \n", 1, 0, ":1: column 2 is empty; it needs a number");
    check_number("1\n", 1, 0, ":1: column 2 is needed, and there is only 1");
    check_number("1,2\n", 4, 0, ":1: column 5 is needed, and there are only 2");
    check_number("1,nan\n", 1, 0, ":1: column 2: \"nan\" is not a number");
}

static void says_which_file_is_missing(void **state)
{
    (void)state;
    at_csv c;
    attend_error err;
    assert_int_equal(at_csv_open(&c, "/nowhere/points.csv", &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "/nowhere/points.csv"));
    at_csv_close(&c);
}

static void reports_every_allocation_that_fails(void **state)
{
    (void)state;
    at_str text = {0};
    at_str_repeat(&text, "1,", 100);
    write_file(text.text, text.length);
    at_str_free(&text);
    attend_status status = ATTEND_MEMORY;
    long n = 0;
    for (; status != ATTEND_OK; n++) {
        at_csv c;
        at_alloc_fail_after(n);
        status = at_csv_open(&c, path, NULL);
        if (status >= 0 && at_csv_next(&c, &status, NULL))
            assert_int_equal(c.count, 101);
        at_alloc_fail_after(-1);
        at_csv_close(&c);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), 0);
    }
    assert_true(n > 3);
}

/* any bytes: an answer, and never beyond the file (the sanitizers watch) */
static void survives_random_bytes(void **state)
{
    (void)state;
    static const char some[] = "\"\",;\t \r\n1a\xff\0";
    unsigned random = 7;
    for (int i = 0; i < 3000; i++) {
        char bytes[24];
        size_t size = (size_t)i % sizeof bytes;
        for (size_t j = 0; j < size; j++) {
            random = random * 1664525u + 1013904223u;
            bytes[j] = some[(random >> 16) % sizeof some];
        }
        write_file(bytes, size);
        at_str out = {0};
        attend_status status = read_rows(&out, NULL);
        assert_true(status == ATTEND_OK || status == ATTEND_FORMAT);
        at_str_free(&out);
    }
}

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_separator_in_the_first_line),
        cmocka_unit_test(counts_lines_and_skips_empty_ones),
        cmocka_unit_test(keeps_empty_cells),
        cmocka_unit_test(reads_quoted_cells),
        cmocka_unit_test(keeps_every_byte_after_a_quote),
        cmocka_unit_test(rejects_zero_bytes_with_their_line),
        cmocka_unit_test(reads_numbers_and_names_what_is_none),
        cmocka_unit_test(says_which_file_is_missing),
        cmocka_unit_test(reports_every_allocation_that_fails),
        cmocka_unit_test(survives_random_bytes),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
