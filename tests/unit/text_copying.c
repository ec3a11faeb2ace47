#include "text/copying.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "text_lines.h"

static at_tokenizer *learn(const char *kind, const char *const *lines, int min_count)
{
    at_tokenizer *t;
    attend_error err;
    attend_learn_options o;
    attend_learn_defaults(&o);
    o.min_count = min_count;
    if (at_tokenizer_learn(kind, TEST_LINES(lines), &o, &t, &err) < 0)
        fail_msg("%s", err.message);
    return t;
}

typedef struct {
    at_tokenizer *source, *target;
    at_copying *copying;
    at_copied line;
} sides;

static sides make(const char *kind, const char *const *source, const char *const *target)
{
    sides s = {learn(kind, source, 1), learn(kind, target, 1), NULL, {0}};
    assert_int_equal(at_copying_new(s.source, s.target, &s.copying, NULL), ATTEND_OK);
    return s;
}

static void free_sides(sides *s)
{
    at_copied_free(&s->line);
    at_copying_free(s->copying);
    at_tokenizer_free(s->source);
    at_tokenizer_free(s->target);
}

static void show(const sides *s, int id, at_str *out)
{
    int V = at_tokenizer_size(s->target);
    at_text own = id < V ? (at_text){NULL, 0} : at_copied_text(&s->line, id - V);
    at_str_print(out, "%s", out->length ? " " : "");
    if (id < V)
        at_str_add(out, at_vocab_text(s->target->vocab, id, NULL));
    else
        at_str_print(out, "%d:%.*s", id - V, (int)own.size, own.text);
}

/* what a source's pieces are: words of the target as they are, own ones with their number */
static void check_source(sides *s, const char *text, const char *expected)
{
    at_tokens p = {0};
    at_str out = {0};
    size_t second;
    assert_int_equal(at_encode_framed(s->source, text, strlen(text), NULL, 0, &p, &second, NULL),
                     ATTEND_OK);
    assert_int_equal(at_copied_read(&s->line, s->copying, text, strlen(text), &p, p.count, NULL),
                     ATTEND_OK);
    assert_int_equal(s->line.count, p.count);
    for (size_t i = 0; i < p.count; i++)
        show(s, s->line.id[i], &out);
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
    at_tokens_free(&p);
}

/* what a target's pieces are behind that source */
static void check_target(const sides *s, const char *text, const char *expected)
{
    at_tokens p = {0};
    at_str out = {0};
    assert_int_equal(at_encode(s->target, text, strlen(text), &p, NULL), ATTEND_OK);
    assert_int_equal(at_copied_find(&s->line, s->copying, text, strlen(text), &p, NULL), ATTEND_OK);
    for (size_t i = 0; i < p.count; i++)
        show(s, p.item[i].id, &out);
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
    at_tokens_free(&p);
}

static const char *const english[] = {"the man met Tom .", NULL};
static const char *const french[] = {"l' homme Tom Paris .", NULL};

static void words_that_the_target_lacks_get_numbers_of_their_own(void **state)
{
    (void)state;
    sides s = make("words", english, french);
    check_source(&s, "the man met Tom.", "0:the 1:man 2:met Tom . <eos>");
    check_source(&s, "Kurt met Ada, Kurt!", "0:Kurt 1:met 2:Ada 3:, 0:Kurt 4:! <eos>");
    check_target(&s, "Kurt homme Ada Bob", "0:Kurt homme 2:Ada <unk>");
    check_source(&s, "Paris", "Paris <eos>"); /* unknown to the source alone */
    assert_int_equal(s.line.extra, 0);
    check_target(&s, "Kurt", "<unk>");
    free_sides(&s);
}

static void what_looks_like_a_special_token_is_a_word(void **state)
{
    (void)state;
    sides s = make("words", english, french);
    at_tokens p = {0};
    const char text[] = "<eos>";
    assert_int_equal(at_encode(s.source, text, strlen(text), &p, NULL), ATTEND_OK);
    assert_int_equal(at_copied_read(&s.line, s.copying, text, strlen(text), &p, p.count, NULL),
                     ATTEND_OK);
    for (size_t i = 0; i < p.count; i++)
        assert_false(at_tokenizer_is_special(s.target, s.line.id[i]));
    at_tokens_free(&p);
    free_sides(&s);
}

static void only_the_first_tokens_can_be_copied_from_a_text_that_is_cut(void **state)
{
    (void)state;
    sides s = make("words", english, french);
    at_tokens p = {0};
    const char text[] = "Ada Kurt";
    assert_int_equal(at_encode(s.source, text, strlen(text), &p, NULL), ATTEND_OK);
    assert_int_equal(at_copied_read(&s.line, s.copying, text, strlen(text), &p, 1, NULL),
                     ATTEND_OK);
    check_target(&s, "Kurt Ada", "<unk> 0:Ada");
    at_tokens_free(&p);
    free_sides(&s);
}

static void characters_go_as_well(void **state)
{
    (void)state;
    static const char *const letters[] = {"abc", NULL}, *const others[] = {"bcd", NULL};
    sides s = make("chars", letters, others);
    check_source(&s, "abzz", "0:a b 1:z 1:z <eos>");
    check_target(&s, "dza", "d 1:z 0:a");
    free_sides(&s);
}

static void one_vocabulary_on_both_sides_changes_no_number(void **state)
{
    (void)state;
    at_tokenizer *t = learn("words", english, 1);
    at_copying *c;
    assert_int_equal(at_copying_new(t, t, &c, NULL), ATTEND_OK);
    for (int id = 0; id < at_tokenizer_size(t); id++)
        assert_int_equal(at_copying_number(c, id), id == at_copying_unknown(t) ? -1 : id);
    at_copying_free(c);
    at_tokenizer_free(t);
}

static attend_status number_all(const sides *s, const at_tokens *p, const char *text)
{
    at_copying *c;
    at_copied line = {0};
    at_tokens target = {0};
    attend_error err;
    attend_status status = at_copying_new(s->source, s->target, &c, &err);
    if (status >= 0)
        status = at_copied_read(&line, c, text, strlen(text), p, p->count, &err);
    if (status >= 0)
        status = at_encode(s->target, text, strlen(text), &target, &err);
    if (status >= 0)
        status = at_copied_find(&line, c, text, strlen(text), &target, &err);
    at_tokens_free(&target);
    at_copied_free(&line);
    at_copying_free(c);
    return status;
}

static void without_memory_it_fails_cleanly(void **state)
{
    (void)state;
    sides s = make("words", english, french);
    at_tokens p = {0};
    const char text[] = "Ada met Kurt and Bob, Bob and Ada";
    attend_status status = ATTEND_MEMORY;
    assert_int_equal(at_encode(s.source, text, strlen(text), &p, NULL), ATTEND_OK);
    for (int n = 0; status != ATTEND_OK; n++) {
        at_alloc_fail_after(n);
        status = number_all(&s, &p, text);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_true(n < 1000);
    }
    at_tokens_free(&p);
    free_sides(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_the_target_lacks_get_numbers_of_their_own),
        cmocka_unit_test(what_looks_like_a_special_token_is_a_word),
        cmocka_unit_test(only_the_first_tokens_can_be_copied_from_a_text_that_is_cut),
        cmocka_unit_test(characters_go_as_well),
        cmocka_unit_test(one_vocabulary_on_both_sides_changes_no_number),
        cmocka_unit_test(without_memory_it_fails_cleanly),
    };
    return cmocka_run_group_tests_name("text_copying", tests, NULL, NULL);
}
