/* Names of tensors by patterns: '*' stands for a number, '**' for any text. */
#ifndef ATTEND_STORE_TENSOR_NAMES_H
#define ATTEND_STORE_TENSOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { ATTEND_TENSOR_NAME_MAX = 256 };

/* Does the name match `from`? Then the same text as `to` has it goes into out: for
 * "**.gamma" and "**.weight", "norm.gamma" becomes "norm.weight". A name that would be too long
 * does not match. `to` may be NULL: out is not written. */
bool at_tensor_rename(const char *name, const char *from, const char *to,
                      char out[ATTEND_TENSOR_NAME_MAX]);

#endif
