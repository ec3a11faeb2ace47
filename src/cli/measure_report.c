#include "cli/measure_report.h"

#include <string.h>

#include "base/file.h"
#include "base/json_write.h"
#include "cli/table.h"

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* The file without its folders, where that tells it from the others. */
const char *at_report_system(const at_measure_report *r, int system)
{
    const char *path = r->in->hypothesis[system].lines.name, *name = last_part(path);
    for (int i = 0; i < r->in->systems; i++)
        if (i != system && strcmp(last_part(r->in->hypothesis[i].lines.name), name) == 0)
            return path;
    return name;
}

/* systems but for the baseline */
static int compared(const at_measure_report *r) { return r->in->systems - r->baseline; }

static void signatures(at_str *out, const at_measure_report *r)
{
    for (int i = 0; i < r->measures; i++)
        at_str_print(out, "%s|%s\n", attend_scores_name(r->scores[i]),
                     attend_scores_signature(r->scores[i]));
}

/* ---- one score -------------------------------------------------------------------------- */

/* a part of the line, on the next one where it does not fit */
static void add_part(at_str *out, int *column, int right, const char *part, size_t size)
{
    static const char indent[] = "    ";
    at_str text = {0};
    at_str_add_bytes(&text, part, size);
    int columns = at_str_columns(at_str_text(&text));
    bool full = *column && *column + 1 + columns > right;
    at_str_print(out, "%s%s", full ? "\n" : "", full ? indent : *column ? " " : "");
    at_str_add(out, at_str_text(&text));
    *column = (full ? (int)strlen(indent) : *column + (*column > 0)) + columns;
    out->failed |= text.failed;
    at_str_free(&text);
}

static attend_status one_score(at_str *out, const at_measure_report *r, attend_error *err)
{
    attend_scores *s = r->scores[0];
    at_str part = {0};
    int column = 0;
    at_str_print(&part, "%s = %.*f", attend_scores_name(s), r->digits, attend_scores_corpus(s, 0));
    add_part(out, &column, r->right, at_str_text(&part), part.length);
    if (r->confidence) {
        attend_interval i = {0};
        attend_status status = attend_scores_interval(s, 0, &i, err);
        at_str_clear(&part);
        at_str_print(&part, "(mean %.*f, 95 %% from %.*f to %.*f)", r->digits, i.mean, r->digits,
                     i.low, r->digits, i.high);
        add_part(out, &column, r->right, at_str_text(&part), part.length);
        if (status < 0) {
            at_str_free(&part);
            return status;
        }
    }
    at_str_free(&part);
    const char *detail = attend_scores_detail(s, 0), *open = strstr(detail, " (");
    if (open)
        add_part(out, &column, r->right, detail, (size_t)(open - detail));
    detail = open ? open + 1 : detail;
    if (*detail)
        add_part(out, &column, r->right, detail, strlen(detail));
    at_str_print(out, "\n%s\n", attend_scores_signature(s));
    return ATTEND_OK;
}

/* ---- several measures of one system ----------------------------------------------------- */

static attend_status measures_table(at_str *out, const at_measure_report *r, attend_error *err)
{
    static const at_column plain[] = {
        {"measure", 0}, {"score", ATTEND_COLUMN_NUMBER}, {"behind it", 0}, {0}};
    static const at_column wide[] = {{"measure", 0},
                                     {"score", ATTEND_COLUMN_NUMBER},
                                     {"95 % interval", ATTEND_COLUMN_NUMBER},
                                     {"behind it", 0},
                                     {0}};
    at_table table = {.columns = r->confidence ? wide : plain};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < r->measures && status >= 0; i++) {
        attend_scores *s = r->scores[i];
        attend_interval interval = {0};
        at_table_cell(&table, "%s", attend_scores_name(s));
        at_table_cell(&table, "%.*f", r->digits, attend_scores_corpus(s, 0));
        if (r->confidence) {
            status = attend_scores_interval(s, 0, &interval, err);
            at_table_cell(&table, "%.*f to %.*f", r->digits, interval.low, r->digits,
                          interval.high);
        }
        at_table_cell(&table, "%s", attend_scores_detail(s, 0));
    }
    at_table_write(out, &table, ATTEND_TABLE_TEXT, r->columns);
    at_table_free(&table);
    return status;
}

/* ---- several systems -------------------------------------------------------------------- */

static attend_status score_cell(at_table *table, const at_measure_report *r, int measure,
                                int system, attend_error *err)
{
    attend_scores *s = r->scores[measure];
    attend_interval interval;
    double score = attend_scores_corpus(s, system);
    if (!r->confidence) {
        at_table_cell(table, "%.*f", r->digits, score);
        return ATTEND_OK;
    }
    attend_status status = attend_scores_interval(s, system, &interval, err);
    if (status >= 0)
        at_table_cell(table, "%.*f %s %.*f", r->digits, score, r->utf8 ? "±" : "+-", r->digits,
                      (interval.high - interval.low) / 2);
    return status;
}

