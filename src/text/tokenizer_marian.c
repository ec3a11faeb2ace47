/* Marian's tokenizer, as the Hugging Face hub has it: SentencePiece cuts the text, and vocab.json
 * has the ids of its tokens.
 *
 *     source.spm, target.spm           one of the two: the SentencePiece model of this side
 *     vocab.json, target_vocab.json    {"token": id, ..}; target_vocab.json, where it is there, is
 *                                      that of target.spm
 *
 * A language code, such as >>fra<<, is one token where a text begins with it, and removed
 * elsewhere: all that ">>.+<<" matches within a line, as far as it goes. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/marian.h"
#include "text/sentencepiece.h"
#include "text/spiece_check.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

enum { MODEL_MAX = 1 << 28, VOCABULARY_MAX = 1 << 24 };

typedef struct {
    at_tokenizer base;
    at_spiece *spiece;
    char *model; /* the bytes of the .spm */
    size_t model_size;
    bool target; /* target.spm */
} marian;

static void free_marian(at_tokenizer *t)
{
    marian *m = (marian *)t;
    at_spiece_free(m->spiece);
    at_free(m->model);
    at_free(m);
}

/* ---- files ---------------------------------------------------------------------------------- */

static attend_status bad_id(const char *file, const char *token, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT,
                    "%s: the id of '%.60s' is not one of 0 to the number of tokens, each once; "
                    "restore the file",
                    at_show(file).text, token);
}

/* Texts by their ids. */
static attend_status sort_tokens(const json_t *root, const char *file, size_t n, const char **text,
                                 attend_error *err)
{
    for (void *i = json_object_iter((json_t *)root); i;
         i = json_object_iter_next((json_t *)root, i)) {
        const json_t *value = json_object_iter_value(i);
        json_int_t id = json_is_integer(value) ? json_integer_value(value) : -1;
        if (id < 0 || id >= (json_int_t)n || text[id])
            return bad_id(file, json_object_iter_key(i), err);
        text[id] = json_object_iter_key(i);
    }
    return ATTEND_OK;
}

static attend_status read_vocabulary(marian *m, const json_t *root, const char *file,
                                     attend_error *err)
{
    size_t n = json_object_size(root);
    if (!json_is_object(root) || !n || n > VOCABULARY_MAX)
        return at_error(err, ATTEND_FORMAT,
                        "%s: must be an object of tokens and their ids, {\"token\": 0, ..}; "
                        "restore the file",
                        at_show(file).text);
    const char **text = at_alloc_zero(n, sizeof *text);
    attend_status status = text ? sort_tokens(root, file, n, text, err) : at_error_memory(err);
    for (size_t i = 0; i < n && status >= 0; i++)
        if (at_vocab_append(m->base.vocab, text[i], strlen(text[i])) < 0)
            status = at_error_memory(err);
    at_free(text);
    return status;
}

static attend_status find_specials(at_tokenizer *t, const json_t *config, const char *file,
                                   attend_error *err)
{
    static const struct {
        at_special which;
        const char *text;
    } specials[] = {
        {ATTEND_SPECIAL_EOS, "</s>"}, {ATTEND_SPECIAL_UNK, "<unk>"}, {ATTEND_SPECIAL_PAD, "<pad>"}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        t->special[specials[i].which] = at_vocab_find(t->vocab, specials[i].text,
                                                      strlen(specials[i].text));
    if (config)
        at_tokenizer_specials_from(t, config);
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (t->special[specials[i].which] < 0)
            return at_error(err, ATTEND_FORMAT, "%s: the token %s is missing; restore the file",
                            at_show(file).text, specials[i].text);
    t->special[ATTEND_SPECIAL_BOS] = t->special[ATTEND_SPECIAL_PAD];
    t->frame = (at_frame){-1, t->special[ATTEND_SPECIAL_EOS], -1, -1};
    return at_tokenizer_mark_specials(t) ? ATTEND_OK : at_error_memory(err);
}

/* the file `name` beside the one at path; NULL without memory */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, size = strlen(name) + 1;
    char *out = at_alloc(folder + size);
    if (!out)
        return NULL;
    memcpy(out, path, folder);
    memcpy(out + folder, name, size);
    return out;
}

