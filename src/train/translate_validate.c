/* BLEU of a translator while it is trained. */
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "decode/translate.h"
#include "train/score.h"
#include "train/task_translate.h"

enum { MAX_TRANSLATED = 1000, SAMPLES = 3 };

typedef struct {
    const char *source[MAX_TRANSLATED];
    uint32_t sequence[MAX_TRANSLATED]; /* where sources are feature vectors */
    const char *reference[MAX_TRANSLATED];
    const char *translation[MAX_TRANSLATED];
    size_t count;
    at_arena memory;
} sample;

/* Tokens of bytes may be invalid UTF-8 until they are learned; measures take nothing else. */
static void repair(at_str *out, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        uint32_t code;
        int used = at_utf8_get(text, left, &code);
        size_t size = used > 0 ? (size_t)used : 1;
        at_str_add_bytes(out, used > 0 ? text : "\xEF\xBF\xBD", used > 0 ? size : 3);
        text += size;
        left -= size;
    }
}

static attend_status take(void *user, const attend_translation *t, attend_error *err)
{
    sample *s = user;
    at_str text = {0};
    repair(&text, t->text);
    const char *made = text.failed ? NULL
                                   : at_arena_text(&s->memory, at_str_text(&text), text.length);
    at_str_free(&text);
    s->translation[t->line] = made;
    return made ? ATTEND_OK : at_error_memory(err);
}

/* the first examples of the validation */
static bool gather(sample *s, const at_run *r)
{
    const at_frames *f = at_translate_frames(r, true);
    at_example e;
    at_item_view v;
    for (; s->count < MAX_TRANSLATED && at_run_valid_at(r, s->count, &e, &v); s->count++) {
        const char *source = at_arena_text(&s->memory, e.source.text, e.source.size);
        const char *reference = at_arena_text(&s->memory, e.target.text, e.target.size);
        if (!source || !reference)
            return false;
        s->source[s->count] = source;
        s->sequence[s->count] = f->file ? f->sequence[v.example] : v.example;
        s->reference[s->count] = reference;
    }
    return true;
}

static attend_status translate(const at_run *r, sample *s, attend_error *err)
{
    const at_model *model = r->model;
    at_sources in = {s->count, s->source, s->sequence};
    attend_translate_options o;
    at_session *session; /* a new one: the parameters have changed since the last time */
    attend_translate_defaults(&o);
    o.beam = 1;
    o.batch = r->valid_batch;
    o.longest = 1000;
    o.scores = 0;
    o.features = at_translate_frames(r, true)->file;
    attend_status status = at_session_new(1, &model, &session, err);
    if (status >= 0)
        status = at_translate(session, &o, &in, take, s, err);
    at_session_free(session);
    return status;
}

static attend_status measure(at_run *r, sample *s, at_metrics *metrics, attend_error *err)
{
    if (!gather(s, r))
        return at_error_memory(err);
    attend_status status = translate(r, s, err);
    if (status < 0)
        return status;
    double bleu;
    attend_lines made = {"translations", s->count, s->translation};
    attend_lines reference = {"references", s->count, s->reference};
    status = at_corpus_score("bleu", &made, &reference, &bleu, err);
    if (status < 0)
        return status;
    at_metrics_add(metrics, (attend_metric){"bleu", "BLEU", bleu, .falls = 0});
    for (size_t i = 0; i < SAMPLES && i < s->count; i++)
        at_run_report(r, (attend_train_event){.kind = ATTEND_TRAIN_SAMPLE,
                                              .source = s->source[i],
                                              .reference = s->reference[i],
                                              .text = s->translation[i]});
    return ATTEND_OK;
}

attend_status at_translate_validate(at_run *r, at_metrics *metrics, attend_error *err)
{
    sample *s = at_alloc_zero(1, sizeof *s);
    if (!s)
        return at_error_memory(err);
    attend_status status = measure(r, s, metrics, err);
    at_arena_free(&s->memory);
    at_free(s);
    return status;
}
