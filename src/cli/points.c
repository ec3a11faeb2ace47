#include "cli/points.h"

#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

void at_point_table_free(at_point_table *p)
{
    at_free(p->x);
    at_free(p->y);
    p->x = p->y = NULL;
}

/* ---- which columns ---------------------------------------------------------------------- */

static bool is_header(const at_csv *c)
{
    double number;
    for (int i = 0; i < c->count; i++)
        if (at_csv_number(c, i, &number, NULL) >= 0)
            return false;
    return c->count > 0;
}

/* a cell of the header without blanks around it, and without what would steer a terminal */
void at_point_table_name(char out[ATTEND_POINTS_NAME], const char *name)
{
    if (!name)
        return;
    snprintf(out, ATTEND_POINTS_NAME, "%.63s", at_show(name).text);
    out[at_utf8_valid(out, strlen(out))] = 0;
}

static void header_name(const at_csv *c, int column, char name[ATTEND_POINTS_NAME])
{
    at_point_table_name(name, c->cell[column] + strspn(c->cell[column], " "));
    for (size_t length = strlen(name); length && name[length - 1] == ' '; length--)
        name[length - 1] = 0;
}

/* "the columns are a, b", for messages */
static const char *list_names(const at_csv *c, char text[200])
{
    char name[64];
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < c->count && used < 130; i++) {
        header_name(c, i, name);
        used += (size_t)snprintf(text + used, 200 - used, "%s%s", i ? ", " : "", name);
    }
    return text;
}

static attend_status no_column(const at_csv *c, bool header, const char *word, attend_error *err)
{
    char names[200], name[64];
    at_guess guess = {.word = word};
    if (!header)
        return at_error(err, ATTEND_OPTION,
                        "%s:%ld: no column is called \"%s\": the first row has no names; use a "
                        "number from 1 on",
                        c->name, c->line, word);
    for (int i = 0; i < c->count; i++) {
        header_name(c, i, name);
        at_guess_consider(&guess, name, strlen(name));
    }
    return at_error(err, ATTEND_OPTION,
                    "%s:%ld: no column is called \"%s\"%s%s%s The columns are %s", c->name, c->line,
                    word, *guess.best ? "; did you mean " : ".", guess.best, *guess.best ? "?" : "",
                    list_names(c, names));
}

/* the column that a word stands for: a name of the header, or a number */
static attend_status find_column(const at_csv *c, bool header, const char *word, int *column,
                                 attend_error *err)
{
    char name[64];
    long long number;
    for (int i = 0; header && i < c->count; i++) {
        header_name(c, i, name);
        *column = i;
        if (strcmp(name, word) == 0)
            return ATTEND_OK;
    }
    if (!at_number_whole(word, strlen(word), &number))
        return no_column(c, header, word, err);
    if (number < 1 || number > c->count)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: there is no column %lld, only %d", c->name,
                        c->line, number, c->count);
    *column = (int)number - 1;
    return ATTEND_OK;
}

static attend_status find_x(at_point_table *p, const at_csv *c, bool header, const char *words,
                            attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (p->columns = 0; *words && status >= 0; p->columns++) {
        char word[64];
        size_t length = strcspn(words, ",");
        if (p->columns == ATTEND_POINTS_COLUMNS || length >= sizeof word || length == 0)
            return at_error(err, ATTEND_OPTION, "--x: \"%s\" is not a list of up to %d columns",
                            words, ATTEND_POINTS_COLUMNS);
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        status = find_column(c, header, word, &p->x_column[p->columns], err);
        words += length + (words[length] == ',');
    }
    return status;
}

/* A column says nothing new beside itself, and everything about itself. */
static attend_status check_columns(const at_point_table *p, int y, attend_error *err)
{
    for (int i = 0; i < p->columns; i++) {
        if (p->x_column[i] == y)
            return at_error(err, ATTEND_OPTION,
                            "--x and --y are both column %d; a fit needs two different ones",
                            y + 1);
        for (int j = 0; j < i; j++)
            if (p->x_column[i] == p->x_column[j])
                return at_error(err, ATTEND_OPTION, "--x names column %d twice",
                                p->x_column[i] + 1);
    }
    return ATTEND_OK;
}

static void take_names(at_point_table *p, const at_csv *c, bool header, int y)
{
    for (int i = 0; i < p->columns; i++) {
        snprintf(p->x_name[i], sizeof p->x_name[i], p->columns > 1 ? "x%d" : "x", i + 1);
        if (header)
            header_name(c, p->x_column[i], p->x_name[i]);
    }
    strcpy(p->y_name, "y");
    if (header && y >= 0)
        header_name(c, y, p->y_name);
}

/* ---- rows ------------------------------------------------------------------------------- */

