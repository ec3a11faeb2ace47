#include "cli/encoding_out.h"

#include <math.h>

#include "base/arena.h"

attend_status at_encoding_out_check(const at_encoding_settings *s, attend_error *err)
{
    const char *path = s->attention.path;
    bool chosen = s->between != ATTEND_BETWEEN_ALL || s->hide_special;
    if (chosen && (!path || at_file_ends(path, ".jsonl")))
        return at_error(err, ATTEND_OPTION,
                        "--between and --hide-special choose what is drawn: --attention-out needs "
                        "a file that ends in .svg, .png or .pdf");
    if (path && at_file_ends(path, ".txt"))
        return at_error(err, ATTEND_OPTION,
                        "%s: self-attention goes to a file that ends in .jsonl, .png, .svg or .pdf",
                        at_show(path).text);
    return at_attention_out_check(&s->attention, false, err);
}

attend_status at_encoding_out_open(at_attention_out *a, at_cli *cli, const at_encoding_settings *s,
                                   attend_error *err)
{
    static const char *const name[] = {
        "self-attention", "attention of the first text to the second",
        "attention of the second text to the first", "attention within the first text",
        "attention within the second text"};
    attend_status status = at_attention_out_open(a, cli, &s->attention, err);
    a->drawing.recorded = true;
    a->drawing.name = name[s->between];
    return status;
}

/* ---- tokens that are drawn ------------------------------------------------------------------ */

/* Is a token one of those that attend (side 0), or are attended to (side 1)? */
static bool is_drawn(const at_encoding_settings *s, int part, int side)
{
    static const int parts[][2] = {[ATTEND_BETWEEN_ALL] = {0, 0},
                                   [ATTEND_BETWEEN_A_B] = {ATTEND_PART_FIRST, ATTEND_PART_SECOND},
                                   [ATTEND_BETWEEN_B_A] = {ATTEND_PART_SECOND, ATTEND_PART_FIRST},
                                   [ATTEND_BETWEEN_A_A] = {ATTEND_PART_FIRST, ATTEND_PART_FIRST},
                                   [ATTEND_BETWEEN_B_B] = {ATTEND_PART_SECOND, ATTEND_PART_SECOND}};
    int wanted = parts[s->between][side];
    return wanted ? part == wanted : !s->hide_special || part != ATTEND_PART_SPECIAL;
}

/* of one side: the tokens that are drawn and their labels */
typedef struct {
    int count, *position;
    const char **label;
    int *place; /* of each token among those drawn, or -1 */
} chosen;

static bool choose(chosen *c, const at_encoding_settings *s, const attend_encoded_text *e, int side,
                   at_arena *memory)
{
    size_t n = (size_t)e->tokens + 1;
    *c = (chosen){.position = at_arena_alloc(memory, n * sizeof *c->position),
                  .label = at_arena_alloc(memory, n * sizeof *c->label),
                  .place = at_arena_alloc(memory, n * sizeof *c->place)};
    if (!c->position || !c->label || !c->place)
        return false;
    for (int i = 0; i < e->tokens; i++) {
        c->place[i] = is_drawn(s, e->part[i], side) ? c->count : -1;
        if (c->place[i] < 0)
            continue;
        c->position[c->count] = i;
        c->label[c->count++] = e->token[i];
    }
    return true;
}

/* The rows of the queries with the weights of the keys that are drawn; NULL without memory. */
static attend_attention_row *choose_rows(const attend_encoded_text *e, const chosen *queries,
                                         const chosen *keys, size_t *count, at_arena *memory)
{
    attend_attention_row *rows = at_arena_alloc(memory, (e->attention_count + 1) * sizeof *rows);
    *count = 0;
    for (size_t i = 0; rows && i < e->attention_count; i++) {
        const attend_attention_row *from = &e->attention[i];
        int query = from->query < e->tokens ? queries->place[from->query] : -1;
        if (query < 0)
            continue;
        double *weights = at_arena_alloc_small(memory, (size_t)(keys->count + 1) * sizeof *weights);
        if (!weights)
            return NULL;
        for (int k = 0; k < keys->count; k++)
            weights[k] = keys->position[k] < from->keys ? from->weights[keys->position[k]] : 0;
        rows[(*count)++] = (attend_attention_row){
            ATTEND_ATTENTION_CROSS, from->layer, from->head, query, keys->count, weights};
    }
    return rows;
}

static attend_status add_chosen(at_attention_out *a, const at_encoding_settings *s, size_t line,
                                attend_translation *t, const attend_encoded_text *e,
                                at_arena *memory, attend_error *err)
{
    chosen queries, keys;
    if (!choose(&queries, s, e, 0, memory) || !choose(&keys, s, e, 1, memory))
        return at_error_memory(err);
    if (!queries.count || !keys.count)
        return at_error(err, ATTEND_OPTION,
                        "--between: text %zu has no such tokens; it may not be a pair", line + 1);
    t->source = keys.label;
    t->sources = keys.count;
    t->target = queries.label;
    t->targets = queries.count;
    t->attention = choose_rows(e, &queries, &keys, &t->attention_count, memory);
    return t->attention ? at_attention_out_add(a, line, t, err) : at_error_memory(err);
}

attend_status at_encoding_out_add(at_attention_out *a, const at_encoding_settings *s, size_t line,
                                  const char *text, const attend_encoded_text *e, attend_error *err)
{
    if (!s->attention.path || !e)
        return ATTEND_OK;
    at_arena memory = {.first_size = 0};
    attend_translation t = {.line = line,
                            .text = text,
                            .score = NAN,
                            .log_p = NAN,
                            .sources = e->tokens,
                            .source = e->token,
                            .attention = e->attention,
                            .attention_count = e->attention_count};
    attend_status status = at_file_ends(s->attention.path, ".jsonl")
                               ? at_attention_out_add(a, line, &t, err)
                               : add_chosen(a, s, line, &t, e, &memory, err);
    at_arena_free(&memory);
    return status;
}
