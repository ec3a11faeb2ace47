#include "store/safetensors.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/half.h"
#include "base/json.h"
#include "base/memory.h"

static char folder[] = "/tmp/attend-tensors-......", path[100], other_path[100];
static long live_before;

static int enter(void **state)
{
    (void)state;
    at_json_start();
    live_before = at_alloc_live();
    memset(folder + strlen(folder) - 6, 'X', 6); /* as mkdtemp wants it */
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    snprintf(other_path, sizeof other_path, "%s/b.safetensors", folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    at_file_fail_after(-1, 0);
    unlink(path);
    unlink(other_path);
    return rmdir(folder) || at_alloc_live() != live_before; /* nothing else may be in it */
}

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

/* ---- files in memory ------------------------------------------------------------------- */

static unsigned char image[1 << 16];

/* a file of this header and n bytes 0, 1, 2, ... of data */
static size_t pack(const char *header, size_t n)
{
    uint64_t length = strlen(header);
    memcpy(image, &length, 8);
    memcpy(image + 8, header, length);
    for (size_t i = 0; i < n; i++)
        image[8 + length + i] = (unsigned char)i;
    return 8 + length + n;
}

/* Opens a copy of exactly this size, so that a sanitizer sees every read beyond it. */
static attend_status open_image(size_t size, at_safetensors **s, void **copy, attend_error *err)
{
    *copy = malloc(size ? size : 1);
    memcpy(*copy, image, size);
    return at_safetensors_open_memory("model.safetensors", *copy, size, s, err);
}

static void refuses_size(size_t size, const char *message)
{
    at_safetensors *s;
    attend_error err;
    void *copy;
    assert_int_equal(open_image(size, &s, &copy, &err), ATTEND_FORMAT);
    assert_null(s);
    assert_says(&err, "model.safetensors: ");
    assert_says(&err, message);
    assert_true(strchr(err.message, ';') != NULL);
    assert_int_equal(at_safetensors_open_memory("m", copy, size, &s, NULL), ATTEND_FORMAT);
    free(copy);
}

static void refuses(const char *header, size_t data, const char *message)
{
    refuses_size(pack(header, data), message);
}

static void accepts(const char *header, size_t data, int tensors)
{
    at_safetensors *s;
    attend_error err = {.message = ""};
    void *copy;
    attend_status status = open_image(pack(header, data), &s, &copy, &err);
    if (status < 0)
        fail_msg("%s", err.message);
    assert_int_equal(at_safetensors_count(s), tensors);
    at_safetensors_close(s);
    free(copy);
}

/* ---- what is refused ------------------------------------------------------------------- */

#define TENSOR(name, dtype, shape, begin, end)                                                     \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end \
    "]}"

static void accepts_what_the_format_allows(void **state)
{
    (void)state;
    accepts("{}", 0, 0);
    accepts("{}     ", 0, 0);
    accepts("{" TENSOR("a", "F32", "[2]", 0, 8) "}", 8, 1);
    accepts("{" TENSOR("scalar", "F32", "[]", 0, 4) "}", 4, 1);
    accepts("{" TENSOR("", "U8", "[1,1,1,1,1,1,1,1]", 0, 1) "}", 1, 1);
    accepts("{" TENSOR("empty", "F32", "[0]", 0, 0) "}", 0, 1);
    accepts("{" TENSOR("empty", "F32", "[3,0,5]", 0, 0) "}", 0, 1);
    accepts("{\"__metadata__\":{}}", 0, 0);
    accepts("{\"__metadata__\":{\"format\":\"pt\"}," TENSOR("a", "U8", "[2]", 0, 2) "}", 2, 1);
    accepts("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":[{}]}}", 1, 1);
    accepts("{\"a\":{\"data_offsets\":[0,1],\"shape\":[1],\"dtype\":\"U8\"}}", 1, 1);
    /* headers in another order than the data */
    accepts("{" TENSOR("b", "U8", "[2]", 1, 3) "," TENSOR("a", "U8", "[1]", 0, 1) "}", 3, 2);
    /* empty ones between others, in any order */
    accepts("{" TENSOR("a", "U8", "[1]", 0, 1) "," TENSOR("b", "U8", "[1]", 1, 2) "," TENSOR(
                "e", "F32", "[0]", 1, 1) "," TENSOR("f", "U8", "[0]", 2, 2) "}",
            2, 4);
}

static void every_type_is_known(void **state)
{
    (void)state;
    for (int i = 0; i < ATTEND_DTYPES; i++) {
        char header[200];
        size_t bytes = 3 * at_dtype_size((at_dtype)i);
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}",
                 at_dtype_name((at_dtype)i), bytes);
        accepts(header, bytes, 1);
    }
    assert_int_equal(ATTEND_DTYPES, 13);
}

static void refuses_files_without_a_header(void **state)
{
    (void)state;
    memset(image, 0, 8);
    for (size_t size = 0; size < 8; size++)
        refuses_size(size, "too few for a header");
    refuses_size(8, "does not begin with '{'");
}

