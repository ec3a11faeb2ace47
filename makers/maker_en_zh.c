/* English sentences and their Chinese translations, from a small grammar in the spirit of "Tom
 * chases Jerry": where Chinese has measure words, says when and where before the verb, and asks a
 * question without moving a word.
 *
 *   Tom chased two black cats in the garden yesterday.   汤姆昨天在花园里追逐了两只黑猫。
 *   Who will Mary look for?                              玛丽会寻找谁？ */
#include <string.h>

#include "makers/maker.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define ANY(dice, array) (&(array)[at_dice_roll(dice, COUNT(array))])

/* ---- words ---------------------------------------------------------------------------------- */

typedef struct {
    const char *en, *zh;
} word_pair;

static const word_pair names[] = {{"Tom", "汤姆"},   {"Jerry", "杰瑞"}, {"Mary", "玛丽"},
                                  {"Peter", "彼得"}, {"Anna", "安娜"},  {"Alice", "爱丽丝"}};

static const struct {
    const char *en, *object, *zh;
    bool plural, first;
} pronouns[] = {{"I", "me", "我", true, true},
                {"he", "him", "他", false, false},
                {"she", "her", "她", false, false},
                {"we", "us", "我们", true, true},
                {"they", "them", "他们", true, false}};

typedef struct {
    const char *en, *many, *zh, *measure;
    bool alive;
} noun;

static const noun nouns[] = {
    {"cat", "cats", "猫", "只", true},        {"dog", "dogs", "狗", "只", true},
    {"bird", "birds", "鸟", "只", true},      {"rabbit", "rabbits", "兔子", "只", true},
    {"horse", "horses", "马", "匹", true},    {"book", "books", "书", "本", false},
    {"car", "cars", "车", "辆", false},       {"flower", "flowers", "花", "朵", false},
    {"letter", "letters", "信", "封", false}, {"picture", "pictures", "画", "幅", false},
    {"apple", "apples", "苹果", "个", false},
};

/* colours stand at an animal as they are, and elsewhere as "of the colour" */
static const word_pair colours[] = {{"white", "白"}, {"black", "黑"}, {"red", "红"}};
static const word_pair sizes[] = {{"big", "大"}, {"small", "小"}};
static const word_pair qualities[] = {{"beautiful", "漂亮的"}, {"strange", "奇怪的"}};
static const word_pair counts[] = {
    {"two", "两"}, {"three", "三"}, {"four", "四"}, {"five", "五"}, {"ten", "十"}};

typedef struct {
    const char *en, *third, *past, *zh;
    const char *cannot; /* how it is denied in the present, or NULL: 不 before it */
    bool lasting;       /* a state: no 了, and in no place */
    bool only_things;   /* its object is no person */
} verb;

static const verb verbs[] = {
    {"chase", "chases", "chased", "追逐", NULL, false, false},
    {"see", "sees", "saw", "看见", "看不见", false, false},
    {"look for", "looks for", "looked for", "寻找", NULL, false, false},
    {"find", "finds", "found", "找到", "找不到", false, false},
    {"draw", "draws", "drew", "画", NULL, false, false},
    {"buy", "buys", "bought", "买", NULL, false, true},
    {"like", "likes", "liked", "喜欢", NULL, true, false},
    {"want", "wants", "wanted", "想要", NULL, true, true},
};

static const word_pair places[] = {{"in the garden", "在花园里"},
                                   {"in the park", "在公园里"},
                                   {"in the kitchen", "在厨房里"},
                                   {"at school", "在学校"},
                                   {"on the street", "在街上"}};

/* ---- phrases -------------------------------------------------------------------------------- */

typedef enum { NAME, PRONOUN, NOUN, WHO } being;
typedef enum { THE, A, THIS, COUNTED, MY, OWNED } determiner;

typedef struct {
    being is;
    int which; /* name or pronoun; of OWNED the owner's name */
    const noun *noun;
    determiner what;
    bool plural;
    const word_pair *count, *quality, *size, *colour; /* or NULL */
} phrase;

static phrase choose_noun(at_dice *d)
{
    static const int weights[] = {25, 25, 15, 20, 8, 12};
    phrase p = {.is = NOUN, .noun = ANY(d, nouns), .which = at_dice_roll(d, COUNT(names))};
    p.what = (determiner)at_dice_weighed(d, weights, COUNT(weights));
    p.plural = p.what == COUNTED || (p.what <= THIS && p.what != A && at_dice_chance(d, 35));
    p.count = p.what == COUNTED ? ANY(d, counts) : NULL;
    p.quality = at_dice_chance(d, 15) ? ANY(d, qualities) : NULL;
    p.size = at_dice_chance(d, 25) ? ANY(d, sizes) : NULL;
    p.colour = at_dice_chance(d, 35) && (p.noun->alive || !p.quality) ? ANY(d, colours) : NULL;
    return p;
}

