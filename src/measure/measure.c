/* What all measures share: their list, and help for those who write them. */
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

#define MEASURE(name) extern const at_measure at_measure_##name;
#include "measure/measures.def"
#undef MEASURE

#define MEASURE(name) &at_measure_##name,
const at_measure *const at_measures[] = {
#include "measure/measures.def"
};
#undef MEASURE

const int at_measures_count = sizeof at_measures / sizeof *at_measures;

#define TOKENIZATION(name) extern const at_tokenization at_tokenization_##name;
#include "measure/tokenizations.def"
#undef TOKENIZATION

#define TOKENIZATION(name) &at_tokenization_##name,
const at_tokenization *const at_tokenizations[] = {
#include "measure/tokenizations.def"
};
#undef TOKENIZATION

const int at_tokenizations_count = sizeof at_tokenizations / sizeof *at_tokenizations;

const at_measure *at_measure_find(const char *name)
{
    for (int i = 0; i < at_measures_count; i++)
        if (strcmp(at_measures[i]->name, name) == 0)
            return at_measures[i];
    return NULL;
}

const at_tokenization *at_tokenization_find(const char *name)
{
    for (int i = 0; i < at_tokenizations_count; i++)
        if (strcmp(at_tokenizations[i]->name, name) == 0)
            return at_tokenizations[i];
    return NULL;
}

const char *at_segment_hypothesis(const at_segment *s)
{
    return s->task->hypotheses[s->system].line[s->index];
}

const char *at_segment_reference(const at_segment *s, int reference)
{
    return s->task->reference[reference].line[s->index];
}

attend_status at_segment_error(const at_segment *s, int reference, attend_error *err,
                               const char *format, ...)
{
    const attend_lines *lines = reference < 0 ? &s->task->hypotheses[s->system]
                                              : &s->task->reference[reference];
    attend_error what;
    va_list args;
    va_start(args, format);
    at_error_v(&what, ATTEND_FORMAT, format, args);
    va_end(args);
    return at_error(err, ATTEND_FORMAT, "%s:%zu: %s", at_show(at_lines_name(lines)).text,
                    s->index + 1, what.message);
}

at_shown at_word_shown(const char *word, size_t size)
{
    char copy[48];
    size_t length = size < sizeof copy ? size : sizeof copy - 4;
    length = at_utf8_valid(word, length); /* not half a character */
    snprintf(copy, sizeof copy, "%.*s%s", (int)length, word, length < size ? "..." : "");
    return at_show(copy);
}

void at_workspace_free(at_workspace *s)
{
    at_chars_free(&s->text);
    at_chars_free(&s->spare);
    at_chars_free(&s->words);
    at_chars_free(&s->reference_words);
    at_pairs_free(&s->pairs);
    at_ngrams_free(&s->grams);
    at_ngrams_free(&s->word_grams);
    at_edits_free(&s->edits);
}

double at_percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void add_number(at_str *out, double value)
{
    char number[32];
    at_str_add(out, isfinite(value) ? at_number_print(number, value) : "null");
}

void at_json_number(at_str *out, const char *name, double value)
{
    at_str_print(out, ", \"%s\": ", name);
    add_number(out, value);
}

void at_json_numbers(at_str *out, const char *name, const double *value, int count)
{
    at_str_print(out, ", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        at_str_add(out, i ? ", " : "");
        add_number(out, value[i]);
    }
    at_str_add(out, "]");
}
