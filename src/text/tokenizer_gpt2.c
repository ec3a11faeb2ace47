/* GPT-2's tokenizer: byte-level byte-pair encoding (Radford et al. 2019).
 *
 * A text is cut into words by a pattern, a word into bytes, and bytes are merged by a ranked list
 * of pairs. All 256 bytes are pieces, so nothing is unknown and any bytes come back as they were.
 */
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/byte_map.h"
#include "text/gpt2.h"
#include "text/unicode.h"

/* ---- life ------------------------------------------------------------------------------- */

static void free_gpt2(at_tokenizer *t)
{
    at_gpt2_tokenizer *g = (at_gpt2_tokenizer *)t;
    at_bpe_free(g->bpe);
    at_gpt2_words_free(g->words);
    at_word_cache_free(g->cache);
    at_free(g);
}

attend_status at_gpt2_new(at_gpt2_tokenizer **out, attend_error *err)
{
    at_gpt2_tokenizer *g = *out = at_tokenizer_new(&at_tokenizer_kind_gpt2, sizeof *g);
    if (!g)
        return at_error_memory(err);
    g->bpe = at_bpe_new();
    g->cache = at_word_cache_new();
    attend_status status = g->bpe && g->cache ? at_gpt2_words_new(&g->words, err)
                                              : at_error_memory(err);
    if (status < 0) {
        at_tokenizer_free(&g->base);
        *out = NULL;
    }
    return status;
}

void at_gpt2_split_specials(at_tokenizer *t, bool split)
{
    ((at_gpt2_tokenizer *)t)->split_specials = split;
}

/* Every byte's piece; *missing receives one that has none. */
static bool find_bytes(at_gpt2_tokenizer *g, int *missing)
{
    bool all = true;
    for (int byte = 255; byte >= 0; byte--) {
        char text[4];
        int size = at_utf8_put(text, at_byte_char((unsigned char)byte));
        int32_t id = at_vocab_find(g->base.vocab, text, (size_t)size);
        at_bpe_set_byte(g->bpe, (unsigned char)byte, id);
        if (id < 0) {
            *missing = byte;
            all = false;
        }
    }
    return all;
}

/* <mask> and the like, which files without a list of special pieces have */
static bool is_marked(const at_gpt2_tokenizer *g, int32_t id)
{
    size_t size;
    const char *text = at_vocab_text(g->base.vocab, id, &size);
    return size > 2 && text[0] == '<' && text[size - 1] == '>';
}

/* Pieces that are neither a byte, nor special or added, nor made by a merge; -1 without memory. */
static int count_unreachable(const at_gpt2_tokenizer *g)
{
    int32_t size = at_vocab_size(g->base.vocab);
    bool *made = at_alloc_zero((size_t)size + 1, sizeof *made);
    int count = made ? 0 : -1;
    for (int rank = 0; made && rank < at_bpe_merges(g->bpe); rank++)
        made[at_bpe_merge(g->bpe, rank).merged] = true;
    for (int byte = 0; made && byte < 256; byte++)
        if (at_bpe_byte(g->bpe, (unsigned char)byte) >= 0)
            made[at_bpe_byte(g->bpe, (unsigned char)byte)] = true;
    for (size_t i = 0; made && i < g->base.added.count; i++)
        made[g->base.added.item[i].id] = true;
    for (int32_t id = 0; made && id < size; id++)
        count += !made[id] && !at_tokenizer_is_special(&g->base, id) && !is_marked(g, id);
    at_free(made);
    return count;
}

/* Merges must make the vocabulary. Some files of other programs have a few pieces more, as
 * RoBERTa's "madeupword0000"; many are a list of merges that was cut. */
static attend_status check_reachable(const at_gpt2_tokenizer *g, const char *file,
                                     attend_error *err)
{
    enum { FEW = 16, ONE_OF = 100 };
    int merges = at_bpe_merges(g->bpe), lost = count_unreachable(g);
    if (lost < 0)
        return at_error_memory(err);
    if (lost > FEW && lost > merges / ONE_OF)
        return at_error(err, ATTEND_FORMAT,
                        "%s: the %d merges do not make %d pieces of the vocabulary; merges are "
                        "missing, get the files again",
                        file, merges, lost);
    if (lost)
        at_log(ATTEND_LOG_WARNING, "%s: no merge makes %d of the vocabulary's pieces", file, lost);
    return ATTEND_OK;
}

/* RoBERTa's: <s> A </s> </s> B </s>; GPT-2 has none. */
static void set_frame(at_gpt2_tokenizer *g)
{
    int32_t cls = g->base.special[ATTEND_SPECIAL_CLS], sep = g->base.special[ATTEND_SPECIAL_SEP];
    if (cls >= 0 && sep >= 0)
        g->base.frame = (at_frame){cls, sep, -1, sep};
}

attend_status at_gpt2_finish(at_gpt2_tokenizer *g, const char *file, attend_error *err)
{
    int32_t *special = g->base.special;
    int missing = 0;
    int32_t end = at_vocab_find(g->base.vocab, ATTEND_GPT2_END, strlen(ATTEND_GPT2_END));
    static const at_special defaults[] = {ATTEND_SPECIAL_UNK, ATTEND_SPECIAL_BOS,
                                          ATTEND_SPECIAL_EOS};
    for (int i = 0; i < 3; i++)
        if (special[defaults[i]] < 0)
            special[defaults[i]] = end;
    if (!at_tokenizer_mark_specials(&g->base))
        return at_error_memory(err);
    if (find_bytes(g, &missing))
        special[ATTEND_SPECIAL_UNK] = -1; /* nothing is unknown */
    else if (special[ATTEND_SPECIAL_UNK] < 0)
        return at_error(err, ATTEND_FORMAT,
                        "%s: the byte 0x%02X has no piece, and there is no unk_token to stand for "
                        "it; a byte-level vocabulary has all 256",
                        file, (unsigned)missing);
    set_frame(g);
    return check_reachable(g, file, err);
}