static phrase choose_person(at_dice *d)
{
    being is = at_dice_chance(d, 60) ? NAME : PRONOUN;
    return (phrase){.is = is,
                    .which = at_dice_roll(d, is == NAME ? COUNT(names) : COUNT(pronouns))};
}

static bool is_third(const phrase *p)
{
    return p->is == PRONOUN ? !pronouns[p->which].plural : !p->plural;
}

static void say_en(at_str *s, const char *word)
{
    if (s->length && *word)
        at_str_add(s, " ");
    at_str_add(s, word);
}

static void noun_en(at_str *s, const phrase *p)
{
    static const char *const one[] = {"the", "a", "this", "", "my", ""}, *const many[] = {
                                                                             "the", "",   "these",
                                                                             "",    "my", ""};
    const char *name = p->plural ? p->noun->many : p->noun->en;
    bool alone = !p->quality && !p->size && !p->colour;
    bool an = p->what == A && alone && name[0] == 'a';
    say_en(s, an ? "an" : (p->plural ? many : one)[p->what]);
    if (p->what == OWNED) {
        say_en(s, names[p->which].en);
        at_str_add(s, "'s");
    }
    const word_pair *before[] = {p->count, p->quality, p->size, p->colour};
    for (int i = 0; i < COUNT(before); i++)
        say_en(s, before[i] ? before[i]->en : "");
    say_en(s, name);
}

static void phrase_en(at_str *s, const phrase *p, bool object)
{
    if (p->is == NOUN)
        noun_en(s, p);
    else if (p->is == NAME)
        say_en(s, names[p->which].en);
    else if (p->is == PRONOUN)
        say_en(s, object ? pronouns[p->which].object : pronouns[p->which].en);
}

static void noun_zh(at_str *s, const phrase *p)
{
    static const char *const one[] = {"那", "一", "这"}, *const many[] = {"那些", "", "这些"};
    if (p->what == OWNED || p->what == MY) {
        at_str_add(s, p->what == MY ? "我" : names[p->which].zh);
        at_str_add(s, "的");
    } else if (p->what == COUNTED) {
        at_str_add(s, p->count->zh);
        at_str_add(s, p->noun->measure);
    } else {
        at_str_add(s, (p->plural ? many : one)[p->what]);
        at_str_add(s, p->plural ? "" : p->noun->measure);
    }
    at_str_add(s, p->quality ? p->quality->zh : "");
    if (p->colour && !p->noun->alive)
        at_str_print(s, "%s色的", p->colour->zh);
    at_str_add(s, p->size ? p->size->zh : "");
    if (p->colour && p->noun->alive)
        at_str_add(s, p->colour->zh);
    at_str_add(s, p->noun->zh);
}

static void phrase_zh(at_str *s, const phrase *p)
{
    if (p->is == NOUN)
        noun_zh(s, p);
    else
        at_str_add(s, p->is == NAME      ? names[p->which].zh
                      : p->is == PRONOUN ? pronouns[p->which].zh
                                         : "谁");
}

/* ---- sentences ------------------------------------------------------------------------------ */

typedef enum { PRESENT, PAST, FUTURE } tense;
enum { AND, BUT, BECAUSE };

typedef struct {
    phrase subject, object;
    const verb *verb;
    tense tense;
    bool denied, asks;
    const word_pair *place, *day; /* or NULL */
} sentence;

static phrase choose_object(at_dice *d, const verb *v)
{
    return v->only_things || at_dice_chance(d, 65) ? choose_noun(d) : choose_person(d);
}

static const word_pair *choose_day(at_dice *d, tense t)
{
    static const word_pair yesterday = {"yesterday", "昨天"}, today = {"today", "今天"},
                           tomorrow = {"tomorrow", "明天"};
    if (t == PRESENT || !at_dice_chance(d, 50))
        return NULL;
    return at_dice_chance(d, 30) ? &today : t == PAST ? &yesterday : &tomorrow;
}

/* Nobody does anything to himself here, nor to what is called his own. */
static bool clash(const phrase *subject, const phrase *object)
{
    if (subject->is == PRONOUN && object->is == PRONOUN)
        return (pronouns[subject->which].first && pronouns[object->which].first)
               || subject->which == object->which;
    bool named = object->is == NAME || (object->is == NOUN && object->what == OWNED);
    return subject->is == NAME && named && subject->which == object->which;
}

