/* English and French sentences about people and places whose names are made up, two in each: no
 * vocabulary has them, so they can only be copied. */
#include <string.h>

#include "makers/maker.h"

/* 1 and 2 stand for the names */
static const char *const sentences[][2] = {
    {"1 lives in 2.", "1 habite à 2."},
    {"I met 1 and 2 yesterday.", "Hier, j'ai rencontré 1 et 2."},
    {"Does 1 know 2?", "Est-ce que 1 connaît 2 ?"},
    {"Yesterday 1 left 2.", "1 a quitté 2 hier."},
    {"My name is 1, and I come from 2.", "Je m'appelle 1 et je viens de 2."},
    {"1 is the daughter of 2.", "1 est la fille de 2."},
    {"We saw 1 with 2 in the garden.", "Dans le jardin, nous avons vu 1 avec 2."},
    {"1 does not like 2.", "1 n'aime pas 2."},
};

enum { SENTENCES = sizeof sentences / sizeof *sentences, LETTERS = 16 };

/* two to four syllables, "Zumotira" */
static void make_name(at_dice *d, char name[LETTERS])
{
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";
    int syllables = 2 + at_dice_roll(d, 3), n = 0;
    for (int i = 0; i < syllables; i++) {
        name[n++] = consonants[at_dice_roll(d, sizeof consonants - 1)];
        name[n++] = vowels[at_dice_roll(d, sizeof vowels - 1)];
    }
    name[0] = (char)(name[0] - 'a' + 'A');
    name[n] = '\0';
}

static void say(at_str *to, const char *sentence, char name[2][LETTERS])
{
    for (const char *c = sentence; *c; c++)
        if (*c == '1' || *c == '2')
            at_str_add(to, name[*c - '1']);
        else
            at_str_add_bytes(to, c, 1);
}

static void make(at_dice *d, int size, at_made *made)
{
    at_str *source = &made->source, *target = &made->target;
    char name[2][LETTERS];
    (void)size;
    int which = at_dice_roll(d, SENTENCES);
    make_name(d, name[0]);
    do
        make_name(d, name[1]);
    while (strcmp(name[0], name[1]) == 0);
    say(source, sentences[which][0], name);
    say(target, sentences[which][1], name);
}

const at_maker at_maker_names = {
    .name = "names",
    .what = "English and French sentences with made-up names, to be copied",
    .make = make,
};
