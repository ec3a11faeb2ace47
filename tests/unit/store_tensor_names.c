/* Names of tensors by patterns. */
#include "store/tensor_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void names_that_match_are_renamed(void **state)
{
    static const struct {
        const char *name, *from, *to, *out; /* out NULL: it does not match */
    } cases[] = {
        {"wte.weight", "wte.weight", "wte.weight", "wte.weight"},
        {"wte.weight", "wte.bias", "wte.weight", NULL},
        {"wte.weigh", "wte.weight", "x", NULL},
        {"h.12.attn.bias", "h.*.attn.bias", "*.b", "12.b"},
        {"h.x.attn.bias", "h.*.attn.bias", "*.b", NULL},
        {"h..attn.bias", "h.*.attn.bias", "*.b", NULL},
        {"a.3.LayerNorm.gamma", "**.LayerNorm.gamma", "**.LayerNorm.weight",
         "a.3.LayerNorm.weight"},
        {"LayerNorm.gamma", "**LayerNorm.gamma", "**LayerNorm.weight", "LayerNorm.weight"},
        {"layer.3.part.4.w", "layer.*.part.*.w", "l*p*", "l3p4"},
        {"x.gamma.gamma", "**.gamma", "**.weight", "x.gamma.weight"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[ATTEND_TENSOR_NAME_MAX] = "";
        bool is = at_tensor_rename(cases[i].name, cases[i].from, cases[i].to, out);
        if (is != (cases[i].out != NULL) || (is && strcmp(out, cases[i].out) != 0))
            fail_msg("%s by %s: %d '%s'", cases[i].name, cases[i].from, is, out);
        assert_int_equal(at_tensor_rename(cases[i].name, cases[i].from, NULL, NULL), is);
    }
}

static void a_name_that_would_be_too_long_does_not_match(void **state)
{
    char name[ATTEND_TENSOR_NAME_MAX + 8], out[ATTEND_TENSOR_NAME_MAX];
    (void)state;
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_false(at_tensor_rename(name, "**", "**", out));
    name[ATTEND_TENSOR_NAME_MAX - 1] = '\0';
    assert_true(at_tensor_rename(name, "**", "**", out));
    assert_false(at_tensor_rename(name, "**", "**b", out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_match_are_renamed),
        cmocka_unit_test(a_name_that_would_be_too_long_does_not_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
