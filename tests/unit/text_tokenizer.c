/* What holds for every kind of tokenizer, over the list of them. */
#include "text/tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/utf8.h"
#include "text_lines.h"

static char folder[] = "/tmp/attend-tokenizer-XXXXXX";

/* a learned one; of a kind that cannot be learned, a fixture */
static at_tokenizer *learn(const at_tokenizer_kind *kind)
{
    attend_learn_options o;
    at_tokenizer *t;
    attend_error err;
    if (!kind->learn) {
        if (at_tokenizer_open("tests/fixtures/hub/marian/source.spm", &t, &err) < 0)
            fail_msg("%s: %s", kind->name, err.message);
        return t;
    }
    attend_learn_defaults(&o);
    if (kind->learns & ATTEND_LEARN_SIZE)
        o.vocabulary = 300;
    if (at_tokenizer_learn(kind->name, TEST_LINES(test_story), &o, &t, &err) < 0)
        fail_msg("%s: %s", kind->name, err.message);
    return t;
}

/* ---- texts ---- */

typedef enum { CHARACTERS, BYTES, STORY, SORTS } sort;

static uint32_t random_code(at_random r, uint32_t *k)
{
    static const uint32_t ranges[][2] = {
        {0, 0x80},        {0x20, 0x7F},     {0x80, 0x250},    {0x300, 0x370},   {0x2000, 0x2070},
        {0x3000, 0x3100}, {0x4E00, 0x5000}, {0xAC00, 0xAD00}, {0xFE00, 0xFF70}, {0x1F300, 0x1F700}};
    const uint32_t *range = ranges[at_random_below(r, (*k)++, 10)];
    return range[0] + at_random_below(r, (*k)++, range[1] - range[0]);
}

static size_t random_text(sort s, uint32_t seed, char *text, size_t most)
{
    at_random r = {.seed = seed, .use = s};
    uint32_t k = 0;
    size_t size = 0, wanted = at_random_below(r, k++, (uint32_t)most - 8);
    if (s == STORY)
        return (size_t)snprintf(text, most, "%.*s", (int)wanted, test_story[seed % 6]);
    while (size < wanted) {
        if (s == CHARACTERS)
            size += (size_t)at_utf8_put(text + size, random_code(r, &k));
        else
            text[size++] = (char)at_random_below(r, k++, 256);
    }
    return size;
}

typedef void check_text(const at_tokenizer *t, const char *text, size_t size);

/* Runs over every kind and many texts of every sort. */
static void over_all(check_text *check)
{
    char text[200];
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        at_tokenizer *t = learn(at_tokenizer_kinds[i]);
        for (sort s = 0; s < SORTS; s++)
            for (uint32_t seed = 0; seed < 100; seed++)
                check(t, text, random_text(s, seed, text, sizeof text));
        check(t, "", 0);
        at_tokenizer_free(t);
    }
}

/* ---- encoding ---- */

static void check_tokens(const at_tokenizer *t, const char *text, size_t size)
{
    at_tokens p = {0}, q = {0};
    attend_error err;
    if (at_encode(t, text, size, &p, &err) < 0)
        fail_msg("%s: %s", t->kind->name, err.message);
    uint32_t words = at_tokens_number_words(&(at_tokens){0}, 0, text, size);
    for (size_t i = 0; i < p.count; i++) {
        const at_token *a = &p.item[i];
        assert_in_range(a->id, 0, at_tokenizer_size(t) - 1);
        assert_true(a->begin <= a->end && a->end <= size);
        assert_true(i == 0 || a->begin >= a[-1].begin);
        assert_true(a->word == ATTEND_NO_WORD || a->word <= words);
    }
    assert_int_equal(p.invalid > 0, at_utf8_valid(text, size) < size);
    assert_int_equal(at_encode(t, text, size, &q, NULL), ATTEND_OK);
    assert_int_equal(q.count, p.count); /* what was remembered changes nothing */
    if (p.count)
        assert_memory_equal(p.item, q.item, p.count * sizeof *p.item);
    at_tokens_in_characters(&q, text, size);
    for (size_t i = 0; i < q.count; i++)
        assert_true(q.item[i].begin <= q.item[i].end && q.item[i].end <= at_utf8_count(text, size));
    at_tokens_free(&p);
    at_tokens_free(&q);
}

