#include "cli/matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { LEFT_MOST = 20, LABEL_MOST = 10, GAP = 2 };

typedef struct {
    char text[32];
} cell;

/* as many decimals as the largest number leaves room for */
static int decimals_of(const at_matrix_table *m)
{
    double most = 0;
    if (m->decimals)
        return m->decimals;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++) {
            double x = fabs(m->numbers[i * m->stride + j]);
            most = isfinite(x) && x > most ? x : most;
        }
    return most < 100 ? 3 : most < 10000 ? 1 : most < 1e7 ? 0 : -1;
}

static cell print(const at_matrix_table *m, size_t i, size_t j, int decimals, bool utf8)
{
    cell c;
    double x = m->numbers[i * m->stride + j];
    if (!isfinite(x))
        snprintf(c.text, sizeof c.text, "%s", utf8 ? "–" : "-");
    else if (decimals < 0)
        snprintf(c.text, sizeof c.text, "%.3g", x);
    else
        snprintf(c.text, sizeof c.text, "%.*f", decimals, x);
    size_t n = strlen(c.text);
    if (m->marks && n + 1 < sizeof c.text)
        strcpy(c.text + n, m->marks[i * m->columns + j] ? "*" : " ");
    return c;
}

/* a label in at most `most` columns, without what would steer a terminal or is not shown there */
static void cut(at_str *out, const char *label, int most, bool utf8)
{
    at_str safe = {0};
    at_str_clear(out);
    at_str_add_safe(&safe, label);
    const char *p = at_str_text(&safe);
    bool whole = at_str_columns(p) <= most;
    int used = 0;
    for (size_t left = strlen(p), n; left; p += n, left -= n) {
        uint32_t code;
        int bytes = at_utf8_get(p, left, &code);
        bool shown = bytes == 1 || (bytes && utf8);
        n = bytes ? (size_t)bytes : 1;
        used += shown ? at_utf8_columns(code) : 1;
        if (!whole && used > most - 1)
            break;
        at_str_add_bytes(out, shown ? p : "?", shown ? n : 1);
    }
    at_str_add(out, whole ? "" : utf8 ? "…" : "~");
    out->failed |= safe.failed;
    at_str_free(&safe);
}

static int larger(int a, int b) { return a > b ? a : b; }

static int left_width(const at_matrix_table *m, at_str *label, bool utf8)
{
    int width = at_str_columns(m->title);
    for (size_t i = 0; i < m->rows; i++) {
        cut(label, m->row_labels[i], LEFT_MOST, utf8);
        width = larger(width, at_str_columns(at_str_text(label)));
    }
    return width;
}

static int column_width(const at_matrix_table *m, size_t j, int decimals, at_str *label, bool utf8)
{
    cut(label, m->column_labels[j], LABEL_MOST, utf8);
    int width = at_str_columns(at_str_text(label));
    for (size_t i = 0; i < m->rows; i++)
        width = larger(width, at_str_columns(print(m, i, j, decimals, utf8).text));
    return width;
}

/* one line: row i of the columns from .. to-1, or their labels */
static void line(at_str *out, const at_matrix_table *m, const size_t *row, size_t from, size_t to,
                 int left, int decimals, bool utf8)
{
    at_str label = {0}, head = {0};
    cut(&head, row ? m->row_labels[*row] : m->title, larger(left, LEFT_MOST), utf8);
    at_str_pad(out, at_str_text(&head), left);
    for (size_t j = from; j < to; j++) {
        int width = column_width(m, j, decimals, &label, utf8);
        cell c = {""};
        if (row)
            c = print(m, *row, j, decimals, utf8);
        at_str_repeat(out, " ", GAP);
        at_str_pad(out, row ? c.text : at_str_text(&label), -width);
    }
    while (m->marks && out->length && out->text[out->length - 1] == ' ')
        out->text[--out->length] = '\0';
    at_str_add(out, "\n");
    out->failed |= label.failed || head.failed;
    at_str_free(&label);
    at_str_free(&head);
}

void at_matrix_table_write(at_str *out, const at_matrix_table *m, int right, bool utf8)
{
    at_str label = {0};
    int decimals = decimals_of(m), left = left_width(m, &label, utf8);
    for (size_t from = 0, to; from < m->columns; from = to) {
        int used = left;
        for (to = from; to < m->columns; to++) {
            used += GAP + column_width(m, to, decimals, &label, utf8);
            if (used > right && to > from)
                break;
        }
        at_str_add(out, from ? "\n" : "");
        line(out, m, NULL, from, to, left, decimals, utf8);
        for (size_t i = 0; i < m->rows; i++)
            line(out, m, &i, from, to, left, decimals, utf8);
    }
    out->failed |= label.failed;
    at_str_free(&label);
}
