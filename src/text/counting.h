/* Words of a text as people count them, for links and for lengths: what stands between white space,
 * and in Chinese and Japanese, which leave no blanks, every character. Text of these that somebody
 * has cut into words, with blanks between them, keeps its words. */
#ifndef ATTEND_TEXT_COUNTING_H
#define ATTEND_TEXT_COUNTING_H

#include "text/tokenizer.h"

/* Has it Chinese or Japanese characters, and nowhere white space between two of them? */
bool at_words_stand_alone(const char *text, size_t size);

/* How many words there are; alone: those characters are words by themselves. */
uint32_t at_words_count(const char *text, size_t size, bool alone);

/* The next word from *at on, which moves after it; false if there is none. */
bool at_words_next(const char *text, size_t size, bool alone, size_t *at, at_text *word);

/* The word, from 0, of a piece in a text whose characters stand alone: that of its first character
 * that is no white space; ATTEND_NO_WORD of a piece that has none. */
uint32_t at_word_of(const char *text, size_t size, const at_token *token);

/* A text without the white space around it. */
at_text at_trimmed(const char *text, size_t size);

#endif
