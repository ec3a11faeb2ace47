#include "api/translator.h"

#include <string.h>

#include "attend.h"
#include "base/file.h"
#include "base/memory.h"

/* do both have the same pieces under the same numbers? */
static bool alike(const at_tokenizer *a, const at_tokenizer *b)
{
    int n = at_tokenizer_size(a);
    if (a->kind != b->kind || n != at_tokenizer_size(b))
        return false;
    for (int i = 0; i < n; i++) {
        size_t size, other;
        const char *text = at_vocab_text(a->vocab, i, &size);
        const char *second = at_vocab_text(b->vocab, i, &other);
        if (size != other || memcmp(text, second, size) != 0)
            return false;
    }
    return true;
}

static attend_status check_alike(const attend_translator *t, const char *folder, attend_error *err)
{
    const at_model *first = t->model[0], *last = t->model[t->count - 1];
    if (!first->copying != !last->copying)
        return at_error(err, ATTEND_OPTION,
                        "%s: its output is %s, that of the first model %s; models of an ensemble "
                        "have the same",
                        at_show(folder).text, last->copying ? "copy" : "words",
                        first->copying ? "copy" : "words");
    bool features = first->width || last->width;
    const char *side = NULL;
    if (first->width != last->width)
        return at_error(err, ATTEND_OPTION, "%s: it reads %s, and the first model %s",
                        at_show(folder).text, at_source_kind(last->width).text,
                        at_source_kind(first->width).text);
    if (!alike(first->target, last->target))
        side = "target";
    else if (!features && !alike(first->source, last->source))
        side = "source";
    if (!side)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "%s: its %s vocabulary is not that of the first model; models of an ensemble "
                    "are trained on the same data, with other seeds or settings",
                    at_show(folder).text, side);
}

/* The session of the models that are there. */
static attend_status renew(attend_translator *t, attend_error *err)
{
    const at_model *models[ATTEND_ENSEMBLE_MOST];
    for (int i = 0; i < t->count; i++)
        models[i] = t->model[i];
    at_session *session;
    attend_status status = at_session_new(t->count, models, &session, err);
    if (status < 0)
        return status;
    at_session_free(t->session);
    t->session = session;
    return ATTEND_OK;
}

attend_status attend_translator_add(attend_translator *t, const char *folder, attend_error *err)
{
    if (t->count == ATTEND_ENSEMBLE_MOST)
        return at_error(err, ATTEND_OPTION, "an ensemble has at most %d models",
                        (int)ATTEND_ENSEMBLE_MOST);
    at_model **m = &t->model[t->count];
    attend_status status = at_model_open_for(folder, ATTEND_CAN_TRANSLATE, m, err);
    if (status < 0)
        return status;
    t->count++;
    status = check_alike(t, folder, err);
    if (status >= 0)
        status = renew(t, err);
    if (status < 0) {
        at_model_free(*m);
        t->count--;
    }
    return status;
}

attend_status attend_translator_open(const char *folder, attend_translator **out, attend_error *err)
{
    attend_translator *t = *out = at_alloc_zero(1, sizeof *t);
    attend_status status = t ? attend_translator_add(t, folder, err) : at_error_memory(err);
    if (status < 0) {
        attend_translator_free(t);
        *out = NULL;
    }
    return status;
}

void attend_translator_free(attend_translator *t)
{
    if (t)
        at_session_free(t->session);
    for (int i = 0; t && i < t->count; i++)
        at_model_free(t->model[i]);
    at_free(t);
}

int attend_translator_features(const attend_translator *t) { return t->model[0]->width; }
