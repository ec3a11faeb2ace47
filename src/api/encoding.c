#include "api/encoding.h"

#include "base/file.h"

static const char **spell(at_arena *memory, const at_tokenizer *t, const at_tokens *tokens)
{
    const char **text = at_arena_alloc(memory, (tokens->count + 1) * sizeof *text);
    for (size_t i = 0; text && i < tokens->count; i++) {
        size_t size;
        const char *name = at_vocab_text(t->vocab, tokens->item[i].id, &size);
        if (!(text[i] = at_arena_text(memory, name, size)))
            return NULL;
    }
    return text;
}

static attend_attention_row *rows_of(at_arena *memory, at_attention_rows from)
{
    size_t n = (size_t)(from.count > 0 ? from.count : 0);
    attend_attention_row *rows = at_arena_alloc(memory, (n + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < n; i++) {
        const at_attention_row *r = &from.row[i];
        double *weights = at_arena_alloc_small(memory, (size_t)(r->keys + 1) * sizeof *weights);
        if (!weights)
            return NULL;
        for (int k = 0; k < r->keys; k++)
            weights[k] = (double)r->weights[k];
        rows[i] = (attend_attention_row){r->kind, r->layer, r->head, r->query, r->keys, weights};
    }
    return rows;
}

const attend_encoded_text *at_encoding_new(at_arena *memory, const at_tokenizer *t,
                                           const at_tokens *tokens, int second,
                                           at_attention_rows attention)
{
    attend_encoded_text *e = at_arena_alloc_small(memory, sizeof *e);
    unsigned char *part = at_arena_alloc_small(memory, tokens->count + 1);
    const char **token = spell(memory, t, tokens);
    attend_attention_row *rows = rows_of(memory, attention);
    if (!e || !part || !token || !rows)
        return NULL;
    for (size_t i = 0; i < tokens->count; i++)
        part[i] = at_tokenizer_is_special(t, tokens->item[i].id) ? ATTEND_PART_SPECIAL
                  : (int)i < second                              ? ATTEND_PART_FIRST
                                                                 : ATTEND_PART_SECOND;
    *e = (attend_encoded_text){.tokens = (int)tokens->count,
                               .token = token,
                               .part = part,
                               .attention_count = (size_t)attention.count,
                               .attention = rows};
    return e;
}

at_attention_record at_encoding_record(bool wanted, int layer, int head)
{
    return (at_attention_record){
        .kinds = wanted ? 1u << ATTEND_ATTENTION_ENCODER : 0, .layer = layer, .head = head};
}

attend_status at_encoding_check(const attend_model *m, int layer, int head, attend_error *err)
{
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    int kinds = at_model_attention(m->inside, layout);
    for (int i = 0; i < kinds; i++)
        if (layout[i].kind == ATTEND_ATTENTION_ENCODER && layer < layout[i].layers
            && head < layout[i].heads)
            return ATTEND_OK;
    if (!kinds)
        return at_error(err, ATTEND_OPTION, "%s: the model has no attention to show",
                        at_show(m->path).text);
    return at_error(err, ATTEND_OPTION,
                    "%s: has %d layers of %d heads, counted from 0, and no layer %d with head %d",
                    at_show(m->path).text, layout[0].layers, layout[0].heads, layer, head);
}
