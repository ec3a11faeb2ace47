/* The list of layers, from layers.def. */
#include "nn/layers.h"

const at_layer *const at_layers[] = {
#define LAYER(name) &at_nn_##name,
#include "nn/layers.def"
#undef LAYER
};

const int at_layer_count = (int)(sizeof at_layers / sizeof *at_layers);
