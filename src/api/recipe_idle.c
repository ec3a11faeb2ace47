/* Settings that would change nothing are refused where somebody has asked for them. A file may have
 * them: --dump-config writes all. */
#include <string.h>

#include "api/recipe_model.h"
#include "base/file.h"
#include "models/classifier.h"
#include "models/language.h"
#include "models/pointer.h"
#include "models/translator.h"

enum { TRANSLATOR = 1, CLASSIFIER = 2, LANGUAGE = 4, POINTER = 8 };

/* settings of a run that not every family of models looks at */
static const struct {
    const char *name;
    unsigned families;
} used[] = {
    {"swap", TRANSLATOR},
    {"valid-tgt", TRANSLATOR},
    {"longest-frames", TRANSLATOR},
    {"teacher-forcing", TRANSLATOR},
    {"guided-alignment", TRANSLATOR},
    {"guided-weight", TRANSLATOR},
    {"smoothing", TRANSLATOR | CLASSIFIER | LANGUAGE},
    {"longest", TRANSLATOR | CLASSIFIER},
    {"when-long", TRANSLATOR | CLASSIFIER},
    {"tokenizer", TRANSLATOR | CLASSIFIER | LANGUAGE},
    {"vocabulary", TRANSLATOR | CLASSIFIER | LANGUAGE},
    {"min-count", TRANSLATOR | CLASSIFIER | LANGUAGE},
    {"lower", TRANSLATOR | CLASSIFIER | LANGUAGE},
    {"pretokenised", TRANSLATOR | CLASSIFIER | LANGUAGE},
    {"init-embeddings", TRANSLATOR | CLASSIFIER | LANGUAGE},
};

static unsigned family_of(const at_recipe *r)
{
    const at_model_kind *family = r->preset->kind;
    return family == &at_model_translator   ? TRANSLATOR
           : family == &at_model_classifier ? CLASSIFIER
           : family == &at_model_language   ? LANGUAGE
                                            : POINTER;
}

static attend_status refuse(const at_recipe *r, const char *name, const char *why,
                            attend_error *err)
{
    return at_error(err, ATTEND_OPTION, "--%s %s: %s %s", name,
                    at_show(at_recipe_given(r, name)).text, r->preset->name, why);
}

/* of a list of names, "layers cell", the first that is given */
static const char *given_of(const at_recipe *r, const char *const *names)
{
    while (*names && !at_recipe_given(r, *names))
        names++;
    return *names;
}

static attend_status refuse_unused(const at_recipe *r, attend_error *err)
{
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (!(used[i].families & family_of(r)) && at_recipe_given(r, used[i].name))
            return refuse(r, used[i].name, "has no use for it; leave it out", err);
    return ATTEND_OK;
}

/* What an attention that is asked for needs; NULL: nothing is missing. */
static const char *needs(const at_recipe *r)
{
    const at_translator *translator = family_of(r) == TRANSLATOR ? r->model : NULL;
    const at_classifier_settings *classifier = family_of(r) == CLASSIFIER ? r->model : NULL;
    if (translator && translator->place == ATTEND_PLACE_NONE)
        return translator->context_each_step
                   ? "has no attention; --place before and --no-context-each-step give it one"
                   : "has no attention; --place before (or after) gives it one";
    return classifier && classifier->pool == ATTEND_POOL_MAX
               ? "has no attention; --pool attention gives it one"
               : NULL;
}

/* Does the attention have a hidden layer, whose size can be said? What is none is told elsewhere.
 */
static bool has_hidden_layer(const at_recipe *r)
{
    const char *text = NULL;
    attend_error ignored;
    at_how how;
    switch (family_of(r)) {
    case TRANSLATOR: text = ((const at_translator *)r->model)->attention; break;
    case CLASSIFIER: text = ((const at_classifier_settings *)r->model)->attention; break;
    case POINTER: text = ((const at_pointer_settings *)r->model)->attention; break;
    default: break;
    }
    if (!text || at_how_parse(&how, text, &ignored) < 0)
        return true;
    return how.score->has_hidden || at_how_local(&how)->has_hidden;
}

/* settings of feature vectors, where the sources are known to be words */
static attend_status refuse_frames(const at_recipe *r, attend_error *err)
{
    static const char *const frames[] = {"longest-frames", "feature-scaling", NULL};
    const char *from = r->run.data ? r->run.data : r->run.src, *name = given_of(r, frames);
    return name && from && !at_features_is(from)
               ? refuse(r, name, "reads words here, which have no frames; leave it out", err)
               : ATTEND_OK;
}

static attend_status refuse_translator(const at_recipe *r, attend_error *err)
{
    const at_translator *s = r->model;
    if (at_recipe_given(r, "guided-weight") && !r->run.guided_alignment)
        return refuse(r, "guided-weight", "has no links; --guided-alignment FILE has them", err);
    if (at_recipe_given(r, "context-first") && s->place != ATTEND_PLACE_BEFORE
        && !s->context_each_step)
        return refuse(r, "context-first", "has no context beside its words; --place before", err);
    if (at_recipe_given(r, "spare-readout") && s->dropout == 0)
        return refuse(r, "spare-readout", "without dropout spares it anyway; leave it out", err);
    if (at_recipe_given(r, "variational") && s->variational && s->dropout == 0)
        return refuse(r, "variational", "has no dropout, whose masks it is about; leave it out",
                      err);
    return refuse_frames(r, err);
}

static attend_status refuse_classifier(const at_recipe *r, attend_error *err)
{
    static const char *const recurrent[] = {"layers", "cell", "bidirectional", NULL};
    static const char *const windows[] = {"widths", NULL};
    const at_classifier_settings *s = r->model;
    bool cnn = s->encoder == ATTEND_ENCODER_CNN;
    const char *name = given_of(r, cnn ? recurrent : windows);
    return name ? refuse(r, name,
                         cnn ? "with a cnn has no use for it; --encoder rnn has"
                             : "with an rnn has no use for it; --encoder cnn has",
                         err)
                : ATTEND_OK;
}

attend_status at_recipe_refuse_idle(const at_recipe *r, attend_error *err)
{
    static const char *const attention[] = {"attention", "attention-size", NULL};
    const char *why = needs(r), *name = why ? given_of(r, attention) : NULL;
    attend_status status = name ? refuse(r, name, why, err) : refuse_unused(r, err);
    if (status >= 0 && at_recipe_given(r, "attention-size") && !has_hidden_layer(r))
        status = refuse(r, "attention-size",
                        "has an attention without a hidden layer; additive and predicted have one",
                        err);
    if (status >= 0 && family_of(r) == TRANSLATOR)
        status = refuse_translator(r, err);
    if (status >= 0 && family_of(r) == CLASSIFIER)
        status = refuse_classifier(r, err);
    return status;
}
