#include "data/tagged_words.h"

#include "base/file.h"
#include "base/memory.h"
#include "data/format.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* ---- words ---------------------------------------------------------------------------------- */

static attend_status keep_word(at_tagged_words *w, at_text word, attend_error *err)
{
    if ((size_t)w->words == w->capacity[1]) {
        size_t capacity = w->capacity[1] ? 2 * w->capacity[1] : 64;
        at_text *grown = at_realloc(w->text, w->capacity[1] * sizeof *grown,
                                    capacity * sizeof *grown);
        if (!grown)
            return at_error_memory(err);
        w->text = grown;
        w->capacity[1] = capacity;
    }
    w->text[w->words++] = word;
    return ATTEND_OK;
}

static attend_status find_words(at_tagged_words *w, at_text text, attend_error *err)
{
    attend_status status = ATTEND_OK;
    w->words = 0;
    for (size_t i = 0; i < text.size && status >= 0;) {
        size_t begin = i;
        while (i < text.size && !is_space(text.text[i]))
            i++;
        if (i > begin)
            status = keep_word(w, (at_text){text.text + begin, i - begin}, err);
        i += i == begin;
    }
    return status;
}

/* The first token that has a byte of a word stands for it. */
static attend_status align(at_tagged_words *w, at_text text, attend_error *err)
{
    size_t n = w->tokens.count + 1;
    if (n > w->capacity[0]) {
        int *grown = at_realloc(w->word, w->capacity[0] * sizeof *grown, n * sizeof *grown);
        if (!grown)
            return at_error_memory(err);
        w->word = grown;
        w->capacity[0] = n;
    }
    int next = 0; /* the first word that has no token yet */
    for (size_t i = 0; i < w->tokens.count; i++) {
        const at_token *t = &w->tokens.item[i];
        w->word[i] = -1;
        while (next < w->words
               && t->begin >= (size_t)(w->text[next].text - text.text) + w->text[next].size)
            next++; /* none of its bytes made a token */
        if (next < w->words && t->end > (size_t)(w->text[next].text - text.text)
            && t->end > t->begin)
            w->word[i] = next++;
    }
    return ATTEND_OK;
}

attend_status at_tagged_words_read(at_tagged_words *w, const at_tokenizer *t, int limit,
                                   at_text text, attend_error *err)
{
    const at_frame *f = &t->frame;
    w->tokenizer = t;
    w->room = limit - (f->before >= 0) - (f->each >= 0) - (f->after >= 0);
    if (w->room < 1)
        return at_error(err, ATTEND_OPTION, "max-length: %d tokens leave no room for words", limit);
    at_tokens_clear(&w->tokens);
    attend_status status = at_encode(t, text.text, text.size, &w->tokens, err);
    if (status >= 0)
        status = find_words(w, text, err);
    return status < 0 ? status : align(w, text, err);
}

void at_tagged_words_free(at_tagged_words *w)
{
    at_tokens_free(&w->tokens);
    at_free(w->word);
    at_free(w->text);
}

/* ---- chunks --------------------------------------------------------------------------------- */

int at_tagged_words_end(const at_tagged_words *w, int from)
{
    int count = (int)w->tokens.count, end = from + w->room;
    if (end >= count)
        return count;
    for (int i = end; i > from; i--)
        if (w->word[i] >= 0)
            return i;
    return end; /* in the middle of a long word */
}

void at_tagged_words_put(const at_tagged_words *w, int from, int to, at_tokens *out, int *first)
{
    const at_frame *f = &w->tokenizer->frame;
    if (f->before >= 0)
        at_tokens_add(out, f->before, 0, 0);
    *first = (int)out->count;
    for (int i = from; i < to; i++)
        at_tokens_add(out, w->tokens.item[i].id, w->tokens.item[i].begin, w->tokens.item[i].end);
    if (f->each >= 0)
        at_tokens_add(out, f->each, 0, 0);
    if (f->after >= 0)
        at_tokens_add(out, f->after, 0, 0);
}

