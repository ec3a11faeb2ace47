/* Sessions. Sentences that begin together are a group, with their sources on a tape and their rows
 * in a cache; a step runs one group after the other. */
#include "decode/session.h"

#include <string.h>

#include "base/memory.h"

typedef struct group {
    struct group *next;
    at_tape *encoder; /* of the sources */
    void *source;
    at_cache *cache;
    at_copies copies;
    const int *lengths;         /* [sentences]: of the sources */
    int sentences, positions;   /* positions: of the longest source */
    int position;               /* tokens decoded */
    int rows;                   /* of the last step */
    int skipped;                /* rows of the last step, just before these, whose group has left */
    at_attention_record record; /* of the last step */
    at_attention_record encoded; /* of the encoder */
} group;

typedef struct {
    const at_model *model;
    at_tape *tape; /* of one step */
    group *groups;
    group *spare; /* of sentences that are gone: their memory serves those that begin */
    bool weights;
    at_attention_choice weights_of; /* its layer is a number */
    at_attention_record wanted;
    int extra, positions; /* the most that a group has had since the start */
    int skipped;          /* rows of the last step after all groups, whose group has left */
    real *log_p, *means;  /* of all groups, where there are several */
    size_t room, means_room;
    int *lengths; /* of the sources of all groups, where there are several */
} member;

struct at_session {
    int count;
    member member[ATTEND_ENSEMBLE_MOST];
    at_ensemble ensemble;
    int width; /* rows for each sentence that the ensemble has room for */
};

static const at_decodes *decodes(const member *m) { return m->model->kind->decodes; }
static bool copies(const member *m) { return m->model->copying; }

/* ---- making and releasing ------------------------------------------------------------------- */

attend_status at_session_new(int count, const at_model *const *models, at_session **out,
                             attend_error *err)
{
    at_session *s = *out = at_alloc_zero(1, sizeof *s);
    if (!s)
        return at_error_memory(err);
    for (int i = 0; i < count; i++) {
        member *m = &s->member[s->count++];
        m->model = models[i];
        m->tape = at_tape_new(models[i]->params, ATTEND_INFER);
        if (!m->tape) {
            at_session_free(s);
            *out = NULL;
            return at_error_memory(err);
        }
    }
    return ATTEND_OK;
}

static void free_group(group *g)
{
    if (g->encoder)
        at_tape_free(g->encoder);
    at_cache_free(g->cache);
    at_free(g);
}

static void free_groups(group *g)
{
    for (group *next; g; g = next) {
        next = g->next;
        free_group(g);
    }
}

/* all groups become spare */
static void forget_groups(member *m)
{
    group **last = &m->spare;
    while (*last)
        last = &(*last)->next;
    *last = m->groups;
    m->groups = NULL;
    m->skipped = 0;
}

void at_session_free(at_session *s)
{
    for (int i = 0; s && i < s->count; i++) {
        member *m = &s->member[i];
        free_groups(m->groups);
        free_groups(m->spare);
        if (m->tape)
            at_tape_free(m->tape);
        at_free(m->log_p);
        at_free(m->means);
        at_free(m->lengths);
    }
    if (s)
        at_ensemble_free(&s->ensemble);
    at_free(s);
}

int at_session_models(const at_session *s) { return s->count; }
const at_model *at_session_model(const at_session *s, int i) { return s->member[i].model; }

/* ---- sentences that begin ------------------------------------------------------------------- */

/* the rows of the prompts, all but what the first step takes */
static attend_status read_prompts(member *m, group *g, const at_beginning *in, attend_error *err)
{
    if (in->prompt.shape.rank < 2 || in->prompt.shape.dim[1] == 0)
        return ATTEND_OK;
    at_tape_reset(m->tape);
    decodes(m)->decode(
        m->tape, m->model,
        &(at_decode_input){
            .cache = g->cache, .tokens = in->prompt, .counts = in->counts, .width = 1});
    return at_tape_status(m->tape, err);
}

