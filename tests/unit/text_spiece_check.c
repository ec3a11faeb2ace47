#include "text/spiece_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/str.h"
#include "text/spiece.h"
#include "text/spiece_rules.h"

/* ---- making models ---------------------------------------------------------------------- */

static void put_integer(at_str *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        at_str_add_bytes(out, (char[]){(char)(value | 128)}, 1);
    at_str_add_bytes(out, (char[]){(char)value}, 1);
}

static void put_bytes(at_str *out, int field, const char *bytes, size_t size)
{
    put_integer(out, (uint64_t)field << 3 | 2);
    put_integer(out, size);
    at_str_add_bytes(out, bytes, size);
}

static void put_token(at_str *out, const char *text, size_t size, float score, int type)
{
    at_str token = {0};
    put_bytes(&token, 1, text, size);
    put_integer(&token, 2 << 3 | 5);
    at_str_add_bytes(&token, (const char *)&score, 4);
    put_integer(&token, 3 << 3 | 0);
    put_integer(&token, (uint64_t)type);
    put_bytes(out, 1, at_str_text(&token), token.length);
    at_str_free(&token);
}

enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED };

/* <unk>, a blank, a, b, ab: what the library can work with */
static at_str small_model(void)
{
    at_str model = {0};
    put_token(&model, "<unk>", 5, 0, UNKNOWN);
    put_token(&model, "\u2581", 3, -1, NORMAL);
    put_token(&model, "a", 1, -2, NORMAL);
    put_token(&model, "b", 1, -2, NORMAL);
    put_token(&model, "ab", 2, -2.5f, NORMAL);
    return model;
}

/* ---- rules: two blocks of units --------------------------------------------------------- */

enum { UNITS = 512, OFFSET = 10, HAS_LEAF = 1 << 8 };
#define LEAF(value) (1u << 31 | (uint32_t)(value))

typedef struct {
    uint32_t size, unit[UNITS];
    char texts[8]; /* "A\0BC\0" and zeros */
} rules;

/* "a" becomes "A", "ab" becomes "BC" */
static rules good_rules(void)
{
    rules r = {.size = UNITS * 4, .texts = "A\0BC"};
    for (uint32_t i = 0; i < UNITS; i++)
        r.unit[i] = (i ^ 0xFE) & 0xFF; /* children of nobody: no node has that base */
    r.unit[0] = 1 << OFFSET | 255;     /* root: base 1 */
    r.unit[1 ^ 'a'] = ((1 ^ 'a') ^ 256u) << OFFSET | HAS_LEAF | 'a'; /* base 256 */
    r.unit[256] = LEAF(0);
    r.unit[256 ^ 'b'] = (256 ^ 'b' ^ 4u) << OFFSET | HAS_LEAF | 'b'; /* base 4 */
    r.unit[4] = LEAF(2);
    return r;
}

static const char *fault_of(const rules *r, size_t size)
{
    const char *fault;
    assert_int_equal(at_spiece_rules_check(r, size, &fault, NULL), ATTEND_OK);
    return fault;
}

static void assert_fault(const rules *r, const char *part)
{
    const char *fault = fault_of(r, sizeof *r);
    if (!fault || !strstr(fault, part))
        fail_msg("\"%s\" does not say \"%s\"", fault ? fault : "nothing", part);
}

static void good_rules_are_taken(void **state)
{
    (void)state;
    rules r = good_rules();
    const char *fault;
    assert_null(fault_of(&r, sizeof r));
    assert_int_equal(at_spiece_rules_check("", 0, &fault, NULL), ATTEND_OK);
    assert_null(fault);
}

static void rules_of_wrong_sizes_are_refused(void **state)
{
    (void)state;
    rules r = good_rules();
    static const uint32_t wrong[] = {0, 4, 1020, 2046, 2052, sizeof(rules), UINT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        r.size = wrong[i];
        assert_fault(&r, "sizes");
    }
    r = good_rules();
    for (size_t size = 1; size < 4 + 4 * UNITS + 1; size += size < 8 ? 1 : 97)
        assert_non_null(fault_of(&r, size));
    r.texts[7] = 'x'; /* not ended */
    assert_fault(&r, "sizes");
}

