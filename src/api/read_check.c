/* What is to be read: copied, and checked so that every complaint names the array, its sizes and
 * the remedy. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/reading.h"
#include "base/memory.h"
#include "store/safetensors.h"

enum {
    MOST_WEIGHTS = 1 << 28, /* of one reading, and of one parameter */
    FARTHEST = 1 << 28,     /* position */
};

const at_read_array at_read_arrays[] = {
    {"queries", offsetof(attend_read_options, queries)},
    {"keys", offsetof(attend_read_options, keys)},
    {"values", offsetof(attend_read_options, values)},
    {"mask", offsetof(attend_read_options, mask)},
    {"lengths", offsetof(attend_read_options, lengths)},
    {"centres", offsetof(attend_read_options, centres)},
    {NULL, 0},
};

/* ---- arrays ------------------------------------------------------------------------------- */

bool at_array_len(attend_array a, size_t *len)
{
    *len = 1;
    for (int i = 0; i < a.rank; i++)
        if (!at_size_multiply(*len, a.shape[i], len))
            return false;
    return true;
}

at_array_text at_array_print(attend_array a)
{
    int64_t dim[4] = {0};
    at_array_text out;
    for (int i = 0; i < a.rank; i++)
        dim[i] = (int64_t)a.shape[i];
    snprintf(out.text, sizeof out.text, "%s", at_sizes_print(a.rank, dim).text);
    return out;
}

attend_status at_array_copy(attend_reading *r, const char *name, attend_array *a, attend_error *err)
{
    size_t len;
    if (a->rank < 0 || a->rank > 4)
        return at_error(err, ATTEND_SHAPE, "%s has %d axes; give it at most 4", name, a->rank);
    if (!a->data)
        return ATTEND_OK;
    if (!at_array_len(*a, &len) || len > SIZE_MAX / sizeof(double))
        return at_error_memory(err);
    double *copy = at_arena_alloc(&r->memory, (len ? len : 1) * sizeof *copy);
    if (!copy)
        return at_error_memory(err);
    for (size_t i = 0; i < len; i++) {
        if (!isfinite((real)a->data[i]))
            return at_error(err, ATTEND_NUMBER,
                            "%s %s: number %zu of it, counted from 0, is %g; only finite numbers "
                            "can be read",
                            name, at_array_print(*a).text, i, a->data[i]);
        copy[i] = a->data[i];
    }
    a->data = copy;
    return ATTEND_OK;
}

static attend_status copy_labels(attend_reading *r, const char *const **labels, size_t count,
                                 attend_error *err)
{
    if (!*labels)
        return ATTEND_OK;
    size_t bytes;
    const char **copy = NULL;
    if (at_size_multiply(count, sizeof *copy, &bytes) && bytes < SIZE_MAX / 2)
        copy = at_arena_alloc_small(&r->memory, bytes + sizeof *copy);
    if (!copy)
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!(copy[i] = at_arena_strdup(&r->memory, (*labels)[i])))
            return at_error_memory(err);
    *labels = copy;
    return ATTEND_OK;
}

static attend_status copy_input(attend_reading *r, attend_error *err)
{
    attend_read_options *o = &r->input;
    attend_status status = ATTEND_OK;
    for (const at_read_array *a = at_read_arrays; a->name && status >= 0; a++)
        status = at_array_copy(r, a->name, at_read_array_of(o, a), err);
    if (status >= 0)
        status = copy_labels(r, &o->query_labels, o->query_label_count, err);
    return status < 0 ? status : copy_labels(r, &o->key_labels, o->key_label_count, err);
}

/* ---- do they fit together? ---------------------------------------------------------------- */

/* [n,d] as [1,n,d] */
static attend_status make_batch(const char *name, attend_array *a, attend_error *err)
{
    if (!a->data)
        return at_error(err, ATTEND_FORMAT, "there are no %s; they are needed", name);
    if (a->rank != 2 && a->rank != 3)
        return at_error(err, ATTEND_SHAPE,
                        "%s are %s; make them (number, width) or (batch, number, width)", name,
                        at_array_print(*a).text);
    if (a->rank == 2) {
        *a = (attend_array){a->data, 3, {1, a->shape[0], a->shape[1]}};
    }
    for (int i = 0; i < 3; i++)
        if (a->shape[i] < 1 || a->shape[i] > INT_MAX)
            return at_error(err, ATTEND_SHAPE,
                            "%s are %s; every size must be 1 or more, and below 2^31", name,
                            at_array_print(*a).text);
    return ATTEND_OK;
}

