/* Searching: against brute force, against itself in other batches, and through a real model. */
#include "decode/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "decode/session.h"
#include "models/translator.h"

enum { V = 4, STEPS = 5, END = 3, MOST_SENTENCES = 6 };

/* ---- a model made of a table: the next word depends on the sentence, the step and the last word
 */

typedef struct {
    int sentences, step;
    real log_p[MOST_SENTENCES * 1024 * V], weights[MOST_SENTENCES * 1024 * 2];
    int first;   /* number of the first sentence */
    bool logits; /* what it gives is not normalised */
} table;

static real table_log_p(int sentence, int step, int last, int word)
{
    double x[V], sum = 0;
    for (int i = 0; i < V; i++) {
        at_random r = {.seed = 5, .sentence = (uint32_t)sentence, .step = (uint32_t)step};
        x[i] = 2 * at_random_normal(r, (uint32_t)(last * V + i));
        sum += exp(x[i]);
    }
    return (real)(x[word] - log(sum));
}

static attend_status table_step(void *self, int width, const int *from, const int *words,
                                real **log_p, const real **weights, attend_error *err)
{
    table *t = self;
    (void)from, (void)err;
    for (int row = 0; row < t->sentences * width; row++) {
        for (int w = 0; w < V; w++)
            t->log_p[row * V + w] = table_log_p(t->first + row / width, t->step, words[row], w)
                                    + (t->logits ? (real)(row % 3 - 5 * t->step) : 0);
        t->weights[2 * row] = (real)words[row];
        t->weights[2 * row + 1] = (real)t->step;
    }
    t->step++;
    *log_p = t->log_p;
    *weights = t->weights;
    return ATTEND_OK;
}

static table one_table; /* large */

static void search_table(int first, int sentences, const at_search_options *o, at_beam *beams)
{
    attend_error err;
    one_table.first = first;
    one_table.sentences = sentences;
    one_table.step = 0;
    at_searched m = {.self = &one_table,
                     .sentences = sentences,
                     .vocabulary = V,
                     .source = 2,
                     .step = table_step,
                     .logits = one_table.logits};
    if (at_search(&m, o, beams, &err) < 0)
        fail_msg("%s", err.message);
}

/* the best sum over all sentences of STEPS words or fewer that end */
static double brute_force(int sentence, int step, int last, double sum)
{
    double best = -INFINITY;
    for (int w = 0; w < V; w++) {
        double s = sum + (double)table_log_p(sentence, step, last, w);
        double found = w == END || step + 1 == STEPS ? s : brute_force(sentence, step + 1, w, s);
        best = found > best ? found : best;
    }
    return best;
}

static void a_wide_beam_finds_what_brute_force_finds(void **state)
{
    (void)state;
    at_search_options o = {.beam = {.width = 512, .end = END, .most = STEPS}};
    for (int s = 0; s < 40; s++) {
        at_beam b;
        search_table(s, 1, &o, &b);
        double best = brute_force(s, 0, 0, 0);
        assert_true(b.count > 1);
        if (fabs(b.found[0].log_p - best) > 1e-5)
            fail_msg("sentence %d: %g, brute force %g", s, b.found[0].log_p, best);
        for (int i = 1; i < b.count; i++)
            assert_true(b.found[i].score <= b.found[i - 1].score);
        at_beam_free(&b);
    }
}

