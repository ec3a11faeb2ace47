#include "decode/search.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "decode/logits.h"
#include "tensor/vector.h"

/* memory of one thread, which takes one sentence after the other */
typedef struct {
    real *row;   /* [width,V]: a sentence's log-probabilities, when they are changed */
    int *came;   /* [most and the longest history] */
    bool *marks; /* [V] */
    real *p;     /* [V], and words in their order [V] and drawn [width]: for sampling */
    int *order, *drawn;
    double *norm; /* [width]: of a sentence's logits */
    attend_status status;
    attend_error err;
} scratch;

/* memory of the whole search */
typedef struct {
    int *from, *words;    /* [rows] */
    int *sentence, going; /* those that the model goes on with, [going], */
    int *place;           /* and which each was in the step before */
    scratch *scratch;
    int count;
} searching;

static size_t longest_history(const at_searched *m, const at_search_options *o)
{
    size_t longest = 0;
    for (int s = 0; o->history && s < m->sentences; s++) {
        size_t n = 0;
        while (o->history[s][n] >= 0)
            n++;
        longest = n > longest ? n : longest;
    }
    return longest;
}

static bool make_scratch(scratch *own, const at_searched *m, const at_search_options *o)
{
    size_t V = (size_t)m->vocabulary, W = (size_t)o->beam.width;
    int most = o->beam.most;
    for (int s = 0; o->most && s < m->sentences; s++)
        most = o->most[s] > most ? o->most[s] : most;
    own->row = at_alloc(W * V * sizeof *own->row);
    own->came = at_alloc(((size_t)most + longest_history(m, o) + 1) * sizeof *own->came);
    own->marks = at_alloc(V * sizeof *own->marks);
    own->p = at_alloc(V * sizeof *own->p);
    own->order = at_alloc(V * sizeof *own->order);
    own->drawn = at_alloc(W * sizeof *own->drawn);
    own->norm = at_alloc(W * sizeof *own->norm);
    return own->row && own->came && own->marks && own->p && own->order && own->drawn && own->norm;
}

static bool make_search(searching *r, const at_searched *m, const at_search_options *o)
{
    size_t n = (size_t)m->sentences, rows = n * (size_t)o->beam.width;
    r->from = at_alloc(rows * sizeof *r->from);
    r->words = at_alloc(rows * sizeof *r->words);
    r->sentence = at_alloc(n * sizeof *r->sentence);
    r->place = at_alloc(n * sizeof *r->place);
    r->count = m->sentences < 1 ? 1 : m->sentences < at_threads() ? m->sentences : at_threads();
    r->scratch = at_alloc_zero((size_t)r->count, sizeof *r->scratch);
    bool made = r->from && r->words && r->sentence && r->place && r->scratch;
    r->going = m->sentences;
    for (int s = 0; made && s < m->sentences; s++)
        r->sentence[s] = r->place[s] = s;
    for (int i = 0; made && i < r->count; i++)
        made = make_scratch(&r->scratch[i], m, o);
    return made;
}

static void free_search(searching *r)
{
    for (int i = 0; r->scratch && i < r->count; i++) {
        scratch *own = &r->scratch[i];
        at_free(own->row);
        at_free(own->came);
        at_free(own->marks);
        at_free(own->p);
        at_free(own->order);
        at_free(own->drawn);
        at_free(own->norm);
    }
    at_free(r->from);
    at_free(r->words);
    at_free(r->sentence);
    at_free(r->place);
    at_free(r->scratch);
}

/* ---- what may not come --------------------------------------------------------------------- */

/* the words that would complete a sequence of n that has been there */
static void forbid_repeats(int n, int count, const int *words, real *log_p)
{
    const int *last = words + count - (n - 1);
    if (count < n)
        return;
    for (int i = 0; i + n <= count; i++)
        if (memcmp(words + i, last, (size_t)(n - 1) * sizeof *words) == 0)
            log_p[words[i + n - 1]] = -INFINITY;
}

/* All words but one. A word that the model finds impossible counts as very unlikely: without a
 * hypothesis there would be no log-probability, which reads as certainty. */
