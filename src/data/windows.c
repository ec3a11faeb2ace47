#include "data/windows.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/key.h"

struct at_windows {
    const at_encoded *data;
    int T, streams;
    bool random;
    uint64_t seed, tokens; /* tokens of the text */
    uint64_t *begin;       /* [items + 1]: where each text begins in the whole */
    size_t count, left;
    uint64_t per_stream; /* windows */
    uint32_t *lengths;   /* all T, for the plan */
};

attend_status at_windows_new(const at_encoded *data, const at_windows_options *options,
                             at_windows **out, attend_error *err)
{
    int T = options->T, streams = options->streams;
    size_t items = at_encoded_size(data);
    const uint32_t *length = at_encoded_lengths(data, 0);
    at_windows *w = at_alloc_zero(1, sizeof *w);
    *out = NULL;
    if (!w || !(w->begin = at_alloc((items + 1) * sizeof *w->begin))) {
        at_windows_free(w);
        return at_error_memory(err);
    }
    *w = (at_windows){.data = data,
                      .T = T,
                      .streams = streams,
                      .random = options->random && !streams,
                      .seed = options->seed,
                      .begin = w->begin};
    w->begin[0] = 0;
    for (size_t i = 0; i < items; i++)
        w->begin[i + 1] = w->begin[i] + length[i];
    uint64_t tokens = w->tokens = w->begin[items], lanes = streams ? (uint64_t)streams : 1;
    uint64_t share = tokens ? (tokens - 1) / lanes : 0; /* the last token is a target alone */
    w->per_stream = share / (uint64_t)T;
    w->count = (size_t)(w->per_stream * lanes);
    w->left = (size_t)(tokens - w->count * (uint64_t)T);
    w->lengths = at_alloc((w->count + 1) * sizeof *w->lengths);
    attend_status status = ATTEND_OK;
    if (!w->lengths)
        status = at_error_memory(err);
    else if (!w->count || w->count > UINT32_MAX)
        status = at_error(err, ATTEND_FORMAT, "%llu tokens of text give %s windows of %d tokens",
                          (unsigned long long)tokens, w->count ? "too many" : "no", T);
    for (size_t i = 0; status >= 0 && i < w->count; i++)
        w->lengths[i] = (uint32_t)T;
    if (status < 0)
        at_windows_free(w);
    else
        *out = w;
    return status;
}

void at_windows_free(at_windows *w)
{
    if (!w)
        return;
    at_free(w->begin);
    at_free(w->lengths);
    at_free(w);
}

size_t at_windows_count(const at_windows *w) { return w->count; }
size_t at_windows_left(const at_windows *w) { return w->left; }

/* Where a window begins. With streams, windows 0 to B - 1 are the first of each stream, and so on.
 */
static uint64_t position_of(const at_windows *w, uint32_t epoch, uint32_t window)
{
    if (w->random) {
        at_random place = {
            .seed = w->seed, .step = epoch, .sentence = window, .use = at_random_name("window")};
        uint64_t choices = w->tokens - (uint64_t)w->T; /* the last token is a target alone */
        return (uint64_t)(at_random_uniform(place, 0) * (double)choices);
    }
    if (!w->streams)
        return (uint64_t)window * (uint64_t)w->T;
    uint64_t lane = window % (uint32_t)w->streams, row = window / (uint32_t)w->streams;
    return (lane * w->per_stream + row) * (uint64_t)w->T;
}

/* the text that holds a token */
static size_t item_at(const at_windows *w, uint64_t token)
{
    size_t low = 0, high = at_encoded_size(w->data);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (w->begin[middle] <= token)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void put_window(const at_windows *w, at_batch *out, size_t row, uint64_t from)
{
    int *target = out->target.ids + row * (size_t)w->T;
    size_t item = item_at(w, from);
    for (int done = 0; done <= w->T; item++) {
        at_item_view view = at_encoded_at(w->data, item);
        int skip = (int)(from + (uint64_t)done - w->begin[item]);
        int count = view.source_size - skip;
        count = count < w->T + 1 - done ? count : w->T + 1 - done;
        at_batch_put(out, row, done, view.source + skip, done + count > w->T ? w->T - done : count);
        for (int i = 0; i < count; i++)
            if (done + i > 0)
                target[done + i - 1] = at_token_id(view.source[skip + i]);
        done += count;
    }
    out->target.lengths[row] = w->T;
}

static attend_status make_windows(void *self, const uint32_t *items, size_t count, at_arena *arena,
                                  at_batch *out, attend_error *err)
{
    const at_windows *w = self;
    size_t T = (size_t)w->T;
    uint32_t epoch = out->epoch;
    if (!at_batch_make(out, count, T, 0, false, arena)
        || !at_block_make(&out->target, count, T, 0, arena))
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        put_window(w, out, i, position_of(w, epoch, items[i]));
        out->examples[i] = items[i];
    }
    return ATTEND_OK;
}

static attend_status windows_of_epoch(void *self, uint32_t epoch, size_t *items, const uint32_t **a,
                                      const uint32_t **b, attend_error *err)
{
    const at_windows *w = self;
    (void)epoch;
    (void)err;
    *items = w->count;
    *a = w->lengths;
    *b = NULL;
    return ATTEND_OK;
}

at_supply at_windows_supply(at_windows *w)
{
    uint64_t print = at_key_join(at_encoded_print(w->data),
                                 (uint64_t)w->T << 32 | (uint32_t)w->streams);
    if (w->random)
        print = at_key_join(print, w->seed);
    return (at_supply){w, print, windows_of_epoch, make_windows};
}
