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

static const at_sampling any = {1, 1, 0, 1, 0};

static at_translate_options usual(int width)
{
    return (at_translate_options){
        .beam = {.width = width, .rule = ATTEND_LENGTH_RULE_AVERAGE, .penalty = 1},
        .best = 1,
        .batch = 4,
        .longest = 100};
}

static at_text text_of(const char *text) { return (at_text){text, strlen(text)}; }

/* ---- what was given, to the last bit ------------------------------------------------------- */

static void print_tokens(at_str *to, const at_translated *t)
{
    for (int k = 0; k < t->count; k++) {
        at_str_print(to, " %d=%.*s", t->words[k], (int)t->piece[k].size, t->piece[k].text);
        if (t->log_ps)
            at_str_print(to, " %a", t->log_ps[k]);
        for (int s = 0; t->weights && s < t->positions; s++)
            at_str_print(to, ",%a", (double)t->weights[k][s]);
        for (int i = 0; t->attention && i < t->attention[k].count; i++)
            for (int s = 0; s < t->positions; s++)
                at_str_print(to, ";%a", (double)t->attention[k].row[i].weights[s]);
        if (t->word)
            at_str_print(to, " word %u", t->word[k]);
    }
}

static attend_status print(void *user, const at_translated *t, attend_error *err)
{
    (void)err;
    at_str *to = user;
    at_str_print(to, "%zu.%d '%s'%s%s", t->line, t->rank, t->text, t->cut ? " cut" : "",
                 t->skipped ? " skipped" : "");
    if (t->count)
        at_str_print(to, " %a %a", t->score, t->log_p);
    print_tokens(to, t);
    at_str_add(to, "\n");
    return ATTEND_OK;
}

static void translate(int count, const at_model *const *models, const at_translate_options *o,
                      size_t lines, const at_text *line, at_translated_function *give, void *user)
{
    attend_error err;
    at_session *s;
    if (at_session_new(count, models, &s, &err) < 0
        || at_translate(s, o, lines, line, give, user, &err) < 0)
        fail_msg("%s", err.message);
    at_session_free(s);
}

static at_str printed(const at_model *m, const at_translate_options *o)
{
    at_str out = {0};
    at_text line[LINES];
    for (int i = 0; i < LINES; i++)
        line[i] = text_of(texts[i]);
    translate(1, &m, o, LINES, line, print, &out);
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

static attend_status keep(void *user, const at_translated *t, attend_error *err)
{
    kept *k = user;
    (void)err;
    if (k->calls++)
        return ATTEND_OK;
    assert_true(t->count < 100);
    k->count = t->count;
    k->positions = t->positions;
    k->log_p = t->log_p;
    k->score = t->score;
    k->cut = t->cut;
    k->skipped = t->skipped;
    for (int i = 0; i < t->count; i++) {
        k->words[i] = t->words[i];
        k->log_ps[i] = t->log_ps ? t->log_ps[i] : NAN;
    }
    snprintf(k->text, sizeof k->text, "%s", t->text);
    return ATTEND_OK;
}

static kept kept_of(const at_model *m, const at_translate_options *o, const char *text)
{
    kept k = {.calls = 0};
    at_text line = text_of(text);
    translate(1, &m, o, 1, &line, keep, &k);
    return k;
}

/* ---- batches -------------------------------------------------------------------------------- */

/* each line by itself, numbered as among the others */
static at_str alone(const at_model *m, const at_translate_options *o)
{
    at_str out = {0};
    for (size_t i = 0; i < LINES; i++) {
        at_str one = {0};
        at_text line = text_of(texts[i]);
        at_translate_options part = *o;
        part.first = i;
        part.prefix = o->prefix ? o->prefix + i : NULL;
        translate(1, &m, &part, 1, &line, print, &one);
        for (char *at = one.text; at && *at; at = strchr(at, '\n') + 1) {
            assert_int_equal(*at, '0'); /* its number in the call */
            at_str_print(&out, "%zu%.*s\n", i, (int)strcspn(at + 1, "\n"), at + 1);
        }
        at_str_free(&one);
    }
    return out;
}

static void compare_batches(const at_model *m, at_translate_options o)
{
    o.batch = 1;
    for (int batch = 2; batch <= LINES + 1; batch++) {
        at_translate_options other = o;
        other.batch = batch;
        assert_same(printed(m, &o), printed(m, &other));
    }
    o.batch = LINES;
    assert_same(printed(m, &o), alone(m, &o));
}

static void a_line_has_in_every_batch_what_it_has_alone(void **state)
{
    (void)state;
    at_text prefix[LINES];
    for (int i = 0; i < LINES; i++)
        prefix[i] = text_of(i % 2 ? "le" : "le chat rouge");
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        at_translate_options greedy = usual(1), beam = usual(4), drawn = usual(2);
        greedy.weights = beam.weights = drawn.weights = true;
        greedy.words = beam.words = true;
        beam.best = 4;
        drawn.best = 2;
        drawn.sampling = &any;
        drawn.seed = 7;
        compare_batches(m, greedy);
        compare_batches(m, beam);
        compare_batches(m, drawn);
        greedy.prefix = beam.prefix = prefix;
        compare_batches(m, greedy);
        compare_batches(m, beam);
        greedy.forced = true;
        compare_batches(m, greedy);
        greedy = usual(1);
        greedy.words_alone = true;
        compare_batches(m, greedy);
        at_model_free(m);
    }
}

