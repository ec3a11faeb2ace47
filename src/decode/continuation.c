#include "decode/continuation.h"

#include <string.h>

#include "base/memory.h"

/* The states of all rows between steps live in plain memory, so that reordering them is copying,
 * and the tape of a step can be reset. */
struct at_continuation {
    const at_seq2seq *model;
    at_tape *encoder, *tape; /* of the sources, and of one step */
    at_source source;
    at_copies copies;
    int sentences, length; /* that go on; of the longest source */
    int width;             /* rows of a sentence in the last step */
    size_t most;           /* rows there can be */
    bool weights;
    real *states; /* [layers * (h, c) + feed][rows,H], as the last step left them */
    size_t room;
    int position;
};

attend_status at_continuation_new(const at_seq2seq *model, at_params *params, at_continuation **out,
                                  attend_error *err)
{
    at_continuation *c = *out = at_alloc_zero(1, sizeof *c);
    if (c) {
        c->model = model;
        c->encoder = at_tape_new(params, ATTEND_INFER);
        c->tape = at_tape_new(params, ATTEND_INFER);
    }
    if (c && c->encoder && c->tape)
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
    at_free(c->states);
    at_free(c);
}

int at_continuation_longest(const at_continuation *c, int longest)
{
    return at_seq2seq_longest(c->model, longest);
}

static bool copies(const at_continuation *c) { return c->model->output == &at_output_copy; }
static size_t rows_of(const at_continuation *c) { return (size_t)c->sentences * (size_t)c->width; }

/* the i-th state of all rows: h and c of every layer, then what is fed */
static real *state_at(const at_continuation *c, int i)
{
    return c->states + (size_t)i * c->most * (size_t)c->model->hidden;
}

/* the first state of every sentence */
static void begin(at_continuation *c, int i, const at_tensor *first)
{
    memcpy(state_at(c, i), first->value, first->len * sizeof *first->value);
}

/* from sources [B,S,..] that the encoder has read */
static attend_status start(at_continuation *c, at_shape sources, int width, bool weights,
                           attend_error *err)
{
    const at_seq2seq *m = c->model;
    if (at_failed(c->encoder))
        return at_tape_status(c->encoder, err);
    c->width = 1;
    c->sentences = sources.dim[0];
    c->most = (size_t)c->sentences * (size_t)width;
    c->length = sources.dim[1];
    c->weights = weights && m->place != ATTEND_PLACE_NONE;
    c->copies = (at_copies){.most = 0};
    c->position = 0;
    size_t need = (size_t)(2 * m->decoder_layers + 1) * c->most * (size_t)m->hidden;
    if (need > c->room) {
        at_free(c->states);
        c->states = at_alloc(need * sizeof *c->states);
        c->room = c->states ? need : 0;
        if (!c->states)
            return at_error_memory(err);
    }
    for (int i = 0; i < m->decoder_layers; i++) {
        begin(c, 2 * i, c->source.h[i]);
        if (c->source.c[i])
            begin(c, 2 * i + 1, c->source.c[i]);
    }
    return ATTEND_OK;
}

attend_status at_continuation_start(at_continuation *c, at_ids source, const int *lengths,
                                    int width, bool weights, attend_error *err)
{
    at_tape_reset(c->encoder);
    c->source = at_seq2seq_encode(c->encoder, c->model, source, lengths);
    return start(c, source.shape, width, weights, err);
}

attend_status at_continuation_start_features(at_continuation *c, at_shape shape,
                                             const real *features, const int *lengths, int width,
                                             bool weights, attend_error *err)
{
    at_tape_reset(c->encoder);
    at_tensor *x = at_input(c->encoder, shape, features);
    c->source = at_seq2seq_encode_features(c->encoder, c->model, x, lengths);
    return start(c, shape, width, weights, err);
}

void at_continuation_copies(at_continuation *c, at_copies copies) { c->copies = copies; }

/* ---- one step ------------------------------------------------------------------------------- */

static at_tensor *gather(const at_continuation *c, int i, const int *from)
{
    size_t H = (size_t)c->model->hidden;
    at_tensor *x = at_new(c->tape, SHAPE((int)rows_of(c), (int)H));
    for (size_t row = 0; row < rows_of(c) && !at_failed(c->tape); row++)
        memcpy(x->value + row * H, state_at(c, i) + (size_t)from[row] * H, H * sizeof(real));
    return x;
}

static at_decoder take_states(const at_continuation *c, const int *from)
{
    const at_seq2seq *m = c->model;
    at_decoder d = {.position = c->position};
    for (int i = 0; i < m->decoder_layers; i++) {
        d.h[i] = gather(c, 2 * i, from);
        d.c[i] = m->cell == ATTEND_LSTM ? gather(c, 2 * i + 1, from) : NULL;
    }
    if (m->feeding && c->position > 0) {
        at_tensor *x = gather(c, 2 * m->decoder_layers, from);
        d.feed = at_reshape(c->tape, x, SHAPE((int)rows_of(c), 1, m->hidden));
    }
    return d;
}

static void keep_states(at_continuation *c, const at_decoder *d)
{
    const at_seq2seq *m = c->model;
    size_t bytes = rows_of(c) * (size_t)m->hidden * sizeof(real);
    for (int i = 0; i < m->decoder_layers; i++) {
        memcpy(state_at(c, 2 * i), d->h[i]->value, bytes);
        if (m->cell == ATTEND_LSTM)
            memcpy(state_at(c, 2 * i + 1), d->c[i]->value, bytes);
    }
    if (m->feeding)
        memcpy(state_at(c, 2 * m->decoder_layers), d->feed->value, bytes);
    c->position = d->position;
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
    at_decoder state = take_states(c, from);
    at_ids last = {SHAPE((int)rows_of(c), 1), words};
    at_decoded d = at_seq2seq_decode(t, c->model, &c->source, &state, last, c->weights);
    at_tensor *p = copies(c)
                       ? at_seq2seq_log_p(t, c->model, &d, c->copies.source.id ? &c->copies : NULL)
                       : at_seq2seq_logits(t, c->model, d.features);
    at_tensor *w = c->weights ? at_output_point(t, d.weights) : NULL;
    if (at_failed(t))
        return at_tape_status(t, err);
    keep_states(c, &state);
    if (w)
        turn_weights(c, w->value);
    *log_p = p->value;
    *weights = w ? w->value : NULL;
    return ATTEND_OK;
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
