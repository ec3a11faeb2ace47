/* y_i = E[id_i] */
#include "nn/layers.h"

at_tensor *at_embed(at_tape *t, at_path s, at_ids ids, int vocabulary, int width, real scale)
{
    at_tensor *table = at_param_matrix(t, s, "weight", SHAPE(vocabulary, width),
                                       INIT_NORMAL(scale));
    return at_embedding(t, table, ids);
}

static at_tensor *sample(at_tape *t, at_path s, const void *arg)
{
    static const int ids[] = {3, 1, 1, 0};
    (void)arg;
    return at_embed(t, s, (at_ids){SHAPE(2, 2), ids}, 5, 3, 1);
}

const at_layer at_nn_embedding = {"embedding", "y_i = E[id_i]", sample};
