/* The files of the kind gpt2: vocab.json and merges.txt, or as OpenAI named them, encoder.json and
 * vocab.bpe.
 *
 * A vocabulary is {"piece": id}; ids are 0 to size - 1. A merge is "left right", by rank. Both are
 * in GPT-2's characters for bytes. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "text/gpt2.h"
#include "text/hf_json.h"

enum { LARGEST = 1 << 30 }; /* bytes of a list of merges */
static const char count_key[] = "merges";

/* ---- merges ----------------------------------------------------------------------------- */

typedef struct {
    at_gpt2_tokenizer *g;
    const char *file;
    size_t line; /* from 1; or, in JSON, the number of the merge */
    int twice;   /* pairs that were there already */
    at_str both; /* the pieces of a merge, together */
    attend_error *err;
} merger;

static int32_t token(const merger *m, const char *text, size_t size)
{
    return at_vocab_find(m->g->base.vocab, text, size);
}

static attend_status unknown_token(const merger *m, const char *text, size_t size)
{
    char copy[64];
    size_t n = size < sizeof copy ? size : sizeof copy - 1;
    memcpy(copy, text, n);
    copy[n] = 0;
    return at_error(m->err, ATTEND_FORMAT,
                    "%s:%zu: the piece \"%s\" is not in the vocabulary; the files are not of the "
                    "same tokenizer",
                    at_show(m->file).text, m->line, at_show(copy).text);
}

static attend_status add_merge(merger *m, const char *left, size_t left_size, const char *right,
                               size_t right_size)
{
    at_str_clear(&m->both);
    at_str_add_bytes(&m->both, left, left_size);
    at_str_add_bytes(&m->both, right, right_size);
    at_merge merge = {token(m, left, left_size), token(m, right, right_size),
                      token(m, at_str_text(&m->both), m->both.length)};
    if (m->both.failed)
        return at_error_memory(m->err);
    if (merge.left < 0)
        return unknown_token(m, left, left_size);
    if (merge.right < 0)
        return unknown_token(m, right, right_size);
    if (merge.merged < 0)
        return unknown_token(m, m->both.text, m->both.length);
    m->twice += at_bpe_rank(m->g->bpe, merge.left, merge.right) >= 0;
    return at_bpe_add(m->g->bpe, merge) ? ATTEND_OK : at_error_memory(m->err);
}

/* "left right": one blank, with something on both sides */
static attend_status add_line(merger *m, const char *line, size_t size)
{
    const char *blank = memchr(line, ' ', size);
    size_t left = blank ? (size_t)(blank - line) : 0, right = blank ? size - left - 1 : 0;
    if (!left || !right || memchr(blank + 1, ' ', right))
        return at_error(m->err, ATTEND_FORMAT,
                        "%s:%zu: a merge is two pieces with a blank between them; correct the line",
                        at_show(m->file).text, m->line);
    return add_merge(m, line, left, blank + 1, right);
}

static void say_twice(const merger *m)
{
    if (m->twice)
        at_log(ATTEND_LOG_WARNING, "%s: %d merges are there twice; the later one counts",
               at_show(m->file).text, m->twice);
}

attend_status at_gpt2_read_merge_lines(at_gpt2_tokenizer *g, const char *text, size_t size,
                                       const char *file, attend_error *err)
{
    merger m = {.g = g, .file = file, .err = err};
    attend_status status = ATTEND_OK;
    for (size_t at = 0; at < size && status >= 0;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        at += length + 1;
        m.line++;
        length -= length > 0 && line[length - 1] == '\r';
        bool version = m.line == 1 && length >= 8 && memcmp(line, "#version", 8) == 0;
        if (!version && (length || at < size))
            status = add_line(&m, line, length);
    }
    if (status >= 0)
        say_twice(&m);
    at_str_free(&m.both);
    return status;
}

