/* Encoder and decoder of the recurrent translators. See seq2seq.h for the family.
 *
 * Training: what does not go round is computed for all steps at once. Without attention, and when
 * reading after the step without feeding, the whole decoder is one recurrent layer and one read of
 * T queries; otherwise only the step itself is in the loop. */
#include "models/seq2seq.h"

#include <string.h>

/* ---- checks -------------------------------------------------------------------------------- */

static attend_status check_sizes(const at_seq2seq *m, attend_error *err)
{
    int directions = m->bidirectional ? 2 : 1;
    if (m->embedding < 1 || m->hidden < 1 || m->layers < 1 || m->target_vocabulary < 1
        || (m->source_features ? m->source_features < 0 : m->source_vocabulary < 1))
        return at_error(err, ATTEND_OPTION,
                        "embedding %d, hidden %d, layers %d: all must be at least 1", m->embedding,
                        m->hidden, m->layers);
    if (m->decoder_layers < 1 || m->decoder_layers > m->layers)
        return at_error(err, ATTEND_OPTION,
                        "%d layers of the decoder start from those of the encoder: 1 to %d",
                        m->decoder_layers, m->layers);
    if (m->layers * directions > ATTEND_STACK_MAX_STATES)
        return at_error(err, ATTEND_OPTION, "%d layers are too many; at most %d", m->layers,
                        ATTEND_STACK_MAX_STATES / directions);
    return ATTEND_OK;
}

attend_status at_seq2seq_check(const at_seq2seq *m, attend_error *err)
{
    attend_status status = check_sizes(m, err);
    if (status < 0)
        return status;
    if (m->start == ATTEND_START_COPY && m->bidirectional)
        return at_error(err, ATTEND_OPTION,
                        "an encoder of two directions has twice the decoder's states: they cannot "
                        "be copied; choose another start, or one direction");
    if (m->start == ATTEND_START_BACKWARD && !m->bidirectional)
        return at_error(err, ATTEND_OPTION,
                        "start from the backward state needs an encoder of two directions");
    if (m->feeding && m->place != ATTEND_PLACE_AFTER)
        return at_error(err, ATTEND_OPTION,
                        "input feeding needs a read after the step: --place after, or "
                        "--no-input-feeding");
    if (m->context_each_step && m->place != ATTEND_PLACE_NONE)
        return at_error(err, ATTEND_OPTION,
                        "the fixed context at each step is for models without attention; "
                        "--no-context-each-step leaves it out");
    if (m->source_features && (m->shared || m->output == &at_output_copy))
        return at_error(err, ATTEND_OPTION, "%s needs words, and the source is feature vectors",
                        m->shared ? "a shared embedding" : "output copy");
    if (m->output == &at_output_copy && m->place == ATTEND_PLACE_NONE)
        return at_error(err, ATTEND_OPTION,
                        "output copy needs attention: it copies where the decoder looks");
    if (m->tied && m->readout == ATTEND_READOUT_STATE && m->hidden != m->embedding)
        return at_error(err, ATTEND_OPTION,
                        "tied embeddings need hidden %d = embedding %d, or a deep readout",
                        m->hidden, m->embedding);
    if (m->tied && m->readout == ATTEND_READOUT_ALL)
        return at_error(err, ATTEND_OPTION,
                        "tied embeddings need a readout of their width: deep, or maxout");
    if (m->shared && m->source_vocabulary != m->target_vocabulary)
        return at_error(err, ATTEND_OPTION,
                        "a shared embedding needs one vocabulary, not %d and %d words",
                        m->source_vocabulary, m->target_vocabulary);
    if (m->place == ATTEND_PLACE_NONE)
        return ATTEND_OK;
    status = at_how_check_keys(&m->attention, m->bidirectional, err);
    return status < 0 ? status : at_how_check_width(&m->attention, m->hidden, err);
}

/* ---- dropout ------------------------------------------------------------------------------- */

/* x with fresh dropout, or with the sentence's own mask [B,1,width] */
static at_tensor *drop(at_tape *t, const at_seq2seq *m, at_tensor *x, at_tensor *mask)
{
    return mask ? at_multiply(t, x, mask) : at_dropout(t, x, m->dropout);
}