/* vocab.json, or the target's own; NULL without memory */
static char *vocabulary_path(const marian *m, const char *path)
{
    char *own = m->target ? beside(path, "target_vocab.json") : NULL;
    if (own && at_file_exists(own))
        return own;
    at_free(own);
    return beside(path, "vocab.json");
}

static attend_status load_parts(marian *m, const char *path, attend_error *err)
{
    json_t *root = NULL, *config = NULL;
    char *file = vocabulary_path(m, path);
    attend_status status = file ? at_file_read(path, MODEL_MAX, &m->model, &m->model_size, err)
                                : at_error_memory(err);
    at_shown name = at_show(path);
    if (status >= 0 && (status = at_spiece_check(m->model, m->model_size, name.text, err)) >= 0
        && (status = at_spiece_load(m->model, m->model_size, name.text, &m->spiece, err)) >= 0
        && (status = at_json_load(file, &root, err)) >= 0
        && (status = read_vocabulary(m, root, file, err)) >= 0
        && (status = at_tokenizer_config_beside(path, &config, err)) >= 0)
        status = find_specials(&m->base, config, file, err);
    json_decref(root);
    json_decref(config);
    at_free(file);
    return status;
}

static attend_status load(const char *path, at_tokenizer **out, attend_error *err)
{
    marian *m = at_tokenizer_new(&at_tokenizer_kind_marian, sizeof *m);
    *out = NULL;
    if (!m)
        return at_error_memory(err);
    m->target = at_file_ends(path, "target.spm");
    return at_tokenizer_hand_out(&m->base, load_parts(m, path, err), out);
}

static attend_status save_vocabulary(const at_tokenizer *t, const char *folder, const char *name,
                                     attend_error *err)
{
    at_json_start();
    json_t *root = json_object();
    for (int32_t i = 0; root && i < at_vocab_size(t->vocab); i++)
        if (json_object_set_new(root, at_vocab_text(t->vocab, i, NULL), json_integer(i)) < 0) {
            json_decref(root);
            root = NULL;
        }
    char *path = root ? at_file_join(folder, name) : NULL;
    attend_status status = path ? at_json_save(path, root, err) : at_error_memory(err);
    json_decref(root);
    at_free(path);
    return status;
}

static attend_status save_model(const char *model, size_t size, const char *folder,
                                const char *name, attend_error *err)
{
    char *path = at_file_join(folder, name);
    at_writer *w;
    attend_status status = path ? at_writer_open(&w, path, err) : at_error_memory(err);
    at_free(path);
    if (status < 0)
        return status;
    at_writer_write(w, model, size);
    return at_writer_commit(w, err);
}

static attend_status save(const at_tokenizer *t, const char *folder, attend_error *err)
{
    const marian *m = (const marian *)t;
    attend_status status = save_model(m->model, m->model_size, folder,
                                      m->target ? "target.spm" : "source.spm", err);
    if (status >= 0)
        status = save_vocabulary(t, folder, "vocab.json", err);
    json_t *more = status < 0 ? NULL : json_pack("{s:b}", "separate_vocabs", 0);
    return status < 0 ? status : at_tokenizer_config_save(t, folder, "MarianTokenizer", more, err);
}

/* ---- tokenizers of a model that was trained here --------------------------------------------- */

static attend_status write_side(const at_tokenizer *t, const char *folder, const char *name,
                                const char *vocabulary, attend_error *err)
{
    const at_sentencepiece *s = (const at_sentencepiece *)t;
    const marian *m = (const marian *)t;
    bool plain = t->kind == &at_tokenizer_kind_sentencepiece && s->class == ATTEND_SPIECE_PLAIN;
    if (!plain && t->kind != &at_tokenizer_kind_marian)
        return at_error(err, ATTEND_OPTION,
                        "the tokenizer is of the kind %s, and Marian's models have SentencePiece; "
                        "train with --tokenizer sentencepiece",
                        t->kind->name);
    attend_status status = plain ? save_model(s->model, s->model_size, folder, name, err)
                                 : save_model(m->model, m->model_size, folder, name, err);
    return status < 0 || !vocabulary ? status : save_vocabulary(t, folder, vocabulary, err);
}