static void refuses_impossible_header_lengths(void **state)
{
    (void)state;
    const uint64_t lengths[] = {100000001, (uint64_t)1 << 40, UINT64_MAX, UINT64_MAX - 7,
                                (uint64_t)1 << 63};
    size_t size = pack("{}", 0);
    for (int i = 0; i < 5; i++) {
        memcpy(image, &lengths[i], 8);
        refuses_size(size, "more than the 100000000 allowed");
    }
    const uint64_t beyond[] = {3, 100, 100000000};
    for (int i = 0; i < 3; i++) {
        memcpy(image, &beyond[i], 8);
        refuses_size(size, "but has 10 in all");
    }
}

static void every_cut_of_a_good_file_is_refused(void **state)
{
    (void)state;
    size_t size = pack(
        "{" TENSOR("a", "F32", "[2]", 0, 8) "," TENSOR("b", "U8", "[3]", 8, 11) "}  ", 11);
    for (size_t cut = 0; cut < size; cut++)
        refuses_size(cut, "; ");
}

static void refuses_headers_that_are_no_json_object(void **state)
{
    (void)state;
    refuses(" {}", 0, "does not begin with '{'");
    refuses("[]", 0, "does not begin with '{'");
    refuses("{", 0, "header:1:1: string or '}' expected");
    refuses("{}x", 0, "end of file expected");
    refuses("{\"a\":}", 0, "header:1:");
    refuses("{\"a\xff\":1}", 0, "unable to decode byte 0xff");
    refuses("{\"a\\u0000b\":1}", 0, "NUL byte in object key");
}

static void refuses_names_given_twice(void **state)
{
    (void)state;
    refuses("{" TENSOR("a", "U8", "[1]", 0, 1) "," TENSOR("a", "U8", "[1]", 1, 2) "}", 2,
            "duplicate object key");
    refuses("{" TENSOR("a", "U8", "[1]", 0, 1) "," TENSOR("\\u0061", "U8", "[1]", 1, 2) "}", 2,
            "duplicate object key");
    refuses("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
            "duplicate object key");
    refuses("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "duplicate object key");
}

static void refuses_headers_made_to_fill_the_memory(void **state)
{
    (void)state;
    size_t commas = 4000001, size = 8 + 5 + commas + 2;
    char *bytes = malloc(size);
    uint64_t length = size - 8;
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, "{\"a\":", 5);
    memset(bytes + 13, ',', commas);
    memcpy(bytes + 13 + commas, "]}", 2);
    at_safetensors *s;
    attend_error err;
    assert_int_equal(at_safetensors_open_memory("m", bytes, size, &s, &err), ATTEND_FORMAT);
    assert_says(&err, "more than 4000000 commas");
    free(bytes);
}

static void refuses_bad_metadata(void **state)
{
    (void)state;
    refuses("{\"__metadata__\":[]}", 0, "\"__metadata__\" is no object");
    refuses("{\"__metadata__\":null}", 0, "\"__metadata__\" is no object");
    refuses("{\"__metadata__\":{\"a\":\"x\",\"steps\":3}}", 0, "has a 'steps' that is no string");
}

static void refuses_unknown_types(void **state)
{
    (void)state;
    refuses("{" TENSOR("w", "F8_E4M3", "[1]", 0, 1) "}", 1,
            "tensor 'w' is of type 'F8_E4M3', which is not known here; convert it to F32");
    refuses("{" TENSOR("w", "f32", "[1]", 0, 4) "}", 4, "is of type 'f32'");
    refuses("{" TENSOR("w", "", "[1]", 0, 4) "}", 4, "is of type ''");
    refuses("{\"w\":{\"dtype\":4,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "no \"dtype\"");
    refuses("{\"w\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "no \"dtype\"");
    refuses("{\"w\":7}", 0, "tensor 'w' is described by no object");
    refuses("{\"w\":null}", 0, "tensor 'w' is described by no object");
}

static void refuses_bad_shapes(void **state)
{
    (void)state;
    refuses("{" TENSOR("w", "U8", "[-1]", 0, 1) "}", 1, "has a size 0 that is no whole number");
    refuses("{" TENSOR("w", "U8", "[1,2.0]", 0, 2) "}", 2, "has a size 1 that is no whole");
    refuses("{" TENSOR("w", "U8", "[\"1\"]", 0, 1) "}", 1, "has a size 0 that is no whole");
    refuses("{" TENSOR("w", "U8", "3", 0, 3) "}", 3, "no \"shape\"");
    refuses("{" TENSOR("w", "U8", "{}", 0, 3) "}", 3, "no \"shape\"");
    refuses("{\"w\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, "no \"shape\"");
    refuses("{" TENSOR("w", "U8", "[1,1,1,1,1,1,1,1,1]", 0, 1) "}", 1, "has 9 dimensions");
    refuses("{" TENSOR("w", "U8", "[99999999999999999999]", 0, 1) "}", 1, "too big integer");
}

static void refuses_sizes_that_overflow(void **state)
{
    (void)state;
    refuses("{" TENSOR("w", "U8", "[4294967296,4294967296]", 0, 0) "}", 0,
            "of sizes (4294967296, 4294967296) is larger than any memory");
    refuses("{" TENSOR("w", "F32", "[4611686018427387904]", 0, 0) "}", 0, "larger than any");
    refuses("{" TENSOR("w", "F64", "[2305843009213693952]", 0, 0) "}", 0, "larger than any");
    refuses("{" TENSOR("w", "F64", "[9223372036854775807,2]", 0, 8) "}", 8, "larger than any");
    refuses("{" TENSOR("w", "U8", "[9223372036854775807]", 0, 1) "}", 1,
            "needs 9223372036854775807 bytes, but has 1");
    refuses("{" TENSOR("w", "U8", "[4294967296,4294967296,0]", 0, 0) "}", 0, "larger than any");
}

