/* One recurrent layer over all steps, as a single op.
 *
 * W_ih x is one large product over all steps. The recurrence itself is cut into jobs, one per
 * direction and group of sentences; a job runs all its steps on one thread without waiting for
 * anybody, with W_hh packed once. (Sharing the columns of W_hh instead was no faster with a core
 * for each thread, and three times slower without.) Only where a few sentences make a single job do
 * the threads share its steps. Sentences are sorted by length, so that at every step the ones still
 * running are the first rows of the job: padding is never computed. Weight gradients are again one
 * large product over all steps.
 *
 *            t = 0   1   2   3            step s of a sentence reads
 *     len 4  [ x   x   x   x ]            t = s, or len - 1 - s backwards
 *     len 2  [ x   x   .   . ]   */
#include "grad/recurrent.h"

#include <string.h>

#include "base/threads.h"
#include "tensor/gemm.h"
#include "tensor/vector.h"

enum { INPUTS_PER_DIRECTION = 7, MAX_INPUTS = 1 + 2 * INPUTS_PER_DIRECTION };

typedef struct {
    const at_cell_kind *kind;
    int B, T, I, H, P, G, directions;
    int *length; /* [B] */
    int *order;  /* [B]: sentences, longest first */
    at_direction dir[ATTEND_RNN_MAX_DIRECTIONS];
    real *output; /* [B,T,directions*P] */
} layer;

static const at_cell_kind *kind_of(at_cell cell)
{
    switch (cell) {
    case ATTEND_RNN_TANH: return &at_cell_rnn_tanh;
    case ATTEND_RNN_RELU: return &at_cell_rnn_relu;
    case ATTEND_LSTM: return &at_cell_lstm;
    default: return &at_cell_gru;
    }
}

/* ---- jobs: the sentences of one direction that run together ----------------------------- */

typedef struct {
    const layer *l;
    int direction, first, stride; /* takes order[first], order[first + stride], .. */
    int rows;
    at_packed w_hh, w_hr;     /* transposed forward, plain backward */
    real *state, *sum, *full; /* forward: h [rows,P], W_hh h [rows,G], before projection [rows,H] */
    real *c;                  /* [rows,H] */
    /* backward */
    real *dh, *dc, *dgh, *dh_next;
    real *dh_cell;           /* with projection: of the output before it */
    real *dgx_all, *dgh_all; /* [B,T,G] */
    const real *d_output, *dh_n, *dc_n;
} job;

static int sentence(const job *j, int row) { return j->l->order[j->first + row * j->stride]; }

/* where step s of the sentence in this row is, among the B*T rows of the layer */
static size_t place(const job *j, int row, int s)
{
    int b = sentence(j, row), len = j->l->length[b];
    return (size_t)b * (size_t)j->l->T
           + (size_t)(j->l->dir[j->direction].reverse ? len - 1 - s : s);
}

static int running(const job *j, int s)
{
    int rows = j->rows;
    while (rows > 0 && j->l->length[sentence(j, rows - 1)] <= s)
        rows--;
    return rows;
}

static real *output_row(const job *j, size_t at)
{
    const layer *l = j->l;
    return l->output + (at * (size_t)l->directions + (size_t)j->direction) * (size_t)l->P;
}

/* the state before step s: the output of step s - 1, or the initial one, or NULL for zeros */
static const real *state_before(const job *j, int row, int s)
{
    if (s > 0)
        return output_row(j, place(j, row, s - 1));
    const real *h0 = j->l->dir[j->direction].h0;
    return h0 ? h0 + (size_t)sentence(j, row) * (size_t)j->l->P : NULL;
}

static void copy_or_zero(real *to, const real *from, size_t n)
{
    if (from)
        memcpy(to, from, n * sizeof *to);
    else
        memset(to, 0, n * sizeof *to);
}