static void scores_are_those_of_their_words(void **state)
{
    (void)state;
    at_search_options o = {
        .beam = {
            .width = 3, .end = END, .most = STEPS, .rule = ATTEND_LENGTH_RULE_WU, .penalty = 0.8}};
    at_beam b[MOST_SENTENCES];
    search_table(0, MOST_SENTENCES, &o, b);
    for (int s = 0; s < MOST_SENTENCES; s++)
        for (int i = 0; i < b[s].count; i++) {
            const at_hypothesis *h = &b[s].found[i];
            int word[STEPS + 1], n = at_beam_words(&b[s], h, word), last = 0;
            double sum = 0;
            if (h->ended)
                word[n++] = END;
            assert_int_equal(n, h->words);
            for (int t = 0; t < n; last = word[t++]) {
                sum += (double)table_log_p(s, t, last, word[t]);
                const real *w = at_beam_weights(&b[s], h, t); /* the row that chose word t */
                assert_true(w && w[0] == (real)last && w[1] == (real)t);
            }
            assert_true(fabs(sum - h->log_p) < 1e-5);
            double parts = 0;
            for (int t = 0; t < n; t++) {
                double one = at_beam_log_p(&b[s], h, t), last_word = t ? word[t - 1] : 0;
                assert_true(fabs(one - (double)table_log_p(s, t, (int)last_word, word[t])) < 1e-6);
                parts += one;
            }
            assert_true(fabs(parts - h->log_p) < 1e-9);
            double length = h->ended ? n : n + 1;
            assert_true(fabs(h->score - sum / pow((5 + length) / 6, 0.8)) < 1e-5);
        }
    for (int s = 0; s < MOST_SENTENCES; s++)
        at_beam_free(&b[s]);
}

static void coverage_is_that_of_the_weights(void **state)
{
    (void)state;
    at_search_options o = {.beam = {.width = 3, .end = END, .most = STEPS, .coverage = 0.5}};
    at_beam b[MOST_SENTENCES];
    search_table(0, MOST_SENTENCES, &o, b);
    for (int s = 0; s < MOST_SENTENCES; s++) {
        for (int i = 0; i < b[s].count; i++) {
            const at_hypothesis *h = &b[s].found[i];
            double sum = 0;
            for (int j = 0; j < 2; j++) {
                double seen = 0;
                for (int t = 0; t < h->words; t++)
                    seen += (double)at_beam_weights(&b[s], h, t)[j];
                sum += log(seen < 1 ? fmax(seen, 1e-10) : 1);
            }
            assert_true(fabs(h->score - h->log_p - 0.5 * sum) < 1e-6);
        }
        at_beam_free(&b[s]);
    }
}

static void a_sentence_does_not_depend_on_the_others(void **state)
{
    (void)state;
    at_search_options o = {.beam = {.width = 3, .end = END, .most = STEPS}};
    at_beam many[MOST_SENTENCES], one;
    search_table(0, MOST_SENTENCES, &o, many);
    for (int s = 0; s < MOST_SENTENCES; s++) {
        search_table(s, 1, &o, &one);
        assert_int_equal(one.count, many[s].count);
        for (int i = 0; i < one.count; i++) {
            int a[STEPS], b[STEPS], n = at_beam_words(&one, &one.found[i], a);
            assert_int_equal(at_beam_words(&many[s], &many[s].found[i], b), n);
            assert_memory_equal(a, b, (size_t)n * sizeof *a);
            assert_true(one.found[i].score == many[s].found[i].score);
        }
        at_beam_free(&one);
        at_beam_free(&many[s]);
    }
}

static void prefixes_are_kept_and_sequences_come_once(void **state)
{
    (void)state;
    static const int prefix[] = {2, 1, -1};
    const int *const prefixes[] = {prefix};
    at_search_options o = {.beam = {.width = 2, .end = END, .most = STEPS, .least = 4},
                           .no_repeat = 1,
                           .prefix = prefixes};
    at_beam b;
    search_table(3, 1, &o, &b);
    for (int i = 0; i < b.count; i++) {
        int word[STEPS], n = at_beam_words(&b, &b.found[i], word);
        assert_true(n >= 2 && word[0] == 2 && word[1] == 1);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < j; k++)
                assert_int_not_equal(word[j], word[k]);
    }
    at_beam_free(&b);
}

static void a_prefix_may_repeat_itself(void **state)
{
    (void)state;
    static const int prefix[] = {2, 2, 2, 1, 2, -1};
    const int *const prefixes[] = {prefix};
    at_search_options o = {.beam = {.width = 2, .end = END, .most = STEPS + 3, .least = 6},
                           .no_repeat = 2,
                           .prefix = prefixes};
    at_beam b;
    search_table(3, 1, &o, &b);
    assert_true(b.count > 0);
    for (int i = 0; i < b.count; i++) {
        int word[STEPS + 3], n = at_beam_words(&b, &b.found[i], word);
        assert_true(n > 5 && isfinite(b.found[i].log_p));
        assert_memory_equal(word, prefix, 5 * sizeof *word);
        for (int j = 5; j < n; j++) /* what follows repeats nothing */
            for (int k = 1; k < j; k++)
                assert_false(word[j - 1] == word[k - 1] && word[j] == word[k]);
    }
    at_beam_free(&b);
}

