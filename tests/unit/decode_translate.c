/* Lines through translators: every search gives a line what it gets alone, in any batch; results
 * come in the order of the lines, and have what was asked for and nothing else. */
#include "decode/translate.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model_fixtures.h"

enum { LINES = 7, LENGTH = 3 };

static const char *const texts[LINES] = {
    "the red cat sleeps", "a dog eats", "", "an old cat eats the red dog", "the Zorro", "  ", "a"};
static const char *const fixtures[] = {"two-tokenizers", "shared-tokenizer", "copy"};
enum { FIXTURES = sizeof fixtures / sizeof *fixtures };

static attend_translate_options usual(int width)
{
    attend_translate_options o;
    attend_translate_defaults(&o);
    o.beam = width;
    o.batch = 4;
    o.longest = 100;
    return o;
}

/* ---- what was given, to the last bit ------------------------------------------------------- */

static void print_attention(at_str *to, const attend_translation *t, int query)
{
    for (size_t i = 0; i < t->attention_count; i++)
        for (int s = 0; t->attention[i].query == query && s < t->sources; s++)
            at_str_print(to, ";%a", t->attention[i].weights[s]);
}

static void print_tokens(at_str *to, const attend_translation *t)
{
    for (int k = 0; k < t->targets; k++) {
        at_str_print(to, " %d=%s", t->token[k], t->target[k]);
        if (t->log_ps)
            at_str_print(to, " %a", t->log_ps[k]);
        for (int s = 0; t->weights && s < t->sources; s++)
            at_str_print(to, ",%a", t->weights[k * t->sources + s]);
        print_attention(to, t, k);
        if (t->target_word)
            at_str_print(to, " word %u", t->target_word[k]);
    }
}

static attend_status print(void *user, const attend_translation *t, attend_error *err)
{
    (void)err;
    at_str *to = user;
    at_str_print(to, "%zu.%d '%s'%s%s", t->line, t->rank, t->text, t->cut ? " cut" : "",
                 t->skipped ? " skipped" : "");
    if (t->targets)
        at_str_print(to, " %a %a", t->score, t->log_p);
    print_tokens(to, t);
    at_str_add(to, "\n");
    return ATTEND_OK;
}

static void translate(int count, const at_model *const *models, const attend_translate_options *o,
                      size_t lines, const char *const *line, attend_translation_function *give,
                      void *user)
{
    attend_error err;
    at_session *s;
    if (at_session_new(count, models, &s, &err) < 0
        || at_translate(s, o, &(at_sources){lines, line, NULL}, give, user, &err) < 0)
        fail_msg("%s", err.message);
    at_session_free(s);
}

static at_str printed(const at_model *m, const attend_translate_options *o)
{
    at_str out = {0};
    translate(1, &m, o, LINES, texts, print, &out);
    assert_false(out.failed);
    return out;
}

static void assert_same(at_str a, at_str b)
{
    assert_string_equal(at_str_text(&a), at_str_text(&b));
    at_str_free(&a);
    at_str_free(&b);
}

static void assert_other(at_str a, at_str b)
{
    assert_string_not_equal(at_str_text(&a), at_str_text(&b));
    at_str_free(&a);
    at_str_free(&b);
}

/* the numbers of one hypothesis, kept */
typedef struct {
    int calls, count, words[100], positions;
    double log_ps[100], log_p, score;
    char text[200];
    bool cut, skipped;
} kept;

static attend_status keep(void *user, const attend_translation *t, attend_error *err)
{
    kept *k = user;
    (void)err;
    if (k->calls++)
        return ATTEND_OK;
    assert_true(t->targets < 100);
    k->count = t->targets;
    k->positions = t->sources;
    k->log_p = t->log_p;
    k->score = t->score;
    k->cut = t->cut;
    k->skipped = t->skipped;
    for (int i = 0; i < t->targets; i++) {
        k->words[i] = t->token[i];
        k->log_ps[i] = t->log_ps ? t->log_ps[i] : NAN;
    }
    snprintf(k->text, sizeof k->text, "%s", t->text);
    return ATTEND_OK;
}

