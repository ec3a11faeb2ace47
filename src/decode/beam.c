#include "decode/beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/vector.h"

typedef struct {
    double log_p;
    int row, word;
} candidate;

/* ---- start --------------------------------------------------------------------------------- */

static void *zeros(at_arena *memory, size_t n, size_t size)
{
    void *p = at_arena_alloc(memory, n * size);
    return p ? memset(p, 0, n * size) : NULL;
}

/* of what is remembered only when asked for */
static attend_status start_memory(at_beam *b, attend_error *err)
{
    size_t most = (size_t)b->options.most, K = (size_t)b->options.width;
    b->ends = zeros(&b->memory, 2 * K, sizeof *b->ends);
    b->attention = zeros(&b->memory, most, sizeof *b->attention);
    bool made = b->ends && b->attention;
    if (made && b->options.alternatives)
        made = (b->alternative = zeros(&b->memory, most, sizeof *b->alternative)) != NULL;
    if (made && b->options.trace) {
        b->tried = zeros(&b->memory, most, sizeof *b->tried);
        b->tries = zeros(&b->memory, most, sizeof *b->tries);
        made = b->tried && b->tries;
    }
    return made ? ATTEND_OK
                : at_error(err, ATTEND_MEMORY, "no memory for a beam of %d", b->options.width);
}

attend_status at_beam_start(at_beam *b, const at_beam_options *o, int vocabulary, int source,
                            attend_error *err)
{
    *b = (at_beam){.options = *o, .vocabulary = vocabulary, .source = source, .live = 1};
    if (o->width < 1 || o->width > 1 << 16 || o->most < 1 || vocabulary < 1)
        return at_error(err, ATTEND_OPTION,
                        "beam: %d hypotheses and %d words cannot be; at least 1 of each", o->width,
                        o->most);
    size_t K = (size_t)o->width;
    b->from = at_arena_alloc(&b->memory, K * sizeof *b->from);
    b->word = at_arena_alloc(&b->memory, K * sizeof *b->word);
    b->log_p = at_arena_alloc(&b->memory, K * sizeof *b->log_p);
    b->found = at_arena_alloc(&b->memory, K * sizeof *b->found);
    b->link = at_arena_alloc(&b->memory, (size_t)o->most * sizeof *b->link);
    b->weights = at_arena_alloc(&b->memory, (size_t)o->most * sizeof *b->weights);
    b->candidate = at_arena_alloc(&b->memory, (2 * K + 1) * sizeof(candidate));
    b->seen = at_arena_alloc(&b->memory, ((size_t)source + 1) * sizeof *b->seen);
    if (!b->from || !b->word || !b->log_p || !b->found || !b->link || !b->weights || !b->candidate
        || !b->seen)
        return at_error(err, ATTEND_MEMORY, "no memory for a beam of %d", o->width);
    b->log_p[0] = 0;
    return start_memory(b, err);
}

void at_beam_free(at_beam *b) { at_arena_free(&b->memory); }

/* ---- scores -------------------------------------------------------------------------------- */

/* length: words and the start */
static double divisor(const at_beam_options *o, int length)
{
    length += o->given > 1 ? o->given - 1 : 0;
    switch (o->rule) {
    case ATTEND_LENGTH_RULE_AVERAGE: return pow(length, o->penalty);
    case ATTEND_LENGTH_RULE_WU: return pow((5.0 + length) / 6.0, o->penalty);
    default: return 1;
    }
}

/* row of the running hypotheses that the step of its last word started from */
static int last_row(const at_beam *b, const at_hypothesis *h)
{
    return h->words == h->step + 2 ? h->row : b->link[h->step][h->row].from;
}

static double coverage(const at_beam *b, const at_hypothesis *h)
{
    int own = b->options.covered, n = own ? own : b->source, row = last_row(b, h);
    double sum = 0, *seen = b->seen;
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int t = h->words - 1; t >= 0; t--) {
        const real *w = b->weights[t] + (size_t)row * (size_t)b->source;
        for (int j = 0; j < n; j++)
            seen[j] += (double)w[j];
        row = t > 0 ? b->link[t - 1][row].from : row;
    }
    for (int j = 0; j < n; j++)
        sum += log(seen[j] < 1 ? fmax(seen[j], 1e-10) : 1);
    return sum;
}