/* ---- examples ------------------------------------------------------------------------------- */

typedef struct {
    const at_vocab *tags;
    at_tagged_words words;
    at_tokens tokens;
    int32_t *tag;         /* [words] */
    int32_t *tokens_tags; /* [2][limit]: a chunk as examples have it, and its tags */
    int limit;
} maker;

static attend_status read_tags(maker *m, const at_corpus *c, const at_example *e, attend_error *err)
{
    at_text rest = e->label, tag;
    at_free(m->tag);
    m->tag = at_alloc(((size_t)m->words.words + 1) * sizeof *m->tag);
    for (int i = 0; m->tag && i < m->words.words; i++) {
        at_text_cut(&rest, ' ', &tag);
        m->tag[i] = at_vocab_find(m->tags, tag.text, tag.size);
        if (m->tag[i] < 0)
            return at_error(err, ATTEND_FORMAT, "%s:%ld: the tag \"%.*s\" is not known",
                            at_show(at_corpus_file(c, e->file)).text, e->line,
                            (int)(tag.size < 60 ? tag.size : 60), tag.text);
    }
    return m->tag ? ATTEND_OK : at_error_memory(err);
}

static attend_status add_chunk(maker *m, int from, int to, uint32_t example, at_encoded *out,
                               attend_error *err)
{
    int first;
    int32_t *ids = m->tokens_tags, *tags = ids + m->limit;
    at_tokens_clear(&m->tokens);
    at_tagged_words_put(&m->words, from, to, &m->tokens, &first);
    int n = (int)m->tokens.count;
    if (m->tokens.failed || n > m->limit)
        return at_error_memory(err);
    for (int i = 0; i < n; i++) {
        bool inside = i >= first && i < first + to - from;
        int word = inside ? m->words.word[from + i - first] : -1;
        ids[i] = m->tokens.item[i].id * 2 + (word >= 0 || !inside);
        tags[i] = 2 * (word >= 0 ? m->tag[word] : -1);
    }
    at_item_view view = {.source = ids,
                         .target = tags,
                         .source_size = n,
                         .target_size = n,
                         .second = n,
                         .label = -1,
                         .example = example};
    return at_encoded_add(out, &view, err);
}

static attend_status add_example(maker *m, const at_corpus *c, const at_tokenizer *t,
                                 uint32_t example, at_encoded *out, attend_error *err)
{
    at_example e;
    at_corpus_at(c, example, NULL, &e);
    attend_status status = at_tagged_words_read(&m->words, t, m->limit, e.source, err);
    if (status >= 0)
        status = read_tags(m, c, &e, err);
    for (int from = 0, to; status >= 0 && from < (int)m->words.tokens.count; from = to) {
        to = at_tagged_words_end(&m->words, from);
        status = add_chunk(m, from, to, example, out, err);
    }
    return status;
}

attend_status at_tagged_examples_new(const at_corpus *c, const unsigned char *part, int wanted,
                                     const at_tokenizer *t, const at_vocab *tags, int limit,
                                     at_encoded **out, attend_error *err)
{
    maker m = {.tags = tags, .limit = limit};
    attend_status status = at_encoded_new(0, out, err);
    m.tokens_tags = at_alloc(2 * (size_t)limit * sizeof *m.tokens_tags);
    if (status >= 0 && !m.tokens_tags)
        status = at_error_memory(err);
    for (size_t i = 0; i < at_corpus_size(c) && status >= 0; i++)
        if (!part || part[i] == wanted)
            status = add_example(&m, c, t, (uint32_t)i, *out, err);
    if (status >= 0)
        status = at_encoded_close(*out, err);
    at_tagged_words_free(&m.words);
    at_tokens_free(&m.tokens);
    at_free(m.tag);
    at_free(m.tokens_tags);
    if (status < 0) {
        at_encoded_free(*out);
        *out = NULL;
    }
    return status;
}
