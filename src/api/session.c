/* Sessions of callers: texts as at_session takes them, and rows that are counted text by text. */
#include <math.h>
#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/memory.h"
#include "decode/attention_rows.h"
#include "decode/detokenize.h"
#include "decode/generate.h"
#include "decode/logits.h"
#include "tensor/vector.h"

/* texts that joined together: their memory goes when the last of them has left */
typedef struct {
    int texts;
    at_arena memory;
} joined;

typedef struct {
    joined *with;
    at_text line;
    at_tokens tokens;
    at_copied copied;          /* of models that copy */
    const char **label;        /* [tokens.count] */
    const char **copied_label; /* [copied.extra] */
    int start;                 /* the token that its first step takes, */
    int position;              /* and how many come before the next one */
    int first;                 /* its first row, as at_session_step counts them */
    bool fresh;                /* it has one row, and no step yet */
} text;

struct attend_session {
    const at_model *model; /* the first */
    at_session *inside;
    at_attention_record wanted;
    text *texts;
    int count;
    int width,
        rows;     /* rows of each text in the last step; of all, and of those that joined since */
    bool current; /* the numbers are those of the texts that are there */
    at_session_numbers numbers;
    double *norm;    /* [rows]: what makes numbers log-probabilities */
    at_arena memory; /* of the last step, and of attention that was asked for after it */
};

/* ---- making and releasing ------------------------------------------------------------------- */

void attend_session_defaults(attend_session_options *o)
{
    *o = (attend_session_options){.size = sizeof *o, .record_layer = -1, .record_head = -1};
}

attend_status attend_session_new(const attend_model *m, const attend_session_options *options,
                                 attend_session **out, attend_error *err)
{
    attend_session_options o;
    attend_session_defaults(&o);
    *out = NULL;
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_session_defaults", err);
    if (status < 0)
        return status;
    if (m->inside->width)
        return at_error(err, ATTEND_OPTION,
                        "the model reads feature vectors: attend_translate takes them, not a "
                        "session");
    if (o.record && o.ensemble_count)
        return at_error(err, ATTEND_OPTION, "attention is recorded of one model, not of several");
    attend_session *s = at_alloc_zero(1, sizeof *s);
    if (!s)
        return at_error_memory(err);
    unsigned can = m->inside->kind->can & ATTEND_CAN_GENERATE ? ATTEND_CAN_GENERATE
                                                              : ATTEND_CAN_TRANSLATE;
    s->model = m->inside;
    status = at_attention_wanted(m->inside, o.record, o.record_layer, o.record_head, &s->wanted,
                                 err);
    if (status >= 0)
        status = at_model_session(m, o.ensemble, o.ensemble_count, can, &s->inside, err);
    if (status >= 0)
        *out = s;
    else
        attend_session_free(s);
    return status;
}

static void release(text *t)
{
    at_tokens_free(&t->tokens);
    at_copied_free(&t->copied);
    if (--t->with->texts == 0) {
        at_arena_free(&t->with->memory);
        at_free(t->with);
    }
}

static void forget(attend_session *s)
{
    for (int i = 0; i < s->count; i++)
        release(&s->texts[i]);
    at_free(s->texts);
    s->texts = NULL;
    s->count = s->rows = 0;
    s->current = false;
}

void attend_session_free(attend_session *s)
{
    if (!s)
        return;
    at_session_free(s->inside);
    forget(s);
    at_arena_free(&s->memory);
    at_free(s);
}

int attend_session_texts(const attend_session *s) { return s->count; }

/* what is written: the target's of a translator */
static const at_tokenizer *writes(const attend_session *s)
{
    return s->model->target ? s->model->target : s->model->source;
}

int attend_session_end(const attend_session *s) { return writes(s)->special[ATTEND_SPECIAL_EOS]; }

/* ---- texts that join ------------------------------------------------------------------------ */