static at_tensor *dropout_mask(at_tape *t, const at_seq2seq *m, int B, int width)
{
    if (!m->variational || m->dropout <= 0 || at_tape_mode(t) != ATTEND_TRAIN)
        return NULL;
    at_tensor *ones = at_new(t, SHAPE(B, 1, width));
    for (size_t i = 0; !at_failed(t) && i < ones->len; i++)
        ones->value[i] = 1;
    return at_dropout(t, ones, m->dropout);
}

/* masks [B,1,width] below all layers but the first; false where dropout is fresh at every step */
static bool masks_between(at_tape *t, const at_seq2seq *m, int B, int layers, int width,
                          at_tensor **mask)
{
    for (int i = 0; i + 1 < layers; i++)
        mask[i] = dropout_mask(t, m, B, width);
    return layers > 1 && mask[0];
}

/* ---- encoder ------------------------------------------------------------------------------- */

static at_path in(const char *name) { return at_in(at_root(), "%s", name); }

static at_tensor *embed(at_tape *t, const at_seq2seq *m, const char *side, at_ids ids, int V)
{
    at_path s = m->shared ? in("embedding") : at_in(in(side), "embedding");
    return at_embed(t, s, ids, V, m->embedding, at_seq2seq_words_scale(m));
}

static at_stack_options stack(const at_seq2seq *m, int layers, bool bidirectional)
{
    return (at_stack_options){.cell = m->cell,
                              .hidden = m->hidden,
                              .layers = layers,
                              .bidirectional = bidirectional,
                              .dropout = m->dropout};
}

/* the sources from their ends: place s of a sentence of length n is place n-1-s; numbers of places
 * in all of the batch, [B*S] */
static int *places_reversed(at_tape *t, int B, int S, const int *lengths)
{
    int *place = at_scratch(t, (size_t)B * (size_t)S * sizeof *place);
    for (int b = 0; place && b < B; b++)
        for (int s = 0; s < S; s++) {
            int from = lengths && s < lengths[b] ? lengths[b] - 1 - s : lengths ? s : S - 1 - s;
            place[b * S + s] = b * S + from;
        }
    return place;
}

static at_ids words_reversed(at_tape *t, at_ids source, const int *lengths)
{
    int B = source.shape.dim[0], S = source.shape.dim[1];
    int *id = places_reversed(t, B, S, lengths);
    for (int i = 0; id && i < B * S; i++)
        id[i] = source.id[id[i]];
    return (at_ids){source.shape, id};
}

static at_tensor *features_reversed(at_tape *t, at_tensor *x, const int *lengths)
{
    if (at_failed(t))
        return at_poison(t);
    int B = x->shape.dim[0], S = x->shape.dim[1], F = x->shape.dim[2];
    const int *place = places_reversed(t, B, S, lengths);
    if (!place)
        return at_poison(t);
    return at_embedding(t, at_reshape(t, x, SHAPE(B * S, F)), (at_ids){SHAPE(B, S), place});
}

/* the first state of one decoder layer, from the encoder's last ones of the layer it stands for */
static at_tensor *first_state(at_tape *t, const at_seq2seq *m, const char *name, int place,
                              at_tensor *const last[])
{
    int layer = m->layers - m->decoder_layers + place;
    if (m->start == ATTEND_START_COPY)
        return last[layer];
    at_tensor *from = m->bidirectional ? last[2 * layer + 1] : last[layer];
    if (m->start == ATTEND_START_BOTH && m->bidirectional)
        from = at_concat(t, 2, (at_tensor *[]){last[2 * layer], last[2 * layer + 1]}, 1);
    return at_tanh(t, at_linear(t, at_in(in("start"), "%s%d", name, place), from, m->hidden));
}

/* the layers over the words' vectors x [B,S,E] */
static at_stack_result encoder_states(at_tape *t, const at_seq2seq *m, at_tensor *x,
                                      const int *lengths)
{
    at_tensor *between[ATTEND_STACK_MAX_STATES];
    int B = x->shape.dim[0];
    x = drop(t, m, x, dropout_mask(t, m, B, m->embedding));
    at_stack_options o = stack(m, m->layers, m->bidirectional);
    if (masks_between(t, m, B, m->layers, (m->bidirectional ? 2 : 1) * m->hidden, between))
        o.masks = between;
    return at_recurrent_stack(t, at_in(in("encoder"), "rnn"), x, m->reads_padding ? NULL : lengths,
                              &o);
}