static attend_status grow(at_point_table *p, bool y, attend_error *err)
{
    if (p->rows < p->capacity)
        return ATTEND_OK;
    size_t capacity = p->capacity ? 2 * p->capacity : 64, C = (size_t)p->columns;
    double *xs = at_realloc(p->x, p->capacity * C * sizeof *xs, capacity * C * sizeof *xs);
    if (!xs)
        return at_error_memory(err);
    p->x = xs;
    if (y) {
        double *ys = at_realloc(p->y, p->capacity * sizeof *ys, capacity * sizeof *ys);
        if (!ys)
            return at_error_memory(err);
        p->y = ys;
    }
    p->capacity = capacity;
    return ATTEND_OK;
}

/* y: its column, or -1 */
static attend_status add_row(at_point_table *p, const at_csv *c, int y, attend_error *err)
{
    attend_status status = grow(p, y >= 0, err);
    for (int i = 0; i < p->columns && status >= 0; i++)
        status = at_csv_number(c, p->x_column[i], &p->x[p->rows * (size_t)p->columns + (size_t)i],
                               err);
    if (status >= 0 && y >= 0)
        status = at_csv_number(c, y, &p->y[p->rows], err);
    p->rows += status >= 0;
    return status;
}

/* Cells that no column is there for, unless they are empty: a decimal comma, or two rows in one. */
static attend_status check_cells(const at_csv *c, int columns, attend_error *err)
{
    for (int i = columns; i < c->count; i++)
        if (c->cell[i][strspn(c->cell[i], " \t\r")])
            return at_error(
                err, ATTEND_FORMAT,
                "%s:%ld: %d cells, but the first row has %d; write a decimal point, and "
                "every point on a line of its own",
                c->name, c->line, c->count, columns);
    return ATTEND_OK;
}

static attend_status read_rows(at_point_table *p, at_csv *c, bool header, int y, attend_error *err)
{
    int columns = c->count;
    attend_status status = header ? ATTEND_OK : add_row(p, c, y, err);
    while (status >= 0 && at_csv_next(c, &status, err)) {
        status = check_cells(c, columns, err);
        if (status >= 0)
            status = add_row(p, c, y, err);
    }
    if (status >= 0 && p->rows == 0)
        return at_error(err, ATTEND_FORMAT, "%s: a header and no points", c->name);
    return status;
}

static attend_status first_row(at_csv *c, const char *path, bool *header, attend_error *err)
{
    attend_status status = at_csv_open(c, path, err);
    if (status < 0)
        return status;
    if (!at_csv_next(c, &status, err))
        return status < 0 ? status : at_error(err, ATTEND_FORMAT, "%s: is empty", c->name);
    *header = is_header(c);
    return ATTEND_OK;
}

attend_status at_point_table_read(at_point_table *p, const char *path, const char *x, const char *y,
                                  attend_error *err)
{
    at_csv c;
    bool header;
    int y_column;
    *p = (at_point_table){0};
    attend_status status = first_row(&c, path, &header, err);
    if (status >= 0 && (status = find_x(p, &c, header, x, err)) >= 0
        && (status = find_column(&c, header, y, &y_column, err)) >= 0)
        status = check_columns(p, y_column, err);
    if (status >= 0) {
        take_names(p, &c, header, y_column);
        status = read_rows(p, &c, header, y_column, err);
    }
    at_csv_close(&c);
    return status;
}

static bool all_named(at_point_table *p, const at_csv *c, const at_point_table *like)
{
    for (int i = 0; i < like->columns; i++)
        if (find_column(c, true, like->x_name[i], &p->x_column[i], NULL) < 0)
            return false;
    return true;
}

attend_status at_point_table_read_like(at_point_table *p, const char *path,
                                       const at_point_table *like, attend_error *err)
{
    at_csv c;
    bool header;
    *p = (at_point_table){.columns = like->columns};
    attend_status status = first_row(&c, path, &header, err);
    if (status >= 0) {
        if (!header || !all_named(p, &c, like))
            for (int i = 0; i < p->columns; i++)
                p->x_column[i] = c.count > p->columns ? like->x_column[i] : i;
        status = read_rows(p, &c, header, -1, err);
    }
    at_csv_close(&c);
    return status;
}

attend_status at_point_table_parse(at_point_table *p, const char *text, attend_error *err)
{
    attend_status status = ATTEND_OK;
    *p = (at_point_table){.columns = 1};
    for (const char *word = text; status >= 0; word++) {
        size_t length = strcspn(word, ",");
        status = grow(p, false, err);
        if (status >= 0 && !at_number_real(word, length, &p->x[p->rows++]))
            status = at_error(err, ATTEND_OPTION, "--at: \"%.*s\" is not a number", (int)length,
                              word);
        word += length;
        if (!*word)
            break;
    }
    return status;
}
