/* What all kinds of tokenizers share: the list, encoding and decoding around a kind's own, special
 * pieces. */
#include "text/tokenizer.h"

#include <string.h>

#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"

const at_tokenizer_kind *const at_tokenizer_kinds[] = {
#define TOKENIZER(name) &at_tokenizer_kind_##name,
#include "text/tokenizers.def"
#undef TOKENIZER
};
const int at_tokenizer_kind_count = (int)(sizeof at_tokenizer_kinds / sizeof *at_tokenizer_kinds);

const at_tokenizer_kind *at_tokenizer_kind_find(const char *name)
{
    for (int i = 0; i < at_tokenizer_kind_count; i++)
        if (strcmp(at_tokenizer_kinds[i]->name, name) == 0)
            return at_tokenizer_kinds[i];
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------- */

void *at_tokenizer_new(const at_tokenizer_kind *kind, size_t bytes)
{
    at_tokenizer *t = at_alloc_zero(1, bytes);
    if (!t)
        return NULL;
    t->kind = kind;
    t->vocab = at_vocab_new();
    t->frame = (at_frame){-1, -1, -1, -1};
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        t->special[i] = -1;
    if (!t->vocab) {
        at_free(t);
        return NULL;
    }
    return t;
}

void at_tokenizer_free(at_tokenizer *t)
{
    if (!t)
        return;
    at_vocab_free(t->vocab);
    at_added_tokens_free(&t->added);
    t->kind->free(t);
}

attend_status at_tokenizer_hand_out(at_tokenizer *t, attend_status status, at_tokenizer **out)
{
    if (status < 0)
        at_tokenizer_free(t);
    else
        *out = t;
    return status;
}

int32_t at_tokenizer_size(const at_tokenizer *t) { return at_vocab_size(t->vocab); }

/* ---- special pieces --------------------------------------------------------------------- */

const char *const at_special_names[ATTEND_SPECIALS] = {
    [ATTEND_SPECIAL_PAD] = "pad_token",  [ATTEND_SPECIAL_UNK] = "unk_token",
    [ATTEND_SPECIAL_BOS] = "bos_token",  [ATTEND_SPECIAL_EOS] = "eos_token",
    [ATTEND_SPECIAL_CLS] = "cls_token",  [ATTEND_SPECIAL_SEP] = "sep_token",
    [ATTEND_SPECIAL_MASK] = "mask_token"};

int32_t at_tokenizer_pad(const at_tokenizer *t)
{
    int32_t pad = t->special[ATTEND_SPECIAL_PAD], end = t->special[ATTEND_SPECIAL_EOS];
    return pad >= 0 ? pad : end >= 0 ? end : 0;
}

bool at_tokenizer_is_special(const at_tokenizer *t, int32_t id)
{
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        if (id >= 0 && t->special[i] == id)
            return true;
    return at_added_tokens_is_special(&t->added, id);
}

bool at_tokenizer_add_special(at_tokenizer *t, at_special which, const char *text)
{
    t->special[which] = at_vocab_add(t->vocab, text, strlen(text));
    return t->special[which] >= 0;
}

static const struct {
    at_special which;
    const char *text;
} plain[] = {{ATTEND_SPECIAL_PAD, "<pad>"},
             {ATTEND_SPECIAL_UNK, "<unk>"},
             {ATTEND_SPECIAL_BOS, "<bos>"},
             {ATTEND_SPECIAL_EOS, "<eos>"}};

enum { PLAIN = sizeof plain / sizeof *plain };

bool at_tokenizer_add_plain(at_tokenizer *t)
{
    bool well = true;
    for (int i = 0; i < PLAIN && well; i++)
        well = at_tokenizer_add_special(t, plain[i].which, plain[i].text);
    t->frame.each = t->special[ATTEND_SPECIAL_EOS];
    return well;
}

attend_status at_tokenizer_find_plain(at_tokenizer *t, const char *file, attend_error *err)
{
    for (int i = 0; i < PLAIN; i++) {
        int32_t id = at_vocab_find(t->vocab, plain[i].text, strlen(plain[i].text));
        if (id < 0)
            return at_error(err, ATTEND_FORMAT, "%s: has no piece %s; its vocabulary is damaged",
                            at_show(file).text, plain[i].text);
        t->special[plain[i].which] = id;
    }
    t->frame.each = t->special[ATTEND_SPECIAL_EOS];
    return ATTEND_OK;
}

void at_tokenizer_specials_from(at_tokenizer *t, const json_t *object)
{
    for (int i = 0; i < ATTEND_SPECIALS; i++) {
        const json_t *value = json_object_get(object, at_special_names[i]);
        if (json_is_object(value))
            value = json_object_get(value, "content");
        if (json_is_string(value))
            t->special[i] = at_vocab_find(t->vocab, json_string_value(value),
                                          json_string_length(value));
        else if (json_is_null(value))
            t->special[i] = -1;
    }
}

bool at_tokenizer_mark_specials(at_tokenizer *t)
{
    for (int i = 0; i < ATTEND_SPECIALS; i++) {
        size_t size;
        if (t->special[i] < 0)
            continue;
        const char *text = at_vocab_text(t->vocab, t->special[i], &size);
        if (size && !at_added_tokens_put(&t->added, text, size, t->special[i], true))
            return false;
    }
    return true;
}

/* ---- encoding --------------------------------------------------------------------------- */

attend_status at_encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                        attend_error *err)
{
    size_t first = out->count;
    if (size > ATTEND_TEXT_MAX)
        return at_error(err, ATTEND_FORMAT,
                        "a text of %zu bytes is longer than the %d allowed; split it into lines",
                        size, (int)ATTEND_TEXT_MAX);
    attend_status status = t->kind->encode(t, text, size, out, err);
    if (status >= 0 && out->failed)
        status = at_error_memory(err);
    if (status >= 0)
        at_tokens_number_words(out, first, text, size);
    return status;
}