static attend_status read_sources(member *m, group *g, const at_beginning *in, attend_error *err)
{
    g->positions = in->source.ids.shape.dim[1];
    g->lengths = in->source.lengths;
    g->copies = in->copies;
    g->encoded = (at_attention_record){
        .kinds = m->wanted.kinds, .layer = m->wanted.layer, .head = m->wanted.head};
    at_inputs source = in->source;
    source.record = &g->encoded;
    g->source = decodes(m)->encode(g->encoder, m->model, &source);
    if (!at_failed(g->encoder) && decodes(m)->start)
        decodes(m)->start(g->encoder, m->model, g->source, g->cache);
    return at_tape_status(g->encoder, err);
}

/* a group without sentences, spare or new; NULL without memory */
static group *empty_group(member *m)
{
    group *g = m->spare;
    if (g) {
        m->spare = g->next;
        at_tape *encoder = g->encoder;
        at_cache *cache = g->cache;
        *g = (group){.encoder = encoder, .cache = cache};
        if (encoder)
            at_tape_reset(encoder);
        at_cache_clear(cache);
        return g;
    }
    if (!(g = at_alloc_zero(1, sizeof *g)))
        return NULL;
    g->cache = decodes(m)->cache(m->model);
    g->encoder = decodes(m)->encode ? at_tape_new(m->model->params, ATTEND_INFER) : NULL;
    if (g->cache && (g->encoder || !decodes(m)->encode))
        return g;
    free_group(g);
    return NULL;
}

/* a group of these sentences, which the member does not have yet */
static attend_status begin_group(member *m, const at_beginning *in, group **out, attend_error *err)
{
    group *g = *out = empty_group(m);
    if (!g)
        return at_error_memory(err);
    g->sentences = g->rows = in->sentences;
    attend_status status = at_cache_join(g->cache, in->sentences, err);
    if (status < 0)
        return status;
    return g->encoder ? read_sources(m, g, in, err) : read_prompts(m, g, in, err);
}

static void add_group(member *m, group *g)
{
    group **last = &m->groups;
    m->extra = g->copies.max > m->extra ? g->copies.max : m->extra;
    m->positions = g->positions > m->positions ? g->positions : m->positions;
    while (*last)
        last = &(*last)->next;
    *last = g;
    g->skipped = m->skipped;
    m->skipped = 0;
}

attend_status at_session_join(at_session *s, const at_beginning *in, attend_error *err)
{
    group *begun[ATTEND_ENSEMBLE_MOST] = {NULL};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->count && status >= 0; i++)
        status = begin_group(&s->member[i], in, &begun[i], err);
    if (status < 0) {
        for (int i = 0; i < s->count && begun[i]; i++)
            free_group(begun[i]);
        return status;
    }
    at_ensemble_free(&s->ensemble);
    for (int i = 0; i < s->count; i++)
        add_group(&s->member[i], begun[i]);
    return ATTEND_OK;
}

attend_status at_session_start(at_session *s, const at_beginning *in, attend_error *err)
{
    for (int i = 0; i < s->count; i++) {
        member *m = &s->member[i];
        at_attention_layout layout[ATTEND_LAYOUT_MAX];
        forget_groups(m);
        m->wanted = in->wanted;
        m->weights = false;
        m->extra = m->positions = 0;
        m->weights_of = in->weights_of;
        for (int k = at_model_attention(m->model, layout) - 1; k >= 0 && in->weights; k--)
            if (layout[k].kind == ATTEND_ATTENTION_CROSS) {
                m->weights = true;
                if (in->weights_of.layer < 0)
                    m->weights_of.layer = layout[k].layers - 1;
            }
    }
    return at_session_join(s, in, err);
}

/* ---- a step --------------------------------------------------------------------------------- */

/* the record that a step fills: what is asked for, and the cross-attention of the weights */
static at_attention_record wanted_of(const member *m)
{
    at_attention_record r = {
        .kinds = m->wanted.kinds, .layer = m->wanted.layer, .head = m->wanted.head};
    unsigned cross = 1u << ATTEND_ATTENTION_CROSS;
    bool has_layer = r.layer < 0 || r.layer == m->weights_of.layer;
    if (!m->weights || (r.kinds & cross && has_layer))
        return r;
    int layer = !r.kinds ? m->weights_of.layer : has_layer ? r.layer : -1;
    return (at_attention_record){.kinds = r.kinds | cross, .layer = layer, .head = -1};
}