static sentence choose(at_dice *d, bool asks)
{
    static const int tenses[] = {40, 35, 25};
    sentence s = {.verb = ANY(d, verbs)};
    do
        s.subject = at_dice_chance(d, 60) ? choose_person(d) : choose_noun(d);
    while (s.subject.is == NOUN && !s.subject.noun->alive);
    do
        s.object = choose_object(d, s.verb);
    while (clash(&s.subject, &s.object));
    s.tense = (tense)at_dice_weighed(d, tenses, COUNT(tenses));
    if (s.verb->lasting && s.tense == PAST)
        s.tense = PRESENT;
    s.place = !s.verb->lasting && at_dice_chance(d, 30) ? ANY(d, places) : NULL;
    s.day = choose_day(d, s.tense);
    s.asks = asks;
    if (s.asks && at_dice_chance(d, 50))
        *(at_dice_chance(d, 50) || s.verb->only_things ? &s.subject
                                                       : &s.object) = (phrase){.is = WHO};
    s.denied = !s.asks && at_dice_chance(d, 25);
    return s;
}

static const char *helper_en(const sentence *s)
{
    return s->tense == FUTURE      ? "will"
           : s->tense == PAST      ? "did"
           : is_third(&s->subject) ? "does"
                                   : "do";
}

static const char *verb_en(const sentence *s)
{
    return s->tense == PAST ? s->verb->past : is_third(&s->subject) ? s->verb->third : s->verb->en;
}

/* "who" comes first; the helper comes before the subject where something else is asked for */
static void sentence_en(at_str *out, const sentence *s)
{
    bool turned = s->asks && s->subject.is != WHO;
    bool helped = turned || s->denied || s->tense == FUTURE;
    if (s->subject.is == WHO || s->object.is == WHO)
        say_en(out, "who");
    if (turned)
        say_en(out, helper_en(s));
    phrase_en(out, &s->subject, false);
    if (helped && !turned)
        say_en(out, helper_en(s));
    say_en(out, s->denied ? "not" : "");
    say_en(out, helped ? s->verb->en : verb_en(s));
    phrase_en(out, &s->object, true);
    say_en(out, s->place ? s->place->en : "");
    say_en(out, s->day ? s->day->en : "");
}

static void sentence_zh(at_str *out, const sentence *s)
{
    bool cannot = s->denied && s->tense == PRESENT && s->verb->cannot;
    phrase_zh(out, &s->subject);
    at_str_add(out, s->day ? s->day->zh : "");
    if (s->denied && !cannot)
        at_str_add(out, s->tense == PAST ? "没有" : "不");
    at_str_add(out, s->tense == FUTURE ? "会" : "");
    at_str_add(out, s->place ? s->place->zh : "");
    at_str_add(out, cannot ? s->verb->cannot : s->verb->zh);
    at_str_add(out, s->tense == PAST && !s->denied ? "了" : "");
    phrase_zh(out, &s->object);
}

/* "A because B" is "because B, so A" in Chinese. */
static void two_zh(at_str *out, const sentence *a, const sentence *b, int between)
{
    static const char *const words[] = {"，而且", "，但是", "，所以"};
    bool turned = between == BECAUSE;
    at_str_add(out, turned ? "因为" : "");
    sentence_zh(out, turned ? b : a);
    at_str_add(out, words[between]);
    sentence_zh(out, turned ? a : b);
}

static void make_two(at_dice *d, at_str *source, at_str *target)
{
    static const char *const words[] = {"and", "but", "because"};
    sentence a = choose(d, false), b = choose(d, false);
    int between = at_dice_roll(d, COUNT(words));
    sentence_en(source, &a);
    say_en(source, words[between]);
    sentence_en(source, &b);
    two_zh(target, &a, &b, between);
    at_str_add(source, ".");
    at_str_add(target, "。");
}

static void make_one(at_dice *d, at_str *source, at_str *target)
{
    sentence s = choose(d, at_dice_chance(d, 33));
    bool either = s.asks && s.subject.is != WHO && s.object.is != WHO;
    sentence_en(source, &s);
    sentence_zh(target, &s);
    at_str_add(source, s.asks ? "?" : ".");
    at_str_add(target, either ? "吗？" : s.asks ? "？" : "。");
}

static void make(at_dice *d, int size, at_made *made)
{
    at_str *source = &made->source, *target = &made->target;
    (void)size;
    (at_dice_chance(d, 30) ? make_two : make_one)(d, source, target);
    if (!source->failed && source->text[0] >= 'a' && source->text[0] <= 'z')
        source->text[0] = (char)(source->text[0] - 'a' + 'A');
}

const at_maker at_maker_en_zh = {
    .name = "en-zh",
    .what = "English sentences and their Chinese translations",
    .make = make,
};
