/* Hugging Face's BERT, RoBERTa and DistilBERT: states, attention, heads, losses and gradients, and
 * the vectors of sentence-transformers. Settings come from config.json. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "bert_case.h"
#include "models/bert.h"
#include "oracle.h"

/* ---- names ---------------------------------------------------------------------------------- */

/* a part of a name there, and here; in this order */
/* gradients are called by today's names */
static const char *const old_names[][2] = {{"gamma", "weight"}, {"beta", "bias"}, {NULL}};
static const char *const roberta_names[][2] = {
    {"classifier.dense", "pooler.dense"},
    {"classifier.out_proj", "classifier"},
    {"lm_head.dense", "cls.predictions.transform.dense"},
    {"lm_head.layer_norm", "cls.predictions.transform.LayerNorm"},
    {"lm_head.decoder", "cls.predictions.decoder"},
    {"lm_head.bias", "cls.predictions.bias"},
    {"roberta.", "bert."},
    {NULL}};
static const char *const distilbert_names[][2] = {
    {"pre_classifier", "pooler.dense"},
    {"vocab_transform", "cls.predictions.transform.dense"},
    {"vocab_layer_norm", "cls.predictions.transform.LayerNorm"},
    {"vocab_projector.bias", "cls.predictions.bias"},
    {"vocab_projector", "cls.predictions.decoder"},
    {"distilbert.", "bert."},
    {"transformer.layer", "encoder.layer"},
    {"attention.q_lin", "attention.self.query"},
    {"attention.k_lin", "attention.self.key"},
    {"attention.v_lin", "attention.self.value"},
    {"attention.out_lin", "attention.output.dense"},
    {"sa_layer_norm", "attention.output.LayerNorm"},
    {"ffn.lin1", "intermediate.dense"},
    {"ffn.lin2", "output.dense"},
    {"output_layer_norm", "output.LayerNorm"},
    {NULL}};
static const char *const (*const names[])[2] = {old_names, roberta_names, distilbert_names};

enum { ROOM = 2 * ATTEND_CASE_NAME };

static void rename_tensor(const char *theirs, const char *const (*parts)[2], bool prefix,
                          char ours[ROOM])
{
    char rest[ROOM];
    snprintf(ours, ROOM, "%s", theirs);
    for (int i = 0; parts[i][0]; i++) {
        char *at = strstr(ours, parts[i][0]);
        if (!at)
            continue;
        snprintf(rest, sizeof rest, "%s", at + strlen(parts[i][0]));
        *at = '\0';
        strncat(ours, parts[i][1], ROOM - 1 - strlen(ours));
        strncat(ours, rest, ROOM - 1 - strlen(ours));
    }
    if (prefix && strncmp(ours, "bert.", 5) == 0)
        memmove(ours, ours + 5, strlen(ours + 5) + 1);
}

static void bind_all(at_case *c, int family)
{
    for (int i = 0; c->model && i < at_safetensors_count(c->model); i++) {
        const char *theirs = at_safetensors_at(c->model, i)->name;
        char ours[ROOM], now[ROOM], variable[ROOM + 8];
        if (strstr(theirs, "position_ids"))
            continue;
        rename_tensor(theirs, names[family], true, ours);
        at_tensor *x = at_case_param(c, theirs);
        at_case_bind(c, ours, x);
        rename_tensor(theirs, old_names, false, now);
        snprintf(variable, sizeof variable, "param.%s", now);
        if (strcmp(now, theirs) != 0)
            at_named_add(c, &c->variables, variable, x);
    }
    at_params_seal(c->params);
}

/* ---- settings ------------------------------------------------------------------------------- */

static at_bert_head head_of(const char *architecture)
{
    static const struct {
        const char *end;
        at_bert_head head;
    } heads[] = {{"ForPreTraining", ATTEND_BERT_PRETRAINED},
                 {"ForMaskedLM", ATTEND_BERT_MASKED},
                 {"ForSequenceClassification", ATTEND_BERT_CLASSES},
                 {"ForTokenClassification", ATTEND_BERT_TAGS},
                 {"ForQuestionAnswering", ATTEND_BERT_SPAN}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strstr(architecture, heads[i].end))
            return heads[i].head;
    return ATTEND_BERT_NONE;
}

static int whole(const json_t *config, const char *key, const char *other, int otherwise)
{
    const json_t *x = json_object_get(config, key);
    if (!x)
        x = json_object_get(config, other);
    return json_is_integer(x) ? (int)json_integer_value(x) : otherwise;
}

static const char *text(const json_t *config, const char *key, const char *other)
{
    const json_t *x = json_object_get(config, key);
    return json_string_value(x ? x : json_object_get(config, other));
}

