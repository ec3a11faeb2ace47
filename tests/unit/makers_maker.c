#include "makers/maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "makers/en_fr_phrase.h"

static void assert_says(const attend_error *err, const char *part)
{
    if (!strstr(err->message, part))
        fail_msg("\"%s\" does not say \"%s\"", err->message, part);
}

/* ---- a corpus to look into ------------------------------------------------------------------ */

typedef struct {
    char *source, *target, *gold;
} pair;

typedef struct {
    pair *all;
    long count;
} pairs;

static attend_status keep(void *user, const at_made *made, attend_error *err)
{
    pairs *p = user;
    (void)err;
    p->all[p->count].source = strdup(at_str_text(&made->source));
    p->all[p->count].gold = strdup(at_str_text(&made->gold));
    p->all[p->count++].target = strdup(at_str_text(&made->target));
    return ATTEND_OK;
}

static pairs make(const char *name, long count, uint64_t seed, int size)
{
    pairs p = {calloc((size_t)count, sizeof(pair)), 0};
    attend_error err;
    if (at_maker_run(at_maker_find(name), count, seed, size, keep, &p, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(p.count, count);
    return p;
}

static void release(pairs *p)
{
    for (long i = 0; i < p->count; i++) {
        free(p->all[i].source);
        free(p->all[i].target);
        free(p->all[i].gold);
    }
    free(p->all);
}

/* Where does a phrase stand in a sentence, as whole words? Its first letter may be a capital. */
static const char *find(const char *sentence, const char *phrase)
{
    size_t n = strlen(phrase);
    for (const char *at = sentence; *at; at++)
        if (strncmp(at + 1, phrase + 1, n - 1) == 0
            && (*at == *phrase || (at == sentence && *at == *phrase - 'a' + 'A'))
            && (at == sentence || at[-1] == ' ') && strchr(" .?", at[n]))
            return at;
    return NULL;
}

typedef struct {
    const char *source, *target;
} expectation;

/* Wherever the source has the phrase, the target has its translation; and it comes often enough. */
static void expect_phrases(const pairs *p, const expectation *wanted, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        int met = 0;
        for (long i = 0; i < p->count; i++)
            if (find(p->all[i].source, wanted[k].source)) {
                met++;
                if (!strstr(p->all[i].target, wanted[k].target))
                    fail_msg("%s -> %s: no \"%s\"", p->all[i].source, p->all[i].target,
                             wanted[k].target);
            }
        if (met < 3)
            fail_msg("\"%s\" came %d times in %ld sentences", wanted[k].source, met, p->count);
    }
}

static void expect_sentences(const pairs *p, const expectation *wanted, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        long i = 0;
        while (i < p->count && strcmp(p->all[i].source, wanted[k].source) != 0)
            i++;
        if (i == p->count)
            fail_msg("\"%s\" did not come", wanted[k].source);
        assert_string_equal(p->all[i].target, wanted[k].target);
    }
}

#define EXPECT(what, pairs, list) expect_##what(pairs, list, sizeof(list) / sizeof *(list))

/* ---- French --------------------------------------------------------------------------------- */

static void french_agrees_and_puts_adjectives_in_their_place(void **state)
{
    static const expectation phrases[] = {
        {"black cats", "chats noirs"},
        {"white house", "maison blanche"},
        {"little grey mice", "petites souris grises"},
        {"strange green frog", "grenouille verte étrange"},
        {"expensive red cars", "voitures rouges chères"},
        {"beautiful bird", "bel oiseau"},
        {"beautiful birds", "beaux oiseaux"},
        {"old man", "vieil homme"},
        {"old woman", "vieille femme"},
        {"new tree", "nouvel arbre"},
        {"new hat", "nouveau chapeau"},
        {"this elephant", "et éléphant"},
        {"this church", "ette église"},
        {"my picture", "on image"},
        {"my big picture", "a grande image"},
        {"our boats", "os bateaux"},
        {"the three cats", "es trois chats"},
        {"her horse", "on cheval"},
        {"his horses", "es chevaux"},
        {"near the tree", "près de l'arbre"},
        {"near the bridge", "près du pont"},
        {"near the cows", "près des vaches"},
        {"near this door", "près de cette porte"},
        {"some little flowers", "e petites fleurs"},
        {"how many churches", "ombien d'églises"},
        {"eight horses", "uit chevaux"},
    };
    (void)state;
    pairs p = make("en-fr", 100000, 1, 0);
    EXPECT(phrases, &p, phrases);
    release(&p);
}

