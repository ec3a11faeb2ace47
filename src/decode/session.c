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
} group;

typedef struct {
    const at_model *model;
    at_tape *tape; /* of one step */
    group *groups;
    group *spare; /* of sentences that are gone: their memory serves those that begin */
    bool weights;
    at_attention_record wanted;
    real *log_p, *means; /* of all groups, where there are several */
    size_t room, means_room;
} member;

struct at_session {
    int count;
    member member[ATTEND_ENSEMBLE_MOST];
    at_ensemble ensemble;
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
    g->source = decodes(m)->encode(g->encoder, m->model, &in->source);
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

static attend_status join_member(member *m, const at_beginning *in, attend_error *err)
{
    group *g = empty_group(m), **last = &m->groups;
    if (!g)
        return at_error_memory(err);
    g->sentences = g->rows = in->sentences;
    attend_status status = at_cache_join(g->cache, in->sentences, err);
    if (status >= 0)
        status = g->encoder ? read_sources(m, g, in, err) : read_prompts(m, g, in, err);
    if (status < 0) {
        free_group(g);
        return status;
    }
    while (*last)
        last = &(*last)->next;
    *last = g;
    return ATTEND_OK;
}

attend_status at_session_join(at_session *s, const at_beginning *in, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->count && status >= 0; i++)
        status = join_member(&s->member[i], in, err);
    return status;
}

attend_status at_session_start(at_session *s, const at_beginning *in, attend_error *err)
{
    at_ensemble_free(&s->ensemble);
    for (int i = 0; i < s->count; i++) {
        member *m = &s->member[i];
        at_attention_layout layout[ATTEND_LAYOUT_MAX];
        forget_groups(m);
        m->wanted = in->wanted;
        m->weights = false;
        for (int k = at_model_attention(m->model, layout) - 1; k >= 0 && in->weights; k--)
            m->weights |= layout[k].kind == ATTEND_ATTENTION_CROSS;
    }
    return at_session_join(s, in, err);
}

/* ---- a step --------------------------------------------------------------------------------- */

/* the record that a step fills: what is asked for, and the cross-attention that means are of */
static at_attention_record wanted_of(const member *m)
{
    at_attention_record r = {
        .kinds = m->wanted.kinds, .layer = m->wanted.layer, .head = m->wanted.head};
    if (!m->weights || (r.kinds >> ATTEND_ATTENTION_CROSS & 1 && r.layer < 0))
        return r;
    return (at_attention_record){
        .kinds = r.kinds | 1u << ATTEND_ATTENTION_CROSS, .layer = -1, .head = -1};
}

/* the mean over the heads of the last layer's cross-attention, [rows,positions] */
static at_tensor *mean_weights(at_tape *t, const at_attention_record *r)
{
    for (int i = r->count - 1; i >= 0; i--)
        if (r->item[i].kind == ATTEND_ATTENTION_CROSS)
            return at_output_point(t, r->item[i].weights);
    return NULL;
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
    out->weights = m->weights && !at_failed(t) ? mean_weights(t, &g->record) : NULL;
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

static int vocabulary_of(const member *m)
{
    int extra = 0;
    for (const group *g = m->groups; g; g = g->next)
        extra = g->copies.most > extra ? g->copies.most : extra;
    return decodes(m)->vocabulary(m->model) + extra;
}

static int positions_of(const member *m)
{
    int most = 0;
    for (const group *g = m->groups; g && m->weights; g = g->next)
        most = g->positions > most ? g->positions : most;
    return most;
}

/* rows of [n] numbers into rows of [room], with `fill` after them */
static void widen(real *to, size_t room, const at_tensor *from, size_t rows, size_t n, real fill)
{
    for (size_t i = 0; i < rows; i++) {
        memcpy(to + i * room, from->value + i * n, n * sizeof *to);
        for (size_t k = n; k < room; k++)
            to[i * room + k] = fill;
    }
}

/* one group's numbers are given as they are; those of several are put together */
static attend_status gather(member *m, int width, const group_numbers *part,
                            at_session_numbers *out, attend_error *err)
{
    size_t V = (size_t)vocabulary_of(m), S = (size_t)positions_of(m), rows = 0, at = 0;
    if (!m->groups->next) {
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
        size_t own = (size_t)decodes(m)->vocabulary(m->model) + (size_t)g->copies.most;
        widen(m->log_p + at * V, V, part->log_p, n, own, -INFINITY);
        if (part->weights)
            widen(m->means + at * S, S, part->weights, n, (size_t)g->positions, 0);
        at += n;
    }
    *out = (at_session_numbers){m->log_p, m->weights ? m->means : NULL};
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
    at_session_numbers n = {NULL, NULL};
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
        if (*g)
            (*g)->skipped += empty->skipped + empty->rows;
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

attend_status at_session_attention(at_session *s, int row, at_arena *memory, at_attention_rows *out,
                                   attend_error *err)
{
    const member *m = &s->member[0];
    const group *g = group_of(m, &row);
    *out = (at_attention_rows){0, NULL};
    if (s->count > 1 || !g)
        return ATTEND_OK;
    *out = at_attention_record_rows(&g->record, &m->wanted, row, 0, 0, memory);
    return out->count < 0 ? at_error_memory(err) : ATTEND_OK;
}

static attend_status recorded(void *session, int row, at_arena *memory, at_attention_rows *out,
                              attend_error *err)
{
    return at_session_attention(session, row, memory, out, err);
}

/* ---- for searching -------------------------------------------------------------------------- */

static at_searched searched(member *m, int start)
{
    int sentences = 0;
    for (const group *g = m->groups; g; g = g->next)
        sentences += g->sentences;
    return (at_searched){.self = m,
                         .sentences = sentences,
                         .vocabulary = vocabulary_of(m),
                         .start = start,
                         .source = positions_of(m),
                         .step = member_step,
                         .logits = !copies(m),
                         .keep = keep_member,
                         .lengths = m->groups ? m->groups->lengths : NULL};
}

attend_status at_session_searched(at_session *s, int start, int width, at_searched *out,
                                  attend_error *err)
{
    at_searched each[ATTEND_ENSEMBLE_MOST];
    for (int i = 0; i < s->count; i++)
        each[i] = searched(&s->member[i], start);
    at_ensemble_free(&s->ensemble);
    attend_status status = at_ensemble_of(&s->ensemble, s->count, each, width, out, err);
    if (s->count == 1 && s->member[0].wanted.kinds) {
        out->session = s;
        out->recorded = recorded;
    }
    return status;
}

attend_status at_session_step(at_session *s, int width, const int *from, const int *tokens,
                              at_session_numbers *out, attend_error *err)
{
    if (s->count == 1)
        return step_member(&s->member[0], width, from, tokens, out, err);
    at_searched all;
    attend_status status = s->ensemble.count ? ATTEND_OK
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
