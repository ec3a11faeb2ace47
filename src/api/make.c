/* attend_data_make: examples that are made by a rule. */
#include <string.h>

#include "attend.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "data/items.h"
#include "data/maker.h"
#include "store/features.h"

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

/* ---- feature vectors ------------------------------------------------------------------------- */

int attend_maker_features(const char *maker)
{
    const at_maker *m = at_maker_find(maker);
    return m && m->features;
}

typedef struct {
    at_features *features;
    at_item_row row;
    at_writer *lines;
} sequences;

static attend_status add_row(sequences *s, attend_error *err)
{
    size_t n = s->row.count * (size_t)s->row.width;
    float *values = at_alloc(n * sizeof *values);
    attend_status status = values ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; values && i < n; i++)
        values[i] = (float)s->row.values[i];
    if (status >= 0 && !s->features)
        status = at_features_new(s->row.width, &s->features, err);
    if (status >= 0)
        status = at_features_add(s->features, s->row.count, values, err);
    at_free(values);
    return status;
}

static attend_status add_sequence(void *user, const at_str *source, const at_str *target,
                                  attend_error *err)
{
    sequences *s = user;
    at_text text = {at_str_text(source), source->length};
    attend_status status = at_item_row_parse(&s->row, text, err);
    if (status >= 0)
        status = add_row(s, err);
    at_writer_write(s->lines, at_str_text(target), target->length);
    at_writer_write(s->lines, "\n", 1);
    return status;
}

attend_status attend_data_make_features(const char *maker, long count, unsigned long long seed,
                                        int size, const char *features, const char *lines,
                                        attend_error *err)
{
    const at_maker *m = at_maker_find(maker);
    sequences s = {.features = NULL};
    if (!m)
        return no_maker(maker, err);
    if (!m->features || count < 1)
        return at_error(err, ATTEND_OPTION, "%ld sequences of %s cannot be made", count, m->name);
    attend_status status = at_writer_open(&s.lines, lines, err);
    if (status >= 0)
        status = at_maker_run(m, count, seed, size, add_sequence, &s, err);
    if (status >= 0)
        status = at_features_save(s.features, NULL, at_features_count(s.features), features, err);
    if (status >= 0) {
        status = at_writer_commit(s.lines, err);
        s.lines = NULL;
    }
    at_writer_abort(s.lines);
    at_item_row_free(&s.row);
    at_features_close(s.features);
    return status;
}
