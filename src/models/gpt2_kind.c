/* GPT-2 as a kind of model: its settings, and what a session and training ask of it. */
#include <string.h>

#include "models/gpt2.h"

/* ---- settings ------------------------------------------------------------------------------ */

static const at_option options[] = {
    {.name = "preset",
     OPTION_STRING(at_gpt2_settings, preset),
     .value = "gpt2",
     .meta = "NAME",
     .help = "The named system to start from; attend list presets shows them"},
    {.name = "hidden",
     OPTION_INT(at_gpt2_settings, hidden),
     .value = "128",
     .min = 1,
     .max = 1 << 16,
     .meta = "N",
     .help = "Width of the states"},
    {.name = "layers",
     OPTION_INT(at_gpt2_settings, layers),
     .value = "4",
     .min = 1,
     .max = ATTEND_RECORD_MAX,
     .meta = "N",
     .help = "Decoder layers"},
    {.name = "heads",
     OPTION_INT(at_gpt2_settings, heads),
     .value = "4",
     .min = 1,
     .max = 256,
     .meta = "N",
     .group = "Transformers",
     .help = "Heads of every attention that does not give its own number"},
    {.name = "ffn",
     OPTION_INT(at_gpt2_settings, ffn),
     .value = "0",
     .min = 0,
     .max = 1 << 18,
     .meta = "N",
     .help = "Width inside the feed-forward layers; 0: four times --hidden"},
    {.name = "context",
     OPTION_INT(at_gpt2_settings, context),
     .value = "256",
     .min = 1,
     .max = 1 << 20,
     .meta = "N",
     .help = "Positions: tokens that a prediction can depend on"},
    {.name = "window",
     OPTION_INT(at_gpt2_settings, window),
     .value = "0",
     .min = 0,
     .max = 1 << 20,
     .meta = "N",
     .help = "Tokens of running text in a training example; 0: as many as --context"},
    {.name = "newline",
     OPTION_CHOICE(at_gpt2_settings, newline),
     .value = "text",
     .choices = ATTEND_NEWLINES,
     .help = "What a newline is: the end of a text, so that each line is one, or a part of texts"},
    {.name = "activation",
     OPTION_STRING(at_gpt2_settings, activation),
     .value = "gelu_new",
     .meta = "NAME",
     .help = "Activation of the feed-forward layers: relu, gelu, gelu_new, silu, .."},
    {.name = "attention",
     OPTION_STRING(at_gpt2_settings, attention),
     .value = "scaled-dot",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "Self-attention, under the causal mask; attend list attention shows the mechanisms"},
    {.name = "scale-by-layer",
     OPTION_FLAG(at_gpt2_settings, scale_by_layer),
     .help = "Divide the dot products of each attention by the number of its layer, from 1"},
    {.name = "norm-epsilon",
     OPTION_REAL(at_gpt2_settings, norm_epsilon),
     .value = "1e-5",
     .min = 1e-12,
     .max = 1,
     .meta = "E",
     .help = "Epsilon of the layer norms"},
    {.name = "dropout",
     OPTION_REAL(at_gpt2_settings, dropout),
     .value = "0.1",
     .min = 0,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability after each sub-layer"},
    {.name = "embedding-dropout",
     OPTION_REAL(at_gpt2_settings, embedding_dropout),
     .value = "-1",
     .min = -1,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability of embeddings with their positions; -1: as --dropout"},
    {.name = "attention-dropout",
     OPTION_REAL(at_gpt2_settings, attention_dropout),
     .value = "-1",
     .min = -1,
     .max = 0.95,
     .meta = "P",
     .help = "Dropout probability of attention weights; -1: as --dropout"},
    {.name = "tied",
     OPTION_FLAG(at_gpt2_settings, tied),
     .value = "yes",
     .help = "The output layer is the embedding of the tokens"},
    {.name = "embedding-rows",
     OPTION_INT(at_gpt2_settings, embedding_rows),
     .value = "0",
     .min = 0,
     .max = 1 << 24,
     .meta = "N",
     .help = "Rows of the embedding; 0: one for each token of the tokenizer, never fewer"},
    {0}};

/* A token attends to itself and to those before it: a score must know all of these positions, and
 * a draw has no reward. */
static attend_status describe_attention(const at_gpt2_settings *s, at_gpt2 *m, attend_error *err)
{
    at_how *how = &m->attention;
    attend_status status = at_how_parse(how, s->attention, err);
    if (status < 0)
        return status;
    if (!how->heads)
        how->heads = s->heads;
    if (at_how_needs_reward(how))
        return at_error(err, ATTEND_OPTION,
                        "--attention %s: the pick hard draws positions that need a reward per "
                        "target token, which self-attention does not have; choose "
                        "hard:straight-through",
                        s->attention);
    if (at_how_max_length(how, s->context) < s->context)
        return at_error(err, ATTEND_OPTION,
                        "--attention %s: the score %s knows %d positions, and a text has up to %d; "
                        "choose %s:%d, or --context %d",
                        s->attention, how->score->about.name, at_how_max_length(how, s->context),
                        s->context, how->score->about.name, s->context,
                        at_how_max_length(how, s->context));
    if (s->scale_by_layer && !how->score->dot_scale)
        return at_error(err, ATTEND_OPTION,
                        "--scale-by-layer divides dot products, and the score %s has none; choose "
                        "--attention scaled-dot or dot",
                        how->score->about.name);
    return at_how_check_width(how, s->hidden, err);
}

static real dropout_of(double own, double common) { return (real)(own < 0 ? common : own); }

static attend_status describe(at_model *model, attend_error *err)
{
    const at_gpt2_settings *s = model->settings;
    at_gpt2 *m = model->net;
    int tokens = at_model_source_size(model);
    *m = (at_gpt2){.vocabulary = s->embedding_rows ? s->embedding_rows : tokens,
                   .positions = s->context,
                   .width = s->hidden,
                   .layers = s->layers,
                   .inner = s->ffn ? s->ffn : 4 * s->hidden,
                   .epsilon = (real)s->norm_epsilon,
                   .activation = at_activation_find(s->activation),
                   .scale_by_layer = s->scale_by_layer,
                   .untied = !s->tied,
                   .dropout = (real)s->dropout,
                   .embedding_dropout = dropout_of(s->embedding_dropout, s->dropout),
                   .attention_dropout = dropout_of(s->attention_dropout, s->dropout)};
    if (!m->activation)
        return at_error(err, ATTEND_OPTION,
                        "--activation: unknown activation '%s'; choose relu, gelu, gelu_new, "
                        "quick_gelu, silu, mish, tanh or sigmoid",
                        s->activation);
    if (model->source && m->vocabulary < tokens)
        return at_error(err, ATTEND_OPTION,
                        "--embedding-rows %d: the tokenizer has %d tokens; choose at least as many "
                        "rows, or 0",
                        s->embedding_rows, tokens);
    if (s->window > s->context)
        return at_error(err, ATTEND_OPTION,
                        "--window %d: the model has %d positions; choose at most as many, or a "
                        "larger --context",
                        s->window, s->context);
    return describe_attention(s, m, err);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static const at_gpt2 *net_of(const at_model *m) { return m->net; }

/* a text of one token */
static void trial(at_tape *t, const at_model *m)
{
    static const int token[1] = {0};
    at_gpt2_input in = {.tokens = {SHAPE(1, 1), token}};
    at_gpt2_logits(t, at_root(), net_of(m), at_gpt2_states(t, at_root(), net_of(m), &in));
}

static int max_input(const at_model *m, int limit)
{
    int positions = net_of(m)->positions;
    return limit && limit < positions ? limit : positions;
}

static int attention(const at_model *m, at_attention_layout *out)
{
    const at_gpt2 *net = net_of(m);
    *out = (at_attention_layout){ATTEND_ATTENTION_DECODER, net->layers, net->attention.heads};
    return 1;
}

static at_embedding_info embedding(const at_model *m)
{
    return (at_embedding_info){"wte.weight", net_of(m)->width, (real)0.02};
}

static at_cache *cache(const at_model *m) { return at_gpt2_cache(net_of(m)); }

static at_decoded decode(at_tape *t, const at_model *m, const at_decode_input *in)
{
    at_gpt2_input x = {
        .tokens = in->tokens, .cache = in->cache, .counts = in->counts, .record = in->record};
    return (at_decoded){.features = at_gpt2_states(t, at_root(), net_of(m), &x)};
}

static int vocabulary(const at_model *m) { return net_of(m)->vocabulary; }

static at_tensor *logits(at_tape *t, const at_model *m, at_tensor *features)
{
    return at_gpt2_logits(t, at_root(), net_of(m), features);
}

static at_tensor *loss(at_tape *t, const at_model *m, at_tensor *features, at_mixed_with copying,
                       at_ids targets, at_cross_entropy_options o)
{
    (void)copying;
    return at_gpt2_loss(t, at_root(), net_of(m), features, targets, o);
}

static const at_decodes decodes = {
    .cache = cache, .decode = decode, .vocabulary = vocabulary, .logits = logits, .loss = loss};

const at_model_kind at_model_gpt2 = {
    .name = "GPT-2",
    .type = "attend-gpt2",
    .use = "generate",
    .can = ATTEND_CAN_GENERATE | ATTEND_CAN_PRETRAIN,
    .parts = ATTEND_PART_TOKENIZER,
    .options = options,
    .settings_size = sizeof(at_gpt2_settings),
    .net_size = sizeof(at_gpt2),
    .describe = describe,
    .trial = trial,
    .max_input = max_input,
    .attention = attention,
    .embedding = embedding,
    .decodes = &decodes,
};
