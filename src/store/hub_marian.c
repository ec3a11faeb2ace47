/* Marian (Junczys-Dowmunt et al. 2018), as the hub has it: MarianMTModel, all Opus-MT models.
 *
 * A Transformer with post-norm, sinusoids in halves, and a bias of the logits. transformers ignores
 * normalize_before, normalize_embedding, add_final_layer_norm, static_position_embeddings,
 * add_bias_logits and extra_pos_embeddings, and always computes this one. Where positions are
 * stored, they count as they are: in a file of f16 they are rounded. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/transformer.h"
#include "store/hub.h"
#include "text/marian.h"

enum { VOCABULARY_MAX = 1 << 24, HEADS_MAX = 256 };

#define ACTIVATIONS                                                                       \
    "relu|gelu|gelu_new|gelu_fast|gelu_python|gelu_pytorch_tanh|gelu_10|quick_gelu|silu|" \
    "swish=silu|mish|tanh|sigmoid"

static const at_hub_key keys[] = {
    {.key = "d_model", .setting = "hidden", .missing = "1024", .also = "hidden_size"},
    {.key = "encoder_layers", .setting = "layers", .missing = "12"},
    {.key = "decoder_layers", .setting = "decoder-layers", .missing = "12"},
    {.key = "encoder_ffn_dim", .setting = "ffn", .missing = "4096"},
    {.key = "decoder_ffn_dim", .setting = "decoder-ffn", .missing = "4096"},
    {.key = "encoder_attention_heads",
     .setting = "heads",
     .missing = "16",
     .also = "num_attention_heads"},
    {.key = "decoder_attention_heads", .read = true},
    {.key = "activation_function",
     .setting = "activation",
     .values = ACTIVATIONS,
     .missing = "gelu"},
    {.key = "scale_embedding",
     .setting = "embedding-scale",
     .values = "true=sqrt|false=one",
     .missing = "false"},
    {.key = "max_position_embeddings", .setting = "max-positions", .missing = "1024"},
    {.key = "dropout", .setting = "dropout", .missing = "0.1"},
    {.key = "attention_dropout", .setting = "attention-dropout", .missing = "0"},
    {.key = "activation_dropout", .setting = "activation-dropout", .missing = "0"},
    {.key = "tie_word_embeddings", .setting = "tied", .values = "true|false", .missing = "true"},
    {.key = "share_encoder_decoder_embeddings",
     .setting = "shared",
     .values = "true|false",
     .missing = "true"},
    {.key = "is_encoder_decoder", .values = "true", .missing = "true"},
    {.key = "vocab_size", .read = true},
    {.key = "decoder_vocab_size", .read = true},
    {0}};

static const at_hub_tensor tensors[] = {
    {"final_logits_bias", "lm_head.bias", ATTEND_HUB_ZERO | ATTEND_HUB_ROW},
    {"lm_head.weight", "shared.weight", ATTEND_HUB_READ},
    {"lm_head.weight", "decoder.embed_tokens.weight", ATTEND_HUB_READ},
    {"encoder.embed_tokens.weight", "shared.weight", ATTEND_HUB_READ},
    {"decoder.embed_tokens.weight", "shared.weight", ATTEND_HUB_READ},
    {0}};

/* The attention of the decoder has heads of its own. */
static attend_status set_heads(at_transformer_settings *s, int heads, at_arena *strings,
                               attend_error *err)
{
    char *text = at_arena_alloc_small(strings, 48);
    if (!text)
        return at_error_memory(err);
    snprintf(text, 48, "scaled-dot/global/soft/%d", heads);
    s->attention = s->decoder_attention = text;
    return ATTEND_OK;
}

static attend_status read(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_transformer_settings *s = m->settings;
    at_fields in = at_fields_of(f->config, "config.json", err);
    int heads = (int)at_field_int(&in, "decoder_attention_heads", 16, 1, HEADS_MAX);
    m->source_size = (int)at_field_int(&in, "vocab_size", 58101, 1, VOCABULARY_MAX);
    m->target_size = (int)at_field_int(&in, "decoder_vocab_size", m->source_size, 1,
                                       VOCABULARY_MAX);
    if (at_hub_has(f, "encoder.embed_positions.weight")
        || at_hub_has(f, "decoder.embed_positions.weight"))
        s->positions = ATTEND_TRANSFORMER_STORED;
    if (in.status >= 0 && heads != s->heads)
        in.status = set_heads(s, heads, &m->memory, err);
    return in.status;
}

/* pad begins a text, and cannot come in a beam, unless our key bar_pad says otherwise. */
static attend_status set_start(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_fields in = at_fields_of(f->config, "config.json", err);
    int pad = (int)at_field_int(&in, "pad_token_id", 58100, 0, m->target_size - 1);
    if (m->generation->start < 0)
        m->generation->start = pad;
    if (!json_is_false(json_object_get(f->generation, "bar_pad")))
        m->generation->barred = pad;
    return in.status;
}

static attend_status tokenizers(const at_hub_folder *f, at_model *m, attend_error *err)
{
    static const char *const name[] = {"source.spm", "target.spm"};
    at_tokenizer **const to[] = {&m->source, &m->target};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < 2 && status >= 0; i++) {
        char *path = at_file_join(f->path, name[i]);
        if (!path)
            status = at_error_memory(err);
        else if (at_file_exists(path))
            status = at_tokenizer_open(path, to[i], err);
        at_free(path);
    }
    if (status >= 0 && (!m->source || !m->target)) { /* both, or none */
        at_tokenizer_free(m->source);
        at_tokenizer_free(m->target);
        m->source = m->target = NULL;
    }
    return status < 0 ? status : set_start(f, m, err);
}

