#include "train/score.h"

#include <string.h>

#include "base/utf8.h"
#include "measure/results.h"
#include "text/pretokenised.h"

const char *at_tokenization_of(const attend_lines *reference)
{
    size_t chinese = 0, kana = 0, all = 0;
    at_pretokenised_marks marks = {0};
    for (size_t i = 0; i < reference->count; i++) {
        const char *text = reference->line[i];
        uint32_t code;
        at_pretokenised_marks_count(&marks, text, strlen(text));
        for (size_t left = strlen(text); left; all++) {
            int used = at_utf8_get(text, left, &code);
            used = used > 0 ? used : 1;
            kana += code >= 0x3040 && code < 0x3100;
            chinese += code >= 0x3400 && code < 0xA000;
            text += used;
            left -= (size_t)used;
        }
    }
    if (2 * (chinese + kana) >= all && all)
        return 10 * kana > all ? "char" : "zh";
    return at_is_pretokenised(&marks) ? "none" : "13a";
}

attend_status at_corpus_score(const char *measure, const attend_lines *made,
                              const attend_lines *reference, double *value, attend_error *err)
{
    attend_measure_options o;
    at_results *results;
    at_measure_defaults(&o);
    o.tokenize = at_tokenization_of(reference);
    attend_status status = at_results_new(measure, &o, 1, made, 1, reference, &results, err);
    if (status < 0)
        return status;
    *value = at_results_of_sum(results, at_results_sum(results, 0));
    at_results_free(results);
    return ATTEND_OK;
}