static int readout_width(const at_seq2seq *m)
{
    bool heads = m->place != ATTEND_PLACE_NONE
                 && m->attention.heads; /* their W_o is of one width */
    int context = m->bidirectional && !heads ? 2 * m->hidden : m->hidden;
    return m->readout == ATTEND_READOUT_STATE ? m->hidden
           : m->readout == ATTEND_READOUT_ALL ? m->hidden + context + m->embedding
                                              : m->embedding;
}

static at_source encode(at_tape *t, const at_seq2seq *m, at_tensor *x, const int *lengths)
{
    if (at_failed(t))
        return (at_source){.states = at_poison(t)};
    int B = x->shape.dim[0], top = m->layers - 1;
    int R = readout_width(m);
    at_source e = {.lengths = lengths,
                   .width = 1,
                   .mask = {dropout_mask(t, m, B, m->embedding), dropout_mask(t, m, B, R)}};
    masks_between(t, m, B, m->decoder_layers, m->hidden, e.between);
    at_stack_result r = encoder_states(t, m, x, lengths);
    e.states = r.output;
    for (int i = 0; i < m->decoder_layers; i++) {
        e.h[i] = first_state(t, m, "h", i, r.h_n);
        e.c[i] = m->cell == ATTEND_LSTM ? first_state(t, m, "c", i, r.c_n) : NULL;
    }
    at_tensor *last = m->bidirectional
                          ? at_concat(t, 2, (at_tensor *[]){r.h_n[2 * top], r.h_n[2 * top + 1]}, 1)
                          : r.h_n[top];
    if (at_failed(t))
        return e;
    e.context = at_reshape(t, last, SHAPE(B, 1, at_shape_last(last->shape)));
    if (m->place != ATTEND_PLACE_NONE)
        e.memory = at_attention_prepare(t, in("attention"), &m->attention, m->hidden, e.states,
                                        e.states, lengths);
    return e;
}

at_source at_seq2seq_encode(at_tape *t, const at_seq2seq *m, at_ids source, const int *lengths)
{
    if (m->reversed)
        source = words_reversed(t, source, lengths);
    return encode(t, m, embed(t, m, "encoder", source, m->source_vocabulary), lengths);
}

static at_tensor *scaled(at_tape *t, const at_seq2seq *m, at_tensor *x)
{
    if (!m->feature_mean || at_failed(t))
        return x;
    at_tensor *less = at_input(t, SHAPE(m->source_features), m->feature_mean);
    at_tensor *scale = at_input(t, SHAPE(m->source_features), m->feature_scale);
    return at_multiply(t, at_add(t, x, at_scale(t, less, -1)), scale);
}

at_source at_seq2seq_encode_features(at_tape *t, const at_seq2seq *m, at_tensor *features,
                                     const int *lengths)
{
    at_tensor *x = scaled(t, m, features);
    if (m->reversed)
        x = features_reversed(t, x, lengths);
    return encode(t, m, at_linear(t, in("features"), x, m->embedding), lengths);
}

/* ---- decoder ------------------------------------------------------------------------------- */

at_decoder at_seq2seq_start(const at_seq2seq *m, const at_source *source)
{
    at_decoder d = {.feed = NULL};
    memcpy(d.h, source->h, (size_t)m->decoder_layers * sizeof *d.h);
    memcpy(d.c, source->c, (size_t)m->decoder_layers * sizeof *d.c);
    return d;
}

/* the layers over the steps of x [B,T,..]; moves the states on, gives the top layer's output */
static at_tensor *recur(at_tape *t, const at_seq2seq *m, const at_source *source, at_decoder *d,
                        at_tensor *x)
{
    at_stack_options o = stack(m, m->decoder_layers, false);
    o.h0 = d->h;
    o.c0 = m->cell == ATTEND_LSTM ? d->c : NULL;
    o.masks = source->between[0] ? source->between : NULL;
    at_stack_result r = at_recurrent_stack(t, at_in(in("decoder"), "rnn"), x, NULL, &o);
    memcpy(d->h, r.h_n, (size_t)m->decoder_layers * sizeof *d->h);
    memcpy(d->c, r.c_n, (size_t)m->decoder_layers * sizeof *d->c);
    return r.output;
}

/* What the windows lie around: word min(t, n-1) of the source, which is read as word n-1-.. where
 * it is read from its end. The hypotheses of a beam are at one step. */
