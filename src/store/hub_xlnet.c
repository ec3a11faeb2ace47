/* XLNet (Yang et al. 2019), as the hub has it: the language model, its body, and the models of
 * classes, tags and spans.
 *
 * transformers ignores untie_r (the biases are always of each layer) and takes d_head for the width
 * divided by the heads. mem_len, reuse_len and use_mems_* say what is returned as a memory, which
 * no prediction of one text depends on. bi_data would turn the second half of a batch around, and
 * same_length without a memory would hide all tokens but a token's own: both are refused. */
#include <stdio.h>
#include <string.h>

#include "models/xlnet.h"
#include "store/hub.h"
#include "text/sentencepiece.h"

#define ACTIVATIONS                                                                             \
    "gelu|gelu_new|gelu_fast|gelu_python|gelu_pytorch_tanh|gelu_10|quick_gelu|silu|swish=silu|" \
    "mish|relu|tanh|sigmoid|linear"

static const at_hub_key keys[] = {
    {.key = "d_model", .setting = "hidden", .missing = "1024", .also = "hidden_size"},
    {.key = "n_layer", .setting = "layers", .missing = "24", .also = "num_hidden_layers"},
    {.key = "n_head", .setting = "heads", .missing = "16", .also = "num_attention_heads"},
    {.key = "d_inner", .setting = "ffn", .missing = "4096"},
    {.key = "vocab_size", .setting = "token-rows", .missing = "32000", .also = "n_token"},
    {.key = "ff_activation", .setting = "activation", .values = ACTIVATIONS, .missing = "gelu"},
    {.key = "attn_type", .setting = "attn-type", .values = "bi|uni", .missing = "bi"},
    {.key = "layer_norm_eps", .setting = "norm-epsilon", .missing = "1e-12"},
    {.key = "dropout", .setting = "dropout", .missing = "0.1"},
    {.key = "summary_type",
     .setting = "summary",
     .values = "last|first|mean|cls_index=last",
     .missing = "last"},
    {.key = "summary_use_proj",
     .setting = "summary-projection",
     .values = "true|false",
     .missing = "true"},
    {.key = "summary_first_dropout", .setting = "summary-dropout", .missing = "0"},
    {.key = "summary_last_dropout", .setting = "head-dropout", .missing = "0.1"},
    {.key = "summary_proj_to_labels", .values = "false", .missing = "false"},
    {.key = "untie_r", .values = "true|false", .missing = "true"},
    {.key = "bi_data", .values = "false", .missing = "false"},
    {.key = "same_length", .values = "false", .missing = "false"},
    {.key = "tie_word_embeddings", .values = "true", .missing = "true"},
    {.key = "clamp_len", .read = true},
    {.key = "d_head", .read = true},
    {.key = "summary_activation", .read = true},
    {.key = "problem_type", .read = true},
    {.key = "id2label", .read = true},
    {0}};

static const at_hub_tensor tensors[] = {
    {"lm_loss.weight", "transformer.word_embedding.weight", ATTEND_HUB_READ},
    {"word_embedding.weight", "transformer.word_embedding.weight", ATTEND_HUB_READ},
    {"mask_emb", "transformer.mask_emb", ATTEND_HUB_READ},
    {"layer.*.**", "transformer.layer.*.**", ATTEND_HUB_READ},
    {0}};

static at_xlnet_head head_of(const at_hub_folder *f)
{
    const json_t *list = json_object_get(f->config, "architectures");
    const char *name = json_string_value(json_array_get(list, 0));
    if (!name)
        return at_hub_has(f, "lm_loss.bias") ? ATTEND_XLNET_TOKENS : ATTEND_XLNET_NONE;
    return strcmp(name, "XLNetLMHeadModel") == 0                  ? ATTEND_XLNET_TOKENS
           : strcmp(name, "XLNetForSequenceClassification") == 0  ? ATTEND_XLNET_CLASSES
           : strcmp(name, "XLNetForTokenClassification") == 0     ? ATTEND_XLNET_TAGS
           : strcmp(name, "XLNetForQuestionAnsweringSimple") == 0 ? ATTEND_XLNET_SPAN
                                                                  : ATTEND_XLNET_NONE;
}

/* A model without names for its labels has two. */
static attend_status read_labels(const at_hub_folder *f, at_model *m, attend_error *err)
{
    const json_t *names = json_object_get(f->config, "id2label");
    size_t n = json_object_size(names) ? json_object_size(names) : 2;
    if (!(m->labels = at_vocab_new()))
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        char key[24], otherwise[32];
        snprintf(key, sizeof key, "%zu", i);
        snprintf(otherwise, sizeof otherwise, "LABEL_%zu", i);
        const char *name = json_string_value(json_object_get(names, key));
        name = name || names ? name : otherwise;
        int32_t id = name ? at_vocab_add(m->labels, name, strlen(name)) : (int32_t)n;
        if (id < 0)
            return at_error_memory(err);
        if (id != (int32_t)i)
            return at_error(err, ATTEND_FORMAT,
                            "config.json: id2label: class %zu has no name of its own; correct it",
                            i);
    }
    return ATTEND_OK;
}

/* What the logits of classes mean; one label alone is a number. */
static attend_status read_use(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_xlnet_settings *s = m->settings;
    const char *problem = json_string_value(json_object_get(f->config, "problem_type"));
    if (!problem)
        s->labels = at_vocab_size(m->labels) == 1 ? ATTEND_LABELS_NUMBER : ATTEND_LABELS_ONE;
    else if (strcmp(problem, "single_label_classification") == 0)
        s->labels = ATTEND_LABELS_ONE;
    else if (strcmp(problem, "multi_label_classification") == 0)
        s->labels = ATTEND_LABELS_SEVERAL;
    else if (strcmp(problem, "regression") == 0)
        s->labels = ATTEND_LABELS_NUMBER;
    else
        return at_error(err, ATTEND_FORMAT,
                        "config.json: problem_type '%.60s' is not supported; it must be one of "
                        "single_label_classification, multi_label_classification, regression",
                        problem);
    return ATTEND_OK;
}

