#include "decode/translate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attend.h"
#include "base/memory.h"
#include "decode/detokenize.h"
#include "decode/workers.h"
#include "text/counting.h"

/* one line on its way */
typedef struct {
    at_text line;
    at_tokens pieces;
    uint32_t sequence; /* of features */
    int *ids, length;  /* with the frame, at most job's longest */
    bool cut, skipped;
    bool empty;       /* nothing is translated */
    at_copied copied; /* of its pieces, where the models copy */
    at_tokens given;  /* the prefix */
    int *prefix;      /* its numbers, with the end where it is forced, then -1; or NULL */
    at_beam beam;
} item;

typedef struct {
    const at_model *with; /* the first model: all have its tokenizers */
    const at_translate_options *o;
    item *items;
    size_t *order, lines, base; /* base: number of the first line of this block */
    int longest;                /* pieces or frames that are read; 0: any number */
    size_t full;                /* lines that have something to translate: the first in order */
    size_t batch;               /* of these, at a time */
    int max_output;             /* tokens that all models can write; 0: any number */
} job;

/* ---- in ------------------------------------------------------------------------------------- */

/* what all models can read; frames have no limit but theirs */
static int longest_of(const at_session *session, const at_translate_options *o)
{
    int longest = o->features ? 0 : o->longest;
    for (int i = 0; i < at_session_models(session); i++)
        longest = at_model_max_input(at_session_model(session, i), longest);
    return longest;
}

static int max_output_of(const at_session *session)
{
    int max = 0;
    for (int i = 0; i < at_session_models(session); i++)
        max = at_model_max_output(at_session_model(session, i), max);
    return max;
}

static attend_status refuse(const job *j, int length, size_t line, attend_error *err)
{
    bool asked = !j->o->features && j->longest == j->o->longest;
    return at_error(err, ATTEND_FORMAT, "line %zu has %d %s, and at most %d are read; %s",
                    j->o->first + line + 1, length, j->o->features ? "frames" : "pieces",
                    j->longest,
                    asked ? "--max-length changes it" : "the model knows no more positions");
}

/* what a line that is too long becomes */
static attend_status shorten(const job *j, item *i, size_t line, attend_error *err)
{
    int n = i->length;
    if (!j->longest || n <= j->longest)
        return ATTEND_OK;
    if (j->o->when_long == ATTEND_WHEN_LONG_ERROR)
        return refuse(j, n, line, err);
    i->skipped = j->o->when_long == ATTEND_WHEN_LONG_SKIP;
    i->cut = !i->skipped;
    i->length = i->skipped ? 0 : j->longest;
    if (i->cut && i->ids) /* what ends a source still does */
        i->ids[i->length - 1] = i->pieces.item[n - 1].id;
    return ATTEND_OK;
}

static attend_status read_line(const job *j, size_t number, attend_error *err)
{
    size_t second;
    item *i = &j->items[number];
    if (j->o->features) {
        i->sequence = j->o->sequence ? j->o->sequence[number] : (uint32_t)(j->o->first + number);
        i->length = at_features_frames(j->o->features, i->sequence);
        return shorten(j, i, number, err);
    }
    attend_status status = at_encode_framed(j->with->source, i->line.text, i->line.size, NULL, 0,
                                            &i->pieces, &second, err);
    if (status < 0)
        return status;
    i->length = (int)i->pieces.count;
    i->ids = at_alloc((i->pieces.count + 1) * sizeof *i->ids);
    if (!i->ids)
        return at_error_memory(err);
    for (int k = 0; k < i->length; k++)
        i->ids[k] = i->pieces.item[k].id;
    return shorten(j, i, number, err);
}

/* What can be copied: of a line that is cut, from what is left of it. */
static attend_status read_copied(const job *j, item *i, attend_error *err)
{
    size_t n = i->pieces.count, left = (size_t)i->length;
    attend_status status = at_copied_read(&i->copied, j->with->copying, i->line.text, i->line.size,
                                          &i->pieces, i->cut ? left - 1 : left, err);
    if (status >= 0 && i->cut)
        i->copied.id[left - 1] = at_copying_number(j->with->copying, i->pieces.item[n - 1].id);
    return status;
}

