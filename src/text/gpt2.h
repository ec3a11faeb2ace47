/* The tokenizer of the kind gpt2 from inside: what its work (tokenizer_gpt2.c), its files
 * (gpt2_files.c, gpt2_json.c) and its learning (gpt2_learn.c) share. */
#ifndef ATTEND_TEXT_GPT2_H
#define ATTEND_TEXT_GPT2_H

#include "text/bpe.h"
#include "text/gpt2_words.h"
#include "text/tokenizer.h"
#include "text/word_cache.h"

typedef struct {
    at_tokenizer base; /* pieces are text in GPT-2's characters for bytes: "Ġworld" */
    at_bpe *bpe;
    at_gpt2_words *words;
    at_word_cache *cache;
    bool prefix_space;   /* a text starts as if a blank stood before it */
    bool split_specials; /* the text of a special piece is text like any other */
} at_gpt2_tokenizer;

#define ATTEND_GPT2_END "<|endoftext|>"

attend_status at_gpt2_new(at_gpt2_tokenizer **out, attend_error *err);

/* The last step of making one, with vocabulary and merges there: the ids of bytes, and what the
 * special pieces are where no file says it. Fails where a byte has no piece and nothing stands for
 * what is unknown. file is for the message. */
attend_status at_gpt2_finish(at_gpt2_tokenizer *g, const char *file, attend_error *err);

/* Hugging Face's split_special_tokens: whether ATTEND_GPT2_END in a text is text. It is found,
 * unless tokenizer_config.json says otherwise. */
void at_gpt2_split_specials(at_tokenizer *t, bool split);

/* ---- its files ---- */

/* "#version", and "left right" a line; once the vocabulary is there. file is for messages. */
attend_status at_gpt2_read_merge_lines(at_gpt2_tokenizer *g, const char *text, size_t size,
                                       const char *file, attend_error *err);

/* ["left right", ["left", "right"], ...], likewise */
attend_status at_gpt2_read_merges(at_gpt2_tokenizer *g, const json_t *list, const char *file,
                                  attend_error *err);

/* Special tokens as RoBERTa calls them, where they are in the vocabulary and no file has named
 * others. */
void at_gpt2_roberta(at_gpt2_tokenizer *g);

/* What tokenizer_config.json says; config may be NULL. */
void at_gpt2_configure(at_gpt2_tokenizer *g, const json_t *config);

void at_gpt2_merge_text(const at_gpt2_tokenizer *g, int rank, at_str *out); /* "left right" */

/* ---- members of the kind ---- */

attend_status at_gpt2_load(const char *path, at_tokenizer **out, attend_error *err);
attend_status at_gpt2_save(const at_tokenizer *t, const char *folder, attend_error *err);
attend_status at_gpt2_read(const json_t *root, const char *file, at_tokenizer **out,
                           attend_error *err);
json_t *at_gpt2_write(const at_tokenizer *t);
attend_status at_gpt2_learn(at_line_source lines, const attend_learn_options *o, at_tokenizer **out,
                            attend_error *err);

#endif