static attend_status read_merges(at_gpt2_tokenizer *g, const char *path, attend_error *err)
{
    char *text;
    size_t size;
    attend_status status = at_file_read(path, LARGEST, &text, &size, err);
    if (status < 0)
        return status;
    status = at_gpt2_read_merge_lines(g, text, size, path, err);
    at_free(text);
    return status;
}

/* "left right", or ["left", "right"] */
static attend_status add_json(merger *m, const json_t *merge)
{
    const json_t *left = json_array_get(merge, 0), *right = json_array_get(merge, 1);
    if (json_is_string(merge))
        return add_line(m, json_string_value(merge), json_string_length(merge));
    if (json_array_size(merge) != 2 || !json_is_string(left) || !json_is_string(right))
        return at_error(m->err, ATTEND_FORMAT,
                        "%s: merge %zu is neither \"left right\" nor [\"left\", \"right\"]",
                        at_show(m->file).text, m->line);
    return add_merge(m, json_string_value(left), json_string_length(left), json_string_value(right),
                     json_string_length(right));
}

attend_status at_gpt2_read_merges(at_gpt2_tokenizer *g, const json_t *list, const char *file,
                                  attend_error *err)
{
    merger m = {.g = g, .file = file, .err = err};
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < json_array_size(list) && status >= 0; i++) {
        m.line = i + 1;
        status = add_json(&m, json_array_get(list, i));
    }
    if (status >= 0)
        say_twice(&m);
    at_str_free(&m.both);
    return status;
}

/* ---- loading ---------------------------------------------------------------------------- */

void at_gpt2_roberta(at_gpt2_tokenizer *g)
{
    static const char *const usual[ATTEND_SPECIALS] = {"<pad>", "<unk>", "<s>",   "</s>",
                                                       "<s>",   "</s>",  "<mask>"};
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        if (g->base.special[i] < 0)
            g->base.special[i] = at_vocab_find(g->base.vocab, usual[i], strlen(usual[i]));
}

/* Files without a class: RoBERTa marks texts with <s> and </s>, and has no <|endoftext|>. */
static bool looks_like_roberta(const at_gpt2_tokenizer *g)
{
    const at_vocab *v = g->base.vocab;
    return at_vocab_find(v, "<s>", 3) >= 0 && at_vocab_find(v, "</s>", 4) >= 0
           && at_vocab_find(v, ATTEND_GPT2_END, strlen(ATTEND_GPT2_END)) < 0;
}

void at_gpt2_configure(at_gpt2_tokenizer *g, const json_t *config)
{
    const json_t *prefix = json_object_get(config, "add_prefix_space");
    const char *class = json_string_value(json_object_get(config, "tokenizer_class"));
    if (class ? strncmp(class, "Roberta", 7) == 0 : looks_like_roberta(g))
        at_gpt2_roberta(g);
    else if (class && strncmp(class, "GPT2", 4) != 0 && strncmp(class, "PreTrained", 10) != 0)
        at_log(ATTEND_LOG_WARNING,
               "tokenizer_class %s is neither GPT2Tokenizer nor RobertaTokenizer; texts are cut as "
               "GPT-2 does",
               at_show(class).text);
    at_tokenizer_specials_from(&g->base, config);
    if (json_is_boolean(prefix))
        g->prefix_space = json_is_true(prefix);
    g->split_specials = json_is_true(json_object_get(config, "split_special_tokens"));
}

/* where the merges of a vocabulary lie: the same name with another end; NULL without memory */
static char *merges_beside(const char *path)
{
    static const char *const ends[][2] = {{"vocab.json", "merges.txt"},
                                          {"encoder.json", "vocab.bpe"}};
    size_t size = strlen(path);
    int openai = size >= 12 && strcmp(path + size - 12, ends[1][0]) == 0;
    size_t start = size - strlen(ends[openai][0]);
    at_str other = {0};
    at_str_add_bytes(&other, path, start);
    at_str_add(&other, ends[openai][1]);
    return at_str_take(&other);
}

