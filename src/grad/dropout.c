#include "grad/dropout.h"

#include "tensor/vector.h"

at_dropping at_dropout_start(at_tape *t, real p)
{
    return (at_dropping){at_tape_random(t), (uint32_t)((double)p * 4294967296.0), 1 / (1 - p)};
}

void at_dropout_row(const at_dropping *use, int sentence, size_t first, size_t n, const real *x,
                    real beta, real *y)
{
    at_dropping d = *use;
    d.random.sentence += (uint32_t)sentence;
    at_vector()->dropout(&d, first, n, x, beta, y);
}
