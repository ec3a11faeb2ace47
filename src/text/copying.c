#include "text/copying.h"

#include <string.h>

#include "base/memory.h"

struct at_copying {
    const at_tokenizer *source, *target;
    int32_t *number; /* of each piece of the source */
};

/* ---- vocabularies -------------------------------------------------------------------------- */

/* A word of the target that is no special piece, or -1. */
static int32_t find_word(const at_tokenizer *target, const char *text, size_t size)
{
    int32_t id = at_vocab_find(target->vocab, text, size);
    return id >= 0 && at_tokenizer_is_special(target, id) ? -1 : id;
}

int at_copying_unknown(const at_tokenizer *target)
{
    int32_t id = target->special[ATTEND_SPECIAL_UNK];
    return id >= 0 ? id : at_tokenizer_pad(target);
}

/* The special piece of the same use; where there is none, what shows nothing either. */
static int32_t special_of(const at_copying *c, int32_t id)
{
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        if (c->source->special[i] == id && c->target->special[i] >= 0)
            return c->target->special[i];
    return at_tokenizer_pad(c->target);
}

static int32_t number_of(const at_copying *c, int32_t id)
{
    size_t size;
    const char *text = at_vocab_text(c->source->vocab, id, &size);
    if (id == c->source->special[ATTEND_SPECIAL_UNK])
        return -1;
    return at_tokenizer_is_special(c->source, id) ? special_of(c, id)
                                                  : find_word(c->target, text, size);
}

attend_status at_copying_new(const at_tokenizer *source, const at_tokenizer *target,
                             at_copying **out, attend_error *err)
{
    at_copying *c = *out = at_alloc_zero(1, sizeof *c);
    int32_t n = at_tokenizer_size(source);
    if (c)
        c->number = at_alloc((size_t)(n + 1) * sizeof *c->number);
    if (!c || !c->number) {
        at_copying_free(c);
        *out = NULL;
        return at_error_memory(err);
    }
    c->source = source;
    c->target = target;
    for (int32_t id = 0; id < n; id++)
        c->number[id] = number_of(c, id);
    return ATTEND_OK;
}

void at_copying_free(at_copying *c)
{
    if (c)
        at_free(c->number);
    at_free(c);
}

int at_copying_number(const at_copying *c, int32_t id) { return c->number[id]; }

/* ---- a line -------------------------------------------------------------------------------- */

void at_copied_free(at_copied *line)
{
    at_free(line->id);
    at_free(line->end);
    at_str_free(&line->texts);
    *line = (at_copied){0};
}

at_text at_copied_text(const at_copied *line, int extra)
{
    size_t from = extra ? line->end[extra - 1] : 0;
    return (at_text){at_str_text(&line->texts) + from, line->end[extra] - from};
}

/* which of the line's own words this is, or -1 */
static int extra_of(const at_copied *line, at_text word)
{
    for (int i = 0; i < line->extra; i++) {
        at_text known = at_copied_text(line, i);
        if (known.size == word.size && memcmp(known.text, word.text, word.size) == 0)
            return i;
    }
    return -1;
}

/* the array with room for at least so many, or NULL: then it is as it was */
static void *grown(void *array, size_t *capacity, size_t need, size_t each)
{
    if (need <= *capacity)
        return array;
    size_t more = need + need / 2 + 8;
    void *larger = at_realloc(array, *capacity * each, more * each);
    *capacity = larger ? more : *capacity;
    return larger;
}

/* its number among the line's own words, a new one if it has none; -1 without memory */
static int add_extra(at_copied *line, at_text word)
{
    int at = extra_of(line, word);
    if (at >= 0)
        return at;
    size_t *end = grown(line->end, &line->ends, (size_t)line->extra + 1, sizeof *end);
    if (!end)
        return -1;
    line->end = end;
    at_str_add_bytes(&line->texts, word.text, word.size);
    line->end[line->extra] = line->texts.length;
    return line->texts.failed ? -1 : line->extra++;
}

/* pieces of a text as the vocabulary would write them */
typedef struct {
    at_str text;
    size_t *end;
} spelling;

static bool spell(spelling *s, const at_tokenizer *t, const char *text, size_t size,
                  const at_tokens *tokens)
{
    *s = (spelling){.end = at_alloc((tokens->count + 1) * sizeof *s->end)};
    if (s->end)
        at_spell(t, text, size, tokens, &s->text, s->end);
    return s->end && !s->text.failed;
}

static at_text spelled(const spelling *s, size_t i)
{
    size_t from = i ? s->end[i - 1] : 0;
    return (at_text){at_str_text(&s->text) + from, s->end[i] - from};
}

static void free_spelling(spelling *s)
{
    at_str_free(&s->text);
    at_free(s->end);
}

/* Numbers of the pieces that have none yet. */
static bool number_words(at_copied *line, const at_copying *c, const spelling *s)
{
    for (size_t i = 0; i < line->count; i++) {
        if (line->id[i] >= 0)
            continue;
        at_text word = spelled(s, i);
        int32_t known = find_word(c->target, word.text, word.size);
        int extra = known >= 0 ? 0 : add_extra(line, word);
        if (extra < 0)
            return false;
        line->id[i] = known >= 0 ? known : at_tokenizer_size(c->target) + extra;
    }
    return true;
}

attend_status at_copied_read(at_copied *line, const at_copying *c, const char *text, size_t size,
                             const at_tokens *tokens, size_t count, attend_error *err)
{
    bool lacks = false, done = true;
    line->extra = 0;
    at_str_clear(&line->texts);
    int *ids = grown(line->id, &line->capacity, count + 1, sizeof *ids);
    if (!ids)
        return at_error_memory(err);
    line->id = ids;
    line->count = count;
    for (size_t i = 0; i < count; i++) {
        line->id[i] = c->number[tokens->item[i].id];
        lacks |= line->id[i] < 0;
    }
    if (lacks) {
        spelling s;
        done = spell(&s, c->source, text, size, tokens) && number_words(line, c, &s);
        free_spelling(&s);
    }
    return done ? ATTEND_OK : at_error_memory(err);
}

attend_status at_copied_find(const at_copied *line, const at_copying *c, const char *text,
                             size_t size, at_tokens *tokens, attend_error *err)
{
    int32_t unknown = c->target->special[ATTEND_SPECIAL_UNK];
    size_t first = 0;
    while (first < tokens->count && (unknown < 0 || tokens->item[first].id != unknown))
        first++;
    if (first == tokens->count || !line->extra)
        return ATTEND_OK;
    spelling s;
    bool done = spell(&s, c->target, text, size, tokens);
    for (size_t i = first; done && i < tokens->count; i++) {
        int extra = tokens->item[i].id == unknown ? extra_of(line, spelled(&s, i)) : -1;
        if (extra >= 0)
            tokens->item[i].id = at_tokenizer_size(c->target) + extra;
    }
    free_spelling(&s);
    return done ? ATTEND_OK : at_error_memory(err);
}
