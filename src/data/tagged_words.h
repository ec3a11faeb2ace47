/* Words with spaces between them as tokens. The first token of a word stands for it: it carries its
 * tag. A text of more tokens than fit is cut into chunks, where a word begins. */
#ifndef ATTEND_DATA_TAGGED_WORDS_H
#define ATTEND_DATA_TAGGED_WORDS_H

#include "data/encode.h"

/* start with {0} */
typedef struct {
    const at_tokenizer *tokenizer;
    at_tokens tokens;
    int *word;     /* [tokens]: the word that a token stands for, or -1 */
    at_text *text; /* [words] */
    int words;
    int room; /* tokens of a chunk, without the frame */
    size_t capacity[2];
} at_tagged_words;

/* limit: tokens of a chunk with its frame. Memory is kept from text to text. */
attend_status at_tagged_words_read(at_tagged_words *w, const at_tokenizer *t, int limit,
                                   at_text text, attend_error *err);
void at_tagged_words_free(at_tagged_words *w);

/* Where the chunk that begins at token `from` ends. */
int at_tagged_words_end(const at_tagged_words *w, int from);

/* The tokens [from, to) in their frame; *first receives the position of the first. */
void at_tagged_words_put(const at_tagged_words *w, int from, int to, at_tokens *out, int *first);

/* The chunks of a corpus as examples, whose targets are tags of tokens, -1 where a token stands for
 * no word. Fails at a tag that is not in the vocabulary. Of the corpus the part `wanted` is taken
 * (part NULL: all). */
attend_status at_tagged_examples_new(const at_corpus *c, const unsigned char *part, int wanted,
                                     const at_tokenizer *t, const at_vocab *tags, int limit,
                                     at_encoded **out, attend_error *err);

#endif
