/* Text as tokens come: whole characters, and nothing of a stop string. */
#include "decode/text_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static at_str pieces; /* with | after each */

static attend_status note(void *user, const char *text, size_t size, attend_error *err)
{
    (void)user;
    (void)err;
    for (size_t i = 0; i < size;) {
        uint32_t code;
        int n = at_utf8_get(text + i, size - i, &code);
        assert_true(n > 0);
        i += (size_t)n;
    }
    at_str_add_bytes(&pieces, text, size);
    at_str_add(&pieces, "|");
    return ATTEND_OK;
}

static int none(void *user, const char **text, size_t *size, attend_error *err)
{
    (void)user, (void)text, (void)size, (void)err;
    return 0;
}

/* a token for each byte of the text, one after the other */
static void check(const char *text, const char *stop, const char *expected, const char *whole)
{
    attend_error err;
    at_tokenizer *t;
    at_tokens tokens = {0};
    int ids[100];
    attend_learn_options o;
    attend_learn_defaults(&o);
    assert_int_equal(at_tokenizer_learn("bytes", (at_line_source){.next = none}, &o, &t, &err),
                     ATTEND_OK);
    assert_int_equal(at_encode(t, text, strlen(text), &tokens, &err), ATTEND_OK);
    at_text_stream s = {
        .tokenizer = t, .newlines = true, .stop = &stop, .stops = stop != NULL, .give = note};
    at_str_clear(&pieces);
    at_text_stream_begin(&s, 0, 0);
    int n = (int)tokens.count;
    for (int i = 0; i < n; i++)
        ids[i] = tokens.item[i].id;
    for (int i = 1; i <= n && !s.stopped; i++)
        assert_int_equal(at_text_stream_take(&s, ids, i, i == n, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&pieces), expected);
    assert_string_equal(at_str_text(&s.text), whole);
    at_str_free(&s.text);
    at_str_free(&pieces);
    at_tokens_free(&tokens);
    at_tokenizer_free(t);
}

static void characters_stay_whole(void **state)
{
    (void)state;
    check("aé☃😀b", NULL, "a|é|☃|😀|b|", "aé☃😀b");
}

static void what_is_not_utf8_is_replaced(void **state)
{
    (void)state;
    check("a\xE2\x98", NULL, "a|\xEF\xBF\xBD\xEF\xBF\xBD|", "a\xEF\xBF\xBD\xEF\xBF\xBD");
    check("\xE2"
          "b",
          NULL,
          "\xEF\xBF\xBD"
          "b|",
          "\xEF\xBF\xBD"
          "b");
}

static void a_stop_string_ends_the_text_and_is_not_given(void **state)
{
    (void)state;
    check("one END two", "END", "o|n|e| |", "one ");
    check("EEND", "END", "E|", "E"); /* the first E waits, and is text */
    check("an EN", "END", "a|n| |EN|", "an EN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_stay_whole),
        cmocka_unit_test(what_is_not_utf8_is_replaced),
        cmocka_unit_test(a_stop_string_ends_the_text_and_is_not_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