static attend_status check_sizes(attend_reading *r, attend_error *err)
{
    attend_read_options *o = &r->input;
    r->batched = o->queries.rank == 3 || o->keys.rank == 3;
    attend_status status = make_batch("queries", &o->queries, err);
    if (status >= 0)
        status = make_batch("keys", &o->keys, err);
    r->own_values = o->values.data;
    if (status >= 0 && !o->values.data)
        o->values = o->keys;
    else if (status >= 0)
        status = make_batch("values", &o->values, err);
    if (status < 0)
        return status;
    const size_t *q = o->queries.shape, *k = o->keys.shape, *v = o->values.shape;
    if (q[0] != k[0] || k[0] != v[0])
        return at_error(err, ATTEND_SHAPE,
                        "queries %s, keys %s and values %s have %zu, %zu and %zu sentences; give "
                        "all the same number",
                        at_array_print(o->queries).text, at_array_print(o->keys).text,
                        at_array_print(o->values).text, q[0], k[0], v[0]);
    if (k[1] != v[1])
        return at_error(err, ATTEND_SHAPE,
                        "keys %s and values %s: %zu key%s %zu value%s; give each key one, or "
                        "leave the values out to take the keys",
                        at_array_print(o->keys).text, at_array_print(o->values).text, k[1],
                        k[1] == 1 ? " has" : "s have", v[1], v[1] == 1 ? "" : "s");
    r->batch = q[0], r->queries = q[1], r->keys = k[1];
    return ATTEND_OK;
}

static attend_status check_labels(const char *of, const char *const *labels, size_t count,
                                  const attend_reading *r, size_t n, attend_error *err)
{
    if (!labels || count == n || count == n * r->batch)
        return ATTEND_OK;
    return at_error(err, ATTEND_SHAPE, "%zu labels for %zu %s; give each one", count, n, of);
}

/* Nothing that a file asks for makes parameters without end. */
static attend_status check_widths(const attend_read_options *o, const at_how *how,
                                  attend_error *err)
{
    const attend_array *all[] = {&o->queries, &o->keys, &o->values};
    static const char *const names[] = {"queries", "keys", "values"};
    for (int i = 0; i < 3; i++)
        if (all[i]->shape[2] > ATTEND_READ_WIDEST)
            return at_error(err, ATTEND_SHAPE, "%s %s are wider than %d; cut them into parts",
                            names[i], at_array_print(*all[i]).text, ATTEND_READ_WIDEST);
    if (how->score->one_width && !how->heads && o->queries.shape[2] != o->keys.shape[2])
        return at_error(err, ATTEND_SHAPE,
                        "queries %s and keys %s: %s needs equal widths; additive, bilinear and "
                        "heads take any",
                        at_array_print(o->queries).text, at_array_print(o->keys).text,
                        how->score->about.name);
    int positions = at_how_max_length(how, 0);
    if ((double)positions * (double)o->queries.shape[2] > MOST_WEIGHTS
        || o->hidden_size > ATTEND_READ_WIDEST)
        return at_error(err, ATTEND_OPTION,
                        "location for %d positions of width %zu, hidden size %d: choose fewer",
                        positions, o->queries.shape[2], o->hidden_size);
    return ATTEND_OK;
}

/* heads that divide the width, and a number of weights that can be shown */
static attend_status check_work(attend_reading *r, const at_how *how, attend_error *err)
{
    size_t width = r->input.queries.shape[2];
    r->headed = how->heads > 0;
    r->heads = r->headed ? (size_t)how->heads : 1;
    if (width % r->heads)
        return at_error(err, ATTEND_SHAPE,
                        "queries %s: a width of %zu cannot be cut into %zu heads; choose a number "
                        "of heads that divides it",
                        at_array_print(r->input.queries).text, width, r->heads);
    double weights = (double)r->batch * (double)r->heads * (double)r->queries * (double)r->keys;
    if (weights > MOST_WEIGHTS)
        return at_error(err, ATTEND_SHAPE,
                        "queries %s and keys %s have %.3g weights; one read has at most %d: cut "
                        "them into parts",
                        at_array_print(r->input.queries).text, at_array_print(r->input.keys).text,
                        weights, MOST_WEIGHTS);
    attend_status status = check_labels("queries", r->input.query_labels,
                                        r->input.query_label_count, r, r->queries, err);
    return status < 0 ? status
                      : check_labels("keys", r->input.key_labels, r->input.key_label_count, r,
                                     r->keys, err);
}

/* ---- mask, lengths, centres --------------------------------------------------------------- */

