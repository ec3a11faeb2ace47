/* Where a word stands: sinusoids, or a learned row per position. */
#include "nn/layers.h"

at_tensor *at_position_sinusoidal(at_tape *t, int first, int length, int width)
{
    at_tensor *y = at_new(t, SHAPE(length, width));
    real *to = y->value;
    for (int p = 0; !at_failed(t) && p < length; p++)
        for (int i = 0; i < width; i++) {
            double angle = ((double)first + p) / pow(10000, (double)(i - i % 2) / width);
            *to++ = (real)(i % 2 ? cos(angle) : sin(angle));
        }
    return y;
}

at_tensor *at_add_sinusoids(at_tape *t, at_tensor *x, int first)
{
    if (at_failed(t))
        return at_poison(t);
    if (x->shape.rank != 3 || first < 0)
        return at_fail(t, "positions: the input must be [batch, time, width], it is %s",
                       at_shape_print(x->shape).text);
    return at_add(t, x, at_position_sinusoidal(t, first, x->shape.dim[1], x->shape.dim[2]));
}

at_tensor *at_add_positions(at_tape *t, at_path s, at_tensor *x, int first, int most, real scale)
{
    if (at_failed(t))
        return at_poison(t);
    if (x->shape.rank != 3 || first < 0 || x->shape.dim[1] > most - first)
        return at_fail(t,
                       "positions: the model knows positions 0..%d, the input %s starts at %d; "
                       "shorten the text or split it",
                       most - 1, at_shape_print(x->shape).text, first);
    at_tensor *table = at_param(t, s, "weight", SHAPE(most, x->shape.dim[2]), INIT_NORMAL(scale));
    return at_add(t, x, at_slice(t, table, 0, first, first + x->shape.dim[1]));
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    (void)arg;
    at_tensor *x = at_param(t, s, "x", SHAPE(2, 3, 4), INIT_NORMAL(1));
    return at_add_positions(t, s, at_add_sinusoids(t, x, 2), 1, 5, 1);
}

const at_layer at_nn_position = {"position", "pe[p,2i] = sin(p / 10000^(2i/D)), or a learned row",
                                 sample};
