/* What a beam remembers when asked to: the fates of candidates, alternatives, and several ends. */
#include "decode/beam.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

enum { V = 7, END = 6, WIDTH = 3, MOST = 8, ALTERNATIVES = 4 };

/* random log-probabilities of every running row */
static void fill(const at_beam *b, uint32_t seed, real *log_p)
{
    for (int row = 0; row < b->live; row++) {
        double x[V], sum = 0;
        for (int w = 0; w < V; w++) {
            at_random r = {.seed = seed, .step = (uint32_t)b->steps, .sentence = (uint32_t)row};
            x[w] = 2 * at_random_normal(r, (uint32_t)w);
            sum += exp(x[w]);
        }
        for (int w = 0; w < V; w++)
            log_p[row * V + w] = (real)(x[w] - log(sum));
    }
}

static void run(at_beam *b, const at_beam_options *o, uint32_t seed, int *live)
{
    attend_error err;
    real log_p[WIDTH * V];
    assert_int_equal(at_beam_start(b, o, V, 0, &err), ATTEND_OK);
    while (!b->done) {
        live[b->steps] = b->live;
        fill(b, seed, log_p);
        assert_int_equal(at_beam_step(b, log_p, NULL, NULL, &err), ATTEND_OK);
    }
    live[b->steps] = b->live;
    at_beam_finish(b);
}

static void every_candidate_has_a_parent_and_a_fate(void **state)
{
    (void)state;
    at_beam_options o = {.width = WIDTH, .end = END, .most = MOST, .trace = true};
    for (uint32_t seed = 0; seed < 30; seed++) {
        at_beam b;
        int live[MOST + 1], n, ended = 0;
        run(&b, &o, seed, live);
        for (int step = 0; step < b.steps; step++) {
            const at_beam_candidate *c = at_beam_trace(&b, step, &n);
            int kept = 0;
            assert_true(n > 0 && n <= 2 * WIDTH);
            for (int i = 0; i < n; i++) {
                assert_in_range(c[i].from, 0, live[step] - 1);
                assert_true(i == 0 || c[i].log_p <= c[i - 1].log_p);
                ended += c[i].fate == ATTEND_TRACE_ENDED;
                assert_true(c[i].fate != ATTEND_TRACE_ENDED || c[i].word == END);
                assert_int_equal(c[i].row, c[i].fate == ATTEND_TRACE_KEPT ? kept : -1);
                kept += c[i].fate == ATTEND_TRACE_KEPT;
            }
            assert_int_equal(kept, live[step + 1]);
        }
        assert_null(at_beam_trace(&b, b.steps, &n));
        for (int i = 0; i < b.count; i++)
            ended -= b.found[i].ended;
        assert_true(ended >= 0);
        at_beam_free(&b);
    }
}

static void alternatives_are_the_likeliest_and_have_the_word(void **state)
{
    (void)state;
    at_beam_options o = {.width = 1, .end = END, .most = MOST, .alternatives = ALTERNATIVES};
    for (uint32_t seed = 0; seed < 30; seed++) {
        at_beam b;
        int live[MOST + 1], word[MOST + 1];
        run(&b, &o, seed, live);
        const at_hypothesis *h = &b.found[0];
        int n = at_beam_words(&b, h, word);
        for (int t = 0; t < n; t++) {
            const at_alternative *a = at_beam_alternatives(&b, h, t);
            double sum = 0;
            assert_non_null(a);
            for (int i = 0; i < ALTERNATIVES; i++) {
                assert_true(i == 0 || a[i].log_p <= a[i - 1].log_p);
                sum += exp(a[i].log_p);
            }
            assert_true(sum <= 1 + 1e-5);
            assert_true(a[0].word == word[t] || a[0].word == END);
        }
        at_beam_free(&b);
    }
}

static void a_hypothesis_ends_with_the_last_of_several_ends(void **state)
{
    (void)state;
    int ended = 0;
    for (int ends = 1; ends <= 3; ends++)
        for (uint32_t seed = 0; seed < 30; seed++) {
            at_beam_options o = {.width = WIDTH, .end = END, .most = MOST, .ends = ends};
            at_beam b;
            int live[MOST + 1], word[MOST + 1];
            run(&b, &o, seed, live);
            for (int i = 0; i < b.count; i++) {
                int n = at_beam_words(&b, &b.found[i], word), count = 0;
                for (int t = 0; t < n; t++)
                    count += word[t] == END;
                ended += b.found[i].ended && ends > 1;
                assert_true(b.found[i].ended ? count == ends - 1 : count < ends);
            }
            at_beam_free(&b);
        }
    assert_true(ended > 0);
}

/* a prompt of five tokens makes every hypothesis longer by four: the start is one of them */
static void the_length_counts_a_prompt(void **state)
{
    (void)state;
    for (int given = 0; given <= 5; given += 5) {
        at_beam_options o = {.width = WIDTH,
                             .end = -1,
                             .most = MOST,
                             .rule = ATTEND_LENGTH_RULE_AVERAGE,
                             .penalty = 2,
                             .given = given};
        at_beam b;
        int live[MOST + 1];
        run(&b, &o, 4, live);
        double length = MOST + (given ? given : 1);
        for (int i = 0; i < b.count; i++)
            assert_true(fabs(b.found[i].score - b.found[i].log_p / (length * length)) < 1e-12);
        at_beam_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_has_a_parent_and_a_fate),
        cmocka_unit_test(alternatives_are_the_likeliest_and_have_the_word),
        cmocka_unit_test(a_hypothesis_ends_with_the_last_of_several_ends),
        cmocka_unit_test(the_length_counts_a_prompt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
