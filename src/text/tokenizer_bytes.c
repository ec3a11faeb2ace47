/* Bytes: 256 pieces and the special ones; nothing to learn, nothing unknown, any bytes exactly.
 *
 * A piece reads as its character where that is printable ASCII, else as <0x0A>. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/tokenizer.h"

enum { SPECIALS = 3 }; /* <pad>, <bos>, <eos>; byte b has the id b + SPECIALS */

static void free_bytes(at_tokenizer *t) { at_free(t); }

static at_tokenizer *make(void)
{
    at_tokenizer *t = at_tokenizer_new(&at_tokenizer_kind_bytes, sizeof *t);
    bool well = t && at_tokenizer_add_special(t, ATTEND_SPECIAL_PAD, "<pad>")
                && at_tokenizer_add_special(t, ATTEND_SPECIAL_BOS, "<bos>")
                && at_tokenizer_add_special(t, ATTEND_SPECIAL_EOS, "<eos>");
    for (int byte = 0; well && byte < 256; byte++) {
        char text[8];
        int size = snprintf(text, sizeof text, byte > ' ' && byte < 127 ? "%c" : "<0x%02X>", byte);
        well = at_vocab_add(t->vocab, text, (size_t)size) >= 0;
    }
    if (!well) {
        at_tokenizer_free(t);
        return NULL;
    }
    t->frame.each = t->special[ATTEND_SPECIAL_EOS];
    return t;
}

static attend_status give(at_tokenizer **out, attend_error *err)
{
    *out = make();
    return *out ? ATTEND_OK : at_error_memory(err);
}

/* There is nothing to learn, but a text that cannot be read is said. */
static attend_status learn(at_line_source lines, const attend_learn_options *o, at_tokenizer **out,
                           attend_error *err)
{
    const char *text;
    size_t size;
    int more;
    (void)o;
    while ((more = lines.next(lines.user, &text, &size, err)) > 0)
        continue;
    return more < 0 ? (attend_status)more : give(out, err);
}

static attend_status read(const json_t *root, const char *file, at_tokenizer **out,
                          attend_error *err)
{
    (void)root;
    (void)file;
    return give(out, err);
}

static json_t *write(const at_tokenizer *t)
{
    return json_pack("{s:s, s:{s:s}}", "version", "1.0", "model", "type", t->kind->model);
}

static attend_status encode(const at_tokenizer *t, const char *text, size_t size, at_tokens *out,
                            attend_error *err)
{
    (void)t;
    (void)err;
    for (size_t i = 0; i < size; i++)
        at_tokens_add(out, (unsigned char)text[i] + SPECIALS, i, i + 1);
    out->invalid += at_utf8_count_invalid(text, size);
    return ATTEND_OK;
}

static attend_status join(const at_tokenizer *t, const at_text *tokens, size_t count, at_str *out,
                          attend_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++) {
        int32_t id = at_vocab_find(t->vocab, tokens[i].text, tokens[i].size);
        char byte = (char)(id - SPECIALS);
        if (id >= SPECIALS)
            at_str_add_bytes(out, &byte, 1);
        else /* a special piece, or no piece of ours: as it reads */
            at_str_add_bytes(out, tokens[i].text, tokens[i].size);
    }
    return ATTEND_OK;
}

const at_tokenizer_kind at_tokenizer_kind_bytes = {
    .name = "bytes",
    .what = "every byte is a piece; no vocabulary to learn, nothing unknown",
    .files = "tokenizer.json",
    .model = "bytes",
    .learn = learn,
    .read = read,
    .write = write,
    .encode = encode,
    .join = join,
    .free = free_bytes,
};