/* ---- models that were trained here ----------------------------------------------------------- */

static const char *architecture(const at_model *m)
{
    (void)m;
    return "MarianMTModel";
}

/* Sinusoids that are not in halves, and learned positions, are stored. Missing biases of attention
 * are zeros. */
static attend_status settle(at_hub_written *w, attend_error *err)
{
    at_transformer_settings *s = w->settings;
    const at_transformer *net = w->model->net;
    s->decoder_layers = net->decoder_layers;
    s->decoder_ffn = net->decoder_inner ? net->decoder_inner : net->inner;
    s->heads = net->encoder_attention.heads;
    s->attention_bias = true;
    if (s->positions != ATTEND_SINUSOIDS_HALVES)
        s->positions = ATTEND_TRANSFORMER_STORED;
    attend_status status = at_hub_plain_attention(w, &net->attention, s->heads, &s->attention, err);
    if (status >= 0)
        status = at_hub_plain_attention(w, &net->encoder_attention, s->heads, &s->encoder_attention,
                                        err);
    return status < 0 ? status
                      : at_hub_plain_attention(w, &net->decoder_attention, s->heads,
                                               &s->decoder_attention, err);
}

static bool add_positions(at_hub_written *w, const at_transformer *net)
{
    static const char *const name[] = {"model.encoder.embed_positions.weight",
                                       "model.decoder.embed_positions.weight"};
    size_t n = (size_t)net->max_positions * (size_t)net->width;
    real *table = at_arena_alloc(&w->memory, n * sizeof *table);
    if (!table)
        return false;
    at_sinusoids_fill(table, (at_sinusoids)net->positions, 0, net->max_positions, net->width);
    for (int i = 0; i < 2; i++)
        at_store_add(&w->tensors, "", name[i],
                     at_store_values(name[i], at_dtype_of_real(),
                                     SHAPE(net->max_positions, net->width), table));
    return true;
}

static bool add_biases(at_hub_written *w, int width)
{
    static const char weight[] = "_proj.weight";
    char name[256];
    real *zeros = at_arena_alloc(&w->memory, (size_t)width * sizeof *zeros);
    if (!zeros)
        return false;
    memset(zeros, 0, (size_t)width * sizeof *zeros);
    for (int i = 0; i < at_params_count(w->model->params); i++) {
        const char *matrix = at_params_at(w->model->params, i)->name;
        if (!at_file_ends(matrix, weight))
            continue;
        snprintf(name, sizeof name, "model.%.*s_proj.bias",
                 (int)(strlen(matrix) - sizeof weight) + 1, matrix);
        at_store_add(&w->tensors, "", name,
                     at_store_values(name, at_dtype_of_real(), SHAPE(width), zeros));
    }
    return true;
}

/* Searching as attend does it by default; max_len_a, max_len_b and bar_pad are keys of ours. */
static bool write_generation(at_hub_written *w, int start)
{
    const at_transformer *net = w->model->net;
    int most = net->max_positions < 512 ? net->max_positions : 512;
    json_t *more = json_pack("{s:i, s:i, s:f, s:i, s:i, s:i, s:b}", "max_length", most, "num_beams",
                             5, "length_penalty", 1.0, "decoder_start_token_id", start, "max_len_a",
                             3, "max_len_b", 10, "bar_pad", 0);
    bool made = more && json_object_update(w->generation, more) >= 0;
    json_decref(more);
    return made && at_hub_write_ids(w, w->generation)
           && json_object_set_new(w->config, "decoder_start_token_id", json_integer(start)) >= 0
           && at_hub_write_ids(w, w->config);
}

static bool write(at_hub_written *w)
{
    const at_model *m = w->model;
    const at_transformer *net = m->net;
    json_t *more = json_pack("{s:i, s:i, s:i, s:b}", "decoder_attention_heads",
                             net->decoder_attention.heads, "vocab_size", net->source_vocabulary,
                             "decoder_vocab_size", net->target_vocabulary, "is_encoder_decoder", 1);
    bool made = more && json_object_update(w->config, more) >= 0;
    json_decref(more);
    if (made && net->positions < ATTEND_TRANSFORMER_LEARNED
        && net->positions != ATTEND_SINUSOIDS_HALVES)
        made = add_positions(w, net);
    if (made && !net->bias)
        made = add_biases(w, net->width);
    return made && (!m->target || write_generation(w, m->target->special[ATTEND_SPECIAL_BOS]));
}

static attend_status write_tokenizers(const at_model *m, const char *folder, attend_error *err)
{
    if (!m->source || !m->target)
        return at_error(err, ATTEND_OPTION,
                        "the model reads %s, and Marian's models read text; it cannot be exported",
                        m->width ? "feature vectors" : "ids");
    return at_marian_write(m->source, m->target, folder, err);
}

const at_hub at_hub_marian = {
    .type = "marian",
    .architectures = "MarianMTModel|MarianModel",
    .model = &at_model_transformer,
    .settings = "positions=halves norm=post",
    .keys = keys,
    .prefix = "model.",
    .tensors = tensors,
    .read = read,
    .tokenizers = tokenizers,
    .body = "shared.|encoder.|decoder.",
    .free = "from|to|feature-scaling",
    .architecture = architecture,
    .settle = settle,
    .write = write,
    .write_tokenizers = write_tokenizers,
};