static void score(const at_beam *b, at_hypothesis *h, int length)
{
    h->score = h->log_p / divisor(&b->options, length);
    if (b->options.coverage != 0 && b->source > 0)
        h->score += b->options.coverage * coverage(b, h);
}

/* keeps the best `width`; of equal ones, those that came first */
static void keep(at_beam *b, at_hypothesis h)
{
    int at = b->count;
    if (b->count == b->options.width) {
        if (b->found[b->count - 1].score >= h.score)
            return;
        at = b->count - 1;
    } else {
        b->count++;
    }
    for (; at > 0 && b->found[at - 1].score < h.score; at--)
        b->found[at] = b->found[at - 1];
    b->found[at] = h;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static bool better(candidate a, candidate b)
{
    if (a.log_p != b.log_p)
        return a.log_p > b.log_p;
    return a.row != b.row ? a.row < b.row : a.word < b.word;
}

/* the worst stands at the root, so that it is the one to go */
static void sift_down(candidate *heap, int n, int at)
{
    for (int child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && better(heap[child], heap[child + 1]))
            child++;
        if (!better(heap[at], heap[child]))
            return;
        candidate c = heap[at];
        heap[at] = heap[child];
        heap[child] = c;
    }
}

static int best_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return better(*x, *y) ? -1 : better(*y, *x);
}

typedef struct {
    candidate *heap;
    int n, most;
} choice;

static void consider(choice *h, candidate c)
{
    if (h->n < h->most) {
        h->heap[h->n++] = c;
        for (int at = h->n / 2 - 1; h->n == h->most && at >= 0; at--)
            sift_down(h->heap, h->n, at);
    } else if (c.log_p > h->heap[0].log_p) { /* of equal ones the first stays */
        h->heap[0] = c;
        sift_down(h->heap, h->n, 0);
    }
}

/* the words begin..end-1 that may follow a row, whose log-probabilities `sum` is added to */
static void consider_words(const at_beam *b, int row, double sum, int begin, int end,
                           const real *log_p, choice *h)
{
    for (int word = begin; word < end; word++) {
        double p = (double)log_p[word];
        bool early = word == b->options.end && b->steps < b->options.least;
        if (!early && p > -INFINITY)
            consider(h, (candidate){sum + p, row, word});
    }
}

/* The best `most` of live * V continuations, best first. Few words are ever worth a look: most
 * blocks have a best one that is too bad. */
static int best_candidates(const at_beam *b, const real *log_p, const double *norm, int most,
                           candidate *heap)
{
    enum { BLOCK = 128 };
    choice h = {heap, 0, most};
    const at_vector_kernel *vector = at_vector();
    for (int row = 0; row < b->live; row++, log_p += b->vocabulary) {
        double sum = b->log_p[row] - (norm ? norm[row] : 0);
        for (int word = 0; word < b->vocabulary; word += BLOCK) {
            int n = b->vocabulary - word < BLOCK ? b->vocabulary - word : BLOCK;
            if (h.n < most || sum + (double)vector->max((size_t)n, log_p + word) > heap[0].log_p)
                consider_words(b, row, sum, word, word + n, log_p, &h);
        }
    }
    qsort(heap, (size_t)h.n, sizeof *heap, best_first);
    return h.n;
}

/* ---- a step -------------------------------------------------------------------------------- */

static attend_status keep_step(at_beam *b, const real *weights, attend_error *err)
{
    size_t K = (size_t)b->options.width, S = (size_t)b->source;
    at_beam_link *link = at_arena_alloc(&b->memory, K * sizeof *link);
    real *copy = S ? at_arena_alloc(&b->memory, (size_t)b->live * S * sizeof *copy) : NULL;
    if (!link || (S && !copy))
        return at_error(err, ATTEND_MEMORY, "no memory for step %d of a beam", b->steps);
    if (S)
        memcpy(copy, weights, (size_t)b->live * S * sizeof *copy);
    b->link[b->steps] = link;
    b->weights[b->steps] = copy;
    return ATTEND_OK;
}

/* if the best of those that run ended now, were it no better than the worst that ended? */
static bool decided(const at_beam *b, double best, int length)
{
    if (b->count < b->options.width)
        return false;
    return b->options.early || b->found[b->count - 1].score >= best / divisor(&b->options, length);
}

static void note_fate(at_beam *b, int i, attend_trace_fate fate, int row)
{
    if (!b->tried)
        return;
    b->tried[b->steps][i].fate = fate;
    b->tried[b->steps][i].row = row;
}

