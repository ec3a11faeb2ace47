/* Hugging Face's XLNet: both streams, memories, attention, heads, losses and gradients. Settings
 * come from config.json. */
#include <stdio.h>
#include <string.h>

#include "xlnet_case.h"

#include "base/json.h"

/* ---- settings ------------------------------------------------------------------------------- */

static int whole(const json_t *config, const char *key, int otherwise)
{
    const json_t *x = json_object_get(config, key);
    return json_is_integer(x) ? (int)json_integer_value(x) : otherwise;
}

static const char *text(const json_t *config, const char *key, const char *otherwise)
{
    const char *x = json_string_value(json_object_get(config, key));
    return x ? x : otherwise;
}

static bool flag(const json_t *config, const char *key, bool otherwise)
{
    const json_t *x = json_object_get(config, key);
    return json_is_boolean(x) ? json_is_true(x) : otherwise;
}

static at_xlnet_head head_of(const char *architecture)
{
    if (strstr(architecture, "ForSequenceClassification"))
        return ATTEND_XLNET_CLASSES;
    if (strstr(architecture, "ForTokenClassification"))
        return ATTEND_XLNET_TAGS;
    if (strstr(architecture, "ForQuestionAnsweringSimple"))
        return ATTEND_XLNET_SPAN;
    return strstr(architecture, "LMHead") ? ATTEND_XLNET_TOKENS : ATTEND_XLNET_NONE;
}

static at_xlnet_summary summary_of(const char *type)
{
    return strcmp(type, "mean") == 0    ? ATTEND_SUMMARY_MEAN
           : strcmp(type, "first") == 0 ? ATTEND_SUMMARY_FIRST
                                        : ATTEND_SUMMARY_LAST; /* and cls_index, without an index */
}

/* what XLNetConfig has where a key is missing */
static void read_config(at_xlnet_case *x, const json_t *config)
{
    const json_t *architectures = json_object_get(config, "architectures");
    const char *architecture = json_string_value(json_array_get(architectures, 0));
    const json_t *epsilon = json_object_get(config, "layer_norm_eps");
    const char *activation = text(config, "summary_activation", NULL);
    int labels = (int)json_object_size(json_object_get(config, "id2label"));
    x->several = strcmp(text(config, "problem_type", ""), "multi_label_classification") == 0;
    x->keeps = flag(config, "use_mems_eval", true);
    at_xlnet *m = &x->model;
    *m = (at_xlnet){.vocabulary = whole(config, "vocab_size", 32000),
                    .width = whole(config, "d_model", 1024),
                    .layers = whole(config, "n_layer", 24),
                    .heads = whole(config, "n_head", 16),
                    .inner = whole(config, "d_inner", 4096),
                    .activation = at_activation_find(text(config, "ff_activation", "gelu")),
                    .epsilon = (real)(epsilon ? json_number_value(epsilon) : 1e-12),
                    .memory = whole(config, "mem_len", 0),
                    .reuse = whole(config, "reuse_len", 0),
                    .clamp = whole(config, "clamp_len", -1),
                    .causal = strcmp(text(config, "attn_type", "bi"), "uni") == 0,
                    .same_length = flag(config, "same_length", false),
                    .two_ways = flag(config, "bi_data", false),
                    .head = head_of(architecture ? architecture : ""),
                    .classes = labels ? labels : 2,
                    .summary = summary_of(text(config, "summary_type", "last")),
                    .summary_projects = flag(config, "summary_use_proj", true),
                    .summary_activation = activation ? at_activation_find(activation) : NULL};
    m->head_width = whole(config, "d_head", m->width / (m->heads ? m->heads : 1));
}

