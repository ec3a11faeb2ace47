/* Tab-separated tables with a label, and GLUE's files: a first row of names, or LABEL and TEXT in
 * either order. A quote is a letter like any other. */
#include <string.h>

#include "base/memory.h"
#include "data/table.h"

typedef struct {
    at_table_reader rows;
    at_column_roles roles;
    at_str text;
    bool begun;
} tsv;

/* the cell of a line at index 0 or 1 */
static at_text cell_of(at_text line, int index)
{
    at_text cell = {0};
    for (int i = 0; i <= index; i++)
        at_text_cut(&line, '\t', &cell);
    return cell;
}

static int count_cells(at_text line)
{
    int count = 1;
    for (size_t i = 0; i < line.size; i++)
        count += line.text[i] == '\t';
    return count;
}

/* Has one of the rows before the i-th the same cell? */
static bool seen_before(const at_sample *s, int i, int index)
{
    at_text cell = cell_of(s->line[i], index);
    while (--i >= 0)
        if (count_cells(s->line[i]) == 2 && at_text_same(cell_of(s->line[i], index), cell))
            return true;
    return false;
}

/* Do all rows have a label in that cell, not each another one, and mostly sentences in the other?
 * A list of words with their translations has none. Lines that are no whole row do not count. */
static bool label_column(const at_sample *s, int index)
{
    int same = 0, sentences = 0, rows = 0;
    for (int i = 0; i < s->lines; i++) {
        at_text cell = cell_of(s->line[i], index), other = cell_of(s->line[i], 1 - index);
        if (count_cells(s->line[i]) != 2 || !at_text_trim(cell).size || !at_text_trim(other).size)
            continue;
        if (!at_looks_like_label(cell))
            return false;
        rows++;
        same += seen_before(s, i, index);
        sentences += !at_looks_like_label(other);
    }
    return rows > 1 && same > 0 && 2 * sentences >= rows;
}

/* Are the first cells of a line the names of a text and of its label or translation? */
static bool is_header(at_text line)
{
    at_column_roles m;
    at_text cell[ATTEND_TABLE_CELLS];
    int cells = at_cells_cut(line, '\t', cell);
    return at_column_roles_of_names(&m, cell,
                                    cells < ATTEND_TABLE_CELLS ? cells : ATTEND_TABLE_CELLS)
           && m.sources && (m.label >= 0 || m.target >= 0);
}

static int guess(const at_sample *s)
{
    int cells = count_cells(s->line[0]), even = 0;
    for (int i = 0; i < s->lines; i++)
        even += count_cells(s->line[i]) == cells;
    int rest = s->columns && at_sample_share(s, at_line_has_tab) > 50 ? 50 : 0;
    if (cells < 2 || 2 * even <= s->lines)
        return rest;
    if (is_header(s->line[0]))
        return 88;
    return cells == 2 && (label_column(s, 0) || label_column(s, 1)) ? 80 : rest;
}

static attend_status open(at_example_reader *r, attend_error *err)
{
    tsv *t = r->state;
    (void)err;
    t->rows.separator = '\t';
    return ATTEND_OK;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    tsv *t = r->state;
    at_read got = at_table_reader_next(r, &t->rows, err);
    if (got == ATTEND_READ_EXAMPLE && !t->begun) {
        t->begun = true;
        if (at_column_roles_of_table(&t->roles, r, &t->rows, err) < 0)
            return ATTEND_READ_FAILED;
        got = at_table_reader_next(r, &t->rows, err);
    }
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    return at_column_roles_read(&t->roles, r, &t->rows, &t->text, e, err);
}

static void close(at_example_reader *r)
{
    tsv *t = r->state;
    at_table_reader_free(&t->rows);
    at_str_free(&t->text);
}

static void write_head(at_str *out, unsigned has)
{
    at_str_add(out, has & ATTEND_HAS_LABEL ? "label\t" : "");
    at_str_add(out, has & ATTEND_HAS_TARGET ? "sentence1\tsentence2\n" : "sentence\n");
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    if (e->has & ATTEND_HAS_LABEL) {
        at_str_add_bytes(out, e->label.text, e->label.size);
        at_str_add(out, "\t");
    }
    at_str_add_bytes(out, e->source.text, e->source.size);
    if (e->has & ATTEND_HAS_TARGET) {
        at_str_add(out, "\t");
        at_str_add_bytes(out, e->target.text, e->target.size);
    }
    at_str_add(out, "\n");
}

const at_format at_format_tsv = {
    .name = "tsv",
    .what = "a label and one text or two, tabs between them; a first row of names, or none",
    .files = "SST-2/train.tsv",
    .extension = ".tsv",
    .guess = guess,
    .columns = true,
    .state = sizeof(tsv),
    .open = open,
    .next = next,
    .close = close,
    .write = write,
    .write_head = write_head,
    .one_line = true,
    .needs = ATTEND_HAS_LABEL,
    .takes = ATTEND_HAS_LABEL | ATTEND_HAS_TARGET,
};
