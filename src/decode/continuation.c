#include "decode/continuation.h"

#include <string.h>

#include "attention/cache.h"
#include "base/memory.h"

struct at_continuation {
    const at_seq2seq *model;
    at_tape *encoder, *tape; /* of the sources, and of one step */
    at_source source;
    at_copies copies;
    int sentences, length; /* that go on; of the longest source */
    int width;             /* rows of a sentence in the last step */
    bool weights;
    at_cache *states; /* of all rows: h of every layer, c of every layer of LSTMs, the feed */
    int position;
};

/* h and c of every layer; the feed is the state after them */
static int states_of(const at_seq2seq *m)
{
    return m->decoder_layers * (m->cell == ATTEND_LSTM ? 2 : 1);
}

static at_cache *new_states(const at_seq2seq *m)
{
    int widths[2 * ATTEND_STACK_MAX_STATES + 1], n = states_of(m) + m->feeding;
    for (int i = 0; i < n; i++)
        widths[i] = m->hidden;
    return at_cache_new(1, n, widths);
}

attend_status at_continuation_new(const at_seq2seq *model, at_params *params, at_continuation **out,
                                  attend_error *err)
{
    at_continuation *c = *out = at_alloc_zero(1, sizeof *c);
    if (c) {
        c->model = model;
        c->encoder = at_tape_new(params, ATTEND_INFER);
        c->tape = at_tape_new(params, ATTEND_INFER);
        c->states = new_states(model);
    }
    if (c && c->encoder && c->tape && c->states)
        return ATTEND_OK;
    at_continuation_free(c);
    *out = NULL;
    return at_error_memory(err);
}

void at_continuation_free(at_continuation *c)
{
    if (!c)
        return;
    if (c->encoder)
        at_tape_free(c->encoder);
    if (c->tape)
        at_tape_free(c->tape);
    at_cache_free(c->states);
    at_free(c);
}

int at_continuation_longest(const at_continuation *c, int longest)
{
    return at_seq2seq_longest(c->model, longest);
}

static bool copies(const at_continuation *c) { return c->model->output == &at_output_copy; }
static size_t rows_of(const at_continuation *c) { return (size_t)c->sentences * (size_t)c->width; }

/* the states of all rows; there is no feed before the first step */
static attend_status replace_states(at_continuation *c, at_tape *t, const at_decoder *d,
                                    attend_error *err)
{
    int L = c->model->decoder_layers, n = states_of(c->model);
    attend_status status = at_cache_extend(c->states, 1, NULL, err);
    if (status < 0)
        return status;
    for (int i = 0; i < n; i++)
        at_cache_write(t, c->states, i, i < L ? d->h[i] : d->c[i - L], 0);
    if (c->model->feeding && d->feed)
        at_cache_write(t, c->states, n, d->feed, 0);
    at_cache_commit(c->states);
    c->position = d->position;
    return at_tape_status(t, err);
}

/* from sources [B,S,..] that the encoder has read */
static attend_status start(at_continuation *c, at_shape sources, bool weights, attend_error *err)
{
    at_decoder first = at_seq2seq_start(c->model, &c->source);
    if (at_failed(c->encoder))
        return at_tape_status(c->encoder, err);
    c->width = 1;
    c->sentences = sources.dim[0];
    c->length = sources.dim[1];
    c->weights = weights && c->model->place != ATTEND_PLACE_NONE;
    c->copies = (at_copies){.most = 0};
    at_cache_clear(c->states);
    attend_status status = at_cache_join(c->states, c->sentences, err);
    return status < 0 ? status : replace_states(c, c->encoder, &first, err);
}

attend_status at_continuation_start(at_continuation *c, at_ids source, const int *lengths,
                                    bool weights, attend_error *err)
{
    at_tape_reset(c->encoder);
    c->source = at_seq2seq_encode(c->encoder, c->model, source, lengths);
    return start(c, source.shape, weights, err);
}

attend_status at_continuation_start_features(at_continuation *c, at_shape shape,
                                             const real *features, const int *lengths, bool weights,
                                             attend_error *err)
{
    at_tape_reset(c->encoder);
    at_tensor *x = at_input(c->encoder, shape, features);
    c->source = at_seq2seq_encode_features(c->encoder, c->model, x, lengths);
    return start(c, shape, weights, err);
}

