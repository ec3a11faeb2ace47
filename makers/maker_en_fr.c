/* English sentences and their French translations, from a small grammar: what makes the two
 * languages differ in order and agreement, and little else.
 *
 *   the strange little black cats    les petits chats noirs étranges
 *   He never saw her.                Il ne l'a jamais vue.
 *   Does she look for an old tree?   Est-ce qu'elle cherche un vieil arbre ?
 *
 * A sentence is chosen first, as a clause of phrases, and then said in both languages. */
#include "makers/en_fr_phrase.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define ANY(dice, array) (&(array)[at_dice_roll(dice, COUNT(array))])

/* ---- words ---------------------------------------------------------------------------------- */

typedef enum { I, ONE, WE, YOU, THEY } person;

typedef struct {
    const char *en, *third, *past;
    const char *present[5]; /* je, il, nous, vous, ils */
    const char *participle, *future;
    bool sure; /* of what it is about: "a" and "some" do not stand behind it */
} verb;

typedef struct {
    const char *en, *fr;
    person person;
    bool feminine;
} pronoun;

static const verb with_object[] = {
    {"see", "sees", "saw", {"vois", "voit", "voyons", "voyez", "voient"}, "vu", "verr", false},
    {"like",
     "likes",
     "liked",
     {"aime", "aime", "aimons", "aimez", "aiment"},
     "aimé",
     "aimer",
     true},
    {"find",
     "finds",
     "found",
     {"trouve", "trouve", "trouvons", "trouvez", "trouvent"},
     "trouvé",
     "trouver",
     false},
    {"look for",
     "looks for",
     "looked for",
     {"cherche", "cherche", "cherchons", "cherchez", "cherchent"},
     "cherché",
     "chercher",
     false},
    {"draw",
     "draws",
     "drew",
     {"dessine", "dessine", "dessinons", "dessinez", "dessinent"},
     "dessiné",
     "dessiner",
     false},
    {"follow",
     "follows",
     "followed",
     {"suis", "suit", "suivons", "suivez", "suivent"},
     "suivi",
     "suivr",
     false},
    {"forget",
     "forgets",
     "forgot",
     {"oublie", "oublie", "oublions", "oubliez", "oublient"},
     "oublié",
     "oublier",
     false},
    {"wait for",
     "waits for",
     "waited for",
     {"attends", "attend", "attendons", "attendez", "attendent"},
     "attendu",
     "attendr",
     false},
    {"paint",
     "paints",
     "painted",
     {"peins", "peint", "peignons", "peignez", "peignent"},
     "peint",
     "peindr",
     false},
};

static const verb without_object[] = {
    {"sleep",
     "sleeps",
     "slept",
     {"dors", "dort", "dormons", "dormez", "dorment"},
     "dormi",
     "dormir",
     false},
    {"sing",
     "sings",
     "sang",
     {"chante", "chante", "chantons", "chantez", "chantent"},
     "chanté",
     "chanter",
     false},
    {"eat",
     "eats",
     "ate",
     {"mange", "mange", "mangeons", "mangez", "mangent"},
     "mangé",
     "manger",
     false},
    {"play",
     "plays",
     "played",
     {"joue", "joue", "jouons", "jouez", "jouent"},
     "joué",
     "jouer",
     false},
    {"run",
     "runs",
     "ran",
     {"cours", "court", "courons", "courez", "courent"},
     "couru",
     "courr",
     false},
};

static const at_word_pair places[] = {
    {"behind", "derrière"}, {"in front of", "devant"}, {"under", "sous"}, {"near", "près de"}};

static const pronoun pronouns[] = {
    {"I", "je", I, false},     {"he", "il", ONE, false},    {"she", "elle", ONE, true},
    {"we", "nous", WE, false}, {"you", "vous", YOU, false}, {"they", "ils", THEY, false},
};

static const pronoun third_persons[] = {
    {"he", "il", ONE, false}, {"she", "elle", ONE, true}, {"they", "ils", THEY, false}};

static const pronoun object_pronouns[] = {
    {"him", "le", ONE, false}, {"her", "la", ONE, true}, {"them", "les", THEY, false}};

