/* Attention pooling with a kernel (Nadaraya 1964, Watson 1964): the value at q is the average of
 * the values at the keys, weighted by how near they are,
 *
 *     w_j = K(u_j) / sum_k K(u_k),   u_j = |q - k_j| / h
 *
 * over the visible keys; where all K are 0, all visible keys weigh the same. The scores are those
 * of the Gaussian, e = -u^2/2; a kernel makes weights of them, as a pick does, so a width that is
 * learned (gaussian-w) and one that is given share all but that. kernels.def lists the kernels. */
#ifndef ATTEND_ATTENTION_POOL_H
#define ATTEND_ATTENTION_POOL_H

#include "attention/attention.h"

typedef struct {
    at_about about;
    /* K where u^2 = s, and its derivative by s (0 at a kink); NULL: exp(-s/2), whose weights are a
     * softmax, which never underflows */
    real (*value)(real s, real *slope);
} at_kernel;

#define KERNEL(name) extern const at_kernel at_kernel_##name;
#include "attention/kernels.def"
#undef KERNEL
extern const at_kernel *const at_kernels[];
extern const int at_kernel_count;

/* the kernel of that name, or NULL and an error that names the nearest */
const at_kernel *at_kernel_find(const char *name, attend_error *err);

/* scores e [..,Q,K] -> weights; mask may be NULL */
at_tensor *at_kernel_weights(at_tape *t, const at_kernel *kernel, at_tensor *scores,
                             const at_mask *mask);

/* q [B,Q,D], keys [B,K,D], values [B,K,dv] -> context [B,Q,dv] and weights [B,1,Q,K].
 *
 * inverse     1/h: [1], or [D] for a width in every dimension */
at_reading at_pool(at_tape *t, const at_kernel *kernel, at_tensor *inverse, at_tensor *query,
                   at_tensor *keys, at_tensor *values, const at_mask *mask);

#endif