static int jobs_per_direction(const layer *l)
{
    enum { FEWEST_ROWS = 4 };
    int n = at_threads() / l->directions, most = (l->B + FEWEST_ROWS - 1) / FEWEST_ROWS;
    n = n < 1 ? 1 : n;
    return n < most ? n : most < 1 ? 1 : most;
}

/* multiply-adds of a job's recurrence */
static double job_work(const job *j) { return (double)j->rows * j->l->T * j->l->G * (j->l->P + 8); }

static job *plan_jobs(at_tape *t, const layer *l, int *count)
{
    int each = jobs_per_direction(l);
    *count = each * l->directions;
    job *jobs = at_scratch(t, (size_t)*count * sizeof *jobs);
    for (int i = 0; jobs && i < *count; i++) {
        int first = i % each;
        jobs[i] = (job){.l = l,
                        .direction = i / each,
                        .first = first,
                        .stride = each,
                        .rows = (l->B - first + each - 1) / each};
    }
    return jobs;
}

static at_packed pack(at_tape *t, int n, int k, at_matrix b)
{
    real *panels = at_scratch_reals(t, at_pack_len(n, k));
    return panels ? at_pack(n, k, b, panels) : (at_packed){.n = n, .k = k};
}

/* ---- forward ---------------------------------------------------------------------------- */

/* some rows of a job at one step */
typedef struct {
    const job *j;
    int s;
} rows_at;

/* Rows are as independent as jobs are; inside a job that has one thread, this is a loop. */
static void each_row(const job *j, int rows, int s, at_part *part)
{
    rows_at at = {j, s};
    at_parallel_for(rows, ATTEND_VECTOR_GRAIN / j->l->G + 1, part, &at);
}

/* what the product with W_hh is added to: the GRU needs it alone with its bias */
static void start_sum(const job *j, int row, int s)
{
    const layer *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t G = (size_t)l->G;
    copy_or_zero(j->sum + (size_t)row * G,
                 l->kind->separate ? d->b_hh : d->gates + place(j, row, s) * G, G);
}

static void start_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows_at *at = arg;
    for (; row < end; row++)
        start_sum(at->j, (int)row, at->s);
}

static void cell(const job *j, int row, int s)
{
    const layer *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G, r = (size_t)row;
    size_t at = place(j, row, s);
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

static void keep_output(const job *j, int row, int s)
{
    size_t P = (size_t)j->l->P;
    memcpy(output_row(j, place(j, row, s)), j->state + (size_t)row * P, P * sizeof(real));
}

/* the cells of step s; all else of these rows until the next product, too, while they are near */
static void cell_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows_at *at = arg;
    const job *j = at->j;
    for (; row < end; row++) {
        cell(j, (int)row, at->s);
        if (!j->full)
            keep_output(j, (int)row, at->s);
        if (at->s + 1 < j->l->length[sentence(j, (int)row)])
            start_sum(j, (int)row, at->s + 1);
    }
}

static void initial_states(const job *j)
{
    const layer *l = j->l;
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
    const job *j = (const job *)arg + item;
    const layer *l = j->l;
    initial_states(j);
    each_row(j, running(j, 0), 0, start_rows);
    for (int s = 0, rows; s < l->T && (rows = running(j, s)) > 0; s++) {
        at_gemm_packed(rows, 1, (at_matrix){j->state, l->P, false}, &j->w_hh, 1, j->sum, l->G);
        each_row(j, rows, s, cell_rows);
        if (j->full) {
            at_gemm_packed(rows, 1, (at_matrix){j->full, l->H, false}, &j->w_hr, 0, j->state, l->P);
            for (int r = 0; r < rows; r++)
                keep_output(j, r, s);
        }
    }
}

/* h_n and c_n in the sentences' own order */
static void final_states(const job *j, real *h_n, real *c_n)
{
    const layer *l = j->l;
    size_t H = (size_t)l->H, P = (size_t)l->P;
    for (int r = 0; r < j->rows; r++) {
        size_t b = (size_t)sentence(j, r), row = (size_t)r;
        memcpy(h_n + b * P, j->state + row * P, P * sizeof *h_n);
        if (c_n)
            memcpy(c_n + b * H, j->c + row * H, H * sizeof *c_n);
    }
}

