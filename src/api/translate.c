#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "decode/align.h"
#include "decode/translate.h"
#include "text/dictionary.h"
#include "text/unicode.h"

/* A file of something else may have no line of the form, and would do nothing in silence. */
static void say_size(const char *path, size_t count)
{
    if (count)
        at_log(ATTEND_LOG_INFO, "%s: a dictionary of %zu word%s", at_show(path).text, count,
               count == 1 ? "" : "s");
    else
        at_log(ATTEND_LOG_WARNING,
               "%s: a dictionary without words; lines are a word, a tab and its "
               "translation",
               at_show(path).text);
}

attend_status attend_dictionary_open(const char *path, attend_dictionary **out, attend_error *err)
{
    attend_status status = at_dictionary_open(path, out, err);
    if (status >= 0)
        say_size(path, at_dictionary_size(*out));
    return status;
}

void attend_dictionary_free(attend_dictionary *d) { at_dictionary_free(d); }

attend_status attend_translate(const attend_model *m, const attend_translate_options *options,
                               size_t count, const char *const *line,
                               attend_translation_function *function, void *user, attend_error *err)
{
    attend_translate_options o;
    at_session *session;
    attend_translate_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_translate_defaults",
                                             err);
    if (status >= 0)
        status = at_model_session(m, o.ensemble, o.ensemble_count, ATTEND_CAN_TRANSLATE, &session,
                                  err);
    if (status < 0)
        return status;
    status = at_translate(session, &o, &(at_sources){.count = count, .line = line}, function, user,
                          err);
    at_session_free(session);
    return status;
}

/* ---- links --------------------------------------------------------------------------------- */

/* a piece of nothing but punctuation, and the blank that SentencePiece writes before it */
static bool is_mark(const char *piece)
{
    enum { BLANK = 0x2581 };
    size_t size = strlen(piece);
    bool any = false;
    uint32_t code;
    for (int n; size; piece += n, size -= (size_t)n) {
        n = at_utf8_get(piece, size, &code);
        if (n <= 0 || (code != BLANK && !at_is_punctuation(code)))
            return false;
        any = any || code != BLANK;
    }
    return any;
}

/* NULL without memory */
static bool *marks_of(const attend_translation *t)
{
    bool *mark = at_alloc((size_t)t->targets + 1);
    for (int i = 0; mark && i < t->targets; i++)
        mark[i] = is_mark(t->target[i]);
    return mark;
}

attend_status attend_translation_links(const attend_translation *t, int pieces, double threshold,
                                       char **out, attend_error *err)
{
    at_str text = {0};
    at_align_options o = {pieces != 0, threshold};
    attend_status status = ATTEND_OK;
    *out = NULL;
    if (t->targets > 0 && !t->weights)
        status = at_error(err, ATTEND_OPTION,
                          "links need a translation with weights: ask for attention; a model "
                          "without it has none");
    else if (t->targets > 0 && !t->target_word)
        status = at_error(err, ATTEND_OPTION,
                          "links need the numbers of words: ask for target_words");
    bool *mark = status >= 0 && t->targets > 0 ? marks_of(t) : NULL;
    at_aligned a = {t->targets, t->sources, t->weights, t->target_word, t->source_word, mark};
    if (status >= 0 && t->targets > 0)
        status = mark ? at_align(&a, &o, &text, err) : at_error_memory(err);
    at_free(mark);
    at_str_add(&text, "");
    if (status >= 0 && !(*out = at_str_take(&text)))
        status = at_error_memory(err);
    at_str_free(&text);
    return status;
}
