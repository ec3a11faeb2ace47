/* Backward: the jobs from the last step to the first, then the large products that give the
 * weights' gradients. */
#include "grad/recurrent_job.h"
#include "tensor/vector.h"

/* gradients that reach the state of step s from its output and, at a sentence's last step, from
 * the final state */
static void gather_gradient(const at_recurrent_job *j, int row, int s)
{
    const at_recurrence *l = j->l;
    size_t H = (size_t)l->H, P = (size_t)l->P, r = (size_t)row, b = (size_t)sentence(j, row);
    real *dh = j->dh + r * P;
    if (l->length[b] == s + 1) {
        copy_or_zero(dh, j->dh_n ? j->dh_n + b * P : NULL, P);
        if (j->dc)
            copy_or_zero(j->dc + r * H, j->dc_n ? j->dc_n + b * H : NULL, H);
    }
    if (j->d_output) {
        size_t at = (position(j, row, s) * (size_t)l->directions + (size_t)j->direction) * P;
        at_vector()->add(P, dh, j->d_output + at, dh);
    }
    if (j->full) /* dh of this step, for W_hr's gradient */
        memcpy(j->full + position(j, row, s) * P, dh, P * sizeof(real));
}

static void cell_back(const at_recurrent_job *j, int row, int s)
{
    const at_recurrence *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G;
    size_t at = position(j, row, s), r = (size_t)row, b = (size_t)sentence(j, row);
    const real *c0 = d->c0 ? d->c0 + b * H : j->sum; /* sum: a row of zeros */
    const real *h = state_before(j, row, s);
    real *dgh = j->dgh + r * G, *dgx = j->dgx_all + at * G;
    at_cell_back back = {.H = H,
                         .gates = d->gates + at * G,
                         .extra = d->extra ? d->extra + at * H : NULL,
                         .h = h ? h : j->sum,
                         .h_new = output_row(j, at),
                         .c = !d->c ? NULL
                              : s   ? d->c + position(j, row, s - 1) * H
                                    : c0,
                         .c_new = d->c ? d->c + at * H : NULL,
                         .dh_new = j->dh_cell ? j->dh_cell + r * H : j->dh + r * P,
                         .dc = j->dc ? j->dc + r * H : NULL,
                         .dgx = l->kind->separate ? dgx : dgh,
                         .dgh = dgh,
                         .dh = j->dh_next + r * P};
    l->kind->back(&back);
    memcpy((l->kind->separate ? j->dgh_all : j->dgx_all) + at * G, dgh, G * sizeof(real));
}

static void gather_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const at_recurrent_job_rows *at = arg;
    for (; row < end; row++)
        gather_gradient(at->j, (int)row, at->s);
}

static void back_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const at_recurrent_job_rows *at = arg;
    for (; row < end; row++) {
        if (!at->j->dh_cell)
            gather_gradient(at->j, (int)row, at->s);
        cell_back(at->j, (int)row, at->s);
    }
}

static void run_backward(void *arg, int item)
{
    at_recurrent_job *j = (at_recurrent_job *)arg + item;
    const at_recurrence *l = j->l;
    for (int s = l->T - 1; s >= 0; s--) {
        int rows = running(j, s);
        if (rows == 0)
            continue;
        if (j->dh_cell) {
            at_each_row(j, rows, s, gather_rows);
            at_gemm_packed(rows, 1, (at_matrix){j->dh, l->P, false}, &j->w_hr, 0, j->dh_cell, l->H);
        }
        at_each_row(j, rows, s, back_rows);
        at_gemm_packed(rows, 1, (at_matrix){j->dgh, l->G, false}, &j->w_hh,
                       l->kind->separate ? 1 : 0, j->dh_next, l->P);
        real *done = j->dh;
        j->dh = j->dh_next;
        j->dh_next = done;
    }
}

/* Memory of one direction that its jobs share. The gates of a step, once they are used, give way to
 * their gradient. */
typedef struct {
    real *dgx, *dgh; /* [B,T,G]; the same except for the GRU */
    real *dh;        /* [B,T,P]: with projection, the gradient of every h */
    real *zeros;
} shared;

static bool backward_memory(at_tape *t, const at_recurrence *l, const shared *both,
                            at_recurrent_job *jobs, int count)
{
    at_direction_packed packed[ATTEND_RNN_MAX_DIRECTIONS] = {0};
    at_pack_weights(t, l, false, packed);
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G;
    for (int i = 0; i < count; i++) {
        at_recurrent_job *j = &jobs[i];
        const at_direction *d = &l->dir[j->direction];
        const shared *s = &both[j->direction];
        size_t rows = (size_t)j->rows;
        j->dh = at_brief_reals(t, rows * P);
        j->dh_cell = d->w_hr ? at_brief_reals(t, rows * H) : NULL;
        j->dh_next = at_brief_reals(t, rows * P);
        j->dgh = at_brief_reals(t, rows * G);
        if (l->kind->has_cell)
            j->dc = at_brief_reals(t, rows * H);
        j->dgx_all = s->dgx;
        j->dgh_all = s->dgh;
        j->full = s->dh;
        j->sum = s->zeros;
        j->w_hh = packed[j->direction].w_hh;
        j->w_hr = packed[j->direction].w_hr;
    }
    return !at_failed(t);
}

