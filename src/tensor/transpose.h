/* LANES vectors turned in registers: in stage s, the blocks of size s beside the diagonal change
 * places (Eklundh 1972).
 *
 * For kernels alone: who includes it has VECTOR_BYTES, LANES and the type vector. There is none for
 * double, and no STAGES. */
#ifndef ATTEND_TENSOR_TRANSPOSE_H
#define ATTEND_TENSOR_TRANSPOSE_H

#define BARE(...) __VA_ARGS__

#if !defined(ATTEND_REAL_DOUBLE) && VECTOR_BYTES == 16
#define STAGES(X) X(1, (0, 4, 2, 6), (1, 5, 3, 7)) X(2, (0, 1, 4, 5), (2, 3, 6, 7))
#elif !defined(ATTEND_REAL_DOUBLE) && VECTOR_BYTES == 32
#define STAGES(X)                                                  \
    X(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)) \
    X(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)) \
    X(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
#elif !defined(ATTEND_REAL_DOUBLE) && VECTOR_BYTES == 64
#define STAGES(X)                                                     \
    X(1, (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30), \
      (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))    \
    X(2, (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),  \
      (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))   \
    X(4, (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),  \
      (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))   \
    X(8, (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),    \
      (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
#endif

#ifdef STAGES
#define STAGE(s, low, high)                                                \
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) if (!(i & s)) \
    {                                                                      \
        vector a = v[i], b = v[i + s];                                     \
        v[i] = __builtin_shufflevector(a, b, BARE low);                    \
        v[i + s] = __builtin_shufflevector(a, b, BARE high);               \
    }

static inline __attribute__((always_inline)) void transpose(vector v[LANES]) { STAGES(STAGE) }
#endif

#endif