static void refuses_bad_offsets(void **state)
{
    (void)state;
    refuses("{\"w\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "no \"data_offsets\"");
    refuses("{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1, "data_offsets");
    refuses("{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", 1, "data_offsets");
    refuses("{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1.0]}}", 1, "data_offsets");
    refuses("{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":\"01\"}}", 1, "data_offsets");
    refuses("{" TENSOR("w", "U8", "[2]", -1, 1) "}", 1, "claims bytes -1 to 1 of the 1");
    refuses("{" TENSOR("w", "U8", "[1]", 1, 0) "}", 1, "claims bytes 1 to 0");
    refuses("{" TENSOR("w", "U8", "[2]", 0, 2) "}", 1, "claims bytes 0 to 2 of the 1");
    refuses("{" TENSOR("w", "U8", "[1]", 5, 6) "}", 1, "claims bytes 5 to 6");
    refuses("{" TENSOR("w", "U8", "[1]", 9223372036854775806, 9223372036854775807) "}", 1,
            "claims bytes 9223372036854775806");
    refuses("{" TENSOR("w", "F32", "[2,3]", 0, 20) "}", 20,
            "of type F32 and sizes (2, 3) needs 24 bytes, but has 20");
    refuses("{" TENSOR("w", "F32", "[0]", 0, 4) "}", 4, "needs 0 bytes, but has 4");
}

static void refuses_overlaps(void **state)
{
    (void)state;
    refuses("{" TENSOR("a", "U8", "[2]", 0, 2) "," TENSOR("b", "U8", "[2]", 1, 3) "}", 3,
            "tensor 'b' begins at byte 1, inside 'a', which ends at byte 2");
    refuses("{" TENSOR("b", "U8", "[2]", 1, 3) "," TENSOR("a", "U8", "[2]", 0, 2) "}", 3,
            "tensor 'b' begins at byte 1, inside 'a'");
    refuses("{" TENSOR("a", "U8", "[2]", 0, 2) "," TENSOR("b", "U8", "[2]", 0, 2) "}", 2,
            "tensor 'b' begins at byte 0, inside 'a'");
    refuses("{" TENSOR("a", "U8", "[3]", 0, 3) "," TENSOR("e", "U8", "[0]", 1, 1) "}", 3,
            "tensor 'e' begins at byte 1, inside 'a'");
}

static void refuses_holes(void **state)
{
    (void)state;
    refuses("{" TENSOR("a", "U8", "[1]", 1, 2) "}", 2,
            "tensor 'a' begins at byte 1, and bytes 0 to 1 belong to none");
    refuses("{" TENSOR("a", "U8", "[1]", 0, 1) "," TENSOR("b", "U8", "[1]", 2, 3) "}", 3,
            "tensor 'b' begins at byte 2, and bytes 1 to 2 belong to none");
    refuses("{" TENSOR("a", "U8", "[1]", 0, 1) "}", 2,
            "the tensors end at byte 1 of the data, which has 2");
    refuses("{}", 1, "the tensors end at byte 0 of the data, which has 1");
}

static void what_a_terminal_would_obey_is_not_repeated(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    size_t size = pack("{" TENSOR("\\u001b[31mred", "F\\u001b99", "[1]", 0, 1) "}", 1);
    assert_int_equal(at_safetensors_open_memory("m", image, size, &s, &err), ATTEND_FORMAT);
    assert_says(&err, "tensor '?[31mred' is of type 'F?99'");
}

static void long_names_leave_room_for_the_cause(void **state)
{
    (void)state;
    static char header[3000], name[1001];
    memset(name, 'n', 1000);
    snprintf(header, sizeof header,
             "{\"%s\":{\"dtype\":\"F32\",\"shape\":[1,2,3,4,5,6,7,8],"
             "\"data_offsets\":[0,4]}}",
             name);
    refuses(header, 4, "needs 161280 bytes, but has 4; get the file again");
}

/* ---- what is read ---------------------------------------------------------------------- */

static void tensors_are_found_and_listed(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    size_t size = pack("{\"__metadata__\":{\"z\":\"last\",\"a\":\"größe\"}," TENSOR(
                           "b", "U8", "[2]", 4, 6) "," TENSOR("a", "I16", "[2,1]", 0, 4) "}",
                       6);
    assert_int_equal(at_safetensors_open_memory("m", image, size, &s, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_count(s), 2);
    const at_stored *a = at_safetensors_at(s, 0), *b = at_safetensors_at(s, 1);
    assert_string_equal(a->name, "a");
    assert_ptr_equal(at_safetensors_find(s, "a"), a);
    assert_ptr_equal(at_safetensors_find(s, "b"), b);
    assert_null(at_safetensors_find(s, "c"));
    assert_null(at_safetensors_find(s, "__metadata__"));
    assert_null(at_safetensors_find(s, ""));
    assert_int_equal(a->dtype, ATTEND_DTYPE_I16);
    assert_int_equal(a->rank, 2);
    assert_int_equal(a->dim[0], 2);
    assert_int_equal(a->dim[1], 1);
    assert_int_equal(a->len, 2);
    assert_int_equal(a->bytes, 4);
    assert_int_equal(b->place, 0);
    assert_memory_equal(b->data, "\x04\x05", 2);
    assert_int_equal(at_safetensors_metadata_count(s), 2);
    assert_string_equal(at_safetensors_metadata_at(s, 0).key, "z");
    assert_string_equal(at_safetensors_metadata(s, "a"), "größe");
    assert_null(at_safetensors_metadata(s, "none"));
    at_safetensors_close(s);
    at_safetensors_close(NULL);
}

static void many_tensors_are_found(void **state)
{
    (void)state;
    enum { N = 3000 };
    static at_to_store list[N];
    static char names[N][20];
    static real values[N];
    at_safetensors *s;
    attend_error err;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "layer.%d.weight", i * 7919 % N);
        values[i] = (real)i;
        list[i] = at_store_values(names[i], ATTEND_DTYPE_F32, SHAPE(1), &values[i]);
    }
    assert_int_equal(at_safetensors_save(path, list, N, NULL, 0, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_count(s), N);
    for (int i = 0; i < N; i++) {
        real x;
        const at_stored *t = at_safetensors_find(s, names[i]);
        assert_int_equal(at_safetensors_read(s, t, &x, &err), ATTEND_OK);
        assert_true(x == values[i]);
        assert_string_equal(at_safetensors_at(s, i)->name, names[i]); /* the order is kept */
    }
    at_safetensors_close(s);
}

static void needed_tensors_must_have_their_shape(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    const at_stored *t;
    size_t size = pack(
        "{" TENSOR("a", "U8", "[2,3]", 0, 6) "," TENSOR("deep", "U8", "[1,1,1,1,2]", 6, 8) "}", 8);
    assert_int_equal(at_safetensors_open_memory("m", image, size, &s, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_need(s, "a", SHAPE(2, 3), &t, &err), ATTEND_OK);
    assert_ptr_equal(t, at_safetensors_find(s, "a"));
    assert_int_equal(at_safetensors_need(s, "b", SHAPE(2, 3), &t, &err), ATTEND_FORMAT);
    assert_says(&err, "m: tensor 'b' is missing; check that the file belongs to this model");
    assert_null(t);
    assert_int_equal(at_safetensors_need(s, "a", SHAPE(3, 2), &t, &err), ATTEND_SHAPE);
    assert_says(&err, "tensor 'a' has sizes (2, 3), but (3, 2) is wanted");
    assert_null(t);
    assert_int_equal(at_safetensors_need(s, "deep", SHAPE(1, 1, 1, 2), &t, &err), ATTEND_SHAPE);
    assert_says(&err, "has sizes (1, 1, 1, 1, 2)");
    at_safetensors_close(s);
}

static void shapes_beyond_ours_are_told_apart(void **state)
{
    (void)state;
    at_shape shape;
    at_stored t = {.rank = 2, .dim = {3, 4}};
    assert_true(at_stored_shape(&t, &shape));
    assert_true(at_shape_equal(shape, SHAPE(3, 4)));
    t = (at_stored){.rank = 0};
    assert_true(at_stored_shape(&t, &shape));
    assert_true(at_shape_equal(shape, SCALAR));
    t = (at_stored){.rank = 1, .dim = {(int64_t)1 << 31}};
    assert_false(at_stored_shape(&t, &shape));
    t = (at_stored){.rank = 5, .dim = {1, 1, 1, 1, 1}};
    assert_false(at_stored_shape(&t, &shape));
}

/* one tensor of n elements, at an address that fits no type */
static at_safetensors *open_numbers(at_dtype dtype, const void *data, int n)
{
    static unsigned char shifted[70000];
    char header[200];
    at_safetensors *s;
    attend_error err;
    size_t bytes = (size_t)n * at_dtype_size(dtype);
    snprintf(header, sizeof header,
             "{\"numbers\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%zu]}}",
             at_dtype_name(dtype), n, bytes);
    size_t size = pack(header, bytes);
    memcpy(image + size - bytes, data, bytes);
    size_t start = 1 + (64 - ((uintptr_t)shifted + size - bytes) % 64) % 64;
    memcpy(shifted + start, image, size);
    assert_int_equal(at_safetensors_open_memory("m", shifted + start, size, &s, &err), ATTEND_OK);
    assert_int_equal((uintptr_t)at_safetensors_at(s, 0)->data % 8, 1);
    return s;
}

static void floats_are_read_exactly(void **state)
{
    (void)state;
    attend_error err;
    real out[4];
    const float f32[] = {1.5f, -0.0f, 3e38f, 0x1p-149f};
    at_safetensors *s = open_numbers(ATTEND_DTYPE_F32, f32, 4);
    assert_int_equal(at_safetensors_read(s, at_safetensors_at(s, 0), out, &err), ATTEND_OK);
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == (real)f32[i] && !signbit(out[i]) == !signbit(f32[i]));
    at_safetensors_close(s);

    const double f64[] = {1.5, 1 + 0x1p-30, -1e300, NAN};
    s = open_numbers(ATTEND_DTYPE_F64, f64, 4);
    assert_int_equal(at_safetensors_read(s, at_safetensors_at(s, 0), out, &err), ATTEND_OK);
    for (int i = 0; i < 3; i++)
        assert_true(out[i] == (real)f64[i]);
    assert_true(isnan(out[3]));
    at_safetensors_close(s);
}

static void every_half_and_brain_float_is_read_exactly(void **state)
{
    (void)state;
    enum { N = 16384 };
    static uint16_t bits[N];
    static real out[N];
    attend_error err;
    for (uint32_t start = 0; start < 65536; start += N)
        for (int brain = 0; brain < 2; brain++) {
            for (uint32_t i = 0; i < N; i++)
                bits[i] = (uint16_t)(start + i);
            at_dtype dtype = brain ? ATTEND_DTYPE_BF16 : ATTEND_DTYPE_F16;
            at_safetensors *s = open_numbers(dtype, bits, N);
            assert_int_equal(at_safetensors_read(s, at_safetensors_at(s, 0), out, &err), ATTEND_OK);
            for (uint32_t i = 0; i < N; i++) {
                float x = brain ? at_bfloat_to_float(bits[i]) : at_half_to_float(bits[i]);
                assert_true(isnan(x) ? isnan(out[i]) : out[i] == (real)x);
            }
            at_safetensors_close(s);
        }
}

static void whole_numbers(at_dtype dtype, const void *data, const int64_t *expected, int n)
{
    int64_t out[4];
    real numbers[4];
    attend_error err;
    at_safetensors *s = open_numbers(dtype, data, n);
    const at_stored *t = at_safetensors_at(s, 0);
    assert_int_equal(at_safetensors_read_int(s, t, out, &err), ATTEND_OK);
    bool fits = true;
    for (int i = 0; i < n; i++) {
        assert_true(out[i] == expected[i]);
        fits &= llabs(expected[i] / 2) <= (int64_t)1 << 23;
    }
    if (fits) {
        assert_int_equal(at_safetensors_read(s, t, numbers, &err), ATTEND_OK);
        for (int i = 0; i < n; i++)
            assert_true(numbers[i] == (real)expected[i]);
    }
    at_safetensors_close(s);
}

static void whole_numbers_are_read(void **state)
{
    (void)state;
#define CHECK(dtype, type, ...) \
    whole_numbers(dtype, (type[]){__VA_ARGS__}, (int64_t[]){__VA_ARGS__}, 3)
    CHECK(ATTEND_DTYPE_I64, int64_t, INT64_MIN, -1, INT64_MAX);
    CHECK(ATTEND_DTYPE_I64, int64_t, -16777216, -100, 16777216);
    CHECK(ATTEND_DTYPE_I32, int32_t, INT32_MIN, -1, INT32_MAX);
    CHECK(ATTEND_DTYPE_I32, int32_t, -5, 0, 5);
    CHECK(ATTEND_DTYPE_I16, int16_t, INT16_MIN, -1, INT16_MAX);
    CHECK(ATTEND_DTYPE_I8, int8_t, -128, -1, 127);
    CHECK(ATTEND_DTYPE_U64, uint64_t, 0, 7, INT64_MAX);
    CHECK(ATTEND_DTYPE_U32, uint32_t, 0, 7, UINT32_MAX);
    CHECK(ATTEND_DTYPE_U16, uint16_t, 0, 7, UINT16_MAX);
    CHECK(ATTEND_DTYPE_U8, uint8_t, 0, 7, 255);
    whole_numbers(ATTEND_DTYPE_BOOL, (uint8_t[]){0, 1, 200}, (int64_t[]){0, 1, 1}, 3);
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    attend_error err;
    int64_t out[2];
    real numbers[2];
    at_safetensors *s = open_numbers(ATTEND_DTYPE_U64, (uint64_t[]){1, (uint64_t)1 << 63}, 2);
    assert_int_equal(at_safetensors_read_int(s, at_safetensors_at(s, 0), out, &err), ATTEND_FORMAT);
    assert_says(&err, "tensor 'numbers' has a number at index 1 that is too large for I64");
    assert_int_equal(at_safetensors_read(s, at_safetensors_at(s, 0), numbers, &err), ATTEND_FORMAT);
    at_safetensors_close(s);

    const int64_t most = (int64_t)1 << (sizeof(real) == 4 ? 24 : 53);
    for (int sign = -1; sign <= 1; sign += 2) {
        s = open_numbers(ATTEND_DTYPE_I64, (int64_t[]){sign * most, sign * (most + 1)}, 2);
        const at_stored *t = at_safetensors_at(s, 0);
        assert_int_equal(at_safetensors_read(s, t, numbers, &err), ATTEND_FORMAT);
        assert_says(&err, "has a number at index 1 that is too large for a float");
        assert_true(numbers[0] == (real)(sign * most));
        at_safetensors_close(s);
    }
    s = open_numbers(ATTEND_DTYPE_F32, (float[]){1, 2}, 2);
    assert_int_equal(at_safetensors_read_int(s, at_safetensors_at(s, 0), out, &err), ATTEND_FORMAT);
    assert_says(&err, "is of type F32, but whole numbers are wanted; store it as I64");
    at_safetensors_close(s);
}

static void files_that_are_none_are_named(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_FILE);
    assert_says(&err, path);
    assert_null(s);
    assert_int_equal(at_safetensors_open(folder, &s, &err), ATTEND_FILE);
    FILE *f = fopen(path, "wb");
    fclose(f);
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_FORMAT);
    assert_says(&err, path);
    assert_says(&err, "has 0 bytes");
}

