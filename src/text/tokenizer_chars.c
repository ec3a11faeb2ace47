/* Characters: every one is a piece. A blank reads as ▁, and \ before ▁, \, n, r, t and 0 writes
 * these characters themselves, line ends, tab and U+0000; so pieces never hold white space that
 * separates words on a line. */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/hf_json.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

typedef struct {
    at_tokenizer base;
    bool lower;
    int32_t ascii[128]; /* ids, or that of the unknown piece */
} chars;

static const struct {
    uint32_t code;
    const char *text;
} written[] = {{' ', "▁"},    {0x2581, "\\▁"}, {'\\', "\\\\"}, {'\n', "\\n"},
               {'\r', "\\r"}, {'\t', "\\t"},   {0, "\\0"}};

enum { WRITTEN = sizeof written / sizeof *written };

/* ---- pieces ----------------------------------------------------------------------------- */

/* the piece of a character, into 8 bytes; returns its size */
static size_t token_of(uint32_t code, char *text)
{
    for (int i = 0; i < WRITTEN; i++)
        if (written[i].code == code) {
            size_t size = strlen(written[i].text);
            memcpy(text, written[i].text, size);
            return size;
        }
    return (size_t)at_utf8_put(text, code);
}

/* the piece's characters as text */
static void add_text(at_text token, at_str *out)
{
    for (int i = 0; i < WRITTEN; i++)
        if (token.size == strlen(written[i].text)
            && memcmp(token.text, written[i].text, token.size) == 0) {
            char byte[4];
            at_str_add_bytes(out, byte, (size_t)at_utf8_put(byte, written[i].code));
            return;
        }
    at_str_add_bytes(out, token.text, token.size);
}

static int32_t find(const at_tokenizer *t, uint32_t code)
{
    char text[8];
    int32_t id = at_vocab_find(t->vocab, text, token_of(code, text));
    return id < 0 ? t->special[ATTEND_SPECIAL_UNK] : id;
}

static void make_ready(chars *c)
{
    for (uint32_t code = 0; code < 128; code++)
        c->ascii[code] = find(&c->base, code);
}

/* Calls use for each character, in lower case where that is wanted; returns the invalid bytes. */
typedef bool use_char(void *user, uint32_t code, size_t begin, size_t end);

static size_t each_char(bool lower, const char *text, size_t size, use_char *use, void *user)
{
    size_t invalid = 0;
    bool going = true;
    for (size_t at = 0, length; at < size && going; at += length) {
        uint32_t code[2];
        length = (size_t)at_utf8_get(text + at, size - at, code);
        invalid += !length;
        length += !length;
        int n = lower ? at_lower(code[0], code) : 1;
        for (int i = 0; i < n && going; i++)
            going = use(user, code[i], at, at + length);
    }
    return invalid;
}

/* ---- there and back --------------------------------------------------------------------- */

typedef struct {
    const chars *c;
    at_tokens *out;
} sink;

static bool add_char(void *user, uint32_t code, size_t begin, size_t end)
{
    sink *to = user;
    int32_t id = code < 128 ? to->c->ascii[code] : find(&to->c->base, code);
    at_tokens_add(to->out, id, begin, end);
    return !to->out->failed;
}

static attend_status encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err)
{
    sink to = {(const chars *)t, out};
    (void)err;
    out->invalid += each_char(to.c->lower, text, size, add_char, &to);
    return ATTEND_OK;
}

static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    (void)t;
    (void)err;
    for (size_t i = 0; i < count; i++)
        add_text(tokens[i], out);
    return ATTEND_OK;
}

/* One piece alone, even where lower case made two of a character. */
static bool spell_char(void *user, uint32_t code, size_t begin, size_t end)
{
    char token[8];
    (void)begin, (void)end;
    at_str_add_bytes(user, token, token_of(code, token));
    return false;
}

static void spell(const at_tokenizer *t, const char *text, size_t size, const at_tokens *p,
                  at_str *out, size_t *end)
{
    (void)size;
    for (size_t i = 0; i < p->count; i++) {
        const at_token *a = &p->item[i];
        if (!at_spell_known(t, a, out))
            each_char(((const chars *)t)->lower, text + a->begin, a->end - a->begin, spell_char,
                      out);
        end[i] = out->length;
    }
}

/* ---- learning --------------------------------------------------------------------------- */

typedef struct {
    at_vocab *chars;
    bool failed;
} counts;

