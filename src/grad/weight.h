/* Products with a parameter that many steps of one tape multiply with.
 *
 * A decoder that reads attention goes word by word, and every word multiplies a few rows with the
 * same weights. Done one by one, packing the weights costs as much as the product, and each word
 * reads and writes the whole gradient of every weight. So
 *
 *     forward    from the second product on, the weight is packed once for all that come
 *     backward   the rows of all words wait, and the gradient is one large product
 *
 * The values are those of at_gemm, to the last bit. Gradients are those of at_gemm_gradient, where
 * the first product with a packed weight says for all whether they are tiled. What is not a
 * parameter is multiplied as is. */
#ifndef ATTEND_GRAD_WEIGHT_H
#define ATTEND_GRAD_WEIGHT_H

#include "grad/tape.h"
#include "tensor/gemm.h"

/* what a tape knows about a parameter [r,c]; made with its first tensor */
typedef struct at_weight {
    bool multiplied[2][2];  /* with W, with W^T; forward, backward */
    at_packed packed[2][2]; /* panels is NULL where it is not packed */
    int to_come;            /* products backward: at most so many, one for each forward */
    int rows;               /* of all forward products: what the gradient waits for, or for many */
    int came;               /* of them, on the way back */
    int waiting;            /* of these, here */
    real *left, *right;     /* [waiting at most,r], [..,c]: dW += left^T right */
} at_weight;

/* Forward: y[rows,n] = x[rows,k] W + bias[n] (or NULL), or W^T where `turned`. */
void at_weight_forward(at_tape *t, at_tensor *w, bool turned, int rows, const real *x,
                       const real *bias, real *y);

/* Backward: dx = dy W + beta dx, for the gradient of an input. */
void at_weight_back(at_tape *t, at_tensor *w, bool turned, int rows, const real *dy, real beta,
                    real *dx);

/* For who multiplies many times with it in one op: packed, from the first time on. Forward, the
 * panels live until backward begins; or, where it is not worth it since other ops will hardly
 * multiply with the weight (`alone`), as long as the op's scratch, unless the tape keeps weights.
 * Backward, they live until the op is done. rows: forward of all products, as in at_weight_forward;
 * backward of each of them, at most. */
at_packed at_weight_packed(at_tape *t, at_tensor *w, bool turned, int rows, bool alone);
at_packed at_weight_packed_back(at_tape *t, at_tensor *w, bool turned, int rows);

/* Backward: dW += left^T right, of rows that a forward product had; now, or with those to come. */
void at_weight_gradient(const at_node *n, int input, int rows, const real *left, const real *right);

/* What still waits of w is added. */
void at_weight_flush(at_tape *t, at_tensor *w);

/* Backward: what is packed for it is not needed any more. */
void at_weight_spare(at_tape *t, at_weight *w);

#endif