/* ---- what is written ------------------------------------------------------------------- */

static const real weights[] = {1, -2, (real)0.1, 65520, 3e-8f, (real)1e-3};
static const int64_t ids[] = {-1, 7};
static const unsigned char mask[] = {1, 0, 1};
static const at_metadata notes[] = {{"format", "pt"}, {"größe \"x\"\n", "a/b\\c"}};

static int sample(at_to_store *list)
{
    int n = 0;
    list[n++] = at_store_data("mask", ATTEND_DTYPE_BOOL, SHAPE(3), mask);
    list[n++] = at_store_values("half", ATTEND_DTYPE_F16, SHAPE(2, 3), weights);
    list[n++] = at_store_values("brain", ATTEND_DTYPE_BF16, SHAPE(5), weights);
    list[n++] = at_store_values("float", ATTEND_DTYPE_F32, SHAPE(3, 1, 2, 1), weights);
    list[n++] = at_store_values("empty.2", ATTEND_DTYPE_F32, SHAPE(4, 0), weights);
    list[n++] = at_store_values("empty.1", ATTEND_DTYPE_F32, SHAPE(0), NULL);
    list[n++] = at_store_values("scalar", ATTEND_DTYPE_F32, SCALAR, weights);
    list[n++] = at_store_values("double", ATTEND_DTYPE_F64, SHAPE(6), weights);
    list[n++] = at_store_data("ids", ATTEND_DTYPE_I64, SHAPE(2), ids);
    list[n++] = (at_to_store){.name = "a \"b\"\\\n größe",
                              .dtype = ATTEND_DTYPE_U8,
                              .rank = 8,
                              .dim = {1, 1, 1, 1, 1, 1, 2, 1},
                              .data = mask};
    return n;
}

