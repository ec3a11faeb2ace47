/* roberta_small.jsonl, with vocab/roberta: texts and pairs in RoBERTa's frame. */
#include "base/memory.h"
#include "tokenizers.h"

static attend_status open_roberta(const at_case *c, const char *name, at_tokenizer **out,
                                  attend_error *err)
{
    char path[PATH_MAX];
    if (!at_token_file(c, "vocab/roberta", "vocab.json", path))
        return at_error(err, ATTEND_FILE, "no vocabulary for %s below %s", name, c->root);
    return at_tokenizer_open(path, out, err);
}

static void check_roberta(at_case *c, const at_tokenizer *t, at_token_line *line)
{
    at_tokens plain = {0}, framed = {0};
    at_str text = {0};
    attend_error err;
    if (at_encode(t, line->text, line->size, &plain, &err) < 0
        || at_encode_framed(t, line->text, line->size, line->pair, line->pair_size, &framed, NULL,
                            &err)
               < 0
        || at_token_decode(t, &plain, &text, &err) < 0) {
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    } else {
        at_token_compare_ids(c, line, "ids", &plain);
        at_token_compare_texts(c, line, "tokens", t, &plain);
        at_token_compare_ids(c, line, "ids_with_special", &framed);
        if (!line->pair)
            at_token_compare_text(c, line, "decoded", at_str_text(&text), text.length);
    }
    at_str_free(&text);
    at_tokens_free(&plain);
    at_tokens_free(&framed);
}

const at_token_check at_token_check_roberta = {"roberta_", open_roberta, check_roberta};