static kept kept_of(const at_model *m, const attend_translate_options *o, const char *text)
{
    kept k = {.calls = 0};
    translate(1, &m, o, 1, &text, keep, &k);
    return k;
}

/* ---- batches -------------------------------------------------------------------------------- */

/* each line by itself, numbered as among the others */
static at_str alone(const at_model *m, const attend_translate_options *o)
{
    at_str out = {0};
    for (size_t i = 0; i < LINES; i++) {
        at_str one = {0};
        attend_translate_options part = *o;
        part.first = i;
        part.prefix = o->prefix ? o->prefix + i : NULL;
        translate(1, &m, &part, 1, &texts[i], print, &one);
        for (char *at = one.text; at && *at; at = strchr(at, '\n') + 1) {
            assert_int_equal(*at, '0'); /* its number in the call */
            at_str_print(&out, "%zu%.*s\n", i, (int)strcspn(at + 1, "\n"), at + 1);
        }
        at_str_free(&one);
    }
    return out;
}

static void compare_batches(const at_model *m, attend_translate_options o)
{
    o.batch = 1;
    for (int batch = 2; batch <= LINES + 1; batch++) {
        attend_translate_options other = o;
        other.batch = batch;
        assert_same(printed(m, &o), printed(m, &other));
    }
    o.batch = LINES;
    assert_same(printed(m, &o), alone(m, &o));
}

static void a_line_has_in_every_batch_what_it_has_alone(void **state)
{
    (void)state;
    const char *prefix[LINES];
    for (int i = 0; i < LINES; i++)
        prefix[i] = (i % 2 ? "le" : "le chat rouge");
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        attend_translate_options greedy = usual(1), beam = usual(4), drawn = usual(2);
        greedy.attention = beam.attention = drawn.attention = 1;
        greedy.target_words = beam.target_words = 1;
        beam.best = 4;
        drawn.best = 2;
        drawn.sample = 1;
        drawn.seed = 7;
        compare_batches(m, greedy);
        compare_batches(m, beam);
        compare_batches(m, drawn);
        greedy.prefix = beam.prefix = prefix;
        compare_batches(m, greedy);
        compare_batches(m, beam);
        greedy.forced = 1;
        compare_batches(m, greedy);
        greedy = usual(1);
        greedy.scores = 0;
        compare_batches(m, greedy);
        at_model_free(m);
    }
}

static attend_status count_rising(void *user, const attend_translation *t, attend_error *err)
{
    (void)err;
    size_t *next = user;
    assert_int_equal(t->line, (*next)++);
    return ATTEND_OK;
}

/* lines are sorted in blocks of some thousands, which number them from the first of all */
static void lines_of_many_blocks_come_in_their_order(void **state)
{
    enum { MANY = 4096 + 5 };
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    const char **line = at_alloc(MANY * sizeof *line);
    attend_translate_options o = usual(1);
    o.batch = 64;
    o.most = 2;
    size_t next = 0;
    for (size_t i = 0; i < MANY; i++)
        line[i] = texts[i * i % LINES];
    translate(1, (const at_model *const[]){m}, &o, MANY, line, count_rising, &next);
    assert_int_equal(next, MANY);
    at_free(line);
    at_model_free(m);
}

/* ---- search --------------------------------------------------------------------------------- */

static void greedy_words_are_the_same_without_their_scores(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        attend_translate_options o = usual(1), alone = usual(1);
        alone.scores = 0;
        kept k = kept_of(m, &o, texts[0]), words = kept_of(m, &alone, texts[0]);
        double sum = 0;
        for (int n = 0; n < k.count; n++)
            sum += k.log_ps[n];
        assert_true(k.count > 1);
        assert_true(fabs(sum - k.log_p) < 1e-9);
        assert_string_equal(k.text, words.text);
        assert_memory_equal(k.words, words.words, (size_t)k.count * sizeof *k.words);
        assert_true(isnan(words.log_p) && isnan(words.score) && isnan(words.log_ps[0]));
        at_model_free(m);
    }
}

typedef struct {
    int ranks[LINES];
    double last;
} ranked;