static at_bert model_of(const json_t *config)
{
    const char *type = text(config, "model_type", ""), *problem = text(config, "problem_type", "");
    const char *architecture = json_string_value(
        json_array_get(json_object_get(config, "architectures"), 0));
    const json_t *eps = json_object_get(config, "layer_norm_eps");
    const json_t *tied = json_object_get(config, "tie_word_embeddings");
    size_t labels = json_object_size(json_object_get(config, "id2label"));
    at_bert m = {.family = strcmp(type, "roberta") == 0      ? ATTEND_ROBERTA
                           : strcmp(type, "distilbert") == 0 ? ATTEND_DISTILBERT
                                                             : ATTEND_BERT,
                 .head = head_of(architecture ? architecture : ""),
                 .vocabulary = whole(config, "vocab_size", "", 0),
                 .positions = whole(config, "max_position_embeddings", "", 512),
                 .segments = whole(config, "type_vocab_size", "", 0),
                 .width = whole(config, "hidden_size", "dim", 0),
                 .layers = whole(config, "num_hidden_layers", "n_layers", 0),
                 .heads = whole(config, "num_attention_heads", "n_heads", 1),
                 .inner = whole(config, "intermediate_size", "hidden_dim", 0),
                 .classes = labels ? (int)labels : 2,
                 .pad = whole(config, "pad_token_id", "", 0),
                 .activation = at_activation_find(text(config, "hidden_act", "activation")),
                 .epsilon = (real)(eps ? json_number_value(eps) : 1e-12),
                 .tied = !json_is_false(tied),
                 .pooler = true};
    m.fixed_positions = json_is_true(json_object_get(config, "sinusoidal_pos_embds"));
    m.labels = problem && strcmp(problem, "multi_label_classification") == 0 ? ATTEND_LABELS_SEVERAL
               : m.classes == 1                                              ? ATTEND_LABELS_NUMBER
                                                                             : ATTEND_LABELS_ONE;
    return m;
}