static void save_sample(void)
{
    at_to_store list[20];
    attend_error err;
    int n = sample(list);
    assert_int_equal(at_safetensors_save(path, list, n, notes, 2, &err), ATTEND_OK);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    real out[6];
    int64_t whole[2];
    save_sample();
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_count(s), 10);
    const char *names[] = {"half", "brain", "float", "double"};
    for (int i = 0; i < 4; i++) {
        const at_stored *t = at_safetensors_find(s, names[i]);
        assert_int_equal(at_safetensors_read(s, t, out, &err), ATTEND_OK);
        for (size_t j = 0; j < t->len; j++) {
            real x = weights[j];
            x = i == 0   ? (real)at_half_to_float(at_half_from_double((double)x))
                : i == 1 ? (real)at_bfloat_to_float(at_bfloat_from_double((double)x))
                : i == 2 ? (real)(float)x
                         : x;
            assert_true(out[j] == x);
        }
    }
    assert_int_equal(at_safetensors_find(s, "scalar")->rank, 0);
    assert_int_equal(at_safetensors_find(s, "empty.1")->len, 0);
    const at_stored *odd = at_safetensors_find(s, "a \"b\"\\\n größe");
    assert_int_equal(odd->rank, 8);
    assert_int_equal(odd->dim[6], 2);
    assert_int_equal(at_safetensors_read_int(s, at_safetensors_find(s, "ids"), whole, &err),
                     ATTEND_OK);
    assert_memory_equal(whole, ids, sizeof ids);
    assert_string_equal(at_safetensors_metadata(s, "format"), "pt");
    assert_string_equal(at_safetensors_metadata(s, notes[1].key), notes[1].value);
    at_safetensors_close(s);
}

