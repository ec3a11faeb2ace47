#include "decode/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/framed_texts.h"
#include "decode/logits.h"

enum {
    GROUP = 64,     /* questions whose windows are put into batches together */
    CANDIDATES = 20 /* of starts and of ends in a window */
};

/* a question on its way */
typedef struct {
    int windows, count;
    bool cut;
    at_answer_span *span; /* [best] */
    double none;
    size_t window; /* the one with the best span */
} item;

typedef struct {
    const at_answer_options *o;
    const at_model *model;
    size_t first, count; /* questions of the group */
    const at_question *question;
    item items[GROUP];
    at_framed_texts texts;        /* the windows */
    unsigned char *of;            /* [windows]: the item of each */
    int *none;                    /* [windows]: the position of "no answer" */
    at_attention_rows *attention; /* [windows], where it is wanted */
    at_attention_record record;
    at_arena memory;
} job;

int at_answer_window(const at_model *m, int window) { return at_model_max_input(m, window); }

/* ---- windows -------------------------------------------------------------------------------- */

static attend_status read_one(job *j, at_span_text *s, size_t i, attend_error *err)
{
    const at_question *q = &j->question[j->first + i];
    return at_span_text_read(s, j->model->source, &j->o->windows, q->text, q->context, err);
}

static attend_status put_windows(job *j, at_span_text *s, size_t i, size_t at, attend_error *err)
{
    attend_status status = read_one(j, s, i, err);
    for (int k = 0; k < s->count && status >= 0; k++, at++) {
        at_framed_text *t = &j->texts.item[at];
        at_span_window w = at_span_window_at(s, k);
        at_span_window_put(s, &w, &t->tokens);
        if (t->tokens.failed)
            status = at_error_memory(err);
        t->length = w.length;
        t->second = w.context;
        j->of[at] = (unsigned char)i;
        j->none[at] = w.none;
    }
    return status;
}

/* the windows of all questions of the group */
static attend_status read_all(job *j, attend_error *err)
{
    at_span_text s = {.cut = false};
    size_t windows = 0;
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < j->count && status >= 0; i++) {
        item *q = &j->items[i];
        status = read_one(j, &s, i, err);
        *q = (item){.windows = s.count, .cut = s.cut, .none = INFINITY};
        q->span = at_arena_alloc(&j->memory, (size_t)j->o->best * sizeof *q->span);
        if (status >= 0 && !q->span)
            status = at_error_memory(err);
        windows += (size_t)s.count;
    }
    if (status >= 0)
        status = at_framed_texts_start(&j->texts, j->model, windows, err);
    j->of = at_arena_alloc(&j->memory, windows + 1);
    j->none = at_arena_alloc(&j->memory, (windows + 1) * sizeof *j->none);
    j->attention = at_arena_alloc(&j->memory, (windows + 1) * sizeof *j->attention);
    if (status >= 0 && (!j->of || !j->none || !j->attention))
        status = at_error_memory(err);
    for (size_t i = 0, at = 0; i < j->count && status >= 0; at += (size_t)j->items[i++].windows)
        status = put_windows(j, &s, i, at, err);
    at_span_text_free(&s);
    return status;
}

/* ---- spans ---------------------------------------------------------------------------------- */

typedef struct {
    int position;
    real logit;
} candidate;

/* The highest logits of one side [T,2] over tokens of the context, the highest first; equal ones
 * by their position. */
static int find_candidates(const at_framed_text *t, const real *logits, candidate *best)
{
    int count = 0;
    for (int i = t->second; i < t->length; i++) {
        if (t->tokens.item[i].begin == t->tokens.item[i].end)
            continue;
        candidate c = {i, logits[2 * i]};
        int k = count < CANDIDATES ? count++ : CANDIDATES;
        for (; k > 0 && c.logit > best[k - 1].logit; k--)
            if (k < CANDIDATES)
                best[k] = best[k - 1];
        if (k < CANDIDATES)
            best[k] = c;
    }
    return count;
}

/* Takes a span among the best of its question, each range of bytes once. */
static void take_span(const job *j, item *q, size_t window, at_answer_span span)
{
    int k = q->count;
    for (int i = 0; i < q->count; i++)
        if (q->span[i].begin == span.begin && q->span[i].end == span.end) {
            if (q->span[i].score >= span.score)
                return;
            memmove(q->span + i, q->span + i + 1, (size_t)(q->count - i - 1) * sizeof span);
            k = --q->count;
        }
    while (k > 0 && span.score > q->span[k - 1].score)
        k--;
    if (k == j->o->best)
        return;
    int moved = (q->count < j->o->best ? q->count : j->o->best - 1) - k;
    memmove(q->span + k + 1, q->span + k, (size_t)moved * sizeof span);
    q->span[k] = span;
    q->count += q->count < j->o->best;
    if (k == 0)
        q->window = window;
}

