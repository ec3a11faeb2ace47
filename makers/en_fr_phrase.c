/* Noun phrases in English and French: their words, how they are chosen, and how French makes
 * determiner and adjectives agree, puts them in order, and elides. */
#include "makers/en_fr_phrase.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define ANY(dice, array) (&(array)[at_dice_roll(dice, COUNT(array))])

/* ---- words ---------------------------------------------------------------------------------- */

struct at_noun {
    const char *en, *en_many, *fr, *fr_many;
    bool feminine;
    at_noun_kind kind;
};

struct at_adjective {
    const char *en, *fr, *feminine, *many, *feminine_many;
    const char *opening; /* masculine before a vowel: bel, vieil; or NULL */
    at_noun_kind of;
};

static const at_noun beings[] = {
    {"cat", "cats", "chat", "chats", false, ATTEND_ANIMAL},
    {"dog", "dogs", "chien", "chiens", false, ATTEND_ANIMAL},
    {"horse", "horses", "cheval", "chevaux", false, ATTEND_ANIMAL},
    {"bird", "birds", "oiseau", "oiseaux", false, ATTEND_ANIMAL},
    {"elephant", "elephants", "éléphant", "éléphants", false, ATTEND_ANIMAL},
    {"mouse", "mice", "souris", "souris", true, ATTEND_ANIMAL},
    {"cow", "cows", "vache", "vaches", true, ATTEND_ANIMAL},
    {"goat", "goats", "chèvre", "chèvres", true, ATTEND_ANIMAL},
    {"frog", "frogs", "grenouille", "grenouilles", true, ATTEND_ANIMAL},
    {"doctor", "doctors", "médecin", "médecins", false, ATTEND_PERSON},
    {"woman", "women", "femme", "femmes", true, ATTEND_PERSON},
    {"man", "men", "homme", "hommes", false, ATTEND_PERSON},
    {"king", "kings", "roi", "rois", false, ATTEND_PERSON},
    {"queen", "queens", "reine", "reines", true, ATTEND_PERSON},
};

static const at_noun things[] = {
    {"house", "houses", "maison", "maisons", true, ATTEND_THING},
    {"tree", "trees", "arbre", "arbres", false, ATTEND_THING},
    {"car", "cars", "voiture", "voitures", true, ATTEND_THING},
    {"book", "books", "livre", "livres", false, ATTEND_THING},
    {"table", "tables", "table", "tables", true, ATTEND_THING},
    {"door", "doors", "porte", "portes", true, ATTEND_THING},
    {"boat", "boats", "bateau", "bateaux", false, ATTEND_THING},
    {"hat", "hats", "chapeau", "chapeaux", false, ATTEND_THING},
    {"flower", "flowers", "fleur", "fleurs", true, ATTEND_THING},
    {"church", "churches", "église", "églises", true, ATTEND_THING},
    {"picture", "pictures", "image", "images", true, ATTEND_THING},
    {"bridge", "bridges", "pont", "ponts", false, ATTEND_THING},
};

static const at_adjective before_noun[] = {
    {"little", "petit", "petite", "petits", "petites", NULL, ATTEND_ALL},
    {"big", "grand", "grande", "grands", "grandes", NULL, ATTEND_ALL},
    {"pretty", "joli", "jolie", "jolis", "jolies", NULL, ATTEND_ALL},
    {"beautiful", "beau", "belle", "beaux", "belles", "bel", ATTEND_ALL},
    {"old", "vieux", "vieille", "vieux", "vieilles", "vieil", ATTEND_ALL},
    {"new", "nouveau", "nouvelle", "nouveaux", "nouvelles", "nouvel", ATTEND_THING},
    {"young", "jeune", "jeune", "jeunes", "jeunes", NULL, ATTEND_BEING},
};

static const at_adjective colours[] = {
    {"white", "blanc", "blanche", "blancs", "blanches", NULL, ATTEND_ANIMAL | ATTEND_THING},
    {"black", "noir", "noire", "noirs", "noires", NULL, ATTEND_ANIMAL | ATTEND_THING},
    {"green", "vert", "verte", "verts", "vertes", NULL, ATTEND_ANIMAL | ATTEND_THING},
    {"red", "rouge", "rouge", "rouges", "rouges", NULL, ATTEND_ANIMAL | ATTEND_THING},
    {"blue", "bleu", "bleue", "bleus", "bleues", NULL, ATTEND_ANIMAL | ATTEND_THING},
    {"grey", "gris", "grise", "gris", "grises", NULL, ATTEND_ANIMAL | ATTEND_THING},
};