/* ---- clauses -------------------------------------------------------------------------------- */

typedef enum { PRESENT, PAST, FUTURE } tense;
typedef enum { PLAIN, NOT, OFTEN, ALWAYS, NEVER } twist;
typedef enum { NOTHING, PHRASE, PRONOUN, PLACE, HOW_MANY } behind;

/* what a clause says, before its phrases' own ideas are added */
enum {
    SUBJECT,
    OBJECT = SUBJECT + IDEAS_OF_PHRASE,
    VERB = OBJECT + IDEAS_OF_PHRASE,
    TWIST,
    WHERE,
    MANY,
    QUALITY,
    IDEAS_OF_CLAUSE,
    CONJUNCTION = 2 * IDEAS_OF_CLAUSE, /* after two clauses */
    END,
    HELP = IDEA_HELP
};

typedef struct {
    int idea;           /* 0, or of a second clause IDEAS_OF_CLAUSE: where its ideas begin */
    const pronoun *who; /* or NULL: the subject */
    at_phrase subject;
    const verb *verb;
    tense tense;
    twist twist;
    behind behind; /* the verb */
    at_phrase object;
    const pronoun *whom;
    const at_word_pair *place; /* "behind" */
} clause;

static bool denies(const clause *c) { return c->twist == NOT || c->twist == NEVER; }

static person person_of(const clause *c)
{
    return c->who ? c->who->person : c->subject.plural ? THEY : ONE;
}

static void choose_subject(at_dice *d, clause *c)
{
    if (at_dice_chance(d, 40))
        c->who = ANY(d, pronouns);
    else
        c->subject = at_phrase_choose(d, 0, false);
}

/* a verb with something behind it, or one that may have a place */
static clause choose_clause(at_dice *d)
{
    static const int tenses[] = {50, 25, 25};
    clause c = {.tense = (tense)at_dice_weighed(d, tenses, COUNT(tenses))};
    choose_subject(d, &c);
    if (at_dice_chance(d, 25)) {
        c.verb = ANY(d, without_object);
        c.behind = at_dice_chance(d, 85) ? PLACE : NOTHING;
        c.place = ANY(d, places);
        c.object = at_phrase_choose(d, 60, true);
        return c;
    }
    c.verb = ANY(d, with_object);
    c.behind = at_dice_chance(d, 25) ? PRONOUN : PHRASE;
    c.whom = ANY(d, object_pronouns);
    c.object = at_phrase_choose(d, 60, c.verb->sure);
    return c;
}

static const char *verb_en(const clause *c)
{
    return c->tense == PAST ? c->verb->past : person_of(c) == ONE ? c->verb->third : c->verb->en;
}

static const char *helper_en(const clause *c)
{
    return c->tense == FUTURE    ? "will"
           : c->tense == PAST    ? "did"
           : person_of(c) == ONE ? "does"
                                 : "do";
}

static void subject_en(at_side *s, const clause *c)
{
    if (c->who)
        at_say_en(s, c->idea + SUBJECT + IDEA_NOUN, c->who->en);
    else
        at_phrase_en(s, c->idea + SUBJECT, &c->subject);
}

static void behind_en(at_side *s, const clause *c)
{
    if (c->behind == PRONOUN)
        at_say_en(s, c->idea + OBJECT + IDEA_NOUN, c->whom->en);
    if (c->behind == PLACE)
        at_say_en(s, c->idea + WHERE, c->place->en);
    if (c->behind == PHRASE || c->behind == PLACE)
        at_phrase_en(s, c->idea + OBJECT, &c->object);
}

static void clause_en(at_side *s, const clause *c)
{
    static const char *const adverbs[] = {"", "not", "often", "always", "never"};
    bool helped = c->twist == NOT || c->tense == FUTURE;
    subject_en(s, c);
    if (helped)
        at_say_en(s, (c->idea + VERB) | HELP, helper_en(c));
    at_say_en(s, c->idea + TWIST, adverbs[c->twist]);
    at_say_en(s, c->idea + VERB, helped ? c->verb->en : verb_en(c));
    behind_en(s, c);
}