/* the spans of a window from its logits [T,2] */
static void take_window(job *j, size_t window, const real *logits)
{
    const at_framed_text *t = &j->texts.item[window];
    item *q = &j->items[j->of[window]];
    candidate start[CANDIDATES], end[CANDIDATES];
    int starts = find_candidates(t, logits, start), ends = find_candidates(t, logits + 1, end);
    int none = j->none[window];
    q->none = fmin(q->none, (double)logits[2 * none] + (double)logits[2 * none + 1]);
    for (int a = 0; a < starts; a++)
        for (int b = 0; b < ends; b++) {
            int first = start[a].position, last = end[b].position;
            if (last >= first && last - first < j->o->max_answer)
                take_span(j, q, window,
                          (at_answer_span){t->tokens.item[first].begin, t->tokens.item[last].end,
                                           (double)start[a].logit + (double)end[b].logit, 0});
        }
}

/* ---- batches -------------------------------------------------------------------------------- */

static attend_status keep(job *j, size_t window, const at_tensor *span, int row, attend_error *err)
{
    int T = span->shape.dim[1], length = j->texts.item[window].length;
    const real *logits = span->value + (size_t)row * (size_t)T * 2;
    attend_status status = at_logits_check((size_t)length * 2, logits, err);
    if (status >= 0)
        take_window(j, window, logits);
    if (status < 0 || !j->o->wanted.kinds)
        return status;
    j->attention[window] = at_attention_record_copy(&j->record, &j->o->wanted, row, length, length,
                                                    &j->memory);
    return j->attention[window].count < 0 ? at_error_memory(err) : ATTEND_OK;
}

static attend_status answer_batch(job *j, size_t first, int n, attend_error *err)
{
    at_inputs in;
    at_tape *t = j->texts.tape;
    const at_encodes *model = j->model->kind->encodes;
    at_tensor *span = NULL;
    at_attention_record_clear(&j->record);
    if (at_framed_texts_batch(&j->texts, first, n, &in)) {
        in.record = &j->record;
        span = model->span(t, j->model, model->encode(t, j->model, &in));
    }
    attend_status status = at_failed(t) ? at_tape_status(t, err) : ATTEND_OK;
    for (int b = 0; b < n && status >= 0; b++)
        status = keep(j, j->texts.order[first + (size_t)b], span, b, err);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------ */

/* exp(score) of each over their sum, "none" included where it can be the answer */
static double set_probabilities(item *q, bool none)
{
    double most = none ? q->none : -INFINITY, sum = 0;
    for (int i = 0; i < q->count; i++)
        most = fmax(most, q->span[i].score);
    double p = none ? exp(q->none - most) : 0;
    for (int i = 0; i < q->count; i++)
        sum += exp(q->span[i].score - most);
    for (int i = 0; i < q->count; i++)
        q->span[i].probability = exp(q->span[i].score - most) / (sum + p);
    return sum + p > 0 ? p / (sum + p) : 0;
}

static attend_status give_one(job *j, size_t i, at_answered_function *give, void *user,
                              attend_error *err)
{
    item *q = &j->items[i];
    const at_framed_text *t = &j->texts.item[q->window];
    at_answered a = {.index = j->first + i,
                     .count = q->count,
                     .span = q->span,
                     .none = q->none,
                     .none_probability = set_probabilities(q, isfinite(j->o->threshold)),
                     .windows = q->windows,
                     .cut = q->cut};
    a.answered = q->count && !(q->none - q->span[0].score > j->o->threshold);
    if (j->o->wanted.kinds) {
        a.tokens = &t->tokens;
        a.second = t->second;
        a.attention = j->attention[q->window];
    }
    return give(user, &a, err);
}

static attend_status answer_group(job *j, at_answered_function *give, void *user, attend_error *err)
{
    attend_status status = read_all(j, err);
    if (status >= 0)
        at_framed_texts_sort(&j->texts);
    size_t windows = status >= 0 ? j->texts.count : 0, batch = (size_t)j->o->batch;
    for (size_t at = 0; at < windows && status >= 0; at += batch)
        status = answer_batch(j, at, (int)(windows - at < batch ? windows - at : batch), err);
    for (size_t i = 0; i < j->count && status >= 0; i++)
        status = give_one(j, i, give, user, err);
    at_framed_texts_free(&j->texts);
    j->texts = (at_framed_texts){.count = 0};
    at_arena_reset(&j->memory);
    return status;
}

attend_status at_answer_questions(const at_model *m, const at_answer_options *o, size_t count,
                                  const at_question *question, at_answered_function *give,
                                  void *user, attend_error *err)
{
    job *j = at_alloc_zero(1, sizeof *j);
    size_t group = o->wanted.kinds ? 1 : GROUP; /* weights of one question at a time */
    attend_status status = j ? ATTEND_OK : at_error_memory(err);
    if (j)
        *j = (job){.o = o, .model = m, .question = question, .record = o->wanted};
    for (size_t i = 0; i < count && status >= 0; i += group) {
        j->first = i;
        j->count = count - i < group ? count - i : group;
        status = answer_group(j, give, user, err);
    }
    if (j)
        at_arena_free(&j->memory);
    at_free(j);
    return status;
}