static const at_adjective qualities[] = {
    {"strange", "étrange", "étrange", "étranges", "étranges", NULL, ATTEND_ALL},
    {"famous", "célèbre", "célèbre", "célèbres", "célèbres", NULL, ATTEND_ALL},
    {"happy", "heureux", "heureuse", "heureux", "heureuses", NULL, ATTEND_BEING},
    {"clever", "intelligent", "intelligente", "intelligents", "intelligentes", NULL, ATTEND_BEING},
    {"expensive", "cher", "chère", "chers", "chères", NULL, ATTEND_THING},
    {"magnificent", "magnifique", "magnifique", "magnifiques", "magnifiques", NULL, ATTEND_ALL},
};

/* two to ten */
static const at_word_pair numbers[] = {{"two", "deux"},   {"three", "trois"}, {"four", "quatre"},
                                       {"five", "cinq"},  {"six", "six"},     {"seven", "sept"},
                                       {"eight", "huit"}, {"nine", "neuf"},   {"ten", "dix"}};

/* ---- choosing ------------------------------------------------------------------------------- */

static at_determiner choose_determiner(at_dice *d, bool plural, bool sure)
{
    static const int one[] = {30, 25, 0, 10, 8, 4, 4, 4}, many[] = {30, 0, 15, 10, 8, 4, 4, 4};
    at_determiner what = (at_determiner)at_dice_weighed(d, plural ? many : one, COUNT(one));
    return sure && (what == A || what == SOME) ? THE : what;
}

static bool fits(const at_adjective *a, const at_noun *n) { return a->of & n->kind; }

static const at_adjective *choose_adjective(at_dice *d, const at_adjective *list, int n,
                                            const at_noun *of)
{
    const at_adjective *a = &list[at_dice_roll(d, n)];
    while (!fits(a, of))
        a = &list[at_dice_roll(d, n)];
    return a;
}

static void choose_adjectives(at_dice *d, at_phrase *p)
{
    enum { BEFORE = 1, COLOUR = 2, QUALITY = 4 };
    static const int which[] =
        {0, BEFORE, COLOUR, QUALITY, BEFORE | COLOUR, QUALITY | COLOUR, BEFORE | QUALITY | COLOUR},
                     weights[] = {40, 17, 17, 6, 12, 6, 2};
    int w = which[at_dice_weighed(d, weights, COUNT(weights))];
    if (w & BEFORE)
        p->before = choose_adjective(d, before_noun, COUNT(before_noun), p->noun);
    if ((w & COLOUR) && p->noun->kind != ATTEND_PERSON)
        p->colour = choose_adjective(d, colours, COUNT(colours), p->noun);
    if (w & QUALITY)
        p->quality = choose_adjective(d, qualities, COUNT(qualities), p->noun);
}

at_phrase at_phrase_choose(at_dice *d, int things_in_hundred, bool sure)
{
    const at_noun *n = at_dice_chance(d, things_in_hundred) ? ANY(d, things) : ANY(d, beings);
    at_phrase p = {.plural = at_dice_chance(d, 40), .feminine = n->feminine, .noun = n};
    p.what = choose_determiner(d, p.plural, sure);
    if (n->kind == ATTEND_PERSON && p.what >= MY)
        p.what = THE;
    if (p.plural && p.what != SOME && at_dice_chance(d, 25))
        p.number = 2 + at_dice_roll(d, COUNT(numbers));
    if (p.number && (!sure || p.what == THE) && at_dice_chance(d, 60))
        p.what = BARE;
    choose_adjectives(d, &p);
    return p;
}

const at_adjective *at_adjective_choose(at_dice *d, const at_phrase *p)
{
    bool before = at_dice_chance(d, 40);
    for (;;) {
        const at_adjective *a = before ? ANY(d, before_noun) : ANY(d, qualities);
        if (p ? fits(a, p->noun) && a != p->before && a != p->quality : a->of != ATTEND_THING)
            return a;
    }
}

/* ---- ideas ---------------------------------------------------------------------------------- */

static int words_of(const at_str *s)
{
    int n = s->length > 0;
    for (size_t i = 0; i < s->length; i++)
        n += s->text[i] == ' ';
    return n;
}

