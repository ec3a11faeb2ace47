/* GPT-2 folders of the hub: every name that its tensors have had, every key that changes what is
 * computed, and folders with one thing changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/gpt2.h"
#include "store/hub.h"
#include "store/model_folder.h"

enum { V = 13, D = 8, T = 6, TENSORS = 64 };

static char folder[] = "/tmp/attend-gpt2-XXXXXX";

static const at_gpt2 net = {.vocabulary = V,
                            .positions = 16,
                            .width = D,
                            .layers = 2,
                            .inner = 12,
                            .epsilon = (real)1e-5,
                            .activation = at_gelu_tanh,
                            .attention = {.score = &at_score_scaled_dot,
                                          .scope = &at_scope_global,
                                          .pick = &at_pick_soft,
                                          .heads = 2}};

#define SIZED(positions, layers, heads)                                                          \
    "\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], \"vocab_size\": 13, "   \
    "\"n_positions\": " positions ", \"n_embd\": 8, \"n_layer\": " layers ", \"n_head\": " heads \
    ", \"n_inner\": 12, \"summary_type\": \"cls_index\""
#define CONFIG SIZED("16", "2", "2")

/* ---- folders -------------------------------------------------------------------------------- */

static void write_config(const char *text)
{
    attend_error err;
    at_str out = {0};
    char *path = at_file_join(folder, "config.json");
    at_str_print(&out, "{%s}\n", text);
    assert_int_equal(at_file_write(path, &out, &err), ATTEND_OK);
    at_str_free(&out);
    at_free(path);
}

typedef struct {
    at_to_store item[TENSORS];
    char name[TENSORS][80];
    int count;
} tensors;

static void add(tensors *all, const char *prefix, const char *name, at_shape shape, const real *x)
{
    at_dtype dtype = sizeof(real) == 8 ? ATTEND_DTYPE_F64 : ATTEND_DTYPE_F32;
    snprintf(all->name[all->count], 80, "%s%s", prefix, name);
    all->item[all->count] = at_store_values(all->name[all->count], dtype, shape, x);
    all->count++;
}

/* the parameters; left out: one of them */
static void add_params(tensors *all, const at_params *params, const char *prefix,
                       const char *left_out)
{
    all->count = 0;
    for (int i = 0; i < at_params_count(params); i++) {
        const at_parameter *p = at_params_at(params, i);
        bool head = strcmp(p->name, "lm_head.weight") == 0;
        if (!left_out || strcmp(p->name, left_out) != 0)
            add(all, head ? "" : prefix, p->name, p->shape, p->value);
    }
}

static void save(const tensors *all)
{
    attend_error err;
    char *path = at_file_join(folder, "model.safetensors");
    if (at_safetensors_save(path, all->item, all->count, NULL, 0, &err) < 0)
        fail_msg("%s", err.message);
    at_free(path);
}

/* parameters of the network, made by running it once */
static at_params *parameters(const at_gpt2 *m, real *logits)
{
    static const int ids[T] = {3, 1, 4, 1, 5, 9};
    at_params *params = at_params_new(7);
    at_tape *t = at_tape_new(params, ATTEND_INFER);
    at_gpt2_input in = {.tokens = {SHAPE(1, T), ids}};
    at_tensor *x = at_gpt2_logits(t, at_root(), m, at_gpt2_states(t, at_root(), m, &in));
    assert_false(at_failed(t));
    memcpy(logits, x->value, (size_t)(T * V) * sizeof *logits);
    at_tape_free(t);
    return params;
}

static void opens_as(const real *logits, const char *what)
{
    static const int ids[T] = {3, 1, 4, 1, 5, 9};
    attend_error err;
    at_model *m;
    if (at_model_open(folder, &m, &err) < 0)
        fail_msg("%s: %s", what, err.message);
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    at_decode_input in = {.tokens = {SHAPE(1, T), ids}, .width = 1};
    at_decoded d = m->kind->decodes->decode(t, m, &in);
    at_tensor *x = m->kind->decodes->logits(t, m, d.features);
    assert_false(at_failed(t));
    if (memcmp(x->value, logits, (size_t)(T * V) * sizeof *logits) != 0)
        fail_msg("%s: other logits", what);
    at_tape_free(t);
    at_model_free(m);
}

