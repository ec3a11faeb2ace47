#include "data/stream.h"

#include "data_help.h"

static long live;

static int enter(void **state)
{
    (void)state;
    live = at_alloc_live();
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    return at_alloc_live() != live;
}

/* All bytes of a stream, read in parts of that size; closes it. */
static attend_status drain(at_stream *b, size_t part, at_str *out, attend_error *err)
{
    char buffer[4096];
    ptrdiff_t got;
    while ((got = at_stream_read(b, buffer, part, err)) > 0)
        at_str_add_bytes(out, buffer, (size_t)got);
    at_stream_close(b);
    return got < 0 ? (attend_status)got : ATTEND_OK;
}

static void check(const char *data, size_t size, const char *expected, size_t expected_size)
{
    attend_error err;
    const size_t parts[] = {1, 7, 4096};
    for (int i = 0; i < 3; i++) {
        at_str out = {0};
        assert_int_equal(drain(bytes_of(data, size), parts[i], &out, &err), ATTEND_OK);
        assert_int_equal(out.length, expected_size);
        assert_memory_equal(at_str_text(&out), expected, expected_size);
        at_str_free(&out);
    }
}

static void check_refused(const char *data, size_t size, const char *said)
{
    at_stream *b;
    attend_error err;
    at_str out = {0};
    attend_status status = at_stream_memory("file", data, size, &b, &err);
    if (status >= 0)
        status = drain(b, 100, &out, &err);
    assert_int_equal(status, ATTEND_FORMAT);
    assert_says(&err, "file");
    assert_says(&err, said);
    at_str_free(&out);
}

static void gives_plain_bytes_as_they_are(void **state)
{
    (void)state;
    check("", 0, "", 0);
    check("a", 1, "a", 1);
    check("one\ntwo\0three\xff and much more than sixteen bytes", 48,
          "one\ntwo\0three\xff and much more than sixteen bytes", 48);
}

static void unpacks_gzip_also_of_several_parts(void **state)
{
    (void)state;
    at_str packed = {0}, text = {0};
    for (int i = 0; i < 20000; i++)
        at_str_print(&text, "line %d\n", i);
    pack_gzip(&packed, text.text, text.length);
    check(packed.text, packed.length, text.text, text.length);
    pack_gzip(&packed, "more", 4);
    pack_gzip(&packed, "", 0);
    at_str_add_bytes(&packed, "\0\0\0\0\0", 5);
    at_str_add(&text, "more");
    check(packed.text, packed.length, text.text, text.length);
    at_str_free(&packed);
    at_str_free(&text);
}

static void refuses_damaged_gzip(void **state)
{
    (void)state;
    at_str packed = {0};
    pack_gzip(&packed, "some text that is long enough to be cut", 39);
    for (size_t cut = 3; cut < packed.length; cut++)
        check_refused(packed.text, cut, "end early");
    at_str_add(&packed, "junk");
    check_refused(packed.text, packed.length, "other bytes follow");
    packed.text[packed.length - 4 - 8] ^= 1; /* the check sum */
    check_refused(packed.text, packed.length - 4, "damaged");
    at_str_free(&packed);
}

static const packed_file anki[] = {
    {"fra-eng/", ""},
    {"__MACOSX/._fra-eng", "junk"},
    {"fra-eng/_about.txt", "about"},
    {"fra-eng/.hidden", "hidden"},
    {"README.md", "read me"},
    {"fra-eng/fra.txt", "Go.\tVa !\n"},
    {0},
};

static void takes_the_file_of_an_archive_that_is_meant(void **state)
{
    (void)state;
    at_str zip = {0};
    pack_zip(&zip, anki);
    check(zip.text, zip.length, "Go.\tVa !\n", 9);
    at_stream *b = bytes_of(zip.text, zip.length);
    assert_string_equal(at_stream_name(b), "file:fra-eng/fra.txt");
    at_stream_close(b);
    at_str_free(&zip);
}

static void asks_which_file_of_an_archive(void **state)
{
    (void)state;
    const packed_file two[] = {{"a/train.tsv", "x"}, {"a/test.tsv", "y"}, {0}};
    const packed_file none[] = {{"LICENSE", "x"}, {"about.txt", "y"}, {0}};
    const packed_file nothing[] = {{0}};
    at_str zip = {0};
    pack_zip(&zip, two);
    check_refused(zip.text, zip.length, "file:FILE with one of a/train.tsv, a/test.tsv");
    at_str_clear(&zip);
    pack_zip(&zip, none);
    check_refused(zip.text, zip.length, "of its 2 files none looks like a corpus");
    at_str_clear(&zip);
    pack_zip(&zip, nothing);
    check_refused(zip.text, zip.length, "of its 0 files");
    at_str_free(&zip);
}

static void write_file(const char *path, const at_str *bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes->text, 1, bytes->length, f), bytes->length);
    fclose(f);
}

