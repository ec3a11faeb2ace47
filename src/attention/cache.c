#include "attention/cache.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/memory.h"

enum { DEFAULT_CAPACITY = 16, NONE = -1 };

/* A stream may have more memory than the cache uses: the others could not follow. */
typedef struct {
    int width, columns, capacity;
    real *data; /* [columns, capacity, width] */
} stream;

typedef struct {
    int rows, max_length;
    int *first;  /* [rows]: committed positions */
    int *length; /* [rows]: with those being added */
    int *own;    /* [rows]: the column that the row appends to, or NONE */
    int *which;  /* [rows, longest]: the column of each position */
    int *memory; /* of all of them */
    size_t size;
} tables;

/* Invariant: no row refers to positions of an owned column beyond its owner's committed ones. */
struct at_cache {
    bool straight;         /* every row r lies in column r alone */
    bool state;            /* one position in a row, replaced by the next */
    int columns, capacity; /* that every stream has */
    int added;             /* n of the last extend */
    tables now, next;      /* next: where the tables that follow are built */
    int *top;              /* [top_size]: of each column; see find_tops */
    int top_size;
    int streams;
    stream stream[];
};

static int larger(int a, int b) { return a > b ? a : b; }

/* ---- memory --------------------------------------------------------------------------------- */

at_cache *at_cache_new(int capacity, int streams, const int *widths)
{
    at_cache *c = at_alloc_zero(1, sizeof *c + (size_t)streams * sizeof *c->stream);
    if (!c)
        return NULL;
    c->state = capacity == 1;
    c->capacity = capacity ? capacity : DEFAULT_CAPACITY;
    c->streams = streams;
    for (int i = 0; i < streams; i++)
        c->stream[i].width = widths[i];
    return c;
}

void at_cache_free(at_cache *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->streams; i++)
        at_free(c->stream[i].data);
    at_free(c->now.memory);
    at_free(c->next.memory);
    at_free(c->top);
    at_free(c);
}

size_t at_cache_bytes(const at_cache *c)
{
    size_t bytes = sizeof *c + (size_t)c->streams * sizeof *c->stream
                   + (c->now.size + c->next.size + (size_t)c->top_size) * sizeof(int);
    for (int i = 0; i < c->streams; i++) {
        const stream *s = &c->stream[i];
        bytes += (size_t)s->columns * (size_t)s->capacity * (size_t)s->width * sizeof(real);
    }
    return bytes;
}

/* tables of that size, with nothing in them */
static bool lay_tables(tables *x, int rows, int max_length)
{
    size_t each = (size_t)rows, size, bytes;
    if (!at_size_multiply(each, (size_t)max_length + 3, &size)
        || !at_size_multiply(2 * size, sizeof(int), &bytes))
        return false;
    if (size > x->size) {
        at_free(x->memory);
        x->memory = at_alloc(bytes);
        x->size = x->memory ? 2 * size : 0;
    }
    if (!x->memory && size)
        return false;
    x->rows = rows;
    x->max_length = max_length;
    x->first = x->memory;
    x->length = x->first + each;
    x->own = x->length + each;
    x->which = x->own + each;
    return true;
}

static real *vector_at(const stream *s, int column, int position)
{
    return s->data + ((size_t)column * (size_t)s->capacity + (size_t)position) * (size_t)s->width;
}

/* Keeps the first `longest` positions of the columns it has. */
static bool grow_stream(stream *s, int columns, int capacity, int max_length)
{
    stream grown = {.width = s->width, .columns = columns, .capacity = capacity};
    size_t size;
    if (s->columns >= columns && s->capacity >= capacity)
        return true;
    if (!at_size_multiply((size_t)columns, (size_t)capacity, &size)
        || !at_size_multiply(size, (size_t)s->width * sizeof(real), &size)
        || !(grown.data = at_alloc(size ? size : 1)))
        return false;
    if (max_length > s->capacity)
        max_length = s->capacity;
    for (int i = 0; i < s->columns; i++)
        memcpy(vector_at(&grown, i, 0), vector_at(s, i, 0),
               (size_t)max_length * (size_t)s->width * sizeof(real));
    at_free(s->data);
    *s = grown;
    return true;
}

/* what is needed, at least twice what is there */
static int doubled(int there, int needed)
{
    int twice = there > INT_MAX / 2 ? INT_MAX : 2 * there;
    return needed <= there ? there : needed < twice ? twice : needed;
}

