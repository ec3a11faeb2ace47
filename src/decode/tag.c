#include "decode/tag.h"

#include <string.h>

#include "base/memory.h"
#include "decode/framed_texts.h"
#include "decode/logits.h"

enum { GROUP = 256 /* lines whose chunks are put into batches together */, USUAL = 512 };

typedef struct {
    int words, chunks;
    const at_text *text;
    int *tag;
    real *probability;
    size_t first; /* chunk */
} item;

typedef struct {
    item *item;
    int *word; /* [length]: the word of each position, or -1 */
    at_attention_rows attention;
} chunk;

typedef struct {
    const at_tag_options *o;
    const at_model *model;
    size_t first, count; /* lines of the group */
    const at_text *line;
    item items[GROUP];
    at_framed_texts texts; /* the chunks */
    chunk *chunks;
    at_attention_record record;
    at_arena memory;
} job;

int at_tag_limit(const at_model *m, int limit)
{
    return at_model_max_input(m, limit ? limit : USUAL);
}

/* ---- chunks --------------------------------------------------------------------------------- */

static attend_status read_line(const job *j, at_tagged_words *w, size_t i, attend_error *err)
{
    return at_tagged_words_read(w, j->model->source, at_tag_limit(j->model, j->o->limit),
                                j->line[j->first + i], err);
}

static int count_chunks(const at_tagged_words *w)
{
    int n = 0;
    for (int at = 0; at < (int)w->tokens.count; n++)
        at = at_tagged_words_end(w, at);
    return n;
}

static bool start_item(job *j, item *q, const at_tagged_words *w)
{
    size_t n = (size_t)w->words + 1;
    at_text *text = at_arena_alloc_small(&j->memory, n * sizeof *text);
    *q = (item){.words = w->words,
                .chunks = count_chunks(w),
                .text = text,
                .tag = at_arena_alloc_small(&j->memory, n * sizeof *q->tag),
                .probability = at_arena_alloc_small(&j->memory, n * sizeof *q->probability)};
    if (!text || !q->tag || !q->probability)
        return false;
    if (w->words)
        memcpy(text, w->text, (size_t)w->words * sizeof *text);
    memset(q->tag, 0, n * sizeof *q->tag);
    memset(q->probability, 0, n * sizeof *q->probability);
    return true;
}

static attend_status put_chunks(job *j, at_tagged_words *w, size_t i, size_t at, attend_error *err)
{
    attend_status status = read_line(j, w, i, err);
    j->items[i].first = at;
    for (int from = 0, to; status >= 0 && from < (int)w->tokens.count; from = to, at++) {
        at_framed_text *t = &j->texts.item[at];
        chunk *c = &j->chunks[at];
        int first;
        to = at_tagged_words_end(w, from);
        at_tagged_words_put(w, from, to, &t->tokens, &first);
        t->length = t->second = (int)t->tokens.count;
        c->item = &j->items[i];
        c->word = at_arena_alloc_small(&j->memory, (t->tokens.count + 1) * sizeof *c->word);
        if (t->tokens.failed || !c->word)
            return at_error_memory(err);
        for (int k = 0; k < t->length; k++)
            c->word[k] = k >= first && k < first + to - from ? w->word[from + k - first] : -1;
    }
    return status;
}

static attend_status read_all(job *j, attend_error *err)
{
    at_tagged_words w = {.words = 0};
    size_t chunks = 0;
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < j->count && status >= 0; i++) {
        status = read_line(j, &w, i, err);
        if (status >= 0 && !start_item(j, &j->items[i], &w))
            status = at_error_memory(err);
        chunks += status >= 0 ? (size_t)j->items[i].chunks : 0;
    }
    if (status >= 0)
        status = at_framed_texts_start(&j->texts, j->model, chunks, err);
    j->chunks = at_arena_alloc(&j->memory, (chunks + 1) * sizeof *j->chunks);
    if (status >= 0 && !j->chunks)
        status = at_error_memory(err);
    for (size_t i = 0, at = 0; i < j->count && status >= 0; at += (size_t)j->items[i++].chunks)
        status = put_chunks(j, &w, i, at, err);
    at_tagged_words_free(&w);
    return status;
}