static void tokens_of_any_bytes_lie_in_the_text(void **state)
{
    (void)state;
    over_all(check_tokens);
}

/* Everything but white space, control characters and accents is in some piece. */
static void check_covered(const at_tokenizer *t, const char *text, size_t size)
{
    at_tokens p = {0};
    bool covered[256] = {false};
    at_encode(t, text, size, &p, NULL);
    for (size_t i = 0; i < p.count; i++)
        memset(covered + p.item[i].begin, true, p.item[i].end - p.item[i].begin);
    for (size_t i = 0; i < size; i++)
        if (text[i] > ' ' && text[i] < 0x7F && !covered[i])
            fail_msg("%s: byte %zu of \"%.*s\" is in no piece", t->kind->name, i, (int)size, text);
    at_tokens_free(&p);
}

static void all_that_is_printed_is_in_some_token(void **state)
{
    (void)state;
    over_all(check_covered);
}

/* ---- decoding ---- */

static void decode(const at_tokenizer *t, const at_tokens *p, at_str *out)
{
    int32_t *ids = at_alloc((p->count + 1) * sizeof *ids);
    attend_error err;
    for (size_t i = 0; i < p->count; i++)
        ids[i] = p->item[i].id;
    if (at_decode(t, ids, p->count, ATTEND_DECODE_PLAIN, out, &err) < 0)
        fail_msg("%s: %s", t->kind->name, err.message);
    at_free(ids);
}

static bool knows_all(const at_tokenizer *t, const at_tokens *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->item[i].id == t->special[ATTEND_SPECIAL_UNK])
            return false;
    return true;
}

static void check_decoded(const at_tokenizer *t, const char *text, size_t size)
{
    static const char *const exact[] = {"bytes", "chars", "gpt2", NULL};
    at_tokens p = {0};
    at_str out = {0};
    bool is_exact = false;
    for (int i = 0; exact[i]; i++)
        is_exact |= strcmp(exact[i], t->kind->name) == 0;
    at_encode(t, text, size, &p, NULL);
    decode(t, &p, &out);
    bool bytes = strcmp(t->kind->name, "bytes") == 0;
    if (is_exact && knows_all(t, &p) && (bytes || at_utf8_valid(text, size) == size)) {
        assert_int_equal(out.length, size);
        if (size)
            assert_memory_equal(out.text, text, size);
    }
    at_tokens_free(&p);
    at_str_free(&out);
}

static void ids_become_text_and_exactly_the_same_where_nothing_is_lost(void **state)
{
    (void)state;
    over_all(check_decoded);
}

static void characters_come_back_for_all_of_unicode(void **state)
{
    (void)state;
    static char all[0x110000 / 8][40];
    static const char *lines[0x110000 / 8 + 1];
    size_t n = 0;
    for (uint32_t code = 1; code < 0x110000; n++) {
        size_t size = 0;
        for (int i = 0; i < 8 && code < 0x110000; code++, i++)
            if (code < 0xD800 || code > 0xDFFF)
                size += (size_t)at_utf8_put(all[n] + size, code);
        all[n][size] = 0;
        lines[n] = all[n];
    }
    lines[n] = NULL;
    at_tokenizer *t;
    assert_int_equal(at_tokenizer_learn("chars", TEST_LINES(lines), NULL, &t, NULL), ATTEND_OK);
    for (uint32_t seed = 0; seed < 200; seed++) {
        char text[200];
        size_t size = random_text(CHARACTERS, seed, text, sizeof text);
        at_tokens p = {0};
        at_str out = {0};
        at_encode(t, text, size, &p, NULL);
        decode(t, &p, &out);
        if (!memchr(text, 0, size) && !memmem(text, size, "\xEF\xBF\xBD", 3)) {
            assert_int_equal(out.length, size);
            assert_memory_equal(at_str_text(&out), text, size);
        }
        at_tokens_free(&p);
        at_str_free(&out);
    }
    at_tokenizer_free(t);
}

