/* Makers of examples: their list, their dice, and a corpus of different sources.
 *
 * Sources are kept as 64-bit keys, so that among millions a new one may be taken for an old one and
 * left out; nobody misses it. */
#include "makers/maker.h"

#include <string.h>

#include "base/checksum.h"
#include "base/guess.h"
#include "base/key_table.h"

#define MAKER(name) &at_maker_##name,
const at_maker *const at_makers[] = {
#include "makers/makers.def"
};
#undef MAKER

const int at_maker_count = sizeof at_makers / sizeof *at_makers;

const at_maker *at_maker_find(const char *name)
{
    for (int i = 0; i < at_maker_count; i++)
        if (strcmp(at_makers[i]->name, name) == 0)
            return at_makers[i];
    return NULL;
}

attend_status at_maker_named(const char *name, const at_maker **maker, attend_error *err)
{
    at_guess guess = {.word = name};
    *maker = at_maker_find(name);
    if (*maker)
        return ATTEND_OK;
    for (int i = 0; i < at_maker_count; i++)
        at_guess_consider(&guess, at_makers[i]->name, strlen(at_makers[i]->name));
    return at_error(err, ATTEND_OPTION, "nothing makes \"%.40s\"%s%s%s; attend list makers has all",
                    name, *guess.best ? ", did you mean " : "", guess.best, *guess.best ? "?" : "");
}

int at_dice_roll(at_dice *d, int sides)
{
    return (int)at_random_below(d->key, d->next++, (uint32_t)sides);
}

bool at_dice_chance(at_dice *d, int in_hundred) { return at_dice_roll(d, 100) < in_hundred; }

int at_dice_weighed(at_dice *d, const int *weights, int count)
{
    int sum = 0, i = 0;
    for (int k = 0; k < count; k++)
        sum += weights[k];
    for (int roll = at_dice_roll(d, sum); roll >= weights[i]; i++)
        roll -= weights[i];
    return i;
}

static attend_status check_size(const at_maker *m, int *size, attend_error *err)
{
    if (*size == 0)
        *size = m->size;
    else if (!m->size)
        return at_error(err, ATTEND_OPTION, "examples of %s have no size to choose", m->name);
    else if (*size < m->smallest || *size > m->largest)
        return at_error(err, ATTEND_OPTION, "%s has sizes from %d to %d, not %d", m->name,
                        m->smallest, m->largest, *size);
    return ATTEND_OK;
}

typedef struct {
    const at_maker *maker;
    at_dice dice;
    int size;
    at_made made;
    at_key_table seen;
} work;

/* The next example with a new source. */
static attend_status make_new(work *w, long made, attend_error *err)
{
    enum { TRIES = 10000 };
    for (int tries = 0; tries < TRIES; tries++) {
        at_str *source = &w->made.source;
        at_str_clear(source);
        at_str_clear(&w->made.target);
        at_str_clear(&w->made.gold);
        at_str_clear(&w->made.rgb);
        w->dice.next = 0;
        w->maker->make(&w->dice, w->size, &w->made);
        w->dice.key.sentence++;
        w->dice.key.step += w->dice.key.sentence == 0;
        if (source->failed || w->made.target.failed || w->made.gold.failed || w->made.rgb.failed)
            return at_error_memory(err);
        uint64_t key = at_checksum_of(source->text, source->length);
        bool old = at_key_table_find_or_add(&w->seen, key, 1) != 0;
        if (w->seen.full)
            return at_error(err, ATTEND_MEMORY, "no memory to tell %ld sources apart", made);
        if (!old)
            return ATTEND_OK;
    }
    return at_error(err, ATTEND_OPTION,
                    "after %ld examples of %s hardly a new one comes; ask for fewer", made,
                    w->maker->name);
}

attend_status at_maker_run(const at_maker *m, long count, uint64_t seed, int size,
                           at_take_made *take, void *user, attend_error *err)
{
    work w = {.maker = m, .dice = {.key = {.seed = seed, .use = at_random_name(m->name)}}};
    attend_status status = check_size(m, &size, err);
    w.size = size;
    if (status >= 0 && count > (long)at_key_table_capacity(&w.seen))
        status = at_error(err, ATTEND_OPTION,
                          "at most %zu different sources can be told apart, not %ld; ask for fewer",
                          at_key_table_capacity(&w.seen), count);
    for (long i = 0; i < count && status >= 0; i++) {
        status = make_new(&w, i, err);
        if (status >= 0)
            status = take(user, &w.made, err);
    }
    at_str_free(&w.made.source);
    at_str_free(&w.made.target);
    at_str_free(&w.made.gold);
    at_str_free(&w.made.rgb);
    at_key_table_free(&w.seen);
    return status;
}
