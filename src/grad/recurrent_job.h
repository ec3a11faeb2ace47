/* Inside the recurrent layers: a layer's sizes and sentences, and the jobs it is cut into, which
 * recurrent_forward.c and recurrent_backward.c run. */
#ifndef ATTEND_GRAD_RECURRENT_JOB_H
#define ATTEND_GRAD_RECURRENT_JOB_H

#include <string.h>

#include "base/threads.h"
#include "grad/recurrent.h"
#include "grad/weight.h"

/* of at_recurrent_weights, among a node's inputs; x comes before them */
enum { INPUTS_PER_DIRECTION = 7, MAX_INPUTS = 1 + 2 * INPUTS_PER_DIRECTION };

typedef struct {
    const at_cell_kind *kind;
    int B, T, I, H, P, G, directions;
    int *length; /* [B] */
    int *order;  /* [B]: sentences, longest first */
    at_direction dir[ATTEND_RNN_MAX_DIRECTIONS];
    real *output; /* [B,T,directions*P] */
} at_recurrence;

/* the sentences of one direction that run together */
typedef struct {
    const at_recurrence *l;
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
} at_recurrent_job;

static inline int sentence(const at_recurrent_job *j, int row)
{
    return j->l->order[j->first + row * j->stride];
}

/* where step s of the sentence in this row is, among the B*T rows of the layer */
static inline size_t position(const at_recurrent_job *j, int row, int s)
{
    int b = sentence(j, row), len = j->l->length[b];
    return (size_t)b * (size_t)j->l->T
           + (size_t)(j->l->dir[j->direction].reverse ? len - 1 - s : s);
}

static inline int running(const at_recurrent_job *j, int s)
{
    int rows = j->rows;
    while (rows > 0 && j->l->length[sentence(j, rows - 1)] <= s)
        rows--;
    return rows;
}

static inline real *output_row(const at_recurrent_job *j, size_t at)
{
    const at_recurrence *l = j->l;
    return l->output + (at * (size_t)l->directions + (size_t)j->direction) * (size_t)l->P;
}

/* the state before step s: the output of step s - 1, or the initial one, or NULL for zeros */
static inline const real *state_before(const at_recurrent_job *j, int row, int s)
{
    if (s > 0)
        return output_row(j, position(j, row, s - 1));
    const real *h0 = j->l->dir[j->direction].h0;
    return h0 ? h0 + (size_t)sentence(j, row) * (size_t)j->l->P : NULL;
}

static inline void copy_or_zero(real *to, const real *from, size_t n)
{
    if (from)
        memcpy(to, from, n * sizeof *to);
    else
        memset(to, 0, n * sizeof *to);
}

/* the jobs of a layer, without their memory; NULL on a failed tape */
at_recurrent_job *at_plan_jobs(at_tape *t, const at_recurrence *l, bool forward, int *count);
double at_recurrent_job_work(const at_recurrent_job *j); /* multiply-adds of its recurrence */

/* the weights of a direction as the steps multiply with them */
typedef struct {
    at_packed w_hh, w_hr;
} at_direction_packed;
void at_pack_weights(at_tape *t, const at_recurrence *l, bool forward, at_direction_packed *to);

/* some rows of a job at one step */
typedef struct {
    const at_recurrent_job *j;
    int s;
} at_recurrent_job_rows;

/* Runs part on the rows: they are as independent as jobs are; inside a job that has one thread,
 * this is a loop. */
void at_each_row(const at_recurrent_job *j, int rows, int s, at_part *part);

/* zeros beyond each sentence's end */
void at_clear_padding(const at_recurrence *l, real *rows, size_t width);

/* Memory that backward needs, and forward over all steps into output and the final states;
 * nothing on a failed tape. */
void at_recurrent_forward(at_tape *t, at_recurrence *l, const real *x,
                          const at_recurrent_result *r);

#endif