static void add_framing(at_tokens *out, int32_t id)
{
    if (id >= 0)
        at_tokens_add(out, id, 0, 0);
}

attend_status at_encode_framed(const at_tokenizer *t, const char *a, size_t a_size, const char *b,
                               size_t b_size, at_tokens *out, size_t *second, attend_error *err)
{
    add_framing(out, t->frame.before);
    attend_status status = at_encode(t, a, a_size, out, err);
    add_framing(out, t->frame.each);
    if (b)
        add_framing(out, t->frame.between);
    if (second)
        *second = out->count;
    if (status >= 0 && b) {
        status = at_encode(t, b, b_size, out, err);
        add_framing(out, t->frame.each);
    }
    add_framing(out, t->frame.after);
    return status < 0 ? status : out->failed ? at_error_memory(err) : ATTEND_OK;
}

bool at_spell_known(const at_tokenizer *t, const at_token *p, at_str *out)
{
    size_t length;
    if (p->id == t->special[ATTEND_SPECIAL_UNK] && p->begin < p->end)
        return false;
    const char *token = at_vocab_text(t->vocab, p->id, &length);
    at_str_add_bytes(out, token, length);
    return true;
}

void at_spell(const at_tokenizer *t, const char *text, size_t size, const at_tokens *p, at_str *out,
              size_t *end)
{
    if (t->kind->spell) {
        t->kind->spell(t, text, size, p, out, end);
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        const at_token *a = &p->item[i];
        if (!at_spell_known(t, a, out))
            at_str_add_bytes(out, text + a->begin, a->end - a->begin);
        end[i] = out->length;
    }
}

bool at_tokenizer_shows(const at_tokenizer *t, int32_t id)
{
    if (id == t->special[ATTEND_SPECIAL_UNK])
        return !t->kind->drops_unknown;
    return !at_tokenizer_is_special(t, id);
}

/* ---- decoding --------------------------------------------------------------------------- */

attend_status at_join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                      attend_error *err)
{
    attend_status status = t->kind->join(t, tokens, count, out, err);
    return status >= 0 && out->failed ? at_error_memory(err) : status;
}

/* Texts of the ids that show; *count becomes how many they are. */
static attend_status texts_of(const at_tokenizer *t, const int32_t *ids, size_t *count,
                              at_decoding how, at_text *texts, attend_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < *count; i++) {
        if (ids[i] < 0 || ids[i] >= at_tokenizer_size(t))
            return at_error(err, ATTEND_OPTION,
                            "id %d is not in the vocabulary, whose ids are 0 to %d; it is of "
                            "another tokenizer",
                            ids[i], at_tokenizer_size(t) - 1);
        if (how == ATTEND_DECODE_PLAIN && !at_tokenizer_shows(t, ids[i]))
            continue;
        texts[n].text = at_vocab_text(t->vocab, ids[i], &texts[n].size);
        n++;
    }
    *count = n;
    return ATTEND_OK;
}

