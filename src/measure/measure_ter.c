/* TER (Snover et al. 2006): edits per word of the reference,
 *
 *     TER = 100 (insertions + deletions + replacements + shifts) / words of the references on
 * average
 *
 * where the edits are those to the reference that needs fewest. Finding the fewest with shifts is
 * too hard; the search is Tercom's, in the form of sacreBLEU (edits.h). Lower is better. */
#include <string.h>

#include "measure/measure.h"
#include "measure/ter_words.h"

enum { EDITS, LENGTH, WIDTH };

static void read_words(const at_measurement *t, at_workspace *s, const char *line, bool add,
                       at_chars *words)
{
    at_chars_set(&s->text, line, strlen(line));
    at_chars_strip_end(&s->text);
    at_ter_words(&t->o, &s->text, &s->spare);
    at_pairs_words(&s->pairs, &s->text, add, words);
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    const at_measurement *t = g->task;
    size_t fewest = SIZE_MAX, length = 0;
    at_chars *words = &s->words, *reference = &s->reference_words;
    at_pairs_start(&s->pairs);
    read_words(t, s, at_segment_hypothesis(g), true, words);
    for (int r = 0; r < t->references; r++) {
        read_words(t, s, at_segment_reference(g, r), false, reference);
        size_t edits = words->count;
        if (words->failed || reference->failed
            || (reference->count
                && !at_edits_count(&s->edits, words->at, words->count, reference->at,
                                   reference->count, &edits)))
            return at_error_memory(err);
        length += reference->count;
        fewest = edits < fewest ? edits : fewest;
    }
    statistics[EDITS] = (double)fewest;
    statistics[LENGTH] = (double)length / t->references;
    return ATTEND_OK;
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    if (sum[LENGTH] > 0)
        return 100 * sum[EDITS] / sum[LENGTH];
    return sum[EDITS] > 0 ? 100 : 0;
}

static void title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "TER")); }

static void signature(const at_measurement *t, at_str *out)
{
    at_str_print(out, "case:%s|tok:tercom|norm:%s|punct:%s|asian:%s" ATTEND_LIKE_SACREBLEU,
                 t->o.case_sensitive ? "mixed" : "lc", t->o.normalized ? "yes" : "no",
                 t->o.no_punct ? "no" : "yes", t->o.asian ? "yes" : "no");
}

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_str_print(out, "(edits = %.0f ref_len = %.1f)", sum[EDITS], sum[LENGTH]);
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_json_number(out, "num_edits", sum[EDITS]);
    at_json_number(out, "ref_length", sum[LENGTH]);
}

const at_measure at_measure_ter = {
    .name = "ter",
    .formula = "100 (insertions + deletions + replacements + shifts) / reference words",
    .source = "Snover et al. 2006; Post 2018",
    .lines = "text",
    .min_references = 1,
    .max_references = 1000,
    .low_is_good = true,
    .width = WIDTH,
    .collect = collect,
    .score = score,
    .title = title,
    .signature = signature,
    .detail = detail,
    .members = members,
};
