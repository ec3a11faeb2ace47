/* Entities of tags, as conlleval counts them. */
#include "base/entities.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "PER 0-2 LOC 3-4" */
static void assert_entities(const char *tags, const char *expected)
{
    at_word_tag tag[20];
    char found[200] = "";
    size_t words = 0;
    at_entity e = {.end = 0};
    for (const char *at = tags; *at; at += strspn(at, " ")) {
        tag[words++] = (at_word_tag){at, strcspn(at, " ")};
        at += strcspn(at, " ");
    }
    while (at_entity_next(tag, words, e.end, &e)) {
        size_t n = strlen(found);
        snprintf(found + n, sizeof found - n, "%s%.*s %zu-%zu", n ? " " : "", (int)e.size, e.type,
                 e.begin, e.end);
    }
    assert_string_equal(found, expected);
}

static void entities_of_tags(void **unused)
{
    (void)unused;
    assert_entities("", "");
    assert_entities("O O", "");
    assert_entities("B-PER I-PER O B-LOC", "PER 0-2 LOC 3-4");
    assert_entities("B-PER B-PER", "PER 0-1 PER 1-2");
    assert_entities("I-PER I-PER I-LOC", "PER 0-2 LOC 2-3"); /* IOB1 */
    assert_entities("B-PER I-LOC", "PER 0-1 LOC 1-2");
    assert_entities("B-PER E-PER S-LOC I-LOC", "PER 0-2 LOC 2-3 LOC 3-4"); /* IOBES */
    assert_entities("NN NN VB", "NN 0-2 VB 2-3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entities_of_tags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