static attend_status systems_table(at_str *out, const at_measure_report *r, attend_error *err)
{
    at_column columns[ATTEND_MEASURES_MOST + 2] = {{"system", 0}};
    at_str titles[ATTEND_MEASURES_MOST] = {{0}};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < r->measures; i++) {
        at_str_add(&titles[i], attend_scores_name(r->scores[i]));
        columns[i + 1] = (at_column){at_str_text(&titles[i]), ATTEND_COLUMN_NUMBER};
    }
    at_table table = {.columns = columns};
    for (int system = 0; system < r->in->systems && status >= 0; system++) {
        at_table_cell(&table, "%s", at_show(at_report_system(r, system)).text);
        for (int i = 0; i < r->measures && status >= 0; i++)
            status = score_cell(&table, r, i, system, err);
    }
    if (status >= 0)
        at_table_write(out, &table, ATTEND_TABLE_TEXT, r->columns);
    at_table_free(&table);
    for (int i = 0; i < r->measures; i++)
        at_str_free(&titles[i]);
    return status;
}

/* ---- against a baseline ----------------------------------------------------------------- */

static attend_status comparison_rows(at_table *table, const at_measure_report *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    int baseline = r->in->systems - 1;
    for (int i = 0; i < r->measures; i++)
        for (int system = 0; system < compared(r) && status >= 0; system++) {
            attend_comparison c;
            status = attend_scores_compare(r->scores[i], system, baseline, &c, err);
            if (status < 0)
                break;
            at_table_cell(table, "%s", attend_scores_name(r->scores[i]));
            at_table_cell(table, "%s", at_show(at_report_system(r, system)).text);
            at_table_cell(table, "%.*f", r->digits, attend_scores_corpus(r->scores[i], system));
            at_table_cell(table, "%.*f", r->digits, attend_scores_corpus(r->scores[i], baseline));
            at_table_cell(table, "%+.*f", r->digits, c.difference);
            at_table_cell(table, "%.4f", c.bootstrap);
            at_table_cell(table, "%.4f", c.randomisation);
        }
    return status;
}

static attend_status comparison_table(at_str *out, const at_measure_report *r, attend_error *err)
{
    static const at_column columns[] = {{"measure", 0},
                                        {"system", 0},
                                        {"score", ATTEND_COLUMN_NUMBER},
                                        {"baseline", ATTEND_COLUMN_NUMBER},
                                        {"change", ATTEND_COLUMN_NUMBER},
                                        {"p bootstrap", ATTEND_COLUMN_NUMBER},
                                        {"p random.", ATTEND_COLUMN_NUMBER},
                                        {0}};
    at_table table = {.columns = columns};
    attend_status status = comparison_rows(&table, r, err);
    if (status >= 0)
        at_table_write(out, &table, ATTEND_TABLE_TEXT, r->columns);
    at_table_free(&table);
    at_str note = {0};
    at_str_print(&note,
                 "The baseline is %s. p: how often chance alone makes such a change, by paired "
                 "bootstrap and by approximate randomisation; below 0.05 is usually called "
                 "significant.",
                 at_show(at_report_system(r, r->in->systems - 1)).text);
    for (int i = 0; i < r->measures; i++)
        if (attend_scores_lower_is_better(r->scores[i]))
            at_str_print(&note, " Lower is better for %s.", attend_scores_name(r->scores[i]));
    at_str_add(out, "\n");
    at_str_wrap(out, at_str_text(&note), 0, 0, r->columns);
    at_str_add(out, "\n");
    out->failed |= note.failed;
    at_str_free(&note);
    return status;
}

attend_status at_report_text(at_str *out, const at_measure_report *r, attend_error *err)
{
    attend_status status;
    if (r->in->systems == 1 && r->measures == 1)
        return one_score(out, r, err);
    if (r->in->systems == 1)
        status = measures_table(out, r, err);
    else
        status = systems_table(out, r, err);
    if (status >= 0 && r->baseline) {
        at_str_add(out, "\n");
        status = comparison_table(out, r, err);
    }
    at_str_add(out, "\n");
    signatures(out, r);
    return status;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* tab-separated, or the members of an object */
static attend_status line_scores(at_str *out, at_json_out *j, const at_measure_report *r,
                                 size_t line, attend_error *err)
{
    for (int i = 0; i < r->measures; i++) {
        double score;
        attend_status status = attend_scores_segment(r->scores[i], 0, line, &score, err);
        if (status < 0)
            return status;
        if (j)
            at_json_real(j, attend_scores_name(r->scores[i]), score, 0);
        else
            at_str_print(out, "%s%.*f", i ? "\t" : "", r->digits, score);
    }
    return ATTEND_OK;
}

attend_status at_report_lines(at_str *out, const at_measure_report *r, bool json, attend_error *err)
{
    for (int i = 0; i < r->measures && r->measures > 1 && !json; i++)
        at_str_print(out, "%s%s", attend_scores_name(r->scores[i]),
                     i + 1 < r->measures ? "\t" : "\n");
    attend_status status = ATTEND_OK;
    for (size_t line = 0; line < attend_scores_segments(r->scores[0]) && status >= 0; line++) {
        at_json_out j = {.out = out};
        if (json) {
            at_json_object(&j, NULL);
            at_json_int(&j, "line", (long long)line + 1);
        }
        status = line_scores(out, json ? &j : NULL, r, line, err);
        if (json)
            at_json_end(&j);
        at_str_add(out, "\n");
    }
    return status;
}