static attend_status read_prefix(const job *j, item *i, at_text prefix, attend_error *err)
{
    attend_status status = at_encode(j->with->target, prefix.text, prefix.size, &i->given, err);
    if (status >= 0 && j->with->copying)
        status = at_copied_find(&i->copied, j->with->copying, prefix.text, prefix.size, &i->given,
                                err);
    if (status < 0)
        return status;
    int n = (int)i->given.count;
    if (j->max_output && n + 1 > j->max_output)
        return at_error(err, ATTEND_FORMAT,
                        "line %zu: its given translation has %d tokens, and the model has %d "
                        "positions, one of them for the end; shorten it",
                        j->o->first + (size_t)(i - j->items) + 1, n, j->max_output);
    i->prefix = at_alloc(((size_t)n + 2) * sizeof *i->prefix);
    if (!i->prefix)
        return at_error_memory(err);
    for (int k = 0; k < n; k++)
        i->prefix[k] = i->given.item[k].id;
    if (j->o->forced)
        i->prefix[n++] = j->with->target->special[ATTEND_SPECIAL_EOS];
    i->prefix[n] = -1;
    return ATTEND_OK;
}

/* those that have nothing to translate come last */
static int longest_first(const void *a, const void *b, void *items)
{
    const item *all = items;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].empty != all[j].empty)
        return all[i].empty ? 1 : -1;
    if (all[i].length != all[j].length)
        return all[i].length < all[j].length ? 1 : -1;
    return (i > j) - (i < j);
}

/* ---- a batch -------------------------------------------------------------------------------- */

static int most_words(const job *j, const item *i)
{
    int given = (int)i->given.count;
    if (j->o->forced)
        return given + 1;
    const at_generation *g = j->with->generation;
    int most = j->o->features ? i->length + 50 : 3 * i->length + 10;
    if (g && g->max_length)
        most = g->max_length - 1 > given ? g->max_length - 1 - given : 1;
    most = given + (j->o->beam.most ? j->o->beam.most : most);
    return j->max_output && j->max_output < most ? j->max_output : most;
}

/* what a batch is made of */
typedef struct {
    int *ids, *lengths, *most;
    int *copied, *extra; /* where the models copy */
    real *features;      /* [n,S,F], in place of ids */
    const int **prefix;
    size_t *number;
    at_beam *beams;
} batch;

static bool make_batch(batch *b, at_arena *memory, size_t n, size_t S, size_t F)
{
    *b = (batch){.ids = at_arena_alloc(memory, n * S * sizeof *b->ids),
                 .lengths = at_arena_alloc(memory, n * sizeof *b->lengths),
                 .most = at_arena_alloc(memory, n * sizeof *b->most),
                 .copied = at_arena_alloc(memory, n * S * sizeof *b->copied),
                 .extra = at_arena_alloc(memory, n * sizeof *b->extra),
                 .prefix = at_arena_alloc(memory, n * sizeof *b->prefix),
                 .number = at_arena_alloc(memory, n * sizeof *b->number),
                 .beams = at_arena_alloc(memory, n * sizeof *b->beams)};
    if (F && !(b->features = at_arena_alloc(memory, n * S * F * sizeof *b->features)))
        return false;
    return b->ids && b->lengths && b->most && b->copied && b->extra && b->prefix && b->number
           && b->beams;
}

static attend_status fill_features(const job *j, const item *i, real *to, size_t S,
                                   attend_error *err)
{
    size_t F = (size_t)at_features_width(j->o->features), used = (size_t)i->length * F;
    memset(to + used, 0, (S * F - used) * sizeof *to);
    return at_features_read(j->o->features, i->sequence, i->length, to, err);
}

static attend_status fill_batch(const job *j, batch *b, size_t first, int n, int S,
                                attend_error *err)
{
    int pad = j->o->features ? 0 : at_tokenizer_pad(j->with->source);
    attend_status status = ATTEND_OK;
    for (int k = 0; k < n && status >= 0; k++) {
        size_t line = j->order[first + (size_t)k];
        const item *i = &j->items[line];
        for (int s = 0; s < S && !b->features; s++)
            b->ids[k * S + s] = s < i->length ? i->ids[s] : pad;
        for (int s = 0; j->with->copying && s < S; s++)
            b->copied[k * S + s] = s < i->length ? i->copied.id[s] : -1;
        b->extra[k] = i->copied.extra;
        if (b->features) {
            size_t each = (size_t)S * (size_t)at_features_width(j->o->features);
            status = fill_features(j, i, b->features + (size_t)k * each, (size_t)S, err);
        }
        b->lengths[k] = i->length;
        b->most[k] = most_words(j, i);
        b->prefix[k] = i->prefix;
        b->number[k] = j->o->first + line;
    }
    return status;
}

