#include "cli/table.h"

#include <stdbool.h>
#include <string.h>

#include "base/json_write.h"

enum { MOST_COLUMNS = 16, GAP = 2 };

void at_table_cell(at_table *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at_str_print_v(&t->cells, format, args);
    va_end(args);
    at_str_add_bytes(&t->cells, "", 1);
    t->count++;
}

void at_table_free(at_table *t) { at_str_free(&t->cells); }

void at_table_pair(at_str *out, const char *name, const char *value, int left, int right)
{
    at_str_pad(out, name, left);
    at_str_wrap(out, value, left, left, right);
    at_str_add(out, "\n");
}

static int columns_of(const at_table *t)
{
    int n = 0;
    while (n < MOST_COLUMNS && t->columns[n].title)
        n++;
    return n;
}

static int rows_of(const at_table *t) { return t->count / columns_of(t); }

static const char *next(const char *cell) { return cell + strlen(cell) + 1; }

static int longest_word(const char *text)
{
    int longest = 0, length = 0;
    for (; *text; text++) {
        length = *text == ' ' ? 0 : length + ((*text & 0xC0) != 0x80);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static int larger(int a, int b) { return a > b ? a : b; }

/* As wide as the widest cell; then columns of text give way, the widest first, down to their
 * longest word, until a row fits. */
static void measure(const at_table *t, int right, int *width)
{
    int n = columns_of(t), least[MOST_COLUMNS], total = 0;
    const char *cell = at_str_text(&t->cells);
    for (int i = 0; i < n; i++)
        width[i] = least[i] = at_str_columns(t->columns[i].title);
    for (int i = 0; i < rows_of(t) * n; i++, cell = next(cell)) {
        bool text = t->columns[i % n].kind <= ATTEND_COLUMN_CODE;
        width[i % n] = larger(width[i % n], at_str_columns(cell));
        least[i % n] = larger(least[i % n], text ? longest_word(cell) : at_str_columns(cell));
    }
    for (int i = 0; i < n; i++)
        total += width[i] + (i ? GAP : 0);
    for (int widest; total > right; total--, width[widest]--) {
        widest = -1;
        for (int i = 0; i < n; i++)
            if (width[i] > least[i] && (widest < 0 || width[i] > width[widest]))
                widest = i;
        if (widest < 0)
            return;
    }
}

/* the words of *rest that fit into width; *rest goes to the others */
static void piece(at_str *out, const char **rest, int width)
{
    const char *end = *rest, *next_end = end + strcspn(end, " ");
    at_str_clear(out);
    at_str_add_bytes(out, *rest, (size_t)(next_end - *rest));
    for (end = next_end; *end; end = next_end) {
        const char *word = end + strspn(end, " ");
        next_end = word + strcspn(word, " ");
        size_t length = out->length;
        at_str_add_bytes(out, end, (size_t)(next_end - end));
        if (at_str_columns(at_str_text(out)) > width) {
            out->length = length;
            if (out->text)
                out->text[length] = 0;
            *rest = word;
            return;
        }
    }
    *rest = end;
}

/* one row: as many lines as its longest cell needs */
static void text_row(at_str *out, const at_table *t, const int *width, const char **rest)
{
    int n = columns_of(t), left;
    at_str part = {0};
    do {
        int blanks = 0; /* not yet written: no line ends in them */
        left = 0;
        for (int i = 0; i < n; i++) {
            piece(&part, &rest[i], width[i]);
            int space = width[i] - at_str_columns(at_str_text(&part));
            bool number = t->columns[i].kind == ATTEND_COLUMN_NUMBER;
            at_str_repeat(out, " ", part.length ? blanks + (number ? space : 0) : 0);
            at_str_add(out, at_str_text(&part));
            blanks = part.length ? GAP + (number ? 0 : space) : blanks + width[i] + GAP;
            left |= *rest[i] != 0;
        }
        at_str_add(out, "\n");
    } while (left);
    out->failed |= part.failed;
    at_str_free(&part);
}

static void write_text(at_str *out, const at_table *t, int right)
{
    int width[MOST_COLUMNS], n = columns_of(t);
    const char *rest[MOST_COLUMNS], *cell = at_str_text(&t->cells);
    measure(t, right, width);
    for (int i = 0; i < n; i++)
        rest[i] = t->columns[i].title;
    text_row(out, t, width, rest);
    for (int row = 0; row < rows_of(t); row++) {
        for (int i = 0; i < n; i++, cell = next(cell))
            rest[i] = cell;
        text_row(out, t, width, rest);
    }
}

static void markdown_cell(at_str *out, const char *cell, bool code)
{
    const char *quote = !code ? "" : strchr(cell, '`') ? "``" : "`";
    at_str_add(out, quote);
    for (; *cell; cell++)
        at_str_print(out, *cell == '|' ? "\\%c" : "%c", *cell);
    at_str_print(out, "%s |", quote);
}

static void write_markdown(at_str *out, const at_table *t)
{
    int n = columns_of(t);
    const char *cell = at_str_text(&t->cells);
    for (int row = -2; row < rows_of(t); row++) {
        at_str_add(out, "|");
        for (int i = 0; i < n; i++) {
            const at_column *c = &t->columns[i];
            const char *rule = c->kind == ATTEND_COLUMN_NUMBER ? "---:" : "---";
            at_str_add(out, " ");
            markdown_cell(out,
                          row == -2   ? c->title
                          : row == -1 ? rule
                                      : cell,
                          row >= 0 && c->kind == ATTEND_COLUMN_CODE && *cell);
            cell = row < 0 ? cell : next(cell);
        }
        at_str_add(out, "\n");
    }
}

static void write_json(at_str *out, const at_table *t)
{
    int n = columns_of(t);
    const char *cell = at_str_text(&t->cells);
    at_json_out j = {.out = out};
    at_json_array(&j, NULL);
    for (int row = 0; row < rows_of(t); row++) {
        at_json_line(&j, 2);
        at_json_object(&j, NULL);
        for (int i = 0; i < n; i++, cell = next(cell))
            if (t->columns[i].kind <= ATTEND_COLUMN_CODE)
                at_json_string(&j, t->columns[i].title, cell);
            else if (*cell)
                at_json_raw(&j, t->columns[i].title, cell, strlen(cell));
            else
                at_json_null(&j, t->columns[i].title);
        at_json_end(&j);
    }
    if (rows_of(t))
        at_json_line(&j, 0);
    at_json_end(&j);
}

void at_table_write(at_str *out, const at_table *t, at_table_format format, int right)
{
    out->failed |= t->cells.failed;
    if (out->failed)
        return;
    if (format == ATTEND_TABLE_JSON)
        write_json(out, t);
    else if (format == ATTEND_TABLE_MARKDOWN)
        write_markdown(out, t);
    else
        write_text(out, t, right);
}