static bool read_model(at_case *c, at_bert *m)
{
    char path[PATH_MAX];
    attend_error err;
    json_t *config = NULL;
    snprintf(path, sizeof path, "%s/config.json", c->path);
    if (at_json_load(path, &config, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return false;
    }
    *m = model_of(config);
    json_decref(config);
    if (!m->activation)
        at_case_unknown(c, "unknown activation");
    return m->activation;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* 1 where visible, as flags of what is hidden */
at_mask *at_bert_case_mask(at_case *c)
{
    at_shape shape = SCALAR;
    const unsigned char *visible = at_case_mask(c, "attention_mask", &shape);
    size_t n = 0;
    if (!visible || !at_shape_len(shape, &n))
        return NULL;
    at_mask *mask = at_arena_alloc(&c->memory, sizeof *mask);
    unsigned char *hidden = at_arena_alloc(&c->memory, n + 1);
    for (size_t i = 0; mask && hidden && i < n; i++)
        hidden[i] = !visible[i];
    if (!mask || !hidden)
        return NULL;
    int B = shape.dim[0], Q = shape.rank == 3 ? shape.dim[1] : 1, T = shape.dim[shape.rank - 1];
    *mask = (at_mask){.hidden = hidden, .hidden_shape = SHAPE(B, 1, Q, T)};
    return mask;
}

static void compare_each(at_case *c, const char *what, int i, at_tensor *x)
{
    char name[32];
    snprintf(name, sizeof name, "%s.%d", what, i);
    if (at_case_expects(c, name))
        at_case_output(c, name, x);
}

enum { LAYERS_MAX = 64 };

static at_tensor *encode(at_case *c, const at_bert *m, at_inputs *in)
{
    static at_attention_record record;
    at_tensor *states[LAYERS_MAX + 1];
    record = (at_attention_record){
        .kinds = 1u << ATTEND_ATTENTION_ENCODER, .layer = -1, .head = -1};
    in->record = &record;
    in->states = states;
    at_tensor *x = at_bert_encode(c->tape, m, in, NULL);
    for (int i = 0; !at_failed(c->tape) && i <= m->layers; i++)
        compare_each(c, "hidden", i, states[i]);
    for (int i = 0; !at_failed(c->tape) && i < record.count; i++)
        compare_each(c, "attention", i, record.item[i].weights);
    return x;
}

/* ---- heads ---------------------------------------------------------------------------------- */

static at_cross_entropy_options ignoring(void)
{
    return (at_cross_entropy_options){.ignore = -100};
}

static at_tensor *check_tokens(at_case *c, const at_bert *m, at_tensor *x)
{
    bool both = m->head == ATTEND_BERT_PRETRAINED;
    at_tape *t = c->tape;
    at_case_output(c, both ? "prediction_logits" : "logits", at_bert_tokens(t, m, x));
    at_tensor *loss = at_bert_tokens_loss(t, m, x, at_case_ids(c, "labels"), ignoring());
    if (!both)
        return loss;
    at_tensor *next = at_bert_next(t, m, x);
    at_case_output(c, "seq_relationship_logits", next);
    at_ids label = at_case_ids(c, "next_sentence_label");
    return label.id ? at_add(t, loss, at_cross_entropy(t, next, label, ignoring())) : loss;
}

static at_tensor *check_classes(at_case *c, const at_bert *m, at_tensor *x)
{
    at_tensor *y = at_bert_classes(c->tape, m, x);
    at_shape shape;
    at_case_output(c, "logits", y);
    if (m->labels == ATTEND_LABELS_ONE)
        return at_cross_entropy(c->tape, y, at_case_ids(c, "labels"), ignoring());
    const real *want = at_case_reals(c, c->inputs, "labels", &shape);
    if (!want)
        return NULL;
    return m->labels == ATTEND_LABELS_NUMBER ? at_mse(c->tape, y, want, (at_reduction){0})
                                             : at_bce(c->tape, y, want, (at_reduction){0});
}

static at_tensor *check_span(at_case *c, const at_bert *m, at_tensor *x)
{
    at_tape *t = c->tape;
    at_tensor *y = at_bert_span(t, m, x), *side[2];
    if (at_failed(t))
        return at_poison(t);
    for (int i = 0; i < 2; i++)
        side[i] = at_reshape(t, at_slice(t, y, 2, i, i + 1),
                             SHAPE(y->shape.dim[0], y->shape.dim[1]));
    at_case_output(c, "start_logits", side[0]);
    at_case_output(c, "end_logits", side[1]);
    at_span_targets targets = {at_case_ids(c, "start_positions").id,
                               at_case_ids(c, "end_positions").id, NULL};
    return targets.first && targets.last ? at_span_loss(t, side[0], side[1], targets, 0) : NULL;
}

static at_tensor *check_tags(at_case *c, const at_bert *m, at_tensor *x)
{
    at_tensor *y = at_bert_tags(c->tape, m, x);
    at_case_output(c, "logits", y);
    at_ids labels = at_case_ids(c, "labels");
    return labels.id ? at_cross_entropy(c->tape, y, labels, ignoring()) : NULL;
}

/* the loss, or NULL: there is none */
static at_tensor *check_head(at_case *c, const at_bert *m, at_tensor *x)
{
    switch (m->head) {
    case ATTEND_BERT_NONE:
        if (at_case_expects(c, "last_hidden_state"))
            at_case_output(c, "last_hidden_state", x);
        if (at_case_expects(c, "pooler_output"))
            at_case_output(c, "pooler_output", at_bert_pool(c->tape, m, x));
        return NULL;
    case ATTEND_BERT_MASKED:
    case ATTEND_BERT_PRETRAINED: return check_tokens(c, m, x);
    case ATTEND_BERT_CLASSES: return check_classes(c, m, x);
    case ATTEND_BERT_TAGS: return check_tags(c, m, x);
    default: return check_span(c, m, x);
    }
}

static void check_positions(at_case *c, const at_bert *m, at_ids ids)
{
    const int *p = at_case_expects(c, "position_ids") ? at_bert_positions(c->tape, m, ids) : NULL;
    size_t n = (size_t)ids.shape.dim[0] * (size_t)ids.shape.dim[1];
    real *got = p ? at_scratch_reals(c->tape, n) : NULL;
    for (size_t i = 0; got && i < n; i++)
        got[i] = (real)p[i];
    if (got)
        at_case_compare(c, "position_ids", ids.shape, got, (at_tolerance){0.25, 0});
}

static void check_all(at_case *c)
{
    at_bert m;
    if (!read_model(c, &m))
        return;
    if (m.layers > LAYERS_MAX) {
        at_case_unknown(c, "more than %d layers", LAYERS_MAX);
        return;
    }
    bind_all(c, (int)m.family);
    at_inputs in = {.ids = at_case_ids(c, "input_ids"),
                    .segments = at_case_ids(c, "token_type_ids").id,
                    .mask = at_bert_case_mask(c)};
    if (!in.ids.id)
        return;
    check_positions(c, &m, in.ids);
    at_tensor *loss = check_head(c, &m, encode(c, &m, &in));
    if (loss && !at_failed(c->tape))
        at_case_loss(c, loss);
}

void at_check_bert(at_case *c) { check_all(c); }