/* the same words; the same scores too, unless the words alone were asked for */
static void compare_found(const at_beam *a, const at_beam *b, bool scores)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        int x[STEPS], y[STEPS], n = at_beam_words(a, &a->found[i], x);
        assert_int_equal(at_beam_words(b, &b->found[i], y), n);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        assert_true(!scores || fabs(a->found[i].score - b->found[i].score) < 1e-5);
        assert_true(!scores || fabs(a->found[i].log_p - b->found[i].log_p) < 1e-5);
    }
}

static void logits_lead_to_the_same_words(void **state)
{
    static const struct {
        int width;
        double coverage;
        bool words_alone, scores;
    } how[] = {{1, 0, false, true}, {1, 0, true, false}, {1, 0.5, true, true},
               {3, 0, false, true}, {3, 0, true, true},  {3, 0.5, false, true}};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        at_search_options o = {.beam = {.width = how[i].width,
                                        .coverage = how[i].coverage,
                                        .end = END,
                                        .most = STEPS,
                                        .rule = ATTEND_LENGTH_RULE_AVERAGE,
                                        .penalty = 1}};
        at_beam a[MOST_SENTENCES], b[MOST_SENTENCES];
        search_table(0, MOST_SENTENCES, &o, a);
        o.words_alone = how[i].words_alone;
        one_table.logits = true;
        search_table(0, MOST_SENTENCES, &o, b);
        one_table.logits = false;
        for (int s = 0; s < MOST_SENTENCES; s++) {
            compare_found(&a[s], &b[s], how[i].scores);
            at_beam_free(&a[s]);
            at_beam_free(&b[s]);
        }
    }
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void words_are_drawn_by_their_probabilities(void **state)
{
    enum { DRAWS = 1024 };
    static const at_sampling plain = {1, 1, 0, 1, 0}, two = {1, 1, 2, 1, 0};
    at_search_options o = {
        .beam = {.width = DRAWS, .end = END, .most = 1}, .sampling = &plain, .seed = 4};
    at_beam b;
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        int count[V] = {0};
        o.sampling = cut ? &two : &plain;
        search_table(0, 1, &o, &b);
        assert_int_equal(b.count, DRAWS);
        for (int i = 0; i < DRAWS; i++) {
            int word[STEPS], n = at_beam_words(&b, &b.found[i], word);
            count[n ? word[0] : END]++;
        }
        at_beam_free(&b);
        int kinds = 0;
        for (int w = 0; w < V; w++) {
            double p = exp((double)table_log_p(0, 0, 0, w));
            kinds += count[w] > 0;
            if (!cut) /* five standard deviations */
                assert_true(fabs(count[w] - DRAWS * p) < 5 * sqrt(DRAWS * p * (1 - p)) + 1);
        }
        assert_int_equal(kinds, cut ? 2 : V);
    }
}

static void draws_depend_on_seed_and_line_alone(void **state)
{
    static const at_sampling plain = {1, 1, 0, 1, 0};
    static const size_t number[] = {0, 1, 2, 3, 4, 5};
    at_beam many[MOST_SENTENCES], one, other;
    at_search_options o = {.beam = {.width = 4, .end = END, .most = STEPS},
                           .sampling = &plain,
                           .seed = 4,
                           .number = number};
    int same = 0;
    (void)state;
    search_table(0, MOST_SENTENCES, &o, many);
    for (int s = 0; s < MOST_SENTENCES; s++) {
        o.number = number + s;
        o.seed = 4;
        search_table(s, 1, &o, &one);
        o.seed = 5;
        search_table(s, 1, &o, &other);
        assert_int_equal(one.count, 4);
        for (int i = 0; i < one.count; i++) {
            assert_true(one.found[i].log_p == many[s].found[i].log_p);
            same += one.found[i].log_p == other.found[i].log_p;
        }
        at_beam_free(&one);
        at_beam_free(&other);
        at_beam_free(&many[s]);
    }
    assert_true(same < MOST_SENTENCES * 4 / 2);
}

