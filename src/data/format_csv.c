/* Comma- or semicolon-separated tables, with quotes: a label and one text or more, with names in
 * the first row or without. */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "data/table.h"

typedef struct {
    at_table_reader rows;
    at_column_roles roles;
    at_str text;
    bool begun;
} csv;

static bool ends_with(const char *name, const char *end)
{
    size_t all = strlen(name), size = strlen(end);
    return all >= size && strcasecmp(name + all - size, end) == 0;
}

/* "3","Title","Text" */
static bool all_quoted(at_text line)
{
    line = at_text_trim(line);
    return line.size > 6 && line.text[0] == '"' && memmem(line.text, line.size, "\",\"", 3);
}

/* Are the cells of a line the names of a text and of its label or translation? */
static bool is_header(at_text line)
{
    at_column_roles m;
    at_text cell[ATTEND_TABLE_CELLS];
    int cells = at_cells_cut(line, ',', cell);
    if (cells < 2 || cells > ATTEND_TABLE_CELLS)
        return false;
    for (int i = 0; i < cells; i++)
        if (cell[i].size > 1 && cell[i].text[0] == '"' && cell[i].text[cell[i].size - 1] == '"')
            cell[i] = (at_text){cell[i].text + 1, cell[i].size - 2};
    return at_column_roles_of_names(&m, cell, cells) && m.sources
           && (m.label >= 0 || m.target >= 0);
}

static int guess(const at_sample *s)
{
    if (is_header(s->line[0]) || at_sample_share(s, all_quoted) >= 90)
        return 86;
    return ends_with(s->name, ".csv") || ends_with(s->name, ".csv.gz") ? 60 : 0;
}

/* the one of the first row that stands outside of quotes: a comma, or else a semicolon or a tab */
static char find_separator(const at_line_stream *s)
{
    bool quoted = false, found[UCHAR_MAX + 1] = {false};
    for (size_t i = 0; i < s->size; i++) {
        quoted ^= s->text[i] == '"';
        if (!quoted)
            found[(unsigned char)s->text[i]] = true;
    }
    return found[','] ? ',' : found[';'] ? ';' : found['\t'] ? '\t' : ',';
}

/* The first line tells the separator, so it is cut again. */
static at_read first_row(at_example_reader *r, csv *c, attend_error *err)
{
    at_read got = at_read_line(r, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    c->begun = true;
    c->rows.quotes = true;
    c->rows.separator = find_separator(&r->lines);
    got = at_table_reader_start(r, &c->rows, err);
    if (got == ATTEND_READ_EXAMPLE && at_column_roles_of_table(&c->roles, r, &c->rows, err) < 0)
        return ATTEND_READ_FAILED;
    return got;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    csv *c = r->state;
    at_read got = c->begun ? ATTEND_READ_EXAMPLE : first_row(r, c, err);
    if (got == ATTEND_READ_EXAMPLE)
        got = at_table_reader_next(r, &c->rows, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    return at_column_roles_read(&c->roles, r, &c->rows, &c->text, e, err);
}

static void close(at_example_reader *r)
{
    csv *c = r->state;
    at_table_reader_free(&c->rows);
    at_str_free(&c->text);
}

static void write_cell(at_str *out, at_text t)
{
    bool quoted = false;
    for (size_t i = 0; i < t.size && !quoted; i++)
        quoted = memchr(",;\"\r\n\t", t.text[i], 6) != NULL;
    at_str_add(out, quoted ? "\"" : "");
    for (size_t i = 0; i < t.size; i++)
        at_str_add_bytes(out, quoted && t.text[i] == '"' ? "\"\"" : t.text + i,
                         quoted && t.text[i] == '"' ? 2 : 1);
    at_str_add(out, quoted ? "\"" : "");
}

static void write_head(at_str *out, unsigned has)
{
    at_str_add(out, has & ATTEND_HAS_LABEL ? "label," : "");
    at_str_add(out, has & ATTEND_HAS_TARGET ? "sentence1,sentence2\n" : "text\n");
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    if (e->has & ATTEND_HAS_LABEL) {
        write_cell(out, e->label);
        at_str_add(out, ",");
    }
    write_cell(out, e->source);
    if (e->has & ATTEND_HAS_TARGET) {
        at_str_add(out, ",");
        write_cell(out, e->target);
    }
    at_str_add(out, "\n");
}

const at_format at_format_csv = {
    .name = "csv",
    .what = "the same with commas, and quotes around cells where they are needed",
    .files = "ag_news/train.csv",
    .extension = ".csv",
    .guess = guess,
    .columns = true,
    .state = sizeof(csv),
    .next = next,
    .close = close,
    .write = write,
    .write_head = write_head,
    .takes = ATTEND_HAS_LABEL | ATTEND_HAS_TARGET,
};
