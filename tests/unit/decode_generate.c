/* Generated text: seeds, greedy search and a beam of 1, lines, and repetition. */
#include "decode/generate.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model_fixtures.h"

static at_model *model;

static char *text_of(const attend_generate_options *o, const char *prompt)
{
    static at_str out[4];
    static int next;
    at_str *to = &out[next++ % 4];
    attend_error err;
    at_session *s;
    at_str_free(to);
    *to = (at_str){0};
    assert_int_equal(at_session_new(1, (const at_model *const[]){model}, &s, &err), ATTEND_OK);
    if (at_generate(s, o, at_text_of(prompt), to, &err) < 0)
        fail_msg("%s", err.message);
    at_session_free(s);
    return (char *)at_str_text(to);
}

static attend_generate_options plain(int most)
{
    return (attend_generate_options){.repetition = 1, .temperature = 1, .top_p = 1, .most = most};
}

static void greedy_text_is_that_of_a_beam_of_1(void **state)
{
    (void)state;
    attend_generate_options greedy = plain(30), beam = greedy;
    greedy.greedy = 1;
    beam.beam = 1;
    assert_string_equal(text_of(&greedy, "the "), text_of(&beam, "the "));
    assert_memory_equal(text_of(&greedy, "the "), "the ", 4);
}

static void a_seed_gives_its_text_again(void **state)
{
    (void)state;
    attend_generate_options a = plain(40), b = a, c = a;
    a.seed = c.seed = 7;
    b.seed = 8;
    c.text = 1;
    assert_string_equal(text_of(&a, ""), text_of(&a, ""));
    assert_string_not_equal(text_of(&a, ""), text_of(&b, ""));
    assert_string_not_equal(text_of(&a, ""), text_of(&c, ""));
}

static int count_of(const char *text, char what)
{
    int n = 0;
    for (; *text; text++)
        n += *text == what;
    return n;
}

static void text_stops_after_the_lines_asked_for(void **state)
{
    (void)state;
    for (int lines = 1; lines <= 3; lines++) {
        attend_generate_options o = plain(1000);
        o.lines = lines;
        o.seed = 7;
        assert_int_equal(count_of(text_of(&o, "a\nb"), '\n'), lines);
    }
}

static void a_repetition_penalty_spreads_the_tokens(void **state)
{
    (void)state;
    attend_generate_options o = plain(30), bent = o;
    o.greedy = bent.greedy = 1;
    bent.repetition = 5;
    assert_true(count_of(text_of(&bent, ""), 'o') < count_of(text_of(&o, ""), 'o'));
}

/* ---- several texts -------------------------------------------------------------------------- */

enum { TEXTS = 4 };

typedef struct {
    char text[TEXTS][400];
    int count;
} several;

static attend_status keep(void *user, const at_generated *g, attend_error *err)
{
    several *to = user;
    (void)err;
    assert_int_equal(g->index, to->count);
    snprintf(to->text[to->count++], sizeof to->text[0], "%.*s", (int)g->text.size, g->text.text);
    return ATTEND_OK;
}

static several texts_of(const attend_generate_options *o, const at_text *prompt,
                        const size_t *number)
{
    several all = {.count = 0};
    attend_error err;
    at_session *s;
    at_generate_texts_input in = {
        .count = TEXTS, .prompt = prompt, .number = number, .give = keep, .user = &all};
    assert_int_equal(at_session_new(1, (const at_model *const[]){model}, &s, &err), ATTEND_OK);
    if (at_generate_texts(s, o, &in, &err) < 0)
        fail_msg("%s", err.message);
    at_session_free(s);
    assert_int_equal(all.count, TEXTS);
    return all;
}

static void texts_do_not_depend_on_those_beside_them(void **state)
{
    const char *prompt[TEXTS] = {"the ", "", "a", "the old man and the sea "};
    const size_t number[TEXTS] = {0, 3, 0, 2};
    at_text texts[TEXTS];
    (void)state;
    for (int i = 0; i < TEXTS; i++)
        texts[i] = (at_text){prompt[i], strlen(prompt[i])};
    for (int way = 0; way < 4; way++) {
        const char *const stop[] = {"oo", "e"};
        attend_generate_options o = plain(40);
        o.seed = 7;
        o.greedy = way == 0;
        o.beam = way == 1 ? 3 : 0;
        o.penalty = 2;
        o.lines = way == 2;
        o.stop = stop;
        o.stop_count = way == 3 ? 2 : 0;
        several all = texts_of(&o, texts, number);
        for (int i = 0; i < TEXTS; i++) {
            o.text = (unsigned)number[i];
            assert_string_equal(all.text[i], text_of(&o, prompt[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_text_is_that_of_a_beam_of_1),
        cmocka_unit_test(a_seed_gives_its_text_again),
        cmocka_unit_test(text_stops_after_the_lines_asked_for),
        cmocka_unit_test(a_repetition_penalty_spreads_the_tokens),
        cmocka_unit_test(texts_do_not_depend_on_those_beside_them),
    };
    model = open_fixture("language");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    at_model_free(model);
    return failed;
}