static void question_en(at_side *s, const clause *c)
{
    if (c->behind == HOW_MANY) {
        at_say_en(s, c->idea + MANY, "how many");
        at_phrase_en(s, c->idea + OBJECT, &c->object);
    }
    at_say_en(s, (c->idea + VERB) | HELP, helper_en(c));
    subject_en(s, c);
    at_say_en(s, c->idea + VERB, c->verb->en);
    behind_en(s, c);
    at_side_end(s, END | HELP, "?");
}

static void subject_fr(at_side *s, const clause *c)
{
    if (c->who)
        at_say_fr(s, c->idea + SUBJECT + IDEA_NOUN, c->who->fr);
    else
        at_phrase_fr(s, c->idea + SUBJECT, &c->subject, false);
}

/* A participle agrees with an object that stands before it: je les ai vus. */
static void participle_fr(at_side *s, const clause *c)
{
    bool feminine = c->behind == PRONOUN ? c->whom->feminine
                                         : c->behind == HOW_MANY && c->object.feminine;
    bool many = c->behind == PRONOUN ? c->whom->person == THEY : c->behind == HOW_MANY;
    at_say_fr(s, c->idea + VERB, c->verb->participle);
    at_str_add(s->text, feminine ? "e" : "");
    at_str_add(s->text, many ? "s" : "");
}

static void verb_fr(at_side *s, const clause *c)
{
    static const char *const adverbs[] = {"", "pas", "souvent", "toujours", "jamais"},
                             *const to_have[] = {"ai", "a", "avons", "avez", "ont"},
                             *const endings[] = {"ai", "a", "ons", "ez", "ont"};
    person p = person_of(c);
    if (c->tense == FUTURE) {
        at_say_fr(s, c->idea + VERB, c->verb->future);
        at_str_add(s->text, endings[p]);
    } else {
        at_say_fr(s, (c->idea + VERB) | (c->tense == PAST ? HELP : 0),
                  c->tense == PAST ? to_have[p] : c->verb->present[p]);
    }
    at_say_fr(s, c->idea + TWIST, adverbs[c->twist]);
    if (c->tense == PAST)
        participle_fr(s, c);
}

static void clause_fr(at_side *s, const clause *c)
{
    subject_fr(s, c);
    if (denies(c))
        at_say_fr(s, (c->idea + TWIST) | HELP, "ne");
    if (c->behind == PRONOUN)
        at_say_fr(s, c->idea + OBJECT + IDEA_NOUN, c->whom->fr);
    verb_fr(s, c);
    if (c->behind == PLACE)
        at_say_fr(s, c->idea + WHERE, c->place->fr);
    if (c->behind == PHRASE || c->behind == PLACE)
        at_phrase_fr(s, c->idea + OBJECT, &c->object, denies(c) && c->behind == PHRASE);
}

static void question_fr(at_side *s, const clause *c)
{
    if (c->behind == HOW_MANY) {
        at_say_fr(s, c->idea + MANY, "combien de");
        at_phrase_fr(s, c->idea + OBJECT, &c->object, false);
    }
    at_say_fr(s, (c->idea + VERB) | HELP, "est-ce que");
    clause_fr(s, c);
    at_say_fr(s, END | HELP, "?");
}

/* ---- sentences ------------------------------------------------------------------------------ */

static void add_statement(at_dice *d, int idea, at_side *en, at_side *fr)
{
    static const int twists[] = {55, 25, 7, 5, 8};
    clause c = choose_clause(d);
    c.idea = idea;
    c.twist = (twist)at_dice_weighed(d, twists, COUNT(twists));
    clause_en(en, &c);
    clause_fr(fr, &c);
}