static void force(int word, int vocabulary, real *log_p)
{
    const real least = (real)-85.2; /* log 1e-37, as in ensembles */
    real p = log_p[word] > (real)-INFINITY ? log_p[word] : least;
    for (int i = 0; i < vocabulary; i++)
        log_p[i] = -INFINITY;
    log_p[word] = p;
}

static int prefix_word(const at_search_options *o, int sentence, int step)
{
    const int *word = o->prefix ? o->prefix[sentence] : NULL;
    for (int i = 0; word && i < step && *word >= 0; i++)
        word++;
    return word ? *word : -1;
}

/* history and words of a running hypothesis, in own->came; how many */
static int came_before(const at_search_options *o, scratch *own, const at_beam *b, int sentence,
                       int k)
{
    int n = 0;
    for (const int *h = o->history ? o->history[sentence] : NULL; h && *h >= 0; h++)
        own->came[n++] = *h;
    return n + (b->steps > 0 ? at_beam_running(b, k, own->came + n) : 0);
}

/* the last tokens of sequences that must not come, where the others are the last of the n in
 * own->came */
static void forbid_sequences(const at_generation *g, const scratch *own, int n, real *row)
{
    for (int i = 0; i < g->bad_count; i++) {
        int size = 1;
        while (g->bad[i][size] >= 0)
            size++;
        if (size - 1 <= n
            && memcmp(g->bad[i], own->came + n - (size - 1), (size_t)(size - 1) * sizeof(int)) == 0)
            row[g->bad[i][size - 1]] = (real)-1e30;
    }
}

/* the token that must come in this step, or -1 */
static int ruled_word(const at_search_options *o, const at_beam *b)
{
    if (!o->rules)
        return -1;
    if (b->steps == 0 && o->rules->first >= 0)
        return o->rules->first;
    return b->steps == b->options.most - 1 ? o->rules->last : -1;
}

/* a row without the words that never come, and less of those that have come */
static void bend(const at_search_options *o, scratch *own, const at_beam *b, int sentence, int k)
{
    real *row = own->row + (size_t)k * (size_t)b->vocabulary;
    int n = came_before(o, own, b, sentence, k);
    if (o->rules)
        forbid_sequences(o->rules, own, n, row);
    for (int i = 0; i < o->nevers; i++)
        row[o->never[i]] = (real)-1e30;
    if (o->repetition != 0 && o->repetition != 1)
        at_sampling_repetition(o->repetition, b->vocabulary, row, n, own->came, own->marks);
}