static bool shared_memory(at_tape *t, const at_recurrence *l, shared both[])
{
    size_t rows = (size_t)l->B * (size_t)l->T, G = (size_t)l->G, P = (size_t)l->P;
    size_t widest = l->H > l->P ? (size_t)l->H : P;
    for (int i = 0; i < l->directions; i++) {
        shared *s = &both[i];
        *s = (shared){.dgx = l->dir[i].gates};
        s->dgh = l->kind->separate ? at_brief_reals(t, rows * G) : s->dgx;
        s->dh = l->dir[i].w_hr ? at_brief_reals(t, rows * P) : NULL;
        s->zeros = at_brief_reals(t, widest);
        if (at_failed(t))
            return false;
        memset(s->zeros, 0, widest * sizeof(real));
        at_clear_padding(l, s->dgx, G);
        if (s->dgh != s->dgx)
            at_clear_padding(l, s->dgh, G);
        if (s->dh)
            at_clear_padding(l, s->dh, P);
    }
    return true;
}

typedef struct {
    at_recurrent_job whole; /* all sentences of a direction */
    real *all;              /* [B,T,P] */
} copying;

static void copy_states(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const copying *b = arg;
    const at_recurrent_job *j = &b->whole;
    size_t P = (size_t)j->l->P;
    for (; row < end; row++)
        for (int s = 0; s < j->l->length[sentence(j, (int)row)]; s++)
            copy_or_zero(b->all + position(j, (int)row, s) * P, state_before(j, (int)row, s), P);
}

/* rows of the state before each step, zeros where there is none */
static real *states_before(at_tape *t, const at_recurrence *l, int direction)
{
    size_t P = (size_t)l->P;
    copying b = {{.l = l, .direction = direction, .stride = 1, .rows = l->B},
                 at_brief_reals(t, (size_t)l->B * (size_t)l->T * P)};
    if (!b.all)
        return NULL;
    at_clear_padding(l, b.all, P);
    at_parallel_for(l->B, ATTEND_VECTOR_GRAIN / ((ptrdiff_t)P * l->T + 1) + 1, copy_states, &b);
    return b.all;
}

/* the large products, after all steps are done */
static void weight_gradients(const at_node *n, const at_recurrence *l, int direction,
                             const shared *s)
{
    int rows = l->B * l->T, base = 1 + direction * INPUTS_PER_DIRECTION;
    const at_direction *d = &l->dir[direction];
    real beta, *to = at_grad_in(n, 0, &beta);
    if (to)
        at_weight_back(n->tape, d->w_ih, false, rows, s->dgx, beta, to);
    at_weight_gradient(n, base, rows, s->dgx, n->in[0]->value);
    real *before = n->in[base + 1]->wants_grad ? states_before(n->tape, l, direction) : NULL;
    if (before)
        at_weight_gradient(n, base + 1, rows, s->dgh, before);
    if ((to = at_grad_in(n, base + 2, &beta)))
        at_columns_sum((size_t)rows, l->G, s->dgx, beta, to);
    if ((to = at_grad_in(n, base + 3, &beta)))
        at_columns_sum((size_t)rows, l->G, s->dgh, beta, to);
    if (d->w_hr) {
        at_clear_padding(l, d->full, (size_t)l->H);
        at_weight_gradient(n, base + 4, rows, s->dh, d->full);
    }
}

/* gradients of the initial states: what is left after the first step */
static void initial_gradients(const at_node *n, const at_recurrent_job *j)
{
    const at_recurrence *l = j->l;
    int base = 1 + j->direction * INPUTS_PER_DIRECTION;
    size_t H = (size_t)l->H, P = (size_t)l->P;
    real *dh0 = at_grad_add(n, base + 5), *dc0 = at_grad_add(n, base + 6);
    for (int r = 0; r < j->rows; r++) {
        size_t b = (size_t)sentence(j, r), row = (size_t)r;
        bool empty = l->length[b] == 0; /* its final state is the initial one */
        const real *dh = empty ? (j->dh_n ? j->dh_n + b * P : NULL) : j->dh + row * P;
        const real *dc = empty ? j->dc_n : j->dc;
        dc = dc ? dc + (empty ? b : row) * H : NULL;
        if (dh0 && dh)
            at_vector()->add(P, dh0 + b * P, dh, dh0 + b * P);
        if (dc0 && dc)
            at_vector()->add(H, dc0 + b * H, dc, dc0 + b * H);
    }
}

/* what the layer kept is of no more use; of one step it is too small to be worth it */
static void spare_memory(at_tape *t, const at_recurrence *l)
{
    size_t rows = (size_t)l->B * (size_t)l->T;
    for (int i = 0; i < l->directions && l->T > 1; i++) {
        const at_direction *d = &l->dir[i];
        at_tape_spare(t, d->gates, rows * (size_t)l->G);
        if (d->extra)
            at_tape_spare(t, d->extra, rows * (size_t)l->H);
        if (d->c)
            at_tape_spare(t, d->c, rows * (size_t)l->H);
    }
}

void at_recurrent_backward(const at_node *n)
{
    const at_recurrence *l = n->saved;
    shared both[ATTEND_RNN_MAX_DIRECTIONS];
    int count;
    at_recurrent_job *jobs = at_plan_jobs(n->tape, l, false, &count);
    if (!jobs || !shared_memory(n->tape, l, both)
        || !backward_memory(n->tape, l, both, jobs, count))
        return;
    for (int i = 0; i < count; i++) {
        jobs[i].d_output = at_grad_out(n, 0);
        jobs[i].dh_n = at_grad_out(n, 1 + 2 * jobs[i].direction);
        jobs[i].dc_n = at_grad_out(n, 2 + 2 * jobs[i].direction);
    }
    at_parallel_each(count, at_recurrent_job_work(&jobs[0]), run_backward, jobs);
    for (int i = 0; i < l->directions; i++)
        weight_gradients(n, l, i, &both[i]);
    for (int i = 0; i < count; i++)
        initial_gradients(n, &jobs[i]);
    spare_memory(n->tape, l);
}
