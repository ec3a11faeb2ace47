/* The lists of mechanisms, from the .def files. */
#include "attention/attention.h"

const at_score *const at_scores[] = {
#define SCORE(name) &at_score_##name,
#include "attention/scores.def"
#undef SCORE
};

const at_scope *const at_scopes[] = {
#define SCOPE(name) &at_scope_##name,
#include "attention/scopes.def"
#undef SCOPE
};

const at_pick *const at_picks[] = {
#define PICK(name) &at_pick_##name,
#include "attention/picks.def"
#undef PICK
};

const at_op *const at_attention_ops[] = {
#define OP(name) &at_op_##name,
#include "attention/ops.def"
#undef OP
};

#define COUNT(list) ((int)(sizeof list / sizeof *list))
const int at_score_count = COUNT(at_scores), at_scope_count = COUNT(at_scopes);
const int at_pick_count = COUNT(at_picks), at_attention_op_count = COUNT(at_attention_ops);
