/* What is wanted of attention, and what was computed of it. */
#include "attention/record.h"

#include <string.h>

#include "grad/ops.h"

bool at_attention_record_wants(const at_attention_record *r, attend_attention_kind kind, int layer)
{
    return r && (r->kinds >> kind & 1) && (r->layer < 0 || r->layer == layer);
}

void at_attention_record_add(at_attention_record *r, attend_attention_kind kind, int layer,
                             at_tensor *weights)
{
    if (weights && r && r->count < ATTEND_RECORD_MAX && at_attention_record_wants(r, kind, layer))
        r->item[r->count++] = (at_recorded){kind, layer, weights};
}

at_tensor *at_attention_record_matrix(at_tape *t, const at_attention_record *r,
                                      attend_attention_kind kind, at_attention_choice choice)
{
    for (int i = r->count - 1; i >= 0; i--) {
        at_tensor *w = r->item[i].weights;
        if (r->item[i].kind != kind || (choice.layer >= 0 && r->item[i].layer != choice.layer))
            continue;
        return at_mean_axis(
            t, choice.head < 0 ? w : at_slice(t, w, 1, choice.head, choice.head + 1), 1);
    }
    return NULL;
}

at_attention_rows at_attention_record_rows(const at_attention_record *r,
                                           const at_attention_record *wanted, int b, int queries,
                                           int keys, at_arena *memory)
{
    size_t n = 1;
    for (int i = 0; i < r->count; i++)
        n += (size_t)r->item[i].weights->shape.dim[1] * (size_t)r->item[i].weights->shape.dim[2];
    at_attention_row *rows = at_arena_alloc(memory, n * sizeof *rows);
    int count = 0;
    for (int i = 0; rows && i < r->count; i++) {
        const at_recorded *from = &r->item[i];
        const int *dim = from->weights->shape.dim;
        int H = dim[1], Q = dim[2], K = dim[3];
        const real *weights = from->weights->value + (size_t)b * (size_t)H * (size_t)Q * (size_t)K;
        for (int h = 0; h < H; h++)
            for (int q = 0; q < Q; q++, weights += K)
                if (at_attention_record_wants(wanted, from->kind, from->layer)
                    && (wanted->head < 0 || wanted->head == h) && (!queries || q < queries))
                    rows[count++] = (at_attention_row){
                        from->kind, from->layer, h, q, keys && keys < K ? keys : K, weights};
    }
    return (at_attention_rows){rows ? count : -1, rows};
}

at_attention_rows at_attention_record_copy(const at_attention_record *r,
                                           const at_attention_record *wanted, int b, int queries,
                                           int keys, at_arena *memory)
{
    at_attention_rows rows = at_attention_record_rows(r, wanted, b, queries, keys, memory);
    for (int i = 0; i < rows.count; i++) {
        at_attention_row *own = (at_attention_row *)&rows.row[i];
        size_t n = (size_t)own->keys * sizeof(real);
        real *copy = at_arena_alloc_small(memory, n + 1);
        if (!copy)
            return (at_attention_rows){-1, NULL};
        own->weights = memcpy(copy, own->weights, n);
    }
    return rows;
}
