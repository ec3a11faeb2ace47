/* The list of ops, from ops.def. */
#include "grad/ops.h"

const at_op *const at_ops[] = {
#define OP(name) &at_op_##name,
#include "grad/ops.def"
#undef OP
};

const int at_op_count = (int)(sizeof at_ops / sizeof *at_ops);
