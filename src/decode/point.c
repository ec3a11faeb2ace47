#include "decode/point.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "decode/logits.h"

/* the likeliest of 1 + n places that may be taken; 0 is the end */
static int choose(const real *p, int n, const bool *taken)
{
    int best = 0;
    for (int i = 1; i <= n; i++)
        if (p[i] > p[best] && !(taken && taken[i - 1]))
            best = i;
    return best;
}

attend_status at_point(at_tape *t, const at_model *m, int n, const real *items,
                       const at_point_options *o, int *places, int *count, double *log_p,
                       attend_error *err)
{
    int most = o->most ? o->most : o->repeat ? 2 * n : n, last = 0;
    bool *taken = o->repeat ? NULL : at_alloc_zero((size_t)n + 1, sizeof *taken);
    attend_status status = ATTEND_OK;
    *count = 0;
    *log_p = 0;
    if (!o->repeat && !taken)
        return at_error_memory(err);
    at_tape_reset(t);
    void *p = m->kind->points->read(t, m, at_input(t, SHAPE(1, n, m->width), items), NULL);
    while (!at_failed(t)) {
        at_tensor *pointed = m->kind->points->point(t, m, p, (at_ids){SHAPE(1, 1), &last});
        if (at_failed(t))
            break;
        if ((status = at_logits_check((size_t)n + 1, pointed->value, err)) < 0)
            break;
        last = choose(pointed->value, n, taken);
        *log_p += log((double)pointed->value[last]);
        if (last == 0)
            break;
        places[(*count)++] = last - 1;
        if (taken)
            taken[last - 1] = true;
        if (*count >= most)
            break;
    }
    at_free(taken);
    return status < 0 ? status : at_tape_status(t, err);
}