/* logits that differ by less than their log-probabilities can tell */
static attend_status near_step(void *self, int width, const int *from, const int *words,
                               real **log_p, const real **weights, attend_error *err)
{
    static real logits[V];
    (void)self, (void)width, (void)from, (void)words, (void)err;
    for (int w = 0; w < V; w++)
        logits[w] = (real)(w * 1e-18);
    *log_p = logits;
    *weights = NULL;
    return ATTEND_OK;
}

static void drawing_from_logits_is_a_choice(void **state)
{
    enum { DRAWS = 64 };
    static const at_sampling one = {1, 1, 1, 1, 0};
    const at_searched m = {.sentences = 1, .vocabulary = V, .step = near_step, .logits = true};
    (void)state;
    for (int logits = 0; logits < 2; logits++) {
        at_search_options o = {.beam = {.width = DRAWS, .end = -1, .most = 1},
                               .sampling = &one,
                               .draw_from_logits = logits};
        attend_error err = {.message = ""};
        at_beam b;
        bool came[V] = {false};
        if (at_search(&m, &o, &b, &err) < 0)
            fail_msg("%s", err.message);
        for (int i = 0; i < b.count; i++) {
            int word[STEPS];
            assert_int_equal(at_beam_words(&b, &b.found[i], word), 1);
            came[word[0]] = true;
        }
        at_beam_free(&b);
        for (int w = 0; w < V; w++)
            assert_true(came[w] == (!logits || w == V - 1));
    }
}

/* ---- a real model --------------------------------------------------------------------------- */

enum { WORDS = 11, LENGTH = 6, SENTENCES = 5 };

static attend_status (*own_keep)(void *, int, const int *, attend_error *);
static int narrowed;

static attend_status counted_keep(void *self, int count, const int *which, attend_error *err)
{
    narrowed++;
    return own_keep(self, count, which, err);
}

static void search_model(const at_seq2seq *m, at_params *params, int first, int n, at_beam *beams)
{
    static const int lengths[SENTENCES] = {6, 4, 1, 5, 3};
    int ids[SENTENCES * LENGTH], longest = 0;
    attend_error err;
    at_session *c;
    at_searched searched;
    for (int s = first; s < first + n; s++)
        longest = lengths[s] > longest ? lengths[s] : longest;
    for (int i = 0; i < n * longest; i++)
        ids[i] = (int)at_random_below((at_random){.seed = 9},
                                      (uint32_t)((first + i / longest) * LENGTH + i % longest),
                                      WORDS);
    at_search_options o = {.beam = {.width = 3, .end = 1, .most = 8, .coverage = 0.2}};
    at_model whole = {.kind = &at_model_translator, .net = (void *)m, .params = params};
    const at_model *model = &whole;
    at_beginning in = {.sentences = n,
                       .source = {{SHAPE(n, longest), ids}, NULL, lengths + first},
                       .weights = true,
                       .weights_of = {-1, -1}};
    assert_true(at_session_new(1, &model, &c, &err) >= 0);
    attend_status status = at_session_start(c, &in, &err);
    if (status >= 0)
        status = at_session_searched(c, 0, o.beam.width, &searched, &err);
    own_keep = searched.keep;
    searched.keep = counted_keep;
    if (status < 0 || at_search(&searched, &o, beams, &err) < 0)
        fail_msg("%s", err.message);
    at_session_free(c);
}

static void same_hypotheses(const at_beam *a, const at_beam *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        int x[8], y[8], n = at_beam_words(a, &a->found[i], x);
        assert_int_equal(at_beam_words(b, &b->found[i], y), n);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        assert_true(a->found[i].score == b->found[i].score);
        for (int t = 0; t < a->found[i].words && a->source; t++)
            assert_memory_equal(
                at_beam_weights(a, &a->found[i], t), at_beam_weights(b, &b->found[i], t),
                (size_t)(b->source < a->source ? b->source : a->source) * sizeof(real));
    }
}