static void every_tensor_is_aligned_and_the_data_to_64_bytes(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    save_sample();
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    assert_int_equal((uintptr_t)at_safetensors_at(s, 0)->data % 64, 0); /* maps begin at pages */
    for (int i = 0; i < at_safetensors_count(s); i++) {
        const at_stored *t = at_safetensors_at(s, i);
        assert_int_equal((uintptr_t)t->data % at_dtype_size(t->dtype), 0);
    }
    at_safetensors_close(s);
}

static void assert_same_files(const char *a, const char *b)
{
    at_map x, y;
    attend_error err;
    assert_int_equal(at_map_open(&x, a, &err), ATTEND_OK);
    assert_int_equal(at_map_open(&y, b, &err), ATTEND_OK);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    at_map_close(&x);
    at_map_close(&y);
}

static void saving_what_was_loaded_makes_the_same_bytes(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    at_to_store list[20];
    at_metadata metadata[2];
    save_sample();
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    for (int i = 0; i < at_safetensors_count(s); i++)
        list[i] = at_store_again(at_safetensors_at(s, i));
    for (int i = 0; i < at_safetensors_metadata_count(s); i++)
        metadata[i] = at_safetensors_metadata_at(s, i);
    assert_int_equal(at_safetensors_save(other_path, list, at_safetensors_count(s), metadata,
                                         at_safetensors_metadata_count(s), &err),
                     ATTEND_OK);
    assert_same_files(path, other_path);
    /* over itself, while it is mapped */
    assert_int_equal(at_safetensors_save(path, list, at_safetensors_count(s), metadata,
                                         at_safetensors_metadata_count(s), &err),
                     ATTEND_OK);
    assert_same_files(path, other_path);
    at_safetensors_close(s);
}

