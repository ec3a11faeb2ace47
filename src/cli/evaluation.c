#include "cli/evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cli/matrix.h"
#include "cli/table.h"

#define LARGE 1e15 /* above every count of a file */

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

/* "mean", "head 0", ..; or "layer 0", .. */
typedef struct {
    char text[32];
} head_name;

/* the best: the lowest, of equal ones the first */
static size_t best_of(const attend_evaluation *e)
{
    size_t best = 0;
    for (size_t i = 1; i < e->head_count; i++)
        if (e->head_aer[i].aer < e->head_aer[best].aer)
            best = i;
    return best;
}

static void write_heads(at_str *out, const attend_evaluation *e, size_t layers, size_t heads,
                        at_arena *memory, int columns, bool utf8)
{
    size_t n = layers > heads + 1 ? layers : heads + 1, best = best_of(e);
    head_name *name = at_arena_alloc(memory, 2 * n * sizeof *name);
    const char **label = at_arena_alloc(memory, 2 * n * sizeof *label);
    double *aer = at_arena_alloc(memory, e->head_count * sizeof *aer);
    bool *mark = at_arena_alloc(memory, e->head_count * sizeof *mark);
    if (!name || !label || !aer || !mark) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < e->head_count; i++) {
        aer[i] = e->head_aer[i].aer;
        mark[i] = i == best;
    }
    for (size_t i = 0; i < n; i++) {
        snprintf(name[i].text, sizeof name[i].text, "layer %zu", i);
        snprintf(name[n + i].text, sizeof name[n + i].text, i ? "head %zu" : "mean", i - 1);
        label[i] = name[i].text;
        label[n + i] = name[n + i].text;
    }
    at_matrix_table table = {.title = "AER",
                             .rows = layers,
                             .columns = heads + 1,
                             .stride = heads + 1,
                             .numbers = aer,
                             .row_labels = label,
                             .column_labels = label + n,
                             .decimals = 2,
                             .marks = mark};
    at_matrix_table_write(out, &table, columns, utf8);
    at_str_print(out, "* the lowest: --layer %d", e->head_aer[best].layer);
    if (e->head_aer[best].head >= 0)
        at_str_print(out, " --head %d", e->head_aer[best].head);
    at_str_add(out, "\n");
}

/* AER of each layer, in rows, and head */
static void add_heads(at_str *out, const attend_evaluation *e, int columns, bool utf8)
{
    at_arena memory = {.first_size = 0};
    size_t heads = 0;
    for (size_t i = 0; i < e->head_count && e->head_aer[i].layer == 0; i++)
        heads = i;
    if (e->head_count <= 2) /* one layer of one head: the AER above */
        return;
    at_str_add(out, "\n");
    write_heads(out, e, e->head_count / (heads + 1), heads, &memory, columns, utf8);
    at_arena_free(&memory);
}

void at_evaluation_text(at_str *out, const attend_evaluation *e, int columns, bool utf8)
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
    for (size_t i = 0; i < e->ranges; i++) {
        at_table_cell(&table, "%s", at_range_print(&e->range[i]).text);
        at_table_cell(&table, "%zu", e->range[i].lines);
        at_table_cell(&table, "%.2f", e->range[i].bleu);
    }
    at_table_write(out, &table, ATTEND_TABLE_TEXT, columns);
    at_table_free(&table);
    add_heads(out, e, columns, utf8);
}

/* [{"layer": 0, "mean": 31.2, "heads": [40.1, 33.9]}, ..] */
static void add_heads_json(at_json_out *j, const attend_evaluation *e, int digits)
{
    at_json_array(j, "aer_by_layer");
    for (size_t i = 0; i < e->head_count;) {
        at_json_object(j, NULL);
        at_json_int(j, "layer", e->head_aer[i].layer);
        at_json_real(j, "mean", e->head_aer[i++].aer, digits);
        at_json_array(j, "heads");
        for (; i < e->head_count && e->head_aer[i].head >= 0; i++)
            at_json_real(j, NULL, e->head_aer[i].aer, digits);
        at_json_end(j);
        at_json_end(j);
    }
    at_json_end(j);
}