static bool read_model(at_case *c, at_xlnet_case *x)
{
    char path[PATH_MAX];
    attend_error err;
    json_t *config = NULL;
    snprintf(path, sizeof path, "%s/config.json", c->path);
    if (at_json_load(path, &config, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return false;
    }
    read_config(x, config);
    json_decref(config);
    if (!x->model.activation || x->model.layers > ATTEND_XLNET_CASE_LAYERS)
        at_case_unknown(c, "unknown activation, or more than %d layers", ATTEND_XLNET_CASE_LAYERS);
    return c->verdict == ATTEND_CASE_OK;
}

/* A model without a head has names without a prefix. */
static void bind_all(at_case *c)
{
    at_case_params(c);
    for (int i = 0; c->model && i < at_safetensors_count(c->model); i++) {
        const char *theirs = at_safetensors_at(c->model, i)->name;
        char ours[ATTEND_CASE_NAME + 16];
        snprintf(ours, sizeof ours, "transformer.%s", theirs);
        if (strncmp(theirs, "layer.", 6) == 0 || strcmp(theirs, "mask_emb") == 0
            || strcmp(theirs, "word_embedding.weight") == 0)
            at_case_bind(c, ours, at_case_param(c, theirs));
    }
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* flags where a tensor, of floats or not, is nonzero (or zero); NULL where it is absent */
static const unsigned char *flags(at_case *c, const char *name, bool zero)
{
    at_shape shape = SCALAR;
    const real *x = at_case_added(c, name, &shape);
    const unsigned char *whole = x ? NULL : at_case_mask(c, name, &shape);
    size_t n = 0;
    if ((!x && !whole) || !at_shape_len(shape, &n))
        return NULL;
    unsigned char *y = at_arena_alloc(&c->memory, n + 1);
    for (size_t i = 0; y && i < n; i++)
        y[i] = (x ? x[i] == 0 : !whole[i]) == zero;
    return y;
}

/* target_mapping [B,P,T], a 1 in each row, as positions */
static void read_targets(at_case *c, at_xlnet_input *in)
{
    at_shape shape = SCALAR;
    const real *x = at_case_reals(c, c->inputs, "target_mapping", &shape);
    if (!x)
        return;
    int rows = shape.dim[0] * shape.dim[1], T = shape.dim[2];
    int *targets = at_arena_alloc(&c->memory, (size_t)rows * sizeof *targets + 1);
    for (int i = 0; targets && i < rows; i++) {
        int ones = 0;
        targets[i] = -1;
        for (int j = 0; j < T; j++)
            if (x[i * T + j] != 0) {
                targets[i] = j;
                ones += x[i * T + j] == 1 ? 1 : 2;
            }
        if (ones > 1)
            at_case_unknown(c, "target_mapping: row %d maps to several tokens", i);
    }
    in->targets = targets;
    in->P = shape.dim[1];
}

/* mems.<l> [M,B,D] as [B,M,D] */
static void read_memory(at_case *c, at_xlnet_case *x)
{
    at_tape *t = c->tape;
    for (int i = 0; i < x->model.layers; i++) {
        char name[32];
        at_shape shape = SCALAR;
        snprintf(name, sizeof name, "mems.%d", i);
        const real *m = at_case_reals(c, c->inputs, name, &shape);
        if (!m)
            return;
        x->memory[i] = at_transpose(t, at_input(t, shape, m), 0, 1);
    }
    x->in.memory = x->memory;
}

bool at_xlnet_case_open(at_case *c, at_xlnet_case *x)
{
    *x = (at_xlnet_case){0};
    if (!read_model(c, x))
        return false;
    bind_all(c);
    at_xlnet_input *in = &x->in;
    in->ids = at_case_ids(c, "input_ids");
    in->segments = at_case_ids(c, "token_type_ids").id;
    in->padding = flags(c, "attention_mask", true);
    if (!in->padding)
        in->padding = flags(c, "input_mask", false);
    in->hidden = flags(c, "perm_mask", false);
    read_targets(c, in);
    int B = in->ids.id ? in->ids.shape.dim[0] : 0;
    int *directions = at_arena_alloc(&c->memory, (size_t)B * sizeof *directions + 1);
    for (int b = 0; directions && b < B; b++)
        directions[b] = b >= B / 2;
    in->directions = x->model.two_ways ? directions : NULL;
    read_memory(c, x);
    return in->ids.id && c->verdict == ATTEND_CASE_OK;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void compare_each(at_case *c, const char *what, int i, const char *stream, at_tensor *x)
{
    char name[48];
    snprintf(name, sizeof name, "%s.%d%s", what, i, stream);
    if (x && at_case_expects(c, name))
        at_case_output(c, name, x);
}

/* The peer has T rows; those that are not of a target come from a zero query, and are not compared:
 * the expected ones take their place. */
static at_tensor *scattered(at_case *c, const at_xlnet_input *in, const char *name, at_tensor *x)
{
    at_shape shape = SCALAR;
    const real *expected = at_case_reals(c, c->expected, name, &shape);
    if (!expected || shape.rank != 4)
        return x;
    at_tensor *y = at_input(c->tape, shape, expected);
    size_t K = (size_t)shape.dim[3];
    int H = shape.dim[1], T = shape.dim[2], P = in->P;
    for (int i = 0; i < shape.dim[0] * H * P && !at_failed(c->tape); i++) {
        int target = in->targets[i / P / H * P + i % P];
        if (target >= 0)
            memcpy(y->value + (size_t)(i / P * T + target) * K, x->value + (size_t)i * K,
                   K * sizeof *y->value);
    }
    return y;
}

static void compare_attention(at_case *c, const at_xlnet_input *in, const at_recorded *r)
{
    char name[48];
    bool query = r->kind == ATTEND_ATTENTION_QUERY;
    snprintf(name, sizeof name, "attention.%d.query", r->layer);
    compare_each(c, "attention", r->layer,
                 !in->targets ? ""
                 : query      ? ".query"
                              : ".content",
                 query ? scattered(c, in, name, r->weights) : r->weights);
}

/* new_mems.<l> [M',B,D] */
static void compare_memory(at_case *c, const at_xlnet_case *x, at_tensor *const *states)
{
    for (int i = 0; i < x->model.layers && !at_failed(c->tape); i++) {
        at_tensor *old = x->in.memory ? x->in.memory[i] : NULL;
        at_tensor *m = at_xlnet_remember(c->tape, &x->model, old, states[i]);
        compare_each(c, "new_mems", i, "", at_transpose(c->tape, m, 0, 1));
    }
}

static at_streams read_all(at_case *c, at_xlnet_case *x)
{
    static at_attention_record record;
    at_tensor *content[ATTEND_XLNET_CASE_LAYERS + 1], *query[ATTEND_XLNET_CASE_LAYERS + 1];
    at_xlnet_input in = x->in;
    record = (at_attention_record){.kinds = 1u << ATTEND_ATTENTION_CONTENT
                                            | 1u << ATTEND_ATTENTION_QUERY,
                                   .layer = -1,
                                   .head = -1};
    in.record = &record;
    in.content = content;
    in.query = query;
    at_streams y = at_xlnet_read(c->tape, &x->model, &in);
    for (int i = 0; !at_failed(c->tape) && i <= x->model.layers; i++) {
        compare_each(c, "hidden", i, in.targets ? ".content" : "", content[i]);
        compare_each(c, "hidden", i, ".query", query[i]);
    }
    for (int i = 0; !at_failed(c->tape) && i < record.count; i++)
        compare_attention(c, &in, &record.item[i]);
    if (!at_failed(c->tape) && x->keeps)
        compare_memory(c, x, content);
    return y;
}

/* ---- heads ---------------------------------------------------------------------------------- */

static at_cross_entropy_options ignoring(void)
{
    return (at_cross_entropy_options){.ignore = -100};
}

static at_tensor *check_classes(at_case *c, const at_xlnet_case *x, at_tensor *states)
{
    at_tape *t = c->tape;
    at_tensor *y = at_xlnet_classes(t, &x->model, at_xlnet_summarise(t, &x->model, states, NULL));
    at_shape shape;
    at_case_output(c, "logits", y);
    if (x->model.classes > 1 && !x->several)
        return at_cross_entropy(t, y, at_case_ids(c, "labels"), ignoring());
    const real *want = at_case_reals(c, c->inputs, "labels", &shape);
    if (!want)
        return NULL;
    return x->several ? at_bce(t, y, want, (at_reduction){0})
                      : at_mse(t, y, want, (at_reduction){0});
}

static at_tensor *check_span(at_case *c, const at_xlnet_case *x, at_tensor *states)
{
    at_tape *t = c->tape;
    at_tensor *y = at_xlnet_span(t, &x->model, states), *side[2];
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

static at_tensor *check_labels(at_case *c, at_tensor *logits)
{
    at_ids labels = at_case_ids(c, "labels");
    at_case_output(c, "logits", logits);
    return labels.id ? at_cross_entropy(c->tape, logits, labels, ignoring()) : NULL;
}

/* the loss, or NULL: there is none */
static at_tensor *check_head(at_case *c, const at_xlnet_case *x, at_tensor *states)
{
    switch (x->model.head) {
    case ATTEND_XLNET_NONE:
        if (at_case_expects(c, "last_hidden_state"))
            at_case_output(c, "last_hidden_state", states);
        return NULL;
    case ATTEND_XLNET_TOKENS: return check_labels(c, at_xlnet_logits(c->tape, &x->model, states));
    case ATTEND_XLNET_TAGS: return check_labels(c, at_xlnet_tags(c->tape, &x->model, states));
    case ATTEND_XLNET_CLASSES: return check_classes(c, x, states);
    default: return check_span(c, x, states);
    }
}

at_tensor *at_xlnet_case_loss(at_tape *t, const at_xlnet_case *x, at_ids labels)
{
    at_streams y = at_xlnet_read(t, &x->model, &x->in);
    return at_xlnet_loss(t, &x->model, y.query ? y.query : y.content, labels, ignoring());
}

void at_check_xlnet(at_case *c)
{
    at_xlnet_case x;
    if (!at_xlnet_case_open(c, &x))
        return;
    at_streams y = read_all(c, &x);
    at_tensor *loss = check_head(c, &x, y.query ? y.query : y.content);
    if (loss && !at_failed(c->tape))
        at_case_loss(c, loss);
}