static at_copies copies_of(const batch *b, int n, int S)
{
    at_copies c = {.source = {SHAPE(n, S), b->copied}, .extra = b->extra};
    for (int k = 0; k < n; k++)
        c.max = b->extra[k] > c.max ? b->extra[k] : c.max;
    return c;
}

static attend_status start(const job *j, at_session *session, const batch *b, int n, int S,
                           attend_error *err)
{
    const at_translate_options *o = j->o;
    at_beginning in = {.sentences = n,
                       .source = {{SHAPE(n, S), b->ids}, b->features, b->lengths},
                       .weights = o->weights || o->replace_unknown || o->beam.coverage != 0,
                       .weights_of = o->weights_of,
                       .wanted = o->wanted};
    if (j->with->copying)
        in.copies = copies_of(b, n, S);
    return at_session_start(session, &in, err);
}

static attend_status search(const job *j, at_session *session, const batch *b, int n, int S,
                            attend_error *err)
{
    const at_translate_options *o = j->o;
    const at_tokenizer *target = j->with->target;
    const at_generation *g = j->with->generation;
    int first = g && g->start >= 0 ? g->start : target->special[ATTEND_SPECIAL_BOS];
    at_searched all;
    at_search_options inside = {.beam = o->beam,
                                .most = b->most,
                                .no_repeat = o->forced ? 0 : o->no_repeat,
                                .prefix = o->prefix ? b->prefix : NULL,
                                .sampling = o->forced ? NULL : o->sampling,
                                .seed = o->seed,
                                .number = b->number,
                                .words_alone = o->words_alone};
    inside.beam.most = inside.beam.most ? inside.beam.most : 1;
    inside.beam.end = g && g->end >= 0 ? g->end : target->special[ATTEND_SPECIAL_EOS];
    if (g && !o->forced) {
        inside.rules = g;
        inside.beam.least = g->min_length > 0 ? g->min_length - 1 : 0;
        inside.beam.early = g->early;
        inside.no_repeat = inside.no_repeat ? inside.no_repeat : g->no_repeat;
        inside.repetition = g->repetition;
    }
    attend_status status = start(j, session, b, n, S, err);
    if (status >= 0)
        status = at_session_searched(session, first, o->beam.width, &all, err);
    return status < 0 ? status : at_search(&all, &inside, b->beams, err);
}