static attend_status check_rank(void *user, const attend_translation *t, attend_error *err)
{
    (void)err;
    ranked *r = user;
    assert_int_equal(t->rank, r->ranks[t->line]++);
    assert_true(t->rank == 0 || t->score <= r->last);
    r->last = t->score;
    return ATTEND_OK;
}

static void the_best_of_a_beam_come_first_and_as_many_as_asked_for(void **state)
{
    (void)state;
    at_model *m = open_fixture("shared-tokenizer");
    for (int best = 1; best <= 4; best++) {
        ranked r = {.last = 0};
        attend_translate_options o = usual(4), one = usual(4);
        o.best = best;
        translate(1, (const at_model *const[]){m}, &o, LINES, texts, check_rank, &r);
        for (int i = 0; i < LINES; i++) {
            bool empty = strspn(texts[i], " ") == strlen(texts[i]);
            assert_int_equal(r.ranks[i], empty ? 1 : best);
        }
        kept first = kept_of(m, &o, texts[0]), only = kept_of(m, &one, texts[0]);
        assert_int_equal(first.calls, best);
        assert_string_equal(first.text, only.text);
        assert_true(first.score == only.score);
    }
    at_model_free(m);
}

static void a_wider_beam_finds_nothing_less_likely(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        attend_translate_options greedy = usual(1), beam = usual(50);
        greedy.rule = beam.rule = ATTEND_LENGTH_RULE_NONE;
        for (int line = 0; line < LINES; line++)
            assert_true(kept_of(m, &beam, texts[line]).score
                        >= kept_of(m, &greedy, texts[line]).score);
        at_model_free(m);
    }
}

static void a_seed_decides_what_is_drawn(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    attend_translate_options o = usual(1), again = usual(1), other = usual(1), moved = usual(1);
    o.sample = again.sample = other.sample = moved.sample = 1;
    o.seed = again.seed = moved.seed = 11;
    other.seed = 12;
    moved.first = 1;
    again.batch = 2;
    assert_same(printed(m, &o), printed(m, &again));
    assert_other(printed(m, &o), printed(m, &other));
    assert_other(printed(m, &o), printed(m, &moved));
    attend_translate_options greedy = usual(1);
    o.top_k = 1; /* only one word to draw from */
    assert_string_equal(kept_of(m, &o, texts[0]).text, kept_of(m, &greedy, texts[0]).text);
    at_model_free(m);
}

/* ---- prefixes ------------------------------------------------------------------------------- */

static void what_was_found_scores_the_same_when_forced(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        attend_translate_options o = usual(1);
        kept found = kept_of(m, &o, texts[0]);
        assert_int_equal(found.words[found.count - 1], m->target->special[ATTEND_SPECIAL_EOS]);
        const char *prefix = found.text;
        o.prefix = &prefix;
        o.forced = 1;
        kept forced = kept_of(m, &o, texts[0]);
        assert_string_equal(forced.text, found.text);
        assert_int_equal(forced.calls, 1);
        assert_int_equal(forced.count, found.count);
        assert_memory_equal(forced.words, found.words, (size_t)found.count * sizeof(int));
        assert_true(forced.log_p == found.log_p);
        at_model_free(m);
    }
}

static void a_forced_text_is_given_back_as_it_was(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    const char *prefix = "Xyzzy  le chat"; /* unknown, and two spaces */
    attend_translate_options o = usual(1);
    o.prefix = &prefix;
    o.forced = 1;
    kept k = kept_of(m, &o, texts[0]), empty = kept_of(m, &o, "");
    assert_string_equal(k.text, prefix);
    assert_int_equal(k.count, 4);
    assert_true(isfinite(k.log_p) && k.log_p < 0);
    assert_string_equal(empty.text, prefix); /* it has a score from nothing, too */
    assert_int_equal(empty.count, 4);
    prefix = "";
    k = kept_of(m, &o, texts[0]);
    assert_string_equal(k.text, "");
    assert_int_equal(k.count, 1); /* the end */
    at_model_free(m);
}