/* ---- batches -------------------------------------------------------------------------------- */

/* the tags of a chunk from probabilities [T,K] */
static void take_tags(const chunk *c, int length, int K, const real *p)
{
    for (int i = 0; i < length; i++, p += K) {
        int best = 0;
        for (int k = 1; k < K; k++)
            best = p[k] > p[best] ? k : best;
        if (c->word[i] < 0)
            continue;
        c->item->tag[c->word[i]] = best;
        c->item->probability[c->word[i]] = p[best];
    }
}

static attend_status keep(job *j, size_t at, const at_tensor *logits, const at_tensor *p, int row,
                          attend_error *err)
{
    int length = j->texts.item[at].length, K = p->shape.dim[2];
    size_t from = (size_t)row * (size_t)p->shape.dim[1] * (size_t)K;
    attend_status status = at_logits_check((size_t)length * (size_t)K, logits->value + from, err);
    if (status < 0)
        return status;
    take_tags(&j->chunks[at], length, K, p->value + from);
    if (!j->o->wanted.kinds)
        return status;
    j->chunks[at].attention = at_attention_record_copy(&j->record, &j->o->wanted, row, length,
                                                       length, &j->memory);
    return j->chunks[at].attention.count < 0 ? at_error_memory(err) : ATTEND_OK;
}

static attend_status tag_batch(job *j, size_t first, int n, attend_error *err)
{
    at_inputs in;
    at_tape *t = j->texts.tape;
    const at_encodes *model = j->model->kind->encodes;
    at_tensor *logits = NULL, *p = NULL;
    at_attention_record_clear(&j->record);
    if (at_framed_texts_batch(&j->texts, first, n, &in)) {
        in.record = &j->record;
        logits = model->tags(t, j->model, model->encode(t, j->model, &in));
        p = at_softmax(t, logits, NULL);
    }
    attend_status status = at_failed(t) ? at_tape_status(t, err) : ATTEND_OK;
    for (int b = 0; b < n && status >= 0; b++)
        status = keep(j, j->texts.order[first + (size_t)b], logits, p, b, err);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------ */

static attend_status give_one(job *j, size_t i, at_tagged_function *give, void *user,
                              attend_error *err)
{
    const item *q = &j->items[i];
    at_tagged_line t = {.line = j->first + i,
                        .words = q->words,
                        .text = q->text,
                        .tag = q->tag,
                        .probability = q->probability,
                        .chunks = q->chunks};
    if (j->o->wanted.kinds && q->chunks) {
        t.tokens = &j->texts.item[q->first].tokens;
        t.attention = j->chunks[q->first].attention;
    }
    return give(user, &t, err);
}

static attend_status tag_group(job *j, at_tagged_function *give, void *user, attend_error *err)
{
    attend_status status = read_all(j, err);
    if (status >= 0)
        at_framed_texts_sort(&j->texts);
    size_t chunks = status >= 0 ? j->texts.count : 0, batch = (size_t)j->o->batch;
    for (size_t at = 0; at < chunks && status >= 0; at += batch)
        status = tag_batch(j, at, (int)(chunks - at < batch ? chunks - at : batch), err);
    for (size_t i = 0; i < j->count && status >= 0; i++)
        status = give_one(j, i, give, user, err);
    at_framed_texts_free(&j->texts);
    j->texts = (at_framed_texts){.count = 0};
    at_arena_reset(&j->memory);
    return status;
}

attend_status at_tag_lines(const at_model *m, const at_tag_options *o, size_t lines,
                           const at_text *line, at_tagged_function *give, void *user,
                           attend_error *err)
{
    job *j = at_alloc_zero(1, sizeof *j);
    attend_status status = j ? ATTEND_OK : at_error_memory(err);
    if (j)
        *j = (job){.o = o, .model = m, .line = line, .record = o->wanted};
    for (size_t i = 0; i < lines && status >= 0; i += GROUP) {
        j->first = i;
        j->count = lines - i < GROUP ? lines - i : GROUP;
        status = tag_group(j, give, user, err);
    }
    if (j)
        at_arena_free(&j->memory);
    at_free(j);
    return status;
}
