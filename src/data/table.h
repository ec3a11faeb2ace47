/* Tables of text: rows of cells on the lines of a file, and which column is what.
 *
 * Unlike base/csv.h this reads a stream and knows two dialects: with quotes as in RFC 4180, where a
 * cell may hold line ends, and without, as tab-separated files have it, where a quote is a letter.
 */
#ifndef ATTEND_DATA_TABLE_H
#define ATTEND_DATA_TABLE_H

#include "data/format.h"

enum { ATTEND_TABLE_CELLS = 256, ATTEND_TABLE_JOINED = 8 };

typedef struct {
    char separator;
    bool quotes;
    at_text cell[ATTEND_TABLE_CELLS]; /* borrowed until the next row */
    int count;
    long line; /* where the row starts */
    at_str joined;
    bool waiting; /* this row has been read and not yet taken */
} at_table_reader;

/* The next row that is not empty: ATTEND_READ_EXAMPLE where there is one. */
at_read at_table_reader_next(at_example_reader *r, at_table_reader *t, attend_error *err);
void at_table_reader_free(at_table_reader *t);

/* The same for the line that the reader stands on. */
at_read at_table_reader_start(at_example_reader *r, at_table_reader *t, attend_error *err);

/* The row has not been taken: the next call gives it again. */
void at_table_reader_again(at_table_reader *t);

/* Cuts a line in place, for guessing: its cells, or -1 where a quote stays open. */
int at_table_reader_cut(at_table_reader *t, char *text, size_t size);

/* what columns mean, by number; -1: there is none */
typedef struct {
    int source[ATTEND_TABLE_JOINED], sources; /* joined by blanks */
    int target, label;
    int columns; /* of the first row */
} at_column_roles;

/* Pairs of names that mean source and target, or a source alone, and names of labels, among count
 * names; false if no name is known. */
bool at_column_roles_of_names(at_column_roles *m, const at_text *name, int count);

/* Cuts a line at every separator in one pass. Fills the first ATTEND_TABLE_CELLS cells and returns
 * the number of all. */
int at_cells_cut(at_text line, char separator, at_text cell[ATTEND_TABLE_CELLS]);

/* What the columns of a table mean, after its first row, the options and, for a table without
 * names, what the cells look like. The row counts as taken where it is a header. */
attend_status at_column_roles_of_table(at_column_roles *m, at_example_reader *r, at_table_reader *t,
                                       attend_error *err);

/* Fills an example from a row; *text receives what was joined. */
at_read at_column_roles_read(const at_column_roles *m, at_example_reader *r,
                             const at_table_reader *t, at_str *text, at_example *e,
                             attend_error *err);

/* is a cell rather a label than a sentence: a number, or short, of letters, digits, -_:/+ alone? */
bool at_looks_like_label(at_text cell);

#endif
