/* Folders of the Hugging Face hub: names of tensors, several files, and folders with one thing
 * changed, which are refused by its name. */
#include "store/hub.h"

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
#include "store/model_folder.h"

static const char marian[] = "tests/fixtures/hub/marian";
static char folder[] = "/tmp/attend-hub-XXXXXX";

/* ---- changed folders ------------------------------------------------------------------------ */

static void copy_folder(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s && cp -r %s %s", folder, marian, folder);
    assert_int_equal(system(command), 0);
}

/* a file of the folder with the first `from` replaced by `to` */
static void change(const char *name, const char *from, const char *to)
{
    attend_error err;
    char *path = at_file_join(folder, name), *text;
    assert_int_equal(at_file_read(path, 1 << 20, &text, NULL, &err), ATTEND_OK);
    const char *at = strstr(text, from);
    assert_non_null(at);
    at_str out = {0};
    at_str_add_bytes(&out, text, (size_t)(at - text));
    at_str_print(&out, "%s%s", to, at + strlen(from));
    assert_int_equal(at_file_write(path, &out, &err), ATTEND_OK);
    at_str_free(&out);
    at_free(text);
    at_free(path);
}

/* what becomes of a tensor; also, where `name` is missing, a copy of `from` */
typedef struct {
    const char *name, *to; /* to NULL: it is left out */
    const char *from;
    int drop; /* rows that are left out */
    int add;  /* to the first byte */
} edit;

static at_to_store edited(const at_stored *t, const edit *e)
{
    at_to_store out = at_store_again(t);
    out.name = e->to;
    if (e->drop)
        out.dim[0] -= e->drop;
    if (e->add) {
        static unsigned char bytes[1 << 20]; /* at most one tensor is changed at a time */
        assert_true(t->bytes <= sizeof bytes);
        memcpy(bytes, t->data, t->bytes);
        bytes[0] = (unsigned char)(bytes[0] + e->add);
        out.data = bytes;
    }
    return out;
}

static void change_weights(int n, const edit *edits)
{
    attend_error err;
    at_safetensors *s;
    char *path = at_file_join(folder, "model.safetensors"),
         *of = at_file_join(marian, "model.safetensors");
    assert_int_equal(at_safetensors_open(of, &s, &err), ATTEND_OK);
    at_to_store list[256];
    int count = 0;
    for (int i = 0; i < at_safetensors_count(s); i++) {
        const at_stored *t = at_safetensors_at(s, i);
        const edit *e = NULL;
        for (int k = 0; k < n; k++) {
            if (edits[k].from && strcmp(edits[k].from, t->name) == 0)
                list[count++] = edited(t, &edits[k]);
            e = edits[k].name && strcmp(edits[k].name, t->name) == 0 ? &edits[k] : e;
        }
        if (!e)
            list[count++] = at_store_again(t);
        else if (e->to)
            list[count++] = edited(t, e);
    }
    if (at_safetensors_save(path, list, count, NULL, 0, &err) < 0)
        fail_msg("%s", err.message);
    at_safetensors_close(s);
    at_free(path);
    at_free(of);
}

static void refused(const char *says, const char *also)
{
    attend_error err = {.message = ""};
    at_model *m;
    attend_status status = at_model_open(folder, &m, &err);
    at_model_free(m);
    if (status != ATTEND_FORMAT || !strstr(err.message, says) || !strstr(err.message, also))
        fail_msg("%d '%s' lacks '%s' or '%s'", status, err.message, says, also);
}