/* One statement, or two: the more there is to be remembered, the more there is to be looked up. */
static void make_statements(at_dice *d, at_side *en, at_side *fr)
{
    static const at_word_pair between[] = {
        {"and", "et"}, {"but", "mais"}, {"because", "parce que"}};
    add_statement(d, 0, en, fr);
    if (at_dice_chance(d, 40)) {
        const at_word_pair *word = ANY(d, between);
        at_say_en(en, CONJUNCTION, word->en);
        at_say_fr(fr, CONJUNCTION, word->fr);
        add_statement(d, IDEAS_OF_CLAUSE, en, fr);
    }
    at_side_end(en, END | HELP, ".");
    at_side_end(fr, END | HELP, ".");
}

static void make_question(at_dice *d, at_side *en, at_side *fr)
{
    clause c = choose_clause(d);
    if (c.behind == PHRASE && !c.verb->sure && c.object.plural && at_dice_chance(d, 40)) {
        c.behind = HOW_MANY;
        c.object.what = BARE;
        c.object.number = 0;
    }
    question_en(en, &c);
    question_fr(fr, &c);
}

/* Where is the red car? */
static void make_where(at_dice *d, at_side *en, at_side *fr)
{
    at_phrase p = at_phrase_choose(d, 60, true);
    if (p.what == BARE)
        p.what = THE;
    at_say_en(en, WHERE, "where");
    at_say_en(en, VERB, p.plural ? "are" : "is");
    at_phrase_en(en, SUBJECT, &p);
    at_side_end(en, END | HELP, "?");
    at_say_fr(fr, WHERE, "où");
    at_say_fr(fr, VERB, p.plural ? "sont" : "est");
    at_phrase_fr(fr, SUBJECT, &p, false);
    at_say_fr(fr, END | HELP, "?");
}

/* These horses are not old. She was happy. */
static void make_state(at_dice *d, at_side *en, at_side *fr)
{
    static const struct {
        const char *one, *many, *fr_one, *fr_many;
    } to_be[] = {{"is", "are", "est", "sont"}, {"was", "were", "était", "étaient"}};
    const pronoun *who = at_dice_chance(d, 25) ? ANY(d, third_persons) : NULL;
    at_phrase p = at_phrase_choose(d, 50, true);
    const at_adjective *a = at_adjective_choose(d, who ? NULL : &p);
    bool plural = who ? who->person == THEY : p.plural, feminine = who ? who->feminine : p.feminine;
    bool past = at_dice_chance(d, 30), denied = at_dice_chance(d, 35);
    if (who) {
        at_say_en(en, SUBJECT + IDEA_NOUN, who->en);
        at_say_fr(fr, SUBJECT + IDEA_NOUN, who->fr);
    } else {
        at_phrase_en(en, SUBJECT, &p);
        at_phrase_fr(fr, SUBJECT, &p, false);
    }
    at_say_en(en, VERB, plural ? to_be[past].many : to_be[past].one);
    at_say_en(en, TWIST, denied ? "not" : "");
    at_adjective_en(en, QUALITY, a);
    at_say_fr(fr, TWIST | HELP, denied ? "ne" : "");
    at_say_fr(fr, VERB, plural ? to_be[past].fr_many : to_be[past].fr_one);
    at_say_fr(fr, TWIST, denied ? "pas" : "");
    at_adjective_fr(fr, QUALITY, a, feminine, plural);
    at_side_end(en, END | HELP, ".");
    at_side_end(fr, END | HELP, ".");
}

static void capital(at_str *s)
{
    if (!s->failed && s->text[0] >= 'a' && s->text[0] <= 'z')
        s->text[0] = (char)(s->text[0] - 'a' + 'A');
}

static void make(at_dice *d, int size, at_made *made)
{
    static void (*const kinds[])(at_dice *, at_side *, at_side *) = {make_statements, make_question,
                                                                     make_state, make_where};
    static const int weights[] = {60, 20, 14, 6};
    at_side en = {.text = &made->source}, fr = {.text = &made->target};
    (void)size;
    kinds[at_dice_weighed(d, weights, COUNT(weights))](d, &en, &fr);
    capital(&made->source);
    capital(&made->target);
    at_sides_link(&en, &fr, &made->gold);
}

const at_maker at_maker_en_fr = {
    .name = "en-fr",
    .what = "English sentences and their French translations",
    .gold = true,
    .make = make,
};
