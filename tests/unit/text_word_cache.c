#include "text/word_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "base/threads.h"
#include "text_lines.h"

static void gives_back_what_was_kept_at_another_place(void **state)
{
    (void)state;
    at_word_cache *c = at_word_cache_new();
    at_tokens p = {0};
    at_tokens_add(&p, 1, 0, 3);
    at_tokens_add(&p, 7, 10, 12);
    at_tokens_add(&p, 8, 12, 15);
    assert_false(at_word_cache_tokens(c, "hello", 5, 10, &p));
    at_word_cache_keep(c, "hello", 5, 10, &p, 1);
    assert_true(at_word_cache_tokens(c, "hello", 5, 100, &p));
    assert_int_equal(p.count, 5);
    assert_int_equal(p.item[3].id, 7);
    assert_int_equal(p.item[3].begin, 100);
    assert_int_equal(p.item[4].end, 105);
    assert_false(at_word_cache_tokens(c, "hellp", 5, 0, &p));
    assert_false(at_word_cache_tokens(c, "hell", 4, 0, &p));
    at_tokens_free(&p);
    at_word_cache_free(c);
}

static void a_word_may_have_no_token(void **state)
{
    (void)state;
    at_word_cache *c = at_word_cache_new();
    at_tokens p = {0};
    at_word_cache_keep(c, "\x01", 1, 0, &p, 0);
    assert_true(at_word_cache_tokens(c, "\x01", 1, 0, &p));
    assert_int_equal(p.count, 0);
    at_word_cache_free(c);
}

static void long_words_and_those_without_room_are_not_kept(void **state)
{
    (void)state;
    at_word_cache *c = at_word_cache_new();
    at_tokens p = {0}, none = {0};
    char word[100];
    memset(word, 'x', sizeof word);
    at_tokens_add(&p, 1, 0, 1);
    at_word_cache_keep(c, word, sizeof word, 0, &p, 0);
    assert_false(at_word_cache_tokens(c, word, sizeof word, 0, &none));
    long before = at_alloc_live();
    for (int i = 0; i < 200000; i++)
        at_word_cache_keep(c, word, (size_t)snprintf(word, sizeof word, "%d", i), 0, &p, 0);
    assert_in_range(at_alloc_live() - before, 50000, 1 << 16);
    int kept = 0;
    for (int i = 0; i < 200000; i++) {
        at_tokens_clear(&none);
        bool found = at_word_cache_tokens(c, word, (size_t)snprintf(word, sizeof word, "%d", i), 0,
                                          &none);
        kept += found;
        assert_int_equal(none.count, found);
    }
    assert_int_equal(kept, at_alloc_live() - before - 1); /* and the list none */
    at_tokens_free(&p);
    at_tokens_free(&none);
    at_word_cache_free(c);
}

static void without_memory_nothing_is_kept(void **state)
{
    (void)state;
    at_word_cache *c = at_word_cache_new();
    at_tokens p = {0};
    at_tokens_add(&p, 1, 0, 1);
    at_alloc_fail_after(0);
    at_word_cache_keep(c, "a", 1, 0, &p, 0);
    at_alloc_fail_after(-1);
    assert_false(at_word_cache_tokens(c, "a", 1, 0, &p));
    at_tokens_free(&p);
    at_word_cache_free(c);
}

/* ---- threads: all cut the same texts with one tokenizer, whose cache they fill together ---- */

enum { ITEMS = 16, WORDS = 3000 };

typedef struct {
    const at_tokenizer *t;
    uint64_t sum[ITEMS];
    bool failed[ITEMS];
} job;

static void cut(void *arg, int item)
{
    job *j = arg;
    for (int i = 0; i < WORDS; i++) {
        at_tokens p = {0};
        char text[64];
        int n = snprintf(text, sizeof text, "cat%d, dog%d! the mat%d", i % 500, i, i % 70);
        j->failed[item] |= at_encode(j->t, text, (size_t)n, &p, NULL) < 0;
        for (size_t k = 0; k < p.count; k++)
            j->sum[item] = j->sum[item] * 31 + (uint64_t)p.item[k].id + p.item[k].begin;
        at_tokens_free(&p);
    }
}

static void threads_share_a_tokenizer(void **state)
{
    (void)state;
    static const char *const kinds[] = {"words", "wordpiece"};
    int threads = attend_set_threads(4);
    for (int k = 0; k < 2; k++) {
        at_tokenizer *t;
        assert_int_equal(at_tokenizer_learn(kinds[k], TEST_LINES(test_story), NULL, &t, NULL),
                         ATTEND_OK);
        job j = {.t = t};
        at_parallel_each(ITEMS, 1e9, cut, &j);
        for (int i = 0; i < ITEMS; i++) {
            assert_false(j.failed[i]);
            assert_int_equal(j.sum[i], j.sum[0]);
        }
        at_tokenizer_free(t);
    }
    attend_set_threads(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_was_kept_at_another_place),
        cmocka_unit_test(a_word_may_have_no_token),
        cmocka_unit_test(long_words_and_those_without_room_are_not_kept),
        cmocka_unit_test(without_memory_nothing_is_kept),
        cmocka_unit_test(threads_share_a_tokenizer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
