#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

/* ---- a folder for each test ------------------------------------------------------------ */

static char folder[] = "/tmp/attend-file-......";
static long live_before;

static const char *in_folder(const char *name)
{
    static char path[4][6000];
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

/* how many names the folder holds */
static int names(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static int enter(void **state)
{
    (void)state;
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    live_before = at_alloc_live();
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    at_file_fail_after(-1, 0);
    at_file_set_max_write(1 << 30);
    at_alloc_fail_after(-1);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || at_alloc_live() != live_before;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_content(const char *path, const char *text)
{
    char *found;
    attend_error err;
    assert_int_equal(at_file_read(path, 1 << 20, &found, NULL, &err), ATTEND_OK);
    assert_string_equal(found, text);
    at_free(found);
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

/* ---- reading --------------------------------------------------------------------------- */

static void maps_a_file(void **state)
{
    (void)state;
    at_map m;
    attend_error err;
    put(in_folder("a"), "hello");
    assert_int_equal(at_map_open(&m, in_folder("a"), &err), ATTEND_OK);
    assert_int_equal(m.size, 5);
    assert_memory_equal(m.data, "hello", 5);
    at_map_close(&m);
    at_map_close(&m);
    assert_int_equal(m.size, 0);
}

static void maps_an_empty_file(void **state)
{
    (void)state;
    at_map m;
    attend_error err;
    put(in_folder("a"), "");
    assert_int_equal(at_map_open(&m, in_folder("a"), &err), ATTEND_OK);
    assert_non_null(m.data);
    assert_int_equal(m.size, 0);
    at_map_close(&m);
}

static void a_map_survives_replacing_the_file(void **state)
{
    (void)state;
    at_map m;
    at_writer *w;
    attend_error err;
    put(in_folder("a"), "old");
    assert_int_equal(at_map_open(&m, in_folder("a"), &err), ATTEND_OK);
    assert_int_equal(at_writer_open(&w, in_folder("a"), &err), ATTEND_OK);
    at_writer_write(w, "new", 3);
    assert_int_equal(at_writer_commit(w, &err), ATTEND_OK);
    assert_memory_equal(m.data, "old", 3);
    at_map_close(&m);
    assert_content(in_folder("a"), "new");
}

static void map_and_read_refuse(const char *path, const char *cause, const char *remedy)
{
    at_map m;
    char *text;
    attend_error err;
    for (int i = 0; i < 2; i++) {
        attend_status status = i ? at_map_open(&m, path, &err)
                                 : at_file_read(path, 100, &text, NULL, &err);
        assert_int_equal(status, ATTEND_FILE);
        assert_int_equal(err.status, ATTEND_FILE);
        assert_says(&err, path);
        assert_says(&err, cause);
        assert_says(&err, remedy);
    }
    assert_null(text);
    assert_int_equal(m.size, 0);
    at_map_close(&m);
    assert_int_equal(at_map_open(&m, path, NULL), ATTEND_FILE);
}

static void missing_files_are_named(void **state)
{
    (void)state;
    map_and_read_refuse(in_folder("missing"), "No such file", "check the path");
}

static void folders_are_not_files(void **state)
{
    (void)state;
    map_and_read_refuse(folder, "Is a directory", "name a file inside it");
}

static void a_file_is_not_a_folder(void **state)
{
    (void)state;
    put(in_folder("a"), "");
    map_and_read_refuse(in_folder("a/b"), "Not a directory", "not a folder");
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    put(in_folder("a"), "x");
    at_file_fail_after(0, EACCES); /* root reads everything: chmod would not do */
    map_and_read_refuse(in_folder("a"), "Permission denied", "check the permissions");
}

static void pipes_are_not_mapped_and_do_not_block(void **state)
{
    (void)state;
    at_map m;
    attend_error err;
    assert_int_equal(mkfifo(in_folder("p"), 0600), 0);
    assert_int_equal(at_map_open(&m, in_folder("p"), &err), ATTEND_FILE);
    assert_says(&err, "give a regular file");
    assert_int_equal(at_map_open(&m, "/dev/null", &err), ATTEND_FILE);
}

static void reads_a_pipe_to_its_end(void **state)
{
    (void)state;
    int ends[2];
    char path[40], *text;
    size_t size;
    attend_error err;
    static char long_text[20000];
    memset(long_text, 'x', sizeof long_text);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], long_text, sizeof long_text), sizeof long_text);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(at_input_read(path, 1 << 20, &text, &size, &err), ATTEND_OK);
    close(ends[0]);
    assert_int_equal(size, sizeof long_text);
    assert_memory_equal(text, long_text, size);
    assert_int_equal(text[size], 0);
    at_free(text);
}

static void a_file_is_not_a_pipe_or_a_device(void **state)
{
    (void)state;
    char *text;
    attend_error err;
    assert_int_equal(mkfifo(in_folder("q"), 0600), 0);
    assert_int_equal(at_file_read(in_folder("q"), 1 << 20, &text, NULL, &err), ATTEND_FILE);
    assert_says(&err, "q: is a pipe or a device; give a regular file");
    assert_null(text);
    assert_int_equal(at_file_read("/dev/zero", 1 << 20, &text, NULL, &err), ATTEND_FILE);
}

static void reading_keeps_to_the_limit(void **state)
{
    (void)state;
    char *text;
    size_t size;
    attend_error err;
    put(in_folder("a"), "12345");
    assert_int_equal(at_file_read(in_folder("a"), 5, &text, &size, &err), ATTEND_OK);
    assert_int_equal(size, 5);
    at_free(text);
    assert_int_equal(at_file_read(in_folder("a"), 4, &text, &size, &err), ATTEND_FILE);
    assert_says(&err, "larger than the 4 bytes");
    put(in_folder("a"), "");
    assert_int_equal(at_file_read(in_folder("a"), 0, &text, &size, &err), ATTEND_OK);
    assert_string_equal(text, "");
    at_free(text);
    assert_int_equal(at_file_read("/dev/zero", 100000, &text, &size, &err), ATTEND_FILE);
    assert_null(text);
}

static void every_failure_while_reading_is_clean(void **state)
{
    (void)state;
    at_map m;
    char *text;
    int failures = 0;
    attend_error err;
    put(in_folder("a"), "12345");
    for (long n = 0;; n++) {
        at_file_fail_after(n, EIO);
        attend_status status = at_file_read(in_folder("a"), 100, &text, NULL, &err);
        at_file_fail_after(-1, 0);
        if (status >= 0)
            break;
        assert_says(&err, "Input/output error; check the disk");
        assert_null(text);
        failures++;
    }
    assert_int_equal(failures, 4); /* open, stat, read, read the end */
    at_free(text);
    for (failures = 0;; failures++) {
        at_file_fail_after(failures, EIO);
        if (at_map_open(&m, in_folder("a"), &err) >= 0)
            break;
        assert_int_equal(m.size, 0);
    }
    assert_int_equal(failures, 3); /* open, stat, map */
    at_map_close(&m);
    at_file_fail_after(-1, 0);
    at_alloc_fail_after(0);
    assert_int_equal(at_file_read(in_folder("a"), 100, &text, NULL, &err), ATTEND_MEMORY);
}

/* ---- writing --------------------------------------------------------------------------- */

static void writes_and_replaces(void **state)
{
    (void)state;
    at_writer *w;
    attend_error err;
    const char *texts[] = {"one", "", "three"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(at_writer_open(&w, in_folder("a"), &err), ATTEND_OK);
        assert_int_equal(at_writer_write(w, texts[i], strlen(texts[i])), ATTEND_OK);
        assert_int_equal(at_writer_write(w, NULL, 0), ATTEND_OK);
        assert_int_equal(names(), i ? 2 : 1);
        assert_int_equal(at_writer_commit(w, &err), ATTEND_OK);
        assert_content(in_folder("a"), texts[i]);
        assert_int_equal(names(), 1);
    }
}

static void check_pieces(void)
{
    at_writer *w;
    attend_error err;
    enum { ALL = 1 << 20 };
    unsigned char *data = malloc(ALL);
    for (size_t i = 0; i < ALL; i++)
        data[i] = (unsigned char)(i * 2654435761u >> 13);
    const size_t sizes[] = {1, 7, 65535, 65536, 65537, 3, 200000, 64, 100};
    assert_int_equal(at_writer_open(&w, in_folder("a"), &err), ATTEND_OK);
    for (size_t at = 0, i = 0; at < ALL; i++) {
        size_t part = sizes[i % 9] < ALL - at ? sizes[i % 9] : ALL - at;
        assert_int_equal(at_writer_write(w, data + at, part), ATTEND_OK);
        at += part;
    }
    assert_int_equal(at_writer_commit(w, &err), ATTEND_OK);
    at_map m;
    assert_int_equal(at_map_open(&m, in_folder("a"), &err), ATTEND_OK);
    assert_int_equal(m.size, ALL);
    assert_memory_equal(m.data, data, ALL);
    at_map_close(&m);
    free(data);
}

static void pieces_of_any_size_arrive_in_order(void **state)
{
    (void)state;
    check_pieces();
}

static void short_writes_are_continued(void **state)
{
    (void)state;
    at_file_set_max_write(1000);
    check_pieces();
}

static void aborting_leaves_no_trace(void **state)
{
    (void)state;
    at_writer *w;
    attend_error err;
    put(in_folder("a"), "old");
    assert_int_equal(at_writer_open(&w, in_folder("a"), &err), ATTEND_OK);
    at_writer_write(w, "new", 3);
    at_writer_abort(w);
    at_writer_abort(NULL);
    assert_content(in_folder("a"), "old");
    assert_int_equal(names(), 1);
}

static attend_status write_twice(const char *path, attend_error *err)
{
    static unsigned char large[100000];
    at_writer *w;
    attend_status status = at_writer_open(&w, path, err);
    if (status < 0)
        return status;
    at_writer_write(w, "new", 3);
    at_writer_write(w, large, sizeof large);
    at_writer_write(w, "end", 3);
    return at_writer_commit(w, err);
}

/* in turn: folder, temporary, write, write, write, fsync, close, rename, folder, fsync */
static void a_full_disk_at_any_call_keeps_the_old_file(void **state)
{
    (void)state;
    attend_error err;
    enum { CALLS = 10, RENAMED_BEFORE = 8 };
    int n = 0;
    for (;; n++) {
        put(in_folder("a"), "old");
        at_file_fail_after(n, ENOSPC);
        attend_status status = write_twice(in_folder("a"), &err);
        at_file_fail_after(-1, 0);
        assert_int_equal(names(), 1);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_FILE);
        assert_says(&err, in_folder("a"));
        assert_says(&err, "No space left on device; free some space");
        if (n < RENAMED_BEFORE)
            assert_content(in_folder("a"), "old");
        else
            assert_says(&err, "is written, but");
    }
    assert_int_equal(n, CALLS);
}