static at_model *opened(void)
{
    attend_error err;
    at_model *m;
    if (at_model_open(folder, &m, &err) < 0)
        fail_msg("%s", err.message);
    return m;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void a_folder_is_a_model(void **state)
{
    (void)state;
    copy_folder();
    at_model *m = opened();
    assert_true(m->kind == &at_model_transformer);
    assert_int_equal(at_model_source_size(m), 382);
    assert_int_equal(at_model_target_size(m), 382);
    assert_non_null(at_params_find(m->params, "decoder.layers.0.encoder_attn.k_proj.weight"));
    assert_non_null(at_params_find(m->params, "lm_head.bias"));
    assert_non_null(at_params_find(m->params, "shared.weight"));
    at_model_free(m);
}

#define Q "encoder.layers.0.self_attn.q_proj.weight"

static void earlier_names_and_tied_copies_are_read(void **state)
{
    static const edit edits[] = {
        {"model." Q, Q, NULL, 0, 0},                           /* without the prefix */
        {"final_logits_bias", NULL, NULL, 0, 0},               /* zeros */
        {NULL, "lm_head.weight", "model.shared.weight", 0, 0}, /* tied copies */
        {NULL, "model.encoder.embed_tokens.weight", "model.shared.weight", 0, 0},
        {"model.shared.weight", "model.decoder.embed_tokens.weight", NULL, 0, 0},
    };
    (void)state;
    copy_folder();
    at_model *whole = opened();
    change_weights(sizeof edits / sizeof *edits, edits);
    at_model *m = opened();
    static const char *const same[] = {Q, "shared.weight"};
    for (int i = 0; i < 2; i++) {
        const at_parameter *a = at_params_find(whole->params, same[i]);
        const at_parameter *b = at_params_find(m->params, same[i]);
        assert_true(a && b && a->len == b->len);
        assert_memory_equal(a->data, b->data, a->len * at_element_size(a->type));
    }
    const at_parameter *bias = at_params_find(m->params, "lm_head.bias");
    assert_int_equal(bias->len, 382);
    for (size_t i = 0; i < bias->len; i++)
        assert_true(bias->value[i] == 0);
    at_model_free(whole);
    at_model_free(m);
}

static void all_wrong_tensors_are_named_at_once(void **state)
{
    static const edit edits[] = {
        {"model." Q, NULL, NULL, 0, 0},
        {"model.encoder.layers.0.fc1.bias", "model.encoder.layers.0.fc9.bias", NULL, 0, 0},
        {"model.decoder.layers.0.fc2.weight", "model.decoder.layers.0.fc2.weight", NULL, 1, 0},
        {NULL, "lm_head.weight", "model.shared.weight", 0, 1},
    };
    (void)state;
    copy_folder();
    change_weights(4, edits);
    refused("missing: " Q ", encoder.layers.0.fc1.bias",
            "unexpected: model.encoder.layers.0.fc9.bias");
    refused("of another shape: model.decoder.layers.0.fc2.weight (23, 32), not (24, 32)",
            "not equal to it: ");
}

static void values_that_change_what_is_computed_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"\"swish\"", "\"swoosh\"", "activation_function is 'swoosh', it must be relu, gelu,"},
        {"\"d_model\": 24", "\"d_model\": \"wide\"", "d_model: "},
        {"\"d_model\": 24", "\"d_model\": -3", "d_model: "},
        {"\"d_model\": 24", "\"d_model\": 25", "25"},
        {"\"d_model\": 24", "\"d_model\": 48", "of another shape"},
        {"\"encoder_layers\": 1", "\"encoder_layers\": 2", "missing: encoder.layers.1."},
        {"\"decoder_layers\": 1", "\"decoder_layers\": 65", "decoder_layers: "},
        {"\"vocab_size\": 382", "\"vocab_size\": 381", "381"},
        {"\"vocab_size\": 382", "\"vocab_size\": 1e30", "vocab_size"},
        {"\"scale_embedding\": true", "\"scale_embedding\": 2", "scale_embedding is '2'"},
        {"\"is_encoder_decoder\": true", "\"is_encoder_decoder\": false", "is_encoder_decoder"},
        {"\"MarianMTModel\"", "\"MarianForCausalLM\"", "architectures 'MarianForCausalLM'"},
        {"\"marian\"", "\"mariam\"", "model_type 'mariam' is not"},
        {"\"init_std\": 0.02", "\"pruned_heads\": {\"0\": [1]}", "pruned_heads is"},
        {"\"use_cache\": true", "\"quantization_config\": {\"bits\": 4}", "quantization_config"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        copy_folder();
        change("config.json", cases[i].from, cases[i].to);
        refused(cases[i].says, "");
    }
    copy_folder();
    change("config.json", "\"swish\"", "\"swoosh\"");
    change("config.json", "\"d_model\": 24", "\"d_model\": -3");
    refused("activation_function", "d_model");
}