static void rules_that_lead_out_are_refused(void **state)
{
    (void)state;
    rules r = good_rules();
    r.unit[256 ^ 'b'] = (256 ^ 'b' ^ 512u) << OFFSET | HAS_LEAF | 'b';
    assert_fault(&r, "out of the table");
    r = good_rules();
    r.unit[4] = LEAF(8);
    assert_fault(&r, "behind the last text");
    r = good_rules();
    r.unit[0] = LEAF(0);
    assert_fault(&r, "no root");
}

static void rules_in_a_circle_are_refused(void **state)
{
    (void)state;
    rules r = good_rules();
    uint32_t b = 256 ^ 'b';
    r.unit[b] = (b ^ 1u) << OFFSET | HAS_LEAF | 'b'; /* back to the root's children */
    r.unit[1] = LEAF(0);
    assert_fault(&r, "circle");
}

/* a, aa, aaa, ...: each node in a block of its own */
static void too_many_rules_that_begin_each_other_are_refused(void **state)
{
    (void)state;
    enum { DEEP = 40, COUNT = (DEEP + 1) * 256 };
    uint32_t size = 4 + COUNT * 4 + 2;
    for (int deep = 31; deep <= 33; deep++) {
        unsigned char *memory = at_alloc_zero(size, 1);
        uint32_t bytes = COUNT * 4, unit;
        const char *fault;
        memcpy(memory, &bytes, 4);
        for (uint32_t i = 0; i < COUNT; i++) {
            unit = (i ^ 0xFE) & 0xFF;
            memcpy(memory + 4 + 4 * i, &unit, 4);
        }
        for (uint32_t d = 0; d <= (uint32_t)deep; d++) {
            uint32_t place = d ? (d * 256 ^ 'a') : 0, base = (d + 1) * 256;
            if (d == (uint32_t)deep)
                base = 1; /* whose block is there, and empty */
            unit = (place ^ base) << OFFSET | (d ? HAS_LEAF | 'a' : 255);
            memcpy(memory + 4 + 4 * place, &unit, 4);
            unit = LEAF(0);
            memcpy(memory + 4 + 4 * base, &unit, 4);
        }
        assert_int_equal(at_spiece_rules_check(memory, size, &fault, NULL), ATTEND_OK);
        if (deep <= 32)
            assert_null(fault);
        else
            assert_non_null(strstr(fault, "begin each other"));
        at_free(memory);
    }
}

/* ---- models ----------------------------------------------------------------------------- */

static void take_nothing(void *user, const at_spiece_token *token)
{
    *(size_t *)user += token->size;
}

/* Whatever passes the check, the library works with. */
static bool use(const at_str *model)
{
    at_spiece *s;
    size_t bytes = 0;
    if (at_spiece_check(at_str_text(model), model->length, "m", NULL) < 0
        || at_spiece_load(at_str_text(model), model->length, "m", &s, NULL) < 0)
        return false;
    at_spiece_encode(s, "ab ba aab  b", 12, take_nothing, &bytes, NULL);
    at_spiece_free(s);
    return true;
}

static void a_small_model_is_taken(void **state)
{
    (void)state;
    at_str model = small_model(), rule = {0};
    rules r = good_rules();
    assert_true(use(&model));
    put_bytes(&rule, 2, (const char *)&r, sizeof r);
    put_bytes(&model, 3, at_str_text(&rule), rule.length);
    assert_true(use(&model));
    at_str_free(&rule);
    at_str_free(&model);
}

