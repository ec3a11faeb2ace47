/* Words: a vocabulary of the frequent ones, all others unknown. Where words end is in words_cut.c,
 * how the vocabulary is learned in words_learn.c, how words become text again in spacing.h. */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "text/hf_json.h"
#include "text/words.h"

/* ---- life ------------------------------------------------------------------------------- */

static at_words *empty(void)
{
    at_words *w = at_tokenizer_new(&at_tokenizer_kind_words, sizeof *w);
    if (!w)
        return NULL;
    w->cache = at_word_cache_new();
    w->spacing.marked = w->spacing.wide = true;
    if (!w->cache) {
        at_tokenizer_free(&w->base);
        return NULL;
    }
    return w;
}

at_words *at_words_new(void)
{
    at_words *w = empty();
    if (w && !at_tokenizer_add_plain(&w->base)) {
        at_tokenizer_free(&w->base);
        return NULL;
    }
    return w;
}

static void free_words(at_tokenizer *t)
{
    at_words *w = (at_words *)t;
    at_spacing_free(&w->spacing);
    at_word_cache_free(w->cache);
    at_free(w);
}

/* ---- the file --------------------------------------------------------------------------- */

static attend_status fill(at_words *w, const json_t *root, const char *file, attend_error *err)
{
    at_tokenizer *t = &w->base;
    at_fields top = at_fields_of(root, file, err), model = at_fields_in(&top, "model");
    w->lower = at_field_bool(&model, "lower", false);
    w->punctuation = at_field_bool(&model, "punctuation", true);
    w->split_chinese = at_field_bool(&model, "split_chinese", true);
    if (top.status < 0)
        return top.status;
    attend_status status = at_hf_read_vocab(t->vocab, json_object_get(model.object, "vocab"), file,
                                            err);
    if (status < 0 || (status = at_hf_check_whole(t->vocab, file, err)) < 0)
        return status;
    status = at_spacing_read(&w->spacing, json_object_get(model.object, "spacing"), file, err);
    return status < 0 ? status : at_tokenizer_find_plain(t, file, err);
}

static attend_status read(const json_t *root, const char *file, at_tokenizer **out,
                          attend_error *err)
{
    at_words *w = empty();
    if (!w)
        return at_error_memory(err);
    return at_tokenizer_hand_out(&w->base, fill(w, root, file, err), out);
}

static json_t *write(const at_tokenizer *t)
{
    const at_words *w = (const at_words *)t;
    return json_pack("{s:s, s:{s:s, s:b, s:b, s:b, s:o, s:o}}", "version", "1.0", "model", "type",
                     t->kind->model, "lower", (int)w->lower, "punctuation", (int)w->punctuation,
                     "split_chinese", (int)w->split_chinese, "spacing",
                     at_spacing_write(&w->spacing), "vocab", at_hf_write_vocab(t->vocab));
}

/* ---- there and back --------------------------------------------------------------------- */

typedef struct {
    const at_words *w;
    at_tokens *out;
    at_str text;
} sink;

/* The marked word, or the word without its marks, or unknown. */
static int32_t id_of(sink *to, const at_word *word)
{
    const at_tokenizer *t = &to->w->base;
    int32_t id = -1;
    if (word->mark_left || word->mark_right) {
        at_str_clear(&to->text);
        at_word_spell(word, &to->text);
        id = to->text.failed ? -1 : at_vocab_find(t->vocab, to->text.text, to->text.length);
    }
    if (id < 0)
        id = at_vocab_find(t->vocab, word->text.text, word->text.size);
    return id < 0 || at_tokenizer_is_special(t, id) ? t->special[ATTEND_SPECIAL_UNK] : id;
}

static void add_word(void *user, const at_word *word)
{
    sink *to = user;
    at_tokens_add(to->out, id_of(to, word), word->begin, word->end);
}

