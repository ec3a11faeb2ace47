/* Recurrent translators as a kind of models: seq2seq.h behind the functions of model.h. */
#include <string.h>

#include "models/translator.h"

static const at_seq2seq *net_of(const at_model *m) { return m->net; }

/* ---- the network ---------------------------------------------------------------------------- */

/* x -> (x - mean) * (1 / spread) */
static attend_status set_scaling(at_model *m, at_seq2seq *net, attend_error *err)
{
    size_t n = (size_t)m->width;
    real *mean = at_arena_alloc(&m->memory, n * sizeof *mean);
    real *scale = at_arena_alloc(&m->memory, n * sizeof *scale);
    if (!mean || !scale)
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        mean[i] = (real)m->mean[i];
        scale[i] = (real)(1 / m->spread[i]);
    }
    net->feature_mean = mean;
    net->feature_scale = scale;
    return ATTEND_OK;
}

static attend_status describe(at_model *m, attend_error *err)
{
    at_seq2seq *net = m->net;
    int words = at_model_target_size(m);
    attend_status status =
        m->width ? at_translator_model_features(m->settings, m->width, words, net, err)
                 : at_translator_model(m->settings, at_model_source_size(m), words, net, err);
    if (status >= 0 && m->mean)
        status = set_scaling(m, net, err);
    if (status < 0 || !m->target)
        return status;
    if (net->output != &at_output_copy) {
        at_copying_free(m->copying);
        m->copying = NULL;
        return ATTEND_OK;
    }
    net->unknown = at_copying_unknown(m->target);
    return m->copying ? ATTEND_OK : at_copying_new(m->source, m->target, &m->copying, err);
}

static int max_input(const at_model *m, int limit) { return at_seq2seq_longest(net_of(m), limit); }

static int attention(const at_model *m, at_attention_layout *out)
{
    int heads = net_of(m)->attention.heads;
    *out = (at_attention_layout){ATTEND_ATTENTION_CROSS, 1, heads > 0 ? heads : 1};
    return net_of(m)->place != ATTEND_PLACE_NONE;
}

static at_embedding_info embedding(const at_model *m)
{
    const at_seq2seq *net = net_of(m);
    return (at_embedding_info){at_seq2seq_source_words(net), net->embedding,
                               at_seq2seq_words_scale(net)};
}

/* ---- sources -------------------------------------------------------------------------------- */

static void *encode(at_tape *t, const at_model *m, const at_inputs *in)
{
    at_source *s = at_scratch(t, sizeof *s);
    if (!s)
        return NULL;
    int B = in->ids.shape.dim[0], S = in->ids.shape.dim[1];
    if (in->vectors)
        *s = at_seq2seq_encode_features(
            t, net_of(m), at_input(t, SHAPE(B, S, m->width), in->vectors), in->lengths);
    else
        *s = at_seq2seq_encode(t, net_of(m), in->ids, in->lengths);
    return s;
}

static void *keep(at_tape *t, const at_model *m, void *source, at_ids which)
{
    at_source *s = at_scratch(t, sizeof *s);
    if (!s)
        return NULL;
    *s = *(at_source *)source;
    int n = which.shape.dim[0];
    s->context = at_take(t, s->context, which);
    if (net_of(m)->place != ATTEND_PLACE_NONE)
        s->memory = at_memory_of(t, &net_of(m)->attention, &s->memory, which);
    int *lengths = s->lengths ? at_scratch(t, (size_t)n * sizeof *lengths) : NULL;
    for (int i = 0; lengths && i < n; i++)
        lengths[i] = s->lengths[which.id[i]];
    s->lengths = lengths;
    return s;
}

/* ---- states in a cache ---------------------------------------------------------------------- */

/* h and c of every layer; the feed is the state after them */
static int states_of(const at_seq2seq *net)
{
    return net->decoder_layers * (net->cell == ATTEND_LSTM ? 2 : 1);
}

static at_cache *cache(const at_model *m)
{
    int widths[2 * ATTEND_STACK_MAX_STATES + 1], n = states_of(net_of(m)) + net_of(m)->feeding;
    for (int i = 0; i < n; i++)
        widths[i] = net_of(m)->hidden;
    return at_cache_new(1, n, widths);
}