static void ids_out_of_range_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        at_tokenizer *t = learn(at_tokenizer_kinds[i]);
        at_str out = {0};
        attend_error err;
        const int32_t wrong[] = {-1, at_tokenizer_size(t)};
        for (int k = 0; k < 2; k++) {
            assert_true(at_decode(t, &wrong[k], 1, ATTEND_DECODE_PLAIN, &out, &err) < 0);
            assert_non_null(strstr(err.message, "not in the vocabulary"));
        }
        at_str_free(&out);
        at_tokenizer_free(t);
    }
}

static void special_tokens_show_when_they_are_asked_to(void **state)
{
    (void)state;
    at_tokenizer *t = learn(at_tokenizer_kind_find("words"));
    const int32_t ids[] = {2, 1, 3, 0};
    at_str out = {0};
    at_decode(t, ids, 4, ATTEND_DECODE_PLAIN, &out, NULL);
    assert_string_equal(at_str_text(&out), "<unk>");
    at_str_clear(&out);
    at_decode(t, ids, 4, ATTEND_DECODE_SPECIAL, &out, NULL);
    assert_string_equal(at_str_text(&out), "<bos> <unk> <eos> <pad>");
    at_str_free(&out);
    at_tokenizer_free(t);
}

/* ---- files ---- */

static void empty_folder(void)
{
    static const char *const names[] = {
        "tokenizer.json", "tokenizer_config.json", "vocab.txt",          "vocab.json",
        "merges.txt",     "spiece.model",          ATTEND_CHECKSUM_LIST, NULL};
    for (int i = 0; names[i]; i++) {
        char *path = at_file_join(folder, names[i]);
        unlink(path);
        at_free(path);
    }
}

static void a_saved_tokenizer_is_the_same_when_opened(void **state)
{
    (void)state;
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        at_tokenizer *t = learn(at_tokenizer_kinds[i]), *u;
        attend_error err;
        char text[200];
        empty_folder();
        if (at_tokenizer_save(t, folder, &err) < 0 || at_tokenizer_open(folder, &u, &err) < 0)
            fail_msg("%s: %s", t->kind->name, err.message);
        assert_ptr_equal(u->kind, t->kind);
        assert_int_equal(at_tokenizer_size(u), at_tokenizer_size(t));
        assert_memory_equal(u->special, t->special, sizeof t->special);
        assert_memory_equal(&u->frame, &t->frame, sizeof t->frame);
        for (sort s = 0; s < SORTS; s++)
            for (uint32_t seed = 0; seed < 30; seed++) {
                at_tokens p = {0}, q = {0};
                at_str a = {0}, b = {0};
                size_t size = random_text(s, seed, text, sizeof text);
                at_encode(t, text, size, &p, NULL);
                at_encode(u, text, size, &q, NULL);
                assert_int_equal(p.count, q.count);
                if (p.count)
                    assert_memory_equal(p.item, q.item, p.count * sizeof *p.item);
                decode(t, &p, &a);
                decode(u, &q, &b);
                assert_string_equal(at_str_text(&a), at_str_text(&b));
                at_tokens_free(&p);
                at_tokens_free(&q);
                at_str_free(&a);
                at_str_free(&b);
            }
        at_tokenizer_free(t);
        at_tokenizer_free(u);
    }
    empty_folder();
}

static void a_folder_holds_the_tokenizer_that_was_saved_last(void **state)
{
    (void)state;
    empty_folder();
    for (int i = 0; i < at_tokenizer_kind_count; i++)
        for (int k = 0; k < at_tokenizer_kind_count; k++) {
            at_tokenizer *t[] = {learn(at_tokenizer_kinds[i]), learn(at_tokenizer_kinds[k])}, *u;
            for (int n = 0; n < 2; n++) {
                assert_int_equal(at_tokenizer_save(t[n], folder, NULL), ATTEND_OK);
                assert_int_equal(at_tokenizer_open(folder, &u, NULL), ATTEND_OK);
                assert_ptr_equal(u->kind, t[n]->kind);
                at_tokenizer_free(u);
                at_tokenizer_free(t[n]);
            }
        }
    empty_folder();
}

static void a_folder_without_a_tokenizer_says_what_was_looked_for(void **state)
{
    (void)state;
    at_tokenizer *t;
    attend_error err;
    empty_folder();
    assert_int_equal(at_tokenizer_open(folder, &t, &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "vocab.txt"));
    assert_int_equal(at_tokenizer_open("/nowhere/x", &t, &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "no such file or folder"));
    assert_int_equal(at_tokenizer_open("/dev/null", &t, &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "not named like a tokenizer's file"));
    assert_int_equal(at_tokenizer_open("/nowhere/vocab.txt", &t, &err), ATTEND_FILE);
}