static bool grow(at_cache *c, int columns, int capacity)
{
    columns = doubled(c->columns, columns);
    capacity = doubled(c->capacity, capacity);
    for (int i = 0; i < c->streams; i++) {
        stream *s = &c->stream[i];
        if (!grow_stream(s, larger(columns, s->columns), larger(capacity, s->capacity),
                         c->now.max_length))
            return false;
    }
    c->columns = columns;
    c->capacity = capacity;
    return true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool is_straight(const tables *x)
{
    for (int r = 0; r < x->rows; r++)
        for (int j = 0; j < x->length[r]; j++)
            if (x->which[(size_t)r * (size_t)x->max_length + (size_t)j] != r)
                return false;
    return true;
}

static void swap_tables(at_cache *c)
{
    tables x = c->now;
    c->now = c->next;
    c->next = x;
    c->straight = is_straight(&c->now);
}

static void copy_row(const tables *x, int r, tables *to, int i)
{
    to->first[i] = to->length[i] = x->first[r];
    to->own[i] = x->own[r];
    memcpy(to->which + (size_t)i * (size_t)to->max_length,
           x->which + (size_t)r * (size_t)x->max_length, (size_t)x->first[r] * sizeof *x->which);
}

/* The same rows and n more, with `longest` entries each, in c->next. */
static bool build_next(at_cache *c, int n, int max_length)
{
    if (n > INT_MAX - c->now.rows || !lay_tables(&c->next, c->now.rows + n, max_length))
        return false;
    for (int i = 0; i < c->now.rows; i++)
        copy_row(&c->now, i, &c->next, i);
    for (int i = c->now.rows; i < c->next.rows; i++) {
        c->next.first[i] = c->next.length[i] = 0;
        c->next.own[i] = NONE;
    }
    return true;
}

void at_cache_clear(at_cache *c) { c->now.rows = c->now.max_length = 0; }

attend_status at_cache_join(at_cache *c, int n, attend_error *err)
{
    int max_length = 0;
    for (int r = 0; r < c->now.rows; r++)
        max_length = larger(max_length, c->now.first[r]);
    if (!build_next(c, n, max_length))
        return at_error_memory(err);
    swap_tables(c);
    return ATTEND_OK;
}

attend_status at_cache_reorder(at_cache *c, int n, const int *from, attend_error *err)
{
    int max_length = 0;
    for (int i = 0; i < n; i++) {
        assert(from[i] >= 0 && from[i] < c->now.rows);
        max_length = larger(max_length, c->now.first[from[i]]);
    }
    if (!lay_tables(&c->next, n, max_length))
        return at_error_memory(err);
    for (int i = 0; i < n; i++) {
        copy_row(&c->now, from[i], &c->next, i);
        c->now.own[from[i]] = NONE; /* the first continuation has it */
    }
    swap_tables(c);
    return ATTEND_OK;
}

/* ---- one step ------------------------------------------------------------------------------- */

typedef struct {
    int n;
    const int *counts;
} step;

static int count_of(step s, int r) { return s.counts ? s.counts[r] : s.n; }

/* positions of a row that the step leaves there */
static int kept(const at_cache *c, const tables *x, step s, int r)
{
    return c->state && count_of(s, r) ? 0 : x->first[r];
}

/* length of the longest row after the step, or -1 where it is more than an int */
static int max_length_after(const at_cache *c, step s)
{
    int max_length = 0;
    for (int r = 0; r < c->now.rows; r++) {
        assert(count_of(s, r) >= 0 && count_of(s, r) <= (c->state ? 1 : s.n));
        if (count_of(s, r) > INT_MAX - c->now.first[r])
            return -1;
        max_length = larger(max_length, kept(c, &c->now, s, r) + count_of(s, r));
    }
    return max_length;
}

/* top[i]: from which position on no row refers to column i; INT_MAX where a row owns it. Rows lose
 * columns in which others refer to what they would write. */
static void find_tops(at_cache *c, tables *x, step s)
{
    for (int i = 0; i < c->top_size; i++)
        c->top[i] = 0;
    for (int r = 0; r < x->rows; r++)
        for (int j = 0; j < kept(c, x, s, r); j++) {
            int *top = &c->top[x->which[(size_t)r * (size_t)x->max_length + (size_t)j]];
            *top = larger(*top, j + 1);
        }
    for (int r = 0; r < x->rows; r++)
        if (x->own[r] != NONE && c->top[x->own[r]] > kept(c, x, s, r))
            x->own[r] = NONE;
        else if (x->own[r] != NONE)
            c->top[x->own[r]] = INT_MAX;
}

static bool grow_tops(at_cache *c, int rows)
{
    if (rows > INT_MAX / 2 - c->columns)
        return false;
    int size = c->columns + rows; /* more columns than these are never used */
    if (size <= c->top_size)
        return true;
    at_free(c->top);
    c->top = at_alloc((size_t)size * sizeof *c->top);
    c->top_size = c->top ? size : 0;
    return c->top;
}

/* Gives every row that grows a column; returns how many columns there must be, or -1. */
static int own_columns(at_cache *c, tables *x, step s)
{
    int columns = c->columns;
    bool scan = c->state; /* what a row overwrites may be the state of another */
    for (int r = 0; r < x->rows; r++)
        scan |= x->own[r] == NONE && count_of(s, r);
    if (!scan)
        return columns;
    if (!grow_tops(c, x->rows))
        return -1;
    find_tops(c, x, s);
    for (int r = 0; r < x->rows; r++) {
        if (x->own[r] != NONE || !count_of(s, r))
            continue;
        int i = r; /* where it needs no table, if that is free */
        if (c->top[i] > kept(c, x, s, r))
            i = 0;
        while (c->top[i] > kept(c, x, s, r))
            i++;
        x->own[r] = i;
        c->top[i] = INT_MAX;
        columns = larger(columns, i + 1);
    }
    return columns;
}

static void add_positions(const at_cache *c, tables *x, step s)
{
    for (int r = 0; r < x->rows; r++) {
        int *which = x->which + (size_t)r * (size_t)x->max_length;
        x->first[r] = kept(c, x, s, r);
        x->length[r] = x->first[r] + count_of(s, r);
        for (int j = x->first[r]; j < x->length[r]; j++)
            which[j] = x->own[r];
    }
}

attend_status at_cache_extend(at_cache *c, int n, const int *counts, attend_error *err)
{
    step s = {n, counts};
    int max_length = max_length_after(c, s), columns = -1;
    if (max_length >= 0 && build_next(c, 0, max_length))
        columns = own_columns(c, &c->next, s);
    if (columns < 0 || !grow(c, columns, max_length))
        return at_error_memory(err);
    add_positions(c, &c->next, s);
    c->added = n;
    swap_tables(c);
    return ATTEND_OK;
}

void at_cache_write(at_tape *t, at_cache *c, int i, const at_tensor *x, int begin)
{
    const stream *s = &c->stream[i];
    const tables *now = &c->now;
    size_t n = (size_t)c->added, wide;
    if (at_failed(t))
        return;
    wide = (size_t)at_shape_last(x->shape);
    if (at_shape_rows(x->shape) != (size_t)now->rows * n || wide < (size_t)(begin + s->width)) {
        at_fail(t, "cache: columns %d..%d of %s do not fit %d new positions of %d rows", begin,
                begin + s->width - 1, at_shape_print(x->shape).text, c->added, now->rows);
        return;
    }
    for (int r = 0; r < now->rows; r++) {
        const real *from = x->value + (size_t)r * n * wide + begin;
        for (int j = now->first[r]; j < now->length[r]; j++, from += wide)
            memcpy(vector_at(s, now->own[r], j), from, (size_t)s->width * sizeof *from);
    }
}

void at_cache_commit(at_cache *c)
{
    if (c->now.rows)
        memcpy(c->now.first, c->now.length, (size_t)c->now.rows * sizeof *c->now.first);
}

/* ---- reading -------------------------------------------------------------------------------- */

int at_cache_count(const at_cache *c) { return c->now.rows; }
int at_cache_max_length(const at_cache *c) { return c->now.max_length; }
const int *at_cache_lengths(const at_cache *c) { return c->now.length; }
const int *at_cache_firsts(const at_cache *c) { return c->now.first; }

at_rows at_cache_rows(const at_cache *c, int i)
{
    const stream *s = &c->stream[i];
    return (at_rows){.data = s->data,
                     .rows = c->now.max_length,
                     .width = s->width,
                     .ld = s->width,
                     .step = (ptrdiff_t)s->capacity * s->width,
                     .which = c->straight ? NULL : c->now.which};
}

at_tensor *at_cache_gather(at_tape *t, const at_cache *c, int i)
{
    const stream *s = &c->stream[i];
    const tables *x = &c->now;
    at_tensor *y = at_new(t, c->state ? SHAPE(x->rows, s->width)
                                      : SHAPE(x->rows, x->max_length, s->width));
    size_t bytes = (size_t)s->width * sizeof *y->value;
    real *to = at_failed(t) ? NULL : y->value;
    for (int r = 0; to && r < x->rows; r++)
        for (int j = 0; j < (c->state ? 1 : x->max_length); j++, to += s->width)
            if (j < x->length[r])
                memcpy(to, vector_at(s, x->which[(size_t)r * (size_t)x->max_length + (size_t)j], j),
                       bytes);
            else
                memset(to, 0, bytes);
    return y;
}