/* A list that was cut is still a list: our own tokenizer_config.json has the number of merges. */
static attend_status check_count(const at_gpt2_tokenizer *g, const json_t *config,
                                 const char *merges, attend_error *err)
{
    const json_t *count = json_object_get(config, count_key);
    if (!json_is_integer(count) || json_integer_value(count) == at_bpe_merges(g->bpe))
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "%s: has %d merges, and tokenizer_config.json says %lld; the file is damaged, "
                    "get it again",
                    at_show(merges).text, at_bpe_merges(g->bpe),
                    (long long)json_integer_value(count));
}

static attend_status load_files(at_gpt2_tokenizer *g, const char *path, const char *merges,
                                attend_error *err)
{
    json_t *vocab = NULL, *config = NULL;
    attend_status status = at_json_load(path, &vocab, err);
    if (status >= 0 && (status = at_tokenizer_config_beside(path, &config, err)) >= 0
        && (status = at_hf_read_vocab(g->base.vocab, vocab, path, err)) >= 0
        && (status = at_hf_check_whole(g->base.vocab, path, err)) >= 0
        && (status = read_merges(g, merges, err)) >= 0
        && (status = check_count(g, config, merges, err)) >= 0) {
        at_gpt2_configure(g, config);
        status = at_gpt2_finish(g, at_show(path).text, err);
    }
    json_decref(vocab);
    json_decref(config);
    return status;
}

attend_status at_gpt2_load(const char *path, at_tokenizer **out, attend_error *err)
{
    at_gpt2_tokenizer *g = NULL;
    char *merges = merges_beside(path);
    attend_status status = merges ? at_gpt2_new(&g, err) : at_error_memory(err);
    if (status >= 0)
        status = load_files(g, path, merges, err);
    at_free(merges);
    *out = g ? &g->base : NULL;
    if (status < 0) {
        at_tokenizer_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- saving ----------------------------------------------------------------------------- */

void at_gpt2_merge_text(const at_gpt2_tokenizer *g, int rank, at_str *out)
{
    size_t size;
    at_merge m = at_bpe_merge(g->bpe, rank);
    const char *text = at_vocab_text(g->base.vocab, m.left, &size);
    at_str_add_bytes(out, text, size);
    at_str_add(out, " ");
    text = at_vocab_text(g->base.vocab, m.right, &size);
    at_str_add_bytes(out, text, size);
}

static attend_status save_merges(const at_gpt2_tokenizer *g, const char *path, attend_error *err)
{
    at_str text = {0};
    at_str_add(&text, "#version: 0.2\n");
    for (int rank = 0; rank < at_bpe_merges(g->bpe); rank++) {
        at_gpt2_merge_text(g, rank, &text);
        at_str_add(&text, "\n");
    }
    attend_status status = at_file_write(path, &text, err);
    at_str_free(&text);
    return status;
}

attend_status at_gpt2_save(const at_tokenizer *t, const char *folder, attend_error *err)
{
    const at_gpt2_tokenizer *g = (const at_gpt2_tokenizer *)t;
    char *vocab = at_file_join(folder, "vocab.json"), *merges = at_file_join(folder, "merges.txt");
    attend_status status = vocab && merges ? ATTEND_OK : at_error_memory(err);
    at_json_start();
    if (status >= 0) {
        json_t *root = at_hf_write_vocab(t->vocab);
        status = at_json_save(vocab, root, err);
        json_decref(root);
    }
    if (status >= 0)
        status = save_merges(g, merges, err);
    if (status >= 0) {
        json_t *more = json_pack("{s:b, s:b, s:i}", "add_prefix_space", (int)g->prefix_space,
                                 "split_special_tokens", (int)g->split_specials, count_key,
                                 at_bpe_merges(g->bpe));
        status = at_tokenizer_config_save(
            t, folder, t->frame.between >= 0 ? "RobertaTokenizer" : "GPT2Tokenizer", more, err);
    }
    at_free(vocab);
    at_free(merges);
    return status;
}
