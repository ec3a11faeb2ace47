/* Words, inside. */
#ifndef ATTEND_TEXT_WORDS_H
#define ATTEND_TEXT_WORDS_H

#include "text/code_points.h"
#include "text/spacing.h"
#include "text/tokenizer.h"
#include "text/word_cache.h"

typedef struct {
    at_tokenizer base;
    bool lower, punctuation, split_chinese;
    at_spacing spacing;
    at_word_cache *cache;
} at_words;

at_words *at_words_new(void); /* with the special pieces; NULL without memory */

/* A word of the text: its bytes, and how it is written in the vocabulary. */
typedef struct {
    at_text text; /* lower case where that is wanted, without marks */
    size_t begin, end;
    bool punctuation;                 /* and no quote: takes marks */
    bool mark_left, mark_right;       /* @ belongs to it there */
    bool close_left, close_right;     /* something is there without a blank between */
    bool letters_left, letters_right; /* which is no punctuation either */
} at_word;

typedef void at_words_sink(void *user, const at_word *word);

/* What cuts words, and the memory it uses again and again. */
typedef struct {
    const at_words *w;
    at_words_sink *sink;
    void *user;
    at_code_points code_points;
    at_word last; /* waits for its right neighbour */
    bool waiting;
    at_str text[2]; /* of the last word and the one before it, in turns */
    int turn;
} at_words_cutter;

void at_words_start(at_words_cutter *c, const at_words *w, at_words_sink *sink, void *user);
void at_words_end(at_words_cutter *c);

/* Gives the words of text[begin,end), in which there is no white space, to the sink. Adds to
 * invalid. Returns false without memory. */
bool at_words_cut(at_words_cutter *c, const char *text, size_t begin, size_t end, size_t *invalid);

/* The end of what starts at `begin` and has no white space; *next is where more begins. */
size_t at_words_chunk(const char *text, size_t begin, size_t size, size_t *next);

/* Appends the word with its marks. */
void at_word_spell(const at_word *word, at_str *out);

attend_status at_words_learn(at_line_source lines, const attend_learn_options *o,
                             at_tokenizer **out, attend_error *err);

#endif
