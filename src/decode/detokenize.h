/* From the tokens of a hypothesis to its text: unknown tokens are replaced, and every token gets
 * the number of the word of the text that it is in.
 *
 * An unknown token attends to a word of the source (Luong et al. 2015, "rare words"): that word's
 * translation in a dictionary replaces it, or the word itself. */
#ifndef ATTEND_DECODE_DETOKENIZE_H
#define ATTEND_DECODE_DETOKENIZE_H

#include "base/arena.h"
#include "base/real.h"
#include "text/copying.h"
#include "text/dictionary.h"
#include "text/tokenizer.h"

typedef struct {
    const at_tokenizer *target;
    const at_dictionary *dictionary; /* or NULL */
    const at_tokens *source;         /* of the line */
    const at_copied *copied;         /* its words that the vocabulary lacks, where any can come */
    at_text line;
    bool words;    /* pieces of the source are whole words */
    int positions; /* of the line that were read: those of the source's pieces, one by one */
    at_arena *memory;
} at_detokenizer;

/* The texts of pieces as the vocabulary has them, or the line; NULL without memory. */
at_text *at_detokenizer_tokens(const at_detokenizer *w, int count, const int *id);

/* Replaces the text of an unknown piece by what it looked at most; false without memory. */
bool at_detokenizer_replace(const at_detokenizer *w, const real *weights, at_text *piece);

/* Joins the texts of pieces, but those of special ones. */
attend_status at_detokenizer_join(const at_detokenizer *w, int count, const int *id,
                                  const at_text *piece, at_str *out, attend_error *err);

/* Which word of the joined text, between white space, each piece is in; ATTEND_NO_WORD: none. */
attend_status at_detokenizer_words(const at_detokenizer *w, int count, const int *id,
                                   const at_text *piece, unsigned *word, attend_error *err);

#endif
