/* Measures: how good are lines that a program wrote, next to lines that people wrote?
 *
 * A measure is one file measure_NAME.c and a line in measures.def. It looks at each segment (a line
 * and its references) once and keeps a few numbers of it, its statistics, which add up: the score
 * of a corpus, of some of its lines, or of a sample of them is a function of the sum. So a thousand
 * resamples cost a thousand sums, and a segment is never tokenized twice.
 *
 *     hypothesis, references  --collect-->  statistics  --add-->  sum  --score-->  27.64 */
#ifndef ATTEND_MEASURE_MEASURE_H
#define ATTEND_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "measure/edits.h"
#include "measure/labels.h"
#include "measure/ngrams.h"
#include "measure/tokenization.h"

typedef struct at_measure at_measure;

enum { ATTEND_ORDER_MAX = 10 }; /* of n-grams */

/* the version of sacreBLEU that scores are equal to, at the end of a signature */
#define ATTEND_LIKE_SACREBLEU "|version:2.6.0"

typedef enum {
    ATTEND_SMOOTH_EXP,
    ATTEND_SMOOTH_FLOOR,
    ATTEND_SMOOTH_ADD_K,
    ATTEND_SMOOTH_NONE
} at_smooth;

/* what is measured, and how */
typedef struct {
    const at_measure *measure;
    attend_measure_options o; /* its strings are not to be used */
    const at_tokenization *tokenization;
    at_smooth smooth;
    int systems, references;
    const attend_lines *hypotheses, *reference; /* while statistics are collected */
    size_t segments;
    size_t width;      /* numbers of a segment's statistics */
    size_t sum_width;  /* of a sum of them */
    at_labels *labels; /* of measures that need them, or NULL */
} at_measurement;

/* memory that one thread works in; all zero at the start */
typedef struct {
    at_chars text, spare, words, reference_words;
    at_pairs pairs;
    at_ngrams grams, word_grams;
    at_edits edits;
} at_workspace;

/* one line of one system */
typedef struct {
    const at_measurement *task;
    int system;
    size_t index;
} at_segment;

struct at_measure {
    const char *name, *formula, *source;
    const char *lines; /* what a line of the hypothesis and of a reference is, for help */
    int min_references, max_references;
    bool low_is_good;
    size_t width; /* of a measurement, unless start sets another */

    /* Checks the options; may set width, and sum_width where it is another. NULL: nothing to do. */
    attend_status (*start)(at_measurement *t, attend_error *err);

    /* The statistics of a segment: width numbers. Fails on a line that has not the form it must
     * have, with ATTEND_FORMAT, and without memory. */
    attend_status (*collect)(const at_segment *s, at_workspace *workspace, double *statistics,
                             attend_error *err);

    /* sum += times * statistics; NULL: number by number */
    void (*add)(const at_measurement *t, const double *statistics, double times, double *sum);

    /* alone: of one segment and no other, for which some measures are defined in another way */
    double (*score)(const at_measurement *t, const double *sum, bool alone);

    void (*title)(const at_measurement *t, at_str *out);     /* "chrF2" */
    void (*signature)(const at_measurement *t, at_str *out); /* what follows nrefs */
    void (*detail)(const at_measurement *t, const double *sum, at_str *out);  /* or NULL */
    void (*members)(const at_measurement *t, const double *sum, at_str *out); /* of JSON; or NULL */
};

extern const at_measure *const at_measures[];
extern const int at_measures_count;

/* by name, or NULL */
const at_measure *at_measure_find(const char *name);

/* ---- for measures ----------------------------------------------------------------------- */

const char *at_segment_hypothesis(const at_segment *s);
const char *at_segment_reference(const at_segment *s, int reference);

/* "hyp.txt:12: what"; reference -1 is the hypothesis */
/* what messages call them */
static inline const char *at_lines_name(const attend_lines *l)
{
    return l->name ? l->name : "lines";
}

attend_status at_segment_error(const at_segment *s, int reference, attend_error *err,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* a word of a line, fit for a message: short, and nothing that a terminal would obey */
at_shown at_word_shown(const char *word, size_t size);

void at_workspace_free(at_workspace *s);

/* part of whole in per cent; 0 of nothing */
double at_percent(double part, double whole);

/* ", \"name\": 12.5" */
void at_json_number(at_str *out, const char *name, double value);
void at_json_numbers(at_str *out, const char *name, const double *value, int count);

#endif
