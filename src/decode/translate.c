#include "decode/translate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/attention_rows.h"
#include "decode/translate_job.h"
#include "decode/workers.h"
#include "store/model_folder.h"

/* ---- options ------------------------------------------------------------------------------- */

void attend_translate_defaults(attend_translate_options *o)
{
    *o = (attend_translate_options){.size = sizeof *o,
                                    .best = 1,
                                    .rule = ATTEND_LENGTH_RULE_AVERAGE,
                                    .penalty = 1,
                                    .longest = 200,
                                    .batch = 64,
                                    .scores = 1,
                                    .temperature = 1,
                                    .top_p = 1,
                                    .record_layer = -1,
                                    .record_head = -1,
                                    .attention_layer = -1,
                                    .attention_head = -1};
}

/* What the model's folder says, where the caller does not. */
static void follow_folder(const at_model *m, attend_translate_options *o)
{
    enum { BEAM = 5 };
    const at_generation *g = m->generation;
    if (o->beam)
        return;
    o->beam = g && g->beam ? g->beam : BEAM;
    if (g && o->rule == ATTEND_LENGTH_RULE_AVERAGE && o->penalty == 1)
        o->penalty = g->length_penalty;
}

static at_sampling sampling_of(const attend_translate_options *o)
{
    return (at_sampling){.repetition = 1,
                         .temperature = o->temperature,
                         .top_k = o->top_k,
                         .top_p = o->top_p,
                         .min_p = o->min_p};
}

static attend_status check_options(const attend_translate_options *o, attend_error *err)
{
    at_sampling sampling = sampling_of(o);
    if (o->beam < 1 || o->best < 1 || o->best > o->beam || o->batch < 1 || o->longest < 1)
        return at_error(err, ATTEND_OPTION,
                        "beam %d, best %d, batch %d, longest %d: all at least 1, best at most beam",
                        o->beam, o->best, o->batch, o->longest);
    if (o->most < 0 || o->most > 1 << 20 || o->no_repeat < 0)
        return at_error(err, ATTEND_OPTION,
                        "most %d, no_repeat %d: both at least 0, most at most %d", o->most,
                        o->no_repeat, 1 << 20);
    if (!isfinite(o->penalty) || !isfinite(o->coverage))
        return at_error(err, ATTEND_OPTION, "penalty %g, coverage %g: both must be finite",
                        o->penalty, o->coverage);
    if (o->rule > ATTEND_LENGTH_RULE_WU || o->when_long > ATTEND_WHEN_LONG_ERROR)
        return at_error(err, ATTEND_OPTION, "unknown length rule %d or when_long %d", (int)o->rule,
                        (int)o->when_long);
    if (o->forced && (!o->prefix || o->beam != 1))
        return at_error(err, ATTEND_OPTION, "forced translations need a prefix, and a beam of 1");
    if (o->alternatives < 0 || o->alternatives > 1000)
        return at_error(err, ATTEND_OPTION, "alternatives %d: 0 to 1000", o->alternatives);
    return o->sample ? at_sampling_check(&sampling, err) : ATTEND_OK;
}

/* all models have the layer and head that weights are made of */
static attend_status check_choice(const at_session *s, const attend_translate_options *o,
                                  attend_error *err)
{
    at_attention_record chosen;
    attend_status status = ATTEND_OK;
    if (o->attention_layer < 0 && o->attention_head < 0)
        return ATTEND_OK;
    for (int i = 0; i < at_session_models(s) && status >= 0; i++)
        status = at_attention_wanted(at_session_model(s, i), 1u << ATTEND_ATTENTION_CROSS,
                                     o->attention_layer, o->attention_head, &chosen, err);
    return status;
}

/* what counts on weights is refused where there are none */
static attend_status check_looks(const at_session *s, const attend_translate_options *o,
                                 attend_error *err)
{
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    const char *wants = o->coverage != 0 ? "coverage counts" : "unknown words are replaced by";
    if (o->coverage == 0 && !o->replace_unknown)
        return ATTEND_OK;
    for (int i = 0; i < at_session_models(s); i++)
        if (at_model_attention(at_session_model(s, i), layout) > 0)
            return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "%s what was looked at; a model without attention looks at nothing", wants);
}

