#include "data/clean.h"

#include "data/finding.h"
#include "data_help.h"

static void check(const char *text, at_found expected, const char *clean)
{
    at_str out = {0};
    at_found found = at_look_at_text(text, strlen(text));
    if (found != expected)
        fail_msg("\"%s\": found %x, not %x", text, found, expected);
    at_clean(&out, (at_text){text, strlen(text)});
    assert_string_equal(at_str_text(&out), clean);
    /* what is clean stays so; only what cannot be repaired is still found */
    assert_int_equal(
        at_look_at_text(at_str_text(&out), out.length) & ~(FOUND(lost) | FOUND(garbled)), 0);
    at_str_free(&out);
}

static void finds_and_cleans_what_should_not_be_in_text(void **state)
{
    (void)state;
    check("", 0, "");
    check("Ça va ? 嗨。 😀", 0, "Ça va ? 嗨。 😀");
    check("a\tb\nc", 0, "a\tb\nc");
    check("a\u2028b\u2029c", FOUND(separator), "a b c");
    check("a\xC2\x85"
          "b\vc\fd\re\x1c"
          "f",
          FOUND(separator), "a b c d e f");
    check("a\x07"
          "b\x1b[31m\x7f",
          FOUND(control), "ab[31m");
    check("a\xC2\x9D"
          "b",
          FOUND(control), "ab");
    check("soft\u00adhyphen\u200b\ufeff\u2060", FOUND(invisible), "softhyphen");
    check(" both ends ", FOUND(blanks), "both ends");
    check("lost \uFFFD", FOUND(lost), "lost \uFFFD");
    check("cafÃ©", FOUND(garbled), "cafÃ©");
    check("Â«Ã\xC2\xA0", FOUND(garbled), "Â«Ã\xC2\xA0");
}

/* French puts a narrow blank before its marks; Persian and emoji need joiners; names have Ã. */
static void leaves_alone_what_belongs_to_a_language(void **state)
{
    (void)state;
    check("Va\u202F! \u00AB\u00A0oui\u00A0\u00BB", 0, "Va\u202F! \u00AB\u00A0oui\u00A0\u00BB");
    check("می\u200Cخواهم 👨\u200D👩", 0, "می\u200Cخواهم 👨\u200D👩");
    check("NÃO, SÃO; Âge", 0, "NÃO, SÃO; Âge");
}

static void takes_any_bytes(void **state)
{
    (void)state;
    char bytes[512];
    for (int i = 0; i < 512; i++)
        bytes[i] = (char)(i * 37);
    for (size_t i = 0; i < 512; i++) {
        at_str out = {0};
        at_look_at_text(bytes + i, 512 - i);
        at_clean(&out, (at_text){bytes + i, 512 - i});
        assert_true(out.length <= 512 - i);
        at_str_free(&out);
    }
}

static void every_finding_has_its_words(void **state)
{
    (void)state;
    for (int i = 0; i < ATTEND_FINDINGS; i++) {
        const at_finding *f = at_findings[i];
        assert_true(*f->name && *f->what && *f->remedy);
        assert_true(f->remedy[strlen(f->remedy) - 1] == '.');
        assert_true(strlen(f->name) <= 12);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(f->name, at_findings[k]->name);
        if (f->level == ATTEND_LEVEL_ERROR) /* a clean copy can be trained on */
            assert_int_not_equal(f->fix, ATTEND_FIX_NOTHING);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_and_cleans_what_should_not_be_in_text),
        cmocka_unit_test(leaves_alone_what_belongs_to_a_language),
        cmocka_unit_test(takes_any_bytes),
        cmocka_unit_test(every_finding_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
