/* Products with a parameter that many products of one step, or many users of one model, share.
 *
 * A recurrent decoder multiplies a few rows with the same weights for every token. Done one by one,
 * packing the weights costs as much as the product, and each token reads and writes the whole
 * gradient of every weight. So
 *
 *     inference  from the second product on, a weight of a shared set is packed once for all tapes
 *                (params.h), and else once for this step
 *     training   likewise for this step
 *     backward   the rows of all tokens wait, and the gradient is one large product
 *
 * The values are those of at_gemm, to the last bit, but for training, which may multiply in tiles
 * (at_gemm_gradient). Gradients are those of at_gemm_gradient, where the first product with a
 * packed weight decides for all whether they are tiled. What is not a parameter is multiplied as it
 * lies. */
#ifndef ATTEND_GRAD_WEIGHT_H
#define ATTEND_GRAD_WEIGHT_H

#include "grad/tape.h"
#include "tensor/gemm.h"

/* what a tape knows about a parameter [r,c]; made with its first tensor */
typedef struct at_weight {
    at_parameter *parameter;
    bool multiplied[2][2];  /* with W, with W^T; forward, backward */
    at_packed packed[2][2]; /* panels is NULL where it is not packed */
    int to_come;            /* products backward: at most so many, one for each forward */
    int rows;               /* of all forward products: what the gradient waits for, or for many */
    int came;               /* of them, on the way back */
    int waiting;            /* of these, here */
    real *left, *right;     /* [waiting at most,r], [..,c]: dW += left^T right */
} at_weight;

/* Rows id[0..n) of w [r,c] -> to [n,c]. */
void at_weight_rows(const at_tensor *w, size_t n, const int *id, real *to);

/* y[rows,n] = x[rows,k] W + bias[n] (or NULL), or W^T where `turned`; not counted among the
 * products that at_weight_gradient waits for. */
void at_weight_multiply(at_tape *t, at_tensor *w, bool turned, int rows, const real *x,
                        const real *bias, real *y);

/* Forward: the same, with a gradient that at_weight_gradient will add. */
void at_weight_forward(at_tape *t, at_tensor *w, bool turned, int rows, const real *x,
                       const real *bias, real *y);

/* Backward: dx = dy W + beta dx, for the gradient of an input. */
void at_weight_back(at_tape *t, at_tensor *w, bool turned, int rows, const real *dy, real beta,
                    real *dx);

/* For ops that multiply with it many times: packed from the first time on. Forward, the panels are
 * those of a shared set, or live until the backward pass begins; or, where other ops will hardly
 * multiply with the weight (`alone`), as long as the op's scratch. Backward, they live until the op
 * is done. rows: forward of all products, as in at_weight_forward; backward of each of them, at
 * most. */
at_packed at_weight_packed(at_tape *t, at_tensor *w, bool turned, int rows, bool alone);
at_packed at_weight_packed_back(at_tape *t, at_tensor *w, bool turned, int rows);

/* Backward: dW += left^T right, of rows that a forward product had; now, or with those to come. */
void at_weight_gradient(const at_node *n, int input, int rows, const real *left, const real *right);

/* What still waits of w is added. */
void at_weight_flush(at_tape *t, at_tensor *w);

/* Backward: what is packed for it is not needed any more. */
void at_weight_spare(at_tape *t, at_weight *w);

#endif