/* Is the source what the model reads? */
static attend_status check_source(const at_model *m, const attend_translate_options *o,
                                  const at_sources *in, attend_error *err)
{
    int reads = m->width;
    int given = o->features ? at_features_width(o->features) : 0;
    if (reads != given)
        return at_error(err, ATTEND_FORMAT, "the model reads %s, and the source has %s",
                        at_source_kind(reads).text, at_source_kind(given).text);
    if (given && o->replace_unknown)
        return at_error(err, ATTEND_OPTION,
                        "unknown words cannot be replaced: feature vectors have no words to take");
    size_t there = given ? at_features_count(o->features) : 0;
    if (given && !in->sequence && (o->first > there || in->count > there - o->first))
        return at_error(err, ATTEND_OPTION,
                        "%zu sequences from number %zu on are asked for, and there are %zu",
                        in->count, o->first, there);
    return ATTEND_OK;
}

static attend_status check(const at_session *s, const attend_translate_options *o,
                           const at_sources *in, at_attention_record *wanted, attend_error *err)
{
    const at_model *m = at_session_model(s, 0);
    attend_status status = check_options(o, err);
    if (status < 0 || (status = check_source(m, o, in, err)) < 0
        || (status = check_looks(s, o, err)) < 0 || (status = check_choice(s, o, err)) < 0)
        return status;
    if (o->record && at_session_models(s) > 1)
        return at_error(err, ATTEND_OPTION, "attention is recorded of one model, not of several");
    return at_attention_wanted(m, o->record, o->record_layer, o->record_head, wanted, err);
}

/* ---- in ------------------------------------------------------------------------------------- */

/* what all models can read; frames have no limit but theirs */
static int longest_of(const at_session *session, const attend_translate_options *o)
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

static attend_status refuse(const at_translate_job *j, int length, size_t line, attend_error *err)
{
    bool by_option = !j->o->features && j->longest == j->o->longest;
    return at_error(err, ATTEND_FORMAT, "line %zu has %d %s, and at most %d are read; %s",
                    j->o->first + line + 1, length, j->o->features ? "frames" : "pieces",
                    j->longest,
                    by_option ? "--max-length changes it" : "the model knows no more positions");
}

/* what a line that is too long becomes */
static attend_status shorten(const at_translate_job *j, at_translate_item *i, size_t line,
                             attend_error *err)
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

static attend_status read_line(const at_translate_job *j, size_t number, attend_error *err)
{
    size_t second;
    at_translate_item *i = &j->items[number];
    if (j->o->features) {
        i->sequence = j->sequence ? j->sequence[number] : (uint32_t)(j->o->first + number);
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
static attend_status read_copied(const at_translate_job *j, at_translate_item *i, attend_error *err)
{
    size_t n = i->pieces.count, left = (size_t)i->length;
    attend_status status = at_copied_read(&i->copied, j->with->copying, i->line.text, i->line.size,
                                          &i->pieces, i->cut ? left - 1 : left, err);
    if (status >= 0 && i->cut)
        i->copied.id[left - 1] = at_copying_number(j->with->copying, i->pieces.item[n - 1].id);
    return status;
}

static attend_status read_prefix(const at_translate_job *j, at_translate_item *i, attend_error *err)
{
    at_text prefix = i->prefix;
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
    i->forced = at_alloc(((size_t)n + 2) * sizeof *i->forced);
    if (!i->forced)
        return at_error_memory(err);
    for (int k = 0; k < n; k++)
        i->forced[k] = i->given.item[k].id;
    if (j->o->forced)
        i->forced[n++] = j->with->target->special[ATTEND_SPECIAL_EOS];
    i->forced[n] = -1;
    return ATTEND_OK;
}

/* those that have nothing to translate come last */
static int longest_first(const void *a, const void *b, void *items)
{
    const at_translate_item *all = items;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].empty != all[j].empty)
        return all[i].empty ? 1 : -1;
    if (all[i].length != all[j].length)
        return all[i].length < all[j].length ? 1 : -1;
    return (i > j) - (i < j);
}