static attend_status write_config(const at_tokenizer *t, const char *folder, bool separate,
                                  attend_error *err)
{
    static const at_special names[] = {ATTEND_SPECIAL_EOS, ATTEND_SPECIAL_UNK, ATTEND_SPECIAL_PAD};
    at_json_start();
    json_t *root = json_pack("{s:s, s:b}", "tokenizer_class", "MarianTokenizer", "separate_vocabs",
                             (int)separate);
    for (size_t i = 0; root && i < sizeof names / sizeof *names; i++) {
        int32_t id = t->special[names[i]];
        if (id >= 0)
            json_object_set_new(root, at_special_names[names[i]],
                                json_string(at_vocab_text(t->vocab, id, NULL)));
    }
    char *path = at_file_join(folder, "tokenizer_config.json");
    bool made = root && path && !at_json_starved();
    attend_status status = made ? at_json_save(path, root, err) : at_error_memory(err);
    json_decref(root);
    at_free(path);
    return status;
}

attend_status at_marian_write(const at_tokenizer *source, const at_tokenizer *target,
                              const char *folder, attend_error *err)
{
    bool separate = source != target;
    attend_status status = write_side(source, folder, "source.spm", "vocab.json", err);
    if (status >= 0)
        status = write_side(target, folder, "target.spm", separate ? "target_vocab.json" : NULL,
                            err);
    return status < 0 ? status : write_config(source, folder, separate, err);
}

/* ---- language codes ------------------------------------------------------------------------- */

/* The first ">>.+<<" of a text from `from` on; false where there is none. */
static bool find_code(const char *text, size_t size, size_t from, size_t *begin, size_t *end)
{
    for (size_t i = from; i + 5 <= size; i++) {
        if (text[i] != '>' || text[i + 1] != '>')
            continue;
        const char *line = memchr(text + i, '\n', size - i);
        size_t last = line ? (size_t)(line - text) : size;
        for (size_t e = last; e >= i + 5; e--)
            if (text[e - 1] == '<' && text[e - 2] == '<') {
                *begin = i;
                *end = e;
                return true;
            }
    }
    return false;
}

/* a text without its language codes, and where each byte of it was */
typedef struct {
    at_str text;
    size_t *place; /* [text.length + 1] */
} plain_text;

static bool remove_codes(const char *text, size_t size, plain_text *p)
{
    size_t begin, end, from = 0;
    p->place = at_alloc((size + 1) * sizeof *p->place);
    if (!p->place)
        return false;
    while (from <= size) {
        bool found = find_code(text, size, from, &begin, &end);
        size_t until = found ? begin : size;
        for (size_t i = from; i < until; i++)
            p->place[p->text.length + (i - from)] = i;
        at_str_add_bytes(&p->text, text + from, until - from);
        from = found ? end : size + 1;
    }
    p->place[p->text.length] = size;
    return !p->text.failed;
}

/* ---- encoding ------------------------------------------------------------------------------- */

typedef struct {
    const marian *m;
    const size_t *place;
    size_t start; /* of the stretch in the whole text */
    at_tokens *out;
} encoder;

static int32_t id_of(const marian *m, const char *text, size_t size)
{
    int32_t id = at_vocab_find(m->base.vocab, text, size);
    return id < 0 ? m->base.special[ATTEND_SPECIAL_UNK] : id;
}

static void take_token(void *user, const at_spiece_token *p)
{
    const encoder *e = user;
    size_t begin = e->place ? e->place[p->begin] : p->begin;
    size_t end = !e->place ? p->end : p->end > p->begin ? e->place[p->end - 1] + 1 : begin;
    at_tokens_add(e->out, id_of(e->m, p->text, p->size), e->start + begin, e->start + end);
}