static void a_translation_continues_its_prefix(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        attend_translate_options o = usual(1);
        kept free_one = kept_of(m, &o, texts[3]);
        char first[sizeof free_one.text];
        const char *own = first, *other = "mange dort";
        snprintf(first, sizeof first, "%.*s", (int)strcspn(free_one.text, " "), free_one.text);
        o.prefix = &own;
        kept same = kept_of(m, &o, texts[3]);
        assert_string_equal(same.text, free_one.text);
        assert_true(same.log_p == free_one.log_p);
        o.prefix = &other;
        for (int width = 1; width <= 3; width += 2) {
            o.beam = width;
            kept changed = kept_of(m, &o, texts[3]);
            assert_memory_equal(changed.text, other, strlen(other));
            assert_true(changed.count > 2);
        }
        at_model_free(m);
    }
}

/* ---- ensembles ------------------------------------------------------------------------------ */

/* the same tokenizers, and weights as they are made */
static at_model *untrained(const char *name)
{
    at_model *m;
    attend_error err;
    if (at_model_open_unweighted(fixture(name), &m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

static void an_ensemble_has_the_mean_of_its_probabilities(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *a = open_fixture(fixtures[i]), *b = untrained(fixtures[i]);
        const char *prefix = "le chat mange";
        attend_translate_options o = usual(1);
        o.prefix = &prefix;
        o.forced = 1;
        kept one = kept_of(a, &o, texts[0]), other = kept_of(b, &o, texts[0]), both = {.calls = 0};
        translate(2, (const at_model *const[]){a, b}, &o, 1, texts, keep, &both);
        assert_int_equal(both.count, one.count);
        for (int k = 0; k < both.count; k++) {
            double mean = (exp(one.log_ps[k]) + exp(other.log_ps[k])) / 2;
            assert_true(fabs(exp(both.log_ps[k]) - mean) < 1e-6);
        }
        assert_true(fabs(one.log_p - other.log_p) > 1e-3);
        at_model_free(a);
        at_model_free(b);
    }
}

static void so_has_it_in_every_batch(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *a = open_fixture(fixtures[i]), *b = untrained(fixtures[i]);
        at_str text[LINES + 1] = {{0}};
        for (int batch = 1; batch <= LINES; batch++) {
            attend_translate_options o = usual(3);
            o.best = 3;
            o.attention = 1;
            o.batch = batch;
            translate(2, (const at_model *const[]){a, b}, &o, LINES, texts, print, &text[batch]);
            assert_string_equal(at_str_text(&text[batch]), at_str_text(&text[1]));
        }
        assert_true(text[1].length > 200);
        for (int batch = 1; batch <= LINES; batch++)
            at_str_free(&text[batch]);
        at_model_free(a);
        at_model_free(b);
    }
}

/* ---- empty and long lines ------------------------------------------------------------------- */

static void empty_lines_have_empty_translations(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        for (int width = 1; width <= 3; width++) {
            attend_translate_options o = usual(width);
            o.best = width;
            for (int line = 2; line <= 5; line += 3) {
                kept k = kept_of(m, &o, texts[line]);
                assert_true(k.calls == 1 && k.count == 0 && !k.cut && !k.skipped);
                assert_string_equal(k.text, "");
            }
        }
        attend_translate_options o = usual(1);
        translate(1, (const at_model *const[]){m}, &o, 0, NULL, keep, NULL); /* none is no error */
        at_model_free(m);
    }
}

static void long_lines_are_cut_or_skipped(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        attend_translate_options o = usual(2);
        o.longest = LENGTH;
        o.when_long = ATTEND_WHEN_LONG_CUT;
        kept cut = kept_of(m, &o, texts[3]);
        assert_true(cut.cut && !cut.skipped && cut.count > 0);
        assert_int_equal(cut.positions, LENGTH);
        o.when_long = ATTEND_WHEN_LONG_SKIP;
        kept skipped = kept_of(m, &o, texts[3]);
        assert_true(skipped.skipped && !skipped.cut && skipped.count == 0);
        assert_string_equal(skipped.text, "");
        kept read = kept_of(m, &o, "a");
        assert_true(!read.skipped && !read.cut && read.count > 0);
        compare_batches(m, o);
        o.when_long = ATTEND_WHEN_LONG_CUT;
        compare_batches(m, o);
        at_model_free(m);
    }
}

