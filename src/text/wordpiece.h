/* WordPiece as BERT has it (Schuster and Nakajima 2012; Devlin et al. 2018), inside. */
#ifndef ATTEND_TEXT_WORDPIECE_H
#define ATTEND_TEXT_WORDPIECE_H

#include "text/code_points.h"
#include "text/tokenizer.h"
#include "text/word_cache.h"

enum { ATTEND_WORDPIECE_PREFIX = 16, ATTEND_WORDPIECE_CHARS = 1000 };

typedef struct {
    bool lower, strip_accents, split_chinese;
    bool special_alone; /* [MASK] is found as a word between white space alone, not in "[MASK]." */
    bool special_never; /* it is text like any other */
    int max_chars;      /* a longer word is unknown as a whole */
    char prefix[ATTEND_WORDPIECE_PREFIX]; /* of pieces that continue a word: "##" */
} at_wordpiece_options;

typedef struct {
    at_tokenizer base;
    at_wordpiece_options options;
    size_t max_length;     /* bytes of the longest piece */
    at_vocab *never_split; /* words between white space that are pieces as they are; or NULL */
    at_word_cache *cache;
} at_wordpiece;

/* BERT's, for lower case or not: accents go with the case */
at_wordpiece_options at_wordpiece_defaults(bool lower);

/* From vocab.txt. options may be NULL: those of tokenizer_config.json beside it, and where there
 * is none, lower case unless the vocabulary has capitals. */
attend_status at_wordpiece_load(const char *path, const at_wordpiece_options *options,
                                at_tokenizer **out, attend_error *err);

/* An empty one; NULL without memory. */
at_wordpiece *at_wordpiece_new(const at_wordpiece_options *options);

/* To be called when the vocabulary is complete: the special pieces by their usual texts where they
 * are not known yet, and the frame. Fails where there is no unknown piece. */
attend_status at_wordpiece_ready(at_wordpiece *w, const char *file, attend_error *err);

/* What becomes of each word: letters [begin,end) are in their normal form. */
typedef void at_wordpiece_sink(void *user, const at_code_points *code_points, size_t begin,
                               size_t end);

/* Cleans a text and gives its words, each punctuation mark by itself. whole receives the words of
 * never_split. Returns false without memory. invalid may be NULL. */
bool at_wordpiece_words(const at_wordpiece *w, const char *text, size_t begin, size_t end,
                        at_wordpiece_sink *word, at_wordpiece_sink *whole, void *user,
                        size_t *invalid);

/* the kind's functions that have files of their own */
attend_status at_wordpiece_encode(const at_tokenizer *t, const char *text, size_t size,
                                  at_tokens *out, attend_error *err);
attend_status at_wordpiece_learn(at_line_source lines, const attend_learn_options *o,
                                 at_tokenizer **out, attend_error *err);

#endif
