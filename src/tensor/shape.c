#include "tensor/shape.h"

#include <stdint.h>
#include <stdio.h>

bool at_shape_len(at_shape s, size_t *len)
{
    *len = 1;
    for (int i = 0; i < s.rank; i++)
        if (s.dim[i] < 0 || __builtin_mul_overflow(*len, (size_t)s.dim[i], len))
            return false;
    return *len <= SIZE_MAX / 64;
}

bool at_shape_equal(at_shape a, at_shape b)
{
    if (a.rank != b.rank)
        return false;
    for (int i = 0; i < a.rank; i++)
        if (a.dim[i] != b.dim[i])
            return false;
    return true;
}

int at_shape_last(at_shape s) { return s.rank ? s.dim[s.rank - 1] : 1; }

size_t at_shape_rows(at_shape s)
{
    size_t rows = 1;
    for (int i = 0; i + 1 < s.rank; i++)
        rows *= (size_t)s.dim[i];
    return rows;
}

at_shape at_shape_with_last(at_shape s, int last)
{
    if (s.rank)
        s.dim[s.rank - 1] = last;
    return s;
}

at_shape at_shape_matrix(at_shape s)
{
    for (; s.rank > 2; s.rank--)
        s.dim[s.rank - 2] *= s.dim[s.rank - 1];
    return s;
}

at_shape_text at_shape_print(at_shape s)
{
    at_shape_text out = {"("};
    int used = 1;
    for (int i = 0; i < s.rank; i++)
        used += snprintf(out.text + used, sizeof out.text - (size_t)used, i ? ", %d" : "%d",
                         s.dim[i]);
    snprintf(out.text + used, sizeof out.text - (size_t)used, ")");
    return out;
}

bool at_shape_broadcast(at_shape a, at_shape b, at_shape *out)
{
    out->rank = a.rank > b.rank ? a.rank : b.rank;
    for (int i = 1; i <= out->rank; i++) {
        int x = i <= a.rank ? a.dim[a.rank - i] : 1, y = i <= b.rank ? b.dim[b.rank - i] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        out->dim[out->rank - i] = x == 1 ? y : x;
    }
    return true;
}
