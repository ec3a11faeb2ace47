/* Clipping of gradients by their global norm (Pascanu, Mikolov, Bengio 2013), as PyTorch's
 * clip_grad_norm_: with the norm of all gradients taken as one vector,
 *
 *     g *= min(1, max_norm / (norm + 1e-6))
 *
 * The multiplication costs no pass over memory: it is left in the scale of the gradients, and
 * whoever reads them applies it. */
#ifndef ATTEND_TRAIN_CLIP_H
#define ATTEND_TRAIN_CLIP_H

#include "base/error.h"
#include "train/gradients.h"

/* norm       receives the norm before clipping; may be NULL
 * max_norm   above 0; infinity only measures
 * type       2, 1, any p above 0, or infinity for the largest magnitude
 *
 * Summed in double in an order that no number of threads changes. A norm that is not finite is
 * ATTEND_NUMBER, with the name of a parameter at fault; the gradients are then as they were. */
attend_status at_clip_norm(at_gradients *g, double max_norm, double type, double *norm,
                           attend_error *err);

#endif