static bool forward_memory(at_tape *t, const layer *l, job *jobs, int count)
{
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G;
    for (int i = 0; i < count; i++) {
        job *j = &jobs[i];
        size_t rows = (size_t)j->rows;
        const at_direction *d = &l->dir[j->direction];
        j->state = at_scratch_reals(t, rows * P);
        j->sum = at_scratch_reals(t, rows * G);
        if (l->kind->has_cell)
            j->c = at_scratch_reals(t, rows * H);
        if (d->w_hr)
            j->full = at_scratch_reals(t, rows * H);
        bool first = i == 0 || jobs[i - 1].direction != j->direction;
        j->w_hh = first ? pack(t, l->G, l->P, (at_matrix){d->w_hh, l->P, true}) : jobs[i - 1].w_hh;
        if (d->w_hr)
            j->w_hr = first ? pack(t, l->P, l->H, (at_matrix){d->w_hr, l->H, true})
                            : jobs[i - 1].w_hr;
    }
    return !at_failed(t);
}

/* W_ih x plus the biases that can be added at once */
static void input_products(const layer *l, const at_direction *d, const real *x)
{
    size_t rows = (size_t)l->B * (size_t)l->T, G = (size_t)l->G;
    const real *bias = d->b_ih;
    if (d->b_hh && !l->kind->separate) {
        bias = d->b_hh;
        if (d->b_ih && rows > 0) {
            at_vector()->add(G, d->b_ih, d->b_hh, d->gates);
            bias = d->gates;
        }
    }
    if (bias && rows > 0)
        at_rows_fill(bias == d->gates ? rows - 1 : rows, l->G, bias,
                     bias == d->gates ? d->gates + G : d->gates);
    at_gemm((int)rows, l->G, l->I, 1, (at_matrix){x, l->I, false}, (at_matrix){d->w_ih, l->I, true},
            bias ? 1 : 0, d->gates, l->G);
}

/* longest first; equal lengths keep their order */
static void sort_by_length(const layer *l)
{
    int next = 0;
    for (int len = l->T; len >= 0; len--)
        for (int b = 0; b < l->B; b++)
            if (l->length[b] == len)
                l->order[next++] = b;
}

/* zeros beyond each sentence's end */
static void clear_padding(const layer *l, real *rows, size_t width)
{
    for (int b = 0; b < l->B; b++) {
        size_t from = (size_t)b * (size_t)l->T + (size_t)l->length[b];
        memset(rows + from * width, 0, (size_t)(l->T - l->length[b]) * width * sizeof *rows);
    }
}

static bool keep_memory(at_tape *t, layer *l)
{
    size_t rows = (size_t)l->B * (size_t)l->T;
    for (int i = 0; i < l->directions; i++) {
        at_direction *d = &l->dir[i];
        d->gates = at_scratch_reals(t, rows * (size_t)l->G);
        if (l->kind->keeps_extra)
            d->extra = at_scratch_reals(t, rows * (size_t)l->H);
        if (l->kind->has_cell)
            d->c = at_scratch_reals(t, rows * (size_t)l->H);
        if (d->w_hr)
            d->full = at_scratch_reals(t, rows * (size_t)l->H);
    }
    return !at_failed(t);
}

/* ---- checks ----------------------------------------------------------------------------- */

static bool fits(const at_tensor *x, at_shape want) { return !x || at_shape_equal(x->shape, want); }

static bool weights_fit(const layer *l, const at_recurrent_weights *w)
{
    bool cell = l->kind->has_cell;
    return w->weight_ih && w->weight_hh && fits(w->weight_ih, SHAPE(l->G, l->I))
           && fits(w->weight_hh, SHAPE(l->G, l->P)) && fits(w->bias_ih, SHAPE(l->G))
           && fits(w->bias_hh, SHAPE(l->G)) && (cell || (!w->weight_hr && !w->c0))
           && fits(w->weight_hr, SHAPE(l->P, l->H)) && fits(w->h0, SHAPE(l->B, l->P))
           && fits(w->c0, SHAPE(l->B, l->H)) && (w->weight_hr || l->P == l->H);
}

