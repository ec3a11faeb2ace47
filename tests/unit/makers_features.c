#include "makers/features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

static char folder[] = "/tmp/attend-make-XXXXXX", sound[80], words[80];

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(sound, sizeof sound, "%s/a.safetensors", folder);
    snprintf(words, sizeof words, "%s/a.txt", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return unlink(sound) == 0 && unlink(words) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static attend_status take(void *user, const at_made *made, attend_error *err)
{
    at_str *sources = user;
    (void)err;
    at_str_print(sources, "%s ", at_str_text(&made->source));
    return ATTEND_OK;
}

/* Are the numbers of a safetensors file, after the size of its header and the header, these? */
static void compare(char *text)
{
    FILE *file = fopen(sound, "rb");
    uint64_t header;
    float value, more;
    assert_non_null(file);
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    assert_int_equal(fseek(file, (long)header, SEEK_CUR), 0);
    for (char *word = strtok(text, " ,"); word; word = strtok(NULL, " ,")) {
        assert_int_equal(fread(&value, sizeof value, 1, file), 1);
        assert_true(value == (float)atof(word));
    }
    assert_int_equal(fread(&more, 1, 1, file), 0);
    fclose(file);
}

static void both_files_hold_what_the_lines_say(void **state)
{
    const at_maker *digits = at_maker_find("digits");
    attend_features *f;
    attend_error err;
    at_str sources = {0};
    (void)state;
    assert_int_equal(at_make_features(digits, 5, 1, 0, sound, words, NULL, &err), ATTEND_OK);
    assert_int_equal(at_maker_run(digits, 5, 1, 0, take, &sources, &err), ATTEND_OK);
    assert_int_equal(attend_features_open(sound, &f, &err), ATTEND_OK);
    assert_int_equal(attend_features_count(f), 5);
    assert_int_equal(attend_features_width(f), 12);
    attend_features_free(f);
    compare(sources.text);
    at_str_free(&sources);
}

static void without_memory_it_fails_cleanly(void **state)
{
    attend_status status = ATTEND_MEMORY;
    (void)state;
    for (int n = 0; status != ATTEND_OK; n++) {
        attend_error err;
        at_alloc_fail_after(n);
        status = at_make_features(at_maker_find("digits"), 2, 1, 0, sound, words, NULL, &err);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_files_hold_what_the_lines_say),
        cmocka_unit_test(without_memory_it_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
