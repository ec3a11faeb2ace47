#include "data/next_sentence.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/key.h"

void at_pairing_defaults(at_pairing *p, const at_tokenizer *tokenizer, int max_length)
{
    *p = (at_pairing){.tokenizer = tokenizer, .max_length = max_length, .short_share = 0.1};
}

/* sentences [a, a_end) and [b, b_end) */
typedef struct {
    uint32_t a, a_end, b, b_end;
    bool strange; /* b is not what follows a */
} pair;

struct at_next_sentences {
    const at_encoded *data;
    at_pairing pairing;
    uint32_t *document; /* [documents + 1]: where each begins */
    uint32_t documents;
    int max_tokens; /* tokens of a pair without its frame */
    pair *pairs;
    uint32_t *lengths;
    size_t count, capacity;
};

/* ---- documents -------------------------------------------------------------------------- */

static attend_status find_documents(at_next_sentences *n, attend_error *err)
{
    size_t size = at_encoded_size(n->data);
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += i == 0 || at_encoded_at(n->data, i).breaks;
    if (count < 2)
        return at_error(err, ATTEND_FORMAT,
                        "next-sentence pairs need at least two documents; "
                        "separate them by an empty line");
    n->document = at_alloc((count + 1) * sizeof *n->document);
    if (!n->document)
        return at_error_memory(err);
    for (size_t i = 0; i < size; i++)
        if (i == 0 || at_encoded_at(n->data, i).breaks)
            n->document[n->documents++] = (uint32_t)i;
    n->document[count] = (uint32_t)size;
    return ATTEND_OK;
}

/* ---- pairs ------------------------------------------------------------------------------ */

/* random numbers of a document in an epoch, one after another */
typedef struct {
    at_random key;
    uint32_t draws;
} dice;

static uint32_t below(dice *d, uint32_t n) { return at_random_below(d->key, d->draws++, n); }
static double uniform(dice *d) { return at_random_uniform(d->key, d->draws++); }

static int size_of(const at_next_sentences *n, uint32_t from, uint32_t to)
{
    const uint32_t *length = at_encoded_lengths(n->data, 0);
    int64_t sum = 0;
    for (; from < to; from++)
        sum += length[from];
    return sum < INT32_MAX ? (int)sum : INT32_MAX;
}

/* Behind the sentences from `from` on, one at least, that have the wanted size together. */
static uint32_t grow(const at_next_sentences *n, uint32_t from, uint32_t end, int wanted)
{
    const uint32_t *length = at_encoded_lengths(n->data, 0);
    int64_t size = length[from++];
    while (from < end && size < wanted)
        size += length[from++];
    return from;
}

static attend_status add_pair(at_next_sentences *n, pair p, attend_error *err)
{
    if (n->count == n->capacity) {
        size_t capacity = n->capacity ? 2 * n->capacity : 256;
        pair *pairs = at_realloc(n->pairs, n->count * sizeof *pairs, capacity * sizeof *pairs);
        if (!pairs)
            return at_error_memory(err);
        n->pairs = pairs;
        uint32_t *lengths = at_realloc(n->lengths, n->count * sizeof *lengths,
                                       capacity * sizeof *lengths);
        if (!lengths)
            return at_error_memory(err);
        n->lengths = lengths;
        n->capacity = capacity;
    }
    int64_t size = (int64_t)size_of(n, p.a, p.a_end) + size_of(n, p.b, p.b_end);
    int frame = n->pairing.max_length - n->max_tokens;
    n->lengths[n->count] = (uint32_t)(frame + (size < n->max_tokens ? (int)size : n->max_tokens));
    n->pairs[n->count++] = p;
    return ATTEND_OK;
}

/* Sentences of another document, up to the wanted length. */
static void take_strange(const at_next_sentences *n, dice *d, uint32_t document, int wanted,
                         pair *p)
{
    uint32_t other = below(d, n->documents - 1);
    other += other >= document;
    uint32_t begin = n->document[other], end = n->document[other + 1];
    p->b = begin + below(d, end - begin);
    p->b_end = grow(n, p->b, end, wanted);
    p->strange = true;
}

/* The pair of sentences [from, to); *to goes back where a strange one leaves some of them over. */
static pair make_pair(const at_next_sentences *n, dice *d, uint32_t document, uint32_t from,
                      uint32_t *to, int wanted)
{
    pair p = {.a = from, .a_end = *to, .b = *to, .b_end = *to};
    uint32_t count = *to - from;
    if (count > 1)
        p.a_end = p.b = from + 1 + below(d, count - 1);
    if (count == 1 || uniform(d) < 0.5) {
        *to = p.a_end;
        take_strange(n, d, document, wanted - size_of(n, p.a, p.a_end), &p);
    }
    return p;
}