/* there is no feed before the first step */
static void replace_states(at_tape *t, const at_seq2seq *net, const at_decoder *d, at_cache *cache)
{
    int L = net->decoder_layers, n = states_of(net);
    attend_error err;
    if (at_failed(t))
        return;
    if (at_cache_extend(cache, 1, NULL, &err) < 0) {
        at_fail_with(t, &err);
        return;
    }
    for (int i = 0; i < n; i++)
        at_cache_write(t, cache, i, i < L ? d->h[i] : d->c[i - L], 0);
    if (net->feeding && d->feed)
        at_cache_write(t, cache, n, d->feed, 0);
    at_cache_commit(cache);
}

static at_decoder take_states(at_tape *t, const at_seq2seq *net, const at_cache *cache,
                              int position)
{
    int L = net->decoder_layers, n = states_of(net);
    at_decoder d = {.position = position};
    for (int i = 0; i < n; i++)
        *(i < L ? &d.h[i] : &d.c[i - L]) = at_cache_gather(t, cache, i);
    if (net->feeding && position > 0)
        d.feed = at_reshape(t, at_cache_gather(t, cache, n),
                            SHAPE(at_cache_count(cache), 1, net->hidden));
    return d;
}

static void start(at_tape *t, const at_model *m, void *source, at_cache *cache)
{
    if (at_failed(t))
        return;
    at_decoder first = at_seq2seq_start(net_of(m), source);
    replace_states(t, net_of(m), &first, cache);
}

/* ---- decoding ------------------------------------------------------------------------------- */

/* A model that reads its source from the end attends to positions counted from there: weights
 * [rows,H,T,S] by the positions of the source as it was given. */
static at_tensor *turned(at_tape *t, const at_source *s, at_tensor *weights)
{
    at_tensor *out = at_zeros(t, weights->shape);
    int S = weights->shape.dim[3];
    size_t each = (size_t)weights->shape.dim[1] * (size_t)weights->shape.dim[2];
    for (size_t row = 0; !at_failed(t) && row < each * (size_t)weights->shape.dim[0]; row++) {
        const real *from = weights->value + row * (size_t)S;
        real *to = out->value + row * (size_t)S;
        int n = s->lengths ? s->lengths[row / each / (size_t)s->width] : S;
        memcpy(to, from, (size_t)S * sizeof *to);
        for (int i = 0; i < n; i++)
            to[i] = from[n - 1 - i];
    }
    return out;
}

static void record_weights(at_tape *t, const at_seq2seq *net, const at_source *s,
                           const at_decode_input *in, at_tensor *weights)
{
    bool turns = net->reversed && in->cache;
    if (!at_failed(t) && at_attention_record_wants(in->record, ATTEND_ATTENTION_CROSS, 0))
        at_attention_record_add(in->record, ATTEND_ATTENTION_CROSS, 0,
                                turns ? turned(t, s, weights) : weights);
}

static at_decoded decode(at_tape *t, const at_model *m, const at_decode_input *in)
{
    const at_seq2seq *net = net_of(m);
    if (!in->source || at_failed(t))
        return (at_decoded){.features = at_poison(t), .weights = at_poison(t)};
    at_source s = *(const at_source *)in->source;
    s.width = in->width;
    at_decoder state = in->cache ? take_states(t, net, in->cache, in->position)
                                 : at_seq2seq_start(net, &s);
    bool weights = net->place != ATTEND_PLACE_NONE
                   && at_attention_record_wants(in->record, ATTEND_ATTENTION_CROSS, 0);
    at_decoded d = at_seq2seq_decode(t, net, &s, &state, in->tokens, weights);
    if (weights)
        record_weights(t, net, &s, in, d.weights);
    if (in->cache)
        replace_states(t, net, &state, in->cache);
    return d;
}

/* ---- output --------------------------------------------------------------------------------- */

static int vocabulary(const at_model *m) { return net_of(m)->target_vocabulary; }

static at_tensor *logits(at_tape *t, const at_model *m, at_tensor *features)
{
    return at_seq2seq_logits(t, net_of(m), features);
}