static attend_status count_rising(void *user, const at_translated *t, attend_error *err)
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
    at_text *line = at_alloc(MANY * sizeof *line);
    at_translate_options o = usual(1);
    o.batch = 64;
    o.beam.most = 2;
    size_t next = 0;
    for (size_t i = 0; i < MANY; i++)
        line[i] = text_of(texts[i * i % LINES]);
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
        at_translate_options o = usual(1), alone = usual(1);
        alone.words_alone = true;
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

static attend_status check_rank(void *user, const at_translated *t, attend_error *err)
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
    at_text line[LINES];
    for (int i = 0; i < LINES; i++)
        line[i] = text_of(texts[i]);
    for (int best = 1; best <= 5; best++) {
        ranked r = {.last = 0};
        at_translate_options o = usual(4), one = usual(4);
        o.best = best;
        translate(1, (const at_model *const[]){m}, &o, LINES, line, check_rank, &r);
        for (int i = 0; i < LINES; i++) {
            bool empty = strspn(texts[i], " ") == strlen(texts[i]);
            assert_int_equal(r.ranks[i], empty ? 1 : best < 4 ? best : 4);
        }
        kept first = kept_of(m, &o, texts[0]), only = kept_of(m, &one, texts[0]);
        assert_int_equal(first.calls, best < 4 ? best : 4);
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
        at_translate_options greedy = usual(1), beam = usual(50);
        greedy.beam.rule = beam.beam.rule = ATTEND_LENGTH_RULE_NONE;
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
    at_translate_options o = usual(1), again = usual(1), other = usual(1), moved = usual(1);
    o.sampling = again.sampling = other.sampling = moved.sampling = &any;
    o.seed = again.seed = moved.seed = 11;
    other.seed = 12;
    moved.first = 1;
    again.batch = 2;
    assert_same(printed(m, &o), printed(m, &again));
    assert_other(printed(m, &o), printed(m, &other));
    assert_other(printed(m, &o), printed(m, &moved));
    at_sampling likeliest = {1, 1, 1, 1, 0};
    at_translate_options greedy = usual(1);
    o.sampling = &likeliest; /* only one word to draw from */
    assert_string_equal(kept_of(m, &o, texts[0]).text, kept_of(m, &greedy, texts[0]).text);
    at_model_free(m);
}

/* ---- prefixes ------------------------------------------------------------------------------- */

