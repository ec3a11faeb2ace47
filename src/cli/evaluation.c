#include "cli/evaluation.h"

#include <math.h>
#include <stdio.h>

#include "cli/table.h"

at_range_name at_range_print(const attend_length_range *r)
{
    at_range_name name;
    snprintf(name.text, sizeof name.text, r->to ? "%d-%d" : "over %d",
             r->to ? r->from : r->from - 1, r->to);
    return name;
}

static void line(at_str *out, const char *name, const char *format, double value, const char *note)
{
    char number[48];
    snprintf(number, sizeof number, format, value);
    at_str_pad(out, name, 14);
    at_str_pad(out, number, -12);
    at_str_print(out, "%s%s\n", *note ? "  " : "", note);
}

void at_evaluation_text(at_str *out, const attend_evaluation *e, int columns)
{
    static const at_column head[] = {{"words", ATTEND_COLUMN_TEXT},
                                     {"lines", ATTEND_COLUMN_NUMBER},
                                     {"BLEU", ATTEND_COLUMN_NUMBER},
                                     {0}};
    at_table table = {.columns = head};
    line(out, "lines", "%.0f", (double)e->lines, "");
    line(out, "BLEU", "%.2f", e->bleu, "");
    line(out, "chrF", "%.2f", e->chrf, "");
    line(out, "perplexity", "%.3f", e->perplexity, "of a piece of the known translations");
    if (!isnan(e->aer))
        line(out, "AER", "%.2f", e->aer, "lower is better");
    line(out, "parameters", "%.0f", (double)e->parameters, "");
    line(out, "lines/s", "%.1f", (double)e->lines / fmax(e->seconds, 1e-9), "");
    at_str_print(out, "%s\n\n", e->signature); /* of BLEU, as measure writes it */
    for (int i = 0; i < e->ranges; i++) {
        at_table_cell(&table, "%s", at_range_print(&e->range[i]).text);
        at_table_cell(&table, "%zu", e->range[i].lines);
        at_table_cell(&table, "%.2f", e->range[i].bleu);
    }
    at_table_write(out, &table, ATTEND_TABLE_TEXT, columns);
    at_table_free(&table);
}

static void number(at_str *out, const char *name, double value)
{
    if (isfinite(value))
        at_str_print(out, "\"%s\": %.10g, ", name, value);
    else
        at_str_print(out, "\"%s\": null, ", name);
}

void at_evaluation_json(at_str *out, const attend_evaluation *e)
{
    at_str_add(out, "{");
    number(out, "lines", (double)e->lines);
    number(out, "bleu", e->bleu);
    at_str_add(out, "\"signature\": ");
    at_str_add_json(out, e->signature);
    at_str_add(out, ", ");
    number(out, "chrf", e->chrf);
    number(out, "perplexity", e->perplexity);
    number(out, "log_p", e->log_p);
    number(out, "pieces", (double)e->pieces);
    number(out, "aer", e->aer);
    number(out, "parameters", (double)e->parameters);
    number(out, "seconds", e->seconds);
    number(out, "written", (double)e->written);
    at_str_add(out, "\"lengths\": [");
    for (int i = 0; i < e->ranges; i++)
        at_str_print(out, "%s{\"from\": %d, \"to\": %d, \"lines\": %zu, \"bleu\": %.10g}",
                     i ? ", " : "", e->range[i].from, e->range[i].to, e->range[i].lines,
                     e->range[i].bleu);
    at_str_add(out, "]}");
}

attend_status at_evaluation_read(attend_evaluation *e, const json_t *json, const char *file,
                                 attend_error *err)
{
    const double large = 1e15;
    at_fields f = at_fields_of(json, file, err);
    *e = (attend_evaluation){
        .lines = (size_t)at_field_number(&f, "lines", 0, 0, large),
        .bleu = at_field_number(&f, "bleu", 0, 0, 100),
        .chrf = at_field_number(&f, "chrf", 0, 0, 100),
        .log_p = at_field_number(&f, "log_p", 0, -large, large),
        .pieces = (long long)at_field_number(&f, "pieces", 0, 0, large),
        .perplexity = at_field_number(&f, "perplexity", 0, 0, 1e300),
        .aer = at_field_number(&f, "aer", NAN, 0, 100),
        .seconds = at_field_number(&f, "seconds", 0, 0, large),
        .written = (long long)at_field_number(&f, "written", 0, 0, large),
        .parameters = (long long)at_field_number(&f, "parameters", 0, 0, large)};
    snprintf(e->signature, sizeof e->signature, "%s", at_field_string(&f, "signature", ""));
    const json_t *ranges = at_field_array(&f, "lengths");
    for (size_t i = 0; i < json_array_size(ranges) && i < ATTEND_LENGTH_RANGES; i++) {
        at_fields r = at_fields_of(json_array_get(ranges, i), file, err);
        e->range[e->ranges++] = (attend_length_range){
            (int)at_field_int(&r, "from", 0, 0, 1 << 20),
            (int)at_field_int(&r, "to", 0, 0, 1 << 20),
            (size_t)at_field_number(&r, "lines", 0, 0, large),
            at_field_number(&r, "bleu", 0, 0, 100)};
        if (r.status < 0)
            return r.status;
    }
    return f.status;
}