static const real *value_of(const at_tensor *x) { return x ? x->value : NULL; }

/* sizes, lengths, order and weights; NULL on a failed tape */
static layer *describe(at_tape *t, at_cell cell, at_tensor *x, int directions,
                       const at_recurrent_weights *w, const int *lengths)
{
    layer *l = at_scratch(t, sizeof *l);
    if (!l)
        return NULL;
    *l = (layer){.kind = kind_of(cell), .directions = directions};
    if (x->shape.rank != 3 || directions < 1 || directions > ATTEND_RNN_MAX_DIRECTIONS) {
        at_fail(t,
                "%s: the input must be [batch, time, width] and have 1 or 2 directions, "
                "it is %s and has %d",
                l->kind->op->name, at_shape_print(x->shape).text, directions);
        return NULL;
    }
    l->B = x->shape.dim[0];
    l->T = x->shape.dim[1];
    l->I = x->shape.dim[2];
    at_shape hh = w[0].weight_hh ? w[0].weight_hh->shape : SCALAR;
    l->G = hh.rank == 2 ? hh.dim[0] : 0;
    l->H = l->G / l->kind->gates;
    l->P = hh.rank == 2 ? hh.dim[1] : 0;
    for (int i = 0; i < directions; i++) {
        if (!weights_fit(l, &w[i]) || l->H < 1) {
            at_fail(t,
                    "%s: weights, biases or states of direction %d do not fit input %s and "
                    "weight_hh %s",
                    l->kind->op->name, i, at_shape_print(x->shape).text, at_shape_print(hh).text);
            return NULL;
        }
        l->dir[i] = (at_direction){.reverse = i == 1,
                                   .w_ih = w[i].weight_ih->value,
                                   .w_hh = w[i].weight_hh->value,
                                   .b_ih = value_of(w[i].bias_ih),
                                   .b_hh = value_of(w[i].bias_hh),
                                   .w_hr = value_of(w[i].weight_hr),
                                   .h0 = value_of(w[i].h0),
                                   .c0 = value_of(w[i].c0)};
    }
    l->length = at_scratch(t, (size_t)l->B * sizeof *l->length);
    l->order = at_scratch(t, (size_t)l->B * sizeof *l->order);
    if (at_failed(t))
        return NULL;
    for (int b = 0; b < l->B; b++) {
        l->length[b] = lengths ? lengths[b] : l->T;
        if (l->length[b] < 0 || l->length[b] > l->T) {
            at_fail(t, "%s: length %d of sentence %d is outside 0..%d", l->kind->op->name,
                    l->length[b], b, l->T);
            return NULL;
        }
    }
    sort_by_length(l);
    return l;
}

static void gather_inputs(at_tensor *x, int directions, const at_recurrent_weights *w,
                          at_tensor *in[MAX_INPUTS])
{
    in[0] = x;
    for (int i = 0; i < directions; i++) {
        at_tensor *all[INPUTS_PER_DIRECTION] = {w[i].weight_ih, w[i].weight_hh, w[i].bias_ih,
                                                w[i].bias_hh,   w[i].weight_hr, w[i].h0,
                                                w[i].c0};
        memcpy(in + 1 + i * INPUTS_PER_DIRECTION, all, sizeof all);
    }
}

static at_recurrent_result poisoned(at_tape *t)
{
    at_tensor *p = at_poison(t);
    return (at_recurrent_result){p, {p, p}, {p, p}};
}