static void a_failed_write_is_kept_until_commit(void **state)
{
    (void)state;
    at_writer *w;
    attend_error err;
    static unsigned char large[100000];
    put(in_folder("a"), "old");
    assert_int_equal(at_writer_open(&w, in_folder("a"), &err), ATTEND_OK);
    at_file_fail_after(0, ENOSPC);
    assert_int_equal(at_writer_write(w, large, sizeof large), ATTEND_FILE);
    at_file_fail_after(-1, 0);
    assert_int_equal(names(), 1); /* room is given back at once */
    assert_int_equal(at_writer_write(w, "more", 4), ATTEND_FILE);
    assert_int_equal(at_writer_commit(w, &err), ATTEND_FILE);
    assert_says(&err, "No space left");
    assert_content(in_folder("a"), "old");
}

/* a limit of the system: the first write is cut short, the next one fails */
static void the_limit_on_file_sizes_is_reported(void **state)
{
    (void)state;
    struct rlimit before, limit;
    attend_error err;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 70000;
    setrlimit(RLIMIT_FSIZE, &limit);
    attend_status status = write_twice(in_folder("a"), &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, ATTEND_FILE);
    assert_says(&err, "File too large; raise the limit on file sizes");
    assert_int_equal(names(), 0);
}

static void without_memory_nothing_is_written(void **state)
{
    (void)state;
    attend_error err;
    for (int n = 0; n < 2; n++) {
        at_alloc_fail_after(n);
        assert_int_equal(write_twice(in_folder("a"), &err), ATTEND_MEMORY);
    }
    at_alloc_fail_after(-1);
    assert_int_equal(names(), 0);
}

