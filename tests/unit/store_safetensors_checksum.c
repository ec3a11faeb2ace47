/* What checksums notice in safetensors files. */
#include "store/safetensors_checksum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "store/safetensors.h"

static char folder[] = "/tmp/attend-checksum-......", path[100];
static long live_before;

static int enter(void **state)
{
    (void)state;
    at_json_start();
    live_before = at_alloc_live();
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    snprintf(path, sizeof path, "%s/a.safetensors", mkdtemp(folder));
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    unlink(path);
    return rmdir(folder) || at_alloc_live() != live_before;
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* numbers in all float types, an empty tensor, whole numbers, metadata */
static void save(int n)
{
    static real values[3000];
    static const int64_t ids[] = {-1, 7};
    static const at_metadata notes[] = {{"format", "pt"}};
    attend_error err;
    for (int i = 0; i < n; i++)
        values[i] = (real)(i * 37 % 101) / 8;
    const at_to_store list[] = {at_store_values("half", ATTEND_DTYPE_F16, SHAPE(n), values),
                                at_store_values("brain", ATTEND_DTYPE_BF16, SHAPE(n), values),
                                at_store_values("single", ATTEND_DTYPE_F32, SHAPE(n), values),
                                at_store_values("double", ATTEND_DTYPE_F64, SHAPE(n), values),
                                at_store_values("empty", ATTEND_DTYPE_F32, SHAPE(0), values),
                                at_store_data("ids", ATTEND_DTYPE_I64, SHAPE(2), ids)};
    if (at_safetensors_save(path, list, 6, notes, 1, &err) < 0)
        fail_msg("%s", err.message);
}

static unsigned char *load(size_t *size)
{
    at_map m;
    attend_error err;
    assert_int_equal(at_map_open(&m, path, &err), ATTEND_OK);
    unsigned char *bytes = malloc(m.size);
    memcpy(bytes, m.data, *size = m.size);
    at_map_close(&m);
    return bytes;
}

/* Opens a file in memory and reads every tensor as a model does. */
static attend_status use(const unsigned char *bytes, size_t size, attend_error *err)
{
    at_safetensors *s;
    static real out[3000];
    attend_status status = at_safetensors_open_memory("model", bytes, size, &s, err);
    for (int i = 0; status >= 0 && i < at_safetensors_count(s); i++)
        status = at_safetensors_read_weights(s, at_safetensors_at(s, i), out, err);
    at_safetensors_close(s);
    return status;
}

static void flip(unsigned char *bytes, size_t bit)
{
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
}

static void every_bit_of_a_small_file_counts(void **state)
{
    (void)state;
    attend_error err;
    size_t size;
    save(3);
    unsigned char *bytes = load(&size);
    assert_int_equal(use(bytes, size, &err), ATTEND_OK);
    for (size_t bit = 0; bit < size * 8; bit++) {
        flip(bytes, bit);
        if (use(bytes, size, &err) != ATTEND_FORMAT)
            fail_msg("bit %zu of byte %zu is not noticed", bit % 8, bit / 8);
        assert_says(&err, ";");
        flip(bytes, bit);
    }
    assert_int_equal(use(bytes, size, &err), ATTEND_OK);
    free(bytes);
}

static void flips_300_of_300_are_noticed(void **state)
{
    (void)state;
    attend_error err;
    size_t size;
    int in_header = 0, in_data = 0;
    uint64_t length;
    save(3000);
    unsigned char *bytes = load(&size);
    memcpy(&length, bytes, 8);
    for (uint32_t i = 0; i < 300; i++) {
        size_t bit = at_random_below((at_random){.seed = 300}, i,
                                     (uint32_t)(i % 10 ? size : 8 + length) * 8);
        flip(bytes, bit);
        if (use(bytes, size, &err) != ATTEND_FORMAT)
            fail_msg("bit %zu of byte %zu is not noticed", bit % 8, bit / 8);
        flip(bytes, bit);
        *(bit / 8 < 8 + length ? &in_header : &in_data) += 1;
    }
    assert_true(in_header >= 30 && in_data > 200);
    free(bytes);
}

static void a_damaged_tensor_is_named_and_others_are_read(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    real out[40];
    size_t size;
    save(40);
    unsigned char *bytes = load(&size);
    flip(bytes, size * 8 - 1);
    assert_int_equal(at_safetensors_open_memory("model", bytes, size, &s, &err), ATTEND_OK);
    assert_true(at_safetensors_has_checksums(s));
    const at_stored *brain = at_safetensors_find(s, "brain"),
                    *half = at_safetensors_find(s, "half");
    for (int again = 0; again < 2; again++) {
        assert_int_equal(at_safetensors_read(s, half, out, &err), ATTEND_OK);
        assert_int_equal(at_safetensors_read(s, brain, out, &err), ATTEND_FORMAT);
        assert_says(&err, "model: tensor 'brain' does not match its checksum; ");
        assert_int_equal(at_safetensors_verify_all(s, &err), ATTEND_FORMAT);
    }
    at_safetensors_close(s);
    free(bytes);
}

static void a_part_is_verified_with_its_tensor(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    size_t size;
    save(40);
    unsigned char *bytes = load(&size);
    flip(bytes, size * 8 - 1);
    assert_int_equal(at_safetensors_open_memory("model", bytes, size, &s, &err), ATTEND_OK);
    for (int i = 0; i < at_safetensors_count(s); i++) {
        at_stored part = *at_safetensors_at(s, i);
        bool bad = !strcmp(part.name, "brain");
        part.data = (const char *)part.data + (part.bytes ? part.bytes - 2 : 0);
        part.bytes = part.bytes ? 2 : 0;
        part.name = "a part";
        assert_int_equal(at_safetensors_verify(s, &part, &err), bad ? ATTEND_FORMAT : ATTEND_OK);
    }
    at_safetensors_close(s);
    free(bytes);
}

typedef struct {
    const at_safetensors *file;
    int good[64];
} readers;

static void verify_as_one(void *arg, int i)
{
    readers *r = arg;
    for (int k = 0; k < at_safetensors_count(r->file); k++)
        r->good[i] += at_safetensors_verify(r->file, at_safetensors_at(r->file, k), NULL) >= 0;
}

static void threads_verify_at_once_without_memory(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    size_t size;
    save(3000);
    unsigned char *bytes = load(&size);
    flip(bytes, size * 8 - 1);
    assert_int_equal(at_safetensors_open_memory("model", bytes, size, &s, &err), ATTEND_OK);
    readers r = {.file = s};
    at_alloc_fail_after(0);
    at_parallel_each(64, 1e9, verify_as_one, &r);
    at_alloc_fail_after(-1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(r.good[i], 5);
    at_safetensors_close(s);
    free(bytes);
}

/* ---- files of other programs ---------------------------------------------------------------- */

static size_t pack(unsigned char *to, const char *header, const char *data)
{
    uint64_t length = strlen(header);
    memcpy(to, &length, 8);
    memcpy(to + 8, header, length);
    memcpy(to + 8 + length, data, strlen(data));
    return 8 + length + strlen(data);
}

#define TENSOR "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}"

static void files_without_checksums_are_taken(void **state)
{
    (void)state;
    unsigned char bytes[300];
    at_safetensors *s;
    attend_error err;
    size_t size = pack(bytes, "{\"__metadata__\":{\"format\":\"pt\"}," TENSOR, "xy");
    assert_int_equal(use(bytes, size, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_open_memory("m", bytes, size, &s, &err), ATTEND_OK);
    assert_false(at_safetensors_has_checksums(s));
    assert_int_equal(at_safetensors_verify_all(s, &err), ATTEND_OK);
    at_safetensors_close(s);
}

/* a program that keeps the metadata and writes a header of its own */
static void checksums_of_another_header_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[300];
    attend_error err;
    static const char *const kept[] = {
        "{\"__metadata__\":{\"attend.xxh3.tensors\":\"0123456789abcdef\"}," TENSOR,
        "{\"__metadata__\":{\"attend.xxh3.header\":\"0123456789abcdef\"}," TENSOR,
        "{\"__metadata__\":{\"a\":\"\",\"attend.xxh3.header\":\"0123456789abcdef\"}," TENSOR};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(use(bytes, pack(bytes, kept[i], "xy"), &err), ATTEND_FORMAT);
        assert_says(&err, "model: the header does not match its checksum; ");
        assert_says(&err, "save it without the metadata 'attend.xxh3.header'");
        assert_says(&err, "if another program has rewritten it");
    }
}

/* a header that matches its checksum, with a list of tensors that does not fit it */
static void lists_of_another_length_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[300];
    attend_error err;
    static const char *const lists[] = {"", "0", "g123456789abcdef",
                                        "0123456789abcdef0123456789abcdef"};
    for (int i = 0; i < 4; i++) {
        char header[250];
        snprintf(header, sizeof header,
                 "{\"__metadata__\":{\"attend.xxh3.header\":\"0123456789abcdef\","
                 "\"attend.xxh3.tensors\":\"%s\"}," TENSOR,
                 lists[i]);
        uint64_t length = strlen(header);
        at_checksum c;
        at_checksum_start(&c);
        at_checksum_add(&c, &length, 8);
        at_checksum_add(&c, strchr(header, '0') + 16, strlen(strchr(header, '0') + 16));
        at_checksum_print(at_checksum_end(&c), strchr(header, '0'));
        assert_int_equal(use(bytes, pack(bytes, header, "xy"), &err), ATTEND_FORMAT);
        assert_says(&err, "model: the header does not match its checksum; ");
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_bit_of_a_small_file_counts),
        TEST(flips_300_of_300_are_noticed),
        TEST(a_damaged_tensor_is_named_and_others_are_read),
        TEST(a_part_is_verified_with_its_tensor),
        TEST(threads_verify_at_once_without_memory),
        TEST(files_without_checksums_are_taken),
        TEST(checksums_of_another_header_are_refused),
        TEST(lists_of_another_length_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
