/* The cases tokenizers/NAME.jsonl: a text per line, and what another tokenizer made of it. A kind
 * of tokenizer is a file tokenizers_KIND.c and a line of the table in family_tokenizers.c, which
 * finds it by how NAME begins. */
#ifndef ATTEND_TESTS_ORACLE_TOKENIZERS_H
#define ATTEND_TESTS_ORACLE_TOKENIZERS_H

#include "oracle.h"
#include "text/tokenizer.h"

typedef struct {
    const json_t *json;
    const char *text; /* from utf8_hex */
    size_t size;
    const char *pair; /* from pair_utf8_hex; NULL: the line is no pair */
    size_t pair_size;
    long number;   /* of the line */
    bool optional; /* depends on the version of Unicode: a difference is no failure */
    int wrong;     /* differences in it so far */
} at_token_line;

typedef struct {
    const char *prefix; /* "bert_" */
    /* Opens what the case's texts were encoded with; name is that of the file without .jsonl. */
    attend_status (*open)(const at_case *c, const char *name, at_tokenizer **out,
                          attend_error *err);
    void (*check)(at_case *c, const at_tokenizer *t, at_token_line *line);
} at_token_check;

extern const at_token_check at_token_check_bert, at_token_check_gpt2, at_token_check_albert,
    at_token_check_sentencepiece, at_token_check_xlnet, at_token_check_marian,
    at_token_check_roberta;

/* Compares with the array of numbers under key; one that is absent fails. */
void at_token_compare_ids(at_case *c, at_token_line *line, const char *key, const at_tokens *got);

/* Compares with the array of texts under key: those of the pieces' ids. */
void at_token_compare_texts(at_case *c, at_token_line *line, const char *key, const at_tokenizer *t,
                            const at_tokens *got);

/* Compares with the text under key. */
void at_token_compare_text(at_case *c, at_token_line *line, const char *key, const char *got,
                           size_t size);

/* The text of the pieces' ids, special ones included. */
attend_status at_token_decode(const at_tokenizer *t, const at_tokens *p, at_str *out,
                              attend_error *err);

/* Fails the case, unless the line is optional. */
void at_token_fail(at_case *c, at_token_line *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* root/first/second into path; false where there is no such file */
bool at_token_file(const at_case *c, const char *folder, const char *name, char path[PATH_MAX]);

#endif
