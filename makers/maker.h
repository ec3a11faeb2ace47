/* Examples that are made by a rule instead of read from a file: corpora for trying things out,
 * without a download, as large as one likes. Each is one file maker_NAME.c with one const at_maker,
 * and a line in makers.def.
 *
 * An example is a function of the seed and its number alone, so the same corpus comes out
 * everywhere. */
#ifndef ATTEND_MAKE_MAKER_H
#define ATTEND_MAKE_MAKER_H

#include "base/error.h"
#include "base/random.h"
#include "base/str.h"

/* the random choices of one example, one after another */
typedef struct {
    at_random key;
    uint32_t next;
} at_dice;

int at_dice_roll(at_dice *d, int sides);         /* 0..sides-1 */
bool at_dice_chance(at_dice *d, int in_hundred); /* true so many times in a hundred */
int at_dice_weighed(at_dice *d, const int *weights,
                    int count); /* i, weights[i] times in their sum */

/* an example: what its maker writes onto empty strings */
typedef struct {
    at_str source, target;
    at_str gold; /* of makers with gold: alignment links of the words, "1-1 2p1", counted from 1 */
    at_str rgb;  /* of makers with pictures: [height][width][3] bytes */
    int width, height;
} at_made;

typedef struct at_maker at_maker;
struct at_maker {
    const char *name;            /* "en-fr" */
    const char *what;            /* its examples, in a few words */
    int size, smallest, largest; /* what --size is by itself, and may be; 0: there is no size */
    bool features;               /* the source is vectors: "1,2 3,4" is two of two numbers */
    bool gold;                   /* it knows which words are translations of each other */
    bool pictures;               /* the source is the patches of one */
    void (*make)(at_dice *d, int size, at_made *made);
};

#define MAKER(name) extern const at_maker at_maker_##name;
#include "makers/makers.def"
#undef MAKER

extern const at_maker *const at_makers[];
extern const int at_maker_count;

const at_maker *at_maker_find(const char *name); /* or NULL */

/* The same; fails where there is none of this name, with the nearest name in the message. */
attend_status at_maker_named(const char *name, const at_maker **maker, attend_error *err);

/* takes an example; what it returns below 0 ends the making */
typedef attend_status at_take_made(void *user, const at_made *made, attend_error *err);

/* Makes count examples, no two with the same source, each handed to take.
 *
 * size      of an example; 0 is the maker's own
 *
 * Fails where the rule has no more different sources, and where the maker has no such size. */
attend_status at_maker_run(const at_maker *m, long count, uint64_t seed, int size,
                           at_take_made *take, void *user, attend_error *err);

#endif
