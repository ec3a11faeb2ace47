#include "decode/attention_rows.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "text/counting.h"

static const char *const names[] = {"encoder", "decoder", "cross", "content", "query"};
enum { KINDS = sizeof names / sizeof *names };

const char *attend_attention_kind_name(attend_attention_kind kind)
{
    return (unsigned)kind < KINDS ? names[kind] : "unknown";
}

static attend_status refuse(unsigned missing, int count, const at_attention_layout *layout,
                            attend_error *err)
{
    char has[64] = "none";
    int kind = 0, used = 0;
    while (kind < KINDS && !(missing >> kind & 1))
        kind++;
    for (int i = count - 1; i >= 0; i--)
        used += snprintf(has + used, sizeof has - (size_t)used, "%s%s", used ? ", " : "",
                         names[layout[i].kind]);
    return at_error(err, ATTEND_OPTION, "the model has no %s attention; kinds that it has: %s",
                    kind < KINDS ? names[kind] : "such", has);
}

static attend_status refuse_number(const char *what, int number, attend_attention_kind kind,
                                   int count, attend_error *err)
{
    if (count == 1)
        return at_error(err, ATTEND_OPTION, "%s %d: %s attention has one %s; choose %s 0", what,
                        number, names[kind], what, what);
    return at_error(err, ATTEND_OPTION,
                    "%s %d: %s attention has %d %ss, counted from 0; choose 0 to %d", what, number,
                    names[kind], count, what, count - 1);
}

attend_status at_attention_wanted(const at_model *m, unsigned kinds, int layer, int head,
                                  at_attention_record *out, attend_error *err)
{
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    unsigned missing = kinds;
    int count = at_model_attention(m, layout);
    for (int i = count - 1; i >= 0 && kinds; i--) {
        if (!(kinds >> layout[i].kind & 1))
            continue;
        missing &= ~(1u << layout[i].kind);
        if (layer >= layout[i].layers)
            return refuse_number("layer", layer, layout[i].kind, layout[i].layers, err);
        if (head >= layout[i].heads)
            return refuse_number("head", head, layout[i].kind, layout[i].heads, err);
    }
    *out = (at_attention_record){
        .kinds = kinds, .layer = layer < 0 ? -1 : layer, .head = head < 0 ? -1 : head};
    return missing ? refuse(missing, count, layout, err) : ATTEND_OK;
}

bool at_attention_rows_add(const at_attention_rows *rows, int query, int sources, at_arena *memory,
                           attend_attention_row *to, size_t *count)
{
    for (int i = 0; i < rows->count; i++) {
        const at_attention_row *r = &rows->row[i];
        bool padded = r->kind != ATTEND_ATTENTION_DECODER && r->keys > sources;
        int keys = padded ? sources : r->keys;
        double *weights = at_arena_alloc_small(memory, ((size_t)keys + 1) * sizeof *weights);
        if (!weights)
            return false;
        for (int k = 0; k < keys; k++)
            weights[k] = (double)r->weights[k];
        to[(*count)++] = (attend_attention_row){r->kind,          r->layer, r->head,
                                                query + r->query, keys,     weights};
    }
    return true;
}

const char *at_token_label(at_arena *memory, const at_tokenizer *tokenizer, at_text line,
                           at_token token)
{
    at_text shown = at_trimmed(line.text + token.begin, token.end - token.begin);
    if (token.id != tokenizer->special[ATTEND_SPECIAL_UNK] || shown.size == 0)
        return at_vocab_text(tokenizer->vocab, token.id, NULL);
    return at_arena_text(memory, shown.text, shown.size);
}