at_recurrent_result at_recurrent(at_tape *t, at_cell cell, at_tensor *x, int directions,
                                 const at_recurrent_weights *weights, const int *lengths)
{
    layer *l = at_failed(t) ? NULL : describe(t, cell, x, directions, weights, lengths);
    if (!l)
        return poisoned(t);
    at_recurrent_result r = {.output = at_new(t, SHAPE(l->B, l->T, directions * l->P))};
    for (int i = 0; i < directions; i++) {
        r.h_n[i] = at_new(t, SHAPE(l->B, l->P));
        r.c_n[i] = l->kind->has_cell ? at_new(t, SHAPE(l->B, l->H)) : NULL;
    }
    int count, n_in = 1 + directions * INPUTS_PER_DIRECTION;
    at_tensor *in[MAX_INPUTS];
    if (at_failed(t) || !keep_memory(t, l))
        return poisoned(t);
    gather_inputs(x, directions, weights, in);
    l->output = r.output->value;
    at_mark mark = at_tape_mark(t);
    job *jobs = plan_jobs(t, l, &count);
    if (!jobs || !forward_memory(t, l, jobs, count))
        return poisoned(t);
    for (int i = 0; i < directions; i++)
        input_products(l, &l->dir[i], x->value);
    clear_padding(l, l->output, (size_t)(directions * l->P));
    at_parallel_each(count, job_work(&jobs[0]), run_forward, jobs);
    for (int i = 0; i < count; i++) {
        at_tensor *c_n = r.c_n[jobs[i].direction];
        final_states(&jobs[i], r.h_n[jobs[i].direction]->value, c_n ? c_n->value : NULL);
    }
    at_scratch_release(t, mark);
    if (at_recording(t, n_in, in))
        at_record(t, l->kind->op, n_in, in,
                  OUTPUTS(r.output, r.h_n[0], r.c_n[0], r.h_n[1], r.c_n[1]), l);
    return r;
}

/* ---- backward --------------------------------------------------------------------------- */

/* gradients that reach the state of step s from its output and, at a sentence's last step, from
 * the final state */
static void gather_gradient(const job *j, int row, int s)
{
    const layer *l = j->l;
    size_t H = (size_t)l->H, P = (size_t)l->P, r = (size_t)row, b = (size_t)sentence(j, row);
    real *dh = j->dh + r * P;
    if (l->length[b] == s + 1) {
        copy_or_zero(dh, j->dh_n ? j->dh_n + b * P : NULL, P);
        if (j->dc)
            copy_or_zero(j->dc + r * H, j->dc_n ? j->dc_n + b * H : NULL, H);
    }
    if (j->d_output) {
        size_t at = (place(j, row, s) * (size_t)l->directions + (size_t)j->direction) * P;
        at_vector()->add(P, dh, j->d_output + at, dh);
    }
    if (j->full) /* dh of this step, for W_hr's gradient */
        memcpy(j->full + place(j, row, s) * P, dh, P * sizeof(real));
}

