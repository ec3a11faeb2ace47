/* attend_data_make: examples that are made by a rule. */
#include "attend.h"
#include "base/guess.h"
#include "data/maker.h"

#include <string.h>

typedef struct {
    attend_make_function *take;
    void *user;
} receiver;

static attend_status hand_over(void *user, const at_str *source, const at_str *target,
                               attend_error *err)
{
    const receiver *r = user;
    return r->take(r->user, at_str_text(source), at_str_text(target), err);
}

static attend_status no_maker(const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < at_maker_count; i++)
        at_guess_consider(&guess, at_makers[i]->name, strlen(at_makers[i]->name));
    return at_error(err, ATTEND_OPTION, "nothing makes \"%.40s\"%s%s%s; attend list makers has all",
                    name, *guess.best ? ", did you mean " : "", guess.best, *guess.best ? "?" : "");
}

attend_status attend_data_make(const char *maker, long count, unsigned long long seed, int size,
                               attend_make_function *take, void *user, attend_error *err)
{
    const at_maker *m = at_maker_find(maker);
    if (!m)
        return no_maker(maker, err);
    if (count < 0)
        return at_error(err, ATTEND_OPTION, "%ld examples cannot be made", count);
    receiver r = {take, user};
    return at_maker_run(m, count, seed, size, hand_over, &r, err);
}