static const int *centres(at_tape *t, const at_seq2seq *m, const at_source *source, int B, int Q,
                          int first)
{
    int *p = at_scratch(t, (size_t)B * (size_t)Q * sizeof *p);
    int S = at_failed(t) ? 0 : source->states->shape.dim[1];
    for (int i = 0; p && i < B * Q; i++) {
        int n = source->lengths ? source->lengths[i / Q] : S;
        int step = first + (source->width > 1 ? 0 : i % Q);
        int word = step < n ? step : n - 1;
        p[i] = m->reversed ? n - 1 - word : word;
    }
    return p;
}

/* what the hypotheses of a beam have read together, each for itself again */
static at_reading apart(at_tape *t, at_reading r, int rows)
{
    at_tensor *w = r.weights;
    if (w && w->shape.dim[1] > 1)
        w = at_transpose(t, w, 1, 2); /* [B,W,heads,S] */
    if (at_failed(t))
        return r;
    if (w)
        r.weights = at_reshape(t, w, SHAPE(rows, r.weights->shape.dim[1], 1, w->shape.dim[3]));
    r.context = at_reshape(t, r.context, SHAPE(rows, 1, at_shape_last(r.context->shape)));
    return r;
}

/* one read of the queries [B,Q,H] of steps first, first + 1, .. */
static at_reading look(at_tape *t, const at_seq2seq *m, const at_source *source, at_tensor *query,
                       int first, bool weights)
{
    if (at_failed(t))
        return (at_reading){.context = at_poison(t), .weights = at_poison(t)};
    int rows = query->shape.dim[0], W = source->width;
    if (W > 1)
        query = at_reshape(t, query, SHAPE(rows / W, W, m->hidden));
    at_query q = {.query = query, .mask = {.offset = first}, .together = W > 1, .weights = weights};
    if (!at_failed(t))
        q.centres = centres(t, m, source, query->shape.dim[0], query->shape.dim[1], first);
    at_reading r = at_attention_read(t, in("attention"), &m->attention, &source->memory, q);
    return W > 1 && !at_failed(t) ? apart(t, r, rows) : r;
}

/* [e; c], or [c; e] */
static at_tensor *with_context(at_tape *t, const at_seq2seq *m, at_tensor *e, at_tensor *c)
{
    at_tensor *both[] = {m->context_first ? c : e, m->context_first ? e : c};
    return at_concat(t, 2, both, 2);
}

/* h~ = tanh(W_c [c; h]) (Luong et al. 2015, eq. 5) */
static at_tensor *attentional(at_tape *t, const at_seq2seq *m, at_tensor *c, at_tensor *h)
{
    at_tensor *both = at_concat(t, 2, (at_tensor *[]){c, h}, 2);
    return at_tanh(t, at_linear_no_bias(t, at_in(in("decoder"), "attentional"), both, m->hidden));
}

/* what T steps leave behind for the readout: [B,T,..] */
typedef struct {
    at_tensor *h, *c; /* state (or h~), context */
    at_reading read;
} steps;

/* step by step: e is one word's embedding [B,1,E] */
static steps step_before(at_tape *t, const at_seq2seq *m, const at_source *source, at_decoder *d,
                         at_tensor *e, bool weights)
{
    at_tensor *h = d->h[m->decoder_layers - 1];
    at_tensor *query = at_failed(t) ? h : at_reshape(t, h, SHAPE(h->shape.dim[0], 1, m->hidden));
    at_reading r = look(t, m, source, query, d->position, weights);
    return (steps){
        .h = recur(t, m, source, d, with_context(t, m, e, r.context)), .c = r.context, .read = r};
}

static steps step_feeding(at_tape *t, const at_seq2seq *m, const at_source *source, at_decoder *d,
                          at_tensor *e, bool weights)
{
    if (!d->feed && !at_failed(t))
        d->feed = at_zeros(t, SHAPE(e->shape.dim[0], 1, m->hidden));
    at_tensor *h = recur(t, m, source, d, at_concat(t, 2, (at_tensor *[]){e, d->feed}, 2));
    at_reading r = look(t, m, source, h, d->position, weights);
    d->feed = attentional(t, m, r.context, h);
    return (steps){.h = d->feed, .c = r.context, .read = r};
}