typedef struct {
    at_tensor *log_p, *weights;
} group_numbers;

static attend_status step_group(member *m, group *g, int width, const int *from, const int *tokens,
                                group_numbers *out, attend_error *err)
{
    at_tape *t = m->tape;
    int rows = g->sentences * width;
    attend_status status = at_cache_reorder(g->cache, rows, from, err);
    if (status < 0)
        return status;
    g->rows = rows;
    g->record = wanted_of(m);
    at_decode_input in = {.source = g->source,
                          .cache = g->cache,
                          .tokens = {SHAPE(rows, 1), tokens},
                          .width = width,
                          .position = g->position++,
                          .record = &g->record};
    at_decoded d = decodes(m)->decode(t, m->model, &in);
    out->log_p = copies(m) ? decodes(m)->copy_log_p(t, m->model, &d,
                                                    g->copies.source.id ? &g->copies : NULL)
                           : decodes(m)->logits(t, m->model, d.features);
    out->weights = NULL;
    if (m->weights && !at_failed(t))
        out->weights = at_attention_record_matrix(t, &g->record, ATTEND_ATTENTION_CROSS,
                                                  m->weights_of);
    return at_tape_status(t, err);
}

static bool fit(real **numbers, size_t *room, size_t n)
{
    if (*room >= n)
        return true;
    at_free(*numbers);
    *numbers = at_alloc(n * sizeof **numbers);
    *room = *numbers ? n : 0;
    return *numbers;
}

/* neither changes when sentences leave: a search goes on with what it began with */
static int vocabulary_of(const member *m) { return decodes(m)->vocabulary(m->model) + m->extra; }

static int positions_of(const member *m) { return m->weights ? m->positions : 0; }

/* rows of [n] numbers into rows of [room], with `fill` after them */
static void widen(real *to, size_t room, const at_tensor *from, size_t rows, size_t n, real fill)
{
    for (size_t i = 0; i < rows; i++) {
        memcpy(to + i * room, from->value + i * n, n * sizeof *to);
        for (size_t k = n; k < room; k++)
            to[i * room + k] = fill;
    }
}

/* One group's numbers are given as they are, where it has all there is room for; those of several
 * are put together. */
static attend_status gather(member *m, int width, const group_numbers *part,
                            at_session_numbers *out, attend_error *err)
{
    size_t V = (size_t)vocabulary_of(m), S = (size_t)positions_of(m), rows = 0, at = 0;
    const group *only = m->groups->next ? NULL : m->groups;
    if (only && only->copies.max == m->extra && only->positions == m->positions) {
        out->log_p = part->log_p->value;
        out->weights = part->weights ? part->weights->value : NULL;
        return ATTEND_OK;
    }
    for (const group *g = m->groups; g; g = g->next)
        rows += (size_t)(g->sentences * width);
    if (!fit(&m->log_p, &m->room, rows * V) || !fit(&m->means, &m->means_room, rows * S + 1))
        return at_error_memory(err);
    for (const group *g = m->groups; g; g = g->next, part++) {
        size_t n = (size_t)(g->sentences * width);
        size_t own = (size_t)decodes(m)->vocabulary(m->model) + (size_t)g->copies.max;
        widen(m->log_p + at * V, V, part->log_p, n, own, -INFINITY);
        if (part->weights)
            widen(m->means + at * S, S, part->weights, n, (size_t)g->positions, 0);
        at += n;
    }
    out->log_p = m->log_p;
    out->weights = m->weights ? m->means : NULL;
    return ATTEND_OK;
}

static int group_count(const member *m)
{
    int n = 0;
    for (const group *g = m->groups; g; g = g->next)
        n++;
    return n;
}