static void the_bytes_are_those_of_the_format(void **state)
{
    (void)state;
    const float numbers[] = {1, 2};
    at_to_store list[] = {at_store_data("b", ATTEND_DTYPE_U8, SHAPE(1), "x"),
                          at_store_data("a", ATTEND_DTYPE_F32, SHAPE(2), numbers)};
    const char *header = "{\"__metadata__\":{\"attend.xxh3.header\":\"0000000000000000\","
                         "\"attend.xxh3.tensors\":\"4de8d78f7134f4b7eaf06c6480b2cd11\","
                         "\"format\":\"pt\"},"
                         "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                         "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[8,9]}}";
    attend_error err;
    at_map m;
    assert_int_equal(at_safetensors_save(path, list, 2, notes, 1, &err), ATTEND_OK);
    assert_int_equal(at_map_open(&m, path, &err), ATTEND_OK);
    assert_int_equal(m.size, 256 + 9);
    assert_memory_equal(m.data, "\xf8\0\0\0\0\0\0\0", 8); /* 248 */
    size_t sum = (size_t)(strchr(header, '0') - header), after = sum + 16;
    assert_memory_equal(m.data + 8, header, sum);
    assert_memory_equal(m.data + 8 + after, header + after, strlen(header) - after);
    for (size_t i = 8 + strlen(header); i < 256; i++)
        assert_int_equal(m.data[i], ' ');
    assert_memory_equal(m.data + 256, numbers, 8);
    assert_int_equal(m.data[264], 'x');
    at_map_close(&m);
}