static void assert_refused(at_str *model, const char *part)
{
    attend_error err = {0};
    assert_int_equal(at_spiece_check(at_str_text(model), model->length, "m", &err), ATTEND_FORMAT);
    if (!strstr(err.message, part) || !strstr(err.message, "; get the file again"))
        fail_msg("\"%s\" does not say \"%s\" and what to do", err.message, part);
    at_str_free(model);
}

static void bad_tokens_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        float score;
        int type;
        const char *says;
    } cases[] = {{"", 0, 0, NORMAL, "piece 5 is empty"},  {"x\0y", 3, 0, NORMAL, "zero byte"},
                 {"\xFF", 1, 0, NORMAL, "no UTF-8"},      {"x", 1, NAN, NORMAL, "no number"},
                 {"x", 1, INFINITY, NORMAL, "no number"}, {"x", 1, 0, 0, "unknown type"},
                 {"x", 1, 0, 7, "unknown type"},          {"x", 1, 0, UNKNOWN, "several pieces"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_str model = small_model();
        put_token(&model, cases[i].text, cases[i].size, cases[i].score, cases[i].type);
        assert_refused(&model, cases[i].says);
    }
    at_str none = {0}, known = {0};
    put_bytes(&none, 2, "", 0);
    assert_refused(&none, "no pieces");
    put_token(&known, "a", 1, 0, NORMAL);
    assert_refused(&known, "no piece stands for");
}

static void long_chains_of_user_defined_tokens_are_refused(void **state)
{
    (void)state;
    for (size_t longest = 64; longest <= 65; longest++) {
        at_str model = small_model();
        char text[80];
        memset(text, 'x', sizeof text);
        for (size_t i = longest; i >= 1; i--) {
            put_token(&model, text, i, 0, USER_DEFINED);
            text[i - 1] = 'x';
        }
        put_token(&model, "xy", 2, 0, USER_DEFINED);
        if (longest == 65) {
            assert_refused(&model, "begin each other");
            continue;
        }
        assert_true(use(&model));
        at_str_free(&model);
    }
}

static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    rules r = good_rules();
    int taken = 0;
    for (uint32_t seed = 0; seed < 4000; seed++) {
        at_str model = small_model(), rule = {0};
        at_random random = {.seed = seed};
        put_bytes(&rule, 2, (const char *)&r, sizeof r);
        if (seed % 2)
            put_bytes(&model, 3, at_str_text(&rule), rule.length);
        for (uint32_t k = 0; k <= seed % 4; k++) {
            uint32_t at = at_random_below(random, 2 * k, (uint32_t)model.length);
            model.text[at] = (char)at_random_u32(random, 2 * k + 1);
        }
        if (seed % 7 == 0)
            model.length = at_random_below(random, 20, (uint32_t)model.length);
        taken += use(&model);
        at_str_free(&rule);
        at_str_free(&model);
    }
    assert_in_range(taken, 100, 3900); /* both happen */
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    at_str model = small_model(), rule = {0};
    rules r = good_rules();
    put_bytes(&rule, 2, (const char *)&r, sizeof r);
    put_bytes(&model, 3, at_str_text(&rule), rule.length);
    put_token(&model, "xy", 2, 0, USER_DEFINED);
    long n = 0;
    for (attend_status status = ATTEND_MEMORY; status < 0; n++) {
        at_alloc_fail_after(n);
        status = at_spiece_check(model.text, model.length, "m", NULL);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
    }
    assert_true(n > 5);
    at_str_free(&rule);
    at_str_free(&model);
    assert_int_equal(at_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_rules_are_taken),
        cmocka_unit_test(rules_of_wrong_sizes_are_refused),
        cmocka_unit_test(rules_that_lead_out_are_refused),
        cmocka_unit_test(rules_in_a_circle_are_refused),
        cmocka_unit_test(too_many_rules_that_begin_each_other_are_refused),
        cmocka_unit_test(a_small_model_is_taken),
        cmocka_unit_test(bad_tokens_are_refused),
        cmocka_unit_test(long_chains_of_user_defined_tokens_are_refused),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(without_memory_it_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
