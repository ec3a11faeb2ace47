/* Beam search over tables of logits: the log-probabilities of the next word depend on the step and
 * the last word alone. logits_table [steps, V, V]. */
#include <math.h>
#include <string.h>

#include "decode/beam.h"
#include "oracle.h"

typedef struct {
    int steps, V, start;
    real *log_p; /* [steps, V, V] */
} table;

static void log_softmax(const real *x, int n, real *y)
{
    double top = x[0], sum = 0;

    for (int i = 1; i < n; i++)
        top = (double)x[i] > top ? (double)x[i] : top;
    for (int i = 0; i < n; i++)
        sum += exp((double)x[i] - top);
    for (int i = 0; i < n; i++)
        y[i] = (real)((double)x[i] - top - log(sum));
}

static bool read_table(at_case *c, table *t)
{
    at_shape s;
    const real *x = at_case_reals(c, c->inputs, "logits_table", &s);

    *t = (table){.start = at_case_int(c, "settings.start_token", 0)};
    if (!x || s.rank != 3 || s.dim[1] != s.dim[2] || s.dim[0] < 1 || s.dim[1] < 1 || t->start < 0
        || t->start >= s.dim[1]) {
        at_case_fail(c, "logits_table must be [steps, words, words], the start one of the words");
        return false;
    }
    t->steps = s.dim[0];
    t->V = s.dim[1];
    t->log_p = at_arena_alloc(&c->memory, sizeof(real) * (size_t)(t->steps * t->V * t->V));
    for (int i = 0; t->log_p && i < t->steps * t->V; i++)
        log_softmax(x + i * t->V, t->V, t->log_p + i * t->V);
    return t->log_p != NULL;
}

/* The whole search; hypotheses are in b, which the caller frees. */
static bool search(at_case *c, const table *t, const at_beam_options *o, at_beam *b)
{
    attend_error err;
    attend_status status = at_beam_start(b, o, t->V, 0, &err);
    real *rows = at_arena_alloc(&c->memory, sizeof(real) * (size_t)(o->width * t->V));

    while (status >= 0 && rows && !b->done) {
        for (int k = 0; k < b->live; k++) {
            int last = b->steps ? b->word[k] : t->start;
            memcpy(rows + k * t->V, t->log_p + (b->steps * t->V + last) * t->V,
                   sizeof(real) * (size_t)t->V);
        }
        status = at_beam_step(b, rows, NULL, NULL, &err);
    }
    if (status < 0)
        at_case_fail(c, "%s", err.message);
    at_beam_finish(b);
    return status >= 0 && rows;
}

/* the words of the i-th hypothesis are those of want from `first` on, then padding */
static void compare_words(at_case *c, const at_beam *b, int i, json_t *want, size_t first)
{
    int *word = at_arena_alloc(&c->memory, sizeof(int) * (size_t)(b->options.most + 1));
    int n = word && i < b->count ? at_beam_words(b, &b->found[i], word) : -1;

    if (n < 0) {
        at_case_fail(c, "%d hypotheses found, more expected", b->count);
        return;
    }
    if (b->found[i].ended)
        word[n++] = b->options.end;
    for (size_t k = first; k < json_array_size(want); k++) {
        int expected = (int)json_integer_value(json_array_get(want, k));
        int got = (int)(k - first) < n ? word[k - first]
                                       : at_case_int(c, "settings.pad_token_id", 0);
        if (got != expected)
            at_case_fail(c, "hypothesis %d: word %zu is %d, expected %d", i, k, got, expected);
    }
    if (json_array_size(want) - first < (size_t)n)
        at_case_fail(c, "hypothesis %d has %d words, expected %zu", i, n,
                     json_array_size(want) - first);
    c->comparisons++;
}

static void check_bigram(at_case *c, const table *t)
{
    json_t *sequences = at_case_json(c, "sequences"), *scores = at_case_json(c, "sequences_scores");
    json_t *end = at_case_json(c, "settings.eos_token_id");
    at_beam b = {.live = 0};
    at_beam_options o = {
        .width = at_case_int(c, "settings.num_beams", 1),
        .most = at_case_int(c, "settings.max_new_tokens", 1),
        .end = json_is_integer(end) ? (int)json_integer_value(end) : -1,
        .rule = ATTEND_LENGTH_RULE_AVERAGE,
        .penalty = at_case_number(c, "settings.length_penalty", 1),
        .early = json_is_true(at_case_json(c, "settings.early_stopping")),
    };

    if (o.most > t->steps)
        at_case_fail(c, "%d words from a table of %d steps", o.most, t->steps);
    else if (search(c, t, &o, &b)) {
        for (size_t i = 0; i < json_array_size(sequences); i++)
            compare_words(c, &b, (int)i, json_array_get(sequences, i), 1);
        for (size_t i = 0; i < json_array_size(scores) && (int)i < b.count; i++) {
            double expected = json_number_value(json_array_get(scores, i));
            at_case_compare_numbers(c, "sequences_scores", 1, &b.found[i].score, &expected,
                                    at_tolerance_loss);
        }
    }
    at_beam_free(&b);
}

/* a beam that forgets nothing finds the best sequences there are */
static void check_exhaustive(at_case *c, const table *t)
{
    json_t *top = at_case_json(c, "top5");
    int length = at_case_int(c, "settings.length", t->steps);
    at_beam b = {.live = 0};
    at_beam_options o = {.width = 1, .most = length, .end = -1};

    for (int i = 1; i < length && o.width < 4096; i++)
        o.width *= t->V;
    if (length > t->steps)
        at_case_fail(c, "%d words from a table of %d steps", length, t->steps);
    else if (search(c, t, &o, &b))
        for (size_t i = 0; i < json_array_size(top); i++) {
            json_t *one = json_array_get(top, i);
            double expected = json_number_value(json_object_get(one, "logprob"));
            compare_words(c, &b, (int)i, json_object_get(one, "tokens"), 0);
            if ((int)i < b.count)
                at_case_compare_numbers(c, "logprob", 1, &b.found[i].log_p, &expected,
                                        at_tolerance_loss);
        }
    at_beam_free(&b);
}

void at_check_beam(at_case *c)
{
    const char *family = at_case_text(c, "family");
    table t;

    if (strcmp(family, "beam_search.bigram") != 0 && strcmp(family, "beam_search.exhaustive") != 0)
        at_case_unknown(c, "no such family: %s", family);
    else if (read_table(c, &t))
        (strcmp(family, "beam_search.bigram") == 0 ? check_bigram : check_exhaustive)(c, &t);
}
