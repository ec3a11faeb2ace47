#include "store/features.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"

static char path[] = "/tmp/attend-features-......";
static long live_before;

static int enter(void **state)
{
    (void)state;
    at_json_start();
    live_before = at_alloc_live();
    memset(path + strlen(path) - 6, 'X', 6); /* as mkstemp wants it */
    int file = mkstemp(path);
    return file < 0 || close(file) < 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    unlink(path);
    return at_alloc_live() != live_before;
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

/* A file of these tensors; numbers run through them all, from 0 on, as F32. */
typedef struct {
    const char *name;
    int rank;
    int64_t dim[3];
} tensor;

static void write_file(const tensor *t, int count, const int64_t *lengths)
{
    at_to_store list[8];
    static float numbers[1000];
    size_t at = 0;
    attend_error err;
    for (int i = 0; i < 1000; i++)
        numbers[i] = (float)i;
    for (int i = 0; i < count; i++) {
        list[i] = (at_to_store){
            .name = t[i].name, .dtype = ATTEND_DTYPE_F32, .rank = t[i].rank, .data = numbers + at};
        size_t len = 1;
        for (int k = 0; k < t[i].rank; k++)
            len *= (size_t)(list[i].dim[k] = t[i].dim[k]);
        at += len;
    }
    if (lengths)
        list[count] = (at_to_store){.name = "lengths",
                                    .dtype = ATTEND_DTYPE_I64,
                                    .rank = 1,
                                    .dim = {t[0].dim[0]},
                                    .data = lengths};
    if (at_safetensors_save(path, list, count + (lengths != NULL), NULL, 0, &err) < 0)
        fail_msg("%s", err.message);
}

static at_features *open_file(void)
{
    at_features *f;
    attend_error err;
    if (at_features_open(path, &f, &err) < 0)
        fail_msg("%s", err.message);
    return f;
}

static void refuses(const tensor *t, int count, const int64_t *lengths, const char *says)
{
    at_features *f;
    attend_error err;
    write_file(t, count, lengths);
    assert_int_equal(at_features_open(path, &f, &err), ATTEND_FORMAT);
    assert_null(f);
    assert_says(&err, path);
    assert_says(&err, says);
}

/* ---- files ------------------------------------------------------------------------------- */

static void sequences_come_in_the_order_of_their_names(void **state)
{
    (void)state;
    write_file((tensor[]){{"clip10", 2, {1, 2}},
                          {"clip9", 2, {3, 2}},
                          {"a", 2, {2, 2}},
                          {"clip009", 2, {1, 2}},
                          {"clip9b", 2, {4, 2}}},
               5, NULL);
    static const char *const names[] = {"a", "clip009", "clip9", "clip9b", "clip10"};
    static const int frames[] = {2, 1, 3, 4, 1}, first[] = {8, 12, 2, 14, 0};
    at_features *f = open_file();
    assert_int_equal(at_features_count(f), 5);
    assert_int_equal(at_features_width(f), 2);
    for (size_t i = 0; i < 5; i++) {
        real x[8];
        attend_error err;
        assert_string_equal(at_features_name(f, i).text, names[i]);
        assert_int_equal(at_features_frames(f, i), frames[i]);
        assert_int_equal(at_features_read(f, i, frames[i], x, &err), ATTEND_OK);
        for (int k = 0; k < 2 * frames[i]; k++)
            assert_true(x[k] == first[i] + k);
    }
    at_features_close(f);
}

static void a_file_that_is_cut_short_while_open_is_a_status(void **state)
{
    (void)state;
    attend_error err;
    real x[2];
    uint32_t first = 0;
    char copy[sizeof path + 5];
    write_file(&(tensor){"a", 2, {1, 2}}, 1, NULL);
    at_features *f = open_file();
    assert_int_equal(at_features_read(f, 0, 1, x, &err), ATTEND_OK);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(at_features_read(f, 0, 1, x, &err), ATTEND_FILE);
    assert_says(&err, "was cut short while it was read");
    snprintf(copy, sizeof copy, "%s.copy", path);
    assert_int_equal(at_features_save(f, &first, 1, copy, &err), ATTEND_FILE);
    at_features_close(f);
}

static void one_tensor_holds_all_with_their_lengths(void **state)
{
    const tensor all = {"features", 3, {3, 4, 2}};
    attend_error err;
    real x[8];
    (void)state;
    write_file(&all, 1, (int64_t[]){4, 1, 2});
    at_features *f = open_file();
    assert_int_equal(at_features_count(f), 3);
    assert_int_equal(at_features_frames(f, 1), 1);
    assert_string_equal(at_features_name(f, 2).text, "2");
    assert_int_equal(at_features_read(f, 2, 2, x, &err), ATTEND_OK);
    assert_true(x[0] == 16 && x[3] == 19);
    at_features_close(f);
    write_file(&all, 1, NULL);
    f = open_file();
    assert_int_equal(at_features_frames(f, 1), 4);
    at_features_close(f);
}

static void whole_numbers_are_read_too(void **state)
{
    const unsigned char pixels[6] = {0, 255, 3, 4, 5, 128};
    at_to_store t = {"p", ATTEND_DTYPE_U8, 2, {3, 2}, pixels, NULL};
    attend_error err;
    real x[6];
    (void)state;
    assert_int_equal(at_safetensors_save(path, &t, 1, NULL, 0, &err), ATTEND_OK);
    at_features *f = open_file();
    assert_int_equal(at_features_read(f, 0, 3, x, &err), ATTEND_OK);
    assert_true(x[1] == 255 && x[5] == 128);
    at_features_close(f);
}

static void refuses_sizes_that_make_no_sense(void **state)
{
    (void)state;
    refuses((tensor[]){{"a", 2, {2, 3}}, {"b", 2, {2, 4}}}, 2, NULL,
            "tensor 'b' has frames of 4 numbers, and those before it 3");
    refuses((tensor[]){{"a", 1, {2}}}, 1, NULL, "tensor 'a' of shape (2) is no sequence");
    refuses((tensor[]){{"a", 2, {0, 3}}}, 1, NULL, "tensor 'a' of shape (0, 3) is empty");
    refuses((tensor[]){{"a", 3, {2, 2, 3}}, {"b", 2, {2, 3}}}, 2, NULL,
            "tensor 'a' of shape (2, 2, 3) is no sequence");
    refuses((tensor[]){{"a", 3, {2, 2, 3}}}, 1, (int64_t[]){1, 3}, "has 3 at index 1");
    refuses((tensor[]){{"a", 3, {2, 2, 3}}}, 1, (int64_t[]){0, 1}, "has 0 at index 0");
    refuses((tensor[]){{"a", 3, {2, 2, 3}}, {"lengths", 1, {3}}}, 2, NULL, "tensor 'lengths'");
    refuses((tensor[]){{"a", 3, {2, 2, 3}}, {"lengths", 1, {2}}}, 2, NULL, "whole numbers");
    refuses(NULL, 0, NULL, "no tensor in it");
    attend_error err;
    at_features *f;
    assert_int_equal(at_features_open("/nowhere/at.safetensors", &f, &err), ATTEND_FILE);
}

static void names_that_a_terminal_would_obey_are_made_safe(void **state)
{
    (void)state;
    write_file((tensor[]){{" \t", 2, {1, 1}}, {"x\x1b[2J\n", 2, {1, 1}}}, 2, NULL);
    at_features *f = open_file();
    assert_string_equal(at_features_name(f, 0).text, "0");
    assert_null(strpbrk(at_features_name(f, 1).text, "\x1b\n"));
    at_features_close(f);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static void what_is_not_finite_is_refused_by_name(void **state)
{
    float numbers[6] = {1, 2, 3, 4, NAN, 6};
    at_to_store t = {"loud", ATTEND_DTYPE_F32, 2, {3, 2}, numbers, NULL};
    attend_error err;
    real x[6];
    (void)state;
    assert_int_equal(at_safetensors_save(path, &t, 1, NULL, 0, &err), ATTEND_OK);
    at_features *f = open_file();
    at_features_look look = {.mean = NULL};
    assert_int_equal(at_features_read(f, 0, 2, x, &err), ATTEND_OK);
    assert_int_equal(at_features_read(f, 0, 3, x, &err), ATTEND_FORMAT);
    assert_says(&err, "sequence 'loud' has a number that is not finite in frame 2, place 0");
    assert_int_equal(at_features_scan(f, NULL, &look, &err), ATTEND_FORMAT);
    at_features_close(f);
    double large[2] = {1, 1e300}; /* beyond a float */
    t = (at_to_store){"large", ATTEND_DTYPE_F64, 2, {1, 2}, large, NULL};
    assert_int_equal(at_safetensors_save(path, &t, 1, NULL, 0, &err), ATTEND_OK);
    f = open_file();
    if (sizeof(real) == sizeof(float))
        assert_int_equal(at_features_read(f, 0, 1, x, &err), ATTEND_FORMAT);
    at_features_close(f);
}

static void mean_and_spread_are_those_of_what_counts(void **state)
{
    static const float a[] = {1000001, 5, 7, 1000003, 5, 8}, b[] = {1000005, 5, 9}, c[] = {9, 9, 9};
    const bool counts[] = {true, true, false};
    double mean[3], spread[3];
    at_features_look look = {.mean = mean, .spread = spread}, other = {.mean = NULL};
    at_features *f;
    attend_error err;
    (void)state;
    assert_int_equal(at_features_new(3, &f, &err), ATTEND_OK);
    at_features_add(f, 2, a, &err);
    at_features_add(f, 1, b, &err);
    at_features_add(f, 1, c, &err);
    assert_int_equal(at_features_scan(f, counts, &look, &err), ATTEND_OK);
    assert_true(fabs(mean[0] - 1000003) < 1e-9 && fabs(spread[0] - sqrt(8.0 / 3)) < 1e-9);
    assert_true(mean[1] == 5 && spread[1] == 1); /* all alike: not divided by 0 */
    assert_true(fabs(mean[2] - 8) < 1e-12 && fabs(spread[2] - sqrt(2.0 / 3)) < 1e-12);
    assert_int_equal(at_features_save(f, NULL, 3, path, &err), ATTEND_OK);
    at_features_close(f);
    f = open_file();
    assert_int_equal(at_features_scan(f, NULL, &other, &err), ATTEND_OK);
    assert_true(other.print == look.print); /* in memory and on disk */
    at_features_close(f);
}

/* ---- making ------------------------------------------------------------------------------ */

static void some_are_written_in_another_order(void **state)
{
    at_features *f, *g;
    attend_error err;
    real x[2];
    (void)state;
    write_file((tensor[]){{"a", 3, {3, 2, 2}}}, 1, (int64_t[]){2, 1, 2});
    f = open_file();
    char *copy = strdup(path);
    assert_int_equal(at_features_save(f, (uint32_t[]){1, 0}, 2, copy, &err), ATTEND_OK);
    free(copy);
    g = open_file();
    assert_int_equal(at_features_count(g), 2);
    assert_int_equal(at_features_frames(g, 0), 1);
    assert_int_equal(at_features_read(g, 0, 1, x, &err), ATTEND_OK);
    assert_true(x[0] == 4 && x[1] == 5);
    at_features_close(f);
    at_features_close(g);
}

static void refuses_what_cannot_be_added(void **state)
{
    at_features *f;
    attend_error err;
    (void)state;
    assert_int_equal(at_features_new(0, &f, &err), ATTEND_OPTION);
    assert_null(f);
    assert_int_equal(at_features_new(2, &f, &err), ATTEND_OK);
    assert_int_equal(at_features_add(f, 0, NULL, &err), ATTEND_SHAPE);
    assert_int_equal(at_features_add(f, 1, (float[]){1, INFINITY}, &err), ATTEND_NUMBER);
    assert_int_equal(at_features_count(f), 0);
    at_features_close(f);
    write_file((tensor[]){{"a", 2, {1, 2}}}, 1, NULL);
    f = open_file();
    assert_int_equal(at_features_add(f, 1, (float[]){1, 2}, &err), ATTEND_OPTION);
    at_features_close(f);
}

static void without_memory_it_fails_cleanly(void **state)
{
    (void)state;
    write_file((tensor[]){{"a", 3, {3, 2, 2}}}, 1, (int64_t[]){2, 1, 2});
    attend_status status = ATTEND_MEMORY;
    for (int n = 0; status != ATTEND_OK; n++) {
        at_features *f;
        attend_error err;
        double mean[2], spread[2];
        at_features_look look = {.mean = mean, .spread = spread};
        at_alloc_fail_after(n);
        status = at_features_open(path, &f, &err);
        if (status >= 0)
            status = at_features_scan(f, NULL, &look, &err);
        at_features_close(f);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sequences_come_in_the_order_of_their_names, enter, leave),
        cmocka_unit_test_setup_teardown(a_file_that_is_cut_short_while_open_is_a_status, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(one_tensor_holds_all_with_their_lengths, enter, leave),
        cmocka_unit_test_setup_teardown(whole_numbers_are_read_too, enter, leave),
        cmocka_unit_test_setup_teardown(refuses_sizes_that_make_no_sense, enter, leave),
        cmocka_unit_test_setup_teardown(names_that_a_terminal_would_obey_are_made_safe, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(what_is_not_finite_is_refused_by_name, enter, leave),
        cmocka_unit_test_setup_teardown(mean_and_spread_are_those_of_what_counts, enter, leave),
        cmocka_unit_test_setup_teardown(some_are_written_in_another_order, enter, leave),
        cmocka_unit_test_setup_teardown(refuses_what_cannot_be_added, enter, leave),
        cmocka_unit_test_setup_teardown(without_memory_it_fails_cleanly, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
