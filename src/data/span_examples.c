#include "data/span_examples.h"

#include "base/file.h"
#include "base/memory.h"

typedef struct {
    at_span_text text;
    at_tokens tokens;
    int32_t *token; /* [room]: of a window, as examples have them */
    size_t room;
} maker;

static attend_status no_place(const at_corpus *c, const at_example *e, attend_error *err)
{
    return at_error(err, ATTEND_FORMAT,
                    "%s:%ld: the answer \"%.*s\" is not in its context; leave such questions out",
                    at_show(at_corpus_file(c, e->file)).text, e->line,
                    (int)(e->label.size < 60 ? e->label.size : 60), e->label.text);
}

/* where the first answer is in the window */
static void place(const maker *m, const at_example *e, const at_span_window *w, int32_t target[2])
{
    int first, last;
    target[0] = target[1] = 2 * w->none;
    if (!e->answer_count
        || !at_span_find(&m->text, e->answers[0].byte, e->answers[0].text.size, &first, &last)
        || first < w->first || last >= w->first + w->tokens)
        return;
    target[0] = 2 * (w->context + first - w->first);
    target[1] = 2 * (w->context + last - w->first);
}

static attend_status add_window(maker *m, const at_example *e, int index, uint32_t example,
                                at_encoded *out, attend_error *err)
{
    at_span_window w = at_span_window_at(&m->text, index);
    int32_t target[2];
    at_tokens_clear(&m->tokens);
    at_span_window_put(&m->text, &w, &m->tokens);
    if (m->tokens.failed || m->tokens.count > m->room)
        return at_error_memory(err);
    for (size_t i = 0; i < m->tokens.count; i++)
        m->token[i] = m->tokens.item[i].id * 2 + 1;
    place(m, e, &w, target);
    at_item_view view = {.source = m->token,
                         .target = target,
                         .source_size = w.length,
                         .target_size = 2,
                         .second = w.context,
                         .label = -1,
                         .example = example};
    return at_encoded_add(out, &view, err);
}

static attend_status add_question(maker *m, const at_corpus *c, const at_span_options *o,
                                  const at_tokenizer *t, const at_example *e, uint32_t example,
                                  at_span_counts *counts, at_encoded *out, attend_error *err)
{
    attend_error why;
    if ((e->has & ATTEND_HAS_LABEL) && !e->answer_count)
        return no_place(c, e, err);
    attend_status status = at_span_text_read(&m->text, t, o, e->question, e->source, &why);
    if (status < 0)
        return at_error(err, status, "%s:%ld: %s", at_show(at_corpus_file(c, e->file)).text,
                        e->line, why.message);
    for (int i = 0; i < m->text.count && status >= 0; i++)
        status = add_window(m, e, i, example, out, err);
    counts->questions++;
    counts->windows += (size_t)m->text.count;
    counts->unanswered += !e->answer_count;
    counts->cut += m->text.cut;
    return status;
}

attend_status at_span_examples_new(const at_corpus *c, const unsigned char *part, int wanted,
                                   const at_tokenizer *t, const at_span_options *o,
                                   at_span_counts *counts, at_encoded **out, attend_error *err)
{
    maker m = {.room = (size_t)o->window};
    at_arena memory = {.first_size = 0};
    *counts = (at_span_counts){0};
    attend_status status = at_encoded_new(0, out, err);
    if (status >= 0 && !(m.token = at_alloc(m.room * sizeof *m.token)))
        status = at_error_memory(err);
    for (size_t i = 0; i < at_corpus_size(c) && status >= 0; i++) {
        at_example e;
        if (part && part[i] != wanted)
            continue;
        at_arena_reset(&memory);
        status = at_corpus_at(c, i, &memory, &e)
                     ? add_question(&m, c, o, t, &e, (uint32_t)i, counts, *out, err)
                     : at_error_memory(err);
    }
    if (status >= 0)
        status = at_encoded_close(*out, err);
    at_span_text_free(&m.text);
    at_tokens_free(&m.tokens);
    at_free(m.token);
    at_arena_free(&memory);
    if (status < 0) {
        at_encoded_free(*out);
        *out = NULL;
    }
    return status;
}
