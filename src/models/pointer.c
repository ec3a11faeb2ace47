#include "models/pointer.h"

#include <string.h>

#include "attention/output.h"

/* ---- settings ------------------------------------------------------------------------------ */

const at_option at_pointer_options[] = {
    {.name = "preset",
     OPTION_STRING(at_pointer_settings, preset),
     .value = "pointer-net",
     .meta = "NAME",
     .help = "The named system to start from; attend list presets shows them"},
    {.name = "hidden",
     OPTION_COUNT(at_pointer_settings, hidden, "128", 1, 1 << 16),
     .group = "Pointer networks",
     .help = "Width of the recurrent states"},
    {.name = "embedding",
     OPTION_COUNT(at_pointer_settings, embedding, "64", 1, 1 << 16),
     .help = "Width of the items' vectors"},
    {.name = "cell",
     OPTION_CHOICE(at_pointer_settings, cell),
     .value = "lstm",
     .choices = "rnn|relu|lstm|gru",
     .help = "What a recurrent layer is made of"},
    {.name = "bidirectional",
     OPTION_FLAG(at_pointer_settings, bidirectional),
     .help = "The encoder reads in both directions"},
    {.name = "attention",
     OPTION_STRING(at_pointer_settings, attention),
     .value = "additive",
     .meta = "HOW",
     .help = "What points: SCORE, SCORE/hybrid:window,D or SCORE/global/soft/HEADS; attend list "
             "attention shows them"},
    {.name = "attention-size",
     OPTION_COUNT(at_pointer_settings, attention_size, "0", 0, 1 << 16),
     .help = "Width of the hidden layer of additive attention; 0 is --hidden"},
    {.name = "dropout",
     OPTION_NUMBER(at_pointer_settings, dropout, "0", 0, 0.95, "P"),
     .help = "Share of numbers that training leaves out"},
    {0}};

attend_status at_pointer_model(const at_pointer_settings *s, int width, at_pointer *m,
                               attend_error *err)
{
    const at_output *output;
    *m = (at_pointer){.width = width,
                      .embedding = s->embedding,
                      .hidden = s->hidden,
                      .cell = at_model_cell(s->cell),
                      .bidirectional = s->bidirectional,
                      .dropout = (real)s->dropout};
    attend_status status = at_how_parse(&m->attention, s->attention, err);
    m->attention.size = s->attention_size;
    if (status >= 0 && (status = at_how_check_keys(&m->attention, m->bidirectional, err)) >= 0)
        status = at_how_check_width(&m->attention, m->hidden, err);
    return status < 0 ? status : at_output_parse(&output, "pointer", &m->attention, err);
}

attend_status at_pointer_check_items(const at_pointer *m, size_t items, attend_error *err)
{
    int most = at_how_max_length(&m->attention, 0);
    if (!most || items < (size_t)most)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "a sequence of %zu item%s and its end has more places than the %d that "
                    "attention location:%d knows; train with location:%zu",
                    items, items == 1 ? "" : "s", most, most, items + 1);
}

/* ---- the model ----------------------------------------------------------------------------- */

static at_path in(const char *name) { return at_in(at_root(), "%s", name); }

/* x [B,n,C] with the row of a parameter before it */
static at_tensor *behind(at_tape *t, const char *name, at_tensor *x)
{
    if (at_failed(t))
        return x;
    int B = x->shape.dim[0], C = x->shape.dim[2];
    at_tensor *row = at_param(t, in(name), "weight", SHAPE(1, C), INIT_NORMAL((real)0.1));
    int *first = at_scratch(t, (size_t)B * sizeof *first);
    if (!first)
        return at_poison(t);
    memset(first, 0, (size_t)B * sizeof *first);
    at_tensor *rows = at_embedding(t, row, (at_ids){SHAPE(B, 1), first});
    return at_concat(t, 2, (at_tensor *[]){rows, x}, 1);
}

/* the encoder's last state, of both directions, as the decoder's first */
static at_tensor *bridge(at_tape *t, const at_pointer *m, const char *name, at_tensor *const *last)
{
    at_tensor *both = m->bidirectional ? at_concat(t, 2, (at_tensor *[]){last[0], last[1]}, 1)
                                       : last[0];
    return at_tanh(t, at_linear(t, at_in(in("bridge"), "%s", name), both, m->hidden));
}

static const int *with_end(at_tape *t, int B, int S, const int *lengths)
{
    int *more = at_scratch(t, (size_t)B * sizeof *more);
    for (int b = 0; more && b < B; b++)
        more[b] = 1 + (lengths ? lengths[b] : S);
    return more;
}

