#include "grad/recurrent_job.h"

#include "tensor/vector.h"

static int jobs_per_direction(const at_recurrence *l)
{
    enum { FEWEST_ROWS = 4, WIDE = 8 << 20 }; /* bytes of W_hh that no core keeps near */
    if ((size_t)l->G * (size_t)l->P * sizeof(real) > WIDE)
        return 1;
    int n = at_threads() / l->directions, most = (l->B + FEWEST_ROWS - 1) / FEWEST_ROWS;
    n = n < 1 ? 1 : n;
    return n < most ? n : most < 1 ? 1 : most;
}

double at_job_work(const at_job *j) { return (double)j->rows * j->l->T * j->l->G * (j->l->P + 8); }

at_job *at_plan_jobs(at_tape *t, const at_recurrence *l, int *count)
{
    int each = jobs_per_direction(l);
    *count = each * l->directions;
    at_job *jobs = at_scratch(t, (size_t)*count * sizeof *jobs);
    for (int i = 0; jobs && i < *count; i++) {
        int first = i % each;
        jobs[i] = (at_job){.l = l,
                           .direction = i / each,
                           .first = first,
                           .stride = each,
                           .rows = (l->B - first + each - 1) / each};
    }
    return jobs;
}

void at_pack_weights(at_tape *t, const at_recurrence *l, bool forward, at_direction_packed *to)
{
    int rows = forward ? l->B * l->T : 0;
    for (int i = 0; i < l->directions; i++) {
        const at_direction *d = &l->dir[i];
        to[i].w_hh = at_weight_packed(t, d->w_hh, forward, rows);
        if (d->w_hr)
            to[i].w_hr = at_weight_packed(t, d->w_hr, forward, rows);
    }
}

void at_each_row(const at_job *j, int rows, int s, at_part *part)
{
    at_job_rows at = {j, s};
    at_parallel_for(rows, ATTEND_VECTOR_GRAIN / j->l->G + 1, part, &at);
}

void at_clear_padding(const at_recurrence *l, real *rows, size_t width)
{
    for (int b = 0; b < l->B; b++) {
        size_t from = (size_t)b * (size_t)l->T + (size_t)l->length[b];
        memset(rows + from * width, 0, (size_t)(l->T - l->length[b]) * width * sizeof *rows);
    }
}