static void takes_a_file_of_an_archive_by_name(void **state)
{
    (void)state;
    const packed_file two[] = {{"a/train.tsv", "train"}, {"a/test.tsv", "test"}, {0}};
    char folder[] = "/tmp/attend-bytes-XXXXXX", path[64], member[96];
    at_str zip = {0};
    at_stream *b;
    attend_error err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.zip", folder);
    pack_zip(&zip, two);
    write_file(path, &zip);
    const char *names[] = {"a/test.tsv", "test.tsv"};
    for (int i = 0; i < 2; i++) {
        at_str out = {0};
        snprintf(member, sizeof member, "%s:%s", path, names[i]);
        assert_int_equal(at_stream_open(member, &b, &err), ATTEND_OK);
        assert_int_equal(drain(b, 100, &out, &err), ATTEND_OK);
        assert_string_equal(at_str_text(&out), "test");
        at_str_free(&out);
    }
    snprintf(member, sizeof member, "%s:est.tsv", path);
    assert_int_equal(at_stream_open(member, &b, &err), ATTEND_FORMAT);
    assert_says(&err, "holds no \"est.tsv\", but a/train.tsv, a/test.tsv");
    zip.text[0] = 'X';
    write_file(path, &zip);
    assert_int_equal(at_stream_open(member, &b, &err), ATTEND_FORMAT);
    assert_says(&err, "is no zip archive");
    assert_int_equal(at_stream_open(folder, &b, &err), ATTEND_FILE);
    unlink(path);
    assert_int_equal(at_stream_open(path, &b, &err), ATTEND_FILE);
    assert_says(&err, "c.zip: cannot open");
    rmdir(folder);
    at_str_free(&zip);
}

static void refuses_a_damaged_archive(void **state)
{
    (void)state;
    at_str zip = {0};
    attend_error err;
    pack_zip(&zip, anki);
    for (size_t cut = 4; cut < zip.length; cut += 7) {
        at_stream *b;
        at_str out = {0};
        attend_status status = at_stream_memory("file", zip.text, cut, &b, &err);
        if (status >= 0)
            status = drain(b, 100, &out, &err);
        assert_true(status == ATTEND_FORMAT || strcmp(at_str_text(&out), anki[5].text) == 0);
        at_str_free(&out);
    }
    char *text = memmem(zip.text, zip.length, "Va !", 4);
    *text = 'L';
    check_refused(zip.text, zip.length, "cannot be read");
    at_str_free(&zip);
}

static void reads_standard_input_packed_or_not(void **state)
{
    (void)state;
    at_str plain = {0}, gzip = {0}, zip = {0};
    at_str_add(&plain, "Go.\tVa !\n");
    pack_gzip(&gzip, plain.text, plain.length);
    pack_zip(&zip, anki);
    const at_str *all[] = {&plain, &gzip, &zip};
    int kept = dup(STDIN_FILENO);
    for (int i = 0; i < 3; i++) {
        int ends[2];
        at_stream *b;
        attend_error err;
        at_str out = {0};
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], all[i]->text, all[i]->length), all[i]->length);
        close(ends[1]);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        assert_int_equal(at_stream_open("-", &b, &err), ATTEND_OK);
        assert_memory_equal(at_stream_name(b), "standard input", 14);
        assert_int_equal(drain(b, 100, &out, &err), ATTEND_OK);
        assert_string_equal(at_str_text(&out), "Go.\tVa !\n");
        at_str_free(&out);
    }
    dup2(kept, STDIN_FILENO);
    close(kept);
    at_str_free(&plain);
    at_str_free(&gzip);
    at_str_free(&zip);
}

static void says_how_to_unpack_what_it_does_not(void **state)
{
    (void)state;
    check_refused("\xFD"
                  "7zXZ\0\0\0\0",
                  9, "unxz");
    check_refused("BZh91AY&SY", 10, "bunzip2");
    check_refused("\x28\xB5\x2F\xFD....", 8, "unzstd");
    check_refused("\xFF\xFEh\0i\0", 6, "iconv -f UTF-16");
    check_refused("PAR1....", 8, "JSONL or CSV");
}

static void looks_ahead_without_taking(void **state)
{
    (void)state;
    at_str text = {0}, out = {0};
    const char *head;
    size_t size;
    attend_error err;
    for (int i = 0; i < 20000; i++)
        at_str_print(&text, "line %d\n", i);
    at_stream *b = bytes_of(text.text, text.length);
    assert_int_equal(at_stream_peek(b, &head, &size, &err), ATTEND_OK);
    assert_int_equal(size, 1 << 16);
    assert_memory_equal(head, text.text, size);
    assert_int_equal(drain(b, 1000, &out, &err), ATTEND_OK);
    assert_string_equal(out.text, text.text);
    at_str_free(&text);
    at_str_free(&out);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    at_str gzip = {0}, zip = {0};
    pack_gzip(&gzip, "text", 4);
    pack_zip(&zip, anki);
    const at_str *all[] = {&gzip, &zip};
    for (int i = 0; i < 2; i++)
        for (int n = 0;; n++) {
            at_stream *b;
            attend_error err;
            at_alloc_fail_after(n);
            attend_status status = at_stream_memory("file", all[i]->text, all[i]->length, &b, &err);
            at_alloc_fail_after(-1);
            if (status >= 0) {
                assert_true(n > 2);
                at_stream_close(b);
                break;
            }
            assert_int_equal(status, ATTEND_MEMORY);
            assert_null(b);
        }
    at_str_free(&gzip);
    at_str_free(&zip);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gives_plain_bytes_as_they_are),
        TEST(unpacks_gzip_also_of_several_parts),
        TEST(refuses_damaged_gzip),
        TEST(takes_the_file_of_an_archive_that_is_meant),
        TEST(asks_which_file_of_an_archive),
        TEST(takes_a_file_of_an_archive_by_name),
        TEST(refuses_a_damaged_archive),
        TEST(reads_standard_input_packed_or_not),
        TEST(says_how_to_unpack_what_it_does_not),
        TEST(looks_ahead_without_taking),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