/* Every other tensor goes into a second file. */
static void split_weights(void)
{
    attend_error err;
    at_safetensors *s;
    char *path = at_file_join(folder, "model.safetensors");
    assert_int_equal(at_safetensors_open(path, &s, &err), ATTEND_OK);
    at_to_store list[2][256];
    int count[2] = {0, 0};
    at_str index = {0};
    for (int i = 0; i < at_safetensors_count(s); i++) {
        const at_stored *t = at_safetensors_at(s, i);
        list[i % 2][count[i % 2]++] = at_store_again(t);
        at_str_print(&index, "%s\"%s\": \"model-0000%d-of-00002.safetensors\"", i ? ", " : "",
                     t->name, i % 2 + 1);
    }
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "model-0000%d-of-00002.safetensors", i + 1);
        char *part = at_file_join(folder, name);
        assert_int_equal(at_safetensors_save(part, list[i], count[i], NULL, 0, &err), ATTEND_OK);
        at_free(part);
    }
    at_safetensors_close(s);
    assert_int_equal(remove(path), 0);
    at_free(path);
    at_str all = {0};
    at_str_print(&all, "{\"metadata\": {}, \"weight_map\": {%s}}", at_str_text(&index));
    path = at_file_join(folder, "model.safetensors.index.json");
    assert_int_equal(at_file_write(path, &all, &err), ATTEND_OK);
    at_free(path);
    at_str_free(&index);
    at_str_free(&all);
}

static void weights_in_several_files_are_read(void **state)
{
    (void)state;
    copy_folder();
    at_model *whole = opened();
    split_weights();
    at_model *m = opened();
    assert_int_equal(m->hub->files.count, 2);
    assert_int_equal(at_params_count(m->params), at_params_count(whole->params));
    for (int i = 0; i < at_params_count(whole->params); i++) {
        const at_parameter *a = at_params_at(whole->params, i);
        const at_parameter *b = at_params_find(m->params, a->name);
        assert_memory_equal(a->data, b->data, a->len * at_element_size(a->type));
    }
    at_model_free(whole);
    at_model_free(m);
    change("model.safetensors.index.json", "model." Q, "model.other");
    refused("tensor 'model.other' is missing in model-0000", "");
    change("model.safetensors.index.json", "\"model-00001-of-00002.safetensors\"", "1");
    refused("has no file", "");
    change("model.safetensors.index.json", ": 1,", ": \"../x.safetensors\",");
    refused("'../x.safetensors' is not a file of the folder", "");
}

static void a_pickle_is_not_read(void **state)
{
    char command[200];
    attend_error err;
    at_model *m;
    (void)state;
    copy_folder();
    snprintf(command, sizeof command, "mv %s/model.safetensors %s/pytorch_model.bin", folder,
             folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(at_model_open(folder, &m, &err), ATTEND_FILE);
    assert_non_null(strstr(err.message, "safe_serialization=True"));
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    copy_folder();
    at_model_free(opened());
    long live = at_alloc_live(), n = 0;
    for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
        at_model *m;
        attend_error err;
        at_alloc_fail_after(n);
        status = at_model_open(folder, &m, &err);
        at_alloc_fail_after(-1);
        at_model_free(m);
        if (status != ATTEND_OK && status != ATTEND_MEMORY)
            fail_msg("allocation %ld: %s", n, err.message);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 10);
}

static void every_kind_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < at_hub_count; i++) {
        const at_hub *h = at_hubs[i];
        at_arena strings = {.first_size = 0};
        void *settings = at_alloc_zero(1, h->model->settings_size);
        json_t *empty = json_object();
        attend_error err;
        if (at_hub_settings(h, "config.json", empty, settings, &strings, &err) < 0)
            fail_msg("%s, without keys: %s", h->type, err.message);
        json_decref(empty);
        at_free(settings);
        at_arena_free(&strings);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_sound),
        cmocka_unit_test(a_folder_is_a_model),
        cmocka_unit_test(earlier_names_and_tied_copies_are_read),
        cmocka_unit_test(all_wrong_tensors_are_named_at_once),
        cmocka_unit_test(values_that_change_what_is_computed_are_refused),
        cmocka_unit_test(weights_in_several_files_are_read),
        cmocka_unit_test(a_pickle_is_not_read),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