/* the candidates of this step, pruned until they are known not to be */
static attend_status note_tried(at_beam *b, const candidate *c, int n, attend_error *err)
{
    if (!b->tried)
        return ATTEND_OK;
    at_beam_candidate *tried = at_arena_alloc(&b->memory, (size_t)n * sizeof *tried);
    if (!tried)
        return at_error_memory(err);
    double by = divisor(&b->options, b->steps + 1);
    for (int i = 0; i < n; i++)
        tried[i] = (at_beam_candidate){.from = c[i].row,
                                       .word = c[i].word,
                                       .log_p = c[i].log_p,
                                       .score = c[i].log_p / by,
                                       .fate = ATTEND_TRACE_PRUNED,
                                       .row = -1};
    b->tried[b->steps] = tried;
    b->tries[b->steps] = n;
    return ATTEND_OK;
}

/* the likeliest words of every running row */
static attend_status note_alternatives(at_beam *b, const real *log_p, const double *norm,
                                       attend_error *err)
{
    size_t n = (size_t)b->options.alternatives;
    if (!n)
        return ATTEND_OK;
    at_alternative *all = at_arena_alloc(&b->memory, (size_t)b->live * n * sizeof *all);
    candidate *heap = at_arena_alloc(&b->memory, (n + 1) * sizeof *heap);
    if (!all || !heap)
        return at_error_memory(err);
    for (int row = 0; row < b->live; row++, log_p += b->vocabulary) {
        choice h = {heap, 0, (int)n};
        double minus = norm ? norm[row] : 0;
        for (int word = 0; word < b->vocabulary; word++)
            if (log_p[word] > -INFINITY)
                consider(&h, (candidate){(double)log_p[word] - minus, row, word});
        qsort(heap, (size_t)h.n, sizeof *heap, best_first);
        for (int i = 0; i < (int)n; i++)
            all[(size_t)row * n + (size_t)i] = i < h.n
                                                   ? (at_alternative){heap[i].word, heap[i].log_p}
                                                   : (at_alternative){-1, -INFINITY};
    }
    b->alternative[b->steps] = all;
    return ATTEND_OK;
}

/* Continues with these, the best first: of the first `endings` of them those that end are kept, and
 * the others run on. */
static void go_on(at_beam *b, const candidate *c, int n, int endings)
{
    int K = b->options.width, step = b->steps, live = 0;
    int *ends = b->ends, *next = b->ends + K;
    for (int i = 0; i < n && live < K; i++) {
        bool end = c[i].word == b->options.end;
        if (end && ends[c[i].row] + 1 >= b->options.ends) {
            at_hypothesis h = {.log_p = c[i].log_p,
                               .words = step + 1,
                               .step = step - 1,
                               .row = c[i].row,
                               .ended = true};
            if (i < endings) {
                score(b, &h, step + 1);
                keep(b, h);
                note_fate(b, i, ATTEND_TRACE_ENDED, -1);
                if (b->tried)
                    b->tried[step][i].score = h.score;
            }
            continue;
        }
        note_fate(b, i, ATTEND_TRACE_KEPT, live);
        next[live] = ends[c[i].row] + end;
        b->link[step][live] = (at_beam_link){c[i].row, c[i].word, c[i].log_p};
        b->from[live] = c[i].row;
        b->word[live++] = c[i].word;
    }
    for (int k = 0; k < live; k++) {
        b->log_p[k] = b->link[step][k].log_p;
        ends[k] = next[k];
    }
    b->live = live;
    b->steps++;
}

attend_status at_beam_step(at_beam *b, const real *log_p, const double *norm, const real *weights,
                           attend_error *err)
{
    candidate *c = b->candidate;
    attend_status status = keep_step(b, weights, err);
    if (status < 0)
        return status;
    int n = best_candidates(b, log_p, norm, 2 * b->options.width, c);
    status = note_alternatives(b, log_p, norm, err);
    if (status >= 0)
        status = note_tried(b, c, n, err);
    if (status < 0)
        return status;
    go_on(b, c, n, b->options.width);
    b->closed = b->live == 0 || decided(b, c[0].log_p, b->steps);
    b->done = b->closed || b->steps == b->options.most;
    return ATTEND_OK;
}

