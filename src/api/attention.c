#include "api/attention.h"

#include "base/error.h"
#include "base/memory.h"

static void add_texts(at_json_out *j, const char *key, int n, const char *const *text)
{
    at_json_array(j, key);
    for (int i = 0; i < n; i++)
        at_json_string(j, NULL, text[i]);
    at_json_end(j);
}

static void add_weights(at_json_out *j, const char *key, int n, const double *weights)
{
    at_json_array(j, key);
    for (int i = 0; i < n; i++)
        at_json_real(j, NULL, weights[i], 6);
    at_json_end(j);
}

static void add_row(at_json_out *j, const attend_attention_row *r)
{
    at_json_object(j, NULL);
    at_json_string(j, "kind", attend_attention_kind_name(r->kind));
    at_json_int(j, "layer", r->layer);
    at_json_int(j, "head", r->head);
    at_json_int(j, "query", r->query);
    add_weights(j, "weights", r->keys, r->weights);
    at_json_end(j);
}

static bool has_kind(const attend_translation *t, attend_attention_kind kind)
{
    for (size_t i = 0; i < t->attention_count; i++)
        if (t->attention[i].kind == kind)
            return true;
    return false;
}

void at_translation_json(at_json_out *j, const attend_translation *t, size_t line, int sentence,
                         bool source)
{
    at_json_object(j, NULL);
    at_json_int(j, "line", (long long)line);
    if (sentence >= 0)
        at_json_int(j, "sentence", sentence);
    at_json_int(j, "rank", t->rank);
    at_json_real(j, "score", t->score, 9);
    at_json_real(j, "log_p", t->log_p, 9);
    at_json_string(j, "text", t->text);
    if (source)
        add_texts(j, "source", t->sources, t->source);
    add_texts(j, "target", t->targets, t->target);
}

attend_status at_json_give(at_json_out *j, char **text, attend_error *err)
{
    at_json_end(j);
    *text = at_str_take(j->out);
    at_str_free(j->out);
    return *text ? ATTEND_OK : at_error_memory(err);
}

attend_status attend_attention_json(const attend_translation *t, size_t line, int sentence,
                                    char **text, attend_error *err)
{
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_translation_json(&j, t, line, sentence, true);
    if (t->weights) {
        at_json_array(&j, "weights");
        for (int i = 0; i < t->targets; i++)
            add_weights(&j, NULL, t->sources, t->weights + (size_t)i * (size_t)t->sources);
        at_json_end(&j);
    }
    if (t->attention) {
        if (t->decoder_input && has_kind(t, ATTEND_ATTENTION_DECODER))
            add_texts(&j, "decoder_input", t->targets, t->decoder_input);
        at_json_array(&j, "attention");
        for (size_t i = 0; i < t->attention_count; i++)
            add_row(&j, &t->attention[i]);
        at_json_end(&j);
    }
    return at_json_give(&j, text, err);
}
