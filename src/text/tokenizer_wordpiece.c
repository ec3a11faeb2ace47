/* WordPiece: its files, and back to text. How it cuts is in wordpiece_cut.c, how it learns in
 * wordpiece_learn.c.
 *
 * vocab.txt has a piece per line, its number is the line's. tokenizer_config.json beside it says
 * do_lower_case, strip_accents, tokenize_chinese_chars, never_split and the special pieces. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/hf_json.h"
#include "text/spacing.h"
#include "text/wordpiece.h"

/* ---- life ------------------------------------------------------------------------------- */

at_wordpiece_options at_wordpiece_defaults(bool lower)
{
    return (at_wordpiece_options){.lower = lower,
                                  .strip_accents = lower,
                                  .split_chinese = true,
                                  .max_chars = 100,
                                  .prefix = "##"};
}

at_wordpiece *at_wordpiece_new(const at_wordpiece_options *options)
{
    at_wordpiece *w = at_tokenizer_new(&at_tokenizer_kind_wordpiece, sizeof *w);
    if (!w)
        return NULL;
    w->options = *options;
    w->cache = at_word_cache_new();
    if (!w->cache) {
        at_tokenizer_free(&w->base);
        return NULL;
    }
    return w;
}

static void free_wordpiece(at_tokenizer *t)
{
    at_wordpiece *w = (at_wordpiece *)t;
    at_vocab_free(w->never_split);
    at_word_cache_free(w->cache);
    at_free(w);
}

attend_status at_wordpiece_ready(at_wordpiece *w, const char *file, attend_error *err)
{
    static const struct {
        at_special which;
        const char *text;
    } usual[] = {{ATTEND_SPECIAL_PAD, "[PAD]"},
                 {ATTEND_SPECIAL_UNK, "[UNK]"},
                 {ATTEND_SPECIAL_CLS, "[CLS]"},
                 {ATTEND_SPECIAL_SEP, "[SEP]"},
                 {ATTEND_SPECIAL_MASK, "[MASK]"}};
    at_tokenizer *t = &w->base;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        int32_t *id = &t->special[usual[i].which];
        if (*id < 0)
            *id = at_vocab_find(t->vocab, usual[i].text, strlen(usual[i].text));
    }
    if (t->special[ATTEND_SPECIAL_UNK] < 0)
        return at_error(err, ATTEND_FORMAT,
                        "%s: has no piece [UNK] for unknown words; it is not a WordPiece "
                        "vocabulary, or tokenizer_config.json lacks its unk_token",
                        at_show(file).text);
    t->frame = (at_frame){t->special[ATTEND_SPECIAL_CLS], t->special[ATTEND_SPECIAL_SEP], -1, -1};
    for (int32_t id = 0; id < at_vocab_size(t->vocab); id++) {
        size_t size;
        at_vocab_text(t->vocab, id, &size);
        w->max_length = size > w->max_length ? size : w->max_length;
    }
    return at_tokenizer_mark_specials(t) ? ATTEND_OK : at_error_memory(err);
}

/* ---- vocab.txt -------------------------------------------------------------------------- */

static attend_status add_line(at_vocab *v, const char *file, long line, const char *text,
                              size_t size, attend_error *err)
{
    if (at_utf8_valid(text, size) < size || memchr(text, 0, size))
        return at_error(err, ATTEND_FORMAT,
                        "%s:%ld: bytes that are no UTF-8 text; a vocabulary has a piece per line",
                        at_show(file).text, line);
    return at_vocab_append(v, text, size) < 0 ? at_error_memory(err) : ATTEND_OK;
}

static attend_status read_lines(at_vocab *v, const char *file, attend_error *err)
{
    char *text;
    size_t size;
    long line = 1;
    attend_status status = at_file_read(file, (size_t)1 << 28, &text, &size, err);
    for (size_t at = 0; status >= 0 && at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        size_t cut = length && text[at + length - 1] == '\r';
        status = add_line(v, file, line, text + at, length - cut, err);
        at += length + 1;
    }
    at_free(text);
    return status;
}

