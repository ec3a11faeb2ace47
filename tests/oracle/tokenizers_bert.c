/* bert_*.jsonl. The name says all: bert_VOCABULARY[_OPTION]..., where VOCABULARY is small_cased or
 * small_uncased (vocab/bert_cased and the like), or a file tokenizers/vocab/bert-*.vocab.txt. */
#include <stdio.h>
#include <string.h>

#include "text/wordpiece.h"
#include "tokenizers.h"

/* Cuts _word from the end of name, or from its middle where the name goes on with _; true if so. */
static bool cut_word(char *name, const char *word)
{
    char *at = strstr(name, word);
    size_t n = strlen(word);

    if (!at || at == name || at[-1] != '_' || (at[n] && at[n] != '_'))
        return false;
    memmove(at - 1, at + n, strlen(at + n) + 1);
    return true;
}

/* base_uncased: bert-base-uncased.vocab.txt, or without what the options say: bert-chinese */
static bool find_vocab(const at_case *c, const char *name, bool cased, char path[PATH_MAX])
{
    char file[ATTEND_CASE_NAME + 20], stem[ATTEND_CASE_NAME];

    if (strcmp(name, "bert_small") == 0)
        return at_token_file(c, "vocab", cased ? "bert_cased/vocab.txt" : "bert_uncased/vocab.txt",
                             path);
    snprintf(stem, sizeof stem, "%s", name);
    for (char *at = stem; *at; at++)
        *at = *at == '_' ? '-' : *at;
    snprintf(file, sizeof file, "%s-%s.vocab.txt", stem, cased ? "cased" : "uncased");
    if (at_token_file(c, "tokenizers/vocab", file, path))
        return true;
    snprintf(file, sizeof file, "%s.vocab.txt", stem);
    return at_token_file(c, "tokenizers/vocab", file, path);
}

static attend_status open_bert(const at_case *c, const char *full, at_tokenizer **out,
                               attend_error *err)
{
    char name[ATTEND_CASE_NAME], path[PATH_MAX];

    snprintf(name, sizeof name, "%s", full);
    bool keep_accents = cut_word(name, "noaccentstrip"), lower = cut_word(name, "lower");
    bool no_chinese = cut_word(name, "nochinesesplit"), cased = cut_word(name, "cased");
    lower |= cut_word(name, "uncased");
    at_wordpiece_options options = at_wordpiece_defaults(lower);
    options.strip_accents = lower && !keep_accents;
    options.split_chinese = !no_chinese;
    options.special_alone = true; /* as the reference does when made from a bare vocabulary */
    if (!find_vocab(c, name, cased, path))
        return at_error(err, ATTEND_FILE, "no vocabulary for %s below %s", full, c->root);
    return at_wordpiece_load(path, &options, out, err);
}

static void check_bert(at_case *c, const at_tokenizer *t, at_token_line *line)
{
    at_tokens plain = {0}, framed = {0};
    attend_error err;

    if (at_encode(t, line->text, line->size, &plain, &err) < 0
        || at_encode_framed(t, line->text, line->size, NULL, 0, &framed, NULL, &err) < 0) {
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    } else {
        at_token_compare_ids(c, line, "ids", &plain);
        at_token_compare_texts(c, line, "tokens", t, &plain);
        at_token_compare_ids(c, line, "ids_with_special", &framed);
    }
    at_tokens_free(&plain);
    at_tokens_free(&framed);
}

const at_token_check at_token_check_bert = {"bert_", open_bert, check_bert};