static void what_was_found_scores_the_same_when_forced(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        at_translate_options o = usual(1);
        kept found = kept_of(m, &o, texts[0]);
        assert_int_equal(found.words[found.count - 1], m->target->special[ATTEND_SPECIAL_EOS]);
        at_text prefix = text_of(found.text);
        o.prefix = &prefix;
        o.forced = true;
        for (int width = 1; width <= 2; width++) {
            o.beam.width = width;
            kept forced = kept_of(m, &o, texts[0]);
            assert_string_equal(forced.text, found.text);
            assert_int_equal(forced.calls, 1);
            assert_int_equal(forced.count, found.count);
            assert_memory_equal(forced.words, found.words, (size_t)found.count * sizeof(int));
            assert_true(forced.log_p == found.log_p);
        }
        at_model_free(m);
    }
}

static void a_forced_text_is_given_back_as_it_was(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    at_text prefix = text_of("Xyzzy  le chat"); /* unknown, and two spaces */
    at_translate_options o = usual(1);
    o.prefix = &prefix;
    o.forced = true;
    kept k = kept_of(m, &o, texts[0]), empty = kept_of(m, &o, "");
    assert_string_equal(k.text, prefix.text);
    assert_int_equal(k.count, 4);
    assert_true(isfinite(k.log_p) && k.log_p < 0);
    assert_string_equal(empty.text, prefix.text); /* it has a score from nothing, too */
    assert_int_equal(empty.count, 4);
    prefix = text_of("");
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
        at_translate_options o = usual(1);
        kept free_one = kept_of(m, &o, texts[3]);
        at_text own = {free_one.text, strcspn(free_one.text, " ")}, other = text_of("mange dort");
        o.prefix = &own;
        kept same = kept_of(m, &o, texts[3]);
        assert_string_equal(same.text, free_one.text);
        assert_true(same.log_p == free_one.log_p);
        o.prefix = &other;
        for (int width = 1; width <= 3; width += 2) {
            o.beam.width = width;
            kept changed = kept_of(m, &o, texts[3]);
            assert_memory_equal(changed.text, other.text, other.size);
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
        at_text prefix = text_of("le chat mange"), line = text_of(texts[0]);
        at_translate_options o = usual(1);
        o.prefix = &prefix;
        o.forced = true;
        kept one = kept_of(a, &o, texts[0]), other = kept_of(b, &o, texts[0]), both = {.calls = 0};
        translate(2, (const at_model *const[]){a, b}, &o, 1, &line, keep, &both);
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
        at_text line[LINES];
        at_str text[LINES + 1] = {{0}};
        for (int k = 0; k < LINES; k++)
            line[k] = text_of(texts[k]);
        for (int batch = 1; batch <= LINES; batch++) {
            at_translate_options o = usual(3);
            o.best = 3;
            o.weights = true;
            o.batch = batch;
            translate(2, (const at_model *const[]){a, b}, &o, LINES, line, print, &text[batch]);
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
            at_translate_options o = usual(width);
            o.best = width;
            for (int line = 2; line <= 5; line += 3) {
                kept k = kept_of(m, &o, texts[line]);
                assert_true(k.calls == 1 && k.count == 0 && !k.cut && !k.skipped);
                assert_string_equal(k.text, "");
            }
        }
        translate(1, (const at_model *const[]){m}, &(at_translate_options){.batch = 1}, 0, NULL,
                  keep, NULL); /* none is no error */
        at_model_free(m);
    }
}

static void long_lines_are_cut_or_skipped(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURES; i++) {
        at_model *m = open_fixture(fixtures[i]);
        at_translate_options o = usual(2);
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
    at_translate_options o = usual(2), whole = usual(2);
    whole.beam.most = o.beam.most = 12;
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
    at_text line[] = {text_of("a"), text_of(texts[3])};
    kept k = {.calls = 0};
    at_translate_options o = usual(1);
    o.longest = LENGTH;
    o.first = 10;
    o.when_long = ATTEND_WHEN_LONG_ERROR;
    assert_int_equal(at_session_new(1, (const at_model *const[]){m}, &s, &err), ATTEND_OK);
    assert_int_equal(at_translate(s, &o, 2, line, keep, &k, &err), ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "line 12 "));
    assert_non_null(strstr(err.message, "at most 3 "));
    assert_non_null(strstr(err.message, "--max-length"));
    assert_int_equal(k.calls, 0);
    assert_int_equal(at_translate(s, &o, 1, line, keep, &k, &err), ATTEND_OK); /* it goes on */
    assert_int_equal(k.calls, 1);
    at_session_free(s);
    at_model_free(m);
}

