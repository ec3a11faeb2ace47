/* Feature vectors by the public functions alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend_data.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_saved_can_be_opened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
