#include "decode/logits.h"

#include <math.h>

/* Beyond 1e9 a double cannot tell a logit from the log of a sum over a vocabulary: all words would
 * have log-probability 0. */
static const real largest = (real)1e9;

static attend_status overflow(attend_error *err)
{
    return at_error(err, ATTEND_NUMBER,
                    "the model's numbers overflow: a score is infinite, not a number or beyond "
                    "any precision; its weights are too large or damaged, restore or retrain it");
}

attend_status at_logits_check(size_t n, const real *logits, attend_error *err)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= !(real_abs(logits[i]) <= largest);
    return bad ? overflow(err) : ATTEND_OK;
}

attend_status at_log_p_check(size_t n, const real *log_p, attend_error *err)
{
    int bad = 0, possible = 0, likely = 0;
    for (size_t i = 0; i < n; i++) {
        bad |= !(log_p[i] < (real)INFINITY);
        possible |= log_p[i] > (real)-INFINITY;
        likely += log_p[i] > (real)-0.6; /* more than a half: exp(-0.6) = 0.55 */
    }
    return bad || !possible || likely > 1 ? overflow(err) : ATTEND_OK;
}
