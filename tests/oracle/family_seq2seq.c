/* d2l's GRU encoder and decoder with Bahdanau attention, and its Transformer: loss, gradients,
 * weights, greedy output. The GRU encoder runs over padding there. src [B,S], tgt and tgt_in [B,T];
 * 1 is padding, 2 begins. */
#include <stdio.h>
#include <string.h>

#include "models/seq2seq.h"
#include "models/transformer.h"
#include "oracle.h"

enum { PADDING = 1, BEGIN = 2 };

static void bind_layers(at_case *c, const char *ours, const char *theirs, int layers)
{
    static const char *const part[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    char here[64], there[64];

    for (int i = 0; i < 4 * layers; i++) {
        snprintf(here, sizeof here, "%s.%s_l%d", ours, part[i % 4], i / 4);
        snprintf(there, sizeof there, "%s.%s_l%d", theirs, part[i % 4], i / 4);
        at_case_bind(c, here, at_case_param(c, there));
    }
}

static void bind_all(at_case *c, const at_seq2seq *m)
{
    at_tensor *energy = at_case_param(c, "decoder.attention.w_v.weight");

    at_case_params(c);
    at_case_bind(c, "encoder.embedding.weight", at_case_param(c, "encoder.embedding.weight"));
    at_case_bind(c, "decoder.embedding.weight", at_case_param(c, "decoder.embedding.weight"));
    bind_layers(c, "encoder.rnn", "encoder.rnn.rnn", m->layers);
    bind_layers(c, "decoder.rnn", "decoder.rnn", m->layers);
    at_case_bind(c, "attention.score.query", at_case_param(c, "decoder.attention.W_q.weight"));
    at_case_bind(c, "attention.score.key", at_case_param(c, "decoder.attention.W_k.weight"));
    if (!at_failed(c->tape))
        at_case_bind(c, "attention.score.energy",
                     at_reshape(c->tape, energy, SHAPE((int)energy->len)));
    at_case_bind(c, "output.weight", at_case_param(c, "decoder.dense.weight"));
    at_case_bind(c, "output.bias", at_case_param(c, "decoder.dense.bias"));
}

static at_seq2seq model_of(at_case *c)
{
    at_seq2seq m = {.source_vocabulary = at_case_int(c, "config.V", 0),
                    .target_vocabulary = at_case_int(c, "config.W", 0),
                    .embedding = at_case_int(c, "config.E", 0),
                    .hidden = at_case_int(c, "config.H", 0),
                    .layers = at_case_int(c, "config.L", 1),
                    .decoder_layers = at_case_int(c, "config.L", 1),
                    .cell = ATTEND_GRU,
                    .reads_padding = true,
                    .context_first = true,
                    .place = ATTEND_PLACE_BEFORE,
                    .output = &at_output_words};
    attend_error err;

    if (at_how_parse(&m.attention, "additive", &err) < 0 || at_seq2seq_check(&m, &err) < 0)
        at_fail_with(c->tape, &err);
    return m;
}

static void check_loss(at_case *c, const at_seq2seq *m, at_ids source, const int *lengths)
{
    at_tape *t = c->tape;

    bind_all(c, m);
    at_source e = at_seq2seq_encode(t, m, source, lengths);
    at_decoder state = at_seq2seq_start(m, &e);
    at_decoded d = at_seq2seq_decode(t, m, &e, &state, at_case_ids(c, "tgt_in"), true);
    at_case_output(c, "logits", at_seq2seq_logits(t, m, d.features));
    if (at_failed(t))
        return;
    at_shape s = d.weights->shape; /* [B,1,T,S] */
    at_case_output(c, "attention", at_reshape(t, d.weights, SHAPE(s.dim[0], s.dim[2], s.dim[3])));
    at_case_loss(c, at_seq2seq_loss(t, m, d.features, at_case_ids(c, "tgt"),
                                    (at_cross_entropy_options){.ignore = PADDING}));
}

static int best(const real *logits, int n)
{
    int at = 0;

    for (int i = 1; i < n; i++)
        at = logits[i] > logits[at] ? i : at;
    return at;
}

/* word after word, as many as are expected; the end of a sentence is not looked at */
static void check_greedy(at_case *c, const at_seq2seq *m, at_ids source, const int *lengths)
{
    json_t *greedy = at_case_json(c, "greedy");
    int B = source.shape.dim[0], V = m->target_vocabulary;
    int *word = at_arena_alloc(&c->memory, (size_t)B * sizeof *word);

    for (int b = 0; word && b < B; b++)
        word[b] = BEGIN;
    bind_all(c, m);
    at_source e = at_seq2seq_encode(c->tape, m, source, lengths);
    at_decoder state = at_seq2seq_start(m, &e);
    size_t steps = json_array_size(json_array_get(greedy, 0));
    for (size_t i = 0; word && i < steps && !at_failed(c->tape); i++) {
        at_decoded d = at_seq2seq_decode(c->tape, m, &e, &state, (at_ids){SHAPE(B, 1), word},
                                         false);
        at_tensor *logits = at_seq2seq_logits(c->tape, m, d.features);
        for (int b = 0; b < B && !at_failed(c->tape); b++) {
            json_t *want = json_array_get(json_array_get(greedy, (size_t)b), i);
            word[b] = best(logits->value + (size_t)b * (size_t)V, V);
            if (json_integer_value(want) != word[b])
                at_case_fail(c, "greedy: sentence %d, word %zu is %d, expected %d", b, i, word[b],
                             (int)json_integer_value(want));
        }
    }
}

/* ---- the Transformer ------------------------------------------------------------------------ */

static void bind_one(at_case *c, const char *stack, int i, const char *ours, const char *theirs,
                     bool bias)
{
    static const char *const part[] = {"weight", "bias"};
    char here[ATTEND_CASE_NAME], there[ATTEND_CASE_NAME];
    for (int k = 0; k < (bias ? 2 : 1); k++) {
        snprintf(here, sizeof here, "%s.layers.%d.%s.%s", stack, i, ours, part[k]);
        snprintf(there, sizeof there, "%s.blks.block%d.%s.%s", stack, i, theirs, part[k]);
        at_case_bind(c, here, at_case_param(c, there));
    }
}

static void bind_attention(at_case *c, const char *stack, int i, const char *ours,
                           const char *theirs)
{
    static const char *const which[][2] = {
        {"q_proj", "W_q"}, {"k_proj", "W_k"}, {"v_proj", "W_v"}, {"out_proj", "W_o"}};
    char here[64], there[64];
    for (int k = 0; k < 4; k++) {
        snprintf(here, sizeof here, "%s.%s", ours, which[k][0]);
        snprintf(there, sizeof there, "%s.%s", theirs, which[k][1]);
        bind_one(c, stack, i, here, there, false);
    }
}

static void bind_transformer(at_case *c, const at_transformer *m)
{
    at_case_params(c);
    for (int i = 0; i < m->layers; i++) {
        bind_attention(c, "encoder", i, "self_attn", "attention");
        bind_one(c, "encoder", i, "self_attn_layer_norm", "addnorm1.ln", true);
        bind_one(c, "encoder", i, "final_layer_norm", "addnorm2.ln", true);
        bind_attention(c, "decoder", i, "self_attn", "attention1");
        bind_attention(c, "decoder", i, "encoder_attn", "attention2");
        bind_one(c, "decoder", i, "self_attn_layer_norm", "addnorm1.ln", true);
        bind_one(c, "decoder", i, "encoder_attn_layer_norm", "addnorm2.ln", true);
        bind_one(c, "decoder", i, "final_layer_norm", "addnorm3.ln", true);
        for (int k = 0; k < 2; k++) {
            bind_one(c, k ? "decoder" : "encoder", i, "fc1", "ffn.dense1", true);
            bind_one(c, k ? "decoder" : "encoder", i, "fc2", "ffn.dense2", true);
        }
    }
    at_case_bind(c, "encoder.embed_tokens.weight", at_case_param(c, "encoder.embedding.weight"));
    at_case_bind(c, "decoder.embed_tokens.weight", at_case_param(c, "decoder.embedding.weight"));
    at_case_bind(c, "lm_head.weight", at_case_param(c, "decoder.dense.weight"));
    at_case_bind(c, "lm_head.bias", at_case_param(c, "decoder.dense.bias"));
}

static at_transformer transformer_of(at_case *c)
{
    int H = at_case_int(c, "config.H", 1);
    at_transformer m = {.source_vocabulary = at_case_int(c, "config.V", 0),
                        .target_vocabulary = at_case_int(c, "config.W", 0),
                        .width = H,
                        .layers = at_case_int(c, "config.L", 1),
                        .decoder_layers = at_case_int(c, "config.L", 1),
                        .inner = at_case_int(c, "config.ff", 0),
                        .output = &at_output_words,
                        .scale = real_sqrt((real)H),
                        .activation = at_relu,
                        .epsilon = (real)1e-5};
    attend_error err;
    if (at_how_parse(&m.attention, "scaled-dot", &err) < 0)
        at_fail_with(c->tape, &err);
    m.attention.heads = at_case_int(c, "config.A", 1);
    m.encoder_attention = m.decoder_attention = m.attention;
    return m;
}

static void check_weights(at_case *c, const at_attention_record *r)
{
    static const char *const kind[] = {[ATTEND_ATTENTION_ENCODER] = "encoder_attention",
                                       [ATTEND_ATTENTION_DECODER] = "decoder_self_attention",
                                       [ATTEND_ATTENTION_CROSS] = "cross_attention"};
    char name[64];
    for (int i = 0; i < r->count; i++) {
        snprintf(name, sizeof name, "%s.%d", kind[r->item[i].kind], r->item[i].layer);
        at_case_output(c, name, r->item[i].weights);
    }
}

static void check_transformer_loss(at_case *c, const at_model *m, const at_inputs *in)
{
    at_attention_record record = {.kinds = ~0u, .layer = -1, .head = -1};
    at_inputs recorded = *in;
    recorded.record = &record;
    bind_transformer(c, m->net);
    at_decode_input d = {.source = m->kind->decodes->encode(c->tape, m, &recorded),
                         .tokens = at_case_ids(c, "tgt_in"),
                         .width = 1,
                         .record = &record};
    at_tensor *features = m->kind->decodes->decode(c->tape, m, &d).features;
    at_case_output(c, "logits", m->kind->decodes->logits(c->tape, m, features));
    if (at_failed(c->tape))
        return;
    check_weights(c, &record);
    at_case_loss(c, m->kind->decodes->loss(c->tape, m, features, (at_mixed_with){.gate = NULL},
                                           at_case_ids(c, "tgt"),
                                           (at_cross_entropy_options){.ignore = PADDING}));
}

/* token after token on a cache, as many as are expected */
static void check_transformer_greedy(at_case *c, const at_model *m, const at_inputs *in)
{
    const at_decodes *f = m->kind->decodes;
    json_t *greedy = at_case_json(c, "greedy");
    int B = in->ids.shape.dim[0], V = f->vocabulary(m);
    int *token = at_arena_alloc(&c->memory, (size_t)B * sizeof *token);
    at_cache *cache = f->cache(m);
    attend_error err;
    for (int b = 0; token && b < B; b++)
        token[b] = BEGIN;
    if (!token || !cache || at_cache_join(cache, B, &err) < 0) {
        at_case_fail(c, "out of memory");
        at_cache_free(cache);
        return;
    }
    bind_transformer(c, m->net);
    void *source = f->encode(c->tape, m, in);
    size_t steps = json_array_size(json_array_get(greedy, 0));
    for (size_t i = 0; i < steps && !at_failed(c->tape); i++) {
        at_decode_input d = {.source = source,
                             .cache = cache,
                             .tokens = {SHAPE(B, 1), token},
                             .width = 1,
                             .position = (int)i};
        at_tensor *logits = f->logits(c->tape, m, f->decode(c->tape, m, &d).features);
        for (int b = 0; b < B && !at_failed(c->tape); b++) {
            json_t *want = json_array_get(json_array_get(greedy, (size_t)b), i);
            token[b] = best(logits->value + (size_t)b * (size_t)V, V);
            if (json_integer_value(want) != token[b])
                at_case_fail(c, "greedy: sentence %d, token %zu is %d, expected %d", b, i, token[b],
                             (int)json_integer_value(want));
        }
    }
    at_cache_free(cache);
}

static void check_transformer(at_case *c)
{
    at_transformer net = transformer_of(c);
    at_model m = {.kind = &at_model_transformer, .net = &net, .params = c->params};
    at_inputs in = {.ids = at_case_ids(c, "src"), .lengths = at_case_ids(c, "src_lengths").id};
    if (at_failed(c->tape) || !in.ids.id)
        return;
    check_transformer_loss(c, &m, &in);
    check_transformer_greedy(c, &m, &in);
}

void at_check_seq2seq(at_case *c)
{
    if (strcmp(at_case_text(c, "family"), "seq2seq.transformer") == 0) {
        check_transformer(c);
        return;
    }
    if (strcmp(at_case_text(c, "family"), "seq2seq.bahdanau") != 0) {
        at_case_unknown(c, "no such family: %s", at_case_text(c, "family"));
        return;
    }
    at_seq2seq m = model_of(c);
    at_ids source = at_case_ids(c, "src");
    const int *lengths = at_case_ids(c, "src_lengths").id;
    if (at_failed(c->tape) || !source.id)
        return;
    check_loss(c, &m, source, lengths);
    check_greedy(c, &m, source, lengths);
}