static attend_status pair_document(at_next_sentences *n, uint32_t document, uint32_t epoch,
                                   attend_error *err)
{
    dice d = {{n->pairing.seed, epoch, document, at_random_name("next-sentence")}, 0};
    uint32_t end = n->document[document + 1], from = n->document[document];
    attend_status status = ATTEND_OK;
    while (from < end && status >= 0) {
        bool shorter = uniform(&d) < n->pairing.short_share;
        int wanted = shorter && n->max_tokens > 2 ? 2 + (int)below(&d, (uint32_t)n->max_tokens - 1)
                                                  : n->max_tokens;
        uint32_t to = grow(n, from, end, wanted);
        pair p = make_pair(n, &d, document, from, &to, wanted);
        status = add_pair(n, p, err);
        from = to;
    }
    return status;
}

static attend_status pairs_of_epoch(void *self, uint32_t epoch, size_t *items, const uint32_t **a,
                                    const uint32_t **b, attend_error *err)
{
    at_next_sentences *n = self;
    attend_status status = ATTEND_OK;
    n->count = 0;
    for (uint32_t i = 0; i < n->documents && status >= 0; i++)
        status = pair_document(n, i, epoch, err);
    *items = n->count;
    *a = n->lengths;
    *b = NULL;
    return status;
}

/* ---- batches ---------------------------------------------------------------------------- */

/* Writes at most `most` tokens of sentences [from, to) from place `at` on; the place behind them.
 */
static int put_sentences(const at_next_sentences *n, at_batch *out, size_t row, int at,
                         uint32_t from, uint32_t to, int max)
{
    for (; from < to && max > 0; from++) {
        at_item_view view = at_encoded_at(n->data, from);
        int count = view.source_size < max ? view.source_size : max;
        at_batch_put(out, row, at, view.source, count);
        at += count;
        max -= count;
    }
    return at;
}

static int put_special(at_batch *out, size_t row, int at, int32_t id)
{
    int32_t token = id * 2 + 1;
    if (id >= 0)
        at_batch_put(out, row, at, &token, 1);
    return at + (id >= 0);
}

static void put_pair(const at_next_sentences *n, at_batch *out, size_t row, const pair *p)
{
    at_frame frame = n->pairing.tokenizer->frame;
    int a = size_of(n, p->a, p->a_end), b = size_of(n, p->b, p->b_end);
    while ((int64_t)a + b > n->max_tokens) { /* the longer one gives way, as far as the other one */
        int *longer = a > b ? &a : &b, shorter = a > b ? b : a;
        int64_t over = (int64_t)a + b - n->max_tokens;
        int step = *longer - shorter;
        *longer -= step > 0 && step < over ? step : step > 0 ? (int)over : 1;
    }
    int at = put_special(out, row, 0, frame.before);
    at = put_sentences(n, out, row, at, p->a, p->a_end, a);
    int second = put_special(out, row, at, frame.each);
    at = put_sentences(n, out, row, second, p->b, p->b_end, b);
    at = put_special(out, row, at, frame.each);
    for (int i = second; i < at; i++)
        out->segments[row * (size_t)out->source.T + (size_t)i] = 1;
    put_special(out, row, at, frame.after);
    out->labels[row] = p->strange;
}

static attend_status make_pairs(void *self, const uint32_t *items, size_t count, at_arena *arena,
                                at_batch *out, attend_error *err)
{
    const at_next_sentences *n = self;
    int pad = n->pairing.tokenizer->special[ATTEND_SPECIAL_PAD];
    size_t max_length = 1;
    for (size_t i = 0; i < count; i++)
        max_length = n->lengths[items[i]] > max_length ? n->lengths[items[i]] : max_length;
    if (!at_batch_make(out, count, max_length, pad < 0 ? 0 : pad, true, arena)
        || !(out->labels = at_arena_alloc(arena, count * sizeof *out->labels)))
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        put_pair(n, out, i, &n->pairs[items[i]]);
        out->examples[i] = items[i];
    }
    return ATTEND_OK;
}

/* ---- making it -------------------------------------------------------------------------- */

static int frame_size(at_frame f) { return (f.before >= 0) + 2 * (f.each >= 0) + (f.after >= 0); }

attend_status at_next_sentences_new(const at_encoded *data, const at_pairing *pairing,
                                    at_next_sentences **out, attend_error *err)
{
    *out = NULL;
    int frame = frame_size(pairing->tokenizer->frame);
    if (pairing->max_length < frame + 2)
        return at_error(err, ATTEND_OPTION, "%d tokens leave no room for two texts in their frame",
                        pairing->max_length);
    at_next_sentences *n = at_alloc_zero(1, sizeof *n);
    if (!n)
        return at_error_memory(err);
    n->data = data;
    n->pairing = *pairing;
    n->max_tokens = pairing->max_length - frame;
    attend_status status = find_documents(n, err);
    if (status < 0)
        at_next_sentences_free(n);
    else
        *out = n;
    return status;
}

void at_next_sentences_free(at_next_sentences *n)
{
    if (!n)
        return;
    at_free(n->document);
    at_free(n->pairs);
    at_free(n->lengths);
    at_free(n);
}

at_supply at_next_sentences_supply(at_next_sentences *n)
{
    uint64_t print = at_key_join(at_encoded_print(n->data), (uint64_t)n->pairing.max_length);
    print = at_key_join(print, n->pairing.seed);
    return (at_supply){n, print, pairs_of_epoch, make_pairs};
}
