/* attend_sentences_split: text/sentences.h for the outside. */
#include "text/sentences.h"
#include "attend.h"
#include "base/error.h"

attend_status attend_sentences_split(const char *text, size_t size, const char *language,
                                     attend_sentence_function *take, void *user, attend_error *err)
{
    bool known;
    size_t begin, end;
    unsigned languages = at_language_bits(language ? language : "auto", &known);
    if (!known)
        return at_error(err, ATTEND_OPTION,
                        "sentences of \"%.40s\" are not known; there are auto, en, fr, de, es, it, "
                        "pt, nl, ru, zh, ja, ko",
                        language);
    at_sentences s = at_sentences_of(text, size, languages);
    while (at_sentences_next(&s, &begin, &end))
        if (take(user, text + begin, end - begin) != 0)
            return at_error(err, ATTEND_STOPPED, "stopped at byte %zu of %zu", end, size);
    return ATTEND_OK;
}
