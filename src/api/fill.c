#include "decode/fill.h"

#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/memory.h"

void attend_fill_defaults(attend_fill_options *o)
{
    *o = (attend_fill_options){.size = sizeof *o, .top = 5, .batch = 64};
}

typedef struct {
    const at_tokenizer *tokenizer;
    const at_text *line;
    attend_filled_function *function;
    void *user;
    at_arena memory; /* of one text */
} giving;

/* ---- one text ------------------------------------------------------------------------------- */

/* A token as it stands in text, without the space before it; copied. */
static const char *surface(giving *g, int id, attend_error *err)
{
    at_str text = {0};
    int32_t token = id;
    attend_status status = at_decode(g->tokenizer, &token, 1, ATTEND_DECODE_SPECIAL, &text, err);
    const char *from = at_str_text(&text);
    while (*from == ' ')
        from++;
    size_t n = strlen(from);
    char *copy = status < 0 ? NULL : at_arena_alloc_small(&g->memory, n + 1);
    if (copy)
        memcpy(copy, from, n + 1);
    else if (status >= 0)
        at_error_memory(err);
    at_str_free(&text);
    return copy;
}

static const attend_fill_candidate *candidates(giving *g, const at_filled_mask *m, int top,
                                               attend_error *err)
{
    attend_fill_candidate *c = at_arena_alloc_small(&g->memory, (size_t)top * sizeof *c);
    if (!c)
        at_error_memory(err);
    for (int i = 0; c && i < top; i++) {
        c[i] = (attend_fill_candidate){.token = surface(g, m->token[i], err),
                                       .id = m->token[i],
                                       .probability = (double)m->probability[i]};
        if (!c[i].token)
            return NULL;
    }
    return c;
}

static const double *doubles(giving *g, int n, const real *x)
{
    double *y = at_arena_alloc_small(&g->memory, (size_t)n * sizeof *y);
    for (int i = 0; y && i < n; i++)
        y[i] = (double)x[i];
    return y;
}

static attend_status give_masks(giving *g, const at_filled *f, attend_filled_mask *to,
                                attend_error *err)
{
    for (int i = 0; i < f->masks; i++) {
        const at_filled_mask *m = &f->mask[i];
        to[i] = (attend_filled_mask){.position = m->position,
                                     .candidate = candidates(g, m, f->top, err),
                                     .weights = m->weights ? doubles(g, f->text->length, m->weights)
                                                           : NULL};
        if (!to[i].candidate)
            return err ? err->status : ATTEND_MEMORY;
        if (m->weights && !to[i].weights)
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

/* ids as their texts in the vocabulary */
static const char **spell(giving *g, const at_framed_text *t)
{
    const char **token = at_arena_alloc_small(&g->memory, (size_t)t->length * sizeof *token);
    for (int i = 0; token && i < t->length; i++)
        token[i] = at_vocab_text(g->tokenizer->vocab, t->tokens.item[i].id, NULL);
    return token;
}

/* A continuation of a word has no space before it. */
static const char *joined(const char *token) { return token + (strncmp(token, "##", 2) ? 0 : 2); }

/* The line with the likeliest token in place of each mask. */
static void replace(const giving *g, const at_filled *f, const attend_filled_mask *mask,
                    at_str *out)
{
    at_text line = g->line[f->line];
    size_t done = 0;
    for (int i = 0; i < f->masks; i++) {
        const at_token *t = &f->text->tokens.item[mask[i].position];
        size_t begin = t->begin;
        while (begin < t->end && line.text[begin] == ' ')
            begin++;
        const char *token = joined(mask[i].candidate[0].token);
        if (token != mask[i].candidate[0].token && begin > done && line.text[begin - 1] == ' ')
            begin--;
        at_str_add_bytes(out, line.text + done, begin - done);
        at_str_add(out, token);
        done = t->end;
    }
    at_str_add_bytes(out, line.text + done, line.size - done);
}

static attend_status give(void *user, const at_filled *f, attend_error *err)
{
    giving *g = user;
    at_str text = {0};
    at_arena_reset(&g->memory);
    attend_filled_mask *mask = at_arena_alloc_small(&g->memory, (size_t)f->masks * sizeof *mask);
    attend_filled out = {.line = f->line,
                         .tokens = f->text->length,
                         .token = spell(g, f->text),
                         .masks = f->masks,
                         .mask = mask,
                         .candidates = f->top,
                         .cut = f->text->cut};
    attend_status status = mask && out.token ? give_masks(g, f, mask, err) : at_error_memory(err);
    if (status >= 0) {
        replace(g, f, mask, &text);
        status = text.failed ? at_error_memory(err) : ATTEND_OK;
        out.text = at_str_text(&text);
    }
    if (status >= 0)
        status = g->function(g->user, &out, err);
    at_str_free(&text);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status check(const attend_model *m, const attend_fill_options *o, attend_error *err)
{
    attend_status status = attend_model_require(m, ATTEND_CAN_FILL, err);
    if (status >= 0 && m->inside->source->special[ATTEND_SPECIAL_MASK] < 0)
        status = at_error(err, ATTEND_FORMAT,
                          "%s: its tokenizer has no mask; fill with a model whose tokenizer has "
                          "one",
                          m->path);
    if (status >= 0 && (o->batch < 1 || o->top < 1 || o->max_length < 0))
        status = at_error(err, ATTEND_OPTION,
                          "batch %d and top %d must be at least 1, and max_length %d at least 0",
                          o->batch, o->top, o->max_length);
    return status;
}

attend_status attend_fill(const attend_model *m, const attend_fill_options *options, size_t count,
                          const char *const *line, attend_filled_function *function, void *user,
                          attend_error *err)
{
    attend_fill_options o;
    attend_fill_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_fill_defaults", err);
    if (status >= 0)
        status = check(m, &o, err);
    if (status < 0)
        return status;
    at_text *text = at_alloc((count ? count : 1) * sizeof *text);
    for (size_t i = 0; text && i < count; i++)
        text[i] = (at_text){line[i], strlen(line[i])};
    giving g = {m->inside->source, text, function, user, {.first_size = 0}};
    at_fill_options inside = {
        .batch = o.batch, .limit = o.max_length, .top = o.top, .weights = o.attention != 0};
    status = text ? at_fill_lines(m->inside, &inside, o.first_line, count, text, give, &g, err)
                  : at_error_memory(err);
    at_arena_free(&g.memory);
    at_free(text);
    return status;
}
