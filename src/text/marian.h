/* Writing the tokenizers of a model that was trained here as those of a Marian folder. */
#ifndef ATTEND_TEXT_MARIAN_H
#define ATTEND_TEXT_MARIAN_H

#include "text/tokenizer.h"

/* source.spm, target.spm, vocab.json, tokenizer_config.json, and where source is not target
 * target_vocab.json. Both must be SentencePiece's, or Marian's own. */
attend_status at_marian_write(const at_tokenizer *source, const at_tokenizer *target,
                              const char *folder, attend_error *err);

#endif