static void french_denies_and_asks(void **state)
{
    static const expectation sentences[] = {
        {"I see him.", "Je le vois."},
        {"I like her.", "Je l'aime."},
        {"He did not see them.", "Il ne les a pas vus."},
        {"She never saw her.", "Elle ne l'a jamais vue."},
        {"We will follow them.", "Nous les suivrons."},
        {"They wait for him.", "Ils l'attendent."},
        {"You did not paint her.", "Vous ne l'avez pas peinte."},
        {"Do you look for them?", "Est-ce que vous les cherchez ?"},
        {"Will they sing?", "Est-ce qu'ils chanteront ?"},
        {"Does he sleep?", "Est-ce qu'il dort ?"},
        {"I do not run.", "Je ne cours pas."},
        {"We eat.", "Nous mangeons."},
        {"I always forget them.", "Je les oublie toujours."},
        {"He does not see a dog.", "Il ne voit pas de chien."},
        {"He does not forget a picture.", "Il n'oublie pas d'image."},
        {"Where is the church?", "Où est l'église ?"},
        {"Where are the boats?", "Où sont les bateaux ?"},
        {"She was not old.", "Elle n'était pas vieille."},
        {"They are clever.", "Ils sont intelligents."},
        {"The queens are happy.", "Les reines sont heureuses."},
        {"How many flowers did he find?", "Combien de fleurs est-ce qu'il a trouvées ?"},
    };
    (void)state;
    pairs p = make("en-fr", 300000, 2, 0);
    EXPECT(sentences, &p, sentences);
    release(&p);
}

static bool is_one_of(const char *word, size_t size, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == size && strncasecmp(*list, word, size) == 0)
            return true;
    return false;
}

/* No sentence has a word before a vowel that must be elided there, or an uncontracted "de le". */
static void french_elides_everywhere(void **state)
{
    static const char *const short_words[] = {"le",  "la", "je", "ne", "de",
                                              "que", "ce", "ma", "sa", NULL};
    (void)state;
    pairs p = make("en-fr", 20000, 3, 0);
    for (long i = 0; i < p.count; i++) {
        const char *t = p.all[i].target;
        if (strstr(t, " de le ") || strstr(t, " de les ") || strstr(t, "  ") || t[0] == ' ')
            fail_msg("%s", t);
        for (const char *at = t; *at; at++) {
            const char *space = strchr(at, ' ');
            if (!space)
                break;
            bool open = strchr("aeiouh\xc3", space[1]) && strncmp(space + 1, "huit", 4) != 0;
            if (open && is_one_of(at, (size_t)(space - at), short_words))
                fail_msg("%s", t);
            at = space;
        }
    }
    release(&p);
}

/* ---- Chinese -------------------------------------------------------------------------------- */