static bool count_char(void *user, uint32_t code, size_t begin, size_t end)
{
    counts *n = user;
    char text[8];
    (void)begin;
    (void)end;
    int32_t id = at_vocab_add(n->chars, text, token_of(code, text));
    if (id >= 0)
        at_vocab_seen(n->chars, id, 1);
    n->failed |= id < 0;
    return !n->failed;
}

static attend_status count_lines(const chars *c, at_line_source lines, at_vocab *seen,
                                 attend_error *err)
{
    counts n = {.chars = seen};
    const char *text;
    size_t size;
    int more;
    while ((more = lines.next(lines.user, &text, &size, err)) > 0 && !n.failed)
        each_char(c->lower, text, size, count_char, &n);
    return more < 0 ? (attend_status)more : n.failed ? at_error_memory(err) : ATTEND_OK;
}

static attend_status choose(chars *c, const at_vocab *seen, int size, uint64_t min,
                            attend_error *err)
{
    int32_t n = at_vocab_size(seen);
    int32_t *order = at_alloc(((size_t)n + 1) * sizeof *order);
    bool well = order && at_tokenizer_add_plain(&c->base);
    if (well)
        at_vocab_by_count(seen, order);
    for (int32_t i = 0; well && i < n && at_tokenizer_size(&c->base) < size; i++) {
        size_t bytes;
        const char *text = at_vocab_text(seen, order[i], &bytes);
        if (at_vocab_count(seen, order[i]) < min)
            break;
        if (strcmp(text, "\xEF\xBF\xBD") != 0) /* stands for invalid bytes */
            well = at_vocab_add(c->base.vocab, text, bytes) >= 0;
    }
    at_free(order);
    return well ? ATTEND_OK : at_error_memory(err);
}

static attend_status learn(at_line_source lines, const attend_learn_options *o, at_tokenizer **out,
                           attend_error *err)
{
    chars *c = at_tokenizer_new(&at_tokenizer_kind_chars, sizeof *c);
    at_vocab *seen = at_vocab_new();
    attend_status status = c && seen ? ATTEND_OK : at_error_memory(err);
    if (status >= 0) {
        c->lower = o->lower > 0;
        status = count_lines(c, lines, seen, err);
    }
    if (status >= 0)
        status = choose(c, seen, o->vocabulary > 0 ? o->vocabulary : INT32_MAX,
                        (uint64_t)(o->min_count > 0 ? o->min_count : 1), err);
    at_vocab_free(seen);
    if (status < 0) {
        at_tokenizer_free(c ? &c->base : NULL);
        return status;
    }
    make_ready(c);
    *out = &c->base;
    return ATTEND_OK;
}

/* ---- the file --------------------------------------------------------------------------- */

static attend_status fill(chars *c, const json_t *root, const char *file, attend_error *err)
{
    at_tokenizer *t = &c->base;
    at_fields top = at_fields_of(root, file, err), model = at_fields_in(&top, "model");
    c->lower = at_field_bool(&model, "lower", false);
    if (top.status < 0)
        return top.status;
    attend_status status = at_hf_read_vocab(t->vocab, json_object_get(model.object, "vocab"), file,
                                            err);
    if (status >= 0 && (status = at_hf_check_whole(t->vocab, file, err)) >= 0)
        status = at_tokenizer_find_plain(t, file, err);
    if (status >= 0)
        make_ready(c);
    return status;
}

static attend_status read(const json_t *root, const char *file, at_tokenizer **out,
                          attend_error *err)
{
    chars *c = at_tokenizer_new(&at_tokenizer_kind_chars, sizeof *c);
    if (!c)
        return at_error_memory(err);
    return at_tokenizer_hand_out(&c->base, fill(c, root, file, err), out);
}

static json_t *write(const at_tokenizer *t)
{
    return json_pack("{s:s, s:{s:s, s:b, s:o}}", "version", "1.0", "model", "type", t->kind->model,
                     "lower", (int)((const chars *)t)->lower, "vocab", at_hf_write_vocab(t->vocab));
}

static void free_chars(at_tokenizer *t) { at_free(t); }

const at_tokenizer_kind at_tokenizer_kind_chars = {
    .name = "chars",
    .what = "every character is a piece; a vocabulary of those seen",
    .files = "tokenizer.json",
    .model = "chars",
    .learns = ATTEND_LEARN_SIZE | ATTEND_LEARN_MIN_COUNT | ATTEND_LEARN_LOWER,
    .learn = learn,
    .read = read,
    .write = write,
    .encode = encode,
    .join = join,
    .spell = spell,
    .free = free_chars,
};
