/* attend_reading: what a read gave, looked at, as JSON, and as a file that can be read again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/reading.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "store/safetensors.h"

void attend_reading_free(attend_reading *r)
{
    if (!r)
        return;
    at_arena_free(&r->memory);
    at_str_free(&r->json);
    at_free(r);
}

const char *attend_reading_attention(const attend_reading *r) { return r->attention; }

/* ---- its arrays --------------------------------------------------------------------------- */

/* an array of the reading, and how many of its first axes a file leaves out */
typedef struct {
    const char *name;
    attend_array array;
    bool batch, heads; /* whether it has these axes */
} part;

enum { PARTS = 10 };

/* in the order of a file */
static int parts_of(const attend_reading *r, part all[PARTS])
{
    const attend_read_options *in = &r->input;
    const part every[PARTS] = {
        {"queries", in->queries, true, false},
        {"keys", in->keys, true, false},
        {"values", r->own_values ? in->values : (attend_array){0}, true, false},
        {"mask", in->mask, false, false},
        {"lengths", in->lengths, false, false},
        {"centres", in->centres, false, false},
        {"scores", r->scores, true, true},
        {"weights", r->weights, true, true},
        {"context", r->context, true, false},
        {"centre", r->centre, true, true},
    };
    int n = 0;
    for (int i = 0; i < PARTS; i++)
        if (every[i].array.data)
            all[n++] = every[i];
    return n;
}

/* the array without the axes of one that nobody asked for */
static attend_array shown(const attend_reading *r, const part *p)
{
    attend_array a = {.data = p->array.data};
    for (int i = 0; i < p->array.rank; i++) {
        bool batch = p->batch && i == 0 && !r->batched;
        bool heads = p->heads && i == 1 && !r->headed;
        if (!batch && !heads)
            a.shape[a.rank++] = p->array.shape[i];
    }
    return a;
}

attend_array attend_reading_array(const attend_reading *r, const char *name)
{
    part all[PARTS];
    if (strcmp(name, "values") == 0)
        return r->input.values;
    for (int i = parts_of(r, all) - 1; i >= 0; i--)
        if (strcmp(all[i].name, name) == 0)
            return all[i].array;
    return (attend_array){0};
}

int attend_reading_parameter(const attend_reading *r, size_t index, attend_parameter *parameter)
{
    if (index >= r->input.parameter_count)
        return 0;
    *parameter = r->input.parameters[index];
    return 1;
}

