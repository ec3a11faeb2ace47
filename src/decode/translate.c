#include "decode/translate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* one line on its way */
typedef struct {
    at_pieces pieces;
    int *ids, length; /* with the frame, at most options->longest */
    bool cut;
    at_beam beam;
} item;

typedef struct {
    at_continuation *c;
    const at_tokenizer *source, *target;
    const at_translate_options *o;
    item *items;
    size_t *order, lines;
} job;

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status read_line(const job *j, item *i, at_text line, attend_error *err)
{
    size_t second;
    attend_status status = at_encode_framed(j->source, line.text, line.size, NULL, 0, &i->pieces,
                                            &second, err);
    if (status < 0)
        return status;
    size_t n = i->pieces.count, most = (size_t)j->o->longest;
    i->cut = n > most;
    i->length = (int)(i->cut ? most : n);
    i->ids = at_alloc((n ? n : 1) * sizeof *i->ids);
    if (!i->ids)
        return at_error_memory(err);
    for (int k = 0; k < i->length; k++)
        i->ids[k] = i->pieces.item[k].id;
    if (i->cut) /* what ends a source still does */
        i->ids[i->length - 1] = i->pieces.item[n - 1].id;
    return ATTEND_OK;
}

static int longest_first(const void *a, const void *b, void *items)
{
    const item *all = items;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].length != all[j].length)
        return all[i].length < all[j].length ? 1 : -1;
    return (i > j) - (i < j);
}

/* ---- a batch -------------------------------------------------------------------------------- */

static int most_words(const job *j, const item *i)
{
    return j->o->beam.most ? j->o->beam.most : 3 * i->length + 10;
}

/* lines order[first .. first+n-1]; empty ones have nothing to translate */
static attend_status translate_batch(const job *j, size_t first, int n, attend_error *err)
{
    int S = j->items[j->order[first]].length;
    at_arena memory = {.first_size = 0};
    int *ids = at_arena_alloc(&memory, (size_t)n * (size_t)S * sizeof *ids);
    int *lengths = at_arena_alloc(&memory, (size_t)n * sizeof *lengths);
    int *most = at_arena_alloc(&memory, (size_t)n * sizeof *most);
    at_beam *beams = at_arena_alloc(&memory, (size_t)n * sizeof *beams);
    attend_status status = ids && lengths && most && beams ? ATTEND_OK : at_error_memory(err);
    for (int b = 0; b < n && status >= 0; b++) {
        const item *i = &j->items[j->order[first + (size_t)b]];
        for (int s = 0; s < S; s++)
            ids[b * S + s] = s < i->length ? i->ids[s] : j->source->special[ATTEND_SPECIAL_PAD];
        lengths[b] = i->length;
        most[b] = most_words(j, i);
    }
    if (status >= 0)
        status = at_continuation_start(j->c, (at_ids){SHAPE(n, S), ids}, lengths, j->o->beam.width,
                                       j->o->weights || j->o->beam.coverage != 0, err);
    if (status >= 0) {
        at_searched m = at_continuation_searched(j->c, j->target->special[ATTEND_SPECIAL_BOS]);
        at_search_options o = {.beam = j->o->beam, .most = most, .no_repeat = j->o->no_repeat};
        o.beam.most = o.beam.most ? o.beam.most : 1;
        o.beam.end = j->target->special[ATTEND_SPECIAL_EOS];
        status = at_search(&m, &o, beams, err);
        for (int b = 0; b < n; b++)
            j->items[j->order[first + (size_t)b]].beam = beams[b];
    }
    at_arena_free(&memory);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------ */

static attend_status give_one(const job *j, size_t line, int rank, at_arena *memory,
                              at_translated_function *give, void *user, attend_error *err)
{
    const item *i = &j->items[line];
    const at_hypothesis *h = &i->beam.found[rank];
    int *words = at_arena_alloc(memory, (size_t)(h->words + 1) * sizeof *words);
    const real **weights = at_arena_alloc(memory, (size_t)(h->words + 1) * sizeof *weights);
    at_str text = {0};
    if (!words || !weights)
        return at_error_memory(err);
    int n = at_beam_words(&i->beam, h, words);
    attend_status status = at_decode(j->target, words, (size_t)n, ATTEND_DECODE_PLAIN, &text, err);
    if (h->ended)
        words[n++] = i->beam.options.end;
    for (int k = 0; k < n; k++)
        weights[k] = at_beam_weights(&i->beam, h, k);
    at_translated t = {.line = line,
                       .rank = rank,
                       .text = at_str_text(&text),
                       .score = h->score,
                       .log_p = h->log_p,
                       .words = words,
                       .count = n,
                       .source = &i->pieces,
                       .weights = i->beam.source ? weights : NULL,
                       .positions = i->length,
                       .cut = i->cut};
    if (status >= 0)
        status = text.failed ? at_error_memory(err) : give(user, &t, err);
    at_str_free(&text);
    return status;
}

static attend_status give_line(const job *j, size_t line, at_translated_function *give, void *user,
                               attend_error *err)
{
    const item *i = &j->items[line];
    attend_status status = ATTEND_OK;
    at_arena memory = {.first_size = 0};
    at_translated nothing = {.line = line, .text = "", .source = &i->pieces};
    if (i->beam.count == 0)
        status = give(user, &nothing, err);
    for (int rank = 0; rank < i->beam.count && rank < j->o->best && status >= 0; rank++)
        status = give_one(j, line, rank, &memory, give, user, err);
    at_arena_free(&memory);
    return status;
}

static void free_items(job *j)
{
    for (size_t i = 0; j->items && i < j->lines; i++) {
        at_pieces_free(&j->items[i].pieces);
        at_free(j->items[i].ids);
        at_beam_free(&j->items[i].beam);
    }
    at_free(j->items);
    at_free(j->order);
}

/* has it nothing but what surrounds every text? */
static bool is_empty(const item *i)
{
    for (size_t k = 0; k < i->pieces.count; k++)
        if (i->pieces.item[k].end > i->pieces.item[k].begin)
            return false;
    return true;
}

attend_status at_translate(at_continuation *c, const at_tokenizer *source,
                           const at_tokenizer *target, const at_translate_options *o, size_t lines,
                           const at_text *line, at_translated_function *give, void *user,
                           attend_error *err)
{
    job j = {.c = c, .source = source, .target = target, .o = o, .lines = lines};
    size_t n = lines ? lines : 1, full = 0;
    j.items = at_alloc_zero(n, sizeof *j.items);
    j.order = at_alloc(n * sizeof *j.order);
    attend_status status = j.items && j.order ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < lines && status >= 0; i++) {
        j.order[i] = i;
        status = read_line(&j, &j.items[i], line[i], err);
    }
    if (status >= 0)
        qsort_r(j.order, lines, sizeof *j.order, longest_first, j.items);
    while (status >= 0 && full < lines && !is_empty(&j.items[j.order[full]]))
        full++;
    for (size_t at = 0; at < full && status >= 0; at += (size_t)o->batch) {
        size_t left = full - at;
        status = translate_batch(&j, at, (int)(left < (size_t)o->batch ? left : (size_t)o->batch),
                                 err);
    }
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give_line(&j, i, give, user, err);
    free_items(&j);
    return status;
}