static steps loop(at_tape *t, const at_seq2seq *m, const at_source *source, at_decoder *d,
                  at_tensor *e, bool weights)
{
    int T = e->shape.dim[1];
    steps *each = at_scratch(t, (size_t)T * sizeof *each);
    for (int i = 0; each && i < T; i++, d->position++) {
        at_tensor *word = T == 1 ? e : at_slice(t, e, 1, i, i + 1);
        each[i] = m->feeding ? step_feeding(t, m, source, d, word, weights)
                             : step_before(t, m, source, d, word, weights);
    }
    if (!each) {
        at_tensor *p = at_poison(t);
        return (steps){.h = p, .c = p, .read = {.weights = p, .log_p = p, .entropy = p}};
    }
    size_t stride = sizeof *each;
    return (steps){.h = at_concat_members(t, T, &each->h, stride, 1),
                   .c = at_concat_members(t, T, &each->c, stride, 1),
                   .read = {.weights = at_concat_members(t, T, &each->read.weights, stride, 2),
                            .log_p = at_concat_members(t, T, &each->read.log_p, stride, 2),
                            .entropy = at_concat_members(t, T, &each->read.entropy, stride, 2)}};
}

/* [B,1,C] n times: [B,n,C] */
static at_tensor *repeat(at_tape *t, at_tensor *c, int n)
{
    at_tensor **part = at_scratch(t, (size_t)n * sizeof *part);
    for (int i = 0; part && i < n; i++)
        part[i] = c;
    return at_failed(t) ? at_poison(t) : n == 1 ? c : at_concat(t, n, part, 1);
}

/* the fixed context for all rows and steps: [rows,T,C] */
static at_tensor *fixed_context(at_tape *t, const at_source *source, int T)
{
    at_tensor *c = repeat(t, source->context, source->width);
    if (source->width > 1 && !at_failed(t))
        c = at_reshape(t, c, SHAPE(c->shape.dim[0] * source->width, 1, c->shape.dim[2]));
    return repeat(t, c, T);
}

/* all steps at once: nothing that is read goes back into the states */
static steps at_once(at_tape *t, const at_seq2seq *m, const at_source *source, at_decoder *d,
                     at_tensor *e, bool weights)
{
    int T = e->shape.dim[1], first = d->position;
    d->position += T;
    if (m->place == ATTEND_PLACE_NONE) {
        at_tensor *c = fixed_context(t, source, T);
        return (steps){
            .h = recur(t, m, source, d, m->context_each_step ? with_context(t, m, e, c) : e),
            .c = c};
    }
    at_tensor *h = recur(t, m, source, d, e);
    at_reading r = look(t, m, source, h, first, weights);
    return (steps){.h = attentional(t, m, r.context, h), .c = r.context, .read = r};
}

/* ---- readout ------------------------------------------------------------------------------- */

/* max(a, b) = b + relu(a - b) of the two halves of x */
static at_tensor *maxout(at_tape *t, at_tensor *x, int width)
{
    at_tensor *a = at_slice(t, x, 2, 0, width), *b = at_slice(t, x, 2, width, 2 * width);
    return at_add(t, b, at_relu(t, at_add(t, a, at_scale(t, b, -1))));
}

static at_tensor *readout(at_tape *t, const at_seq2seq *m, const steps *s, at_tensor *e)
{
    if (m->readout == ATTEND_READOUT_STATE)
        return s->h;
    at_tensor *all = at_concat(t, 3, (at_tensor *[]){s->h, s->c, e}, 2);
    if (m->readout == ATTEND_READOUT_ALL)
        return all;
    at_path p = at_in(in("decoder"), "readout");
    return m->readout == ATTEND_READOUT_DEEP
               ? at_tanh(t, at_linear(t, p, all, m->embedding))
               : maxout(t, at_linear(t, p, all, 2 * m->embedding), m->embedding);
}

/* words that have a vector, for those that were copied */
static at_ids known_words(at_tape *t, const at_seq2seq *m, at_ids words)
{
    size_t n = (size_t)words.shape.dim[0] * (size_t)words.shape.dim[1];
    int *known = at_scratch(t, n * sizeof *known);
    for (size_t i = 0; known && i < n; i++)
        known[i] = words.id[i] < m->target_vocabulary ? words.id[i] : m->unknown;
    return (at_ids){words.shape, known};
}