/* a stretch of text between special tokens */
static attend_status encode_stretch(const marian *m, const char *text, size_t size, size_t start,
                                    at_tokens *out, attend_error *err)
{
    size_t begin, end;
    encoder e = {.m = m, .start = start, .out = out};
    if (!size)
        return ATTEND_OK;
    if (!find_code(text, size, 0, &begin, &end))
        return at_spiece_encode(m->spiece, text, size, take_token, &e, err);
    plain_text p = {.place = NULL};
    if (begin == 0)
        at_tokens_add(out, id_of(m, text, end), start, start + end);
    attend_status status = ATTEND_OK;
    if (!remove_codes(text, size, &p))
        status = at_error_memory(err);
    e.place = p.place;
    if (status >= 0)
        status = at_spiece_encode(m->spiece, at_str_text(&p.text), p.text.length, take_token, &e,
                                  err);
    at_str_free(&p.text);
    at_free(p.place);
    return status;
}

/* [*begin,*end) without white space at the ends that touch a special token */
static void strip(const char *text, size_t *begin, size_t *end, bool left, bool right)
{
    int n;
    while (left && *begin < *end && (n = at_space_at(text + *begin, *end - *begin)) > 0)
        *begin += (size_t)n;
    while (right && *end > *begin) {
        size_t at = *end - 1;
        while (at > *begin && ((unsigned char)text[at] & 0xC0) == 0x80)
            at--;
        n = at_space_at(text + at, *end - at);
        if (n <= 0 || at + (size_t)n != *end)
            return;
        *end = at;
    }
}

static attend_status encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err)
{
    const marian *m = (const marian *)t;
    attend_status status = ATTEND_OK;
    out->invalid += at_utf8_count_invalid(text, size);
    for (size_t from = 0; from <= size && status >= 0;) {
        size_t length = 0;
        int32_t id = -1;
        size_t at = at_added_tokens_next(&t->added, text, size, from, &length, &id);
        size_t begin = from, end = at;
        strip(text, &begin, &end, from > 0, at < size);
        status = encode_stretch(m, text + begin, end - begin, begin, out, err);
        if (at < size)
            at_tokens_add(out, id, at, at + length);
        from = at < size ? at + length : size + 1;
    }
    return status;
}

/* ---- decoding ------------------------------------------------------------------------------- */

static attend_status join_some(const marian *m, const at_text *tokens, size_t count, at_str *out,
                               attend_error *err)
{
    const char **text = at_alloc((count + 1) * sizeof *text);
    size_t *size = at_alloc((count + 1) * sizeof *size);
    attend_status status = text && size ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        text[i] = tokens[i].text;
        size[i] = tokens[i].size;
    }
    if (status >= 0 && count)
        status = at_spiece_decode(m->spiece, text, size, count, out, err);
    at_free(text);
    at_free(size);
    return status;
}

static bool is_special(const at_tokenizer *t, at_text token)
{
    int32_t id = at_vocab_find(t->vocab, token.text, token.size);
    return id >= 0 && at_tokenizer_is_special(t, id);
}

/* Special tokens are not SentencePiece's: each as it is, with a space after it. */
static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    const marian *m = (const marian *)t;
    at_str text = {0};
    attend_status status = ATTEND_OK;
    for (size_t i = 0, from = 0; i <= count && status >= 0; i++) {
        bool special = i < count && is_special(t, tokens[i]);
        if (i < count && !special)
            continue;
        status = join_some(m, tokens + from, i - from, &text, err);
        from = i + 1;
        if (special) {
            at_str_add_bytes(&text, tokens[i].text, tokens[i].size);
            at_str_add(&text, " ");
        }
    }
    size_t begin = 0, end = text.length;
    strip(at_str_text(&text), &begin, &end, true, true);
    at_str_add_bytes(out, at_str_text(&text) + begin, end - begin);
    out->failed |= text.failed;
    at_str_free(&text);
    return status;
}

static const char *const found[] = {"source.spm", "target.spm", NULL};

const at_tokenizer_kind at_tokenizer_kind_marian = {
    .name = "marian",
    .what = "SentencePiece with the ids of vocab.json and language codes >>xx<<: Opus-MT",
    .source = "Junczys-Dowmunt et al. 2018",
    .files = "source.spm, target.spm, vocab.json, target_vocab.json",
    .found = found,
    .drops_unknown = true,
    .load = load,
    .save = save,
    .encode = encode,
    .join = join,
    .free = free_marian,
};