/* ---- learning ---- */

static void learning_twice_gives_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        at_tokenizer *t = learn(at_tokenizer_kinds[i]), *u = learn(at_tokenizer_kinds[i]);
        assert_int_equal(at_tokenizer_size(t), at_tokenizer_size(u));
        for (int32_t id = 0; id < at_tokenizer_size(t); id++)
            assert_string_equal(at_vocab_text(t->vocab, id, NULL),
                                at_vocab_text(u->vocab, id, NULL));
        at_tokenizer_free(t);
        at_tokenizer_free(u);
    }
}

static void a_source_that_gives_up_ends_the_learning(void **state)
{
    (void)state;
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const at_tokenizer_kind *kind = at_tokenizer_kinds[i];
        test_lines broken = {.fail = ATTEND_STOPPED};
        at_tokenizer *t;
        attend_error err;
        if (!kind->learn)
            continue;
        assert_int_equal(at_tokenizer_learn(kind->name, (at_line_source){test_next_line, &broken},
                                            NULL, &t, &err),
                         ATTEND_STOPPED);
        assert_null(t);
        assert_string_equal(err.message, "the test gives up");
    }
}

static void unknown_kinds_and_options_are_refused(void **state)
{
    (void)state;
    attend_learn_options o;
    at_tokenizer *t;
    attend_error err;
    assert_int_equal(at_tokenizer_learn("wordpeice", TEST_LINES(test_story), NULL, &t, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "did you mean wordpiece"));
    attend_learn_defaults(&o);
    o.alphabet = 10;
    assert_int_equal(at_tokenizer_learn("words", TEST_LINES(test_story), &o, &t, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "has no option alphabet"));
}

/* ---- memory ---- */

/* learns, encodes and decodes; false where memory ran out */
static bool do_all(const char *kind)
{
    at_tokenizer *t = NULL;
    at_tokens p = {0};
    at_str out = {0};
    attend_error err;
    attend_status status = at_tokenizer_learn(kind, TEST_LINES(test_story), NULL, &t, &err);
    for (int i = 0; status >= 0 && test_story[i]; i++)
        status = at_encode(t, test_story[i], strlen(test_story[i]), &p, &err);
    int32_t ids[] = {5, 6, 7};
    if (status >= 0)
        status = at_decode(t, ids, 3, ATTEND_DECODE_PLAIN, &out, &err);
    if (status < 0)
        assert_int_equal(status, ATTEND_MEMORY);
    at_tokenizer_free(t);
    at_tokens_free(&p);
    at_str_free(&out);
    return status >= 0;
}

static void memory_that_runs_out_is_a_clean_status(void **state)
{
    (void)state;
    static const char *const kinds[] = {"words", "chars", "bytes", "wordpiece"};
    for (int i = 0; i < 4; i++) {
        long live = at_alloc_live();
        bool well = false;
        for (long n = 0; !well; n += 1 + n / 40) {
            at_alloc_fail_after(n);
            well = do_all(kinds[i]);
            at_alloc_fail_after(-1);
            assert_int_equal(at_alloc_live(), live);
        }
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_of_any_bytes_lie_in_the_text),
        cmocka_unit_test(all_that_is_printed_is_in_some_token),
        cmocka_unit_test(ids_become_text_and_exactly_the_same_where_nothing_is_lost),
        cmocka_unit_test(characters_come_back_for_all_of_unicode),
        cmocka_unit_test(ids_out_of_range_are_refused),
        cmocka_unit_test(special_tokens_show_when_they_are_asked_to),
        cmocka_unit_test(a_saved_tokenizer_is_the_same_when_opened),
        cmocka_unit_test(a_folder_holds_the_tokenizer_that_was_saved_last),
        cmocka_unit_test(a_folder_without_a_tokenizer_says_what_was_looked_for),
        cmocka_unit_test(learning_twice_gives_the_same),
        cmocka_unit_test(a_source_that_gives_up_ends_the_learning),
        cmocka_unit_test(unknown_kinds_and_options_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_a_clean_status),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
