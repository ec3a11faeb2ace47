/* The door to the Hugging Face hub: a folder that transformers' save_pretrained writes is a model
 * folder. at_model_open takes one, and at_hub_save writes it again.
 *
 *     config.json              the settings, under other names (at_hub_key)
 *     model.safetensors        the weights, or model.safetensors.index.json and its files
 *     generation_config.json   defaults of searching
 *     tokenizer files          of the kind
 *
 * A kind of hub folders is one file hub_NAME.c with one const at_hub, and a line in hubs.def:
 *
 *     static const at_hub_key keys[] = {
 *         {.key = "n_embd", .setting = "hidden", .missing = "768"},
 *         {.key = "activation_function", .setting = "activation", .missing = "gelu_new",
 *          .values = "gelu_new|gelu|relu|silu|swish=silu"},
 *         {.key = "add_cross_attention", .values = "false", .missing = "false"},
 *         {.key = "vocab_size", .read = true},
 *         {0}};
 *     static const at_hub_tensor tensors[] = {
 *         {"lm_head.weight", "wte.weight", 0},         a tied copy, where the network has no
 * lm_head
 *         {"**.LayerNorm.gamma", "**.LayerNorm.weight", 0},                      an earlier name
 *         {"h.*.attn.bias", NULL, 0},                             a buffer: the network has none
 *         {0}};
 *     const at_hub at_hub_gpt2 = {.type = "gpt2", .model = &at_model_gpt2, .keys = keys,
 *                                 .prefix = "transformer.", .tensors = tensors, .read = read, ..};
 *
 * The network's parameters have the hub's names without the prefix, and the hub's layouts; so most
 * tensors need no row. A stored name is looked for in this order: as it is, without the prefix, and
 * as each row of `tensors` that matches it has it; the first that the network has is taken. Rows
 * with `ours` NULL are ignored. Several stored tensors of one parameter must be equal.
 *
 * A key of config.json that has no row in `keys` and in at_hub_common_keys changes nothing that
 * the peer computes; attend inspect lists it. */
#ifndef ATTEND_STORE_HUB_H
#define ATTEND_STORE_HUB_H

#include "base/json.h"
#include "models/model.h"
#include "store/weight_files.h"

/* A key of config.json; {0} ends a table. A key that is null is missing. */
typedef struct {
    const char *key;
    const char *setting; /* of the model, which takes the value; NULL: none does */
    const char *values;  /* "swish=silu|relu": values that are allowed, and what the setting is for
                            each where it differs; NULL: any that the setting takes */
    const char *missing; /* the value where the key is missing, the peer's default; NULL: the key
                            must be there, or is read by `read` */
    bool read;           /* at_hub.read reads it */
} at_hub_key;

/* Keys of every kind; its own rows come first. */
extern const at_hub_key at_hub_common_keys[];

enum {
    ATTEND_HUB_ZERO = 1, /* where it is missing, it is zeros */
    ATTEND_HUB_ROW = 2,  /* stored as [1, n], of a parameter [n] */
};

/* Names of a stored tensor and of its parameter; {0} ends a table. '*' stands for a number, '**'
 * for any text; `ours` has as many of them. */
typedef struct {
    const char *theirs, *ours;
    unsigned use;
} at_hub_tensor;

typedef struct at_hub at_hub;

/* an open folder; the set of parameters of its model owns it */
typedef struct at_hub_folder {
    const at_hub *hub;
    const char *path;
    json_t *config, *generation; /* generation: generation_config.json, or NULL */
    at_weight_files files;
    at_arena memory;
} at_hub_folder;

struct at_hub {
    const char *type;          /* model_type of config.json: "gpt2" */
    const char *architectures; /* "GPT2LMHeadModel|GPT2Model": the first of the key architectures
                                  must be one of these, or missing; NULL: any */
    const at_model_kind *model;
    const char *settings; /* "norm=post positions=halves": what differs from the model's defaults */
    const at_hub_key *keys;
    const char *prefix; /* "transformer.", which names may lack; NULL: none */
    const at_hub_tensor *tensors;

    /* After the settings of `keys`: those that follow from several keys or from the tensors, sizes
     * of vocabularies, labels. May be NULL. */
    attend_status (*read)(const at_hub_folder *f, at_model *m, attend_error *err);

    /* m->source and m->target, from the folder. They stay NULL where no file of a tokenizer is
     * there. NULL: at_hub_tokenizer, one for both. */
    attend_status (*tokenizers)(const at_hub_folder *f, at_model *m, attend_error *err);
};

#define HUB(name) extern const at_hub at_hub_##name;
#include "store/hubs.def"
#undef HUB
extern const at_hub *const at_hubs[];
extern const int at_hub_count;

/* The kind of a config.json, or NULL where model_type is not of the hub; *status is a failure, with
 * its error, where the type is known and the architecture is not. */
const at_hub *at_hub_find(const char *folder, const json_t *config, attend_status *status,
                          attend_error *err);

/* A model without weights; the reference to config is taken. */
attend_status at_hub_open(const char *folder, const at_hub *hub, json_t *config, at_model **out,
                          attend_error *err);

/* Borrows its weights. One error names all tensors that are missing, that the network does not
 * have, and of other shapes. */
attend_status at_hub_load_weights(at_model *m, attend_error *err);

/* Writes a model that came from a hub folder as another one, whole or not at all: the weights in
 * one model.safetensors, every tensor with its name, type, shape and bytes; other files as they
 * are. Left out are weights in formats that are not read, and names that begin with a dot. `out`
 * must be missing or empty; or, with overwrite, a folder with a config.json, which is replaced. */
attend_status at_hub_save(const at_model *m, const char *out, bool overwrite, attend_error *err);

/* The row of a key, or NULL: it has no effect. */
const at_hub_key *at_hub_key_find(const at_hub *hub, const char *key);

/* Is a tensor stored under this name, with or without the prefix? */
bool at_hub_has(const at_hub_folder *f, const char *name);

/* The tokenizer of the folder as source and target, or neither where there is no file of one. */
attend_status at_hub_tokenizer(const at_hub_folder *f, at_model *m, attend_error *err);

/* Every setting of a config.json; one error names all values that are refused. Strings are copied
 * into the arena. file stands for it in messages. */
attend_status at_hub_settings(const at_hub *hub, const char *file, const json_t *config,
                              void *settings, at_arena *strings, attend_error *err);

#endif
