#include "data/table.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"

/* ---- rows ------------------------------------------------------------------------------- */

void at_table_reader_free(at_table_reader *t)
{
    at_str_free(&t->joined);
    *t = (at_table_reader){0};
}

void at_table_reader_again(at_table_reader *t) { t->waiting = true; }

/* A quoted cell loses its quotes in place; *at goes behind it. False where it stays open. */
static bool unquote(char *text, size_t size, size_t *at, at_text *cell)
{
    size_t to = *at, from = *at + 1;
    cell->text = text + to;
    for (;; from++) {
        if (from >= size)
            return false;
        if (text[from] == '"' && (from + 1 >= size || text[from + 1] != '"'))
            break;
        from += text[from] == '"';
        text[to++] = text[from];
    }
    *at = from + 1;
    cell->size = (size_t)(text + to - cell->text);
    return true;
}

int at_table_reader_cut(at_table_reader *t, char *text, size_t size)
{
    t->count = 0;
    for (size_t at = 0;; at++) {
        at_text cell = {text + at, 0};
        bool quoted = t->quotes && at < size && text[at] == '"';
        if (quoted && !unquote(text, size, &at, &cell))
            return -1;
        size_t behind = at;
        while (at < size && text[at] != t->separator)
            at++;
        if (!quoted)
            cell.size = at - behind;
        /* text behind a closing quote is no standard, but common: it belongs to the cell */
        if (quoted && at > behind) {
            memmove((char *)cell.text + cell.size, text + behind, at - behind);
            cell.size += at - behind;
        }
        if (t->count < ATTEND_TABLE_CELLS)
            t->cell[t->count] = cell;
        t->count++;
        if (at >= size)
            return t->count;
    }
}

int at_cells_cut(at_text line, char separator, at_text cell[ATTEND_TABLE_CELLS])
{
    int count = 0;
    at_text one;
    for (bool more = true; more; count++) {
        more = at_text_cut(&line, separator, &one);
        if (count < ATTEND_TABLE_CELLS)
            cell[count] = one;
    }
    return count;
}

/* Is a quote open at the end of text? Only a quote at the start of a cell opens one; state says
 * whether one is open before it. */
static bool stays_open(const at_table_reader *t, const char *text, size_t size, bool open)
{
    bool start = !open;
    for (size_t i = 0; i < size; i++) {
        if (open) {
            if (text[i] != '"')
                continue;
            if (i + 1 < size && text[i + 1] == '"')
                i++;
            else
                open = false;
        } else if (text[i] == '"' && start)
            open = true;
        start = text[i] == t->separator;
    }
    return open;
}

/* Joins the lines of a row whose quotes hold line ends. */
static at_read join(at_example_reader *r, at_table_reader *t, attend_error *err)
{
    bool open = true;
    at_str_clear(&t->joined);
    at_str_add_bytes(&t->joined, r->lines.text, r->lines.size);
    while (open) {
        at_read got = at_read_any_line(r, &r->lines, err);
        if (got == ATTEND_READ_FAILED || got == ATTEND_READ_BAD)
            return got;
        if (got == ATTEND_READ_END || t->joined.length > r->lines.options.max_length)
            return at_read_bad_at(r, t->line, err,
                                  "a quote opens in this row and does not close; a quote inside a "
                                  "cell is written twice");
        open = stays_open(t, r->lines.text, r->lines.size, true);
        at_str_add(&t->joined, "\n");
        at_str_add_bytes(&t->joined, r->lines.text, r->lines.size);
    }
    if (t->joined.failed) {
        at_error_memory(err);
        return ATTEND_READ_FAILED;
    }
    return ATTEND_READ_EXAMPLE;
}

at_read at_table_reader_next(at_example_reader *r, at_table_reader *t, attend_error *err)
{
    if (t->waiting) {
        t->waiting = false;
        return ATTEND_READ_EXAMPLE;
    }
    at_read got = at_read_line(r, err);
    return got == ATTEND_READ_EXAMPLE ? at_table_reader_start(r, t, err) : got;
}

at_read at_table_reader_start(at_example_reader *r, at_table_reader *t, attend_error *err)
{
    at_read got;
    char *text = r->lines.text;
    size_t size = r->lines.size;
    t->line = r->lines.number;
    if (t->quotes && stays_open(t, text, size, false)) {
        got = join(r, t, err);
        if (got != ATTEND_READ_EXAMPLE)
            return got;
        text = t->joined.text;
        size = t->joined.length;
    }
    int cells = at_table_reader_cut(t, text, size);
    if (cells < 0 || cells > ATTEND_TABLE_CELLS)
        return at_read_bad_at(r, t->line, err, "more than %d cells in a row", ATTEND_TABLE_CELLS);
    return ATTEND_READ_EXAMPLE;
}

bool at_looks_like_label(at_text cell)
{
    double number;
    cell = at_text_trim(cell);
    if (cell.size > 30)
        return false;
    if (at_number_real(cell.text, cell.size, &number))
        return true;
    for (size_t i = 0; i < cell.size; i++)
        if (!isalnum((unsigned char)cell.text[i]) && !strchr("-_:/+", cell.text[i]))
            return false;
    return cell.size > 0;
}
