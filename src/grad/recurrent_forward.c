/* Forward: the large product with W_ih, then the jobs step by step. */
#include "grad/recurrent_job.h"
#include "tensor/vector.h"

/* what the product with W_hh is added to: the GRU needs it alone with its bias */
static void start_sum(const at_recurrent_job *j, int row, int s)
{
    const at_recurrence *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t G = (size_t)l->G;
    copy_or_zero(j->sum + (size_t)row * G,
                 l->kind->separate ? d->b_hh : d->gates + position(j, row, s) * G, G);
}

static void start_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const at_recurrent_job_rows *at = arg;
    for (; row < end; row++)
        start_sum(at->j, (int)row, at->s);
}

static void cell(const at_recurrent_job *j, int row, int s)
{
    const at_recurrence *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G, r = (size_t)row;
    size_t at = position(j, row, s);
    real *full = j->full ? j->full + r * H : NULL;
    at_cell_step step = {.H = H,
                         .gates = d->gates + at * G,
                         .sum = j->sum + r * G,
                         .h = j->state + r * P,
                         .c = j->c ? j->c + r * H : NULL,
                         .extra = d->extra ? d->extra + at * H : NULL,
                         .h_new = full ? full : j->state + r * P};
    l->kind->step(&step);
    if (d->c)
        memcpy(d->c + at * H, step.c, H * sizeof(real));
    if (full)
        memcpy(d->full + at * H, full, H * sizeof(real));
}

static void keep_output(const at_recurrent_job *j, int row, int s)
{
    size_t P = (size_t)j->l->P;
    memcpy(output_row(j, position(j, row, s)), j->state + (size_t)row * P, P * sizeof(real));
}

/* the cells of step s; all else of these rows until the next product, too, while they are near */
static void cell_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const at_recurrent_job_rows *at = arg;
    const at_recurrent_job *j = at->j;
    for (; row < end; row++) {
        cell(j, (int)row, at->s);
        if (!j->full)
            keep_output(j, (int)row, at->s);
        if (at->s + 1 < j->l->length[sentence(j, (int)row)])
            start_sum(j, (int)row, at->s + 1);
    }
}

static void initial_states(const at_recurrent_job *j)
{
    const at_recurrence *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t H = (size_t)l->H, P = (size_t)l->P;
    for (int r = 0; r < j->rows; r++) {
        size_t b = (size_t)sentence(j, r);
        copy_or_zero(j->state + (size_t)r * P, d->h0 ? d->h0 + b * P : NULL, P);
        if (j->c)
            copy_or_zero(j->c + (size_t)r * H, d->c0 ? d->c0 + b * H : NULL, H);
    }
}

static void run_forward(void *arg, int item)
{
    const at_recurrent_job *j = (const at_recurrent_job *)arg + item;
    const at_recurrence *l = j->l;
    initial_states(j);
    at_each_row(j, running(j, 0), 0, start_rows);
    for (int s = 0, rows; s < l->T && (rows = running(j, s)) > 0; s++) {
        at_gemm_packed(rows, 1, (at_matrix){j->state, l->P, false}, &j->w_hh, 1, j->sum, l->G);
        at_each_row(j, rows, s, cell_rows);
        if (j->full) {
            at_gemm_packed(rows, 1, (at_matrix){j->full, l->H, false}, &j->w_hr, 0, j->state, l->P);
            for (int r = 0; r < rows; r++)
                keep_output(j, r, s);
        }
    }
}

/* h_n and c_n in the sentences' own order */
static void final_states(const at_recurrent_job *j, real *h_n, real *c_n)
{
    const at_recurrence *l = j->l;
    size_t H = (size_t)l->H, P = (size_t)l->P;
    for (int r = 0; r < j->rows; r++) {
        size_t b = (size_t)sentence(j, r), row = (size_t)r;
        memcpy(h_n + b * P, j->state + row * P, P * sizeof *h_n);
        if (c_n)
            memcpy(c_n + b * H, j->c + row * H, H * sizeof *c_n);
    }
}

static bool forward_memory(at_tape *t, const at_recurrence *l, const at_direction_packed *packed,
                           at_recurrent_job *jobs, int count)
{
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G;
    for (int i = 0; i < count; i++) {
        at_recurrent_job *j = &jobs[i];
        size_t rows = (size_t)j->rows;
        const at_direction *d = &l->dir[j->direction];
        j->state = at_scratch_reals(t, rows * P);
        j->sum = at_scratch_reals(t, rows * G);
        if (l->kind->has_cell)
            j->c = at_scratch_reals(t, rows * H);
        if (d->w_hr)
            j->full = at_scratch_reals(t, rows * H);
        j->w_hh = packed[j->direction].w_hh;
        j->w_hr = packed[j->direction].w_hr;
    }
    return !at_failed(t);
}

/* W_ih x plus the biases that can be added at once; both: [G] for their sum */
static void input_products(at_tape *t, const at_recurrence *l, const at_direction *d, const real *x,
                           real *both)
{
    const real *bias = d->b_ih;
    if (d->b_hh && !l->kind->separate) {
        bias = d->b_hh;
        if (d->b_ih) {
            at_vector()->add((size_t)l->G, d->b_ih, d->b_hh, both);
            bias = both;
        }
    }
    at_weight_forward(t, d->w_ih, true, l->B * l->T, x, bias, d->gates);
}

static bool keep_memory(at_tape *t, at_recurrence *l)
{
    size_t rows = (size_t)l->B * (size_t)l->T;
    for (int i = 0; i < l->directions; i++) {
        at_direction *d = &l->dir[i];
        d->gates = at_scratch_reals(t, rows * (size_t)l->G);
        if (l->kind->separate)
            d->extra = at_scratch_reals(t, rows * (size_t)l->H);
        if (l->kind->has_cell)
            d->c = at_scratch_reals(t, rows * (size_t)l->H);
        if (d->w_hr)
            d->full = at_scratch_reals(t, rows * (size_t)l->H);
    }
    return !at_failed(t);
}

/* of a tape that computes nothing */
static void zero_results(const at_recurrence *l, const at_recurrent_result *r)
{
    at_vector_zero(r->output->len, r->output->value);
    for (int i = 0; i < l->directions; i++) {
        at_vector_zero(r->h_n[i]->len, r->h_n[i]->value);
        if (r->c_n[i])
            at_vector_zero(r->c_n[i]->len, r->c_n[i]->value);
    }
}

void at_recurrent_forward(at_tape *t, at_recurrence *l, const real *x, const at_recurrent_result *r)
{
    if (!keep_memory(t, l))
        return;
    if (at_tape_is_dry(t)) {
        zero_results(l, r);
        return;
    }
    int count;
    at_direction_packed packed[ATTEND_RNN_MAX_DIRECTIONS] = {0};
    at_mark mark = at_tape_mark(t);
    real *both = at_scratch_reals(t, (size_t)l->G);
    for (int i = 0; both && i < l->directions; i++)
        input_products(t, l, &l->dir[i], x, both);
    at_pack_weights(t, l, true, packed);
    at_recurrent_job *jobs = at_plan_jobs(t, l, true, &count);
    if (!jobs || !forward_memory(t, l, packed, jobs, count))
        return;
    at_clear_padding(l, l->output, (size_t)(l->directions * l->P));
    at_parallel_each(count, at_recurrent_job_work(&jobs[0]), run_forward, jobs);
    for (int i = 0; i < count; i++) {
        at_tensor *c_n = r->c_n[jobs[i].direction];
        final_states(&jobs[i], r->h_n[jobs[i].direction]->value, c_n ? c_n->value : NULL);
    }
    at_scratch_release(t, mark);
}
