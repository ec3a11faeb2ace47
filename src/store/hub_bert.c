/* BERT, RoBERTa and DistilBERT of the hub, and folders of sentence-transformers with one of them.
 *
 * The head is that of the architecture. Labels are id2label, or as many as num_labels says; one
 * label is a number. modules.json of sentence-transformers says how states become a vector:
 * Transformer, Pooling and Normalize, in this order. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/bert.h"
#include "store/hub.h"

enum { LABELS_MAX = 1 << 16 };

#define ACTIVATIONS                                                                       \
    "relu|gelu|gelu_new|gelu_fast|gelu_python|gelu_pytorch_tanh|gelu_10|quick_gelu|silu|" \
    "swish=silu|mish|tanh|sigmoid"

/* the keys that BERT and RoBERTa share */
#define BERT_KEYS                                                                                  \
    {.key = "hidden_size", .setting = "hidden", .missing = "768"},                                 \
        {.key = "num_hidden_layers", .setting = "layers", .missing = "12"},                        \
        {.key = "num_attention_heads", .setting = "heads", .missing = "12"},                       \
        {.key = "intermediate_size", .setting = "ffn", .missing = "3072"},                         \
        {.key = "hidden_act", .setting = "activation", .values = ACTIVATIONS, .missing = "gelu"},  \
        {.key = "max_position_embeddings", .setting = "max-positions", .missing = "512"},          \
        {.key = "type_vocab_size", .setting = "segments", .missing = "2"},                         \
        {.key = "layer_norm_eps", .setting = "norm-epsilon", .missing = "1e-12"},                  \
        {.key = "hidden_dropout_prob", .setting = "dropout", .missing = "0.1"},                    \
        {.key = "attention_probs_dropout_prob", .setting = "attention-dropout", .missing = "0.1"}, \
        {.key = "classifier_dropout", .setting = "head-dropout", .missing = "-1"},                 \
    {                                                                                              \
        .key = "position_embedding_type", .values = "absolute", .missing = "absolute"              \
    }

/* of all three */
#define COMMON_KEYS                                                                               \
    {.key = "tie_word_embeddings", .setting = "tied", .values = "true|false", .missing = "true"}, \
        {.key = "problem_type", .read = true}, {.key = "id2label", .read = true},                 \
    {                                                                                             \
        .key = "num_labels", .read = true                                                         \
    }

static const at_hub_key bert_keys[] = {
    BERT_KEYS,
    COMMON_KEYS,
    {.key = "vocab_size", .setting = "embedding-rows", .missing = "30522"},
    {.key = "pad_token_id", .setting = "pad-token", .missing = "0"},
    {0}};

static const at_hub_key roberta_keys[] = {
    BERT_KEYS,
    COMMON_KEYS,
    {.key = "vocab_size", .setting = "embedding-rows", .missing = "50265"},
    {.key = "pad_token_id", .setting = "pad-token", .missing = "1"},
    {0}};

static const at_hub_key distilbert_keys[] = {
    {.key = "dim", .setting = "hidden", .missing = "768", .also = "hidden_size"},
    {.key = "n_layers", .setting = "layers", .missing = "6", .also = "num_hidden_layers"},
    {.key = "n_heads", .setting = "heads", .missing = "12", .also = "num_attention_heads"},
    {.key = "hidden_dim", .setting = "ffn", .missing = "3072"},
    {.key = "activation", .setting = "activation", .values = ACTIVATIONS, .missing = "gelu"},
    {.key = "max_position_embeddings", .setting = "max-positions", .missing = "512"},
    {.key = "dropout", .setting = "dropout", .missing = "0.1"},
    {.key = "attention_dropout", .setting = "attention-dropout", .missing = "0.1"},
    {.key = "sinusoidal_pos_embds",
     .setting = "fixed-positions",
     .values = "true|false",
     .missing = "false"},
    {.key = "seq_classif_dropout", .read = true},
    {.key = "qa_dropout", .read = true},
    COMMON_KEYS,
    {.key = "vocab_size", .setting = "embedding-rows", .missing = "30522"},
    {.key = "pad_token_id", .setting = "pad-token", .missing = "0"},
    {0}};

