#include "decode/framed_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

attend_status at_framed_texts_start(at_framed_texts *f, const at_model *m, size_t count,
                                    attend_error *err)
{
    size_t n = count ? count : 1;
    *f = (at_framed_texts){.model = m,
                           .tape = at_tape_new(m->params, ATTEND_INFER),
                           .item = at_alloc_zero(n, sizeof *f->item),
                           .order = at_alloc(n * sizeof *f->order),
                           .count = count};
    for (size_t i = 0; f->order && i < count; i++)
        f->order[i] = i;
    return f->tape && f->item && f->order ? ATTEND_OK : at_error_memory(err);
}

void at_framed_texts_free(at_framed_texts *f)
{
    for (size_t i = 0; f->item && i < f->count; i++)
        at_tokens_free(&f->item[i].tokens);
    at_free(f->item);
    at_free(f->order);
    if (f->tape)
        at_tape_free(f->tape);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* leaves out `count` tokens from index `at` on */
static void leave_out(at_tokens *p, size_t at, size_t count)
{
    memmove(p->item + at, p->item + at + count, (p->count - at - count) * sizeof *p->item);
    p->count -= count;
}

/* tokens of the frame after each text */
static size_t ends(const at_frame *f) { return f->each >= 0; }

/* Shortens the texts of a framed input by `more` tokens: the longer one, the second of equals. */
static void shorten(at_framed_text *t, const at_frame *f, size_t more, size_t *second)
{
    size_t begin = f->before >= 0, between = *second < t->tokens.count && f->between >= 0;
    size_t after = f->after >= 0, all = t->tokens.count;
    bool pair = *second + after < all;
    size_t a = *second - begin - ends(f) - (pair ? between : 0);
    size_t b = pair ? all - *second - ends(f) - after : 0;
    size_t less_a = 0, less_b = 0;
    while (more && a + b > less_a + less_b) {
        ++*(pair && b - less_b >= a - less_a ? &less_b : &less_a);
        more--;
    }
    leave_out(&t->tokens, *second + b - less_b, less_b);
    leave_out(&t->tokens, begin + a - less_a, less_a);
    *second -= less_a;
}

attend_status at_framed_texts_read(at_framed_texts *f, size_t i, at_text a, at_text b, int limit,
                                   attend_error *err)
{
    at_framed_text *t = &f->item[i];
    const at_tokenizer *tokenizer = f->model->source;
    size_t second;
    attend_status status = at_encode_framed(tokenizer, a.text, a.size, b.text, b.size, &t->tokens,
                                            &second, err);
    if (status < 0)
        return status;
    bool same_line = b.text && b.text >= a.text && b.text <= a.text + a.size + 1;
    for (size_t k = second; same_line && k < t->tokens.count; k++)
        if (t->tokens.item[k].end > t->tokens.item[k].begin) {
            t->tokens.item[k].begin += (uint32_t)(b.text - a.text);
            t->tokens.item[k].end += (uint32_t)(b.text - a.text);
        }
    t->cut = limit && t->tokens.count > (size_t)limit;
    if (t->cut)
        shorten(t, &tokenizer->frame, t->tokens.count - (size_t)limit, &second);
    t->length = (int)t->tokens.count;
    t->second = b.text ? (int)second : t->length;
    return ATTEND_OK;
}

attend_status at_framed_texts_read_line(at_framed_texts *f, size_t i, at_text line, int limit,
                                        attend_error *err)
{
    const char *tab = memchr(line.text, '\t', line.size);
    at_text a = {line.text, tab ? (size_t)(tab - line.text) : line.size}, b = {NULL, 0};
    if (tab)
        b = (at_text){tab + 1, line.size - a.size - 1};
    return at_framed_texts_read(f, i, a, b, limit, err);
}

/* ---- batches -------------------------------------------------------------------------------- */

static int longest_first(const void *a, const void *b, void *items)
{
    const at_framed_text *all = items;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].length != all[j].length)
        return all[i].length < all[j].length ? 1 : -1;
    return (i > j) - (i < j);
}

void at_framed_texts_sort(at_framed_texts *f)
{
    qsort_r(f->order, f->count, sizeof *f->order, longest_first, f->item);
}

bool at_framed_texts_batch(at_framed_texts *f, size_t first, int n, at_inputs *in)
{
    int T = 1, pad = at_tokenizer_pad(f->model->source);
    for (int b = 0; b < n; b++) {
        int length = f->item[f->order[first + (size_t)b]].length;
        T = length > T ? length : T;
    }
    at_tape_reset(f->tape);
    int *ids = at_scratch(f->tape, (size_t)n * (size_t)T * sizeof *ids);
    int *segments = at_scratch(f->tape, (size_t)n * (size_t)T * sizeof *segments);
    int *lengths = at_scratch(f->tape, (size_t)n * sizeof *lengths);
    if (!ids || !segments || !lengths)
        return false;
    for (int b = 0; b < n; b++) {
        const at_framed_text *t = &f->item[f->order[first + (size_t)b]];
        lengths[b] = t->length;
        for (int k = 0; k < T; k++) {
            ids[b * T + k] = k < t->length ? t->tokens.item[k].id : pad;
            segments[b * T + k] = k >= t->second && k < t->length;
        }
    }
    *in = (at_inputs){.ids = {SHAPE(n, T), ids}, .lengths = lengths, .segments = segments};
    return true;
}
