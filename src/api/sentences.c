/* attend_sentences_split: text/sentences.h for the outside. */
#include "text/sentences.h"
#include "attend.h"
#include "base/error.h"

attend_status attend_sentences_split(const char *text, size_t size, const char *language,
                                     attend_sentence_function *function, void *user,
                                     attend_error *err)
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
    attend_status status = ATTEND_OK;
    while (status >= 0 && at_sentences_next(&s, &begin, &end))
        status = function(user, text + begin, end - begin, err);
    return status < 0 ? status : ATTEND_OK;
}