/* ---- tensors -------------------------------------------------------------------------------- */

static const at_hub_tensor bert_tensors[] = {
    {"**.gamma", "**.weight", ATTEND_HUB_READ},
    {"**.beta", "**.bias", ATTEND_HUB_READ},
    {"cls.predictions.decoder.weight", "embeddings.word_embeddings.weight", ATTEND_HUB_READ},
    {"cls.predictions.decoder.bias", "cls.predictions.bias", ATTEND_HUB_READ},
    {"embeddings.position_ids", NULL, 0},
    {"pooler.dense.*", NULL, 0}, /* of heads that do not use them */
    {"pooler.dense.**", NULL, 0},
    {"cls.**", NULL, 0},
    {0}};

static const at_hub_tensor roberta_tensors[] = {
    {"**.gamma", "**.weight", ATTEND_HUB_READ},
    {"**.beta", "**.bias", ATTEND_HUB_READ},
    {"lm_head.dense.**", "cls.predictions.transform.dense.**", 0},
    {"lm_head.layer_norm.**", "cls.predictions.transform.LayerNorm.**", 0},
    {"lm_head.bias", "cls.predictions.bias", 0},
    {"lm_head.decoder.bias", "cls.predictions.bias", ATTEND_HUB_READ},
    {"lm_head.decoder.weight", "cls.predictions.decoder.weight", 0},
    {"lm_head.decoder.weight", "embeddings.word_embeddings.weight", ATTEND_HUB_READ},
    {"classifier.dense.**", "pooler.dense.**", ATTEND_HUB_CLASSES},
    {"classifier.out_proj.**", "classifier.**", ATTEND_HUB_CLASSES},
    {"embeddings.position_ids", NULL, 0},
    {"pooler.dense.**", NULL, 0},
    {"lm_head.**", NULL, 0},
    {0}};

#define LAYER(theirs, ours)                                                   \
    {                                                                         \
        "transformer.layer.*." theirs ".**", "encoder.layer.*." ours ".**", 0 \
    }

static const at_hub_tensor distilbert_tensors[] = {
    LAYER("attention.q_lin", "attention.self.query"),
    LAYER("attention.k_lin", "attention.self.key"),
    LAYER("attention.v_lin", "attention.self.value"),
    LAYER("attention.out_lin", "attention.output.dense"),
    LAYER("sa_layer_norm", "attention.output.LayerNorm"),
    LAYER("ffn.lin1", "intermediate.dense"),
    LAYER("ffn.lin2", "output.dense"),
    LAYER("output_layer_norm", "output.LayerNorm"),
    {"vocab_transform.**", "cls.predictions.transform.dense.**", 0},
    {"vocab_layer_norm.**", "cls.predictions.transform.LayerNorm.**", 0},
    {"vocab_projector.bias", "cls.predictions.bias", 0},
    {"vocab_projector.weight", "cls.predictions.decoder.weight", 0},
    {"vocab_projector.weight", "embeddings.word_embeddings.weight", ATTEND_HUB_READ},
    {"pre_classifier.**", "pooler.dense.**", 0},
    {"embeddings.position_ids", NULL, 0},
    {"vocab_**", NULL, 0},
    {0}};

/* ---- the head and its labels ---------------------------------------------------------------- */

static at_bert_head head_of(const json_t *config)
{
    static const struct {
        const char *name;
        at_bert_head head;
    } heads[] = {{"ForPreTraining", ATTEND_BERT_PRETRAINED},
                 {"ForMaskedLM", ATTEND_BERT_MASKED},
                 {"ForSequenceClassification", ATTEND_BERT_CLASSES},
                 {"ForTokenClassification", ATTEND_BERT_TAGS},
                 {"ForQuestionAnswering", ATTEND_BERT_SPAN}};
    const char *name = json_string_value(
        json_array_get(json_object_get(config, "architectures"), 0));
    for (size_t i = 0; name && i < sizeof heads / sizeof *heads; i++)
        if (strstr(name, heads[i].name))
            return heads[i].head;
    return ATTEND_BERT_NONE;
}

