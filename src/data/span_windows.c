#include "data/span_windows.h"

static int frame_size(const at_frame *f)
{
    return (f->before >= 0) + 2 * (f->each >= 0) + (f->between >= 0) + (f->after >= 0);
}

static attend_status check(const at_span_text *s, const at_span_options *o, attend_error *err)
{
    if (!s->context.count)
        return at_error(err, ATTEND_FORMAT,
                        "the context is empty: there is nothing to find an answer in");
    if (s->room >= 1)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "a window of %d tokens has no room for the context after a question of %zu; "
                    "allow longer windows, or fewer tokens of a question",
                    o->window, s->question.count);
}

attend_status at_span_text_read(at_span_text *s, const at_tokenizer *t, const at_span_options *o,
                                at_text question, at_text context, attend_error *err)
{
    s->tokenizer = t;
    at_tokens_clear(&s->question);
    at_tokens_clear(&s->context);
    attend_status status = at_encode(t, question.text, question.size, &s->question, err);
    if (status >= 0)
        status = at_encode(t, context.text, context.size, &s->context, err);
    if (status < 0)
        return status;
    s->cut = s->question.count > (size_t)o->question;
    if (s->cut)
        s->question.count = (size_t)o->question;
    s->room = o->window - (int)s->question.count - frame_size(&t->frame);
    s->stride = o->stride < s->room ? o->stride : s->room;
    int more = (int)s->context.count - s->room;
    if ((status = check(s, o, err)) >= 0)
        s->count = 1 + (more > 0 ? (more + s->stride - 1) / s->stride : 0);
    return status;
}

void at_span_text_free(at_span_text *s)
{
    at_tokens_free(&s->question);
    at_tokens_free(&s->context);
}

at_span_window at_span_window_at(const at_span_text *s, int index)
{
    const at_frame *f = &s->tokenizer->frame;
    int first = index * s->stride, left = (int)s->context.count - first;
    at_span_window w = {.first = first, .tokens = left < s->room ? left : s->room};
    w.length = (int)s->question.count + w.tokens + frame_size(f);
    w.context = w.length - w.tokens - (f->each >= 0) - (f->after >= 0);
    w.none = f->before < 0 && f->after >= 0 ? w.length - 1 : 0;
    return w;
}

static void put(at_tokens *out, int32_t id)
{
    if (id >= 0)
        at_tokens_add(out, id, 0, 0);
}

void at_span_window_put(const at_span_text *s, const at_span_window *w, at_tokens *out)
{
    const at_frame *f = &s->tokenizer->frame;
    put(out, f->before);
    for (size_t i = 0; i < s->question.count; i++)
        put(out, s->question.item[i].id);
    put(out, f->each);
    put(out, f->between);
    for (int i = w->first; i < w->first + w->tokens; i++)
        at_tokens_add(out, s->context.item[i].id, s->context.item[i].begin, s->context.item[i].end);
    put(out, f->each);
    put(out, f->after);
}

bool at_span_find(const at_span_text *s, size_t byte, size_t size, int *first, int *last)
{
    *first = *last = -1;
    for (size_t i = 0; i < s->context.count; i++) {
        const at_token *t = &s->context.item[i];
        if (t->end <= byte || t->begin >= byte + size || t->begin == t->end)
            continue;
        *first = *first < 0 ? (int)i : *first;
        *last = (int)i;
    }
    return *first >= 0;
}