at_decoded at_seq2seq_decode(at_tape *t, const at_seq2seq *m, const at_source *source,
                             at_decoder *state, at_ids words, bool weights)
{
    bool copies = m->output == &at_output_copy;
    if (copies)
        words = known_words(t, m, words);
    if (at_failed(t))
        return (at_decoded){.features = at_poison(t), .weights = at_poison(t)};
    at_tensor *e = embed(t, m, "decoder", words, m->target_vocabulary);
    e = drop(t, m, e, source->mask[0]);
    if (at_failed(t))
        return (at_decoded){.features = at_poison(t), .weights = at_poison(t)};
    bool loops = m->place == ATTEND_PLACE_BEFORE || m->feeding;
    steps s = (loops ? loop : at_once)(t, m, source, state, e, weights || copies);
    at_decoded d = {.weights = s.read.weights, .log_p = s.read.log_p, .entropy = s.read.entropy};
    d.features = readout(t, m, &s, e);
    if (!m->spare_readout)
        d.features = drop(t, m, d.features, source->mask[1]);
    if (copies)
        d.gate = at_output_gate(t, at_in(in("decoder"), "gate"), s.c, s.h, e);
    return d;
}

/* ---- output -------------------------------------------------------------------------------- */

static at_tensor *output_weight(at_tape *t, const at_seq2seq *m, int width)
{
    if (!m->tied)
        return at_param(t, in("output"), "weight", SHAPE(m->target_vocabulary, width),
                        INIT_UNIFORM(1 / real_sqrt((real)width)));
    at_path s = m->shared ? in("embedding") : at_in(in("decoder"), "embedding");
    return at_param(t, s, "weight", SHAPE(m->target_vocabulary, m->embedding),
                    INIT_NORMAL(at_seq2seq_words_scale(m)));
}

static at_tensor *output_bias(at_tape *t, const at_seq2seq *m)
{
    return at_param(t, in("output"), "bias", SHAPE(m->target_vocabulary), INIT_ZERO);
}

at_tensor *at_seq2seq_logits(at_tape *t, const at_seq2seq *m, at_tensor *features)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = output_weight(t, m, at_shape_last(features->shape));
    return at_affine(t, features, w, output_bias(t, m), ATTEND_OUT_IN);
}

at_tensor *at_seq2seq_loss(at_tape *t, const at_seq2seq *m, at_tensor *features, at_ids targets,
                           at_cross_entropy_options options)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = output_weight(t, m, at_shape_last(features->shape));
    return at_linear_cross_entropy(t, features, w, output_bias(t, m), ATTEND_OUT_IN, targets,
                                   options);
}

/* ---- copying ------------------------------------------------------------------------------- */

/* what was copied from where the encoder read it */
static at_ids as_read(at_tape *t, const at_seq2seq *m, at_ids copied)
{
    int B = copied.shape.dim[0], S = copied.shape.dim[1];
    int *lengths = m->reversed ? at_scratch(t, (size_t)B * sizeof *lengths) : NULL;
    if (!lengths)
        return copied;
    for (int b = 0; b < B; b++)
        for (lengths[b] = 0; lengths[b] < S && copied.id[b * S + lengths[b]] >= 0;)
            lengths[b]++;
    return words_reversed(t, copied, lengths);
}

at_tensor *at_seq2seq_copied(at_tape *t, const at_seq2seq *m, const at_decoded *d, at_ids copied,
                             at_ids targets)
{
    return at_output_copied_mass(t, at_output_point(t, d->weights), as_read(t, m, copied), targets);
}

at_tensor *at_seq2seq_copy_loss(at_tape *t, const at_seq2seq *m, at_tensor *features,
                                at_mixed_with copying, at_ids targets,
                                at_cross_entropy_options options)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = output_weight(t, m, at_shape_last(features->shape));
    return at_linear_mixture(t, features, w, output_bias(t, m), ATTEND_OUT_IN, copying, targets,
                             options);
}

at_tensor *at_seq2seq_log_p(at_tape *t, const at_seq2seq *m, const at_decoded *d,
                            const at_copies *copies)
{
    at_tensor *logits = at_seq2seq_logits(t, m, d->features);
    if (m->output != &at_output_copy)
        return at_log_softmax(t, logits);
    if (!copies)
        return at_fail(t, "copy: nobody said what there is to copy");
    at_tensor *w = at_output_point(t, d->weights);
    if (at_failed(t))
        return at_poison(t);
    at_copies read = *copies;
    read.source = as_read(t, m, copies->source);
    int rows = logits->shape.dim[0] * logits->shape.dim[1];
    return at_output_copied_log(t, at_reshape(t, logits, SHAPE(rows, m->target_vocabulary)),
                                at_reshape(t, w, SHAPE(rows, w->shape.dim[2])), d->gate, &read);
}