const char *attend_reading_label(const attend_reading *r, const char *of, size_t sentence,
                                 size_t index)
{
    bool key = strcmp(of, "keys") == 0;
    const char *const *labels = key ? r->input.key_labels : r->input.query_labels;
    size_t count = key ? r->input.key_label_count : r->input.query_label_count;
    size_t n = key ? r->keys : r->queries, at = count == n ? index : sentence * n + index;
    return labels && index < n && at < count ? labels[at] : NULL;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* rows on lines of their own; what is not finite is null */
static void put_array(at_str *out, const size_t *shape, int rank, const double **data, int depth)
{
    char number[32];
    if (rank == 0) {
        double x = *(*data)++;
        at_str_add(out, isfinite(x) ? at_number_print_real(number, x) : "null");
        return;
    }
    at_str_add(out, "[");
    for (size_t i = 0; i < shape[0]; i++) {
        if (i)
            at_str_add(out, rank > 1 ? ",\n" : ", ");
        at_str_repeat(out, " ", i && rank > 1 ? depth + 1 : 0);
        put_array(out, shape + 1, rank - 1, data, depth + 1);
    }
    at_str_add(out, "]");
}

static void put_member(at_str *out, const char *name, attend_array a, int indent)
{
    const double *data = a.data;
    at_str_add_json(out, name);
    at_str_add(out, ": ");
    put_array(out, a.shape, a.rank, &data, indent + (int)strlen(name) + 4);
}

static void put_labels_of(at_str *out, const char *const *labels, size_t count, size_t n)
{
    bool nested = count != n;
    at_str_add(out, nested ? "[[" : "[");
    for (size_t i = 0; i < count; i++) {
        at_str_add(out, !i ? "" : nested && i % n == 0 ? "], [" : ", ");
        at_str_add_json(out, labels[i]);
    }
    at_str_add(out, nested ? "]]" : "]");
}

/* {"queries": [...], "keys": [...]}, or nothing */
static void put_labels(at_str *out, const attend_reading *r)
{
    const attend_read_options *in = &r->input;
    at_str_add(out, "{");
    if (in->query_labels) {
        at_str_add(out, "\"queries\": ");
        put_labels_of(out, in->query_labels, in->query_label_count, r->queries);
    }
    at_str_add(out, in->query_labels && in->key_labels ? ", " : "");
    if (in->key_labels) {
        at_str_add(out, "\"keys\": ");
        put_labels_of(out, in->key_labels, in->key_label_count, r->keys);
    }
    at_str_add(out, "}");
}

static void put_parameters(at_str *out, const attend_reading *r)
{
    at_str_add(out, ",\n  \"parameters\": {");
    for (size_t i = 0; i < r->input.parameter_count; i++) {
        at_str_add(out, i ? ",\n    " : "\n    ");
        put_member(out, r->input.parameters[i].name, r->input.parameters[i].array, 4);
    }
    at_str_add(out, "\n  }");
}

static void put_reading(at_str *out, const attend_reading *r)
{
    part all[PARTS];
    int n = parts_of(r, all);
    at_str_add(out, "{\n  \"attention\": ");
    at_str_add_json(out, r->attention);
    if (r->input.query_labels || r->input.key_labels) {
        at_str_add(out, ",\n  \"labels\": ");
        put_labels(out, r);
    }
    if (r->input.causal)
        at_str_add(out, ",\n  \"causal\": true");
    if (r->input.first)
        at_str_print(out, ",\n  \"first\": %d", r->input.first);
    if (r->input.parameter_count)
        put_parameters(out, r);
    for (int i = 0; i < n; i++) {
        at_str_add(out, ",\n  ");
        put_member(out, all[i].name, shown(r, &all[i]), 2);
    }
    at_str_add(out, "\n}\n");
}

const char *attend_reading_json(attend_reading *r)
{
    if (!r->json.length)
        put_reading(&r->json, r);
    return r->json.failed ? NULL : at_str_text(&r->json);
}

/* ---- files -------------------------------------------------------------------------------- */

/* numbers as they go to the file, in memory of the reading */
static bool store(attend_reading *r, const char *name, attend_array a, at_to_store *to)
{
    size_t len;
    bool fits = at_array_len(a, &len);
    float *numbers = fits ? at_arena_alloc(&r->memory, (len + 1) * sizeof *numbers) : NULL;
    if (!numbers)
        return false;
    for (size_t i = 0; i < len; i++)
        numbers[i] = (float)a.data[i];
    *to = (at_to_store){.name = name, .dtype = ATTEND_DTYPE_F32, .rank = a.rank, .data = numbers};
    for (int i = 0; i < a.rank; i++)
        to->dim[i] = (int64_t)a.shape[i];
    return true;
}

static int notes_of(const attend_reading *r, at_str *labels, char first[16], at_metadata notes[4])
{
    int n = 0;
    notes[n++] = (at_metadata){"attention", r->attention};
    if (r->input.query_labels || r->input.key_labels) {
        put_labels(labels, r);
        notes[n++] = (at_metadata){"labels", at_str_text(labels)};
    }
    if (r->input.causal)
        notes[n++] = (at_metadata){"causal", "true"};
    snprintf(first, 16, "%d", r->input.first);
    if (r->input.first)
        notes[n++] = (at_metadata){"first", first};
    return n;
}

static attend_status save_tensors(attend_reading *r, const char *path, attend_error *err)
{
    part all[PARTS];
    at_metadata notes[4];
    at_str labels = {0};
    char first[16];
    int n = parts_of(r, all), count = 0, note_count = notes_of(r, &labels, first, notes);
    at_arena_mark mark = at_arena_mark_here(&r->memory);
    at_to_store *to = at_arena_alloc_small(&r->memory,
                                           ((size_t)n + r->input.parameter_count) * sizeof *to);
    bool well = to && !labels.failed;
    for (int i = 0; i < n && well; i++)
        well = store(r, all[i].name, shown(r, &all[i]), &to[count++]);
    for (size_t i = 0; i < r->input.parameter_count && well; i++)
        well = store(r, r->input.parameters[i].name, r->input.parameters[i].array, &to[count++]);
    attend_status status = well ? at_safetensors_save(path, to, count, notes, note_count, err)
                                : at_error_memory(err);
    at_arena_release(&r->memory, mark);
    at_str_free(&labels);
    return status;
}

attend_status attend_reading_save(attend_reading *r, const char *path, attend_error *err)
{
    static const char tensors[] = ".safetensors";
    size_t length = strlen(path), end = sizeof tensors - 1;
    if (length >= end && strcmp(path + length - end, tensors) == 0)
        return save_tensors(r, path, err);
    attend_reading_json(r);
    return at_file_write(path, &r->json, err);
}