/* a whole number from least to most */
static attend_status whole(const char *name, attend_array a, size_t i, int least, int most,
                           int *value, attend_error *err)
{
    double x = a.data[i];
    if (x != floor(x) || x < least || x > most)
        return at_error(err, ATTEND_FORMAT,
                        "%s %s: number %zu of it, counted from 0, is %g; it must be a whole one "
                        "from %d to %d",
                        name, at_array_print(a).text, i, x, least, most);
    *value = (int)x;
    return ATTEND_OK;
}

static attend_status set_lengths(attend_reading *r, at_read_job *j, attend_error *err)
{
    attend_array a = r->input.lengths;
    size_t len;
    if (!a.data)
        return ATTEND_OK;
    if (!at_array_len(a, &len) || a.rank > 1 || len != r->batch)
        return at_error(err, ATTEND_SHAPE, "lengths are %s; give one for each of %zu sentence%s",
                        at_array_print(a).text, r->batch, r->batch == 1 ? "" : "s");
    j->lengths = at_arena_alloc(&r->memory, len * sizeof *j->lengths);
    if (!j->lengths)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (size_t b = 0; b < len && status >= 0; b++)
        status = whole("lengths", a, b, 0, (int)r->keys, &j->lengths[b], err);
    return status;
}

static attend_status set_centres(attend_reading *r, at_read_job *j, attend_error *err)
{
    attend_array a = r->input.centres;
    size_t len, rows = r->batch * r->queries;
    if (!a.data)
        return ATTEND_OK;
    if (!at_array_len(a, &len) || a.rank < 1 || a.rank > 2 || (len != r->queries && len != rows)
        || a.shape[a.rank - 1] != r->queries)
        return at_error(err, ATTEND_SHAPE, "centres are %s; make them (%zu) or (%zu, %zu)",
                        at_array_print(a).text, r->queries, r->batch, r->queries);
    j->centres = at_arena_alloc(&r->memory, rows * sizeof *j->centres);
    if (!j->centres)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < rows && status >= 0; i++)
        status = whole("centres", a, i % len, -FARTHEST, FARTHEST, &j->centres[i], err);
    return status;
}

/* any shape that is [B,Q,K] when sizes of 1 repeat */
static attend_status set_mask(attend_reading *r, at_read_job *j, attend_error *err)
{
    attend_array a = r->input.mask;
    size_t full[3] = {r->batch, r->queries, r->keys}, size[3] = {1, 1, 1}, at = 0;
    if (!a.data)
        return ATTEND_OK;
    bool fits = a.rank >= 1 && a.rank <= 3;
    for (int i = 0; fits && i < a.rank; i++)
        size[3 - a.rank + i] = a.shape[i];
    for (int i = 0; fits && i < 3; i++)
        fits = size[i] == 1 || size[i] == full[i];
    if (!fits)
        return at_error(err, ATTEND_SHAPE,
                        "mask is %s; make it (%zu), one for each key, (%zu, %zu), or (%zu, %zu, "
                        "%zu)",
                        at_array_print(a).text, full[2], full[1], full[2], full[0], full[1],
                        full[2]);
    j->hidden = at_arena_alloc(&r->memory, full[0] * full[1] * full[2]);
    if (!j->hidden)
        return at_error_memory(err);
    for (size_t b = 0; b < full[0]; b++)
        for (size_t i = 0; i < full[1]; i++)
            for (size_t k = 0; k < full[2]; k++)
                j->hidden[at++] =
                    a.data[((b % size[0]) * size[1] + i % size[1]) * size[2] + k % size[2]] == 0;
    return ATTEND_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

attend_status at_read_prepare(attend_reading *r, at_read_job *j, attend_error *err)
{
    const char *text = r->input.attention ? r->input.attention : "scaled-dot";
    attend_status status = at_how_parse(&j->how, text, err);
    if (status < 0)
        return status;
    at_how_print(&j->how, r->attention, sizeof r->attention);
    r->input.attention = r->attention;
    if (r->input.first < -FARTHEST || r->input.first > FARTHEST || r->input.hidden_size < 0)
        return at_error(err, ATTEND_OPTION, "first is %d and hidden_size %d; give smaller numbers",
                        r->input.first, r->input.hidden_size);
    status = copy_input(r, err);
    if (status >= 0 && (status = check_sizes(r, err)) >= 0
        && (status = check_widths(&r->input, &j->how, err)) >= 0
        && (status = check_work(r, &j->how, err)) >= 0 && (status = set_lengths(r, j, err)) >= 0)
        status = set_centres(r, j, err);
    return status < 0 ? status : set_mask(r, j, err);
}