/* one batch of lines, in a worker's session */
static attend_status translate_batch(void *user, at_session *session, size_t number,
                                     attend_error *err)
{
    const job *j = user;
    size_t first = number * j->batch, left = j->full - first;
    int n = (int)(left < j->batch ? left : j->batch);
    int S = j->items[j->order[first]].length;
    at_arena memory = {.first_size = 0};
    batch b;
    size_t F = j->o->features ? (size_t)at_features_width(j->o->features) : 0;
    bool made = make_batch(&b, &memory, (size_t)n, (size_t)S, F);
    attend_status status = made ? ATTEND_OK : at_error_memory(err);
    if (made) {
        memset(b.beams, 0, (size_t)n * sizeof *b.beams);
        status = fill_batch(j, &b, first, n, S, err);
        if (status >= 0)
            status = search(j, session, &b, n, S, err);
        for (int k = 0; k < n; k++)
            j->items[j->order[first + (size_t)k]].beam = b.beams[k];
    }
    at_arena_free(&memory);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------ */

/* texts of the target's pieces: given ones as they were given, unknown ones replaced */
static at_text *texts(const job *j, const item *i, const at_detokenizer *w, int n, const int *id,
                      const real *const *weights)
{
    int unknown = j->with->target->special[ATTEND_SPECIAL_UNK], given = (int)i->given.count;
    at_text *piece = at_detokenizer_tokens(w, n, id);
    at_text prefix = j->o->prefix ? j->o->prefix[i - j->items] : (at_text){"", 0};
    for (int k = 0; piece && k < n; k++) {
        if (id[k] != unknown)
            continue;
        if (k < given && i->given.item[k].id == unknown)
            piece[k] = (at_text){prefix.text + i->given.item[k].begin,
                                 i->given.item[k].end - i->given.item[k].begin};
        else if (j->o->replace_unknown && weights
                 && !at_detokenizer_replace(w, weights[k], &piece[k]))
            return NULL;
    }
    return piece;
}

/* attention and alternatives of every token, where they were asked for; false without memory */
static bool take_record(const job *j, const item *i, const at_hypothesis *h, at_arena *memory,
                        int count, at_translated *t)
{
    size_t n = (size_t)count + 1;
    t->beam = &i->beam;
    t->copied = &i->copied;
    if (j->o->wanted.kinds) {
        at_attention_rows *rows = at_arena_alloc(memory, n * sizeof *rows);
        for (int k = 0; rows && k < count; k++)
            rows[k] = at_beam_attention(&i->beam, h, k);
        if (!(t->attention = rows))
            return false;
    }
    if (j->o->beam.alternatives) {
        const at_alternative **all = at_arena_alloc(memory, n * sizeof *all);
        for (int k = 0; all && k < count; k++)
            all[k] = at_beam_alternatives(&i->beam, h, k);
        if (!(t->alternative = all))
            return false;
    }
    return true;
}

/* the pieces of a hypothesis, all in the arena: false without memory */
static bool take(const job *j, const item *i, const at_hypothesis *h, const at_detokenizer *w,
                 at_translated *t)
{
    size_t n = (size_t)h->words + 1;
    int *id = at_arena_alloc(w->memory, n * sizeof *id);
    const real **weights = at_arena_alloc(w->memory, n * sizeof *weights);
    double *log_ps = at_arena_alloc(w->memory, n * sizeof *log_ps);
    if (!id || !weights || !log_ps)
        return false;
    int count = at_beam_words(&i->beam, h, id);
    if (h->ended)
        id[count++] = i->beam.options.end;
    for (int k = 0; k < count; k++) {
        weights[k] = at_beam_weights(&i->beam, h, k);
        log_ps[k] = at_beam_log_p(&i->beam, h, k);
    }
    if (!take_record(j, i, h, w->memory, count, t))
        return false;
    t->count = count;
    t->words = id;
    t->weights = i->beam.source ? weights : NULL;
    t->log_ps = j->o->words_alone ? NULL : log_ps;
    t->piece = texts(j, i, w, count, id, t->weights);
    return t->piece;
}

/* which words the pieces are in: those of what was given, or of the text they make */
static attend_status number_words(const job *j, const item *i, const at_detokenizer *w,
                                  at_translated *t, attend_error *err)
{
    unsigned *word = at_arena_alloc(w->memory, (size_t)(t->count + 1) * sizeof *word);
    if (!word)
        return at_error_memory(err);
    t->word = word;
    if (!j->o->forced)
        return at_detokenizer_words(w, t->count, t->words, t->piece, word, err);
    at_text text = j->o->prefix[i - j->items];
    bool alone = at_words_stand_alone(text.text, text.size);
    for (size_t k = 0; k < (size_t)t->count; k++) {
        const at_token *piece = k < i->given.count ? &i->given.item[k] : NULL;
        word[k] = !piece  ? ATTEND_NO_WORD
                  : alone ? at_word_of(text.text, text.size, piece)
                          : piece->word;
    }
    return ATTEND_OK;
}

static attend_status give_one(const job *j, size_t line, int rank, at_arena *memory,
                              at_translated_function *give, void *user, attend_error *err)
{
    const item *i = &j->items[line];
    const at_hypothesis *h = &i->beam.found[rank];
    at_detokenizer w = {.target = j->with->target,
                        .dictionary = j->o->dictionary,
                        .source = &i->pieces,
                        .copied = &i->copied,
                        .line = i->line,
                        .words = !j->o->features
                                 && strcmp(j->with->source->kind->name, "words") == 0,
                        .positions = i->cut ? i->length - 1 : i->length, /* its last is the end */
                        .memory = memory};
    at_translated t = {.line = j->base + line,
                       .rank = rank,
                       .score = j->o->words_alone ? NAN : h->score,
                       .log_p = j->o->words_alone ? NAN : h->log_p,
                       .read = i->line,
                       .source = &i->pieces,
                       .positions = i->length,
                       .cut = i->cut};
    at_str text = {0};
    if (!take(j, i, h, &w, &t))
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    if (j->o->forced)
        at_str_add_bytes(&text, j->o->prefix[line].text, j->o->prefix[line].size);
    else
        status = at_detokenizer_join(&w, t.count, t.words, t.piece, &text, err);
    if (status >= 0 && j->o->words)
        status = number_words(j, i, &w, &t, err);
    t.text = at_str_text(&text);
    t.weights = j->o->weights ? t.weights : NULL;
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
    at_translated nothing = {
        .line = j->base + line, .text = "", .source = &i->pieces, .skipped = i->skipped};
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
        at_tokens_free(&j->items[i].pieces);
        at_tokens_free(&j->items[i].given);
        at_copied_free(&j->items[i].copied);
        at_free(j->items[i].prefix);
        at_free(j->items[i].ids);
        at_beam_free(&j->items[i].beam);
    }
    at_free(j->items);
    at_free(j->order);
}

