/* attend_coverage: how well a vocabulary fits a text. */
#include "text/coverage.h"
#include "attend.h"
#include "base/memory.h"

struct attend_coverage {
    at_coverage *inner;
    const at_vocab *unknown; /* sorted by order; NULL: ask again */
    const int32_t *order;
};

attend_status attend_coverage_new(const attend_tokenizer *tokenizer, attend_coverage **out,
                                  attend_error *err)
{
    attend_coverage *c = at_alloc_zero(1, sizeof *c);
    *out = c;
    if (c)
        c->inner = at_coverage_new((const at_tokenizer *)tokenizer);
    if (c && c->inner)
        return ATTEND_OK;
    at_free(c);
    *out = NULL;
    return at_error_memory(err);
}

attend_status attend_coverage_add(attend_coverage *c, const char *text, size_t size,
                                  attend_error *err)
{
    c->unknown = NULL;
    return at_coverage_add(c->inner, text, size, err);
}

void attend_coverage_get(const attend_coverage *c, attend_coverage_info *info)
{
    at_coverage_counts n = at_coverage_so_far(c->inner);
    *info = (attend_coverage_info){.lines = n.lines,
                                   .bytes = n.bytes,
                                   .characters = n.characters,
                                   .invalid = n.invalid,
                                   .words = n.words,
                                   .known_words = n.known_words,
                                   .tokens = n.tokens,
                                   .unknown = n.unknown,
                                   .used = (size_t)n.used,
                                   .unknown_texts = (size_t)n.unknown_texts};
}

int attend_coverage_unknown(attend_coverage *c, size_t index, const char **text, size_t *size,
                            size_t *count)
{
    if (!c->unknown)
        c->unknown = at_coverage_unknown(c->inner, &c->order);
    if (!c->unknown || index >= (size_t)at_vocab_size(c->unknown))
        return 0;
    *text = at_vocab_text(c->unknown, c->order[index], size);
    *count = at_vocab_count(c->unknown, c->order[index]);
    return 1;
}

void attend_coverage_free(attend_coverage *c)
{
    if (c)
        at_coverage_free(c->inner);
    at_free(c);
}