static void writing_refuses(const char *path, const char *cause)
{
    at_writer *w;
    attend_error err;
    assert_int_equal(at_writer_open(&w, path, &err), ATTEND_FILE);
    assert_null(w);
    assert_says(&err, cause);
    assert_says(&err, "; ");
    assert_int_equal(at_writer_open(&w, path, NULL), ATTEND_FILE);
}

static void writing_refuses_folders_devices_and_bad_paths(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(mkfifo(in_folder("p"), 0600), 0);
    writing_refuses(folder, "Is a directory");
    writing_refuses(in_folder(""), "Is a directory");
    writing_refuses(in_folder("."), "Is a directory");
    writing_refuses(in_folder(".."), "Is a directory");
    writing_refuses(in_folder("p"), "a pipe or a device");
    writing_refuses("/dev/null", "a pipe or a device");
    writing_refuses(in_folder("none/a"), "cannot open its folder: No such file");
    writing_refuses(in_folder("p/a"), "cannot open its folder: Not a directory");
    writing_refuses("", "Is a directory");
    assert_int_equal(names(), 1);

    attend_error err; /* a name too long for the folder shows at the rename */
    assert_int_equal(write_twice(in_folder(name), &err), ATTEND_FILE);
    assert_says(&err, "File name too long; use a shorter name");
    assert_int_equal(names(), 1);
}