static attend_status read_summary(const at_hub_folder *f, at_model *m, attend_error *err)
{
    const json_t *activation = json_object_get(f->config, "summary_activation");
    at_xlnet_settings *s = m->settings;
    const char *name = !activation                ? "tanh"
                       : json_is_null(activation) ? "linear"
                                                  : json_string_value(activation);
    if (!name || !at_activation_find(name))
        return at_error(err, ATTEND_FORMAT,
                        "config.json: summary_activation '%.60s' is not supported; it must be one "
                        "of " ACTIVATIONS,
                        name ? name : "?");
    char *copy = at_arena_alloc_small(&m->memory, strlen(name) + 1);
    if (!copy)
        return at_error_memory(err);
    s->summary_activation = strcpy(copy, name);
    return ATTEND_OK;
}

static attend_status read(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_xlnet_settings *s = m->settings;
    at_fields in = at_fields_of(f->config, "config.json", err);
    int clamp = (int)at_field_int(&in, "clamp_len", -1, -1, 1 << 20);
    int width = (int)at_field_int(&in, "d_head", s->hidden / s->heads, 1, 1 << 16);
    if (in.status < 0)
        return in.status;
    if (width != s->hidden / s->heads || s->hidden % s->heads)
        return at_error(err, ATTEND_FORMAT,
                        "config.json: d_head is %d, and d_model %d of %d heads; it must be "
                        "d_model / n_head",
                        width, s->hidden, s->heads);
    s->clamp = clamp > 0 ? clamp : 0;
    s->head = head_of(f);
    attend_status status = read_summary(f, m, err);
    if (status < 0 || (s->head != ATTEND_XLNET_CLASSES && s->head != ATTEND_XLNET_TAGS))
        return status;
    status = read_labels(f, m, err);
    return status < 0 || s->head != ATTEND_XLNET_CLASSES ? status : read_use(f, m, err);
}

/* XLNetTokenizer, where no file says which class it is */
static attend_status tokenizers(const at_hub_folder *f, at_model *m, attend_error *err)
{
    attend_status status = at_hub_tokenizer(f, m, err);
    bool plain = m->source && m->source->kind == &at_tokenizer_kind_sentencepiece;
    if (status >= 0 && plain && at_hub_classless(f))
        at_sentencepiece_follow(m->source, ATTEND_SPIECE_XLNET,
                                (at_spiece_cleaning){.remove_space = true});
    return status;
}

/* ---- models that were trained here ----------------------------------------------------------- */

static const char *architecture(const at_model *m)
{
    static const char *const names[] = {[ATTEND_XLNET_NONE] = "XLNetModel",
                                        [ATTEND_XLNET_TOKENS] = "XLNetLMHeadModel",
                                        [ATTEND_XLNET_PRETRAINED] = "XLNetLMHeadModel",
                                        [ATTEND_XLNET_CLASSES] = "XLNetForSequenceClassification",
                                        [ATTEND_XLNET_TAGS] = "XLNetForTokenClassification",
                                        [ATTEND_XLNET_SPAN] = "XLNetForQuestionAnsweringSimple"};
    const at_xlnet *net = m->net;
    return names[net->head];
}

static attend_status settle(at_hub_written *w, attend_error *err)
{
    at_xlnet_settings *s = w->settings;
    const at_xlnet *net = w->model->net;
    (void)err;
    s->tokens = net->vocabulary;
    s->head_width = s->head_width == s->hidden / s->heads ? 0 : s->head_width;
    return ATTEND_OK;
}

static bool write(at_hub_written *w)
{
    const at_xlnet_settings *s = w->settings;
    bool linear = strcmp(s->summary_activation, "linear") == 0;
    return json_object_set_new(w->config, "clamp_len", json_integer(s->clamp ? s->clamp : -1)) >= 0
           && json_object_set_new(w->config, "d_head", json_integer(s->hidden / s->heads)) >= 0
           && json_object_set_new(w->config, "summary_activation",
                                  linear ? json_null() : json_string(s->summary_activation))
                  >= 0
           && at_hub_write_ids(w, w->config) && at_hub_write_labels(w);
}

/* SentencePiece as attend trains with it, A </s>, is what T5Tokenizer does. */
static attend_status write_tokenizers(const at_model *m, const char *folder, attend_error *err)
{
    const at_sentencepiece *s = (const at_sentencepiece *)m->source;
    attend_status status = m->source ? at_tokenizer_save(m->source, folder, err) : ATTEND_OK;
    if (status < 0 || !m->source || m->source->kind != &at_tokenizer_kind_sentencepiece
        || s->class != ATTEND_SPIECE_PLAIN)
        return status;
    return at_tokenizer_config_save(m->source, folder, "T5Tokenizer",
                                    json_pack("{s:i}", "extra_ids", 0), err);
}

const at_hub at_hub_xlnet = {
    .type = "xlnet",
    .architectures = "XLNetLMHeadModel|XLNetModel|XLNetForSequenceClassification|"
                     "XLNetForTokenClassification|XLNetForQuestionAnsweringSimple",
    .model = &at_model_xlnet,
    .keys = keys,
    .tensors = tensors,
    .read = read,
    .tokenizers = tokenizers,
    .free = "window",
    .architecture = architecture,
    .settle = settle,
    .write = write,
    .write_tokenizers = write_tokenizers,
};