/* The words from `first` on, which have just been said, say the idea. */
static void note(at_side *s, int first, int idea)
{
    int end = s->text->failed ? 0 : words_of(s->text);
    for (int word = first; word < end && s->count < ATTEND_SIDE_MAX; word++, s->count++) {
        s->said[s->count].word = word;
        s->said[s->count].idea = word > first ? idea | IDEA_HELP : idea;
    }
}

/* Does a later part of the same word say an idea itself? "l'arbre" is a tree more than "the". */
static bool covered(const at_side *s, int i)
{
    for (int k = i + 1; k < s->count; k++)
        if (s->said[k].word == s->said[i].word && !(s->said[k].idea & IDEA_HELP))
            return true;
    return false;
}

enum { NO_LINK, POSSIBLE, SURE };

static int link_of(const at_side *en, int i, const at_side *fr, int k)
{
    int a = en->said[i].idea, b = fr->said[k].idea;
    if ((a | IDEA_HELP) != (b | IDEA_HELP))
        return NO_LINK;
    return (a | b) & IDEA_HELP || covered(fr, k) ? POSSIBLE : SURE;
}

void at_sides_link(const at_side *en, const at_side *fr, at_str *gold)
{
    unsigned char links[ATTEND_SIDE_MAX][ATTEND_SIDE_MAX] = {{NO_LINK}};
    if (en->text->failed || fr->text->failed)
        return;
    for (int i = 0; i < en->count; i++)
        for (int k = 0; k < fr->count; k++) {
            unsigned char link = (unsigned char)link_of(en, i, fr, k),
                          *at = &links[en->said[i].word][fr->said[k].word];
            *at = link > *at ? link : *at;
        }
    for (int i = 0; i < words_of(en->text); i++)
        for (int k = 0; k < words_of(fr->text); k++)
            if (links[i][k])
                at_str_print(gold, "%s%d%c%d", gold->length ? " " : "", i + 1,
                             links[i][k] == SURE ? '-' : 'p', k + 1);
}

void at_side_end(at_side *s, int idea, const char *mark)
{
    at_str_add(s->text, mark);
    note(s, words_of(s->text) - 1, idea);
}

/* ---- English -------------------------------------------------------------------------------- */

static bool is_vowel(char c) { return strchr("aeiou", c) != NULL; }

void at_say_en(at_side *s, int idea, const char *words)
{
    int first = words_of(s->text);
    if (s->text->length && *words)
        at_str_add(s->text, " ");
    at_str_add(s->text, words);
    note(s, first, idea);
}

static const char *name_en(const at_phrase *p)
{
    return p->plural ? p->noun->en_many : p->noun->en;
}

void at_phrase_en(at_side *s, int idea, const at_phrase *p)
{
    static const char *const one[] = {"the", "a", "", "this", "my", "our", "his", "her", ""},
                             *const many[] = {"the", "",    "some", "these", "my",
                                              "our", "his", "her",  ""};
    const char *after[4] = {p->quality ? p->quality->en : NULL, p->before ? p->before->en : NULL,
                            p->colour ? p->colour->en : NULL, name_en(p)};
    static const at_idea ideas[] = {IDEA_QUALITY, IDEA_BEFORE, IDEA_COLOUR, IDEA_NOUN};
    int first = 0;
    while (!after[first])
        first++;
    bool an = p->what == A && is_vowel(after[first][0]);
    at_say_en(s, idea + IDEA_DETERMINER, an ? "an" : (p->plural ? many : one)[p->what]);
    if (p->number)
        at_say_en(s, idea + IDEA_NUMBER, numbers[p->number - 2].en);
    for (int i = first; i < 4; i++)
        if (after[i])
            at_say_en(s, idea + (int)ideas[i], after[i]);
}

/* ---- French --------------------------------------------------------------------------------- */

/* Does a word before it lose its vowel? Not before huit, though it sounds like it. */
static bool opens(const char *word)
{
    static const char *const letters[] = {"a", "e", "i", "o", "u", "h", "é", "ê", "î"};
    if (strcmp(word, "huit") == 0)
        return false;
    for (int i = 0; i < COUNT(letters); i++)
        if (strncmp(word, letters[i], strlen(letters[i])) == 0)
            return true;
    return false;
}

/* Are these the last words so far? */
static bool ends_in(const at_str *s, const char *words)
{
    size_t n = strlen(words);
    return s->length >= n && memcmp(s->text + s->length - n, words, n) == 0
           && (s->length == n || s->text[s->length - n - 1] == ' ');
}