static void a_name_of_full_length_can_be_written(void **state)
{
    (void)state;
    char name[256];
    attend_error err;
    memset(name, 'n', 255);
    name[255] = 0;
    assert_int_equal(write_twice(in_folder(name), &err), ATTEND_OK);
    assert_true(at_file_exists(in_folder(name)));
}

static void permissions_follow_the_umask_or_the_old_file(void **state)
{
    (void)state;
    attend_error err;
    struct stat info;
    mode_t before = umask(027);
    assert_int_equal(write_twice(in_folder("fresh"), &err), ATTEND_OK);
    put(in_folder("old"), "");
    chmod(in_folder("old"), 0604);
    assert_int_equal(write_twice(in_folder("old"), &err), ATTEND_OK);
    umask(before);
    assert_int_equal(stat(in_folder("fresh"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(stat(in_folder("old"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0604);
}

static void a_symbolic_link_is_replaced_not_followed(void **state)
{
    (void)state;
    attend_error err;
    struct stat info;
    put(in_folder("shared"), "old");
    assert_int_equal(symlink("shared", in_folder("link")), 0);
    assert_int_equal(write_twice(in_folder("link"), &err), ATTEND_OK);
    assert_int_equal(lstat(in_folder("link"), &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_content(in_folder("shared"), "old");
}

static void left_over_temporaries_are_passed_by(void **state)
{
    (void)state;
    at_writer *w;
    attend_error err;
    char name[64];
    int number = -1;
    DIR *d = opendir(folder);
    assert_int_equal(at_writer_open(&w, in_folder("a"), &err), ATTEND_OK);
    for (struct dirent *e; (e = readdir(d));)
        sscanf(e->d_name, ".attend-%*d-%d.tmp", &number);
    closedir(d);
    at_writer_abort(w);
    assert_true(number >= 0);
    for (int i = 1; i <= 3; i++) {
        snprintf(name, sizeof name, ".attend-%ld-%d.tmp", (long)getpid(), number + i);
        put(in_folder(name), "left over");
    }
    assert_int_equal(write_twice(in_folder("a"), &err), ATTEND_OK);
    assert_int_equal(names(), 4);
}

static void a_relative_path_stays_in_its_folder(void **state)
{
    (void)state;
    at_writer *w;
    attend_error err;
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(at_writer_open(&w, "a", &err), ATTEND_OK);
    assert_int_equal(chdir("/"), 0);
    at_writer_write(w, "here", 4);
    assert_int_equal(at_writer_commit(w, &err), ATTEND_OK);
    assert_int_equal(chdir(here), 0);
    assert_content(in_folder("a"), "here");
}

static void no_descriptor_is_left_open(void **state)
{
    (void)state;
    attend_error err;
    char *text;
    at_map m;
    int first = open("/dev/null", O_RDONLY);
    close(first);
    put(in_folder("a"), "x");
    for (int n = 0; n < 12; n++) {
        at_file_fail_after(n, EIO);
        write_twice(in_folder("a"), &err);
        if (at_map_open(&m, in_folder("a"), &err) >= 0)
            at_map_close(&m);
        at_file_fail_after(n, EIO);
        if (at_file_read(in_folder("a"), 1 << 20, &text, NULL, &err) >= 0)
            at_free(text);
    }
    int last = open("/dev/null", O_RDONLY);
    close(last);
    assert_int_equal(first, last);
}

/* ---- names ----------------------------------------------------------------------------- */

static void joined(const char *a, const char *b, const char *expected)
{
    char *path = at_file_join(a, b);
    assert_string_equal(path, expected);
    at_free(path);
}

static void joins_paths(void **state)
{
    (void)state;
    joined("model", "config.json", "model/config.json");
    joined("model/", "config.json", "model/config.json");
    joined("/", "a", "/a");
    joined("", "a", "a");
    joined("model", "/etc/a", "/etc/a");
    at_alloc_fail_after(0);
    assert_null(at_file_join("a", "b"));
}

static void makes_folders_with_their_parents(void **state)
{
    (void)state;
    attend_error err;
    assert_int_equal(at_folder_make(in_folder("a/b//c/"), &err), ATTEND_OK);
    assert_true(at_file_exists(in_folder("a/b/c")));
    assert_int_equal(at_folder_make(in_folder("a/b"), &err), ATTEND_OK);
    assert_int_equal(at_folder_make("/", &err), ATTEND_OK);
    put(in_folder("f"), "");
    assert_int_equal(at_folder_make(in_folder("f"), &err), ATTEND_FILE);
    assert_says(&err, "is a file, but a folder is wanted");
    assert_int_equal(at_folder_make(in_folder("f/g"), &err), ATTEND_FILE);
    assert_int_equal(at_folder_make("", &err), ATTEND_FILE);
    at_file_fail_after(0, ENOSPC);
    assert_int_equal(at_folder_make(in_folder("h"), &err), ATTEND_FILE);
    assert_says(&err, "cannot make the folder: No space left");
    at_alloc_fail_after(0);
    assert_int_equal(at_folder_make(in_folder("h"), &err), ATTEND_MEMORY);
    assert_false(at_file_exists(in_folder("h")));
}

static void shows_names_without_harm(void **state)
{
    (void)state;
    assert_string_equal(at_show("model/größe.bin").text, "model/größe.bin");
    assert_string_equal(at_show("a\033[31m\n\x7f\xc2\x9b z").text, "a?[31m??? z");
    assert_string_equal(at_show("").text, "");
    char name[1000];
    for (int shift = 0; shift < 3; shift++) {
        memset(name, 'x', sizeof name);
        for (size_t i = (size_t)shift; i + 2 < 500; i += 2)
            memcpy(name + i, "\xc3\xa9", 2);
        strcpy(name + 400, "\xc3\xa9.safetensors");
        at_shown shown = at_show(name);
        assert_memory_equal(shown.text, "...\xc3\xa9", 5);
        assert_non_null(strstr(shown.text, "\xc3\xa9.safetensors"));
        assert_true(strlen(shown.text) >= sizeof shown.text - 2);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(maps_a_file),
        TEST(maps_an_empty_file),
        TEST(a_map_survives_replacing_the_file),
        TEST(missing_files_are_named),
        TEST(folders_are_not_files),
        TEST(a_file_is_not_a_folder),
        TEST(unreadable_files_are_named),
        TEST(pipes_are_not_mapped_and_do_not_block),
        TEST(reads_a_pipe_to_its_end),
        TEST(a_file_is_not_a_pipe_or_a_device),
        TEST(reading_keeps_to_the_limit),
        TEST(every_failure_while_reading_is_clean),
        TEST(writes_and_replaces),
        TEST(pieces_of_any_size_arrive_in_order),
        TEST(short_writes_are_continued),
        TEST(aborting_leaves_no_trace),
        TEST(a_full_disk_at_any_call_keeps_the_old_file),
        TEST(a_failed_write_is_kept_until_commit),
        TEST(the_limit_on_file_sizes_is_reported),
        TEST(without_memory_nothing_is_written),
        TEST(writing_refuses_folders_devices_and_bad_paths),
        TEST(a_name_of_full_length_can_be_written),
        TEST(permissions_follow_the_umask_or_the_old_file),
        TEST(a_symbolic_link_is_replaced_not_followed),
        TEST(left_over_temporaries_are_passed_by),
        TEST(a_relative_path_stays_in_its_folder),
        TEST(no_descriptor_is_left_open),
        TEST(joins_paths),
        TEST(makes_folders_with_their_parents),
        TEST(shows_names_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
