#include "draw/heat.h"

#include <math.h>
#include <stddef.h>

attend_status at_heat_map_check(const attend_heat_map *m, attend_error *err)
{
    if (m->rows < 1 || m->columns < 1 || m->rows > 1 << 15 || m->columns > 1 << 15 || !m->weights)
        return at_error(err, ATTEND_OPTION,
                        "heat map: %d rows and %d columns of weights; both can be 1 to 32768",
                        m->rows, m->columns);
    if (!(m->low <= m->high) || !isfinite(m->high - m->low) || m->digits < 0 || m->digits > 6)
        return at_error(err, ATTEND_OPTION,
                        "heat map: a scale from %g to %g with %d decimals; it rises, and has at "
                        "most 6",
                        m->low, m->high, m->digits);
    if (!isfinite(m->row_range[1] - m->row_range[0])
        || !isfinite(m->column_range[1] - m->column_range[0]))
        return at_error(err, ATTEND_OPTION, "heat map: the range of an axis is not finite");
    return ATTEND_OK;
}

at_range at_heat_range(const attend_heat_map *m)
{
    at_range r = {m->low, m->high};
    size_t count = (size_t)m->rows * (size_t)m->columns;
    if (r.low < r.high)
        return r;
    r = (at_range){0, 0};
    for (size_t i = 0; i < count; i++)
        if (isfinite(m->weights[i])) {
            r.low = fmin(r.low, m->weights[i]);
            r.high = fmax(r.high, m->weights[i]);
        }
    if (!(r.low < r.high) || !isfinite(r.high - r.low))
        r.high = r.low + 1;
    return r;
}

double at_heat_share(const attend_heat_map *m, at_range scale, int row, int column)
{
    double w = m->weights[(size_t)row * (size_t)m->columns + (size_t)column];
    return isfinite(w) ? (w - scale.low) / (scale.high - scale.low) : NAN;
}
