/* attend_coverage: how well a vocabulary fits a text. */
#include "text/coverage.h"

attend_status attend_coverage_new(const attend_tokenizer *tokenizer, attend_coverage **out,
                                  attend_error *err)
{
    *out = at_coverage_new(tokenizer);
    return *out ? ATTEND_OK : at_error_memory(err);
}

attend_status attend_coverage_add(attend_coverage *c, const char *text, size_t size,
                                  attend_error *err)
{
    return at_coverage_add(c, text, size, err);
}

void attend_coverage_get(const attend_coverage *c, attend_coverage_info *info)
{
    *info = at_coverage_so_far(c);
}

int attend_coverage_unknown(attend_coverage *c, size_t index, const char **text, size_t *size,
                            size_t *count)
{
    const int32_t *order;
    const at_vocab *unknown = at_coverage_unknown(c, &order);
    if (!unknown || index >= (size_t)at_vocab_size(unknown))
        return 0;
    *text = at_vocab_text(unknown, order[index], size);
    *count = at_vocab_count(unknown, order[index]);
    return 1;
}

void attend_coverage_free(attend_coverage *c) { at_coverage_free(c); }
