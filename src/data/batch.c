#include "data/batch.h"

#include <string.h>

#include "base/memory.h"
#include "data/key.h"

/* ---- blocks ----------------------------------------------------------------------------- */

bool at_block_make(at_block *b, size_t sentences, size_t max_length, int pad, at_arena *arena)
{
    size_t positions = sentences * max_length;
    b->B = (int)sentences;
    b->T = (int)max_length;
    b->ids = at_arena_alloc(arena, positions * sizeof *b->ids);
    b->lengths = at_arena_alloc(arena, sentences * sizeof *b->lengths);
    for (size_t i = 0; b->ids && i < positions; i++)
        b->ids[i] = pad;
    if (b->lengths)
        memset(b->lengths, 0, sentences * sizeof *b->lengths);
    return b->ids && b->lengths;
}

bool at_batch_make(at_batch *b, size_t sentences, size_t max_length, int pad, bool segments,
                   at_arena *arena)
{
    size_t positions = sentences * max_length;
    *b = (at_batch){0};
    bool made = at_block_make(&b->source, sentences, max_length, pad, arena);
    b->begins = at_arena_alloc(arena, positions);
    b->examples = at_arena_alloc(arena, sentences * sizeof *b->examples);
    if (segments)
        b->segments = at_arena_alloc(arena, positions * sizeof *b->segments);
    if (!made || !b->begins || !b->examples || (segments && !b->segments))
        return false;
    memset(b->begins, 0, positions);
    if (segments)
        memset(b->segments, 0, positions * sizeof *b->segments);
    return true;
}

void at_batch_put(at_batch *b, size_t row, int at, const int32_t *tokens, int count)
{
    size_t from = row * (size_t)b->source.T + (size_t)at;
    for (int i = 0; i < count; i++) {
        b->source.ids[from + (size_t)i] = at_token_id(tokens[i]);
        b->begins[from + (size_t)i] = at_token_begins(tokens[i]);
    }
    if (at + count > b->source.lengths[row])
        b->source.lengths[row] = at + count;
}

/* ---- sentences -------------------------------------------------------------------------- */

typedef struct {
    size_t source, target;
    bool segments, labels, copied;
} extent;

static extent measure(const at_encoded *data, const uint32_t *items, size_t count)
{
    extent e = {.source = 1};
    for (size_t i = 0; i < count; i++) {
        at_item_view item = at_encoded_at(data, items[i]);
        size_t source = (size_t)item.source_size, target = (size_t)item.target_size;
        e.source = source > e.source ? source : e.source;
        e.target = target > e.target ? target : e.target;
        e.segments |= item.second < item.source_size;
        e.labels |= item.label >= 0;
        e.copied |= item.copied != NULL;
    }
    return e;
}

static void put_copied(at_batch *out, size_t row, const at_item_view *item)
{
    int *to = out->copied + row * (size_t)out->source.T;
    for (int i = 0; i < out->source.T; i++)
        to[i] = i < item->source_size ? item->copied[i] : -1;
    out->extra[row] = item->extra;
}

static void put_item(at_batch *out, size_t row, const at_item_view *item)
{
    if (item->source)
        at_batch_put(out, row, 0, item->source, item->source_size);
    else
        out->source.lengths[row] = item->source_size;
    for (int i = item->second; out->segments && i < item->source_size; i++)
        out->segments[row * (size_t)out->source.T + (size_t)i] = 1;
    int *target = out->target.T ? out->target.ids + row * (size_t)out->target.T : NULL;
    for (int i = 0; target && i < item->target_size; i++)
        target[i] = at_token_id(item->target[i]);
    if (target)
        out->target.lengths[row] = item->target_size;
    if (out->labels)
        out->labels[row] = item->label;
    if (out->copied)
        put_copied(out, row, item);
    out->examples[row] = item->example;
}

static attend_status make_sentences(void *self, const uint32_t *items, size_t count,
                                    at_arena *arena, at_batch *out, attend_error *err)
{
    const at_encoded_supply *s = self;
    extent e = measure(s->data, items, count);
    if (!at_batch_make(out, count, e.source, s->pad_source, e.segments, arena)
        || (e.target && !at_block_make(&out->target, count, e.target, s->pad_target, arena)))
        return at_error_memory(err);
    if (e.labels && !(out->labels = at_arena_alloc(arena, count * sizeof *out->labels)))
        return at_error_memory(err);
    if (e.copied) {
        out->copied = at_arena_alloc(arena, count * e.source * sizeof *out->copied);
        out->extra = at_arena_alloc(arena, count * sizeof *out->extra);
        if (!out->copied || !out->extra)
            return at_error_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        at_item_view item = at_encoded_at(s->data, items[i]);
        put_item(out, i, &item);
    }
    return ATTEND_OK;
}

