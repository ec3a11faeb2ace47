/* gpt2.jsonl, with OpenAI's files in tokenizers/vocab, and gpt2_small.jsonl, with vocab/gpt2. Here
 * <|endoftext|> in a text is text, as with split_special_tokens. */
#include <string.h>

#include "base/memory.h"
#include "text/gpt2.h"
#include "tokenizers.h"

static attend_status open_gpt2(const at_case *c, const char *name, at_tokenizer **out,
                               attend_error *err)
{
    char path[PATH_MAX];
    bool small = strcmp(name, "gpt2_small") == 0;

    if (!at_token_file(c, small ? "vocab/gpt2" : "tokenizers/vocab",
                       small ? "vocab.json" : "gpt2.encoder.json", path))
        return at_error(err, ATTEND_FILE, "no vocabulary for %s below %s", name, c->root);
    attend_status status = at_tokenizer_open(path, out, err);
    if (status >= 0)
        at_gpt2_split_specials(*out, true);
    return status;
}

static void check_offsets(at_case *c, at_token_line *line, const at_tokens *p)
{
    size_t end = 0;

    for (size_t i = 0; i < p->count; i++) {
        if (p->item[i].begin != end)
            at_token_fail(c, line, "piece %zu begins at byte %u, not %zu", i, p->item[i].begin,
                          end);
        end = p->item[i].end;
    }
    if (end != line->size)
        at_token_fail(c, line, "the pieces end at byte %zu of %zu", end, line->size);
}

static void check_gpt2(at_case *c, const at_tokenizer *t, at_token_line *line)
{
    at_tokens p = {0};
    at_str text = {0};
    attend_error err;

    if (at_encode(t, line->text, line->size, &p, &err) < 0
        || at_token_decode(t, &p, &text, &err) < 0) {
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    } else {
        at_token_compare_ids(c, line, "ids", &p);
        at_token_compare_text(c, line, "decoded", at_str_text(&text), text.length);
        check_offsets(c, line, &p);
    }
    at_str_free(&text);
    at_tokens_free(&p);
}

const at_token_check at_token_check_gpt2 = {"gpt2", open_gpt2, check_gpt2};