/* ---- a batch -------------------------------------------------------------------------------- */

static int most_words(const at_translate_job *j, const at_translate_item *i)
{
    int given = (int)i->given.count;
    if (j->o->forced)
        return given + 1;
    const at_generation *g = j->with->generation;
    int most = j->o->features ? i->length + 50 : 3 * i->length + 10;
    if (g && g->max_length) {
        long more = (long)g->max_a * i->length + g->max_b;
        most = g->max_length - 1 > given ? g->max_length - 1 - given : 1;
        most = more > 0 && more < most ? (int)more : most;
    }
    most = given + (j->o->most ? j->o->most : most);
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

static attend_status fill_features(const at_translate_job *j, const at_translate_item *i, real *to,
                                   size_t S, attend_error *err)
{
    size_t F = (size_t)at_features_width(j->o->features), used = (size_t)i->length * F;
    memset(to + used, 0, (S * F - used) * sizeof *to);
    return at_features_read(j->o->features, i->sequence, i->length, to, err);
}

static attend_status fill_batch(const at_translate_job *j, batch *b, size_t first, int n, int S,
                                attend_error *err)
{
    int pad = j->o->features ? 0 : at_tokenizer_pad(j->with->source);
    attend_status status = ATTEND_OK;
    for (int k = 0; k < n && status >= 0; k++) {
        size_t line = j->order[first + (size_t)k];
        const at_translate_item *i = &j->items[line];
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
        b->prefix[k] = i->forced;
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

static attend_status start(const at_translate_job *j, at_session *session, const batch *b, int n,
                           int S, attend_error *err)
{
    const attend_translate_options *o = j->o;
    at_beginning in = {.sentences = n,
                       .source = {{SHAPE(n, S), b->ids}, b->features, b->lengths},
                       .weights = o->attention || o->replace_unknown || o->coverage != 0,
                       .weights_of = {o->attention_layer, o->attention_head},
                       .wanted = j->wanted};
    if (j->with->copying)
        in.copies = copies_of(b, n, S);
    return at_session_start(session, &in, err);
}

static attend_status search(const at_translate_job *j, at_session *session, const batch *b, int n,
                            int S, attend_error *err)
{
    const attend_translate_options *o = j->o;
    const at_tokenizer *target = j->with->target;
    const at_generation *g = j->with->generation;
    int first = g && g->start >= 0 ? g->start : target->special[ATTEND_SPECIAL_BOS];
    at_searched all;
    at_search_options inside = {.beam = {.width = o->beam,
                                         .most = o->most ? o->most : 1,
                                         .rule = o->rule,
                                         .penalty = o->penalty,
                                         .coverage = o->coverage,
                                         .alternatives = o->alternatives,
                                         .trace = o->trace != 0},
                                .most = b->most,
                                .no_repeat = o->forced ? 0 : o->no_repeat,
                                .prefix = o->prefix ? b->prefix : NULL,
                                .sampling = o->sample && !o->forced ? &j->sampling : NULL,
                                .seed = o->seed,
                                .number = b->number,
                                .words_alone = !o->scores};
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
        status = at_session_searched(session, first, o->beam, &all, err);
    return status < 0 ? status : at_search(&all, &inside, b->beams, err);
}

/* one batch of lines, in a worker's session */
static attend_status translate_batch(void *user, at_session *session, size_t number,
                                     attend_error *err)
{
    const at_translate_job *j = user;
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

static void free_items(at_translate_job *j)
{
    for (size_t i = 0; j->items && i < j->lines; i++) {
        at_tokens_free(&j->items[i].pieces);
        at_tokens_free(&j->items[i].given);
        at_copied_free(&j->items[i].copied);
        at_free(j->items[i].forced);
        at_free(j->items[i].ids);
        at_beam_free(&j->items[i].beam);
    }
    at_free(j->items);
    at_free(j->order);
}

/* has it nothing but what surrounds every text? A forced translation has a score all the same. */
static bool is_empty(const at_translate_job *j, const at_translate_item *i)
{
    if (i->length == 0 || j->o->forced || j->o->features)
        return i->length == 0;
    for (size_t k = 0; k < i->pieces.count; k++)
        if (i->pieces.item[k].end > i->pieces.item[k].begin)
            return false;
    return true;
}

static attend_status read_lines(const at_translate_job *j, const char *const *line,
                                attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t k = 0; k < j->lines && status >= 0; k++) {
        at_translate_item *i = &j->items[k];
        j->order[k] = k;
        i->line = at_text_of(line ? line[k] : "");
        i->prefix = at_text_of(j->o->prefix ? j->o->prefix[k] : "");
        status = read_line(j, k, err);
        if (status >= 0 && j->with->copying && !i->skipped)
            status = read_copied(j, i, err);
        if (status >= 0 && j->o->prefix)
            status = read_prefix(j, i, err);
        i->empty = status >= 0 && is_empty(j, i);
    }
    return status;
}

/* Do results depend on the batch? Then it is as in the options, on any number of threads. */
static bool reads_padding(const at_session *session)
{
    for (int i = 0; i < at_session_models(session); i++) {
        const at_model *m = at_session_model(session, i);
        if (m->kind->decodes->reads_padding && m->kind->decodes->reads_padding(m))
            return true;
    }
    return false;
}

/* the lines that have something to translate, in batches of like length */
static attend_status translate_lines(at_translate_job *j, at_session *session, attend_error *err)
{
    at_workers workers;
    while (j->full < j->lines && !j->items[j->order[j->full]].empty)
        j->full++;
    if (!j->full)
        return ATTEND_OK;
    attend_status status = at_workers_make(&workers, session, j->full, j->o->beam, err);
    if (status >= 0) {
        j->batch = (size_t)j->o->batch;
        if (!reads_padding(session))
            j->batch = at_workers_batch(&workers, j->full, j->batch);
        status = at_workers_run(&workers, (j->full + j->batch - 1) / j->batch, translate_batch, j,
                                err);
    }
    at_workers_free(&workers);
    return status;
}

/* the lines of a block, whose job has all but its memory */
static attend_status translate_block(at_translate_job *j, at_session *session,
                                     const char *const *line, attend_translation_function *function,
                                     void *user, attend_error *err)
{
    j->items = at_alloc_zero(j->lines, sizeof *j->items);
    j->order = at_alloc(j->lines * sizeof *j->order);
    attend_status status = j->items && j->order ? read_lines(j, line, err) : at_error_memory(err);
    if (status >= 0) {
        qsort_r(j->order, j->lines, sizeof *j->order, longest_first, j->items);
        status = translate_lines(j, session, err);
    }
    for (size_t i = 0; i < j->lines && status >= 0; i++)
        status = at_translate_give(j, i, function, user, err);
    free_items(j);
    return status;
}

/* So many lines are sorted by their length and kept until all are translated. */
enum { BLOCK = 4096 };

attend_status at_translate(at_session *session, const attend_translate_options *options,
                           const at_sources *in, attend_translation_function *function, void *user,
                           attend_error *err)
{
    attend_translate_options o = *options, part;
    at_attention_record wanted;
    follow_folder(at_session_model(session, 0), &o);
    attend_status status = check(session, &o, in, &wanted, err);
    for (size_t base = 0, n; base < in->count && status >= 0; base += n) {
        n = in->count - base < BLOCK ? in->count - base : BLOCK;
        part = o;
        part.first += base;
        part.prefix = o.prefix ? o.prefix + base : NULL;
        at_translate_job j = {.with = at_session_model(session, 0),
                              .o = &part,
                              .wanted = wanted,
                              .sampling = sampling_of(&o),
                              .sequence = in->sequence ? in->sequence + base : NULL,
                              .base = base,
                              .lines = n,
                              .longest = longest_of(session, &o),
                              .max_output = max_output_of(session)};
        status = translate_block(&j, session, in->line && !o.features ? in->line + base : NULL,
                                 function, user, err);
    }
    return status < 0 ? status : ATTEND_OK;
}
