/* Noun phrases of the English and French grammar of maker_en_fr.c: "the two old horses", "les deux
 * vieux chevaux". */
#ifndef ATTEND_MAKE_EN_FR_PHRASE_H
#define ATTEND_MAKE_EN_FR_PHRASE_H

#include "makers/maker.h"

/* what a noun is, and what an adjective is said of */
typedef enum {
    ATTEND_PERSON = 1,
    ATTEND_ANIMAL = 2,
    ATTEND_BEING = ATTEND_PERSON | ATTEND_ANIMAL,
    ATTEND_THING = 4,
    ATTEND_ALL = ATTEND_BEING | ATTEND_THING
} at_noun_kind;

typedef struct at_noun at_noun;
typedef struct at_adjective at_adjective;
typedef struct {
    const char *en, *fr;
} at_word_pair;

typedef enum { THE, A, SOME, THIS, MY, OUR, HIS, HER, BARE } at_determiner;

typedef struct {
    at_determiner what;
    int number; /* 2 to 10, or 0: not said */
    bool plural, feminine;
    const at_noun *noun;
    const at_adjective *before, *colour, *quality; /* or NULL */
} at_phrase;

/* A phrase about a thing, so many times in a hundred, or about a being. sure: the speaker knows
 * which one, and says neither "a" nor "some". */
at_phrase at_phrase_choose(at_dice *d, int things_in_hundred, bool sure);

/* An adjective that can be said of what the phrase names and is not in it; of people for NULL. */
const at_adjective *at_adjective_choose(at_dice *d, const at_phrase *p);

/* What a word says: words of both languages that say the same idea are aligned. A phrase has ideas
 * of its own, from the number that its functions are given. */
typedef enum {
    IDEA_DETERMINER,
    IDEA_NUMBER,
    IDEA_BEFORE,
    IDEA_COLOUR,
    IDEA_QUALITY,
    IDEA_NOUN,
    IDEAS_OF_PHRASE = 8,
    IDEA_HELP = 1 << 12 /* flag: the words only help to say it, as "for" in "look for" */
} at_idea;

enum { ATTEND_SIDE_MAX = 96 };

/* one language's half of an example */
typedef struct {
    at_str *text;
    int count;
    struct {
        int word, idea; /* the number of the word in the text, from 0 */
    } said[ATTEND_SIDE_MAX];
} at_side;

/* Appends words. Where they are several, the first one says the idea and the others help. In French
 * le + arbre is l'arbre, de + le + chat is du chat. */
void at_say_en(at_side *s, int idea, const char *words);
void at_say_fr(at_side *s, int idea, const char *words);

/* Appends a mark to the last word, which then says this idea, too. */
void at_side_end(at_side *s, int idea, const char *mark);

/* Links of the two halves, counted from 1: "1-2" for two words of which each says the same idea
 * itself, "1p2" where one of them helps to, or was contracted with a word after it. */
void at_sides_link(const at_side *en, const at_side *fr, at_str *gold);

void at_phrase_en(at_side *s, int idea, const at_phrase *p);

/* denied: the object of what is not done, where un, une and des are de */
void at_phrase_fr(at_side *s, int idea, const at_phrase *p, bool denied);

/* as in "she is old" */
void at_adjective_en(at_side *s, int idea, const at_adjective *a);
void at_adjective_fr(at_side *s, int idea, const at_adjective *a, bool feminine, bool plural);

#endif