static attend_status add_label(at_model *m, size_t i, const json_t *names, attend_error *err)
{
    char key[24], other[32];
    snprintf(key, sizeof key, "%zu", i);
    snprintf(other, sizeof other, "LABEL_%zu", i);
    const json_t *name = json_object_get(names, key);
    const char *text = json_is_string(name) ? json_string_value(name) : other;
    int32_t id = at_vocab_add(m->labels, text, strlen(text));
    if (id < 0)
        return at_error_memory(err);
    if (id != (int32_t)i)
        return at_error(err, ATTEND_FORMAT,
                        "config.json: id2label: two labels are called '%.40s'; correct it", text);
    return ATTEND_OK;
}

static attend_status read_labels(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_bert_settings *s = m->settings;
    const json_t *names = json_object_get(f->config, "id2label");
    at_fields in = at_fields_of(f->config, "config.json", err);
    size_t given = json_object_size(names);
    size_t n = given ? given : (size_t)at_field_int(&in, "num_labels", 2, 1, LABELS_MAX);
    static const char known[] = "single_label_classification|multi_label_classification|regression";
    const char *problem = at_field_string(&in, "problem_type", "");
    if (*problem && at_choice_find(known, problem) < 0)
        at_field_fail(&in, "problem_type", json_object_get(f->config, "problem_type"), "one of %s",
                      known);
    if (in.status < 0)
        return in.status;
    if (n > LABELS_MAX || !(m->labels = at_vocab_new()))
        return n > LABELS_MAX ? at_error(err, ATTEND_FORMAT, "config.json: %zu labels, at most %d",
                                         n, LABELS_MAX)
                              : at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < n && status >= 0; i++)
        status = add_label(m, i, names, err);
    if (s->head == ATTEND_BERT_CLASSES)
        s->labels = strcmp(problem, "multi_label_classification") == 0 ? ATTEND_LABELS_SEVERAL
                    : strcmp(problem, "regression") == 0 || (!*problem && n == 1)
                        ? ATTEND_LABELS_NUMBER
                        : ATTEND_LABELS_ONE;
    return status;
}

/* ---- sentence-transformers ------------------------------------------------------------------ */

/* A JSON file of the folder; *out is NULL where there is none. */
static attend_status load_json(const at_hub_folder *f, const char *name, json_t **out,
                               attend_error *err)
{
    char *path = at_file_join(f->path, name);
    attend_status status = path ? ATTEND_OK : at_error_memory(err);
    *out = NULL;
    if (path && at_file_exists(path))
        status = at_json_load(path, out, err);
    at_free(path);
    return status;
}

static attend_status read_pooling(const at_hub_folder *f, const char *folder, at_model *m,
                                  attend_error *err)
{
    static const char *const key[] = {"pooling_mode_cls_token", "pooling_mode_max_tokens",
                                      "pooling_mode_mean_tokens",
                                      "pooling_mode_mean_sqrt_len_tokens"};
    static const char *const other[] = {"pooling_mode_weightedmean_tokens",
                                        "pooling_mode_lasttoken"};
    static const char *const name[] = {"cls", "max", "mean", "mean_sqrt_len"};
    at_bert_settings *s = m->settings;
    char file[300];
    json_t *json;
    snprintf(file, sizeof file, "%.200s/config.json", folder);
    attend_status status = load_json(f, file, &json, err);
    if (status < 0)
        return status;
    char *text = at_arena_alloc_small(&m->memory, 64);
    if (text)
        *text = '\0';
    for (int i = 0; text && i < 4; i++)
        if (json_is_true(json_object_get(json, key[i]))) {
            strcat(text, *text ? "," : "");
            strcat(text, name[i]);
        }
    for (int i = 0; i < 2; i++)
        if (json_is_true(json_object_get(json, other[i])))
            status = at_error(err, ATTEND_FORMAT,
                              "%s/%s: %s is not supported; choose cls, max, "
                              "mean or mean_sqrt_len",
                              at_show(f->path).text, file, other[i]);
    if (!text)
        status = at_error_memory(err);
    else if (status >= 0 && !*text)
        status = at_error(err, ATTEND_FORMAT, "%s/%s: there is no pooling_mode that is true",
                          at_show(f->path).text, file);
    s->pooling = text;
    json_decref(json);
    return status;
}