/* Capitals outside the special pieces, which are written in brackets, tell a cased vocabulary. */
static bool has_capitals(const at_vocab *v)
{
    for (int32_t id = 0; id < at_vocab_size(v); id++) {
        const char *text = at_vocab_text(v, id, NULL);
        if (*text != '[' && strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            return true;
    }
    return false;
}

static attend_status read_list(const json_t *list, at_vocab **out, attend_error *err)
{
    if (!json_array_size(list))
        return ATTEND_OK;
    *out = at_vocab_new();
    for (size_t i = 0; *out && i < json_array_size(list); i++) {
        const json_t *word = json_array_get(list, i);
        if (json_is_string(word)
            && at_vocab_add(*out, json_string_value(word), json_string_length(word)) < 0)
            return at_error_memory(err);
    }
    return *out ? ATTEND_OK : at_error_memory(err);
}

/* additional_special_tokens that the vocabulary has */
static attend_status read_more_specials(at_wordpiece *w, const json_t *list, attend_error *err)
{
    at_tokenizer *t = &w->base;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *word = json_array_get(list, i);
        size_t size = json_string_length(word);
        int32_t id = size ? at_vocab_find(t->vocab, json_string_value(word), size) : -1;
        if (id >= 0
            && !at_added_tokens_put(&t->added, at_vocab_text(t->vocab, id, NULL), size, id, true))
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

static attend_status read_config(at_wordpiece *w, const json_t *config, attend_error *err)
{
    at_fields f = at_fields_of(config, "tokenizer_config.json", err);
    w->options.lower = at_field_bool(&f, "do_lower_case", true);
    w->options.strip_accents = at_field_bool(&f, "strip_accents", w->options.lower);
    w->options.split_chinese = at_field_bool(&f, "tokenize_chinese_chars", true);
    w->options.special_never = at_field_bool(&f, "split_special_tokens", false);
    const json_t *whole = at_field_array(&f, "never_split");
    const json_t *more = at_field_array(&f, "additional_special_tokens");
    at_tokenizer_specials_from(&w->base, config);
    attend_status status = f.status;
    if (status >= 0)
        status = read_list(whole, &w->never_split, err);
    return status < 0 ? status : read_more_specials(w, more, err);
}

static attend_status fill(at_wordpiece *w, const char *path, bool configured, attend_error *err)
{
    json_t *config = NULL;
    attend_status status = read_lines(w->base.vocab, path, err);
    if (status >= 0 && !configured)
        status = at_tokenizer_config_beside(path, &config, err);
    if (status >= 0 && config) {
        status = read_config(w, config, err);
    } else if (status >= 0 && !configured) {
        w->options = at_wordpiece_defaults(!has_capitals(w->base.vocab));
        at_log(ATTEND_LOG_INFO, "%s: no tokenizer_config.json beside it; taken as %s by its pieces",
               at_show(path).text, w->options.lower ? "lower case" : "cased");
    }
    json_decref(config);
    return status < 0 ? status : at_wordpiece_ready(w, path, err);
}

attend_status at_wordpiece_load(const char *path, const at_wordpiece_options *options,
                                at_tokenizer **out, attend_error *err)
{
    at_wordpiece_options usual = at_wordpiece_defaults(true);
    at_wordpiece *w = at_wordpiece_new(options ? options : &usual);
    *out = NULL;
    if (!w)
        return at_error_memory(err);
    return at_tokenizer_hand_out(&w->base, fill(w, path, options != NULL, err), out);
}

static attend_status load(const char *path, at_tokenizer **out, attend_error *err)
{
    return at_wordpiece_load(path, NULL, out, err);
}

static attend_status save_lines(const at_vocab *v, const char *folder, attend_error *err)
{
    at_writer *file;
    char *path = at_file_join(folder, "vocab.txt");
    attend_status status = path ? at_writer_open(&file, path, err) : at_error_memory(err);
    at_free(path);
    if (status < 0)
        return status;
    for (int32_t id = 0; id < at_vocab_size(v); id++) {
        size_t size;
        const char *text = at_vocab_text(v, id, &size);
        at_writer_write(file, text, size);
        at_writer_write(file, "\n", 1);
    }
    return at_writer_commit(file, err);
}

static json_t *list_of(const at_vocab *words)
{
    json_t *list = json_array();
    for (int32_t i = 0; list && words && i < at_vocab_size(words); i++)
        if (json_array_append_new(list, json_string(at_vocab_text(words, i, NULL))) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static attend_status save(const at_tokenizer *t, const char *folder, attend_error *err)
{
    const at_wordpiece *w = (const at_wordpiece *)t;
    attend_status status = save_lines(t->vocab, folder, err);
    if (status < 0)
        return status;
    at_json_start();
    json_t *more = json_pack("{s:b, s:b, s:b, s:b, s:o}", "split_special_tokens",
                             (int)w->options.special_never, "do_lower_case", (int)w->options.lower,
                             "strip_accents", (int)w->options.strip_accents,
                             "tokenize_chinese_chars", (int)w->options.split_chinese, "never_split",
                             list_of(w->never_split));
    return more ? at_tokenizer_config_save(t, folder, "BertTokenizer", more, err)
                : at_error_memory(err);
}

/* ---- tokenizer.json --------------------------------------------------------------------- */

static void need_type(at_fields *f, const char *wanted)
{
    const char *type = at_field_string(f, "type", "");
    if (f->status >= 0 && strcmp(type, wanted) != 0)
        at_field_fail(f, "type", NULL, "%s, the only one known here", wanted);
}

static void read_options(at_fields *top, at_wordpiece_options *o)
{
    at_fields normal = at_fields_in(top, "normalizer");
    need_type(&normal, "BertNormalizer");
    if (!at_field_bool(&normal, "clean_text", true))
        at_field_fail(&normal, "clean_text", NULL, "true, as in BERT");
    o->lower = at_field_bool(&normal, "lowercase", true);
    o->strip_accents = at_field_bool(&normal, "strip_accents", o->lower);
    o->split_chinese = at_field_bool(&normal, "handle_chinese_chars", true);
    at_fields cut = at_fields_in(top, "pre_tokenizer");
    need_type(&cut, "BertPreTokenizer");
    at_fields model = at_fields_in(top, "model");
    o->max_chars = (int)at_field_int(&model, "max_input_chars_per_word", 100, 1,
                                     ATTEND_WORDPIECE_CHARS);
    const char *prefix = at_field_string(&model, "continuing_subword_prefix", "##");
    if (strlen(prefix) >= sizeof o->prefix)
        at_field_fail(&model, "continuing_subword_prefix", NULL, "shorter than %d bytes",
                      (int)sizeof o->prefix);
    else
        strcpy(o->prefix, prefix);
}

static attend_status fill_from_json(at_wordpiece *w, const json_t *root, const char *file,
                                    attend_error *err)
{
    at_tokenizer *t = &w->base;
    const json_t *model = json_object_get(root, "model");
    attend_status status = at_hf_read_vocab(t->vocab, json_object_get(model, "vocab"), file, err);
    if (status >= 0)
        status = at_hf_read_added(t, root, file, err);
    json_t *config = NULL;
    if (status >= 0)
        status = at_tokenizer_config_beside(file, &config, err);
    at_tokenizer_specials_from(t, config);
    json_decref(config);
    const json_t *unknown = json_object_get(model, "unk_token");
    if (status >= 0 && json_is_string(unknown))
        t->special[ATTEND_SPECIAL_UNK] = at_vocab_find(t->vocab, json_string_value(unknown),
                                                       json_string_length(unknown));
    return status < 0 ? status : at_wordpiece_ready(w, file, err);
}

static attend_status read(const json_t *root, const char *file, at_tokenizer **out,
                          attend_error *err)
{
    at_wordpiece_options options = at_wordpiece_defaults(true);
    at_fields top = at_fields_of(root, file, err);
    read_options(&top, &options);
    if (top.status < 0)
        return top.status;
    at_wordpiece *w = at_wordpiece_new(&options);
    if (!w)
        return at_error_memory(err);
    return at_tokenizer_hand_out(&w->base, fill_from_json(w, root, file, err), out);
}

/* [CLS] A [SEP] B [SEP], in Hugging Face's words */
static json_t *write_frame(const at_tokenizer *t)
{
    int32_t cls = t->frame.before, sep = t->frame.each;
    if (cls < 0 || sep < 0)
        return json_null();
    const char *c = at_vocab_text(t->vocab, cls, NULL), *s = at_vocab_text(t->vocab, sep, NULL);
    return json_pack("{s:s, s:[s,i], s:[s,i]}", "type", "BertProcessing", "sep", s, (int)sep, "cls",
                     c, (int)cls);
}

static json_t *write(const at_tokenizer *t)
{
    const at_wordpiece *w = (const at_wordpiece *)t;
    return json_pack(
        "{s:s, s:n, s:n, s:o, s:{s:s, s:b, s:b, s:b, s:b}, s:{s:s}, s:o, s:{s:s, s:s, s:b}, "
        "s:{s:s, s:s, s:s, s:i, s:o}}",
        "version", "1.0", "truncation", "padding", "added_tokens", at_hf_write_added(t),
        "normalizer", "type", "BertNormalizer", "clean_text", 1, "handle_chinese_chars",
        (int)w->options.split_chinese, "strip_accents", (int)w->options.strip_accents, "lowercase",
        (int)w->options.lower, "pre_tokenizer", "type", "BertPreTokenizer", "post_processor",
        write_frame(t), "decoder", "type", "WordPiece", "prefix", w->options.prefix, "cleanup", 1,
        "model", "type", "WordPiece", "unk_token",
        at_vocab_text(t->vocab, t->special[ATTEND_SPECIAL_UNK], NULL), "continuing_subword_prefix",
        w->options.prefix, "max_input_chars_per_word", w->options.max_chars, "vocab",
        at_hf_write_vocab(t->vocab));
}

/* ---- back to text ----------------------------------------------------------------------- */

/* Words from pieces, then blanks between them where written text has them. */
static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    const at_wordpiece *w = (const at_wordpiece *)t;
    size_t prefix = strlen(w->options.prefix), words = 0;
    at_spacing spacing = {.all_split = true, .wide = w->options.split_chinese};
    at_str text = {0};
    at_text *word = at_alloc((count + 1) * sizeof *word);
    size_t *start = at_alloc((count + 1) * sizeof *start);
    if (!word || !start)
        goto end;
    for (size_t i = 0; i < count; i++) {
        at_text p = tokens[i];
        bool more = words && p.size > prefix && memcmp(p.text, w->options.prefix, prefix) == 0;
        if (!more)
            start[words++] = text.length;
        at_str_add_bytes(&text, p.text + (more ? prefix : 0), p.size - (more ? prefix : 0));
    }
    start[words] = text.length;
    for (size_t i = 0; i < words && !text.failed; i++)
        word[i] = (at_text){at_str_text(&text) + start[i], start[i + 1] - start[i]};
    if (!text.failed)
        at_spacing_join(&spacing, word, words, out);
end:
    at_free(word);
    at_free(start);
    bool well = word && start && !text.failed;
    at_str_free(&text);
    return well ? ATTEND_OK : at_error_memory(err);
}

static const char *const found[] = {"vocab.txt", NULL};
static const char *const ends[] = {"vocab.txt", NULL};

const at_tokenizer_kind at_tokenizer_kind_wordpiece = {
    .name = "wordpiece",
    .what =
        "words cut into the longest known pieces, as BERT does; lower case and accents by model",
    .source = "Schuster and Nakajima 2012; Devlin et al. 2018",
    .files = "vocab.txt, tokenizer_config.json, tokenizer.json",
    .found = found,
    .ends = ends,
    .model = "WordPiece",
    .learns = ATTEND_LEARN_SIZE | ATTEND_LEARN_MIN_COUNT | ATTEND_LEARN_LOWER
              | ATTEND_LEARN_STRIP_ACCENTS | ATTEND_LEARN_SPLIT_CHINESE | ATTEND_LEARN_ALPHABET,
    .learn = at_wordpiece_learn,
    .load = load,
    .read = read,
    .write = write,
    .save = save,
    .encode = at_wordpiece_encode,
    .join = join,
    .free = free_wordpiece,
};