attend_status at_beam_draw(at_beam *b, const real *log_p, const real *weights, const int *word,
                           attend_error *err)
{
    candidate *c = b->candidate;
    int n = b->steps == 0 ? b->options.width : b->live;
    attend_status status = keep_step(b, weights, err);
    if (status < 0)
        return status;
    for (int i = 0; i < n; i++) {
        int row = b->steps == 0 ? 0 : i;
        double p = (double)log_p[(size_t)row * (size_t)b->vocabulary + (size_t)word[i]];
        c[i] = (candidate){b->log_p[row] + p, row, word[i]};
    }
    status = note_alternatives(b, log_p, NULL, err);
    if (status >= 0)
        status = note_tried(b, c, n, err);
    if (status < 0)
        return status;
    go_on(b, c, n, n);
    b->closed = b->live == 0;
    b->done = b->closed || b->steps == b->options.most;
    return ATTEND_OK;
}

void at_beam_finish(at_beam *b)
{
    for (int row = 0; !b->closed && row < b->live && b->steps > 0; row++) {
        at_hypothesis h = {
            .log_p = b->log_p[row], .words = b->steps, .step = b->steps - 1, .row = row};
        score(b, &h, b->steps + 1);
        keep(b, h);
    }
    b->done = true;
}

/* ---- what was found ------------------------------------------------------------------------- */

static int trace(const at_beam *b, int step, int row, int *to)
{
    for (int t = step; t >= 0; t--) {
        at_beam_link l = b->link[t][row];
        to[t] = l.word;
        row = l.from;
    }
    return step + 1;
}

int at_beam_words(const at_beam *b, const at_hypothesis *h, int *to)
{
    return trace(b, h->step, h->row, to);
}

int at_beam_running(const at_beam *b, int row, int *to) { return trace(b, b->steps - 1, row, to); }

/* the row that the step of word t started from; -1 beyond the last */
static int row_of(const at_beam *b, const at_hypothesis *h, int t)
{
    int row = h->row, step = h->step;
    if (t < 0 || t > step + 1 || t >= b->steps)
        return -1;
    for (; step >= t; step--)
        row = b->link[step][row].from;
    return row;
}

const real *at_beam_weights(const at_beam *b, const at_hypothesis *h, int t)
{
    int row = row_of(b, h, t);
    return b->source && row >= 0 ? b->weights[t] + (size_t)row * (size_t)b->source : NULL;
}

const at_alternative *at_beam_alternatives(const at_beam *b, const at_hypothesis *h, int t)
{
    int row = row_of(b, h, t);
    return b->alternative && row >= 0
               ? b->alternative[t] + (size_t)row * (size_t)b->options.alternatives
               : NULL;
}

attend_status at_beam_attend(at_beam *b, int row, at_attention_rows rows, attend_error *err)
{
    at_attention_rows **step = &b->attention[b->steps];
    if (!*step && !(*step = zeros(&b->memory, (size_t)b->options.width, sizeof **step)))
        return at_error_memory(err);
    at_attention_row *copy = at_arena_alloc(&b->memory, (size_t)(rows.count + 1) * sizeof *copy);
    for (int i = 0; copy && i < rows.count; i++) {
        size_t n = (size_t)rows.row[i].keys;
        real *weights = at_arena_alloc_small(&b->memory, (n + 1) * sizeof *weights);
        if (!weights)
            return at_error_memory(err);
        copy[i] = rows.row[i];
        copy[i].weights = memcpy(weights, rows.row[i].weights, n * sizeof *weights);
    }
    (*step)[row] = (at_attention_rows){rows.count, copy};
    return copy ? ATTEND_OK : at_error_memory(err);
}

at_attention_rows at_beam_attention(const at_beam *b, const at_hypothesis *h, int t)
{
    int row = row_of(b, h, t);
    return row >= 0 && b->attention[t] ? b->attention[t][row] : (at_attention_rows){0, NULL};
}

const at_beam_candidate *at_beam_trace(const at_beam *b, int step, int *count)
{
    *count = b->tried && step >= 0 && step < b->steps ? b->tries[step] : 0;
    return *count ? b->tried[step] : NULL;
}

double at_beam_log_p(const at_beam *b, const at_hypothesis *h, int t)
{
    int row = h->row, step = h->step;
    double sum = h->log_p;
    if (t < 0 || t > step + 1 || (t == step + 1 && !h->ended))
        return 0;
    for (; step >= t; step--) {
        sum = b->link[step][row].log_p;
        row = b->link[step][row].from;
    }
    return sum - (t > 0 ? b->link[t - 1][row].log_p : 0);
}