/* the sentence's rows, changed where the options say so; what a prefix repeats may come */
static const real *constrained(const at_search_options *o, scratch *own, const at_beam *b,
                               int sentence, const real *log_p, const double *norm)
{
    int forced = prefix_word(o, sentence, b->steps);
    int ruled = forced < 0 ? ruled_word(o, b) : -1;
    bool repeats = forced < 0 && o->no_repeat > 0 && (o->history || b->steps >= o->no_repeat);
    bool bends = o->nevers || (o->rules && o->rules->bad_count)
                 || (o->repetition != 0 && o->repetition != 1);
    if (forced < 0 && ruled < 0 && !repeats && !bends)
        return log_p;
    size_t V = (size_t)b->vocabulary;
    memcpy(own->row, log_p, (size_t)b->live * V * sizeof *own->row);
    for (int k = 0; k < b->live; k++) {
        if (bends)
            bend(o, own, b, sentence, k);
        if (repeats) {
            int n = came_before(o, own, b, sentence, k);
            forbid_repeats(o->no_repeat, n, own->came, own->row + (size_t)k * V);
        }
        if (forced >= 0 && forced < b->vocabulary)
            force(forced, b->vocabulary, own->row + (size_t)k * V);
        if (ruled >= 0) {
            force(ruled, b->vocabulary, own->row + (size_t)k * V);
            own->row[(size_t)k * V + (size_t)ruled] = norm ? (real)norm[k] : 0;
        }
    }
    return own->row;
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* a word for every hypothesis that runs, or shall begin; its number depends on nothing but the
 * seed, the sentence, the step and its row */
static void draw(const at_search_options *o, scratch *own, const at_beam *b, int sentence,
                 const real *log_p)
{
    size_t V = (size_t)b->vocabulary;
    at_random place = {.seed = o->seed,
                       .step = (uint32_t)(b->steps + (o->begun ? o->begun[sentence] : 0)),
                       .sentence = (uint32_t)(o->number ? o->number[sentence] : (size_t)sentence),
                       .use = at_random_name(o->use ? o->use : "sample")};
    int n = b->steps == 0 ? b->options.width : b->live;
    for (int k = 0; k < n; k++) {
        if (k == 0 || b->steps > 0)
            at_sampling_probabilities(o->sampling, b->vocabulary, log_p + (size_t)k * V, own->p,
                                      own->order);
        own->drawn[k] = at_sampling_draw(b->vocabulary, own->p,
                                         at_random_uniform(place, (uint32_t)k));
    }
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* where each row comes from, of `before` rows a sentence, and its last word; rows without a
 * hypothesis repeat the first */
static void fill_rows(const at_searched *m, const at_beam *beams, int before, int width,
                      searching *r)
{
    for (int i = 0; i < r->going; i++)
        for (int k = 0; k < width; k++) {
            const at_beam *b = &beams[r->sentence[i]];
            bool runs = b->steps > 0 && !b->done && k < b->live;
            r->from[i * width + k] = r->place[i] * before + (runs ? b->from[k] : 0);
            int first = m->starts ? m->starts[r->sentence[i]] : m->start;
            r->words[i * width + k] = runs ? b->word[k] : first;
        }
}

/* Goes on without those that are done, once they are a quarter. */
static attend_status narrow(const at_searched *m, const at_beam *beams, searching *r,
                            attend_error *err)
{
    int n = 0;
    for (int i = 0; i < r->going; i++)
        n += !beams[r->sentence[i]].done;
    for (int i = 0; i < r->going; i++)
        r->place[i] = i;
    if (!m->keep || n == 0 || 4 * n > 3 * r->going)
        return ATTEND_OK;
    n = 0;
    for (int i = 0; i < r->going; i++)
        if (!beams[r->sentence[i]].done) {
            r->sentence[n] = r->sentence[i];
            r->place[n++] = i;
        }
    r->going = n;
    return m->keep(m->self, n, r->place, err);
}

/* what the model said in one step, and who looks at it */
typedef struct {
    const at_searched *m;
    const at_search_options *o;
    const searching *r;
    at_beam *beams;
    int width; /* rows of a sentence */
    real *log_p;
    const real *weights;
} choosing;

/* Where only the largest matters, logits are as good as log-probabilities. A coverage penalty is
 * weighed against them. */
static bool largest_alone(const at_search_options *o)
{
    return o->words_alone && o->beam.width == 1 && o->beam.coverage == 0;
}

static attend_status check_rows(const choosing *c, int rows, const real *log_p, attend_error *err)
{
    size_t V = (size_t)c->m->vocabulary;
    attend_status status = ATTEND_OK;
    for (int k = 0; k < rows && status >= 0; k++)
        status = (c->m->logits ? at_logits_check : at_log_p_check)(V, log_p + (size_t)k * V, err);
    return status;
}

/* the attention of a sentence's rows follows its hypotheses */
static attend_status record(const choosing *c, scratch *own, at_beam *b, int first)
{
    at_arena memory = {.first_size = 0};
    attend_status status = ATTEND_OK;
    for (int k = 0; k < b->live && status >= 0; k++) {
        at_attention_rows rows;
        status = c->m->recorded(c->m->session, first + k, &memory, &rows, &own->err);
        if (status >= 0)
            status = at_beam_attend(b, k, rows, &own->err);
    }
    at_arena_free(&memory);
    return status;
}

static void choose(const choosing *c, scratch *own, int i)
{
    const at_search_options *o = c->o;
    int s = c->r->sentence[i];
    at_beam *b = &c->beams[s];
    size_t row = (size_t)i * (size_t)c->width, V = (size_t)c->m->vocabulary;
    real *log_p = c->log_p + row * V;
    bool bars = o->rules && o->rules->barred >= 0 && !o->sampling && o->beam.width > 1;
    bool take_norm = (c->m->logits || bars) && !o->sampling && !largest_alone(o);
    if ((own->status = check_rows(c, b->live, log_p, &own->err)) < 0)
        return;
    for (int k = 0; k < b->live && bars; k++)
        log_p[(size_t)k * V + (size_t)o->rules->barred] = (real)-1e30;
    if (o->sampling && o->draw_from_logits)
        draw(o, own, b, s, constrained(o, own, b, s, log_p, NULL));
    for (int k = 0; k < b->live && c->m->logits && o->sampling; k++)
        at_log_softmax_row(V, log_p + (size_t)k * V, log_p + (size_t)k * V);
    for (int k = 0; k < b->live && take_norm; k++)
        own->norm[k] = at_log_sum_exp(V, log_p + (size_t)k * V);
    const real *p = constrained(o, own, b, s, log_p, take_norm ? own->norm : NULL);
    const real *w = c->m->source ? c->weights + row * (size_t)c->m->source : NULL;
    if (o->sampling && !o->draw_from_logits)
        draw(o, own, b, s, p);
    if (c->m->recorded && (own->status = record(c, own, b, (int)row)) < 0)
        return;
    own->status = o->sampling ? at_beam_draw(b, p, w, own->drawn, &own->err)
                              : at_beam_step(b, p, take_norm ? own->norm : NULL, w, &own->err);
}

/* a thread's sentences: each `count`-th, so that those that are done leave everybody some */
static void choose_some(void *arg, int first)
{
    const choosing *c = arg;
    scratch *own = &c->r->scratch[first];
    own->status = ATTEND_OK;
    for (int i = first; i < c->r->going && own->status >= 0; i += c->r->count)
        if (!c->beams[c->r->sentence[i]].done)
            choose(c, own, i);
}

static attend_status step_all(const at_searched *m, const at_search_options *o, searching *r,
                              at_beam *beams, int before, int width, attend_error *err)
{
    choosing c = {.m = m, .o = o, .r = r, .beams = beams, .width = width};
    fill_rows(m, beams, before, width, r);
    attend_status status = m->step(m->self, width, r->from, r->words, &c.log_p, &c.weights, err);
    if (status < 0)
        return status;
    double work = (double)r->going / r->count * width * m->vocabulary;
    at_parallel_each(r->count, work, choose_some, &c);
    for (int i = 0; i < r->count; i++)
        if (r->scratch[i].status < 0)
            return at_error(err, r->scratch[i].status, "%s", r->scratch[i].err.message);
    return ATTEND_OK;
}

/* Sentences that the caller ends are done. */
static attend_status tell_steps(const at_search_options *o, const searching *r, at_beam *beams,
                                attend_error *err)
{
    int answer = 0;
    for (int i = 0; i < r->going && answer >= 0; i++) {
        at_beam *b = &beams[r->sentence[i]];
        if (b->done)
            continue;
        answer = o->stepped(o->user, r->sentence[i], b, err);
        b->done = answer > 0;
    }
    return answer < 0 ? (attend_status)answer : ATTEND_OK;
}

attend_status at_search(const at_searched *m, const at_search_options *o, at_beam *beams,
                        attend_error *err)
{
    searching r = {.from = NULL};
    attend_status status = ATTEND_OK;
    memset(beams, 0, (size_t)m->sentences * sizeof *beams);
    for (int s = 0; s < m->sentences && status >= 0; s++) {
        at_beam_options one = o->beam;
        one.most = o->most ? o->most[s] : o->beam.most;
        one.given = o->given ? o->given[s] : o->beam.given;
        one.covered = m->lengths ? m->lengths[s] : 0;
        status = at_beam_start(&beams[s], &one, m->vocabulary, m->source, err);
    }
    if (status >= 0 && !make_search(&r, m, o))
        status = at_error_memory(err);
    int before = 1, width = 1; /* rows of a sentence: in the first step all begin alike */
    for (int left = m->sentences; left > 0 && status >= 0;) {
        status = step_all(m, o, &r, beams, before, width, err);
        if (status >= 0 && o->stepped)
            status = tell_steps(o, &r, beams, err);
        if (status >= 0)
            status = narrow(m, beams, &r, err);
        before = width;
        width = o->beam.width;
        left = 0;
        for (int s = 0; s < m->sentences; s++)
            left += !beams[s].done;
    }
    for (int s = 0; s < m->sentences && status >= 0; s++)
        at_beam_finish(&beams[s]);
    free_search(&r);
    return status;
}
