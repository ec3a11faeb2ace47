#include "grad/recurrent_job.h"

#include "tensor/vector.h"

static int jobs_per_direction(const at_recurrence *l, bool forward)
{
    enum { FEW = 4, TILE = 16 }; /* rows that a thread needs, so that the product is fast */
    enum { WIDE = 8 << 20 };     /* bytes of W_hh that no core keeps near */
    if ((size_t)l->G * (size_t)l->P * sizeof(real) > WIDE)
        return 1;
    int fewest = !forward && at_gemm_tiled(l->B, l->P, l->G) ? TILE : FEW;
    int n = at_threads() / l->directions, max = (l->B + fewest - 1) / fewest;
    n = n < 1 ? 1 : n;
    return n < max ? n : max < 1 ? 1 : max;
}

double at_recurrent_job_work(const at_recurrent_job *j)
{
    return (double)j->rows * j->l->T * j->l->G * (j->l->P + 8);
}

at_recurrent_job *at_plan_jobs(at_tape *t, const at_recurrence *l, bool forward, int *count)
{
    int each = jobs_per_direction(l, forward);
    *count = each * l->directions;
    at_recurrent_job *jobs = at_scratch(t, (size_t)*count * sizeof *jobs);
    for (int i = 0; jobs && i < *count; i++) {
        int first = i % each;
        jobs[i] = (at_recurrent_job){.l = l,
                                     .direction = i / each,
                                     .first = first,
                                     .stride = each,
                                     .rows = (l->B - first + each - 1) / each};
    }
    return jobs;
}

/* A layer of many steps is rarely run twice in a step of training; the cell of a decoder, which has
 * one, is run for each word. */
static at_packed packed(at_tape *t, const at_recurrence *l, at_tensor *w, bool forward)
{
    return forward ? at_weight_packed(t, w, true, l->B * l->T, l->T > 1)
                   : at_weight_packed_back(t, w, false, l->B);
}

void at_pack_weights(at_tape *t, const at_recurrence *l, bool forward, at_direction_packed *to)
{
    for (int i = 0; i < l->directions; i++) {
        const at_direction *d = &l->dir[i];
        to[i].w_hh = packed(t, l, d->w_hh, forward);
        if (d->w_hr)
            to[i].w_hr = packed(t, l, d->w_hr, forward);
    }
}

void at_each_row(const at_recurrent_job *j, int rows, int s, at_part *part)
{
    at_recurrent_job_rows at = {j, s};
    at_parallel_for(rows, ATTEND_VECTOR_GRAIN / j->l->G + 1, part, &at);
}

void at_clear_padding(const at_recurrence *l, real *rows, size_t width)
{
    for (int b = 0; b < l->B; b++) {
        size_t from = (size_t)b * (size_t)l->T + (size_t)l->length[b];
        memset(rows + from * width, 0, (size_t)(l->T - l->length[b]) * width * sizeof *rows);
    }
}