static void chinese_has_measure_words_and_its_own_order(void **state)
{
    static const expectation phrases[] = {
        {"two black cats", "两只黑猫"},         {"a white horse", "一匹白马"},
        {"the red car", "那辆红色的车"},        {"these books", "这些书"},
        {"Tom's small dog", "汤姆的小狗"},      {"my flower", "我的花"},
        {"a beautiful letter", "一封漂亮的信"},
    };
    static const expectation sentences[] = {
        {"Tom chases Jerry.", "汤姆追逐杰瑞。"},
        {"Jerry does not like Tom.", "杰瑞不喜欢汤姆。"},
        {"She does not see Alice.", "她看不见爱丽丝。"},
        {"Jerry did not find Tom yesterday.", "杰瑞昨天没有找到汤姆。"},
        {"He chased Anna in the garden.", "他在花园里追逐了安娜。"},
        {"Tom will draw Anna tomorrow.", "汤姆明天会画安娜。"},
        {"Will Jerry see Alice today?", "杰瑞今天会看见爱丽丝吗？"},
        {"Did Mary draw him yesterday?", "玛丽昨天画了他吗？"},
        {"Who likes Mary?", "谁喜欢玛丽？"},
        {"Jerry likes Mary because Tom sees Anna.", "因为汤姆看见安娜，所以杰瑞喜欢玛丽。"},
        {"Who did Tom find?", "汤姆找到了谁？"},
    };
    (void)state;
    pairs p = make("en-zh", 200000, 1, 0);
    EXPECT(phrases, &p, phrases);
    EXPECT(sentences, &p, sentences);
    release(&p);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static void numbers_are_sorted_and_differ(void **state)
{
    (void)state;
    for (int size = 2; size <= 50; size += 12) {
        pairs p = make("sort", 200, 5, size);
        for (long i = 0; i < p.count; i++) {
            int last = -1, n = 0, sum = 0, sum_source = 0;
            for (char *word = strtok(p.all[i].target, " "); word; word = strtok(NULL, " "), n++) {
                assert_true(atoi(word) > last);
                sum += last = atoi(word);
            }
            for (char *word = strtok(p.all[i].source, " "); word; word = strtok(NULL, " "))
                sum_source += atoi(word);
            assert_int_equal(n, size);
            assert_int_equal(sum, sum_source);
        }
        release(&p);
    }
}

static int points_of(const char *text, double x[60], double y[60])
{
    int n = 0, used;
    for (; sscanf(text, "%lf,%lf%n", &x[n], &y[n], &used) == 2; n++)
        text += used;
    return n;
}

static double turn(const double *x, const double *y, int a, int b, double px, double py)
{
    return (x[b] - x[a]) * (py - y[a]) - (y[b] - y[a]) * (px - x[a]);
}

static void no_point_lies_outside_its_hull(void **state)
{
    double x[60], y[60], hx[60], hy[60];
    (void)state;
    for (int size = 5; size <= 50; size += 15) {
        pairs p = make("hull", 300, 7, size);
        for (long i = 0; i < p.count; i++) {
            int n = points_of(p.all[i].source, x, y), h = points_of(p.all[i].target, hx, hy);
            assert_in_range(n, 5, size);
            assert_in_range(h, 2, n);
            for (int k = 0; k < n; k++)
                for (int c = 0; c < h && h > 2; c++)
                    assert_true(turn(hx, hy, c, (c + 1) % h, x[k], y[k]) > -1e-9);
            int first = 0, place = n;
            for (int c = 0; c < h; c++)
                for (int k = 0; k < n; k++)
                    if (x[k] == hx[c] && y[k] == hy[c] && k < place) {
                        place = k;
                        first = c;
                    }
            assert_int_equal(first, 0);
        }
        release(&p);
    }
}

/* ---- sound ---------------------------------------------------------------------------------- */

static int count_of(const char *text, char c)
{
    int n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

static void digits_have_frames_of_twelve_bands_and_silence_around(void **state)
{
    static const char words[] = " zero one two three four five six seven eight nine ";
    pairs p = make("digits", 500, 3, 4);
    int most = 0;
    (void)state;
    for (long i = 0; i < p.count; i++) {
        int frames = count_of(p.all[i].source, ' ') + 1, digits = 0;
        assert_int_equal(count_of(p.all[i].source, ','), 11 * frames);
        char *rest = p.all[i].target;
        for (char *word; (word = strsep(&rest, " ")); digits++) {
            char wanted[16];
            snprintf(wanted, sizeof wanted, " %s ", word);
            assert_non_null(strstr(words, wanted));
        }
        assert_in_range(digits, 1, 4);
        assert_in_range(frames, 5 * digits + digits + 1, 9 * digits + 3 * (digits + 1));
        most = digits > most ? digits : most;
    }
    assert_int_equal(most, 4);
    release(&p);
}

/* ---- all ------------------------------------------------------------------------------------ */

static int by_source(const void *a, const void *b)
{
    return strcmp(((const pair *)a)->source, ((const pair *)b)->source);
}

static void the_seed_alone_decides_and_no_source_comes_twice(void **state)
{
    (void)state;
    for (int m = 0; m < at_maker_count; m++) {
        long count = at_makers[m]->pictures ? 200 : 5000; /* of pictures the sources are long */
        pairs a = make(at_makers[m]->name, count, 9, 0), b = make(at_makers[m]->name, count, 9, 0);
        pairs c = make(at_makers[m]->name, count, 10, 0);
        int same = 0;
        for (long i = 0; i < a.count; i++) {
            assert_string_equal(a.all[i].source, b.all[i].source);
            assert_string_equal(a.all[i].target, b.all[i].target);
            same += strcmp(a.all[i].source, c.all[i].source) == 0;
        }
        assert_true(same * 100 < count);
        qsort(a.all, (size_t)a.count, sizeof *a.all, by_source);
        for (long i = 1; i < a.count; i++)
            assert_string_not_equal(a.all[i - 1].source, a.all[i].source);
        release(&a);
        release(&b);
        release(&c);
    }
}

static void refuses_what_cannot_be_made(void **state)
{
    attend_error err;
    const at_maker *maker;
    pairs p = {calloc(20000, sizeof(pair)), 0};
    (void)state;
    assert_null(at_maker_find("en-xx"));
    assert_int_equal(at_maker_named("digit", &maker, &err), ATTEND_OPTION);
    assert_says(&err, "did you mean digits?");
    assert_int_equal(at_maker_run(at_maker_find("sort"), 20000, 1, 2, keep, &p, &err),
                     ATTEND_OPTION);
    assert_says(&err, "ask for fewer");
    assert_in_range(p.count, 9000, 9900);
    assert_int_equal(at_maker_run(at_maker_find("sort"), 1, 1, 51, keep, &p, &err), ATTEND_OPTION);
    assert_says(&err, "sizes from 2 to 50, not 51");
    assert_int_equal(at_maker_run(at_maker_find("en-fr"), 1, 1, 3, keep, &p, &err), ATTEND_OPTION);
    assert_says(&err, "no size");
    release(&p);
}

static attend_status count_only(void *user, const at_made *made, attend_error *err)
{
    (void)made;
    return ++*(int *)user < 7 ? ATTEND_OK : at_error(err, ATTEND_STOPPED, "enough");
}

static void the_taker_can_end_it(void **state)
{
    attend_error err;
    int count = 0;
    (void)state;
    assert_int_equal(at_maker_run(at_makers[0], 100, 1, 0, count_only, &count, &err),
                     ATTEND_STOPPED);
    assert_int_equal(count, 7);
}

static void without_memory_it_fails_cleanly(void **state)
{
    (void)state;
    for (int m = 0; m < at_maker_count; m++) {
        attend_status status = ATTEND_MEMORY;
        for (int n = 0; status != ATTEND_OK; n++) {
            attend_error err;
            int count = -1000;
            at_alloc_fail_after(n);
            status = at_maker_run(at_makers[m], 20, 1, 0, count_only, &count, &err);
            at_alloc_fail_after(-1);
            assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
            assert_true(n < 1000);
        }
    }
}

/* words of the source with a capital that the target has too */
static void both_sides_have_the_same_names(void **state)
{
    (void)state;
    pairs p = make("names", 500, 1, 0);
    for (long i = 0; i < p.count; i++) {
        int common = 0;
        char *rest = NULL, copy[200];
        assert_true(strlen(p.all[i].source) < sizeof copy);
        strcpy(copy, p.all[i].source);
        for (char *w = strtok_r(copy, " .,?", &rest); w; w = strtok_r(NULL, " .,?", &rest))
            common += *w >= 'A' && *w <= 'Z' && strlen(w) > 3 && strstr(p.all[i].target, w);
        if (common != 2)
            fail_msg("%s -> %s", p.all[i].source, p.all[i].target);
    }
    release(&p);
}

/* ---- scenes --------------------------------------------------------------------------------- */

static attend_status check_scene(void *user, const at_made *made, attend_error *err)
{
    (void)user;
    (void)err;
    const unsigned char *rgb = (const unsigned char *)at_str_text(&made->rgb);
    size_t patches = 1, numbers = 1;
    assert_int_equal(made->rgb.length, 3 * (size_t)made->width * (size_t)made->height);
    for (const char *c = at_str_text(&made->source); *c; c++) {
        patches += *c == ' ';
        numbers += *c == ' ' || *c == ',';
    }
    assert_int_equal(patches, 64);
    assert_int_equal(numbers, 64 * 50);
    int drawn = 0; /* pixels that are not of the ground: two shapes of some 90 to 200 */
    for (int i = 0; i < made->width * made->height; i++)
        drawn += memcmp(rgb + 3 * i, rgb, 3) != 0;
    assert_in_range(drawn, 180, 450);
    return ATTEND_OK;
}

static void scenes_have_two_shapes_and_their_patches(void **state)
{
    attend_error err;
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(at_maker_run(at_maker_find(i ? "scenes-unseen" : "scenes"), 200, 1, 0,
                                      check_scene, NULL, &err),
                         ATTEND_OK);
}

/* ---- alignment ------------------------------------------------------------------------------ */

static void expect_gold(const at_side *en, const at_side *fr, const char *wanted)
{
    at_str gold = {0};
    at_sides_link(en, fr, &gold);
    assert_string_equal(at_str_text(&gold), wanted);
    at_str_free(&gold);
}

static void words_of_one_idea_are_linked(void **state)
{
    enum { SHE = 10, LOOK, THE_TREE, END = 30 };
    at_str a = {0}, b = {0};
    at_side en = {.text = &a}, fr = {.text = &b};
    (void)state;
    at_say_en(&en, LOOK | IDEA_HELP, "does");
    at_say_en(&en, SHE, "she");
    at_say_en(&en, LOOK, "look for");
    at_say_en(&en, THE_TREE, "the");
    at_say_en(&en, THE_TREE + 1, "tree");
    at_side_end(&en, END | IDEA_HELP, "?");
    at_say_fr(&fr, LOOK | IDEA_HELP, "est-ce que");
    at_say_fr(&fr, SHE, "elle");
    at_say_fr(&fr, LOOK, "cherche");
    at_say_fr(&fr, THE_TREE, "le");
    at_say_fr(&fr, THE_TREE + 1, "arbre");
    at_say_fr(&fr, END | IDEA_HELP, "?");
    assert_string_equal(at_str_text(&b), "est-ce qu'elle cherche l'arbre ?");
    expect_gold(&en, &fr, "1p1 1p2 1p3 2-2 3p1 3p2 3-3 4p1 4p2 4p3 5p4 6-4 6p5");
    at_str_free(&a);
    at_str_free(&b);
}

static void contracted_words_keep_their_links(void **state)
{
    at_str a = {0}, b = {0};
    at_side en = {.text = &a}, fr = {.text = &b};
    (void)state;
    at_say_en(&en, 1, "near");
    at_say_en(&en, 2, "the");
    at_say_en(&en, 3, "cat");
    at_say_fr(&fr, 1, "près de");
    at_say_fr(&fr, 2, "le");
    at_say_fr(&fr, 3, "chat");
    assert_string_equal(at_str_text(&b), "près du chat");
    expect_gold(&en, &fr, "1-1 1p2 2-2 3-3");
    at_str_free(&a);
    at_str_free(&b);
}

/* Every noun and verb of the sentences has its sure link, and no link is out of range. */
static void gold_links_are_within_the_sentences(void **state)
{
    pairs p = make("en-fr", 3000, 4, 0);
    (void)state;
    for (long i = 0; i < p.count; i++) {
        int words[2] = {1, 1}, sure = 0, from, to, used;
        char kind;
        for (const char *c = p.all[i].source; *c; c++)
            words[0] += *c == ' ';
        for (const char *c = p.all[i].target; *c; c++)
            words[1] += *c == ' ';
        for (const char *at = p.all[i].gold; sscanf(at, "%d%c%d%n", &from, &kind, &to, &used) == 3;
             at += used) {
            assert_in_range(from, 1, words[0]);
            assert_in_range(to, 1, words[1]);
            sure += kind == '-';
        }
        if (sure < 2 || sure > words[1])
            fail_msg("%s -> %s: %s", p.all[i].source, p.all[i].target, p.all[i].gold);
    }
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(french_agrees_and_puts_adjectives_in_their_place),
        cmocka_unit_test(french_denies_and_asks),
        cmocka_unit_test(french_elides_everywhere),
        cmocka_unit_test(scenes_have_two_shapes_and_their_patches),
        cmocka_unit_test(words_of_one_idea_are_linked),
        cmocka_unit_test(contracted_words_keep_their_links),
        cmocka_unit_test(gold_links_are_within_the_sentences),
        cmocka_unit_test(chinese_has_measure_words_and_its_own_order),
        cmocka_unit_test(numbers_are_sorted_and_differ),
        cmocka_unit_test(no_point_lies_outside_its_hull),
        cmocka_unit_test(digits_have_frames_of_twelve_bands_and_silence_around),
        cmocka_unit_test(the_seed_alone_decides_and_no_source_comes_twice),
        cmocka_unit_test(refuses_what_cannot_be_made),
        cmocka_unit_test(the_taker_can_end_it),
        cmocka_unit_test(without_memory_it_fails_cleanly),
        cmocka_unit_test(both_sides_have_the_same_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