static void cut(at_str *s, size_t bytes)
{
    s->length -= bytes;
    s->text[s->length] = 0;
}

/* le chat behind "de" is du chat: two words become one */
static void contract(at_side *s)
{
    int last = words_of(s->text) - 1;
    cut(s->text, strlen("e le"));
    at_str_add(s->text, "u");
    for (int i = 0; i < s->count; i++)
        s->said[i].word -= s->said[i].word == last;
}

static void add_fr(at_str *s, const char *words)
{
    static const char *const elided[] = {"le", "la", "je", "ne", "de", "que"};
    if (ends_in(s, "de") && strcmp(words, "les") == 0) {
        at_str_add(s, "s");
        return;
    }
    bool elides = false;
    for (int i = 0; i < COUNT(elided) && opens(words); i++)
        elides = elides || ends_in(s, elided[i]);
    if (elides)
        cut(s, 1);
    at_str_add(s, elides ? "'" : s->length ? " " : "");
    at_str_add(s, words);
}

void at_say_fr(at_side *s, int idea, const char *words)
{
    if (s->text->failed || !*words)
        return;
    if (ends_in(s->text, "de le") && !opens(words))
        contract(s);
    int words_said = 1;
    for (const char *c = words; *c; c++)
        words_said += *c == ' ';
    add_fr(s->text, words);
    note(s, words_of(s->text) - words_said, idea);
}

/* the form for a noun; next is the word that follows, or NULL */
static const char *agree(const at_adjective *a, bool feminine, bool plural, const char *next)
{
    if (!feminine && !plural && a->opening && next && opens(next))
        return a->opening;
    return plural ? feminine ? a->feminine_many : a->many : feminine ? a->feminine : a->fr;
}

/* "un", "cette", "nos"; denied: behind a negation, where un, une and des are de */
static const char *determiner_fr(const at_phrase *p, const char *next, bool denied)
{
    static const struct {
        const char *masculine, *opening, *feminine, *feminine_opening, *many;
    } forms[] = {
        [THE] = {"le", "le", "la", "la", "les"},
        [A] = {"un", "un", "une", "une", ""},
        [SOME] = {"", "", "", "", "des"},
        [THIS] = {"ce", "cet", "cette", "cette", "ces"},
        [MY] = {"mon", "mon", "ma", "mon", "mes"},
        [OUR] = {"notre", "notre", "notre", "notre", "nos"},
        [HIS] = {"son", "son", "sa", "son", "ses"},
        [HER] = {"son", "son", "sa", "son", "ses"},
        [BARE] = {"", "", "", "", ""},
    };
    if ((p->what == A && denied) || (p->what == SOME && (denied || p->before)))
        return "de";
    if (p->plural)
        return forms[p->what].many;
    if (p->feminine)
        return opens(next) ? forms[p->what].feminine_opening : forms[p->what].feminine;
    return opens(next) ? forms[p->what].opening : forms[p->what].masculine;
}

void at_phrase_fr(at_side *s, int idea, const at_phrase *p, bool denied)
{
    bool f = p->feminine;
    const char *name = p->plural ? p->noun->fr_many : p->noun->fr;
    const char *before = p->before ? agree(p->before, f, p->plural, name) : NULL;
    const char *number = p->number ? numbers[p->number - 2].fr : NULL;
    at_say_fr(s, idea + IDEA_DETERMINER,
              determiner_fr(p,
                            number   ? number
                            : before ? before
                                     : name,
                            denied));
    if (number)
        at_say_fr(s, idea + IDEA_NUMBER, number);
    if (before)
        at_say_fr(s, idea + IDEA_BEFORE, before);
    at_say_fr(s, idea + IDEA_NOUN, name);
    if (p->colour)
        at_say_fr(s, idea + IDEA_COLOUR, agree(p->colour, f, p->plural, NULL));
    if (p->quality)
        at_say_fr(s, idea + IDEA_QUALITY, agree(p->quality, f, p->plural, NULL));
}

void at_adjective_en(at_side *s, int idea, const at_adjective *a) { at_say_en(s, idea, a->en); }

void at_adjective_fr(at_side *s, int idea, const at_adjective *a, bool feminine, bool plural)
{
    at_say_fr(s, idea, agree(a, feminine, plural, NULL));
}