static attend_status sentences_of_epoch(void *self, uint32_t epoch, size_t *items,
                                        const uint32_t **a, const uint32_t **b, attend_error *err)
{
    const at_encoded_supply *s = self;
    (void)epoch;
    (void)err;
    *items = at_encoded_size(s->data);
    *a = at_encoded_lengths(s->data, 0);
    *b = at_encoded_lengths(s->data, 1);
    return ATTEND_OK;
}

at_supply at_supply_encoded(at_encoded_supply *s)
{
    return (at_supply){s, at_encoded_print(s->data), sentences_of_epoch, make_sentences};
}

/* ---- epoch after epoch ------------------------------------------------------------------ */

struct at_batches {
    at_supply supply;
    at_plan_options options;
    at_plan plan; /* of the epoch */
    at_position next;
};

static attend_status plan_epoch(at_batches *b, uint32_t epoch, attend_error *err)
{
    size_t items;
    const uint32_t *lengths, *others;
    at_plan plan;
    attend_status status = b->supply.epoch(b->supply.self, epoch, &items, &lengths, &others, err);
    if (status >= 0 && !items)
        status = at_error(err, ATTEND_FORMAT,
                          "no example is left; allow longer ones, or look at "
                          "the corpus with attend data check");
    if (status >= 0)
        status = at_plan_make(&plan, items, lengths, others, &b->options, epoch, err);
    if (status < 0)
        return status;
    at_plan_free(&b->plan);
    b->plan = plan;
    b->next.epoch = epoch;
    b->next.batch = 0;
    return ATTEND_OK;
}

static uint64_t print_of(uint64_t print, const at_plan_options *o)
{
    const uint64_t mix = (uint64_t)(o->mix * 1e6);
    const uint64_t all[] = {o->sentences, o->tokens, o->pool, o->in_order, o->seed, mix};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        print = at_key_join(print, all[i]);
    return print;
}

attend_status at_batches_new(at_supply supply, const at_plan_options *plan, at_batches **out,
                             attend_error *err)
{
    *out = NULL;
    at_batches *b = at_alloc_zero(1, sizeof *b);
    if (!b)
        return at_error_memory(err);
    b->supply = supply;
    b->options = *plan;
    b->next.print = print_of(supply.print, plan);
    attend_status status = plan_epoch(b, 0, err);
    if (status < 0)
        at_batches_free(b);
    else
        *out = b;
    return status;
}

void at_batches_free(at_batches *b)
{
    if (!b)
        return;
    at_plan_free(&b->plan);
    at_free(b);
}

attend_status at_batches_next(at_batches *b, at_arena *arena, at_batch *out, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (b->next.batch == b->plan.batches)
        status = plan_epoch(b, b->next.epoch + 1, err);
    if (status < 0)
        return status;
    size_t from = b->plan.start[b->next.batch], to = b->plan.start[b->next.batch + 1];
    out->epoch = b->next.epoch;
    status = b->supply.make(b->supply.self, b->plan.item + from, to - from, arena, out, err);
    if (status < 0)
        return status;
    out->epoch = b->next.epoch;
    out->index = (size_t)b->next.batch++;
    out->step = (uint32_t)b->next.step++;
    return ATTEND_OK;
}

size_t at_batches_in_epoch(const at_batches *b) { return b->plan.batches; }
double at_batches_padding(const at_batches *b) { return at_plan_padding(&b->plan); }
at_position at_batches_position(const at_batches *b) { return b->next; }

attend_status at_batches_seek(at_batches *b, at_position position, attend_error *err)
{
    if (position.print != b->next.print)
        return at_error(
            err, ATTEND_OPTION,
            "the corpus, its vocabulary, its links or the batch size is not the one that the "
            "position was kept for; use the same, or start anew");
    attend_status status = plan_epoch(b, position.epoch, err);
    if (status < 0)
        return status;
    if (position.batch > b->plan.batches)
        return at_error(err, ATTEND_OPTION, "there is no batch %llu in an epoch of %zu",
                        (unsigned long long)position.batch, b->plan.batches);
    b->next = position;
    return ATTEND_OK;
}