void at_continuation_copies(at_continuation *c, at_copies copies) { c->copies = copies; }

/* ---- one step ------------------------------------------------------------------------------- */

static at_decoder take_states(const at_continuation *c)
{
    int L = c->model->decoder_layers, n = states_of(c->model);
    at_decoder d = {.position = c->position};
    for (int i = 0; i < n; i++)
        *(i < L ? &d.h[i] : &d.c[i - L]) = at_cache_gather(c->tape, c->states, i);
    if (c->model->feeding && c->position > 0)
        d.feed = at_reshape(c->tape, at_cache_gather(c->tape, c->states, n),
                            SHAPE((int)rows_of(c), 1, c->model->hidden));
    return d;
}

/* A model that reads its source from the end looks at places counted from there: back to those of
 * the source as it was given. */
static void turn_weights(const at_continuation *c, real *weights)
{
    for (size_t row = 0; row < rows_of(c) && c->model->reversed; row++) {
        real *w = weights + row * (size_t)c->length;
        int n = c->source.lengths ? c->source.lengths[row / (size_t)c->width] : c->length;
        for (int i = 0; i < n / 2; i++) {
            real kept = w[i];
            w[i] = w[n - 1 - i];
            w[n - 1 - i] = kept;
        }
    }
}

static attend_status step(void *self, int width, const int *from, const int *words, real **log_p,
                          const real **weights, attend_error *err)
{
    at_continuation *c = self;
    at_tape *t = c->tape;
    c->source.width = c->width = width;
    at_tape_reset(t);
    attend_status status = at_cache_reorder(c->states, (int)rows_of(c), from, err);
    if (status < 0)
        return status;
    at_decoder state = take_states(c);
    at_ids last = {SHAPE((int)rows_of(c), 1), words};
    at_decoded d = at_seq2seq_decode(t, c->model, &c->source, &state, last, c->weights);
    at_tensor *p = copies(c)
                       ? at_seq2seq_log_p(t, c->model, &d, c->copies.source.id ? &c->copies : NULL)
                       : at_seq2seq_logits(t, c->model, d.features);
    at_tensor *w = c->weights ? at_output_point(t, d.weights) : NULL;
    if (at_failed(t))
        return at_tape_status(t, err);
    if (w)
        turn_weights(c, w->value);
    *log_p = p->value;
    *weights = w ? w->value : NULL;
    return replace_states(c, t, &state, err);
}

/* ---- fewer sentences ------------------------------------------------------------------------ */

/* rows of x [B,n], or NULL without memory */
static int *some(at_tape *t, const int *x, int n, int count, const int *which)
{
    int *rows = at_scratch(t, (size_t)count * (size_t)n * sizeof *rows);
    for (int i = 0; rows && i < count; i++)
        memcpy(rows + i * n, x + which[i] * n, (size_t)n * sizeof *rows);
    return rows;
}

static void keep_copies(at_continuation *c, int count, const int *which)
{
    int S = c->copies.source.shape.dim[1];
    c->copies.source = (at_ids){SHAPE(count, S),
                                some(c->encoder, c->copies.source.id, S, count, which)};
    c->copies.extra = some(c->encoder, c->copies.extra, 1, count, which);
}

/* What the encoder gave stays on its tape, with what is kept of it behind. */
static attend_status keep(void *self, int count, const int *which, attend_error *err)
{
    at_continuation *c = self;
    at_tape *t = c->encoder;
    at_source *s = &c->source;
    at_ids rows = {SHAPE(count), which};
    s->context = at_take(t, s->context, rows);
    if (c->model->place != ATTEND_PLACE_NONE)
        s->memory = at_memory_of(t, &c->model->attention, &s->memory, rows);
    if (s->lengths)
        s->lengths = some(t, s->lengths, 1, count, which);
    if (c->copies.source.id)
        keep_copies(c, count, which);
    c->sentences = count;
    return at_tape_status(t, err);
}

at_searched at_continuation_searched(at_continuation *c, int start)
{
    return (at_searched){.self = c,
                         .sentences = c->sentences,
                         .vocabulary = c->model->target_vocabulary + c->copies.most,
                         .start = start,
                         .source = c->weights ? c->length : 0,
                         .step = step,
                         .logits = !copies(c),
                         .keep = keep,
                         .lengths = c->source.lengths};
}
