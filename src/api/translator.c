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
    const at_translator_folder *first = &t->model[0].folder, *last = &t->model[t->count - 1].folder;
    if (first->model.output != last->model.output)
        return at_error(err, ATTEND_OPTION,
                        "%s: its output is %s, that of the first model %s; models of an ensemble "
                        "have the same",
                        at_show(folder).text, last->model.output->about.name,
                        first->model.output->about.name);
    bool features = first->features || last->features;
    const char *side = NULL;
    if (first->features != last->features)
        return at_error(err, ATTEND_OPTION, "%s: it reads %s, and the first model %s",
                        at_show(folder).text, at_source_kind(last->features).text,
                        at_source_kind(first->features).text);
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

attend_status attend_translator_add(attend_translator *t, const char *folder, attend_error *err)
{
    if (t->count == ATTEND_ENSEMBLE_MOST)
        return at_error(err, ATTEND_OPTION, "an ensemble has at most %d models",
                        (int)ATTEND_ENSEMBLE_MOST);
    at_translator_folder *f = &t->model[t->count].folder;
    at_continuation **c = &t->model[t->count++].continuation;
    attend_status status = at_translator_folder_open(folder, f, err);
    if (status >= 0)
        status = at_translator_folder_weights(f, folder, NULL, err);
    if (status >= 0)
        status = check_alike(t, folder, err);
    if (status >= 0)
        status = at_continuation_new(&f->model, f->params, c, err);
    if (status < 0) {
        at_translator_folder_free(f);
        memset(&t->model[--t->count], 0, sizeof t->model[0]);
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
    for (int i = 0; t && i < t->count; i++) {
        at_continuation_free(t->model[i].continuation);
        at_translator_folder_free(&t->model[i].folder);
    }
    at_free(t);
}

int attend_translator_features(const attend_translator *t) { return t->model[0].folder.features; }

at_translating at_translator_with(const attend_translator *t,
                                  at_continuation *model[ATTEND_ENSEMBLE_MOST])
{
    for (int i = 0; i < t->count; i++)
        model[i] = t->model[i].continuation;
    return (at_translating){.model = model,
                            .models = t->count,
                            .source = t->model[0].folder.source,
                            .target = t->model[0].folder.target,
                            .copying = t->model[0].folder.copying};
}
