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

enum { VOCABULARY_MAX = 1 << 24, HEADS_MAX = 256 };

#define ACTIVATIONS                                                                       \
    "relu|gelu|gelu_new|gelu_fast|gelu_python|gelu_pytorch_tanh|gelu_10|quick_gelu|silu|" \
    "swish=silu|mish|tanh|sigmoid"

static const at_hub_key keys[] = {
    {.key = "d_model", .setting = "hidden", .missing = "1024"},
    {.key = "encoder_layers", .setting = "layers", .missing = "12"},
    {.key = "decoder_layers", .setting = "decoder-layers", .missing = "12"},
    {.key = "encoder_ffn_dim", .setting = "ffn", .missing = "4096"},
    {.key = "decoder_ffn_dim", .setting = "decoder-ffn", .missing = "4096"},
    {.key = "encoder_attention_heads", .setting = "heads", .missing = "16"},
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
    {"lm_head.weight", "shared.weight", 0},
    {"lm_head.weight", "decoder.embed_tokens.weight", 0},
    {"encoder.embed_tokens.weight", "shared.weight", 0},
    {"decoder.embed_tokens.weight", "shared.weight", 0},
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

/* pad begins a text, and cannot come in a beam. */
static attend_status set_start(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_fields in = at_fields_of(f->config, "config.json", err);
    int pad = (int)at_field_int(&in, "pad_token_id", 58100, 0, m->target_size - 1);
    if (m->generation->start < 0)
        m->generation->start = pad;
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
};
