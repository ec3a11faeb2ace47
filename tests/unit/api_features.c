/* Feature vectors by the public functions alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend.h"

static void what_is_saved_can_be_opened(void **state)
{
    static const float one[] = {1, 2, 3, 4, 5, 6}, two[] = {7, 8, 9};
    char path[] = "/tmp/attend-features-XXXXXX";
    attend_features *f;
    attend_error err;
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    assert_int_equal(attend_features_new(3, &f, &err), ATTEND_OK);
    assert_int_equal(attend_features_add(f, 2, one, &err), ATTEND_OK);
    assert_int_equal(attend_features_add(f, 1, two, &err), ATTEND_OK);
    assert_int_equal(attend_features_add(f, 1, (float[]){1, NAN, 2}, &err), ATTEND_NUMBER);
    assert_int_equal(attend_features_count(f), 2);
    assert_int_equal(attend_features_save(f, path, &err), ATTEND_OK);
    attend_features_free(f);
    assert_int_equal(attend_features_open(path, &f, &err), ATTEND_OK);
    assert_int_equal(attend_features_count(f), 2);
    assert_int_equal(attend_features_width(f), 3);
    assert_int_equal(attend_features_add(f, 1, two, &err), ATTEND_OPTION);
    attend_features_free(f);
    unlink(path);
}

static void makers_write_both_files(void **state)
{
    char folder[] = "/tmp/attend-features-XXXXXX", sound[80], words[80];
    attend_features *f;
    attend_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(sound, sizeof sound, "%s/a.safetensors", folder);
    snprintf(words, sizeof words, "%s/a.txt", folder);
    assert_true(attend_maker_features("digits"));
    assert_false(attend_maker_features("sort"));
    assert_false(attend_maker_features("nothing"));
    assert_int_equal(attend_data_make_features("digits", 5, 1, 0, sound, words, &err), ATTEND_OK);
    assert_int_equal(attend_data_make_features("sort", 5, 1, 0, sound, words, &err), ATTEND_OPTION);
    assert_int_equal(attend_data_make_features("digit", 5, 1, 0, sound, words, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "did you mean digits?"));
    assert_int_equal(attend_features_open(sound, &f, &err), ATTEND_OK);
    assert_int_equal(attend_features_count(f), 5);
    attend_features_free(f);
    assert_true(unlink(sound) == 0 && unlink(words) == 0 && rmdir(folder) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_saved_can_be_opened),
                                       cmocka_unit_test(makers_write_both_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