/* ---- what is asked for ---------------------------------------------------------------------- */

typedef struct {
    bool weights, attention, alternatives, words, scores;
    int calls;
} asked;

static attend_status check_asked(void *user, const at_translated *t, attend_error *err)
{
    (void)err;
    asked *a = user;
    a->calls++;
    assert_int_equal(a->weights, t->weights != NULL);
    assert_int_equal(a->attention, t->attention != NULL);
    assert_int_equal(a->alternatives, t->alternative != NULL);
    assert_int_equal(a->words, t->word != NULL);
    assert_int_equal(a->scores, t->log_ps != NULL);
    assert_int_equal(a->scores, !isnan(t->score));
    assert_true(t->count > 0 && t->words && t->piece && t->source && t->beam);
    for (int k = 0; k < t->count; k++) {
        double sum = 0;
        for (int s = 0; t->weights && s < t->positions; s++)
            sum += (double)t->weights[k][s];
        assert_true(!t->weights || fabs(sum - 1) < 1e-5);
        assert_true(!t->attention || t->attention[k].count == 1);
        if (t->alternative) {
            assert_true(t->alternative[k][0].log_p >= t->alternative[k][1].log_p);
            assert_int_equal(t->alternative[k][0].word, t->words[k]); /* greedy */
            assert_true(fabs(t->alternative[k][0].log_p - t->log_ps[k]) < 1e-9);
        }
    }
    return ATTEND_OK;
}

static void results_have_what_was_asked_for_and_nothing_else(void **state)
{
    (void)state;
    at_model *m = open_fixture("two-tokenizers");
    at_text line = text_of(texts[0]);
    for (unsigned bits = 0; bits < 32; bits++) {
        asked a = {bits & 1, bits & 2, bits & 4, bits & 8, !(bits & 16), 0};
        at_translate_options o = usual(1);
        if (a.alternatives && !a.scores)
            continue; /* alternatives are scores */
        o.weights = a.weights;
        o.wanted = (at_attention_record){
            .kinds = a.attention ? 1u << ATTEND_ATTENTION_CROSS : 0, .layer = -1, .head = -1};
        o.beam.alternatives = a.alternatives ? 2 : 0;
        o.words = a.words;
        o.words_alone = !a.scores;
        translate(1, (const at_model *const[]){m}, &o, 1, &line, check_asked, &a);
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
            at_translate_options o = usual(width), more = usual(width);
            more.weights = true;
            more.wanted = (at_attention_record){
                .kinds = 1u << ATTEND_ATTENTION_CROSS, .layer = -1, .head = -1};
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

static attend_status fail_second(void *user, const at_translated *t, attend_error *err)
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
    at_text line[] = {text_of("a"), text_of("a dog"), text_of("a cat")};
    at_translate_options o = usual(1);
    int calls = 0;
    assert_int_equal(at_session_new(1, (const at_model *const[]){m}, &s, &err), ATTEND_OK);
    assert_int_equal(at_translate(s, &o, 3, line, fail_second, &calls, &err), ATTEND_FILE);
    assert_string_equal(err.message, "the disk is full");
    assert_int_equal(calls, 2);
    at_session_free(s);
    at_model_free(m);
}

static attend_status ignore(void *user, const at_translated *t, attend_error *err)
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
        at_text line[] = {text_of(texts[4]), text_of(""), text_of("a dog")};
        at_translate_options o = usual(2);
        o.best = 2;
        o.beam.most = 3;
        o.weights = o.words = true;
        translate(1, (const at_model *const[]){m}, &o, 3, line, ignore, NULL);
        long live = at_alloc_live(), n = 0;
        for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
            at_session *s = NULL;
            attend_error err;
            at_alloc_fail_after(n);
            status = at_session_new(1, (const at_model *const[]){m}, &s, &err);
            if (status >= 0)
                status = at_translate(s, &o, 3, line, ignore, NULL, &err);
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
