#include "models/transformer.h"

#include <string.h>

#include "base/memory.h"

/* ---- settings ------------------------------------------------------------------------------ */

static const at_option options[] = {
    {.name = "preset",
     OPTION_STRING(at_transformer_settings, preset),
     .value = "transformer",
     .meta = "NAME",
     .help = "The named system to start from; attend list presets shows them"},
    {.name = "from",
     OPTION_STRING(at_transformer_settings, from),
     .meta = "LANGUAGE",
     .help = "Language of the sources: en, eng or English"},
    {.name = "to",
     OPTION_STRING(at_transformer_settings, to),
     .meta = "LANGUAGE",
     .help = "Language of the translations"},
    {.name = "hidden",
     OPTION_INT(at_transformer_settings, hidden),
     .value = "512",
     .min = 1,
     .max = 1 << 16,
     .meta = "N",
     .help = "Width of the states"},
    {.name = "layers",
     OPTION_INT(at_transformer_settings, layers),
     .value = "6",
     .min = 1,
     .max = 64,
     .meta = "N",
     .help = "Layers on each side"},
    {.name = "decoder-layers",
     OPTION_INT(at_transformer_settings, decoder_layers),
     .value = "0",
     .min = 0,
     .max = 64,
     .meta = "N",
     .help = "Layers of the decoder; 0: as many as the encoder has"},
    {.name = "heads",
     OPTION_INT(at_transformer_settings, heads),
     .value = "8",
     .min = 1,
     .max = 256,
     .meta = "N",
     .group = "Transformers",
     .help = "Heads of every attention that does not give its own number"},
    {.name = "ffn",
     OPTION_INT(at_transformer_settings, ffn),
     .value = "2048",
     .min = 1,
     .max = 1 << 18,
     .meta = "N",
     .help = "Width inside the feed-forward layers"},
    {.name = "decoder-ffn",
     OPTION_INT(at_transformer_settings, decoder_ffn),
     .value = "0",
     .min = 0,
     .max = 1 << 18,
     .meta = "N",
     .later = true,
     .help = "Width inside the decoder's feed-forward layers; 0: as in the encoder"},
    {.name = "norm",
     OPTION_CHOICE(at_transformer_settings, norm),
     .value = "post",
     .choices = "post|pre",
     .help = "Layer norm after each sub-layer is added, or before each sub-layer"},
    {.name = "final-norm",
     OPTION_FLAG(at_transformer_settings, final_norm),
     .help = "With --norm post: a last layer norm after each stack, which pre-norm always has"},
    {.name = "positions",
     OPTION_CHOICE(at_transformer_settings, positions),
     .value = "interleaved",
     .choices = "interleaved|halves|opennmt|learned|stored",
     .help = "Positions: sinusoids with sines and cosines interleaved (the paper), in halves "
             "(Marian) or as OpenNMT has them, or learned vectors; stored: vectors of a model of "
             "the hub, which are not trained"},
    {.name = "max-positions",
     OPTION_INT(at_transformer_settings, max_positions),
     .value = "1024",
     .min = 1,
     .max = 1 << 20,
     .meta = "N",
     .help = "With --positions learned or stored: the number of positions"},
    {.name = "embedding-scale",
     OPTION_CHOICE(at_transformer_settings, scale),
     .value = "sqrt",
     .choices = "sqrt|one",
     .help = "Factor of the embeddings: the square root of the width, or 1"},
    {.name = "activation",
     OPTION_STRING(at_transformer_settings, activation),
     .value = "relu",
     .meta = "NAME",
     .help = "Activation of the feed-forward layers: relu, gelu, gelu_new, silu, .."},
    {.name = "attention",
     OPTION_STRING(at_transformer_settings, attention),
     .value = "scaled-dot",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "Cross-attention; attend list attention shows the mechanisms"},
    {.name = "encoder-attention",
     OPTION_STRING(at_transformer_settings, encoder_attention),
     .value = "scaled-dot",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "Self-attention of the encoder"},
    {.name = "decoder-attention",
     OPTION_STRING(at_transformer_settings, decoder_attention),
     .value = "scaled-dot",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "Self-attention of the decoder"},
    {.name = "attention-bias",
     OPTION_FLAG(at_transformer_settings, attention_bias),
     .value = "yes",
     .help = "Projections of attention have biases"},
    {.name = "output",
     OPTION_STRING(at_transformer_settings, output),
     .value = "words",
     .meta = "NAME",
     .help = "Output: words, or copy to copy tokens of the source too"},
    {.name = "dropout",
     OPTION_REAL(at_transformer_settings, dropout),
     .value = "0.1",
     .min = 0,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability after each sub-layer"},
    {.name = "embedding-dropout",
     OPTION_REAL(at_transformer_settings, embedding_dropout),
     .value = "-1",
     .min = -1,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability of embeddings with their positions; -1: as --dropout"},
    {.name = "attention-dropout",
     OPTION_REAL(at_transformer_settings, attention_dropout),
     .value = "0",
     .min = 0,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability of attention weights"},
    {.name = "activation-dropout",
     OPTION_REAL(at_transformer_settings, activation_dropout),
     .value = "0",
     .min = 0,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability inside the feed-forward layers"},
    {.name = "tied",
     OPTION_FLAG(at_transformer_settings, tied),
     .help = "The output layer is the target's embedding"},
    {.name = "shared",
     OPTION_FLAG(at_transformer_settings, shared),
     .help = "Source and target have one vocabulary and one embedding"},
    {.name = "feature-scaling",
     OPTION_CHOICE(at_transformer_settings, scaling),
     .value = "each",
     .choices = "each|none",
     .help = "Scaling of feature vectors: each number by its mean and deviation, or none"},
    {0}};

static attend_status parse_attention(at_how *how, const at_transformer_settings *s,
                                     const char *text, attend_error *err)
{
    attend_status status = at_how_parse(how, text, err);
    if (status < 0)
        return status;
    if (!how->heads)
        how->heads = s->heads;
    return at_how_check_width(how, s->hidden, err);
}

/* Self-attention must train without a reward, and the decoder's must take any length. */
static attend_status check_self(const at_how *how, const char *option, bool grows,
                                attend_error *err)
{
    if (at_how_needs_reward(how))
        return at_error(err, ATTEND_OPTION,
                        "%s: the pick hard draws positions that need a reward per target token, "
                        "which self-attention does not have; choose hard:straight-through",
                        option);
    if (grows && how->score->limits_length)
        return at_error(err, ATTEND_OPTION,
                        "%s: the score %s knows a fixed number of positions, and a translation "
                        "grows past any; choose another score",
                        option, how->score->about.name);
    return ATTEND_OK;
}

static attend_status describe_attention(const at_transformer_settings *s, at_transformer *m,
                                        attend_error *err)
{
    attend_status status = parse_attention(&m->attention, s, s->attention, err);
    if (status >= 0)
        status = parse_attention(&m->encoder_attention, s, s->encoder_attention, err);
    if (status >= 0)
        status = parse_attention(&m->decoder_attention, s, s->decoder_attention, err);
    if (status >= 0)
        status = check_self(&m->encoder_attention, "--encoder-attention", false, err);
    return status < 0 ? status
                      : check_self(&m->decoder_attention, "--decoder-attention", true, err);
}

static attend_status describe_output(const at_transformer_settings *s, at_transformer *m,
                                     attend_error *err)
{
    attend_status status = at_output_parse(&m->output, s->output, &m->attention, err);
    if (status < 0)
        return status;
    bool copies = m->output == &at_output_copy;
    if (m->output != &at_output_words && !copies)
        return at_error(err, ATTEND_OPTION, "--output %s: a Transformer's output is words or copy",
                        s->output);
    if (!m->source_vocabulary && (s->shared || copies))
        return at_error(err, ATTEND_OPTION,
                        "%s needs tokens, and the source is feature vectors; %s",
                        copies ? "--output copy" : "--shared",
                        copies ? "choose --output words" : "--no-shared");
    if (s->shared && m->source_vocabulary != m->target_vocabulary)
        return at_error(err, ATTEND_OPTION,
                        "--shared: one embedding needs one vocabulary, not %d and %d tokens",
                        m->source_vocabulary, m->target_vocabulary);
    return ATTEND_OK;
}

static attend_status network(const at_transformer_settings *s, int source_vocabulary,
                             int target_vocabulary, at_transformer *m, attend_error *err)
{
    double embeddings = s->embedding_dropout < 0 ? s->dropout : s->embedding_dropout;
    *m = (at_transformer){.source_vocabulary = source_vocabulary,
                          .target_vocabulary = target_vocabulary,
                          .width = s->hidden,
                          .layers = s->layers,
                          .decoder_layers = s->decoder_layers ? s->decoder_layers : s->layers,
                          .inner = s->ffn,
                          .decoder_inner = s->decoder_ffn,
                          .pre_norm = s->norm == 1,
                          .final_norm = s->norm == 1 || s->final_norm,
                          .bias = s->attention_bias,
                          .positions = s->positions,
                          .max_positions = s->max_positions,
                          .scale = s->scale ? 1 : real_sqrt((real)s->hidden),
                          .activation = at_activation_find(s->activation),
                          .epsilon = (real)1e-5,
                          .dropout = (real)s->dropout,
                          .embedding_dropout = (real)embeddings,
                          .attention_dropout = (real)s->attention_dropout,
                          .activation_dropout = (real)s->activation_dropout,
                          .tied = s->tied,
                          .shared = s->shared};
    if (!m->activation)
        return at_error(err, ATTEND_OPTION,
                        "--activation: unknown activation '%s'; choose relu, gelu, gelu_new, "
                        "gelu_fast, gelu_10, quick_gelu, silu, mish, tanh, sigmoid or linear",
                        s->activation);
    attend_status status = describe_attention(s, m, err);
    return status < 0 ? status : describe_output(s, m, err);
}

/* ---- embeddings ---------------------------------------------------------------------------- */

enum { ENCODER, DECODER };
static const char *const side[] = {"encoder", "decoder"};

static at_path at(const char *name) { return at_in(at_root(), "%s", name); }

static at_path tokens_path(const at_transformer *m, int which)
{
    return m->shared ? at("shared") : at_in(at(side[which]), "embed_tokens");
}

/* so that embeddings times their factor, and the logits of a tied output, begin near N(0, 1) */
static real tokens_spread(const at_transformer *m)
{
    return m->scale == 1 && !m->tied ? 1 : 1 / real_sqrt((real)m->width);
}

static at_tensor *tokens_table(at_tape *t, const at_transformer *m, int which)
{
    int V = which == ENCODER ? m->source_vocabulary : m->target_vocabulary;
    return at_param_matrix(t, tokens_path(m, which), "weight", SHAPE(V, m->width),
                           INIT_NORMAL(tokens_spread(m)));
}

/* x [B,T,D] with positions first .. first+T-1, dropped */
static at_tensor *with_positions(at_tape *t, const at_transformer *m, int which, at_tensor *x,
                                 int first)
{
    at_path s = at_in(at(side[which]), "embed_positions");
    if (m->positions == ATTEND_TRANSFORMER_LEARNED)
        x = at_add_positions(t, s, x, first, m->max_positions, tokens_spread(m) * m->scale);
    else if (m->positions == ATTEND_TRANSFORMER_STORED)
        x = at_add_stored_positions(t, s, x, first, m->max_positions);
    else
        x = at_add_sinusoids(t, (at_sinusoids)m->positions, x, first);
    return at_dropout(t, x, m->embedding_dropout);
}

static at_tensor *embed(at_tape *t, const at_transformer *m, int which, at_ids ids, int first)
{
    at_tensor *x = at_embedding_fixed(t, tokens_table(t, m, which), ids, m->padding - 1);
    return with_positions(t, m, which, m->scale == 1 ? x : at_scale(t, x, m->scale), first);
}

/* ---- sub-layers ----------------------------------------------------------------------------- */

/* f(W x + b); b and f may be left out */
static at_tensor *project(at_tape *t, at_path s, at_tensor *x, int out, bool bias, at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = at_param_matrix(t, s, "weight", SHAPE(out, at_shape_last(x->shape)),
                                   INIT_GLOROT);
    at_tensor *b = bias ? at_param(t, s, "bias", SHAPE(out), INIT_ZERO) : NULL;
    return f ? at_affine_act(t, x, w, b, ATTEND_OUT_IN, f) : at_affine(t, x, w, b, ATTEND_OUT_IN);
}

/* q, k, v or out of an attention */
static at_tensor *projected(at_tape *t, at_path s, const at_transformer *m, const char *which,
                            at_tensor *x)
{
    return project(t, at_in(s, "%s_proj", which), x, m->width, m->bias, NULL);
}

/* the input of a sub-layer */
static at_tensor *enter(at_tape *t, at_path norm, const at_transformer *m, at_tensor *x)
{
    return m->pre_norm ? at_norm(t, norm, x, m->epsilon) : x;
}

/* its output y added to x */
static at_tensor *leave(at_tape *t, at_path norm, const at_transformer *m, at_tensor *x,
                        at_tensor *y)
{
    at_tensor *sum;
    y = at_dropout(t, y, m->dropout);
    return m->pre_norm ? at_add(t, x, y) : at_norm_residual(t, norm, x, y, m->epsilon, &sum);
}

static at_tensor *feed_forward(at_tape *t, at_path s, const at_transformer *m, int which,
                               at_tensor *x)
{
    at_path norm = at_in(s, "final_layer_norm");
    int inner = which == DECODER && m->decoder_inner ? m->decoder_inner : m->inner;
    at_tensor *y = project(t, at_in(s, "fc1"), enter(t, norm, m, x), inner, true, m->activation);
    y = at_dropout(t, y, m->activation_dropout);
    return leave(t, norm, m, x, project(t, at_in(s, "fc2"), y, m->width, true, NULL));
}

/* of the decoder, with the positions that the cache has, where there is a cache */
typedef struct {
    attend_attention_kind kind;
    const at_how *how;
    const int *lengths;
    at_cache *cache;
    int stream; /* in the cache */
    at_attention_record *record;
} self_options;

static at_tensor *self_attention(at_tape *t, at_path layer, const at_transformer *m, at_tensor *x,
                                 int number, const self_options *o)
{
    at_path norm = at_in(layer, "self_attn_layer_norm"), s = at_in(layer, "self_attn");
    at_tensor *y = enter(t, norm, m, x);
    at_tensor *q = projected(t, s, m, "q", y);
    at_tensor *k = projected(t, s, m, "k", y), *v = projected(t, s, m, "v", y);
    at_memory memory = o->cache
                           ? at_append_slices(t, s, o->how, m->width, k, v, o->cache, o->stream)
                           : at_attention_slices(t, s, o->how, m->width, k, v, o->lengths);
    at_query query = {.query = q,
                      .mask = {.causal = o->kind == ATTEND_ATTENTION_DECODER,
                               .first = o->cache ? at_cache_firsts(o->cache) : NULL},
                      .dropout = m->attention_dropout,
                      .weights = at_attention_record_wants(o->record, o->kind, number)};
    at_reading r = at_read_slices(t, s, o->how, &memory, query);
    if (query.weights && !at_failed(t))
        at_attention_record_add(o->record, o->kind, number, r.weights);
    return leave(t, norm, m, x, projected(t, s, m, "out", r.context));
}

/* ---- encoder -------------------------------------------------------------------------------- */

static at_path layer_path(int which, int i) { return at_in(at(side[which]), "layers.%d", i); }

static at_tensor *last_norm(at_tape *t, const at_transformer *m, int which, at_tensor *x)
{
    return m->final_norm ? at_norm(t, at_in(at(side[which]), "layer_norm"), x, m->epsilon) : x;
}

at_tensor *at_transformer_encoder(at_tape *t, const at_transformer *m, at_tensor *x,
                                  const int *lengths, at_attention_record *record)
{
    at_mark mark = at_tape_mark(t);
    self_options o = {.kind = ATTEND_ATTENTION_ENCODER,
                      .how = &m->encoder_attention,
                      .lengths = lengths,
                      .record = record};
    for (int i = 0; i < m->layers; i++) {
        at_path s = layer_path(ENCODER, i);
        x = self_attention(t, s, m, x, i, &o);
        x = feed_forward(t, s, m, ENCODER, x);
        if (!record || !record->count)
            at_tape_release(t, mark, &x, 1);
    }
    return last_norm(t, m, ENCODER, x);
}

at_memory *at_transformer_memory(at_tape *t, const at_transformer *m, at_tensor *states,
                                 const int *lengths)
{
    at_memory *memory = at_scratch(t, (size_t)m->decoder_layers * sizeof *memory);
    for (int i = 0; memory && i < m->decoder_layers; i++) {
        at_path s = at_in(layer_path(DECODER, i), "encoder_attn");
        at_tensor *k = projected(t, s, m, "k", states), *v = projected(t, s, m, "v", states);
        memory[i] = at_attention_slices(t, s, &m->attention, m->width, k, v, lengths);
    }
    return memory;
}

/* ---- decoder -------------------------------------------------------------------------------- */

at_cache *at_transformer_cache(const at_transformer *m)
{
    int one[ATTEND_ATTENTION_STREAMS], D = m->width;
    int n = at_attention_streams(&m->decoder_attention, D, D, D, one);
    int *widths = at_alloc((size_t)(n * m->decoder_layers) * sizeof *widths);
    for (int i = 0; widths && i < n * m->decoder_layers; i++)
        widths[i] = one[i % n];
    at_cache *c = widths ? at_cache_new(0, n * m->decoder_layers, widths) : NULL;
    at_free(widths);
    return c;
}

/* What windows lie around: position min(t, n-1) of a source of n. The rows of one source are at
 * one step. */
static const int *centres(at_tape *t, const at_transformer_input *in, const at_memory *memory,
                          at_shape queries)
{
    int B = queries.dim[0], Q = queries.dim[1];
    int *p = at_scratch(t, (size_t)B * (size_t)Q * sizeof *p);
    for (int i = 0; p && i < B * Q; i++) {
        int n = memory->lengths ? memory->lengths[i / Q] : memory->keys->shape.dim[1];
        int step = in->position + (in->width > 1 ? 0 : i % Q);
        p[i] = step < n ? step : n - 1;
    }
    return p;
}

/* the rows of one source, which were read together, each for itself again */
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

/* queries [rows,T,D] over their sources */
static at_reading read_source(at_tape *t, at_path s, const at_transformer *m,
                              const at_transformer_input *in, const at_memory *memory, at_tensor *q,
                              bool weights)
{
    if (at_failed(t))
        return (at_reading){.context = at_poison(t), .weights = at_poison(t)};
    int rows = q->shape.dim[0], W = in->width;
    if (W > 1)
        q = at_reshape(t, q, SHAPE(rows / W, W, m->width));
    if (at_failed(t))
        return (at_reading){.context = at_poison(t), .weights = at_poison(t)};
    at_query query = {.query = q,
                      .mask = {.offset = in->position},
                      .together = W > 1,
                      .centres = centres(t, in, memory, q->shape),
                      .dropout = m->attention_dropout,
                      .weights = weights};
    at_reading r = at_read_slices(t, s, &m->attention, memory, query);
    return W > 1 && !at_failed(t) ? apart(t, r, rows) : r;
}

/* x after the cross-attention of layer i; *r receives what was read */
static at_tensor *cross_attention(at_tape *t, const at_transformer *m,
                                  const at_transformer_input *in, at_tensor *x, int i,
                                  at_reading *r)
{
    at_path layer = layer_path(DECODER, i), s = at_in(layer, "encoder_attn");
    at_path norm = at_in(layer, "encoder_attn_layer_norm");
    bool wanted = at_attention_record_wants(in->record, ATTEND_ATTENTION_CROSS, i);
    bool copies = m->output == &at_output_copy && i == m->decoder_layers - 1;
    at_tensor *q = projected(t, s, m, "q", enter(t, norm, m, x));
    *r = read_source(t, s, m, in, &in->memory[i], q, wanted || copies);
    r->context = projected(t, s, m, "out", r->context);
    if (wanted && !at_failed(t))
        at_attention_record_add(in->record, ATTEND_ATTENTION_CROSS, i, r->weights);
    return leave(t, norm, m, x, r->context);
}

static at_tensor *decoder_layers(at_tape *t, const at_transformer *m,
                                 const at_transformer_input *in, at_reading *each)
{
    int widths[ATTEND_ATTENTION_STREAMS], D = m->width;
    int streams = at_attention_streams(&m->decoder_attention, D, D, D, widths);
    self_options o = {.kind = ATTEND_ATTENTION_DECODER,
                      .how = &m->decoder_attention,
                      .lengths = in->counts,
                      .cache = in->cache,
                      .record = in->record};
    at_tensor *x = in->x;
    for (int i = 0; i < m->decoder_layers; i++, o.stream += streams) {
        x = self_attention(t, layer_path(DECODER, i), m, x, i, &o);
        x = cross_attention(t, m, in, x, i, &each[i]);
        x = feed_forward(t, layer_path(DECODER, i), m, DECODER, x);
    }
    return last_norm(t, m, DECODER, x);
}

at_decoded at_transformer_decoder(at_tape *t, const at_transformer *m,
                                  const at_transformer_input *in)
{
    attend_error err;
    int L = m->decoder_layers;
    at_reading *each = at_scratch(t, (size_t)L * sizeof *each);
    if (!each || at_failed(t))
        return (at_decoded){.features = at_poison(t), .weights = at_poison(t)};
    if (in->cache && at_cache_extend(in->cache, in->x->shape.dim[1], in->counts, &err) < 0)
        return (at_decoded){.features = at_fail_with(t, &err), .weights = at_poison(t)};
    at_tensor *x = decoder_layers(t, m, in, each);
    if (at_failed(t))
        return (at_decoded){.features = at_poison(t), .weights = at_poison(t)};
    if (in->cache)
        at_cache_commit(in->cache);
    at_decoded d = {.features = x,
                    .weights = each[L - 1].weights,
                    .log_p = at_concat_members(t, L, &each->log_p, sizeof *each, 1),
                    .entropy = at_concat_members(t, L, &each->entropy, sizeof *each, 1)};
    if (m->output == &at_output_copy)
        d.gate = at_output_gate(t, at_in(at("decoder"), "gate"), each[L - 1].context, x, in->x);
    return d;
}

/* ---- the kind: sources ---------------------------------------------------------------------- */

typedef struct {
    at_memory *memory; /* [decoder_layers] */
} sources;

static const at_transformer *net_of(const at_model *m) { return m->net; }

static attend_status describe(at_model *m, attend_error *err)
{
    at_transformer *net = m->net;
    attend_status status = network(m->settings, at_model_source_size(m), at_model_target_size(m),
                                   net, err);
    if (status < 0 || !m->target)
        return status;
    int pad = m->target->special[ATTEND_SPECIAL_PAD];
    net->padding = pad == m->target->special[ATTEND_SPECIAL_BOS] ? pad + 1 : 0;
    if (net->output != &at_output_copy) {
        at_copying_free(m->copying);
        m->copying = NULL;
        return ATTEND_OK;
    }
    net->unknown = at_copying_unknown(m->target);
    return m->copying ? ATTEND_OK : at_copying_new(m->source, m->target, &m->copying, err);
}

/* W x + b of vectors [B,S,width], scaled where the model scales them */
static at_tensor *embed_vectors(at_tape *t, const at_model *m, const at_inputs *in)
{
    const at_transformer *net = net_of(m);
    int B = in->ids.shape.dim[0], S = in->ids.shape.dim[1], F = m->width;
    at_tensor *x = at_new(t, SHAPE(B, S, F));
    for (size_t i = 0; !at_failed(t) && i < x->len; i += (size_t)F)
        if (m->mean)
            at_model_scale(m, in->vectors + i, x->value + i);
        else
            memcpy(x->value + i, in->vectors + i, (size_t)F * sizeof *x->value);
    x = project(t, at("features"), x, net->width, true, NULL);
    return with_positions(t, net, ENCODER, x, 0);
}

static void *encode(at_tape *t, const at_model *m, const at_inputs *in)
{
    const at_transformer *net = net_of(m);
    sources *s = at_scratch(t, sizeof *s);
    if (!s)
        return NULL;
    at_tensor *x = in->vectors ? embed_vectors(t, m, in) : embed(t, net, ENCODER, in->ids, 0);
    x = at_transformer_encoder(t, net, x, in->lengths, in->record);
    s->memory = at_transformer_memory(t, net, x, in->lengths);
    return s;
}

static void *keep(at_tape *t, const at_model *m, void *source, at_ids which)
{
    const at_transformer *net = net_of(m);
    const sources *from = source;
    sources *s = at_scratch(t, sizeof *s);
    at_memory *memory = at_scratch(t, (size_t)net->decoder_layers * sizeof *memory);
    for (int i = 0; memory && i < net->decoder_layers; i++)
        memory[i] = at_memory_of(t, &net->attention, &from->memory[i], which);
    if (s)
        s->memory = memory;
    return memory ? s : NULL;
}

/* ---- the kind: decoding --------------------------------------------------------------------- */

static at_cache *cache(const at_model *m) { return at_transformer_cache(net_of(m)); }

/* tokens with an embedding, for those that were copied */
static at_ids known_tokens(at_tape *t, const at_transformer *net, at_ids ids)
{
    size_t n = (size_t)ids.shape.dim[0] * (size_t)ids.shape.dim[1];
    int *known = at_scratch(t, n * sizeof *known);
    for (size_t i = 0; known && i < n; i++)
        known[i] = ids.id[i] < net->target_vocabulary ? ids.id[i] : net->unknown;
    return (at_ids){ids.shape, known};
}

static at_decoded decode(at_tape *t, const at_model *m, const at_decode_input *in)
{
    const at_transformer *net = net_of(m);
    const sources *s = in->source;
    at_ids ids = net->output == &at_output_copy ? known_tokens(t, net, in->tokens) : in->tokens;
    if (!s || at_failed(t))
        return (at_decoded){.features = at_poison(t), .weights = at_poison(t)};
    at_transformer_input x = {.x = embed(t, net, DECODER, ids, in->position),
                              .counts = in->counts,
                              .memory = s->memory,
                              .width = in->width,
                              .position = in->position,
                              .cache = in->cache,
                              .record = in->record};
    return at_transformer_decoder(t, net, &x);
}

static int vocabulary(const at_model *m) { return net_of(m)->target_vocabulary; }

static at_tensor *output_weight(at_tape *t, const at_transformer *net)
{
    return net->tied ? tokens_table(t, net, DECODER)
                     : at_param_matrix(t, at("lm_head"), "weight",
                                       SHAPE(net->target_vocabulary, net->width), INIT_GLOROT);
}

static at_tensor *output_bias(at_tape *t, const at_transformer *net)
{
    return at_param(t, at("lm_head"), "bias", SHAPE(net->target_vocabulary), INIT_ZERO);
}

static at_tensor *logits(at_tape *t, const at_model *m, at_tensor *features)
{
    const at_transformer *net = net_of(m);
    return at_affine(t, features, output_weight(t, net), output_bias(t, net), ATTEND_OUT_IN);
}

static at_tensor *loss(at_tape *t, const at_model *m, at_tensor *features, at_mixed_with copying,
                       at_ids targets, at_cross_entropy_options o)
{
    const at_transformer *net = net_of(m);
    at_tensor *w = output_weight(t, net), *b = output_bias(t, net);
    if (!copying.gate)
        return at_linear_cross_entropy(t, features, w, b, ATTEND_OUT_IN, targets, o);
    return at_linear_mixture(t, features, w, b, ATTEND_OUT_IN, copying, targets, o);
}

static at_tensor *copied(at_tape *t, const at_model *m, const at_decoded *d, at_ids copied,
                         at_ids targets)
{
    (void)m;
    return at_output_copied_mass(t, at_output_point(t, d->weights), copied, targets);
}

static at_tensor *copy_log_p(at_tape *t, const at_model *m, const at_decoded *d,
                             const at_copies *copies)
{
    at_tensor *y = logits(t, m, d->features);
    if (net_of(m)->output != &at_output_copy)
        return at_log_softmax(t, y);
    if (!copies)
        return at_fail(t, "copy: the tokens to copy are missing");
    at_tensor *w = at_output_point(t, d->weights);
    if (at_failed(t))
        return at_poison(t);
    int rows = y->shape.dim[0] * y->shape.dim[1];
    return at_output_copied_log(t, at_reshape(t, y, SHAPE(rows, vocabulary(m))),
                                at_reshape(t, w, SHAPE(rows, w->shape.dim[2])), d->gate, copies);
}

static bool draws(const at_model *m) { return net_of(m)->attention.pick->draws; }
static bool samples(const at_model *m) { return at_how_needs_reward(&net_of(m)->attention); }

static const at_decodes decodes = {.encode = encode,
                                   .keep = keep,
                                   .cache = cache,
                                   .decode = decode,
                                   .vocabulary = vocabulary,
                                   .logits = logits,
                                   .loss = loss,
                                   .copied = copied,
                                   .copy_log_p = copy_log_p,
                                   .draws = draws,
                                   .samples = samples};

/* ---- the kind: what it says of itself ------------------------------------------------------- */

/* one token from a source of one token, or vector */
static void trial(at_tape *t, const at_model *m)
{
    static const int token[1] = {0}, length[1] = {1}, extra[1] = {0};
    at_ids one = {SHAPE(1, 1), token};
    at_copies copies = {.source = one, .extra = extra};
    real *zeros = at_scratch_reals(t, (size_t)m->width + 1);
    if (!zeros)
        return;
    memset(zeros, 0, ((size_t)m->width + 1) * sizeof *zeros);
    void *source = encode(
        t, m, &(at_inputs){.ids = one, .vectors = m->width ? zeros : NULL, .lengths = length});
    at_decoded d = decode(t, m, &(at_decode_input){.source = source, .tokens = one, .width = 1});
    if (!at_failed(t))
        copy_log_p(t, m, &d, m->copying ? &copies : NULL);
}

/* Sinusoids have no end, learned positions have. */
static int max_output(const at_model *m, int limit)
{
    const at_transformer *net = net_of(m);
    bool learned = net->positions >= ATTEND_TRANSFORMER_LEARNED;
    return learned && (limit == 0 || net->max_positions < limit) ? net->max_positions : limit;
}

static int max_input(const at_model *m, int limit)
{
    const at_transformer *net = net_of(m);
    limit = at_how_max_length(&net->attention, at_how_max_length(&net->encoder_attention, limit));
    return max_output(m, limit);
}

static int attention(const at_model *m, at_attention_layout *out)
{
    const at_transformer *net = net_of(m);
    out[0] = (at_attention_layout){ATTEND_ATTENTION_CROSS, net->decoder_layers,
                                   net->attention.heads};
    out[1] = (at_attention_layout){ATTEND_ATTENTION_DECODER, net->decoder_layers,
                                   net->decoder_attention.heads};
    out[2] = (at_attention_layout){ATTEND_ATTENTION_ENCODER, net->layers,
                                   net->encoder_attention.heads};
    return 3;
}

static at_embedding_info embedding(const at_model *m)
{
    const at_transformer *net = net_of(m);
    return (at_embedding_info){net->shared ? "shared.weight" : "encoder.embed_tokens.weight",
                               net->width, tokens_spread(net)};
}

static const char *unused(const void *settings, const char *name)
{
    const at_transformer_settings *s = settings;
    if (strcmp(name, "max-positions") == 0 && s->positions < ATTEND_TRANSFORMER_LEARNED)
        return "has sinusoids, which have no end; --positions learned has a number of them";
    if (strcmp(name, "positions") == 0 && s->positions == ATTEND_TRANSFORMER_STORED)
        return "has no stored vectors before it is trained; choose --positions halves or learned";
    if (strcmp(name, "final-norm") == 0 && s->norm == 1)
        return "always has the last norms with --norm pre; leave it out";
    return NULL;
}

const at_model_kind at_model_transformer = {
    .name = "Transformer",
    .type = "attend-transformer",
    .use = "translate",
    .can = ATTEND_CAN_TRANSLATE,
    .parts = ATTEND_PART_SIDES | ATTEND_PART_VECTORS,
    .options = options,
    .settings_size = sizeof(at_transformer_settings),
    .net_size = sizeof(at_transformer),
    .describe = describe,
    .trial = trial,
    .max_input = max_input,
    .max_output = max_output,
    .attention = attention,
    .embedding = embedding,
    .unused = unused,
    .decodes = &decodes,
};