/* also when some sentences are done long before the others, and the search goes on without them */
static void models_translate_alike_in_any_batch(void **state)
{
    static const struct {
        const char *preset, *attention; /* NULL: its own */
    } models[] = {
        {"bahdanau", NULL},
        {"luong", NULL},
        {"cho", NULL},
        {"sutskever", NULL},
        {"d2l", NULL},
        {"luong", "scaled-dot/global/soft/2"},
        {"luong", "additive/global/sparse/4"},
        {"luong", "cosine/window:2"},
        {"bahdanau", "bilinear/predicted:2"},
        {"luong", "bilinear/expanded:1,2"},
        {"luong", "bilinear/hybrid:window,1"},
        {"bahdanau", "location:8"},
    };
    (void)state;
    narrowed = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        attend_error err;
        at_translator s;
        at_seq2seq m;
        assert_true(at_translator_preset(&s, models[i].preset, &err) >= 0);
        s.hidden = s.embedding = 8;
        s.attention = models[i].attention ? models[i].attention : s.attention;
        if (at_translator_model(&s, WORDS, WORDS, &m, &err) < 0)
            fail_msg("%s", err.message);
        at_params *params = at_params_new(3);
        at_beam many[SENTENCES], one;
        search_model(&m, params, 0, SENTENCES, many);
        for (int k = 0; k < SENTENCES; k++) {
            search_model(&m, params, k, 1, &one);
            same_hypotheses(&many[k], &one);
            at_beam_free(&one);
            at_beam_free(&many[k]);
        }
        at_params_free(params);
    }
    assert_true(narrowed > 0);
}

/* the weights of the first step on a sentence */
static void first_weights(const at_seq2seq *m, at_params *params, const int *ids, real *to)
{
    static const int lengths[1] = {4}, from[1] = {0}, word[1] = {0};
    attend_error err;
    at_session *c;
    at_session_numbers out;
    at_model whole = {.kind = &at_model_translator, .net = (void *)m, .params = params};
    const at_model *model = &whole;
    at_beginning in = {.sentences = 1,
                       .source = {{SHAPE(1, LENGTH), ids}, NULL, lengths},
                       .weights = true,
                       .weights_of = {-1, -1}};
    assert_true(at_session_new(1, &model, &c, &err) >= 0);
    assert_true(at_session_start(c, &in, &err) >= 0);
    assert_true(at_session_step(c, 1, from, word, &out, &err) >= 0);
    memcpy(to, out.weights, LENGTH * sizeof *to);
    at_session_free(c);
}

static void weights_are_of_the_source_as_it_was_given(void **state)
{
    static const int ids[LENGTH] = {3, 5, 7, 2, 0, 0}, turned[LENGTH] = {2, 7, 5, 3, 0, 0};
    real one[LENGTH], other[LENGTH];
    attend_error err;
    at_translator s;
    at_seq2seq m;
    (void)state;
    assert_true(at_translator_preset(&s, "luong", &err) >= 0);
    s.hidden = s.embedding = 8;
    assert_true(at_translator_model(&s, WORDS, WORDS, &m, &err) >= 0);
    at_params *params = at_params_new(3);
    first_weights(&m, params, turned, one);
    m.reversed = true;
    first_weights(&m, params, ids, other);
    assert_true(other[0] != other[3]);
    for (int i = 0; i < 4; i++)
        assert_true(one[i] == other[3 - i]);
    at_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_wide_beam_finds_what_brute_force_finds),
                                       cmocka_unit_test(scores_are_those_of_their_words),
                                       cmocka_unit_test(coverage_is_that_of_the_weights),
                                       cmocka_unit_test(a_sentence_does_not_depend_on_the_others),
                                       cmocka_unit_test(prefixes_are_kept_and_sequences_come_once),
                                       cmocka_unit_test(a_prefix_may_repeat_itself),
                                       cmocka_unit_test(logits_lead_to_the_same_words),
                                       cmocka_unit_test(words_are_drawn_by_their_probabilities),
                                       cmocka_unit_test(draws_depend_on_seed_and_line_alone),
                                       cmocka_unit_test(drawing_from_logits_is_a_choice),
                                       cmocka_unit_test(weights_are_of_the_source_as_it_was_given),
                                       cmocka_unit_test(models_translate_alike_in_any_batch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
