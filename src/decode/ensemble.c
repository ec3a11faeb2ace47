#include "decode/ensemble.h"

#include <string.h>

#include "base/memory.h"
#include "decode/logits.h"
#include "tensor/vector.h"

static const real least = (real)1e-37; /* what is less likely counts as that */

/* sum += exp(log_p), row by row; the first member starts the sum */
static attend_status add_exp(at_ensemble *e, real *log_p, bool logits, bool first,
                             attend_error *err)
{
    size_t V = (size_t)e->member[0].vocabulary;
    for (size_t row = 0; row < e->rows; row++) {
        real *sum = e->log_p + row * V;
        if ((logits ? at_logits_check : at_log_p_check)(V, log_p + row * V, err) < 0)
            return ATTEND_NUMBER;
        if (logits)
            at_log_softmax_row(V, log_p + row * V, log_p + row * V);
        at_vector()->exp(V, log_p + row * V, first ? sum : e->row);
        for (size_t i = 0; i < V && !first; i++)
            sum[i] += e->row[i];
    }
    return ATTEND_OK;
}

static void add_weights(at_ensemble *e, const real *weights, bool first)
{
    for (size_t i = 0; i < e->rows * e->positions; i++)
        e->weights[i] = first ? weights[i] : e->weights[i] + weights[i];
}

attend_status at_ensemble_step(void *self, int width, const int *from, const int *words,
                               real **log_p, const real **weights, attend_error *err)
{
    at_ensemble *e = self;
    e->rows = (size_t)e->sentences * (size_t)width;
    size_t V = (size_t)e->member[0].vocabulary;
    real *p = NULL;
    int read = 0;
    for (int i = 0; i < e->count; i++) {
        const at_searched *m = &e->member[i];
        const real *w = NULL;
        attend_status status = m->step(m->self, width, from, words, &p, &w, err);
        if (status >= 0)
            status = add_exp(e, p, m->logits, i == 0, err);
        if (status < 0)
            return status;
        if (m->source > 0)
            add_weights(e, w, read++ == 0);
    }
    for (size_t i = 0; i < e->rows * V; i++)
        e->log_p[i] = p[i] == -INFINITY ? p[i] : real_log(e->log_p[i] / (real)e->count + least);
    for (size_t i = 0; i < e->rows * e->positions; i++)
        e->weights[i] /= (real)(read ? read : 1);
    *log_p = e->log_p;
    *weights = read > 0 ? e->weights : NULL;
    return ATTEND_OK;
}

static attend_status keep(void *self, int count, const int *which, attend_error *err)
{
    at_ensemble *e = self;
    attend_status status = ATTEND_OK;
    e->sentences = count;
    for (int i = 0; i < e->count && status >= 0; i++)
        status = e->member[i].keep(e->member[i].self, count, which, err);
    return status;
}

attend_status at_ensemble_of(at_ensemble *e, int count, const at_searched *members, int width,
                             at_searched *all, attend_error *err)
{
    *e = (at_ensemble){.count = count};
    *all = members[0];
    if (count == 1)
        return ATTEND_OK;
    memcpy(e->member, members, (size_t)count * sizeof *members);
    e->sentences = members[0].sentences;
    all->logits = false;
    all->keep = keep;
    for (int i = 0; i < count; i++)
        all->keep = members[i].keep ? all->keep : NULL;
    e->rows = (size_t)members[0].sentences * (size_t)width;
    for (int i = 0; i < count; i++)
        all->source = members[i].source > all->source ? members[i].source : all->source;
    e->positions = (size_t)all->source;
    e->log_p = at_alloc(e->rows * (size_t)all->vocabulary * sizeof *e->log_p);
    e->weights = at_alloc(e->rows * (e->positions + 1) * sizeof *e->weights);
    e->row = at_alloc((size_t)all->vocabulary * sizeof *e->row);
    all->self = e;
    all->step = at_ensemble_step;
    return e->log_p && e->weights && e->row ? ATTEND_OK : at_error_memory(err);
}

void at_ensemble_free(at_ensemble *e)
{
    at_free(e->log_p);
    at_free(e->weights);
    at_free(e->row);
    *e = (at_ensemble){.count = 0};
}
