/* The parts of Hugging Face's tokenizer.json that models of every type have. A kind's own read and
 * write (tokenizer.h) build on them; files.c chooses the kind by model.type. */
#ifndef ATTEND_TEXT_HF_JSON_H
#define ATTEND_TEXT_HF_JSON_H

#include "text/tokenizer.h"

/* {"the": 0, ...} into an empty vocabulary. Ids are 0 to n - 1, each used once, with few left out
 * (they become empty pieces). file stands for it in messages. */
attend_status at_hf_read_vocab(at_vocab *v, const json_t *object, const char *file,
                               attend_error *err);
/* Refuses a vocabulary with ids that have no piece, by the first of them. */
attend_status at_hf_check_whole(const at_vocab *v, const char *file, attend_error *err);
json_t *at_hf_write_vocab(const at_vocab *v); /* NULL without memory */

/* "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}, ...] into the vocabulary, where
 * ids must agree with it or continue it, and into t->added. A missing list is an empty one. */
attend_status at_hf_read_added(at_tokenizer *t, const json_t *root, const char *file,
                               attend_error *err);
json_t *at_hf_write_added(const at_tokenizer *t); /* NULL without memory */

#endif
