#include "data/windows.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/key.h"

struct at_windows {
    const at_encoded *data;
    at_windows_options o;
    uint64_t tokens; /* of the text */
    uint64_t *begin; /* [items + 1]: where each text begins in the whole */
    size_t count, left;
    uint64_t stream;     /* tokens of a stream */
    uint64_t per_stream; /* windows */
    uint32_t *lengths;   /* all T, for the plan */
};

/* windows of a stream, the last token being a target alone */
static uint64_t windows_in(const at_windows *w)
{
    uint64_t T = (uint64_t)w->o.T, lost = w->o.shifted ? (uint64_t)w->o.stride - 1 : 0;
    return w->stream < T + lost ? 0 : (w->stream - T - lost) / (uint64_t)w->o.stride + 1;
}

static attend_status count_windows(at_windows *w, attend_error *err)
{
    uint64_t lanes = w->o.streams ? (uint64_t)w->o.streams : 1, T = (uint64_t)w->o.T;
    w->stream = w->tokens ? (w->tokens - 1) / lanes : 0;
    w->per_stream = windows_in(w);
    w->count = (size_t)(w->per_stream * lanes);
    if (w->count && !w->o.shifted)
        w->stream = (w->per_stream - 1) * (uint64_t)w->o.stride + T;
    w->left = w->count
                  ? (size_t)(w->tokens - lanes * ((w->per_stream - 1) * (uint64_t)w->o.stride + T))
                  : (size_t)w->tokens;
    if (!w->count || w->count > UINT32_MAX)
        return at_error(err, ATTEND_FORMAT, "%llu tokens of text give %s windows of %d tokens",
                        (unsigned long long)w->tokens, w->count ? "too many" : "no", w->o.T);
    w->lengths = at_alloc(w->count * sizeof *w->lengths);
    for (size_t i = 0; w->lengths && i < w->count; i++)
        w->lengths[i] = (uint32_t)T;
    return w->lengths ? ATTEND_OK : at_error_memory(err);
}

attend_status at_windows_new(const at_encoded *data, const at_windows_options *options,
                             at_windows **out, attend_error *err)
{
    size_t items = at_encoded_size(data);
    const uint32_t *length = at_encoded_lengths(data, 0);
    at_windows *w = at_alloc_zero(1, sizeof *w);
    *out = NULL;
    if (!w || !(w->begin = at_alloc((items + 1) * sizeof *w->begin))) {
        at_windows_free(w);
        return at_error_memory(err);
    }
    w->data = data;
    w->o = *options;
    w->o.random &= !options->streams;
    w->o.shifted &= options->streams > 0;
    if (!options->streams || !options->stride || options->stride > options->T)
        w->o.stride = options->T;
    w->begin[0] = 0;
    for (size_t i = 0; i < items; i++)
        w->begin[i + 1] = w->begin[i] + length[i];
    w->tokens = w->begin[items];
    attend_status status = count_windows(w, err);
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

/* random places in an epoch */
static at_random draw(const at_windows *w, uint32_t epoch, uint32_t item)
{
    return (at_random){w->o.seed, epoch, item, at_random_name("window")};
}

/* With streams, windows 0 to B - 1 are the first of each stream, and so on. */
static uint64_t position_in_stream(const at_windows *w, uint32_t epoch, uint32_t window)
{
    uint64_t lane = window % (uint32_t)w->o.streams, row = window / (uint32_t)w->o.streams;
    uint64_t stride = (uint64_t)w->o.stride, shift = 0;
    if (w->o.shifted)
        shift = at_random_below(draw(w, epoch, 0), 0, (uint32_t)w->o.stride);
    if (lane < (uint64_t)(w->o.streams - w->o.backwards))
        return lane * w->stream + shift + row * stride;
    return (lane + 1) * w->stream - shift - row * stride - (uint64_t)w->o.T;
}

/* Where a window begins. */
static uint64_t position_of(const at_windows *w, uint32_t epoch, uint32_t window)
{
    if (w->o.random) {
        uint64_t choices = w->tokens - (uint64_t)w->o.T; /* the last token is a target alone */
        return (uint64_t)(at_random_uniform(draw(w, epoch, window), 0) * (double)choices);
    }
    return w->o.streams ? position_in_stream(w, epoch, window)
                        : (uint64_t)window * (uint64_t)w->o.T;
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
    int *target = out->target.ids + row * (size_t)w->o.T;
    size_t item = item_at(w, from);
    for (int done = 0; done <= w->o.T; item++) {
        at_item_view view = at_encoded_at(w->data, item);
        int skip = (int)(from + (uint64_t)done - w->begin[item]);
        int count = view.source_size - skip;
        count = count < w->o.T + 1 - done ? count : w->o.T + 1 - done;
        at_batch_put(out, row, done, view.source + skip,
                     done + count > w->o.T ? w->o.T - done : count);
        for (int i = 0; i < count; i++)
            if (done + i > 0)
                target[done + i - 1] = at_token_id(view.source[skip + i]);
        done += count;
    }
    out->target.lengths[row] = w->o.T;
}

/* tokens of its document before a window, as far as a stream has them; after it where it is read
 * from its end */
static int history_of(const at_windows *w, uint64_t from, bool backwards)
{
    size_t item = item_at(w, backwards ? from + (uint64_t)w->o.T - 1 : from);
    size_t n = at_encoded_size(w->data);
    uint64_t most = w->stream, known;
    if (backwards) {
        while (++item < n && !at_encoded_at(w->data, item).breaks
               && w->begin[item] < from + (uint64_t)w->o.T + most) {
        }
        known = w->begin[item] - from - (uint64_t)w->o.T;
    } else {
        while (item > 0 && !at_encoded_at(w->data, item).breaks && w->begin[item] + most > from)
            item--;
        known = from - w->begin[item];
    }
    return (int)(known < most ? known : most);
}

static attend_status make_windows(void *self, const uint32_t *items, size_t count, at_arena *arena,
                                  at_batch *out, attend_error *err)
{
    const at_windows *w = self;
    size_t T = (size_t)w->o.T, lanes = (size_t)w->o.streams;
    uint32_t epoch = out->epoch;
    if (!at_batch_make(out, count, T, 0, false, arena)
        || !at_block_make(&out->target, count, T, 0, arena))
        return at_error_memory(err);
    if (lanes && !(out->history = at_arena_alloc(arena, count * sizeof *out->history)))
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = position_of(w, epoch, items[i]);
        put_window(w, out, i, from);
        out->examples[i] = items[i];
        if (lanes)
            out->history[i] = history_of(w, from,
                                         items[i] % lanes >= lanes - (size_t)w->o.backwards);
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
                                 (uint64_t)w->o.T << 32 | (uint32_t)w->o.streams);
    if (w->o.random || w->o.shifted)
        print = at_key_join(print, w->o.seed);
    if (w->o.stride != w->o.T || w->o.backwards)
        print = at_key_join(print, (uint64_t)w->o.stride << 32 | (uint32_t)w->o.backwards);
    return (at_supply){w, print, windows_of_epoch, make_windows};
}