/* has it nothing but what surrounds every text? A forced translation has a score all the same. */
static bool is_empty(const job *j, const item *i)
{
    if (i->length == 0 || j->o->forced || j->o->features)
        return i->length == 0;
    for (size_t k = 0; k < i->pieces.count; k++)
        if (i->pieces.item[k].end > i->pieces.item[k].begin)
            return false;
    return true;
}

static attend_status read_lines(const job *j, const at_text *line, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < j->lines && status >= 0; i++) {
        j->order[i] = i;
        j->items[i].line = line ? line[i] : (at_text){"", 0};
        status = read_line(j, i, err);
        if (status >= 0 && j->with->copying && !j->items[i].skipped)
            status = read_copied(j, &j->items[i], err);
        if (status >= 0 && j->o->prefix)
            status = read_prefix(j, &j->items[i], j->o->prefix[i], err);
        j->items[i].empty = status >= 0 && is_empty(j, &j->items[i]);
    }
    return status;
}

/* the lines that have something to translate, in batches of like length */
static attend_status translate_lines(job *j, at_session *session, attend_error *err)
{
    at_workers workers;
    while (j->full < j->lines && !j->items[j->order[j->full]].empty)
        j->full++;
    if (!j->full)
        return ATTEND_OK;
    attend_status status = at_workers_make(&workers, session, j->full, j->o->beam.width, err);
    if (status >= 0) {
        j->batch = at_workers_batch(&workers, j->full, (size_t)j->o->batch);
        status = at_workers_run(&workers, (j->full + j->batch - 1) / j->batch, translate_batch, j,
                                err);
    }
    at_workers_free(&workers);
    return status;
}

/* some lines, from number `base` on */
static attend_status translate_block(at_session *session, const at_translate_options *o,
                                     size_t base, size_t lines, const at_text *line,
                                     at_translated_function *give, void *user, attend_error *err)
{
    job j = {.with = at_session_model(session, 0),
             .o = o,
             .base = base,
             .lines = lines,
             .longest = longest_of(session, o),
             .max_output = max_output_of(session)};
    j.items = at_alloc_zero(lines, sizeof *j.items);
    j.order = at_alloc(lines * sizeof *j.order);
    attend_status status = j.items && j.order ? read_lines(&j, line, err) : at_error_memory(err);
    if (status >= 0) {
        qsort_r(j.order, lines, sizeof *j.order, longest_first, j.items);
        status = translate_lines(&j, session, err);
    }
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = give_line(&j, i, give, user, err);
    free_items(&j);
    return status;
}

/* So many lines are sorted by their length and kept until all are translated. */
enum { BLOCK = 4096 };

attend_status at_translate(at_session *session, const at_translate_options *o, size_t lines,
                           const at_text *line, at_translated_function *give, void *user,
                           attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t base = 0, n; base < lines && status >= 0; base += n) {
        at_translate_options part = *o;
        n = lines - base < BLOCK ? lines - base : BLOCK;
        part.first += base;
        part.prefix = o->prefix ? o->prefix + base : NULL;
        part.sequence = o->sequence ? o->sequence + base : NULL;
        status = translate_block(session, &part, base, n, line ? line + base : NULL, give, user,
                                 err);
    }
    return status;
}
