/* Models of all kinds: made, described, released. */
#include "models/model.h"

#include <string.h>

#include "base/memory.h"

const at_model_kind *const at_model_kinds[] = {
#define MODEL(name) &at_model_##name,
#include "models/models.def"
#undef MODEL
};
const int at_model_kind_count = sizeof at_model_kinds / sizeof *at_model_kinds;

const at_model_kind *at_model_kind_of(const char *type)
{
    for (int i = 0; i < at_model_kind_count; i++)
        if (strcmp(at_model_kinds[i]->type, type) == 0)
            return at_model_kinds[i];
    return NULL;
}

at_model *at_model_new(const at_model_kind *kind, uint64_t seed)
{
    at_model *m = at_alloc_zero(1, sizeof *m);
    if (!m)
        return NULL;
    m->kind = kind;
    m->settings = at_alloc_zero(1, kind->settings_size);
    m->net = at_alloc_zero(1, kind->net_size);
    m->params = at_params_new(seed);
    if (m->settings && m->net && m->params)
        return m;
    at_model_free(m);
    return NULL;
}

void at_model_free(at_model *m)
{
    if (!m)
        return;
    at_copying_free(m->copying);
    if (m->target != m->source)
        at_tokenizer_free(m->target);
    at_tokenizer_free(m->source);
    if (m->labels)
        at_vocab_free(m->labels);
    if (m->params)
        at_params_free(m->params);
    at_arena_free(&m->memory);
    at_free(m->settings);
    at_free(m->net);
    at_free(m);
}

attend_status at_model_scaling(at_model *m, attend_error *err)
{
    m->mean = at_arena_alloc(&m->memory, (size_t)m->width * sizeof *m->mean);
    m->spread = at_arena_alloc(&m->memory, (size_t)m->width * sizeof *m->spread);
    return m->mean && m->spread ? ATTEND_OK : at_error_memory(err);
}

void at_model_scale(const at_model *m, const real *x, real *to)
{
    for (int i = 0; i < m->width; i++)
        to[i] = (real)(((double)x[i] - m->mean[i]) / m->spread[i]);
}

attend_status at_model_describe(at_model *m, attend_error *err)
{
    return m->kind->describe(m, err);
}

attend_status at_model_check_settings(const at_model_kind *kind, const void *settings,
                                      attend_error *err)
{
    at_model *m = at_model_new(kind, 0);
    if (!m)
        return at_error_memory(err);
    memcpy(m->settings, settings, kind->settings_size);
    attend_status status = at_model_describe(m, err);
    at_model_free(m);
    return status;
}

attend_status at_sentence_parse(at_sentence *s, const char *text, attend_error *err)
{
    static const char names[] = "cls|max|mean|mean_sqrt_len";
    s->parts = 0;
    for (const char *at = text;; at++) {
        char name[16] = "";
        size_t n = strcspn(at, ",");
        if (n < sizeof name)
            memcpy(name, at, n);
        int part = at_choice_find(names, name);
        if (part < 0)
            return at_error(err, ATTEND_OPTION,
                            "--pooling %.40s: unknown part '%.*s'; choose cls, max, mean or "
                            "mean_sqrt_len, or several with commas",
                            text, (int)(n < 40 ? n : 40), at);
        s->parts |= 1u << part;
        at += n;
        if (!*at)
            return ATTEND_OK;
    }
}

/* ---- sizes ---------------------------------------------------------------------------------- */

enum { ASSUMED = 1000 }; /* tokens, where settings are checked before there is a vocabulary */

int at_model_source_size(const at_model *m)
{
    if (m->source_size)
        return m->source_size;
    return m->source ? at_tokenizer_size(m->source) : m->width ? 0 : ASSUMED;
}

int at_model_target_size(const at_model *m)
{
    if (m->target_size)
        return m->target_size;
    return m->target ? at_tokenizer_size(m->target) : ASSUMED;
}

int at_model_label_count(const at_model *m) { return m->labels ? at_vocab_size(m->labels) : 2; }

bool at_model_keeps_newlines(const at_model_kind *kind, const void *settings)
{
    at_option_set set = {kind->options, (void *)(uintptr_t)settings};
    void *fields;
    const at_option *o = at_option_find(&set, 1, "newline", &fields);
    return o && *(const int *)((const char *)fields + o->offset) == 1;
}

at_cell at_model_cell(int choice)
{
    static const at_cell cells[] = {ATTEND_RNN_TANH, ATTEND_RNN_RELU, ATTEND_LSTM, ATTEND_GRU};
    return cells[choice];
}

const char *at_model_unused_size(const char *attention)
{
    attend_error ignored;
    at_how how;
    if (!attention || at_how_parse(&how, attention, &ignored) < 0) /* which is refused elsewhere */
        return NULL;
    return how.score->has_hidden || at_how_local(&how)->has_hidden
               ? NULL
               : "has an attention without a hidden layer; additive and predicted have one";
}

at_params *at_model_outline(const at_model *m, attend_error *err)
{
    at_params *network = at_params_new(0);
    at_tape *t = network ? at_tape_new(network, ATTEND_INFER) : NULL;
    attend_status status = t ? ATTEND_OK : at_error_memory(err);
    if (t) {
        at_params_outline(network);
        at_tape_dry(t);
        m->kind->trial(t, m);
        status = at_tape_status(t, err);
        at_tape_free(t);
    }
    if (status >= 0)
        return network;
    at_params_free(network);
    return NULL;
}