attend_status at_decode(const at_tokenizer *t, const int32_t *ids, size_t count, at_decoding how,
                        at_str *out, attend_error *err)
{
    size_t bytes;
    at_text *texts = NULL;
    if (!count)
        return ATTEND_OK;
    if (at_size_multiply(count, sizeof *texts, &bytes))
        texts = at_alloc(bytes);
    if (!texts)
        return at_error_memory(err);
    attend_status status = texts_of(t, ids, &count, how, texts, err);
    if (status >= 0)
        status = at_join(t, texts, count, out, err);
    at_free(texts);
    return status;
}

/* ---- learning --------------------------------------------------------------------------- */

void attend_learn_defaults(attend_learn_options *o)
{
    *o = (attend_learn_options){.size = sizeof *o,
                                .vocabulary = -1,
                                .min_count = -1,
                                .lower = -1,
                                .strip_accents = -1,
                                .split_chinese = -1,
                                .pretokenised = -1,
                                .alphabet = -1};
}

static attend_status check_options(const at_tokenizer_kind *kind, const attend_learn_options *o,
                                   attend_error *err)
{
    const struct {
        unsigned bit;
        bool set;
        const char *name;
    } given[] = {
        {ATTEND_LEARN_SIZE, o->vocabulary >= 0, "vocabulary"},
        {ATTEND_LEARN_MIN_COUNT, o->min_count >= 0, "min-count"},
        {ATTEND_LEARN_LOWER, o->lower >= 0, "lower"},
        {ATTEND_LEARN_STRIP_ACCENTS, o->strip_accents >= 0, "strip-accents"},
        {ATTEND_LEARN_SPLIT_CHINESE, o->split_chinese >= 0, "split-chinese"},
        {ATTEND_LEARN_PRETOKENISED, o->pretokenised >= 0, "pretokenised"},
        {ATTEND_LEARN_ALPHABET, o->alphabet >= 0, "alphabet"},
        {ATTEND_LEARN_COVERAGE, o->coverage > 0, "coverage"},
        {ATTEND_LEARN_MODEL, o->model != NULL, "model"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].set && !(kind->learns & given[i].bit))
            return at_error(err, ATTEND_OPTION,
                            "a tokenizer of the kind %s has no option %s; leave it out", kind->name,
                            given[i].name);
    return ATTEND_OK;
}

attend_status at_tokenizer_kind_check(const char *name, attend_error *err)
{
    if (at_tokenizer_kind_find(name))
        return ATTEND_OK;
    at_guess guess = {.word = name};
    at_str all = {0};
    for (int i = 0; i < at_tokenizer_kind_count; i++) {
        const char *kind = at_tokenizer_kinds[i]->name;
        at_guess_consider(&guess, kind, strlen(kind));
        at_str_print(&all, "%s%s", i ? ", " : "", kind);
    }
    attend_status status = at_error(err, ATTEND_OPTION, "there is no tokenizer \"%.40s\"; %s%s%s",
                                    name, *guess.best ? "did you mean " : "there are ",
                                    *guess.best ? guess.best : at_str_text(&all),
                                    *guess.best ? "?" : "");
    at_str_free(&all);
    return status;
}

attend_status at_tokenizer_learn(const char *name, at_line_source lines,
                                 const attend_learn_options *options, at_tokenizer **out,
                                 attend_error *err)
{
    const at_tokenizer_kind *kind = at_tokenizer_kind_find(name);
    attend_learn_options defaults;
    *out = NULL;
    if (!kind)
        return at_tokenizer_kind_check(name, err);
    if (!kind->learn)
        return at_error(err, ATTEND_OPTION,
                        "a tokenizer of the kind %s comes with its model and cannot be learned; "
                        "choose sentencepiece",
                        name);
    attend_learn_defaults(&defaults);
    attend_status status = check_options(kind, options ? options : &defaults, err);
    return status < 0 ? status : kind->learn(lines, options ? options : &defaults, out, err);
}
