/* Hugging Face's tokenizer.json for byte-level BPE: reading those of GPT-2's kind, and writing one.
 *
 * The format can describe many more tokenizers. What would cut texts in another way than GPT-2 is
 * refused by name, so that no text is ever cut wrongly in silence. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "text/gpt2.h"
#include "text/hf_json.h"

/* ---- reading ---------------------------------------------------------------------------- */

static attend_status refuse(const char *file, const char *what, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT,
                    "%s: %s, which is not GPT-2's way; only byte-level BPE with GPT-2's pattern "
                    "can be read",
                    at_show(file).text, what);
}

static bool says(const json_t *object, const char *key, const char *text)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* Is there something under key that is neither null, false nor ""? */
static bool set(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value && !json_is_null(value) && !json_is_false(value)
           && !(json_is_string(value) && json_string_length(value) == 0);
}

static attend_status check_kind(const json_t *root, const char *file, attend_error *err)
{
    const json_t *before = json_object_get(root, "pre_tokenizer");
    const json_t *model = json_object_get(root, "model");
    static const char *const other[] = {"dropout", "continuing_subword_prefix",
                                        "end_of_word_suffix", "byte_fallback", "ignore_merges"};
    if (!says(before, "type", "ByteLevel") || json_is_false(json_object_get(before, "use_regex")))
        return refuse(file, "its pre_tokenizer is not ByteLevel with use_regex", err);
    if (set(root, "normalizer"))
        return refuse(file, "it has a normalizer", err);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (set(model, other[i])) {
            char what[64] = "its model has ";
            strcat(what, other[i]);
            return refuse(file, what, err);
        }
    return ATTEND_OK;
}

/* Blanks beside a token would have to be taken into it, or a token be left alone inside a word. */
static attend_status check_added(const json_t *root, const char *file, attend_error *err)
{
    const json_t *list = json_object_get(root, "added_tokens");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *token = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(token, "content"));
        bool mask = text
                    && strcmp(text, "<mask>") == 0; /* takes the space before it, as RoBERTa's */
        if (set(token, "single_word") || (set(token, "lstrip") && !mask) || set(token, "rstrip"))
            return refuse(file, "an added token has single_word, lstrip or rstrip", err);
    }
    return ATTEND_OK;
}

static attend_status read_parts(at_gpt2_tokenizer *g, const json_t *root, const char *file,
                                attend_error *err)
{
    json_t *config = NULL;
    const json_t *model = json_object_get(root, "model");
    const json_t *vocab = json_object_get(model, "vocab"),
                 *merges = json_object_get(model, "merges");
    attend_status status = check_kind(root, file, err);
    if (status < 0 || (status = check_added(root, file, err)) < 0
        || (status = at_hf_read_vocab(g->base.vocab, vocab, file, err)) < 0
        || (status = at_hf_check_whole(g->base.vocab, file, err)) < 0
        || (status = at_hf_read_added(&g->base, root, file, err)) < 0)
        return status;
    if (!json_is_array(merges))
        return at_error(err, ATTEND_FORMAT, "%s: model.merges is no array; correct it",
                        at_show(file).text);
    if ((status = at_gpt2_read_merges(g, merges, file, err)) < 0
        || (status = at_tokenizer_config_beside(file, &config, err)) < 0)
        return status;
    at_gpt2_configure(g, config);
    json_decref(config);
    g->prefix_space = json_is_true(
        json_object_get(json_object_get(root, "pre_tokenizer"), "add_prefix_space"));
    return at_gpt2_finish(g, at_show(file).text, err);
}

attend_status at_gpt2_read(const json_t *root, const char *file, at_tokenizer **out,
                           attend_error *err)
{
    at_gpt2_tokenizer *g;
    attend_status status = at_gpt2_new(&g, err);
    *out = NULL;
    if (status < 0)
        return status;
    status = read_parts(g, root, file, err);
    if (status < 0)
        at_tokenizer_free(&g->base);
    else
        *out = &g->base;
    return status;
}

/* ---- writing ---------------------------------------------------------------------------- */

static json_t *merges_json(const at_gpt2_tokenizer *g)
{
    json_t *list = json_array();
    at_str text = {0};
    for (int rank = 0; list && rank < at_bpe_merges(g->bpe); rank++) {
        at_str_clear(&text);
        at_gpt2_merge_text(g, rank, &text);
        json_array_append_new(list, json_stringn(at_str_text(&text), text.length));
    }
    at_str_free(&text);
    return list;
}

static json_t *byte_level(bool prefix)
{
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", (int)prefix,
                     "trim_offsets", 1, "use_regex", 1);
}

json_t *at_gpt2_write(const at_tokenizer *t)
{
    const at_gpt2_tokenizer *g = (const at_gpt2_tokenizer *)t;
    json_t *model = json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:o, s:o}", "type", "BPE",
                              "dropout", "unk_token", "continuing_subword_prefix",
                              "end_of_word_suffix", "fuse_unk", 0, "byte_fallback", 0, "vocab",
                              at_hf_write_vocab(t->vocab), "merges", merges_json(g));
    json_t *root = json_pack("{s:s, s:n, s:n, s:o, s:n, s:o, s:o, s:o, s:o}", "version", "1.0",
                             "truncation", "padding", "added_tokens", at_hf_write_added(t),
                             "normalizer", "pre_tokenizer", byte_level(g->prefix_space),
                             "post_processor", byte_level(true), "decoder", byte_level(true),
                             "model", model);
    if (root && at_json_starved()) { /* a member may be short of some */
        json_decref(root);
        return NULL;
    }
    return root;
}