/* two words and the end are all of it */
static void a_line_that_is_cut_is_translated_as_what_is_left(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    attend_translate_options o = usual(2), whole = usual(2);
    whole.most = o.most = 12;
    o.longest = LENGTH;
    o.when_long = ATTEND_WHEN_LONG_CUT;
    kept cut = kept_of(m, &o, "an old cat eats the red dog"), left = kept_of(m, &whole, "an old");
    assert_int_equal(left.positions, LENGTH);
    assert_string_equal(cut.text, left.text);
    assert_true(cut.score == left.score);
    at_model_free(m);
}

static void a_long_line_is_refused_with_its_number(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    attend_error err;
    at_session *s;
    const char *line[] = {"a", texts[3]};
    kept k = {.calls = 0};
    attend_translate_options o = usual(1);
    o.longest = LENGTH;
    o.first = 10;
    o.when_long = ATTEND_WHEN_LONG_ERROR;
    assert_int_equal(at_session_new(1, (const at_model *const[]){m}, &s, &err), ATTEND_OK);
    assert_int_equal(at_translate(s, &o, &(at_sources){2, line, NULL}, keep, &k, &err),
                     ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "line 12 "));
    assert_non_null(strstr(err.message, "at most 3 "));
    assert_non_null(strstr(err.message, "--max-length"));
    assert_int_equal(k.calls, 0);
    assert_int_equal(at_translate(s, &o, &(at_sources){1, line, NULL}, keep, &k, &err),
                     ATTEND_OK); /* it goes on */
    assert_int_equal(k.calls, 1);
    at_session_free(s);
    at_model_free(m);
}

/* ---- what is asked for ---------------------------------------------------------------------- */

typedef struct {
    bool weights, attention, alternatives, words, scores;
    int calls;
} asked;

static attend_status check_asked(void *user, const attend_translation *t, attend_error *err)
{
    (void)err;
    asked *a = user;
    a->calls++;
    assert_int_equal(a->weights, t->weights != NULL);
    assert_int_equal(a->attention, t->attention != NULL);
    assert_int_equal(a->attention ? t->targets : 0, t->attention_count);
    assert_int_equal(a->alternatives, t->alternatives != NULL);
    assert_int_equal(a->words, t->target_word != NULL);
    assert_int_equal(a->scores, t->log_ps != NULL);
    assert_int_equal(a->scores, !isnan(t->score));
    assert_true(t->targets > 0 && t->token && t->target && t->source && !t->trace);
    for (int k = 0; k < t->targets; k++) {
        double sum = 0;
        for (int s = 0; t->weights && s < t->sources; s++)
            sum += t->weights[k * t->sources + s];
        assert_true(!t->weights || fabs(sum - 1) < 1e-5);
        if (t->alternatives) {
            const attend_alternative *two = t->alternatives + k * t->alternative_count;
            assert_true(two[0].log_p >= two[1].log_p);
            assert_int_equal(two[0].token, t->token[k]); /* greedy */
            assert_true(fabs(two[0].log_p - t->log_ps[k]) < 1e-9);
        }
    }
    return ATTEND_OK;
}

static void results_have_what_was_asked_for_and_nothing_else(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    for (unsigned bits = 0; bits < 32; bits++) {
        asked a = {bits & 1, bits & 2, bits & 4, bits & 8, !(bits & 16), 0};
        attend_translate_options o = usual(1);
        if (a.alternatives && !a.scores)
            continue; /* alternatives are scores */
        o.attention = a.weights;
        o.record = a.attention ? 1u << ATTEND_ATTENTION_CROSS : 0;
        o.alternatives = a.alternatives ? 2 : 0;
        o.target_words = a.words;
        o.scores = a.scores;
        translate(1, (const at_model *const[]){m}, &o, 1, texts, check_asked, &a);
        assert_int_equal(a.calls, 1);
    }
    at_model_free(m);
}