static attend_status read_module(const at_hub_folder *f, const json_t *module, size_t i,
                                 at_model *m, attend_error *err)
{
    at_bert_settings *s = m->settings;
    const char *type = json_string_value(json_object_get(module, "type"));
    const char *path = json_string_value(json_object_get(module, "path"));
    const char *name = type && strrchr(type, '.') ? strrchr(type, '.') + 1 : type;
    if (name && path && i == 0 && strcmp(name, "Transformer") == 0 && !*path)
        return ATTEND_OK;
    if (name && path && i == 1 && strcmp(name, "Pooling") == 0
        && (strchr(path, '/') || strcmp(path, "..") == 0))
        return at_error(
            err, ATTEND_FORMAT,
            "%s/modules.json: the path %.80s leaves the folder; give a name of a folder "
            "in it",
            at_show(f->path).text, at_show(path).text);
    if (name && path && i == 1 && strcmp(name, "Pooling") == 0)
        return read_pooling(f, path, m, err);
    if (name && i == 2 && strcmp(name, "Normalize") == 0) {
        s->normalize = true;
        return ATTEND_OK;
    }
    return at_error(err, ATTEND_FORMAT,
                    "%s/modules.json: module %zu is %.80s; it must be Transformer of this folder, "
                    "Pooling or Normalize, in this order",
                    at_show(f->path).text, i, name ? name : "not named");
}

static attend_status read_sentence(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_bert_settings *s = m->settings;
    json_t *modules, *more = NULL;
    attend_status status = load_json(f, "modules.json", &modules, err);
    if (status < 0 || !modules)
        return status;
    if (json_array_size(modules) < 2)
        status = at_error(
            err, ATTEND_FORMAT,
            "%s/modules.json: must be a list of the modules Transformer, Pooling and, "
            "where vectors have length 1, Normalize; restore the file",
            at_show(f->path).text);
    for (size_t i = 0; i < json_array_size(modules) && status >= 0; i++)
        status = read_module(f, json_array_get(modules, i), i, m, err);
    json_decref(modules);
    if (status >= 0)
        status = load_json(f, "sentence_bert_config.json", &more, err);
    if (status < 0 || !more)
        return status;
    at_fields in = at_fields_of(more, "sentence_bert_config.json", err);
    s->sentence_length = (int)at_field_int(&in, "max_seq_length", 0, 1, 1 << 20);
    s->lower = at_field_bool(&in, "do_lower_case", false);
    json_decref(more);
    return in.status;
}

/* ---- the kinds ------------------------------------------------------------------------------ */

static attend_status read(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_bert_settings *s = m->settings;
    s->head = head_of(f->config);
    s->pooler = at_hub_has(f, "pooler.dense.weight");
    attend_status status = ATTEND_OK;
    if (s->head == ATTEND_BERT_CLASSES || s->head == ATTEND_BERT_TAGS)
        status = read_labels(f, m, err);
    return status < 0 ? status : read_sentence(f, m, err);
}