static attend_status step_member(member *m, int width, const int *from, const int *tokens,
                                 at_session_numbers *out, attend_error *err)
{
    at_tape_reset(m->tape);
    m->skipped = 0;
    group_numbers *part = at_scratch(m->tape, (size_t)(group_count(m) + 1) * sizeof *part);
    int *own = NULL, before = 0, k = 0;
    attend_status status = part ? ATTEND_OK : at_error_memory(err);
    for (group *g = m->groups; g && status >= 0; g = g->next) {
        int rows = g->sentences * width, were = g->rows;
        before += g->skipped;
        g->skipped = 0;
        own = before ? at_scratch(m->tape, (size_t)rows * sizeof *own) : NULL;
        for (int i = 0; own && i < rows; i++)
            own[i] = from[i] - before;
        if (before && !own)
            return at_error_memory(err);
        status = step_group(m, g, width, own ? own : from, tokens, &part[k++], err);
        before += were;
        from += rows;
        tokens += rows;
    }
    return status < 0 ? status : gather(m, width, part, out, err);
}

static attend_status member_step(void *self, int width, const int *from, const int *tokens,
                                 real **log_p, const real **weights, attend_error *err)
{
    at_session_numbers n = {.log_p = NULL};
    attend_status status = step_member(self, width, from, tokens, &n, err);
    *log_p = n.log_p;
    *weights = n.weights;
    return status;
}

/* ---- fewer sentences ------------------------------------------------------------------------ */

/* rows of x [..,n], or NULL without memory */
static int *some(at_tape *t, const int *x, int n, int count, const int *which)
{
    int *rows = at_scratch(t, (size_t)count * (size_t)n * sizeof *rows);
    for (int i = 0; rows && i < count; i++)
        memcpy(rows + i * n, x + which[i] * n, (size_t)n * sizeof *rows);
    return rows;
}

/* What the encoder gave stays on its tape, with what is kept of it after it. */
static attend_status keep_group(member *m, group *g, int count, const int *which, attend_error *err)
{
    at_tape *t = g->encoder;
    g->sentences = count;
    if (!t || !count)
        return ATTEND_OK;
    g->source = decodes(m)->keep(t, m->model, g->source, (at_ids){SHAPE(count), which});
    if (g->lengths)
        g->lengths = some(t, g->lengths, 1, count, which);
    if (g->copies.source.id) {
        int S = g->copies.source.shape.dim[1];
        g->copies.source = (at_ids){SHAPE(count, S), some(t, g->copies.source.id, S, count, which)};
        g->copies.extra = some(t, g->copies.extra, 1, count, which);
    }
    return at_tape_status(t, err);
}

/* groups without sentences become spare */
static void drop_empty(member *m)
{
    for (group **g = &m->groups, *empty; *g;) {
        if ((*g)->sentences) {
            g = &(*g)->next;
            continue;
        }
        empty = *g;
        *g = empty->next;
        *(*g ? &(*g)->skipped : &m->skipped) += empty->skipped + empty->rows;
        empty->next = m->spare;
        m->spare = empty;
    }
}

static attend_status keep_member(void *self, int count, const int *which, attend_error *err)
{
    member *m = self;
    int first = 0, begin = 0;
    attend_status status = ATTEND_OK;
    int *own = at_alloc((size_t)(count + 1) * sizeof *own);
    if (!own)
        return at_error_memory(err);
    for (group *g = m->groups; g && status >= 0; g = g->next) {
        int n = 0, sentences = g->sentences;
        for (; begin + n < count && which[begin + n] < first + sentences; n++)
            own[n] = which[begin + n] - first;
        status = keep_group(m, g, n, own, err);
        begin += n;
        first += sentences;
    }
    at_free(own);
    drop_empty(m);
    return status;
}

/* ---- attention ------------------------------------------------------------------------------ */

/* the group that a row is in, and the row's number there */
static group *group_of(const member *m, int *row)
{
    group *g = m->groups;
    for (; g && *row >= g->rows; g = g->next)
        *row -= g->rows;
    return g;
}

