/* What attend measure writes: scores for people, tables, lines and JSON. */
#ifndef ATTEND_CLI_MEASURE_REPORT_H
#define ATTEND_CLI_MEASURE_REPORT_H

#include "cli/measure_input.h"
#include "cli/table.h"

enum { ATTEND_MEASURES_MOST = 12, ATTEND_BUCKETS_MOST = 32 };

typedef struct {
    const at_measure_input *in;
    int measures;
    attend_scores *scores[ATTEND_MEASURES_MOST];
    bool baseline;   /* the last system is one */
    bool confidence; /* intervals are wanted */
    int digits;      /* behind the point */
    int columns;     /* of a table */
    int right;       /* where a score that stands alone is wrapped: never, but on a terminal */
    bool utf8;
} at_measure_report;

/* lines by their length: bucket i goes from limit[i-1] + 1 to limit[i] words */
typedef struct {
    int limits, limit[ATTEND_BUCKETS_MOST];
    bool characters; /* counted in place of words */
} at_buckets;

/* how tables call a system */
const char *at_report_system(const at_measure_report *r, int system);

/* one system, one measure: its score as sacreBLEU writes it; else a table */
attend_status at_report_text(at_str *out, const at_measure_report *r, attend_error *err);

/* everything as one JSON object; buckets may be NULL */
attend_status at_report_json(at_str *out, const at_measure_report *r, const at_buckets *b,
                             attend_error *err);

/* a line per line: its scores, with tabs between them, or as a JSON object */
attend_status at_report_lines(at_str *out, const at_measure_report *r, bool json,
                              attend_error *err);

/* a table of scores by the length of the source, or else of the first reference; of one measure or
 * one system */
attend_status at_report_lengths(at_str *out, const at_measure_report *r, const at_buckets *b,
                                at_table_format format, attend_error *err);

/* the same as curves, in a file .png, .svg or .pdf */
attend_status at_report_lengths_figure(const at_measure_report *r, const at_buckets *b,
                                       const char *path, attend_error *err);

#endif
