/* GPT-2 (Radford et al. 2019), as the hub has it: GPT2LMHeadModel.
 *
 * reorder_and_upcast_attn says how attention is rounded in half precision, and changes nothing in
 * f32. A folder of GPT2Model has no output layer, which is the embedding then. */
#include "models/gpt2.h"
#include "store/hub.h"

#define ACTIVATIONS                                                                             \
    "gelu_new|gelu|gelu_fast|gelu_python|gelu_pytorch_tanh|gelu_10|quick_gelu|silu|swish=silu|" \
    "mish|relu|tanh|sigmoid|linear"

static const at_hub_key keys[] = {
    {.key = "n_embd", .setting = "hidden", .missing = "768", .also = "hidden_size"},
    {.key = "n_layer", .setting = "layers", .missing = "12", .also = "num_hidden_layers"},
    {.key = "n_head", .setting = "heads", .missing = "12", .also = "num_attention_heads"},
    {.key = "n_inner", .setting = "ffn", .missing = "0"},
    {.key = "n_positions",
     .setting = "context",
     .missing = "1024",
     .also = "max_position_embeddings"},
    {.key = "vocab_size", .setting = "embedding-rows", .missing = "50257"},
    {.key = "activation_function",
     .setting = "activation",
     .values = ACTIVATIONS,
     .missing = "gelu_new"},
    {.key = "layer_norm_epsilon", .setting = "norm-epsilon", .missing = "1e-5"},
    {.key = "scale_attn_weights",
     .setting = "attention",
     .values = "true=scaled-dot|false=dot",
     .missing = "true"},
    {.key = "scale_attn_by_inverse_layer_idx",
     .setting = "scale-by-layer",
     .values = "true|false",
     .missing = "false"},
    {.key = "reorder_and_upcast_attn", .values = "true|false", .missing = "false"},
    {.key = "tie_word_embeddings", .setting = "tied", .values = "true|false", .missing = "true"},
    {.key = "resid_pdrop", .setting = "dropout", .missing = "0.1"},
    {.key = "embd_pdrop", .setting = "embedding-dropout", .missing = "0.1"},
    {.key = "attn_pdrop", .setting = "attention-dropout", .missing = "0.1"},
    {.key = "add_cross_attention", .values = "false", .missing = "false"},
    {.key = "newline", .setting = "newline", .values = "text|end", .missing = "text"}, /* ours */
    {0}};

static const at_hub_tensor tensors[] = {{"lm_head.weight", "wte.weight", ATTEND_HUB_READ},
                                        {"h.*.attn.bias", NULL, 0},
                                        {"h.*.attn.masked_bias", NULL, 0},
                                        {0}};

static const char *architecture(const at_model *m)
{
    (void)m;
    return "GPT2LMHeadModel";
}

/* Settings that stand for another one are written as what they mean. */
static attend_status settle(at_hub_written *w, attend_error *err)
{
    at_gpt2_settings *s = w->settings;
    const at_gpt2 *net = w->model->net;
    s->embedding_rows = net->vocabulary;
    s->heads = net->attention.heads;
    s->ffn = net->inner;
    s->embedding_dropout = s->embedding_dropout < 0 ? s->dropout : s->embedding_dropout;
    s->attention_dropout = s->attention_dropout < 0 ? s->dropout : s->attention_dropout;
    return at_hub_plain_attention(w, &net->attention, s->heads, &s->attention, err);
}

/* transformers looks for ids in config.json alone. */
static bool write(at_hub_written *w) { return at_hub_write_ids(w, w->config); }

const at_hub at_hub_gpt2 = {
    .type = "gpt2",
    .architectures = "GPT2LMHeadModel|GPT2Model",
    .model = &at_model_gpt2,
    .keys = keys,
    .prefix = "transformer.",
    .tensors = tensors,
    .body = "wte.|wpe.|h.|ln_f.",
    .free = "window",
    .architecture = architecture,
    .settle = settle,
    .write = write,
};
