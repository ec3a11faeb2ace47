/* The description language: what it accepts, how it prints, why it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attention/output.h"
#include "attention/parts.h"

static void descriptions_print_as_they_parse(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"additive", "additive"},
        {"bahdanau", "additive"},
        {"general/local-m:5/hard", "bilinear/window:5/hard"},
        {"dot/expanded:3,4", "dot/expanded:3,4"},
        {"scaled-dot/hybrid:window,5/soft/8", "scaled-dot/hybrid:window,5/soft/8"},
        {"dot/hybrid:window,5,0.5", "dot/hybrid:window,5,0.5"},
        {"dot/hybrid:expanded,1,4,0.25/sparse", "dot/hybrid:expanded,1,4,0.25/sparse"},
        {"cosine:2.5/global/soft", "cosine:2.5"},
        {"additive:bias/local-p:2", "additive:bias/predicted:2"},
        {"gaussian-w:vector", "gaussian-w:vector"},
        {"location:50", "location:50"},
        {"location", "location:128"},
        {"cosine:-1/hybrid:local-p,2,0.3", "cosine:-1/hybrid:predicted,2,0.3"},
        {"dot/window:268435456", "dot/window:268435456"},
        {"dot/global/hard:straight-through/2", "dot/global/hard:straight-through/2"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        at_how how, again;
        attend_error err;
        char text[100];
        if (at_how_parse(&how, texts[i][0], &err) < 0)
            fail_msg("%s: %s", texts[i][0], err.message);
        at_how_print(&how, text, sizeof text);
        assert_string_equal(text, texts[i][1]);
        assert_int_equal(at_how_parse(&again, text, &err), ATTEND_OK);
        at_how_print(&again, text, sizeof text);
        assert_string_equal(text, texts[i][1]);
    }
}

static void what_makes_no_sense_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"", "empty part"},
        {"dott", "did you mean 'dot'"},
        {"dot/windw:3", "did you mean 'window'"},
        {"dot/window", "one number"},
        {"dot/window:-1", "from 0"},
        {"dot/window:x", "not 'x'"},
        {"dot/predicted:0", "from 1"},
        {"dot/expanded:3", "two numbers"},
        {"dot/expanded:3,0", "w of expanded:m,w takes a whole number from 1"},
        {"dot/expanded:-1,2", "m of expanded:m,w takes a whole number from 0"},
        {"dot/window:1,2", "window:D takes one number, the reach to each side"},
        {"dot:3", "takes no value"},
        {"dot//soft", "left out from the right"},
        {"dot/global/soft/0", "heads"},
        {"dot/global/soft/8/9", "more parts"},
        {"location/expanded:1,2", "no single position"},
        {"relative/hybrid:expanded,1,2", "no single position"},
        {"dot/hybrid", "local scope"},
        {"dot/hybrid:3", "hybrid:window,3"},
        {"dot/hybrid:global", "is not one"},
        {"dot/hybrid:hybrid,window,3", "is not one"},
        {"dot/hybrid:window,5,2", "from 0 to 1"},
        {"additive:bis", "only 'bias'"},
        {"cosine:x", "one number"},
        {"cosine:1,2", "one number"},
        {"location:0", "from 1 to 1048576"},
        {"location:9,9", "one number"},
        {"dot/global/hard:softly", "straight-through"},
        {"dot/global/hard:straight-through,x", "not 'x'"},
        {"dot/hybrid:expanded,1", "two numbers"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        at_how how;
        attend_error err;
        assert_int_equal(at_how_parse(&how, texts[i][0], &err), ATTEND_OPTION);
        if (!strstr(err.message, texts[i][1]))
            fail_msg("'%s': \"%s\" does not say \"%s\"", texts[i][0], err.message, texts[i][1]);
    }
}

static void outputs_refuse_attention_that_loses_probability(void **state)
{
    (void)state;
    static const struct {
        const char *attention, *output;
        bool fine;
    } pairs[] = {
        {"dot", "pointer", true},
        {"dot/predicted:2", "pointer", false},
        {"dot/global/sparse", "pointer", false},
        {"dot/global/hard", "pointer", false},
        {"dot/window:3", "pointer", false},
        {"dot/expanded:1,2", "pointer", false},
        {"dot/hybrid:window,2", "pointer", true},
        {"dot/hybrid:window,2,0.1", "pointer", true},
        {"dot/hybrid:window,2,0", "pointer", false},
        {"dot/hybrid:predicted,2", "pointer", false},
        {"dot/hybrid:expanded,1,2", "pointer", false},
        {"dot/window:3", "copy", true},
        {"dot/predicted:2", "copy", false},
        {"dot/hybrid:predicted,2", "copy", false},
        {"dot/expanded:1,2", "copy", false},
        {"dot/predicted:2", "words", true},
        {"dot/global/hard", "module", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        at_how how;
        const at_output *output;
        attend_error err;
        assert_int_equal(at_how_parse(&how, pairs[i].attention, &err), ATTEND_OK);
        attend_status status = at_output_parse(&output, pairs[i].output, &how, &err);
        if ((status == ATTEND_OK) != pairs[i].fine)
            fail_msg("%s with %s: %s", pairs[i].attention, pairs[i].output, err.message);
    }
    const at_output *output;
    assert_int_equal(at_output_parse(&output, "poniter", NULL, NULL), ATTEND_OPTION);
}

static void every_mechanism_says_what_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < at_score_count; i++)
        assert_non_null(at_scores[i]->about.name && at_scores[i]->about.formula
                                && at_scores[i]->about.source && at_scores[i]->about.use
                                && at_scores[i]->about.cost && at_scores[i]->about.parameters
                            ? at_scores[i]
                            : NULL);
}

/* a row of the table for each name, unless the mechanism parses and prints for itself */
static void check_values(const at_about *about, bool own_parser)
{
    int names = about->values ? 1 : 0;
    for (const char *p = about->values; p && (p = strchr(p, ',')); p++)
        names++;
    if (at_values_count(about) != (own_parser ? 0 : names))
        fail_msg("%s: %d names of values, %d rows", about->name, names, at_values_count(about));
}

static void every_value_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < at_score_count; i++)
        check_values(&at_scores[i]->about, false);
    for (int i = 0; i < at_scope_count; i++) {
        assert_int_equal(!at_scopes[i]->parse, !at_scopes[i]->print);
        check_values(&at_scopes[i]->about, at_scopes[i]->parse != NULL);
    }
    for (int i = 0; i < at_pick_count; i++)
        check_values(&at_picks[i]->about, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_print_as_they_parse),
        cmocka_unit_test(what_makes_no_sense_is_refused_with_the_reason),
        cmocka_unit_test(outputs_refuse_attention_that_loses_probability),
        cmocka_unit_test(every_mechanism_says_what_it_is),
        cmocka_unit_test(every_value_has_a_name),
    };
    return cmocka_run_group_tests_name("attention_how", tests, NULL, NULL);
}