static void refused(const char *says)
{
    attend_error err = {.message = ""};
    at_model *m;
    attend_status status = at_model_open(folder, &m, &err);
    at_model_free(m);
    if ((status != ATTEND_FORMAT && status != ATTEND_OPTION) || !strstr(err.message, says))
        fail_msg("%d '%s' lacks '%s'", status, err.message, says);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* without the prefix and with F32 masks (the published folders), with the prefix and two buffers,
 * with a tied copy, and plain */
static void every_name_is_read(void **state)
{
    (void)state;
    static const char *const prefix[] = {"", "transformer.", "transformer.", "transformer."};
    static const real mask[16 * 16], big[1] = {-10000};
    static real logits[T * V];
    static tensors all;
    at_params *params = parameters(&net, logits);
    write_config(CONFIG);
    for (int i = 0; i < 4; i++) {
        char name[40];
        add_params(&all, params, prefix[i], NULL);
        for (int layer = 0; i < 2 && layer < net.layers; layer++) {
            snprintf(name, sizeof name, "h.%d.attn.bias", layer);
            add(&all, prefix[i], name, SHAPE(1, 1, 16, 16), mask);
            snprintf(name, sizeof name, "h.%d.attn.masked_bias", layer);
            if (i == 1)
                add(&all, prefix[i], name, SHAPE(1), big);
        }
        if (i == 2)
            add(&all, "", "lm_head.weight", SHAPE(V, D),
                at_params_find(params, "wte.weight")->value);
        save(&all);
        opens_as(logits, prefix[i]);
    }
    at_params_free(params);
}

static void keys_change_the_network(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        at_activation *activation;
        bool by_layer, dot, untied;
        double epsilon;
    } all[] = {
        {CONFIG ", \"activation_function\": \"relu\"", at_relu, false, false, false, 1e-5},
        {CONFIG ", \"activation_function\": \"swish\"", at_silu, false, false, false, 1e-5},
        {CONFIG ", \"scale_attn_by_inverse_layer_idx\": true", at_gelu_tanh, true, false, false,
         1e-5},
        {CONFIG ", \"scale_attn_weights\": false", at_gelu_tanh, false, true, false, 1e-5},
        {CONFIG ", \"tie_word_embeddings\": false", at_gelu_tanh, false, false, true, 1e-5},
        {CONFIG ", \"layer_norm_epsilon\": 0.01", at_gelu_tanh, false, false, false, 0.01},
        {CONFIG ", \"reorder_and_upcast_attn\": true", at_gelu_tanh, false, false, false, 1e-5},
        {"\"model_type\": \"gpt2\", \"vocab_size\": 13, \"max_position_embeddings\": 16, "
         "\"hidden_size\": 8, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
         "\"n_inner\": 12",
         at_gelu_tanh, false, false, false, 1e-5}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        static real logits[T * V];
        static tensors stored;
        at_gpt2 m = net;
        m.activation = all[i].activation;
        m.scale_by_layer = all[i].by_layer;
        m.untied = all[i].untied;
        m.epsilon = (real)all[i].epsilon;
        if (all[i].dot)
            m.attention.score = &at_score_dot;
        at_params *params = parameters(&m, logits);
        add_params(&stored, params, "transformer.", NULL);
        save(&stored);
        write_config(all[i].json);
        opens_as(logits, all[i].json);
        at_params_free(params);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *json, *says;
    } all[] = {
        {CONFIG ", \"activation_function\": \"softplus\"", "activation_function is 'softplus'"},
        {CONFIG ", \"add_cross_attention\": true", "add_cross_attention is 'true'"},
        {CONFIG ", \"scale_attn_weights\": 3", "scale_attn_weights is '3'"},
        {CONFIG ", \"pruned_heads\": {\"0\": [1]}", "pruned_heads"},
        {"\"model_type\": \"gpt2\", \"architectures\": [\"GPT2ForSequenceClassification\"]",
         "GPT2ForSequenceClassification"},
        {SIZED("16", "2", "3"), "cannot be cut into 3 heads"},
        {SIZED("16", "3", "2"), "h.2.ln_1.weight"}, /* missing tensors */
        {SIZED("16", "1", "2"), "h.1.ln_1.weight"}, /* too many of them */
        {SIZED("15", "2", "2"), "wpe.weight"},
        {CONFIG ", \"layer_norm_epsilon\": -1", "layer_norm_epsilon"}};
    static real logits[T * V];
    static tensors stored;
    at_params *params = parameters(&net, logits);
    add_params(&stored, params, "transformer.", NULL);
    save(&stored);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        write_config(all[i].json);
        refused(all[i].says);
    }
    write_config(CONFIG);
    add_params(&stored, params, "transformer.", "h.1.mlp.c_fc.bias");
    save(&stored);
    refused("h.1.mlp.c_fc.bias");
    at_params_free(params);
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_read),
        cmocka_unit_test(keys_change_the_network),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