/* the rows of a first step and those of the encoder, of the row's sentence */
static at_attention_rows with_encoder(const member *m, const group *g, int row,
                                      at_attention_rows step, at_arena *memory)
{
    int b = row / (g->rows / g->sentences), n = g->lengths ? g->lengths[b] : 0;
    at_attention_rows own = at_attention_record_rows(&g->encoded, &m->wanted, b, n, n, memory);
    size_t count = (size_t)step.count + (size_t)(own.count > 0 ? own.count : 0);
    at_attention_row *all = at_arena_alloc(memory, (count + 1) * sizeof *all);
    if (own.count < 0 || !all)
        return (at_attention_rows){-1, NULL};
    memcpy(all, step.row, (size_t)step.count * sizeof *all);
    memcpy(all + step.count, own.row, (size_t)own.count * sizeof *all);
    return (at_attention_rows){(int)count, all};
}

attend_status at_session_attention(at_session *s, int row, at_arena *memory, at_attention_rows *out,
                                   attend_error *err)
{
    const member *m = &s->member[0];
    const group *g = group_of(m, &row);
    *out = (at_attention_rows){0, NULL};
    if (s->count > 1 || !g)
        return ATTEND_OK;
    *out = at_attention_record_rows(&g->record, &m->wanted, row, 0, 0, memory);
    if (out->count >= 0 && g->position == 1 && g->encoded.count)
        *out = with_encoder(m, g, row, *out, memory);
    return out->count < 0 ? at_error_memory(err) : ATTEND_OK;
}

static attend_status recorded(void *session, int row, at_arena *memory, at_attention_rows *out,
                              attend_error *err)
{
    return at_session_attention(session, row, memory, out, err);
}

/* ---- for searching -------------------------------------------------------------------------- */

static int sentence_count(const member *m)
{
    int n = 0;
    for (const group *g = m->groups; g; g = g->next)
        n += g->sentences;
    return n;
}

/* the lengths of all sources, one group after the other */
static attend_status gather_lengths(member *m, attend_error *err)
{
    int *to = at_alloc((size_t)(sentence_count(m) + 1) * sizeof *to);
    if (!to)
        return at_error_memory(err);
    at_free(m->lengths);
    m->lengths = to;
    for (const group *g = m->groups; g; g = g->next)
        for (int i = 0; i < g->sentences; i++)
            *to++ = g->lengths ? g->lengths[i] : g->positions;
    return ATTEND_OK;
}

static attend_status searched(member *m, int start, at_searched *out, attend_error *err)
{
    bool several = m->groups && m->groups->next;
    attend_status status = several ? gather_lengths(m, err) : ATTEND_OK;
    *out = (at_searched){.self = m,
                         .sentences = sentence_count(m),
                         .vocabulary = vocabulary_of(m),
                         .start = start,
                         .source = positions_of(m),
                         .step = member_step,
                         .logits = !copies(m),
                         .keep = keep_member,
                         .lengths = several     ? m->lengths
                                    : m->groups ? m->groups->lengths
                                                : NULL};
    return status;
}

attend_status at_session_searched(at_session *s, int start, int width, at_searched *out,
                                  attend_error *err)
{
    at_searched each[ATTEND_ENSEMBLE_MOST];
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->count && status >= 0; i++)
        status = searched(&s->member[i], start, &each[i], err);
    if (status < 0)
        return status;
    at_ensemble_free(&s->ensemble);
    status = at_ensemble_of(&s->ensemble, s->count, each, width, out, err);
    s->width = width;
    if (s->count == 1 && s->member[0].wanted.kinds) {
        out->session = s;
        out->recorded = recorded;
    }
    return status;
}

attend_status at_session_step(at_session *s, int width, const int *from, const int *tokens,
                              at_session_numbers *out, attend_error *err)
{
    out->vocabulary = vocabulary_of(&s->member[0]);
    out->logits = s->count == 1 && !copies(&s->member[0]);
    if (s->count == 1)
        return step_member(&s->member[0], width, from, tokens, out, err);
    at_searched all;
    attend_status status = s->ensemble.count && width <= s->width
                               ? ATTEND_OK
                               : at_session_searched(s, 0, width, &all, err);
    return status < 0 ? status
                      : at_ensemble_step(&s->ensemble, width, from, tokens, &out->log_p,
                                         &out->weights, err);
}

attend_status at_session_keep(at_session *s, int count, const int *which, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->count && status >= 0; i++)
        status = keep_member(&s->member[i], count, which, err);
    s->ensemble.sentences = count;
    return status;
}
