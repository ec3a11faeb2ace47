#include <math.h>
#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/memory.h"
#include "decode/attention_rows.h"
#include "decode/generate.h"

void attend_generate_defaults(attend_generate_options *o)
{
    *o = (attend_generate_options){.size = sizeof *o,
                                   .most = 100,
                                   .temperature = 1,
                                   .top_p = 1,
                                   .repetition = 1,
                                   .penalty = 1,
                                   .seed = 1234,
                                   .record_layer = -1,
                                   .record_head = -1};
}

static attend_status accept(attend_generate_options *o, const attend_generate_options *options,
                            attend_error *err)
{
    attend_generate_defaults(o);
    attend_status status = at_options_accept(o, sizeof *o, options, "attend_generate_defaults",
                                             err);
    if (status < 0)
        return status;
    if (o->most < 0 || o->most > 1 << 24 || o->lines < 0)
        return at_error(err, ATTEND_OPTION, "most %d, lines %d: most is 0 to %d, lines at least 0",
                        o->most, o->lines, 1 << 24);
    if (o->beam < 0 || o->beam > 1 << 16 || o->no_repeat < 0 || (unsigned)o->context > 2)
        return at_error(err, ATTEND_OPTION,
                        "beam %d, no_repeat %d, context %d: beam is 0 to %d, no_repeat at least 0, "
                        "context 0 to 2",
                        o->beam, o->no_repeat, (int)o->context, 1 << 16);
    return ATTEND_OK;
}

/* ---- attention ------------------------------------------------------------------------------ */

typedef struct {
    const at_model *model;
    bool record;
    attend_translation_function *function;
    void *user;
} giving;

static const char *const *labels_of(at_arena *memory, const at_model *m, int count, const int *ids)
{
    const char **label = at_arena_alloc(memory, ((size_t)count + 1) * sizeof *label);
    for (int i = 0; label && i < count; i++)
        label[i] = at_vocab_text(m->source->vocab, ids[i], NULL);
    return label;
}

/* a row over all tokens of the text: none before its context has weight */
static bool add_row(at_arena *memory, const at_attention_row *r, int begin, int query,
                    attend_attention_row *to)
{
    int keys = begin + r->keys;
    double *weights = at_arena_alloc(memory, ((size_t)keys + 1) * sizeof *weights);
    for (int k = 0; weights && k < keys; k++)
        weights[k] = k < begin ? 0 : (double)r->weights[k - begin];
    *to = (attend_attention_row){r->kind, r->layer, r->head, query, keys, weights};
    return weights;
}

static bool add_rows(at_arena *memory, const at_generated *g, attend_translation *out)
{
    size_t n = 1;
    for (int i = 0; i < out->targets; i++)
        n += (size_t)g->attention[i].rows.count;
    attend_attention_row *row = at_arena_alloc(memory, n * sizeof *row);
    out->attention = row;
    for (int i = 0; row && i < out->targets; i++)
        for (int k = 0; k < g->attention[i].rows.count; k++)
            if (!add_row(memory, &g->attention[i].rows.row[k], g->attention[i].begin, i,
                         &row[out->attention_count++]))
                return false;
    return row;
}

/* The mean over the heads of the last layer that was recorded. */
static bool add_weights(at_arena *memory, attend_translation *out)
{
    size_t S = (size_t)out->sources, n = (size_t)out->targets * S;
    double *weights = at_arena_alloc(memory, (n + 1) * sizeof *weights);
    int layer = 0, heads = 0;
    if (!weights)
        return false;
    memset(weights, 0, n * sizeof *weights);
    for (size_t i = 0; i < out->attention_count; i++)
        layer = out->attention[i].layer > layer ? out->attention[i].layer : layer;
    for (size_t i = 0; i < out->attention_count; i++) {
        const attend_attention_row *r = &out->attention[i];
        heads += r->layer == layer && r->query == 0;
        for (int k = 0; k < r->keys && r->layer == layer; k++)
            weights[(size_t)r->query * S + (size_t)k] += r->weights[k];
    }
    for (size_t i = 0; i < n && heads; i++)
        weights[i] /= heads;
    out->weights = weights;
    return true;
}

static attend_status give(void *user, const at_generated *g, attend_error *err)
{
    const giving *to = user;
    at_arena memory = {.first_size = 0};
    int added = g->count - g->prompt;
    attend_translation out = {.line = g->index,
                              .text = g->text.text,
                              .score = NAN,
                              .log_p = NAN,
                              .sources = g->count - 1,
                              .targets = added,
                              .source = labels_of(&memory, to->model, g->count - 1, g->ids),
                              .target = labels_of(&memory, to->model, added, g->ids + g->prompt)};
    bool made = out.source && out.target;
    if (made && to->record && added)
        made = add_rows(&memory, g, &out) && add_weights(&memory, &out);
    attend_status status = made ? to->function(to->user, &out, err) : at_error_memory(err);
    at_arena_free(&memory);
    return status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static attend_status generate(const attend_model *m, const attend_generate_options *o,
                              at_generate_texts_input *in, attend_error *err)
{
    at_attention_record wanted;
    at_session *session = NULL;
    attend_status status = at_model_session(m, NULL, 0, ATTEND_CAN_GENERATE, &session, err);
    if (status >= 0)
        status = at_attention_wanted(m->inside, o->record, o->record_layer, o->record_head, &wanted,
                                     err);
    in->wanted = &wanted;
    if (status >= 0)
        status = at_generate_texts(session, o, in, err);
    at_session_free(session);
    return status;
}

attend_status attend_generate_texts(const attend_model *m, const attend_generate_options *options,
                                    size_t count, const char *const *prompt, const size_t *number,
                                    attend_translation_function *function, void *user,
                                    attend_error *err)
{
    attend_generate_options o;
    attend_status status = accept(&o, options, err);
    if (status < 0)
        return status;
    giving to = {m->inside, o.record, function, user};
    at_text *texts = at_alloc((count + 1) * sizeof *texts);
    if (!texts)
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++)
        texts[i] = (at_text){prompt[i], strlen(prompt[i])};
    at_generate_texts_input in = {
        .count = count, .prompt = texts, .number = number, .give = give, .user = &to};
    status = generate(m, &o, &in, err);
    at_free(texts);
    return status;
}

static attend_status take(void *user, const at_generated *g, attend_error *err)
{
    at_str *out = user;
    at_str_add_bytes(out, g->text.text, g->text.size);
    return out->failed ? at_error_memory(err) : ATTEND_OK;
}

attend_status attend_generate(const attend_model *m, const attend_generate_options *options,
                              const char *prompt, char **text, attend_error *err)
{
    attend_generate_options o;
    at_str out = {0};
    at_text given = {prompt ? prompt : "", prompt ? strlen(prompt) : 0};
    at_generate_texts_input in = {.count = 1, .prompt = &given, .give = take, .user = &out};
    attend_status status = accept(&o, options, err);
    *text = NULL;
    o.record = 0;
    if (status >= 0)
        status = generate(m, &o, &in, err);
    at_str_add(&out, "");
    if (status >= 0 && !(*text = at_str_take(&out)))
        status = at_error_memory(err);
    at_str_free(&out);
    return status;
}
