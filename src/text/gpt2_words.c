#include "text/gpt2_words.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/memory.h"
#include "base/utf8.h"

/* White space is written out: PCRE2's \s has U+180E too, which Unicode does not count any more. */
#define BLANKS                                                                              \
    "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}" \
    "\\x{205F}\\x{3000}"
static const char pattern[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" BLANKS
                              "\\p{L}\\p{N}]+|[" BLANKS "]+(?![^" BLANKS "])|[" BLANKS "]+";

struct at_gpt2_words {
    pcre2_general_context *memory;
    pcre2_code *code;
};

static void *take_memory(PCRE2_SIZE size, void *user)
{
    (void)user;
    return at_alloc(size);
}

static void give_memory(void *memory, void *user)
{
    (void)user;
    at_free(memory);
}

static attend_status compile(at_gpt2_words *w, attend_error *err)
{
    int error = 0;
    PCRE2_SIZE at;
    w->memory = pcre2_general_context_create(take_memory, give_memory, NULL);
    pcre2_compile_context *how = w->memory ? pcre2_compile_context_create(w->memory) : NULL;
    if (how)
        w->code = pcre2_compile((PCRE2_SPTR)pattern, sizeof pattern - 1, PCRE2_UTF | PCRE2_UCP,
                                &error, &at, how);
    pcre2_compile_context_free(how);
    if (!w->code)
        return at_error_memory(err);
    pcre2_jit_compile(w->code, PCRE2_JIT_COMPLETE); /* where it cannot, matching is slower */
    return ATTEND_OK;
}

attend_status at_gpt2_words_new(at_gpt2_words **out, attend_error *err)
{
    at_gpt2_words *w = at_alloc_zero(1, sizeof *w);
    attend_status status = w ? compile(w, err) : at_error_memory(err);
    if (status < 0) {
        at_gpt2_words_free(w);
        w = NULL;
    }
    *out = w;
    return status;
}

void at_gpt2_words_free(at_gpt2_words *w)
{
    if (!w)
        return;
    pcre2_code_free(w->code);
    pcre2_general_context_free(w->memory);
    at_free(w);
}

typedef struct {
    const at_gpt2_words *words;
    pcre2_match_data *match;
    at_gpt2_word *take;
    void *user;
    bool ended;
} cutter;

/* What the pattern cuts a stretch of valid UTF-8 into; begin is where it stands in the text. Every
 * character starts one of the alternatives, so words follow each other without a gap. */
static attend_status cut_valid(cutter *c, const char *text, size_t size, size_t begin,
                               attend_error *err)
{
    const PCRE2_SIZE *found = pcre2_get_ovector_pointer(c->match);
    for (size_t at = 0; at < size && !c->ended; at = found[1]) {
        int code = pcre2_match(c->words->code, (PCRE2_SPTR)text, size, at, PCRE2_NO_UTF_CHECK,
                               c->match, NULL);
        if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_JIT_STACKLIMIT)
            return at_error_memory(err);
        if (code < 0 || found[1] <= at)
            return at_error(err, ATTEND_NUMBER, "byte %zu: the splitting pattern fails (PCRE2 %d)",
                            begin + at, code);
        c->ended = !c->take(c->user, begin + at, found[1] - at, true);
    }
    return ATTEND_OK;
}

/* how many bytes from the start are no UTF-8 */
static size_t invalid_run(const char *text, size_t size)
{
    size_t run = 0;
    uint32_t code;
    while (run < size && at_utf8_get(text + run, size - run, &code) == 0)
        run++;
    return run;
}

attend_status at_gpt2_words_cut(const at_gpt2_words *w, const char *text, size_t size,
                                at_gpt2_word *take, void *user, attend_error *err)
{
    cutter c = {.words = w, .take = take, .user = user};
    attend_status status = ATTEND_OK;
    c.match = pcre2_match_data_create(1, w->memory);
    if (!c.match)
        return at_error_memory(err);
    for (size_t at = 0; at < size && !c.ended && status >= 0;) {
        size_t valid = at_utf8_valid(text + at, size - at);
        status = cut_valid(&c, text + at, valid, at, err);
        at += valid;
        size_t invalid = status >= 0 && !c.ended ? invalid_run(text + at, size - at) : 0;
        if (invalid)
            c.ended = !take(user, at, invalid, false);
        at += invalid;
    }
    pcre2_match_data_free(c.match);
    return status;
}