at_pointing at_pointer_read(at_tape *t, const at_pointer *m, at_tensor *items, const int *lengths)
{
    at_pointing p = {.table = at_poison(t)};
    if (at_failed(t))
        return p;
    int B = items->shape.dim[0], S = p.items = items->shape.dim[1];
    at_tensor *e = at_linear(t, in("items"), items, m->embedding);
    at_stack_options o = {
        .cell = m->cell, .hidden = m->hidden, .layers = 1, .bidirectional = m->bidirectional};
    at_stack_result r = at_recurrent_stack(t, in("encoder"), at_dropout(t, e, m->dropout), lengths,
                                           &o);
    const int *with = with_end(t, B, S, lengths);
    at_tensor *states = behind(t, "end", at_dropout(t, r.output, m->dropout));
    if (at_failed(t))
        return p;
    p.memory = at_attention_prepare(t, in("attention"), &m->attention, m->hidden, states, states,
                                    with);
    at_tensor *go = at_param(t, in("go"), "weight", SHAPE(1, m->embedding), INIT_NORMAL((real)0.1));
    at_tensor *rows = at_reshape(t, e, SHAPE(B * S, m->embedding));
    p.table = at_concat(t, 2, (at_tensor *[]){go, rows}, 0);
    p.h = bridge(t, m, "h", r.h_n);
    if (m->cell == ATTEND_LSTM)
        p.c = bridge(t, m, "c", r.c_n);
    return p;
}

/* rows of the table: the item at a place of its own sequence, or row 0 */
static at_ids rows_of(at_tape *t, const at_pointing *p, at_ids before)
{
    int B = before.shape.dim[0], T = before.shape.dim[1];
    int *row = at_scratch(t, (size_t)B * (size_t)T * sizeof *row);
    for (int i = 0; row && i < B * T; i++)
        row[i] = before.id[i] > 0 ? i / T * p->items + before.id[i] : 0;
    return (at_ids){before.shape, row};
}

/* What windows lie around: the item that stands where the step is, or the last one. The end is
 * before the first. */
static const int *centres(at_tape *t, const at_pointing *p, int B, int T)
{
    int *c = at_scratch(t, (size_t)B * (size_t)T * sizeof *c);
    for (int i = 0; c && i < B * T; i++) {
        int last = p->memory.lengths[i / T] - 1, item = 1 + p->position + i % T;
        c[i] = item < last ? item : last;
    }
    return c;
}

at_tensor *at_pointer_point(at_tape *t, const at_pointer *m, at_pointing *p, at_ids before)
{
    at_ids rows = rows_of(t, p, before);
    if (at_failed(t))
        return at_poison(t);
    at_tensor *x = at_embedding(t, p->table, rows);
    at_stack_options o = {.cell = m->cell, .hidden = m->hidden, .layers = 1, .h0 = &p->h};
    o.c0 = p->c ? &p->c : NULL;
    at_stack_result r = at_recurrent_stack(t, in("decoder"), at_dropout(t, x, m->dropout), NULL,
                                           &o);
    p->h = r.h_n[0];
    p->c = m->cell == ATTEND_LSTM ? r.c_n[0] : NULL;
    int B = before.shape.dim[0], T = before.shape.dim[1];
    at_query q = {.query = at_dropout(t, r.output, m->dropout),
                  .mask = {.offset = p->position},
                  .centres = centres(t, p, B, T),
                  .weights = true};
    p->position += T;
    if (at_failed(t))
        return at_poison(t);
    return at_output_point(
        t, at_attention_read(t, in("attention"), &m->attention, &p->memory, q).weights);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static attend_status describe(at_model *m, attend_error *err)
{
    return at_pointer_model(m->settings, m->width ? m->width : 1, m->net, err);
}

/* one item, pointed to and then the end */
static void trial(at_tape *t, const at_model *m)
{
    static const int length[1] = {1}, before[2] = {0, 1};
    at_pointing p = at_pointer_read(t, m->net, at_zeros(t, SHAPE(1, 1, m->width)), length);
    if (!at_failed(t))
        at_pointer_point(t, m->net, &p, (at_ids){SHAPE(1, 2), before});
}

static void *read_items(at_tape *t, const at_model *m, at_tensor *items, const int *lengths)
{
    at_pointing *p = at_scratch(t, sizeof *p);
    if (p)
        *p = at_pointer_read(t, m->net, items, lengths);
    return p;
}

static at_tensor *point(at_tape *t, const at_model *m, void *state, at_ids before)
{
    return at_failed(t) ? at_poison(t) : at_pointer_point(t, m->net, state, before);
}

static attend_status check_items(const at_model *m, size_t items, attend_error *err)
{
    return at_pointer_check_items(m->net, items, err);
}

static int attention(const at_model *m, at_attention_layout *out)
{
    int heads = ((const at_pointer *)m->net)->attention.heads;
    *out = (at_attention_layout){ATTEND_ATTENTION_CROSS, 1, heads > 0 ? heads : 1};
    return 1;
}

static const at_points points = {read_items, point, check_items};

static const char *unused(const void *settings, const char *name)
{
    const at_pointer_settings *s = settings;
    return strcmp(name, "attention-size") == 0 ? at_model_unused_size(s->attention) : NULL;
}

const at_model_kind at_model_pointer = {
    .name = "pointer network",
    .type = "attend-pointer",
    .use = "point",
    .can = ATTEND_CAN_POINT,
    .parts = ATTEND_PART_ITEMS,
    .options = at_pointer_options,
    .settings_size = sizeof(at_pointer_settings),
    .net_size = sizeof(at_pointer),
    .describe = describe,
    .trial = trial,
    .attention = attention,
    .unused = unused,
    .points = &points,
};