/* names of the tokens and of the words that can be copied */
static attend_status label(const attend_session *s, text *t, attend_error *err)
{
    at_arena *memory = &t->with->memory;
    size_t n = t->tokens.count, extra = (size_t)t->copied.extra;
    t->label = at_arena_alloc(memory, (n + 1) * sizeof *t->label);
    t->copied_label = at_arena_alloc(memory, (extra + 1) * sizeof *t->copied_label);
    if (!t->label || !t->copied_label)
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!(t->label[i] = at_token_label(memory, s->model->source, t->line, t->tokens.item[i])))
            return at_error_memory(err);
    for (size_t i = 0; i < extra; i++) {
        at_text word = at_copied_text(&t->copied, (int)i);
        if (!(t->copied_label[i] = at_arena_text(memory, word.text, word.size)))
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

static attend_status read_source(const attend_session *s, text *t, attend_error *err)
{
    const at_model *m = s->model;
    size_t second;
    attend_status status = at_encode_framed(m->source, t->line.text, t->line.size, NULL, 0,
                                            &t->tokens, &second, err);
    int n = (int)t->tokens.count;
    for (int i = 0; i < at_session_models(s->inside) && status >= 0; i++) {
        int limit = at_model_max_input(at_session_model(s->inside, i), n);
        if (n > limit)
            status = at_error(err, ATTEND_FORMAT,
                              "a text has %d tokens, and the model reads at most %d; split it", n,
                              limit);
    }
    if (status >= 0 && m->copying)
        status = at_copied_read(&t->copied, m->copying, t->line.text, t->line.size, &t->tokens,
                                t->tokens.count, err);
    t->start = writes(s)->special[ATTEND_SPECIAL_BOS];
    return status;
}

static attend_status read_text(const attend_session *s, text *t, const char *line,
                               attend_error *err)
{
    size_t size = strlen(line);
    attend_status status;
    *t = (text){.with = t->with, .fresh = true};
    t->with->texts++;
    t->line = (at_text){at_arena_text(&t->with->memory, line, size), size};
    if (!t->line.text)
        return at_error_memory(err);
    if (s->model->kind->decodes->encode) {
        status = read_source(s, t, err);
    } else {
        status = at_prompt_tokens(s->model, t->line, &t->tokens, err);
        if (status >= 0) {
            t->position = (int)t->tokens.count - 1;
            t->start = t->tokens.item[t->position].id;
        }
    }
    return status < 0 ? status : label(s, t, err);
}

/* texts [count] as a session takes them, in the memory of those that joined together */
static attend_status begin(const attend_session *s, int count, const text *texts, attend_error *err)
{
    at_arena *memory = &texts->with->memory;
    bool source = s->model->kind->decodes->encode;
    int S = 0, pad = at_tokenizer_pad(s->model->source);
    for (int i = 0; i < count; i++) {
        int n = (int)texts[i].tokens.count - !source; /* a step takes the last token of a prompt */
        S = n > S ? n : S;
    }
    size_t cells = (size_t)count * (size_t)S + 1;
    int *ids = at_arena_alloc(memory, cells * sizeof *ids);
    int *copied = at_arena_alloc(memory, cells * sizeof *copied);
    int *lengths = at_arena_alloc(memory, (size_t)count * sizeof *lengths);
    int *extra = at_arena_alloc(memory, (size_t)count * sizeof *extra);
    if (!ids || !copied || !lengths || !extra)
        return at_error_memory(err);
    at_beginning in = {.sentences = count, .wanted = s->wanted};
    for (int i = 0; i < count; i++) {
        const text *t = &texts[i];
        lengths[i] = (int)t->tokens.count - !source;
        extra[i] = t->copied.extra;
        in.copies.max = extra[i] > in.copies.max ? extra[i] : in.copies.max;
        for (int k = 0; k < S; k++) {
            ids[i * S + k] = k < lengths[i] ? t->tokens.item[k].id : pad;
            copied[i * S + k] = k < lengths[i] && s->model->copying ? t->copied.id[k] : -1;
        }
    }
    if (source)
        in.source = (at_inputs){.ids = {SHAPE(count, S), ids}, .lengths = lengths};
    else
        in.prompt = (at_ids){SHAPE(count, S), ids}, in.counts = lengths;
    if (s->model->copying) {
        in.copies.source = (at_ids){SHAPE(count, S), copied};
        in.copies.extra = extra;
    }
    return s->count ? at_session_join(s->inside, &in, err) : at_session_start(s->inside, &in, err);
}

attend_status attend_session_join(attend_session *s, int count, const char *const *line,
                                  attend_error *err)
{
    enum { MOST = 1 << 16 };
    if (count < 1 || count > MOST - s->count)
        return at_error(err, ATTEND_OPTION, "%d texts join %d; a session has 1 to %d", count,
                        s->count, (int)MOST);
    size_t all = (size_t)(s->count + count), before = (size_t)s->count;
    text *more = at_realloc(s->texts, before * sizeof *more, all * sizeof *more);
    joined *with = at_alloc_zero(1, sizeof *with);
    s->texts = more ? more : s->texts;
    s->rows = s->count ? s->rows : 0; /* it starts over */
    s->current = false;
    if (!more || !with) {
        at_free(with);
        return at_error_memory(err);
    }
    attend_status status = ATTEND_OK;
    int read = 0;
    with->texts = 1; /* this function's own */
    for (; read < count && status >= 0; read++) {
        more[s->count + read].with = with;
        status = read_text(s, &more[s->count + read], line[read], err);
        more[s->count + read].first = s->rows + read;
    }
    if (status >= 0)
        status = begin(s, count, more + s->count, err);
    with->texts--;
    if (status >= 0) {
        s->count += count;
        s->rows += count;
        return ATTEND_OK;
    }
    for (int i = 0; i < read; i++)
        release(&more[s->count + i]);
    return status;
}

attend_status attend_session_start(attend_session *s, int count, const char *const *line,
                                   attend_error *err)
{
    forget(s);
    return attend_session_join(s, count, line, err);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int vocabulary_of(const attend_session *s, const text *t)
{
    return s->model->kind->decodes->vocabulary(s->model) + t->copied.extra;
}

/* what row k of a text continues, and with which token */
static attend_status place(const attend_session *s, const text *t, int width, int k,
                           const int *from, const int *token, int *row, int *next,
                           attend_error *err)
{
    int rows = t->fresh ? 1 : s->width, parent = from ? *from : rows == 1 ? 0 : k;
    if (parent < 0 || parent >= rows || (!from && rows > 1 && rows != width))
        return at_error(err, ATTEND_OPTION,
                        "a row of %d of text %d continues row %d; the text has rows 0 to %d", width,
                        (int)(t - s->texts), parent, rows - 1);
    *row = t->first + parent;
    *next = t->fresh ? t->start : token ? *token : -1;
    if (*next < 0 || *next >= vocabulary_of(s, t))
        return at_error(err, ATTEND_OPTION,
                        "text %d continues with token %d; its tokens are 0 to %d",
                        (int)(t - s->texts), *next, vocabulary_of(s, t) - 1);
    return ATTEND_OK;
}

/* Overflowing weights would pass for certainty: all numbers are checked. */
static attend_status normalise(attend_session *s, attend_error *err)
{
    const at_session_numbers *n = &s->numbers;
    size_t V = (size_t)n->vocabulary;
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->rows && status >= 0; i++) {
        const real *row = n->log_p + (size_t)i * V;
        status = (n->logits ? at_logits_check : at_log_p_check)(V, row, err);
        s->norm[i] = status >= 0 && n->logits ? at_log_sum_exp(V, row) : 0;
    }
    return status;
}

attend_status attend_session_step(attend_session *s, int width, const int *from, const int *token,
                                  attend_error *err)
{
    enum { MOST = 1 << 20 };
    if (s->count < 1 || width < 1 || width > MOST / s->count)
        return at_error(err, ATTEND_OPTION, "%d texts with %d rows each: 1 to %d rows are possible",
                        s->count, width, (int)MOST);
    int rows = s->count * width;
    at_arena_free(&s->memory);
    s->memory = (at_arena){.first_size = 0};
    s->current = false;
    int *row = at_arena_alloc(&s->memory, (size_t)rows * sizeof *row);
    int *next = at_arena_alloc(&s->memory, (size_t)rows * sizeof *next);
    s->norm = at_arena_alloc(&s->memory, (size_t)rows * sizeof *s->norm);
    if (!row || !next || !s->norm)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (int i = 0; i < rows && status >= 0; i++)
        status = place(s, &s->texts[i / width], width, i % width, from ? from + i : NULL,
                       token ? token + i : NULL, &row[i], &next[i], err);
    if (status >= 0)
        status = at_session_step(s->inside, width, row, next, &s->numbers, err);
    if (status < 0)
        return status;
    for (int i = 0; i < s->count; i++) {
        s->texts[i].first = i * width;
        s->texts[i].fresh = false;
        s->texts[i].position++;
    }
    s->width = width;
    s->rows = rows;
    status = normalise(s, err);
    s->current = status >= 0;
    return status;
}

attend_status attend_session_keep(attend_session *s, int count, const int *which, attend_error *err)
{
    for (int i = 0, least = 0; i < count; least = which[i++] + 1)
        if (which[i] < least || which[i] >= s->count)
            return at_error(err, ATTEND_OPTION,
                            "text %d is kept after %d, of %d texts; indexes rise", which[i],
                            least - 1, s->count);
    if (count < 0)
        return at_error(err, ATTEND_OPTION, "%d texts are kept; at least 0", count);
    attend_status status = at_session_keep(s->inside, count, which, err);
    if (status < 0)
        return status;
    for (int i = 0, n = 0; i < s->count; i++)
        if (n < count && which[n] == i)
            s->texts[n++] = s->texts[i];
        else
            release(&s->texts[i]);
    s->count = count;
    s->current = false;
    return ATTEND_OK;
}

/* ---- what a step gave ----------------------------------------------------------------------- */

/* the text of a row, or NULL */
static const text *text_of(const attend_session *s, int row)
{
    return s->current && row >= 0 && row < s->rows ? &s->texts[row / s->width] : NULL;
}

double attend_session_log_p(const attend_session *s, int row, int token)
{
    const text *t = text_of(s, row);
    if (!t || token < 0 || token >= vocabulary_of(s, t))
        return -INFINITY;
    size_t at = (size_t)row * (size_t)s->numbers.vocabulary + (size_t)token;
    return (double)s->numbers.log_p[at] - s->norm[row];
}

static const char *token_text(const attend_session *s, const text *t, int token)
{
    int known = s->model->kind->decodes->vocabulary(s->model);
    return token < known ? at_vocab_text(writes(s)->vocab, token, NULL)
                         : t->copied_label[token - known];
}

int attend_session_alternatives(const attend_session *s, int row, int max, attend_alternative *out)
{
    const text *t = text_of(s, row);
    int n = 0, V = t ? vocabulary_of(s, t) : 0;
    for (int token = 0; token < V && max > 0; token++) {
        double log_p = attend_session_log_p(s, row, token);
        if (log_p == -INFINITY || (n == max && log_p <= out[n - 1].log_p))
            continue;
        int at = n < max ? n++ : n - 1;
        for (; at > 0 && out[at - 1].log_p < log_p; at--)
            out[at] = out[at - 1];
        out[at] = (attend_alternative){token, NULL, log_p};
    }
    for (int i = 0; i < n; i++)
        out[i].text = token_text(s, t, out[i].token);
    return n;
}

attend_status attend_session_attention(attend_session *s, int row,
                                       const attend_attention_row **rows, size_t *count,
                                       attend_error *err)
{
    const text *t = text_of(s, row);
    at_attention_rows all = {0, NULL};
    *rows = NULL;
    *count = 0;
    attend_status status = t ? at_session_attention(s->inside, row, &s->memory, &all, err)
                             : at_error(err, ATTEND_OPTION, "row %d: the last step has none", row);
    if (status < 0)
        return status;
    attend_attention_row *to = at_arena_alloc(&s->memory, (size_t)(all.count + 1) * sizeof *to);
    if (!to
        || !at_attention_rows_add(&all, t->position - 1, (int)t->tokens.count, &s->memory, to,
                                  count))
        return at_error_memory(err);
    *rows = to;
    return ATTEND_OK;
}

const char *const *attend_session_source(const attend_session *s, int index, int *count)
{
    bool there = index >= 0 && index < s->count;
    *count = there ? (int)s->texts[index].tokens.count : 0;
    return there ? s->texts[index].label : NULL;
}

attend_status attend_session_text(const attend_session *s, int index, int count, const int *token,
                                  char **out, attend_error *err)
{
    *out = NULL;
    if (index < 0 || index >= s->count)
        return at_error(err, ATTEND_OPTION, "text %d of %d texts", index, s->count);
    const text *t = &s->texts[index];
    for (int i = 0; i < count; i++)
        if (token[i] < 0 || token[i] >= vocabulary_of(s, t))
            return at_error(err, ATTEND_OPTION, "token %d; those of text %d are 0 to %d", token[i],
                            index, vocabulary_of(s, t) - 1);
    at_arena memory = {.first_size = 0};
    at_str joined_text = {0};
    at_detokenizer w = {.target = writes(s), .copied = &t->copied, .memory = &memory};
    at_text *piece = at_detokenizer_tokens(&w, count, token);
    attend_status status = piece ? at_detokenizer_join(&w, count, token, piece, &joined_text, err)
                                 : at_error_memory(err);
    at_str_add(&joined_text, "");
    if (status >= 0 && !(*out = at_str_take(&joined_text)))
        status = at_error_memory(err);
    at_str_free(&joined_text);
    at_arena_free(&memory);
    return status;
}