static void nothing_can_be_saved_too(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    assert_int_equal(at_safetensors_save(path, NULL, 0, NULL, 0, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_count(s), 0);
    assert_null(at_safetensors_find(s, "a"));
    at_safetensors_close(s);
}

static void large_tensors_are_converted_in_parts(void **state)
{
    (void)state;
    enum { N = 100003 };
    real *values = malloc(N * sizeof *values), *out = malloc(N * sizeof *out);
    at_safetensors *s;
    attend_error err;
    for (int i = 0; i < N; i++)
        values[i] = (real)sin(i) * 100;
    at_to_store list[] = {at_store_values("h", ATTEND_DTYPE_F16, SHAPE(N), values),
                          at_store_values("d", ATTEND_DTYPE_F64, SHAPE(N), values)};
    assert_int_equal(at_safetensors_save(path, list, 2, NULL, 0, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    assert_int_equal(at_safetensors_read(s, at_safetensors_find(s, "d"), out, &err), ATTEND_OK);
    assert_memory_equal(out, values, N * sizeof *out);
    assert_int_equal(at_safetensors_read(s, at_safetensors_find(s, "h"), out, &err), ATTEND_OK);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == (real)at_half_to_float(at_half_from_double((double)values[i])));
    at_safetensors_close(s);
    free(values);
    free(out);
}

static void saving_refuses(at_to_store *list, int n, attend_status status, const char *message)
{
    attend_error err;
    assert_int_equal(at_safetensors_save(path, list, n, NULL, 0, &err), status);
    assert_says(&err, path);
    assert_says(&err, message);
    assert_true(strchr(err.message, ';') != NULL);
    assert_false(at_file_exists(path));
    assert_int_equal(at_safetensors_save(path, list, n, NULL, 0, NULL), status);
}

static void saving_refuses_what_could_not_be_read(void **state)
{
    (void)state;
    at_to_store list[2] = {at_store_values("a", ATTEND_DTYPE_F32, SHAPE(1), weights),
                           at_store_values("a", ATTEND_DTYPE_F16, SHAPE(1), weights)};
    saving_refuses(list, 2, ATTEND_FORMAT, "tensor 'a' is given twice");
    list[0] = at_store_values("__metadata__", ATTEND_DTYPE_F32, SHAPE(1), weights);
    saving_refuses(list, 1, ATTEND_FORMAT, "a name that the format keeps for itself");
    list[0] = at_store_values("a\xff", ATTEND_DTYPE_F32, SHAPE(1), weights);
    saving_refuses(list, 1, ATTEND_FORMAT, "is not UTF-8");
    list[0] = at_store_values("a", ATTEND_DTYPE_I32, SHAPE(1), weights);
    saving_refuses(list, 1, ATTEND_FORMAT, "not stored as I32");
    list[0] = (at_to_store){.name = "a", .dtype = ATTEND_DTYPE_F32, .rank = 9};
    saving_refuses(list, 1, ATTEND_SHAPE, "impossible sizes: 9 dimensions");
    list[0] = (at_to_store){.name = "a", .dtype = ATTEND_DTYPE_F32, .rank = -1};
    saving_refuses(list, 1, ATTEND_SHAPE, "impossible sizes: -1 dimensions");
    list[0] = (at_to_store){.name = "a", .dtype = ATTEND_DTYPE_F32, .rank = 1, .dim = {-3}};
    saving_refuses(list, 1, ATTEND_SHAPE, "impossible sizes");
    list[0] = (at_to_store){
        .name = "a", .dtype = ATTEND_DTYPE_F32, .rank = 1, .dim = {(int64_t)1 << 62}};
    saving_refuses(list, 1, ATTEND_SHAPE, "impossible sizes: 1 dimensions, (4611686018427387904)");
    list[0] = (at_to_store){
        .name = "a", .dtype = ATTEND_DTYPE_U8, .rank = 1, .dim = {(int64_t)1 << 62}, .data = mask};
    list[1] = list[0];
    list[1].name = "b";
    list[1].dim[0] = INT64_MAX;
    saving_refuses(list, 2, ATTEND_SHAPE, "tensor 'b' makes the file larger than any disk");
}

static void saving_refuses_bad_metadata(void **state)
{
    (void)state;
    attend_error err;
    const at_metadata twice[] = {{"a", "x"}, {"a", "y"}}, key[] = {{"\xff", "x"}},
                      value[] = {{"a", "\xff"}};
    assert_int_equal(at_safetensors_save(path, NULL, 0, twice, 2, &err), ATTEND_FORMAT);
    assert_says(&err, "metadata 'a' is given twice");
    assert_int_equal(at_safetensors_save(path, NULL, 0, key, 1, &err), ATTEND_FORMAT);
    assert_says(&err, "is not UTF-8");
    assert_int_equal(at_safetensors_save(path, NULL, 0, value, 1, &err), ATTEND_FORMAT);
    assert_says(&err, "is not UTF-8");
    assert_false(at_file_exists(path));
}

/* ---- when something fails -------------------------------------------------------------- */

static void a_full_disk_at_any_call_keeps_the_old_file(void **state)
{
    (void)state;
    at_to_store list[20];
    attend_error err;
    at_map m;
    int count = sample(list), n = 0;
    for (;; n++) {
        FILE *f = fopen(path, "wb");
        fputs("old", f);
        fclose(f);
        at_file_fail_after(n, ENOSPC);
        attend_status status = at_safetensors_save(path, list, count, notes, 2, &err);
        at_file_fail_after(-1, 0);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_FILE);
        assert_says(&err, "No space left on device");
        if (strstr(err.message, "is written, but"))
            continue;
        assert_int_equal(at_map_open(&m, path, &err), ATTEND_OK);
        assert_int_equal(m.size, 3);
        at_map_close(&m);
    }
    assert_int_equal(n, 8);
}

static void every_allocation_may_fail_in_opening(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    int n = 0;
    save_sample();
    for (;; n++) {
        at_alloc_fail_after(n);
        attend_status status = at_safetensors_open(path, &s, &err);
        at_alloc_fail_after(-1);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
        assert_null(s);
        assert_int_equal(at_alloc_live(), live_before);
    }
    assert_true(n > 50);
    at_safetensors_close(s);
}

static void every_allocation_may_fail_in_saving(void **state)
{
    (void)state;
    at_to_store list[20];
    attend_error err;
    int count = sample(list), n = 0;
    for (;; n++) {
        at_alloc_fail_after(n);
        attend_status status = at_safetensors_save(path, list, count, notes, 2, &err);
        at_alloc_fail_after(-1);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
        assert_false(at_file_exists(path));
        assert_int_equal(at_alloc_live(), live_before);
    }
    assert_true(n > 50);
}

static void every_failure_of_the_system_in_opening_is_clean(void **state)
{
    (void)state;
    at_safetensors *s;
    attend_error err;
    int n = 0;
    save_sample();
    for (;; n++) {
        at_file_fail_after(n, EIO);
        if (at_safetensors_open(path, &s, &err) >= 0)
            break;
        assert_null(s);
        assert_says(&err, "Input/output error");
    }
    assert_int_equal(n, 3);
    at_safetensors_close(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accepts_what_the_format_allows),
        TEST(every_type_is_known),
        TEST(refuses_files_without_a_header),
        TEST(refuses_impossible_header_lengths),
        TEST(every_cut_of_a_good_file_is_refused),
        TEST(refuses_headers_that_are_no_json_object),
        TEST(refuses_names_given_twice),
        TEST(refuses_headers_made_to_fill_the_memory),
        TEST(refuses_bad_metadata),
        TEST(refuses_unknown_types),
        TEST(refuses_bad_shapes),
        TEST(refuses_sizes_that_overflow),
        TEST(refuses_bad_offsets),
        TEST(refuses_overlaps),
        TEST(refuses_holes),
        TEST(what_a_terminal_would_obey_is_not_repeated),
        TEST(long_names_leave_room_for_the_cause),
        TEST(tensors_are_found_and_listed),
        TEST(many_tensors_are_found),
        TEST(needed_tensors_must_have_their_shape),
        TEST(shapes_beyond_ours_are_told_apart),
        TEST(floats_are_read_exactly),
        TEST(every_half_and_brain_float_is_read_exactly),
        TEST(whole_numbers_are_read),
        TEST(numbers_that_do_not_fit_are_refused),
        TEST(files_that_are_none_are_named),
        TEST(what_was_written_is_read),
        TEST(every_tensor_is_aligned_and_the_data_to_64_bytes),
        TEST(saving_what_was_loaded_makes_the_same_bytes),
        TEST(the_bytes_are_those_of_the_format),
        TEST(nothing_can_be_saved_too),
        TEST(large_tensors_are_converted_in_parts),
        TEST(saving_refuses_what_could_not_be_read),
        TEST(saving_refuses_bad_metadata),
        TEST(a_full_disk_at_any_call_keeps_the_old_file),
        TEST(every_allocation_may_fail_in_opening),
        TEST(every_allocation_may_fail_in_saving),
        TEST(every_failure_of_the_system_in_opening_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
