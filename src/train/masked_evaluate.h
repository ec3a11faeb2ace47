/* How well a model predicts masked tokens of lines: each line is masked by its number alone, so the
 * result does not depend on the other lines. */
#ifndef ATTEND_TRAIN_MASKED_EVALUATE_H
#define ATTEND_TRAIN_MASKED_EVALUATE_H

#include "train/masked_loss.h"

typedef struct {
    size_t texts, cut; /* of these: longer than the model has positions */
    size_t tokens, right;
    double nll; /* summed over the masked tokens */
} at_masked_result;

/* masking has a tokenizer with a mask. */
attend_status at_masked_evaluate(const at_model *m, const at_masking *masking, size_t lines,
                                 const at_text *line, at_masked_result *out, attend_error *err);

#endif
