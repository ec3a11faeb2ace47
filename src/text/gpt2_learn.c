/* Learning a byte-level vocabulary: GPT-2's words of a text are counted, and pairs of their pieces
 * merged by count. Ids as GPT-2 has them: 256 bytes, merges by rank, and the end of a text last. */
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/byte_map.h"
#include "text/gpt2.h"
#include "text/merges.h"

enum { SIZE = 8000, MIN_COUNT = 2, MIN_SIZE = 256 + 1, MAX_SIZE = 1 << 24 };

/* ---- counting --------------------------------------------------------------------------- */

typedef struct {
    at_vocab *words;
    const char *line;
    bool failed;
} counter;

static bool count_word(void *user, size_t begin, size_t size, bool valid)
{
    counter *c = user;
    (void)valid;
    int32_t id = at_vocab_add(c->words, c->line + begin, size);
    c->failed = id < 0;
    if (!c->failed)
        at_vocab_seen(c->words, id, 1);
    return !c->failed;
}

static attend_status count_lines(const at_gpt2_tokenizer *g, at_line_source lines, at_vocab *words,
                                 attend_error *err)
{
    counter c = {.words = words};
    for (;;) {
        size_t size;
        int more = lines.next(lines.user, &c.line, &size, err);
        if (more <= 0)
            return (attend_status)more;
        attend_status status = at_gpt2_words_cut(g->words, c.line, size, count_word, &c, err);
        if (status < 0 || c.failed)
            return status < 0 ? status : at_error_memory(err);
    }
}

/* ---- merging ---------------------------------------------------------------------------- */

static bool add_bytes(at_gpt2_tokenizer *g)
{
    const char *by_order[256];
    char text[256][4];
    size_t size[256];
    for (int byte = 0; byte < 256; byte++) {
        int order = at_byte_order((unsigned char)byte);
        size[order] = (size_t)at_utf8_put(text[byte], at_byte_char((unsigned char)byte));
        by_order[order] = text[byte];
    }
    for (int i = 0; i < 256; i++)
        if (at_vocab_add(g->base.vocab, by_order[i], size[i]) < 0)
            return false;
    return true;
}

/* the piece of two pieces, a new one or one that others have made before; -1 without memory */
static int32_t merge(at_gpt2_tokenizer *g, int32_t left, int32_t right)
{
    at_str both = {0};
    size_t size;
    const char *text = at_vocab_text(g->base.vocab, left, &size);
    at_str_add_bytes(&both, text, size);
    text = at_vocab_text(g->base.vocab, right, &size);
    at_str_add_bytes(&both, text, size);
    int32_t id = both.failed ? -1 : at_vocab_add(g->base.vocab, both.text, both.length);
    at_str_free(&both);
    return id >= 0 && at_bpe_add(g->bpe, (at_merge){left, right, id}) ? id : -1;
}

static bool merge_all(at_gpt2_tokenizer *g, at_merger *m, int size, int min_count)
{
    int32_t left, right;
    uint64_t times;
    while (at_vocab_size(g->base.vocab) < size && at_merger_best(m, &left, &right, &times)
           && times >= (uint64_t)min_count) {
        int32_t id = merge(g, left, right);
        if (id < 0)
            return false;
        at_merger_apply(m, left, right, id);
    }
    return !at_merger_failed(m);
}

static bool add_words(at_merger *m, const at_vocab *words)
{
    int32_t *symbols = NULL;
    size_t capacity = 0, size;
    for (int32_t id = 0; id < at_vocab_size(words); id++) {
        const char *text = at_vocab_text(words, id, &size);
        if (size > capacity) {
            at_free(symbols);
            capacity = 2 * size;
            symbols = at_alloc(capacity * sizeof *symbols);
        }
        if (!symbols)
            return false;
        for (size_t i = 0; i < size; i++)
            symbols[i] = at_byte_order((unsigned char)text[i]);
        at_merger_word(m, symbols, size, at_vocab_count(words, id));
    }
    at_free(symbols);
    return !at_merger_failed(m);
}

static attend_status learn_merges(at_gpt2_tokenizer *g, const at_vocab *words, int size,
                                  int min_count, attend_error *err)
{
    at_merger *m = at_merger_new();
    bool well = m && add_words(m, words) && add_bytes(g) && merge_all(g, m, size - 1, min_count)
                && at_vocab_add(g->base.vocab, ATTEND_GPT2_END, strlen(ATTEND_GPT2_END)) >= 0;
    at_merger_free(m);
    return well ? ATTEND_OK : at_error_memory(err);
}

static attend_status learn_from(at_gpt2_tokenizer *g, at_line_source lines, int size, int min_count,
                                attend_error *err)
{
    at_vocab *words = at_vocab_new();
    attend_status status = words ? count_lines(g, lines, words, err) : at_error_memory(err);
    if (status >= 0)
        status = learn_merges(g, words, size, min_count, err);
    at_vocab_free(words);
    if (status >= 0)
        status = at_gpt2_finish(g, "what was learned", err);
    if (status >= 0 && at_tokenizer_size(&g->base) < size)
        at_log(ATTEND_LOG_INFO,
               "%d pieces, not %d: no other pair of pieces stands in the text %d times",
               at_tokenizer_size(&g->base), size, min_count);
    return status;
}

attend_status at_gpt2_learn(at_line_source lines, const attend_learn_options *o, at_tokenizer **out,
                            attend_error *err)
{
    int size = o->vocabulary < 0 ? SIZE : o->vocabulary,
        min_count = o->min_count < 0 ? MIN_COUNT : o->min_count;
    at_gpt2_tokenizer *g;
    if (size < MIN_SIZE || size > MAX_SIZE)
        return at_error(err, ATTEND_OPTION,
                        "a byte-level vocabulary has %d pieces at least (256 bytes and the end of "
                        "a text) and %d at most, not %d",
                        MIN_SIZE, MAX_SIZE, size);
    attend_status status = at_gpt2_new(&g, err);
    if (status < 0)
        return status;
    status = learn_from(g, lines, size, min_count < 1 ? 1 : min_count, err);
    if (status < 0)
        at_tokenizer_free(&g->base);
    else
        *out = &g->base;
    return status;
}
