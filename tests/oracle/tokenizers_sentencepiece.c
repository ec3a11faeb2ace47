/* Models of SentencePiece: sp_* is what its own library makes of a text, hf_* what Hugging Face's
 * XLNetTokenizer does. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "text/sentencepiece.h"
#include "tokenizers.h"

/* "test_sentencepiece_bytefallback" has its model under another name */
static attend_status open_model(const at_case *c, const char *name, at_tokenizer **out,
                                attend_error *err)
{
    char path[PATH_MAX], file[ATTEND_CASE_NAME + 8];
    bool bytes = strcmp(name, "test_sentencepiece_bytefallback") == 0;

    snprintf(file, sizeof file, "%s.model", bytes ? "test_sentencepiece_with_bytefallback" : name);
    bool there = strcmp(name, "xlnet_small") == 0
                     ? at_token_file(c, "vocab/xlnet", "spiece.model", path)
                     : at_token_file(c, "tokenizers/vocab", file, path);
    if (!there)
        return at_error(err, ATTEND_FILE, "no model for %s below %s", name, c->root);
    return at_tokenizer_open(path, out, err);
}

/* ---- the library's own ------------------------------------------------------------------- */

typedef struct {
    at_case *c;
    at_token_line *line;
    const json_t *want;
    size_t at;
} pieces_check;

static void check_piece(void *user, const at_spiece_token *p)
{
    pieces_check *k = user;
    const json_t *text = json_array_get(k->want, k->at++);

    if (json_string_length(text) != p->size || memcmp(json_string_value(text), p->text, p->size))
        at_token_fail(k->c, k->line, "sp_pieces[%zu] is \"%.40s\"", k->at - 1, p->text);
}

static void check_pieces(at_case *c, const at_tokenizer *t, at_token_line *line)
{
    const at_sentencepiece *s = (const at_sentencepiece *)t;
    pieces_check k = {c, line, json_object_get(line->json, "sp_pieces"), 0};
    attend_error err;

    c->comparisons++;
    if (at_spiece_encode(s->spiece, line->text, line->size, check_piece, &k, &err) < 0)
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    if (k.at != json_array_size(k.want))
        at_token_fail(c, line, "%zu sp_pieces, expected %zu", k.at, json_array_size(k.want));
}

static void check_ids(at_case *c, at_tokenizer *t, at_token_line *line)
{
    at_tokens p = {0};
    at_str text = {0};
    attend_error err;

    at_sentencepiece_follow(t, ATTEND_SPIECE_PLAIN, (at_spiece_cleaning){0});
    if (at_encode(t, line->text, line->size, &p, &err) < 0
        || at_token_decode(t, &p, &text, &err) < 0) {
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    } else {
        at_token_compare_ids(c, line, "sp_ids", &p);
        at_token_compare_text(c, line, "sp_decoded", at_str_text(&text), text.length);
    }
    at_str_free(&text);
    at_tokens_free(&p);
}

/* ---- XLNet's ----------------------------------------------------------------------------- */

static void check_xlnet(at_case *c, at_tokenizer *t, at_token_line *line, const char *key,
                        bool keep_accents, bool framed)
{
    at_tokens p = {0};
    attend_error err;
    attend_status status;

    if (!json_object_get(line->json, key))
        return; /* not a model that XLNet can have */
    at_sentencepiece_follow(t, ATTEND_SPIECE_XLNET,
                            (at_spiece_cleaning){true, keep_accents, false});
    if (framed)
        status = at_encode_framed(t, line->text, line->size, NULL, 0, &p, NULL, &err);
    else
        status = at_encode(t, line->text, line->size, &p, &err);
    if (status < 0)
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    else
        at_token_compare_ids(c, line, key, &p);
    at_tokens_free(&p);
}

static void check_line(at_case *c, const at_tokenizer *opened, at_token_line *line)
{
    at_tokenizer *t = (at_tokenizer *)opened; /* ours alone: its conventions change here */

    check_pieces(c, t, line);
    check_ids(c, t, line);
    check_xlnet(c, t, line, "hf_ids", false, false);
    check_xlnet(c, t, line, "hf_keep_accents_ids", true, false);
    check_xlnet(c, t, line, "hf_ids_with_special", false, true);
}

const at_token_check at_token_check_albert = {"albert_", open_model, check_line};
const at_token_check at_token_check_sentencepiece = {"test_sentencepiece", open_model, check_line};
const at_token_check at_token_check_xlnet = {"xlnet_", open_model, check_line};
