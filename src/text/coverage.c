#include "text/coverage.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

struct attend_coverage {
    const at_tokenizer *t;
    attend_coverage_info counts;
    at_vocab *unknown;
    bool *seen;     /* by id */
    int32_t *order; /* of unknown, once it was asked for since text was added; or NULL */
    at_tokens tokens;
};

at_coverage *at_coverage_new(const at_tokenizer *t)
{
    at_coverage *c = at_alloc_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->t = t;
    c->unknown = at_vocab_new();
    c->seen = at_alloc_zero((size_t)at_tokenizer_size(t) + 1, sizeof *c->seen);
    if (!c->unknown || !c->seen) {
        at_coverage_free(c);
        return NULL;
    }
    return c;
}

void at_coverage_free(at_coverage *c)
{
    if (!c)
        return;
    at_vocab_free(c->unknown);
    at_free(c->seen);
    at_free(c->order);
    at_tokens_free(&c->tokens);
    at_free(c);
}

static bool count_unknown(at_coverage *c, const char *text, const at_token *p)
{
    int32_t id = at_vocab_add(c->unknown, text + p->begin, p->end - p->begin);
    if (id < 0)
        return false;
    at_vocab_seen(c->unknown, id, 1);
    c->counts.unknown++;
    return true;
}

static void count_known(at_coverage *c, int32_t id)
{
    c->counts.used += !c->seen[id] && !at_tokenizer_is_special(c->t, id);
    c->seen[id] = true;
}

/* Words with an unknown piece; pieces of one word follow each other. */
static bool count_tokens(at_coverage *c, const char *text, uint64_t *unknown_words)
{
    uint32_t last = ATTEND_NO_WORD;
    for (size_t i = 0; i < c->tokens.count; i++) {
        const at_token *p = &c->tokens.item[i];
        if (p->id != c->t->special[ATTEND_SPECIAL_UNK]) {
            count_known(c, p->id);
            continue;
        }
        if (!count_unknown(c, text, p))
            return false;
        *unknown_words += p->word != last;
        last = p->word;
    }
    return true;
}

attend_status at_coverage_add(at_coverage *c, const char *text, size_t size, attend_error *err)
{
    uint64_t unknown = 0;
    at_free(c->order);
    c->order = NULL;
    at_tokens_clear(&c->tokens);
    attend_status status = at_encode(c->t, text, size, &c->tokens, err);
    if (status < 0)
        return status;
    if (!count_tokens(c, text, &unknown))
        return at_error_memory(err);
    at_tokens none = {0};
    uint64_t words = at_tokens_number_words(&none, 0, text, size);
    c->counts.lines++;
    c->counts.bytes += size;
    c->counts.characters += at_utf8_count(text, size);
    c->counts.invalid += c->tokens.invalid;
    c->counts.words += words;
    c->counts.known_words += words - unknown;
    c->counts.tokens += c->tokens.count;
    return ATTEND_OK;
}

attend_coverage_info at_coverage_so_far(const at_coverage *c)
{
    attend_coverage_info counts = c->counts;
    counts.unknown_texts = (size_t)at_vocab_size(c->unknown);
    return counts;
}

const at_vocab *at_coverage_unknown(at_coverage *c, const int32_t **order)
{
    if (!c->order) {
        c->order = at_alloc(((size_t)at_vocab_size(c->unknown) + 1) * sizeof *c->order);
        if (!c->order)
            return NULL;
        at_vocab_by_count(c->unknown, c->order);
    }
    *order = c->order;
    return c->unknown;
}
