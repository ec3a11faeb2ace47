#include "base/checksum_list.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"

static char folder[] = "/tmp/attend-list-......";
static const char *const names[] = {"a.json", "b.txt", "not there", NULL};
static long live_before;

static const char *path_of(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    fwrite(bytes, 1, size, f);
    fclose(f);
}

static int enter(void **state)
{
    (void)state;
    live_before = at_alloc_live();
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    if (!mkdtemp(folder))
        return -1;
    put("a.json", "{}", 2);
    put("b.txt", "", 0);
    put("c.txt", "not listed", 10);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    at_file_fail_after(-1, 0);
    unlink(path_of("a.json"));
    unlink(path_of("b.txt"));
    unlink(path_of("c.txt"));
    unlink(path_of(ATTEND_CHECKSUM_LIST));
    return rmdir(folder) || at_alloc_live() != live_before; /* nothing else may be in it */
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

static void save(void)
{
    attend_error err;
    if (at_checksum_list_save(folder, names, &err) < 0)
        fail_msg("%s", err.message);
}

static attend_status verify(attend_error *err)
{
    return at_checksum_list_verify(folder, NULL, NULL, err);
}

static void what_is_listed_is_verified(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(verify(&err), ATTEND_OK); /* without a list */
    save();
    assert_int_equal(verify(&err), ATTEND_OK);
    put("c.txt", "changed", 7);
    assert_int_equal(verify(&err), ATTEND_OK);
    put("b.txt", "x", 1);
    assert_int_equal(verify(&err), ATTEND_FORMAT);
    assert_says(&err, path_of("b.txt"));
    assert_says(&err, "does not match its checksum; ");
    assert_says(&err, "attend inspect --update-checksums ");
    assert_int_equal(verify(NULL), ATTEND_FORMAT);
    unlink(path_of("a.json"));
    assert_int_equal(verify(&err), ATTEND_FORMAT);
    assert_says(&err, "a.json: is missing, but listed in attend-checksums.txt; ");
    at_checksum_list_remove(folder);
    assert_int_equal(verify(&err), ATTEND_OK);
}

typedef struct {
    int intact, faults;
} counted;

static void count(void *user, const char *path, const attend_error *fault)
{
    counted *c = user;
    assert_true(strncmp(path, folder, strlen(folder)) == 0);
    *(fault ? &c->faults : &c->intact) += 1;
}

static void every_fault_is_reported(void **state)
{
    (void)state;
    attend_error err;
    counted c = {0};
    save();
    assert_int_equal(at_checksum_list_verify(folder, count, &c, &err), ATTEND_OK);
    assert_true(c.intact == 2 && c.faults == 0);
    put("a.json", "[]", 2);
    assert_int_equal(at_checksum_list_verify(folder, count, &c, &err), ATTEND_FORMAT);
    assert_true(c.intact == 3 && c.faults == 1);
    put("b.txt", "x", 1);
    assert_int_equal(at_checksum_list_verify(folder, count, &c, &err), ATTEND_FORMAT);
    assert_true(c.intact == 3 && c.faults == 3);
    assert_says(&err, "a.json");
    put(ATTEND_CHECKSUM_LIST, "", 0);
    assert_int_equal(at_checksum_list_verify(folder, count, &c, NULL), ATTEND_FORMAT);
    assert_true(c.intact == 3 && c.faults == 4);
}

static void every_bit_and_every_cut_of_the_list_is_noticed(void **state)
{
    (void)state;
    attend_error err;
    char *text;
    size_t size;
    save();
    assert_int_equal(at_file_read(path_of(ATTEND_CHECKSUM_LIST), 1 << 16, &text, &size, &err),
                     ATTEND_OK);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        text[bit / 8] ^= (char)(1 << bit % 8);
        put(ATTEND_CHECKSUM_LIST, text, size);
        if (verify(&err) != ATTEND_FORMAT)
            fail_msg("bit %zu of byte %zu is not noticed", bit % 8, bit / 8);
        text[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t cut = 0; cut < size; cut++) {
        put(ATTEND_CHECKSUM_LIST, text, cut);
        assert_int_equal(verify(&err), ATTEND_FORMAT);
        assert_says(&err, "attend-checksums.txt: the list of checksums is damaged; ");
    }
    put(ATTEND_CHECKSUM_LIST, text, size);
    assert_int_equal(verify(&err), ATTEND_OK);
    at_free(text);
}

static void edits_are_accepted(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(at_checksum_list_update(folder, &err), ATTEND_OK);
    assert_false(at_file_exists(path_of(ATTEND_CHECKSUM_LIST)));
    save();
    put("a.json", "[]", 2);
    unlink(path_of("b.txt"));
    assert_int_equal(at_checksum_list_update(folder, &err), ATTEND_FORMAT);
    assert_says(&err, "b.txt: is missing");
    put("b.txt", "edited", 6);
    assert_int_equal(at_checksum_list_update(folder, &err), ATTEND_OK);
    assert_int_equal(verify(&err), ATTEND_OK);
    put("a.json", "{}", 2);
    assert_int_equal(verify(&err), ATTEND_FORMAT);
    put(ATTEND_CHECKSUM_LIST, "x", 1);
    assert_int_equal(at_checksum_list_update(folder, &err), ATTEND_FORMAT);
    assert_says(&err, "remove the list");
}

/* between clear and save, whatever the files hold is taken */
static void files_may_change_between_two_lists(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(at_checksum_list_clear(folder, &err), ATTEND_OK);
    assert_false(at_file_exists(path_of(ATTEND_CHECKSUM_LIST)));
    save();
    assert_int_equal(at_checksum_list_clear(folder, &err), ATTEND_OK);
    put("a.json", "[]", 2);
    assert_int_equal(verify(&err), ATTEND_OK);
    save();
    put("a.json", "{}", 2);
    assert_int_equal(verify(&err), ATTEND_FORMAT);
}

static void pipes_and_other_folders_are_not_read(void **state)
{
    (void)state;
    attend_error err;
    save();
    unlink(path_of("a.json"));
    assert_int_equal(mkfifo(path_of("a.json"), 0666), 0);
    assert_int_equal(verify(&err), ATTEND_FILE);
    assert_says(&err, "is a pipe or a device");
    put("b.txt", "x", 1);
    static const char *const outside[] = {"../x", "/etc/passwd", NULL};
    unlink(path_of("a.json"));
    assert_int_equal(at_checksum_list_save(folder, outside, &err), ATTEND_OK);
    counted c = {0};
    assert_int_equal(at_checksum_list_verify(folder, count, &c, &err), ATTEND_OK);
    assert_true(c.intact == 0 && c.faults == 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    attend_error err;
    attend_status (*const act[])(const char *, attend_error *) = {at_checksum_list_clear,
                                                                  at_checksum_list_update};
    save();
    for (int what = 0; what < 4; what++)
        for (long n = 0;; n++) {
            at_alloc_fail_after(n);
            attend_status status = what < 2    ? act[what](folder, &err)
                                   : what == 2 ? at_checksum_list_save(folder, names, &err)
                                               : verify(&err);
            at_alloc_fail_after(-1);
            assert_int_equal(at_alloc_live(), live_before);
            if (status >= 0) {
                assert_true(n > 1);
                break;
            }
            assert_int_equal(status, ATTEND_MEMORY);
        }
    assert_int_equal(verify(&err), ATTEND_OK);
}

static void a_full_disk_keeps_the_old_list(void **state)
{
    (void)state;
    attend_error err;
    save();
    long n = 0;
    for (;; n++) {
        at_file_fail_after(n, ENOSPC);
        attend_status status = at_checksum_list_save(folder, names, &err);
        at_file_fail_after(-1, 0);
        assert_int_equal(verify(&err), ATTEND_OK);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_FILE);
    }
    assert_true(n > 5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_listed_is_verified),
        TEST(every_fault_is_reported),
        TEST(every_bit_and_every_cut_of_the_list_is_noticed),
        TEST(edits_are_accepted),
        TEST(files_may_change_between_two_lists),
        TEST(pipes_and_other_folders_are_not_read),
        TEST(every_allocation_may_fail),
        TEST(a_full_disk_keeps_the_old_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
