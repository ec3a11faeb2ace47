#include "cli/vector_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

attend_status at_vectors_add(at_vectors *v, const float *vector, int width, attend_error *err)
{
    size_t n = (size_t)width;
    if (v->count == v->room) {
        size_t room = v->room ? 2 * v->room : 256;
        float *value = at_realloc(v->value, v->count * n * sizeof *value, room * n * sizeof *value);
        if (!value)
            return at_error_memory(err);
        v->value = value;
        v->room = room;
    }
    v->width = width;
    memcpy(v->value + v->count++ * n, vector, n * sizeof *vector);
    return ATTEND_OK;
}

attend_status at_vector_file_check(const char *path, bool overwrite, attend_error *err)
{
    if (!at_file_ends(path, ".npy") && !at_file_ends(path, ".safetensors"))
        return at_error(err, ATTEND_OPTION,
                        "--out %s: the name ends in .npy or .safetensors, which tells the format",
                        at_show(path).text);
    if (at_file_exists(path) && !overwrite)
        return at_error(err, ATTEND_OPTION,
                        "--out %s: there is such a file; choose another name, or add --overwrite",
                        at_show(path).text);
    return ATTEND_OK;
}

/* ---- headers -------------------------------------------------------------------------------- */

/* Pads with spaces, so that the numbers begin at a multiple of 64 bytes. */
static void pad(at_str *header, size_t before, const char *end)
{
    while ((before + header->length + strlen(end)) % 64)
        at_str_add(header, " ");
    at_str_add(header, end);
}

/* format 1.0 */
static void npy_header(const at_vectors *v, at_str *out)
{
    at_str text = {0};
    at_str_print(&text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %d), }", v->count,
                 v->width);
    pad(&text, 10, "\n");
    const char size[2] = {(char)(text.length & 255), (char)(text.length >> 8)};
    at_str_add_bytes(out, "\x93NUMPY\x01\x00", 8);
    at_str_add_bytes(out, size, 2);
    at_str_add_bytes(out, at_str_text(&text), text.length);
    out->failed |= text.failed;
    at_str_free(&text);
}

static void safetensors_header(const at_vectors *v, size_t bytes, at_str *out)
{
    at_str text = {0};
    char size[8];
    at_str_print(&text,
                 "{\"embeddings\":{\"dtype\":\"F32\",\"shape\":[%zu,%d],\"data_offsets\":[0,%zu]}}",
                 v->count, v->width, bytes);
    pad(&text, 8, "");
    for (int i = 0; i < 8; i++)
        size[i] = (char)(text.length >> (8 * i) & 255);
    at_str_add_bytes(out, size, sizeof size);
    at_str_add_bytes(out, at_str_text(&text), text.length);
    out->failed |= text.failed;
    at_str_free(&text);
}

attend_status at_vector_file_save(const at_vectors *v, const char *path, attend_error *err)
{
    size_t bytes = v->count * (size_t)v->width * sizeof *v->value;
    at_writer *w;
    at_str header = {0};
    if (at_file_ends(path, ".npy"))
        npy_header(v, &header);
    else
        safetensors_header(v, bytes, &header);
    attend_status status = header.failed ? at_error_memory(err) : at_writer_open(&w, path, err);
    if (status >= 0) {
        at_writer_write(w, at_str_text(&header), header.length);
        at_writer_write(w, v->value, bytes);
        status = at_writer_commit(w, err);
    }
    at_str_free(&header);
    return status;
}

/* ---- similarity ----------------------------------------------------------------------------- */

static double dot(const float *x, const float *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

void at_vectors_similarity(const at_vectors *a, const at_vectors *b, at_str *out)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            const float *x = a->value + i * (size_t)a->width, *y = b->value + k * (size_t)b->width;
            double norm = sqrt(dot(x, x, a->width) * dot(y, y, a->width));
            at_str_print(out, "%.6f%s", norm > 0 ? dot(x, y, a->width) / norm : 0,
                         k + 1 < b->count ? "\t" : "\n");
        }
}
