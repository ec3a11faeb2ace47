/* Learning hard attention (Xu et al. 2015, eq. 12): what the loss adds for the places that were
 * drawn. The gradient of the expected loss with respect to the scores is estimated by
 *
 *     sum_t stop(G_t - b (tokens left from t on)) log p(s_t) - lambda H_t
 *
 * with G_t the negative log-likelihood of the words from t on, b a moving average of it per word,
 * which makes the estimate less noisy, and H_t the entropy of the draw, which keeps it curious. */
#ifndef ATTEND_TRAIN_REINFORCE_H
#define ATTEND_TRAIN_REINFORCE_H

#include "grad/ops.h"

/* moving average of the negative log-likelihood per word; a checkpoint keeps both */
typedef struct {
    double mean;
    bool started;
} at_baseline;

/* after a batch: its summed negative log-likelihood and its words */
void at_baseline_update(at_baseline *b, double nll, double words);

typedef struct {
    real entropy; /* lambda: 0.01 */
    real weight;  /* of the whole: what the words' loss is divided by, inverted */
} at_reinforce_options;

/* log_p, entropy [B,H,T]: of the draws, as a read gives them. nll [B*T]: of each word, a constant;
 * words from lengths[b] on (NULL: none) do not count. Returns what to add to the loss. */
at_tensor *at_reinforce(at_tape *t, at_tensor *log_p, at_tensor *entropy, const real *nll,
                        const int *lengths, const at_baseline *b, at_reinforce_options options);

#endif
