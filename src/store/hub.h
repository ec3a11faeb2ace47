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
 *         {"lm_head.weight", "wte.weight", ATTEND_HUB_READ},  a tied copy, where there is no
 * lm_head
 *         {"**.LayerNorm.gamma", "**.LayerNorm.weight", ATTEND_HUB_READ},        an earlier name
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

#include "attention/attention.h"
#include "base/folder.h"
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
    const char *also;    /* another name for it, which counts where it is there; or NULL */
} at_hub_key;

/* Keys of every kind; its own rows come first. */
extern const at_hub_key at_hub_common_keys[];

enum {
    ATTEND_HUB_ZERO = 1,    /* where it is missing, it is zeros */
    ATTEND_HUB_ROW = 2,     /* stored as [1, n], of a parameter [n] */
    ATTEND_HUB_READ = 4,    /* an earlier name, or a tied copy: read, and never written */
    ATTEND_HUB_CLASSES = 8, /* written for models that classify texts alone */
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

/* a model that was trained here, on its way into a hub folder */
typedef struct {
    const at_model *model;
    void *settings; /* a copy, which `settle` may change; strings are borrowed */
    json_t *config, *generation;
    at_store_list tensors;
    at_arena memory; /* of all this */
} at_hub_written;

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

    /* ---- for models that were trained here ---- */

    const char *body; /* "wte.|h.": names that begin like these are written with the prefix */
    const char *free; /* "window|from": settings that change nothing that such a model computes,
                         and need not come back from the folder; NULL: none. Dropout is one. */

    const char *(*architecture)(const at_model *m); /* of config.json */

    /* Settings that stand for others get the value that `read` would find: 0 layers of the decoder
     * are as many as the encoder has. May be NULL. */
    attend_status (*settle)(at_hub_written *w, attend_error *err);

    /* Keys that `read` reads and what the peer needs beside `keys`, and further tensors. False
     * without memory. */
    bool (*write)(at_hub_written *w);

    /* NULL: that of the source, into the folder. */
    attend_status (*write_tokenizers)(const at_model *m, const char *folder, attend_error *err);
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

/* Writes a model that was trained here as a folder of a hub kind, whole or not at all; `type` is
 * the kind, NULL: any. Fails where no kind, or not this one, has such models, and names all
 * settings that a folder of the kind cannot express. path stands for the model in messages. */
attend_status at_hub_write(const at_model *m, const char *path, const char *type, const char *out,
                           bool overwrite, attend_error *err);

/* For at_hub.settle: a description of attention without its heads where they are `heads`. */
attend_status at_hub_plain_attention(at_hub_written *w, const at_how *how, int heads,
                                     const char **text, attend_error *err);

/* For at_hub.write: ids of the tokens that begin, end and fill up texts, of the target, which the
 * tokenizer has; and id2label with what the labels are. False without memory. */
bool at_hub_write_ids(const at_hub_written *w, json_t *to);
bool at_hub_write_labels(const at_hub_written *w);

/* Opens a new folder beside `out`, for at_hub_save and at_hub_write; it must not be in `from`, and
 * `from` not in it. at_new_folder_commit or _abort ends it, on failure too. */
attend_status at_hub_new_folder(at_new_folder *n, const char *from, const char *out, bool overwrite,
                                attend_error *err);

/* The row of a key, or NULL: it has no effect. */
const at_hub_key *at_hub_key_find(const at_hub *hub, const char *key);

/* The index-th key of config.json without effect; NULL: there are no more. */
const char *at_hub_unused_key(const at_hub_folder *f, size_t index);

/* Is a tensor stored under this name, with or without the prefix? */
bool at_hub_has(const at_hub_folder *f, const char *name);

/* Does the folder leave open which class its tokenizer has? It is that of the model then. */
bool at_hub_classless(const at_hub_folder *f);

/* The tokenizer of the folder as source and target, or neither where there is no file of one. */
attend_status at_hub_tokenizer(const at_hub_folder *f, at_model *m, attend_error *err);

/* Every setting of a config.json; one error names all values that are refused. Strings are copied
 * into the arena. file stands for it in messages. */
attend_status at_hub_settings(const at_hub *hub, const char *file, const json_t *config,
                              void *settings, at_arena *strings, attend_error *err);

#endif