static void asking_for_attention_changes_no_bit(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        for (int width = 1; width <= 4; width += 3) {
            attend_translate_options o = usual(width), more = usual(width);
            more.attention = 1;
            more.record = 1u << ATTEND_ATTENTION_CROSS;
            for (int line = 0; line < LINES; line++) {
                kept a = kept_of(m, &o, texts[line]), b = kept_of(m, &more, texts[line]);
                assert_string_equal(a.text, b.text);
                assert_int_equal(a.count, b.count);
                assert_memory_equal(a.log_ps, b.log_ps, (size_t)a.count * sizeof *a.log_ps);
            }
        }
        at_model_free(m);
    }
}

/* ---- failures ------------------------------------------------------------------------------- */

static attend_status fail_second(void *user, const attend_translation *t, attend_error *err)
{
    (void)t;
    return ++*(int *)user == 2 ? at_error(err, ATTEND_FILE, "the disk is full") : ATTEND_OK;
}

static void an_error_of_the_callback_ends_the_work(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    attend_error err;
    at_session *s;
    const char *line[] = {"a", "a dog", "a cat"};
    attend_translate_options o = usual(1);
    int calls = 0;
    assert_int_equal(at_session_new(1, (const at_model *const[]){m}, &s, &err), ATTEND_OK);
    assert_int_equal(at_translate(s, &o, &(at_sources){3, line, NULL}, fail_second, &calls, &err),
                     ATTEND_FILE);
    assert_string_equal(err.message, "the disk is full");
    assert_int_equal(calls, 2);
    at_session_free(s);
    at_model_free(m);
}

static attend_status ignore(void *user, const attend_translation *t, attend_error *err)
{
    (void)user;
    (void)t;
    (void)err;
    return ATTEND_OK;
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        const char *line[] = {texts[4], "", "a dog"};
        attend_translate_options o = usual(2);
        o.best = 2;
        o.most = 3;
        o.attention = o.target_words = 1;
        translate(1, (const at_model *const[]){m}, &o, 3, line, ignore, NULL);
        long live = at_alloc_live(), n = 0;
        for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
            at_session *s = NULL;
            attend_error err;
            at_alloc_fail_after(n);
            status = at_session_new(1, (const at_model *const[]){m}, &s, &err);
            if (status >= 0)
                status = at_translate(s, &o, &(at_sources){3, line, NULL}, ignore, NULL, &err);
            at_alloc_fail_after(-1);
            at_session_free(s);
            if (status != ATTEND_OK && status != ATTEND_MEMORY)
                fail_msg("%s, allocation %ld: %s", fixtures[i], n, err.message);
            assert_int_equal(at_alloc_live(), live);
        }
        assert_true(n > 20);
        at_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_in_every_batch_what_it_has_alone),
        cmocka_unit_test(lines_of_many_blocks_come_in_their_order),
        cmocka_unit_test(greedy_words_are_the_same_without_their_scores),
        cmocka_unit_test(the_best_of_a_beam_come_first_and_as_many_as_asked_for),
        cmocka_unit_test(a_wider_beam_finds_nothing_less_likely),
        cmocka_unit_test(a_seed_decides_what_is_drawn),
        cmocka_unit_test(what_was_found_scores_the_same_when_forced),
        cmocka_unit_test(a_forced_text_is_given_back_as_it_was),
        cmocka_unit_test(a_translation_continues_its_prefix),
        cmocka_unit_test(an_ensemble_has_the_mean_of_its_probabilities),
        cmocka_unit_test(so_has_it_in_every_batch),
        cmocka_unit_test(empty_lines_have_empty_translations),
        cmocka_unit_test(long_lines_are_cut_or_skipped),
        cmocka_unit_test(a_line_that_is_cut_is_translated_as_what_is_left),
        cmocka_unit_test(a_long_line_is_refused_with_its_number),
        cmocka_unit_test(results_have_what_was_asked_for_and_nothing_else),
        cmocka_unit_test(asking_for_attention_changes_no_bit),
        cmocka_unit_test(an_error_of_the_callback_ends_the_work),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