static void cell_back(const job *j, int row, int s)
{
    const layer *l = j->l;
    const at_direction *d = &l->dir[j->direction];
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G;
    size_t at = place(j, row, s), r = (size_t)row, b = (size_t)sentence(j, row);
    const real *c0 = d->c0 ? d->c0 + b * H : j->sum; /* sum: a row of zeros */
    const real *h = state_before(j, row, s);
    real *dgh = j->dgh + r * G, *dgx = j->dgx_all + at * G;
    at_cell_back back = {.H = H,
                         .gates = d->gates + at * G,
                         .extra = d->extra ? d->extra + at * H : NULL,
                         .h = h ? h : j->sum,
                         .h_new = output_row(j, at),
                         .c = !d->c ? NULL
                              : s   ? d->c + place(j, row, s - 1) * H
                                    : c0,
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
    const rows_at *at = arg;
    for (; row < end; row++)
        gather_gradient(at->j, (int)row, at->s);
}

static void back_rows(void *arg, ptrdiff_t row, ptrdiff_t end)
{
    const rows_at *at = arg;
    for (; row < end; row++) {
        if (!at->j->dh_cell)
            gather_gradient(at->j, (int)row, at->s);
        cell_back(at->j, (int)row, at->s);
    }
}

static void run_backward(void *arg, int item)
{
    job *j = (job *)arg + item;
    const layer *l = j->l;
    for (int s = l->T - 1; s >= 0; s--) {
        int rows = running(j, s);
        if (rows == 0)
            continue;
        if (j->dh_cell) {
            each_row(j, rows, s, gather_rows);
            at_gemm_packed(rows, 1, (at_matrix){j->dh, l->P, false}, &j->w_hr, 0, j->dh_cell, l->H);
        }
        each_row(j, rows, s, back_rows);
        at_gemm_packed(rows, 1, (at_matrix){j->dgh, l->G, false}, &j->w_hh,
                       l->kind->separate ? 1 : 0, j->dh_next, l->P);
        real *done = j->dh;
        j->dh = j->dh_next;
        j->dh_next = done;
    }
}

/* memory of one direction that its jobs share */
typedef struct {
    real *dgx, *dgh; /* [B,T,G]; the same except for the GRU */
    real *dh;        /* [B,T,P]: with projection, the gradient of every h */
    real *zeros;
} shared;

static bool backward_memory(at_tape *t, const layer *l, const shared *both, job *jobs, int count)
{
    size_t H = (size_t)l->H, P = (size_t)l->P, G = (size_t)l->G;
    for (int i = 0; i < count; i++) {
        job *j = &jobs[i];
        const at_direction *d = &l->dir[j->direction];
        const shared *s = &both[j->direction];
        size_t rows = (size_t)j->rows;
        j->dh = at_scratch_reals(t, rows * P);
        j->dh_cell = d->w_hr ? at_scratch_reals(t, rows * H) : NULL;
        j->dh_next = at_scratch_reals(t, rows * P);
        j->dgh = at_scratch_reals(t, rows * G);
        if (l->kind->has_cell)
            j->dc = at_scratch_reals(t, rows * H);
        j->dgx_all = s->dgx;
        j->dgh_all = s->dgh;
        j->full = s->dh;
        j->sum = s->zeros;
        bool first = i == 0 || jobs[i - 1].direction != j->direction;
        j->w_hh = first ? pack(t, l->P, l->G, (at_matrix){d->w_hh, l->P, false}) : jobs[i - 1].w_hh;
        if (d->w_hr)
            j->w_hr = first ? pack(t, l->H, l->P, (at_matrix){d->w_hr, l->H, false})
                            : jobs[i - 1].w_hr;
    }
    return !at_failed(t);
}

static bool shared_memory(at_tape *t, const layer *l, shared both[])
{
    size_t rows = (size_t)l->B * (size_t)l->T, G = (size_t)l->G, P = (size_t)l->P;
    size_t widest = l->H > l->P ? (size_t)l->H : P;
    for (int i = 0; i < l->directions; i++) {
        shared *s = &both[i];
        *s = (shared){.dgx = at_scratch_reals(t, rows * G)};
        s->dgh = l->kind->separate ? at_scratch_reals(t, rows * G) : s->dgx;
        s->dh = l->dir[i].w_hr ? at_scratch_reals(t, rows * P) : NULL;
        s->zeros = at_scratch_reals(t, widest);
        if (at_failed(t))
            return false;
        memset(s->zeros, 0, widest * sizeof(real));
        clear_padding(l, s->dgx, G);
        if (s->dgh != s->dgx)
            clear_padding(l, s->dgh, G);
        if (s->dh)
            clear_padding(l, s->dh, P);
    }
    return true;
}

/* rows of the state before each step, zeros where there is none */
static real *states_before(at_tape *t, const layer *l, int direction)
{
    size_t P = (size_t)l->P;
    real *all = at_scratch_reals(t, (size_t)l->B * (size_t)l->T * P);
    if (!all)
        return NULL;
    job whole = {.l = l, .direction = direction, .stride = 1, .rows = l->B};
    clear_padding(l, all, P);
    for (int r = 0; r < l->B; r++)
        for (int s = 0; s < l->length[sentence(&whole, r)]; s++)
            copy_or_zero(all + place(&whole, r, s) * P, state_before(&whole, r, s), P);
    return all;
}

/* the large products, after all steps are done */
static void weight_gradients(const at_node *n, const layer *l, int direction, const shared *s)
{
    int rows = l->B * l->T, base = 1 + direction * INPUTS_PER_DIRECTION;
    const at_direction *d = &l->dir[direction];
    real beta, *to = at_grad_in(n, 0, &beta);
    if (to)
        at_gemm(rows, l->I, l->G, 1, (at_matrix){s->dgx, l->G, false},
                (at_matrix){d->w_ih, l->I, false}, beta, to, l->I);
    if ((to = at_grad_in(n, base, &beta)))
        at_gemm(l->G, l->I, rows, 1, (at_matrix){s->dgx, l->G, true},
                (at_matrix){n->in[0]->value, l->I, false}, beta, to, l->I);
    real *before = n->in[base + 1]->wants_grad ? states_before(n->tape, l, direction) : NULL;
    if (before && (to = at_grad_in(n, base + 1, &beta)))
        at_gemm(l->G, l->P, rows, 1, (at_matrix){s->dgh, l->G, true},
                (at_matrix){before, l->P, false}, beta, to, l->P);
    if ((to = at_grad_in(n, base + 2, &beta)))
        at_columns_sum((size_t)rows, l->G, s->dgx, beta, to);
    if ((to = at_grad_in(n, base + 3, &beta)))
        at_columns_sum((size_t)rows, l->G, s->dgh, beta, to);
    if (d->w_hr && (to = at_grad_in(n, base + 4, &beta))) {
        clear_padding(l, d->full, (size_t)l->H);
        at_gemm(l->P, l->H, rows, 1, (at_matrix){s->dh, l->P, true},
                (at_matrix){d->full, l->H, false}, beta, to, l->H);
    }
}

/* gradients of the initial states: what is left after the first step */
static void initial_gradients(const at_node *n, const job *j)
{
    const layer *l = j->l;
    int base = 1 + j->direction * INPUTS_PER_DIRECTION;
    size_t H = (size_t)l->H, P = (size_t)l->P;
    real *dh0 = at_grad_add(n, base + 5), *dc0 = at_grad_add(n, base + 6);
    for (int r = 0; r < j->rows; r++) {
        size_t b = (size_t)sentence(j, r), row = (size_t)r;
        bool empty = l->length[b] == 0; /* its final state is the initial one */
        const real *dh = empty ? (j->dh_n ? j->dh_n + b * P : NULL) : j->dh + row * P;
        const real *dc = empty ? (j->dc_n ? j->dc_n + b * H : NULL) : j->dc + row * H;
        if (dh0 && dh)
            at_vector()->add(P, dh0 + b * P, dh, dh0 + b * P);
        if (dc0 && dc)
            at_vector()->add(H, dc0 + b * H, dc, dc0 + b * H);
    }
}

void at_recurrent_backward(const at_node *n)
{
    const layer *l = n->saved;
    shared both[ATTEND_RNN_MAX_DIRECTIONS];
    int count;
    job *jobs = plan_jobs(n->tape, l, &count);
    if (!jobs || !shared_memory(n->tape, l, both)
        || !backward_memory(n->tape, l, both, jobs, count))
        return;
    for (int i = 0; i < count; i++) {
        jobs[i].d_output = at_grad_out(n, 0);
        jobs[i].dh_n = at_grad_out(n, 1 + 2 * jobs[i].direction);
        jobs[i].dc_n = at_grad_out(n, 2 + 2 * jobs[i].direction);
    }
    at_parallel_each(count, job_work(&jobs[0]), run_backward, jobs);
    for (int i = 0; i < l->directions; i++)
        weight_gradients(n, l, i, &both[i]);
    for (int i = 0; i < count; i++)
        initial_gradients(n, &jobs[i]);
}