static attend_status read_distilbert(const at_hub_folder *f, at_model *m, attend_error *err)
{
    at_bert_settings *s = m->settings;
    attend_status status = read(f, m, err);
    at_fields in = at_fields_of(f->config, "config.json", err);
    if (status >= 0 && s->head == ATTEND_BERT_CLASSES)
        s->head_dropout = at_field_number(&in, "seq_classif_dropout", 0.2, 0, 0.95);
    if (status >= 0 && s->head == ATTEND_BERT_SPAN)
        s->head_dropout = at_field_number(&in, "qa_dropout", 0.1, 0, 0.95);
    return status < 0 ? status : in.status;
}

/* ---- models that were trained here ----------------------------------------------------------- */

static const char *architecture(const at_model *m)
{
    static const char *const names[3][6] = {
        [ATTEND_BERT] = {"BertModel", "BertForMaskedLM", "BertForPreTraining",
                         "BertForSequenceClassification", "BertForTokenClassification",
                         "BertForQuestionAnswering"},
        [ATTEND_ROBERTA] = {"RobertaModel", "RobertaForMaskedLM", "RobertaForMaskedLM",
                            "RobertaForSequenceClassification", "RobertaForTokenClassification",
                            "RobertaForQuestionAnswering"},
        [ATTEND_DISTILBERT] = {"DistilBertModel", "DistilBertForMaskedLM", "DistilBertForMaskedLM",
                               "DistilBertForSequenceClassification",
                               "DistilBertForTokenClassification",
                               "DistilBertForQuestionAnswering"}};
    const at_bert *net = m->net;
    return names[net->family][net->head];
}

static attend_status settle(at_hub_written *w, attend_error *err)
{
    at_bert_settings *s = w->settings;
    const at_bert *net = w->model->net;
    (void)err;
    s->embedding_rows = net->vocabulary;
    s->pad = net->pad;
    return ATTEND_OK;
}

static bool write(at_hub_written *w) { return at_hub_write_labels(w); }

static bool write_distilbert(at_hub_written *w)
{
    const at_bert *net = w->model->net;
    const char *key = net->head == ATTEND_BERT_SPAN ? "qa_dropout" : "seq_classif_dropout";
    return json_object_set_new(w->config, key, json_real((double)net->head_dropout)) >= 0
           && write(w);
}

const at_hub at_hub_bert = {
    .type = "bert",
    .architectures = "BertModel|BertForPreTraining|BertForMaskedLM|BertForSequenceClassification|"
                     "BertForTokenClassification|BertForQuestionAnswering",
    .model = &at_model_bert,
    .keys = bert_keys,
    .prefix = "bert.",
    .tensors = bert_tensors,
    .read = read,
    .body = "embeddings.|encoder.|pooler.",
    .free = "pooler",
    .architecture = architecture,
    .settle = settle,
    .write = write,
};

const at_hub at_hub_roberta = {
    .type = "roberta",
    .architectures = "RobertaModel|RobertaForMaskedLM|RobertaForSequenceClassification|"
                     "RobertaForTokenClassification|RobertaForQuestionAnswering",
    .model = &at_model_bert,
    .settings = "family=roberta",
    .keys = roberta_keys,
    .prefix = "roberta.",
    .tensors = roberta_tensors,
    .read = read,
    .body = "embeddings.|encoder.|pooler.",
    .free = "pooler",
    .architecture = architecture,
    .settle = settle,
    .write = write,
};

const at_hub at_hub_distilbert = {
    .type = "distilbert",
    .architectures = "DistilBertModel|DistilBertForMaskedLM|DistilBertForSequenceClassification|"
                     "DistilBertForTokenClassification|DistilBertForQuestionAnswering",
    .model = &at_model_bert,
    .settings = "family=distilbert segments=0 norm-epsilon=1e-12",
    .keys = distilbert_keys,
    .prefix = "distilbert.",
    .tensors = distilbert_tensors,
    .read = read_distilbert,
    .body = "embeddings.|transformer.",
    .free = "pooler",
    .architecture = architecture,
    .settle = settle,
    .write = write_distilbert,
};
