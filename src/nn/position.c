/* Where a word stands: sinusoids, or a learned row per position. */
#include "nn/layers.h"

/* column i of position p; of an odd width, the sines have one column more */
static double sinusoid(at_sinusoids how, double p, int i, int width)
{
    int sines = (width + 1) / 2;
    bool cosine = how == ATTEND_SINUSOIDS_INTERLEAVED ? i % 2 : i >= sines;
    int k = how == ATTEND_SINUSOIDS_INTERLEAVED ? i / 2 : cosine ? i - sines : i;
    double exponent = how != ATTEND_SINUSOIDS_OPENNMT ? (double)(2 * k) / width
                      : width / 2 > 1                 ? (double)k / (width / 2 - 1)
                                                      : 0;
    double angle = (how == ATTEND_SINUSOIDS_OPENNMT ? p + 1 : p) / pow(10000, exponent);
    return cosine ? cos(angle) : sin(angle);
}

void at_sinusoids_fill(real *to, at_sinusoids how, int first, int length, int width)
{
    for (int p = 0; p < length; p++)
        for (int i = 0; i < width; i++)
            *to++ = (real)sinusoid(how, (double)first + p, i, width);
}

at_tensor *at_position_sinusoidal(at_tape *t, at_sinusoids how, int first, int length, int width)
{
    at_tensor *y = at_new(t, SHAPE(length, width));
    if (!at_failed(t))
        at_sinusoids_fill(y->value, how, first, length, width);
    return y;
}

at_tensor *at_add_sinusoids(at_tape *t, at_sinusoids how, at_tensor *x, int first)
{
    if (at_failed(t))
        return at_poison(t);
    if (x->shape.rank != 3 || first < 0)
        return at_fail(t, "positions: the input must be [batch, time, width], it is %s",
                       at_shape_print(x->shape).text);
    return at_add(t, x, at_position_sinusoidal(t, how, first, x->shape.dim[1], x->shape.dim[2]));
}

/* Are positions first .. first+T-1 of x [B,T,D] below max? */
static bool known(at_tape *t, const at_tensor *x, int first, int max)
{
    if (at_failed(t))
        return false;
    if (x->shape.rank == 3 && first >= 0 && x->shape.dim[1] <= max - first)
        return true;
    at_fail(t,
            "positions: the model knows positions 0..%d, the input %s starts at %d; shorten the "
            "text or split it",
            max - 1, at_shape_print(x->shape).text, first);
    return false;
}

at_tensor *at_add_positions(at_tape *t, at_path s, at_tensor *x, int first, int max, real scale)
{
    if (!known(t, x, first, max))
        return at_poison(t);
    at_tensor *table = at_param(t, s, "weight", SHAPE(max, x->shape.dim[2]), INIT_NORMAL(scale));
    return at_add(t, x, at_slice(t, table, 0, first, first + x->shape.dim[1]));
}

at_tensor *at_add_stored_positions(at_tape *t, at_path s, at_tensor *x, int first, int max)
{
    if (!known(t, x, first, max))
        return at_poison(t);
    int D = x->shape.dim[2], T = x->shape.dim[1];
    at_tensor *table = at_param(t, s, "weight", SHAPE(max, D), INIT_ZERO);
    if (at_failed(t))
        return at_poison(t);
    return at_add(t, x, at_input(t, SHAPE(T, D), table->value + (size_t)first * (size_t)D));
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    return at_add_positions(t, s, at_add_sinusoids(t, ATTEND_SINUSOIDS_INTERLEAVED, x, 2), 1, 5, 1);
}

const at_layer at_nn_position = {"position", "pe[p,2i] = sin(p / 10000^(2i/D)), or a learned row",
                                 sample};