static attend_status encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err)
{
    sink to = {.w = (const at_words *)t, .out = out};
    at_words_cutter c;
    size_t next;
    (void)err;
    at_words_start(&c, to.w, add_word, &to);
    for (size_t begin = 0; begin < size && !out->failed; begin = next) {
        size_t end = at_words_chunk(text, begin, size, &next), first = out->count, invalid = 0;
        if (end == begin
            || at_word_cache_tokens(to.w->cache, text + begin, end - begin, begin, out))
            continue;
        if (!at_words_cut(&c, text, begin, end, &invalid))
            out->failed = true;
        out->invalid += invalid;
        if (!invalid)
            at_word_cache_keep(to.w->cache, text + begin, end - begin, begin, out, first);
    }
    out->failed |= to.text.failed;
    at_str_free(&to.text);
    at_words_end(&c);
    return ATTEND_OK;
}

typedef struct {
    const at_tokenizer *t;
    const at_tokens *tokens;
    size_t at; /* the next of them */
    at_str *out;
    size_t *end;
} speller;

/* Pieces that stand for nothing in the text, up to one that does. */
static void spell_frame(speller *s)
{
    for (; s->at < s->tokens->count; s->at++) {
        const at_token *p = &s->tokens->item[s->at];
        if (p->begin < p->end)
            return;
        at_spell_known(s->t, p, s->out);
        s->end[s->at] = s->out->length;
    }
}

/* Words come in the order of the pieces, one for one. */
static void spell_word(void *user, const at_word *word)
{
    speller *s = user;
    spell_frame(s);
    if (s->at >= s->tokens->count)
        return;
    if (!at_spell_known(s->t, &s->tokens->item[s->at], s->out))
        at_word_spell(word, s->out);
    s->end[s->at++] = s->out->length;
}

/* The marks of a word depend on what stands close to it: the text is cut again. */
static void spell(const at_tokenizer *t, const char *text, size_t size, const at_tokens *p,
                  at_str *out, size_t *end)
{
    speller s = {.t = t, .tokens = p, .out = out, .end = end};
    size_t next, invalid = 0;
    at_words_cutter c;
    at_words_start(&c, (const at_words *)t, spell_word, &s);
    for (size_t begin = 0; begin < size && !out->failed; begin = next) {
        size_t stop = at_words_chunk(text, begin, size, &next);
        if (stop > begin && !at_words_cut(&c, text, begin, stop, &invalid))
            out->failed = true;
    }
    at_words_end(&c);
    spell_frame(&s);
    for (; s.at < p->count; s.at++) /* pieces of another text, or no memory */
        end[s.at] = out->length;
}

static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    const at_words *w = (const at_words *)t;
    at_spacing spacing = w->spacing;
    (void)err;
    spacing.plain = !w->punctuation;
    spacing.marked = w->punctuation;
    spacing.wide = w->split_chinese;
    at_spacing_join(&spacing, tokens, count, out);
    return ATTEND_OK;
}

bool at_tokenizer_by_blanks(const at_tokenizer *t)
{
    return t->kind == &at_tokenizer_kind_words && !((const at_words *)t)->punctuation;
}

const char *at_tokenizer_cutting(const at_tokenizer *t)
{
    if (t->kind != &at_tokenizer_kind_words)
        return NULL;
    return at_tokenizer_by_blanks(t)
               ? "tokenised already: spaces separate its words; --pretokenised no splits them "
                 "further"
               : "not tokenised yet: punctuation is split from words";
}

const at_tokenizer_kind at_tokenizer_kind_words = {
    .name = "words",
    .what = "words between white space, punctuation cut off, Chinese and Japanese by character",
    .source = "Koehn et al. 2007 (Moses), for the punctuation",
    .files = "tokenizer.json",
    .model = "words",
    .learns = ATTEND_LEARN_SIZE | ATTEND_LEARN_MIN_COUNT | ATTEND_LEARN_LOWER
              | ATTEND_LEARN_SPLIT_CHINESE | ATTEND_LEARN_PRETOKENISED,
    .learn = at_words_learn,
    .read = read,
    .write = write,
    .encode = encode,
    .join = join,
    .spell = spell,
    .free = free_words,
};