void at_evaluation_json(at_json_out *j, const char *key, const attend_evaluation *e)
{
    enum { DIGITS = 10 };
    at_json_object(j, key);
    at_json_real(j, "lines", (double)e->lines, DIGITS);
    at_json_real(j, "bleu", e->bleu, DIGITS);
    at_json_string(j, "signature", e->signature);
    at_json_real(j, "chrf", e->chrf, DIGITS);
    at_json_real(j, "perplexity", e->perplexity, DIGITS);
    at_json_real(j, "log_p", e->log_p, DIGITS);
    at_json_real(j, "pieces", (double)e->tokens, DIGITS);
    at_json_real(j, "aer", e->aer, DIGITS);
    if (e->head_count)
        add_heads_json(j, e, DIGITS);
    at_json_real(j, "parameters", (double)e->parameters, DIGITS);
    at_json_real(j, "seconds", e->seconds, DIGITS);
    at_json_real(j, "written", (double)e->written, DIGITS);
    at_json_array(j, "lengths");
    for (size_t i = 0; i < e->ranges; i++) {
        at_json_object(j, NULL);
        at_json_int(j, "from", e->range[i].from);
        at_json_int(j, "to", e->range[i].to);
        at_json_int(j, "lines", (long long)e->range[i].lines);
        at_json_real(j, "bleu", e->range[i].bleu, DIGITS);
        at_json_end(j);
    }
    at_json_end(j);
    at_json_end(j);
}

/* The ranges and the signature behind the struct, in one block. */
static attend_evaluation *make_block(const attend_evaluation *e, const char *signature)
{
    size_t ranges = ATTEND_RANGES_MOST * sizeof *e->range, text = strlen(signature) + 1;
    char *block = at_alloc_zero(1, sizeof *e + ranges + text);
    attend_evaluation *made = (attend_evaluation *)block;
    if (!block)
        return NULL;
    *made = *e;
    made->range = (attend_length_range *)(block + sizeof *e);
    made->signature = memcpy(block + sizeof *e + ranges, signature, text);
    return made;
}

static attend_status read_ranges(attend_evaluation *e, const json_t *ranges, const char *file,
                                 attend_error *err)
{
    attend_length_range *range = (attend_length_range *)e->range;
    for (size_t i = 0; i < json_array_size(ranges) && i < ATTEND_RANGES_MOST; i++) {
        at_fields r = at_fields_of(json_array_get(ranges, i), file, err);
        range[e->ranges++] = (attend_length_range){
            (int)at_field_int(&r, "from", 0, 0, 1 << 20),
            (int)at_field_int(&r, "to", 0, 0, 1 << 20),
            (size_t)at_field_number(&r, "lines", 0, 0, LARGE),
            at_field_number(&r, "bleu", 0, 0, 100)};
        if (r.status < 0)
            return r.status;
    }
    return ATTEND_OK;
}

attend_status at_evaluation_read(attend_evaluation **out, const json_t *json, const char *file,
                                 attend_error *err)
{
    at_fields f = at_fields_of(json, file, err);
    attend_evaluation e = {.lines = (size_t)at_field_number(&f, "lines", 0, 0, LARGE),
                           .bleu = at_field_number(&f, "bleu", 0, 0, 100),
                           .chrf = at_field_number(&f, "chrf", 0, 0, 100),
                           .log_p = at_field_number(&f, "log_p", 0, -LARGE, LARGE),
                           .tokens = (size_t)at_field_number(&f, "pieces", 0, 0, LARGE),
                           .perplexity = at_field_number(&f, "perplexity", 0, 0, 1e300),
                           .aer = at_field_number(&f, "aer", NAN, 0, 100),
                           .seconds = at_field_number(&f, "seconds", 0, 0, LARGE),
                           .written = (size_t)at_field_number(&f, "written", 0, 0, LARGE),
                           .parameters = (size_t)at_field_number(&f, "parameters", 0, 0, LARGE)};
    const char *signature = at_field_string(&f, "signature", "");
    const json_t *ranges = at_field_array(&f, "lengths");
    *out = f.status >= 0 ? make_block(&e, signature) : NULL;
    if (f.status < 0)
        return f.status;
    attend_status status = *out ? read_ranges(*out, ranges, file, err) : at_error_memory(err);
    if (status < 0) {
        at_free(*out);
        *out = NULL;
    }
    return status;
}