static at_tensor *loss(at_tape *t, const at_model *m, at_tensor *features, at_mixed_with copying,
                       at_ids targets, at_cross_entropy_options options)
{
    return copying.gate ? at_seq2seq_copy_loss(t, net_of(m), features, copying, targets, options)
                        : at_seq2seq_loss(t, net_of(m), features, targets, options);
}

static at_tensor *copied(at_tape *t, const at_model *m, const at_decoded *d, at_ids copied,
                         at_ids targets)
{
    return at_seq2seq_copied(t, net_of(m), d, copied, targets);
}

static at_tensor *copy_log_p(at_tape *t, const at_model *m, const at_decoded *d,
                             const at_copies *copies)
{
    return at_seq2seq_log_p(t, net_of(m), d, copies);
}

static bool draws(const at_model *m) { return net_of(m)->attention.pick->draws; }
static bool samples(const at_model *m) { return at_how_needs_reward(&net_of(m)->attention); }
static bool reversed(const at_model *m) { return net_of(m)->reversed; }
static bool reads_padding(const at_model *m) { return net_of(m)->reads_padding; }

/* two steps on a source of one word, or vector */
static void trial(at_tape *t, const at_model *m)
{
    static const int word[1] = {0}, length[1] = {1}, extra[1] = {0};
    const at_seq2seq *net = net_of(m);
    at_ids one = {SHAPE(1, 1), word};
    at_copies copies = {.source = one, .extra = extra};
    real *zeros = at_scratch_reals(t, (size_t)m->width + 1);
    if (!zeros)
        return;
    memset(zeros, 0, ((size_t)m->width + 1) * sizeof *zeros);
    at_source *s = encode(
        t, m, &(at_inputs){.ids = one, .vectors = m->width ? zeros : NULL, .lengths = length});
    if (!s || at_failed(t))
        return;
    at_decoder state = at_seq2seq_start(net, s);
    bool weights = net->place != ATTEND_PLACE_NONE;
    for (int step = 0; step < 2 && !at_failed(t); step++) {
        at_decoded d = at_seq2seq_decode(t, net, s, &state, one, weights);
        if (!at_failed(t))
            at_seq2seq_log_p(t, net, &d, m->copying ? &copies : NULL);
    }
}

static const at_decodes decodes = {.encode = encode,
                                   .keep = keep,
                                   .cache = cache,
                                   .start = start,
                                   .decode = decode,
                                   .vocabulary = vocabulary,
                                   .logits = logits,
                                   .loss = loss,
                                   .copied = copied,
                                   .copy_log_p = copy_log_p,
                                   .draws = draws,
                                   .samples = samples,
                                   .reversed = reversed,
                                   .reads_padding = reads_padding};

static const char *unused(const void *settings, const char *name)
{
    const at_translator *s = settings;
    bool size = strcmp(name, "attention-size") == 0;
    if ((size || strcmp(name, "attention") == 0) && s->place == ATTEND_PLACE_NONE)
        return s->context_each_step
                   ? "has no attention; --place before and --no-context-each-step give it one"
                   : "has no attention; --place before (or after) gives it one";
    if (size)
        return at_model_unused_size(s->attention);
    if (strcmp(name, "context-first") == 0 && s->place != ATTEND_PLACE_BEFORE
        && !s->context_each_step)
        return "has no context beside its words; --place before";
    if (strcmp(name, "spare-readout") == 0 && s->dropout == 0)
        return "without dropout spares it anyway; leave it out";
    if (strcmp(name, "variational") == 0 && s->variational && s->dropout == 0)
        return "has no dropout, whose masks it is about; leave it out";
    return NULL;
}

const at_model_kind at_model_translator = {
    .name = "translator",
    .type = "attend-translator",
    .use = "translate",
    .can = ATTEND_CAN_TRANSLATE,
    .parts = ATTEND_PART_SIDES | ATTEND_PART_VECTORS,
    .options = at_translator_options,
    .settings_size = sizeof(at_translator),
    .net_size = sizeof(at_seq2seq),
    .describe = describe,
    .trial = trial,
    .max_input = max_input,
    .attention = attention,
    .embedding = embedding,
    .unused = unused,
    .decodes = &decodes,
};