/* ---- encoding --------------------------------------------------------------------------- */

enum { BUFFER = 128 };

/* one text on its way */
typedef struct {
    const at_gpt2_tokenizer *g;
    const char *text; /* of the stretch between special pieces, which starts at byte `at` */
    size_t at;
    at_tokens *out;
    bool failed; /* memory ran out */
} encoder;

static bool merge_word(encoder *e, const char *word, size_t size, size_t at)
{
    at_bpe_part buffer[BUFFER], *parts = buffer;
    if (size > BUFFER)
        parts = at_alloc(size * sizeof *parts);
    ptrdiff_t count = parts ? at_bpe_encode(e->g->bpe, word, size, parts) : -1;
    for (ptrdiff_t i = 0; i < count; i++) {
        int32_t id = parts[i].id >= 0 ? parts[i].id : e->g->base.special[ATTEND_SPECIAL_UNK];
        at_tokens_add(e->out, id, at, at + (size_t)parts[i].size);
        at += (size_t)parts[i].size;
    }
    if (parts != buffer)
        at_free(parts);
    e->failed = count < 0;
    return !e->failed;
}

static bool take_word(void *user, size_t begin, size_t size, bool valid)
{
    encoder *e = user;
    const char *word = e->text + begin;
    size_t at = e->at + begin, first = e->out->count;
    if (!valid)
        e->out->invalid += size;
    else if (at_word_cache_tokens(e->g->cache, word, size, at, e->out))
        return true;
    if (!merge_word(e, word, size, at))
        return false;
    if (valid)
        at_word_cache_keep(e->g->cache, word, size, at, e->out, first);
    return true;
}

/* Where the text before a special token ends: the mask takes the white space before it, which is
 * how RoBERTa was trained. */
static size_t before_special(const at_gpt2_tokenizer *g, const char *text, size_t at, size_t end,
                             size_t size, int32_t id)
{
    if (end == size || id != g->base.special[ATTEND_SPECIAL_MASK])
        return end;
    size_t stop = at;
    for (size_t i = at; i < end;) {
        size_t space = at_space_at(text + i, end - i);
        uint32_t code;
        int length = at_utf8_get(text + i, end - i, &code);
        i += space ? space : length > 0 ? (size_t)length : 1;
        stop = space ? stop : i;
    }
    return stop;
}

static attend_status encode_text(const at_gpt2_tokenizer *g, const char *text, size_t size,
                                 at_tokens *out, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t at = 0; at < size && status >= 0;) {
        encoder e = {.g = g, .text = text + at, .at = at, .out = out};
        size_t length = 0, end = size;
        int32_t id = -1;
        if (!g->split_specials)
            end = at_added_tokens_next(&g->base.added, text, size, at, &length, &id);
        status = at_gpt2_words_cut(g->words, text + at,
                                   before_special(g, text, at, end, size, id) - at, take_word, &e,
                                   err);
        if (status >= 0 && e.failed)
            status = at_error_memory(err);
        if (end < size)
            at_tokens_add(out, id, end, end + length);
        at = end + length;
    }
    return status;
}

/* The blank before the text is no part of it. */
static attend_status encode_prefixed(const at_gpt2_tokenizer *g, const char *text, size_t size,
                                     at_tokens *out, attend_error *err)
{
    size_t first = out->count;
    char *copy = at_alloc(size + 1);
    if (!copy)
        return at_error_memory(err);
    copy[0] = ' ';
    memcpy(copy + 1, text, size);
    attend_status status = encode_text(g, copy, size + 1, out, err);
    for (size_t i = first; i < out->count; i++) {
        out->item[i].begin -= out->item[i].begin > 0;
        out->item[i].end -= out->item[i].end > 0;
    }
    at_free(copy);
    return status;
}

static attend_status encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err)
{
    const at_gpt2_tokenizer *g = (const at_gpt2_tokenizer *)t;
    if (g->prefix_space && size && !at_space_at(text, size))
        return encode_prefixed(g, text, size, out, err);
    return encode_text(g, text, size, out, err);
}

/* ---- decoding --------------------------------------------------------------------------- */

static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    (void)t;
    (void)err;
    for (size_t i = 0; i < count; i++)
        if (!at_bytes_read(out, tokens[i].text, tokens[i].size)) /* none of ours: as it reads */
            at_str_add_bytes(out, tokens[i].text, tokens[i].size);
    return ATTEND_OK;
}

static const char *const found[] = {"vocab.json", "encoder.json", NULL};

const at_tokenizer_kind at_tokenizer_kind_gpt2 = {
    .name = "gpt2",
    .what = "byte-level byte-pair encoding, as in GPT-2; any bytes come back as they were",
    .source = "Radford et al. 2019",
    .files = "vocab.json and merges.txt, or tokenizer.json",
    .found = found,
    .ends = found,
    .model = "BPE",
    .learns = ATTEND_LEARN_SIZE | ATTEND_LEARN_MIN_COUNT,
    .learn = at_gpt2_learn,
    .load = at_gpt2_load,
    .read = at_gpt2_read,
    .write = at_gpt2_write,
    .save = at_gpt2_save,
    .encode = encode,
    .join = join,
    .free = free_gpt2,
};
