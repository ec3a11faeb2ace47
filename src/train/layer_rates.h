/* Layers that learn more slowly than those above them, or not at all.
 *
 *     lr of a parameter at depth d = lr * decay^(top - d)        top: the depth of the output layer
 */
#ifndef ATTEND_TRAIN_LAYER_RATES_H
#define ATTEND_TRAIN_LAYER_RATES_H

#include "models/model.h"
#include "train/optim.h"

typedef struct {
    const at_model *model;
    int top;
    double decay;
} at_layer_rates;

/* All parameters of the model must be there. The rates must outlive the optimiser. */
void at_layer_rates_set(at_layer_rates *l, const at_model *model, double decay, at_optim *optim);

/* Freezes the parameters of the embeddings and of the first `layers` layers; returns how many
 * numbers they have. */
size_t at_layers_freeze(const at_model *model, int layers);

#endif
