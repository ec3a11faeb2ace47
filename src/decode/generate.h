/* Text from a language model, word by word. The same seed gives the same text. */
#ifndef ATTEND_DECODE_GENERATE_H
#define ATTEND_DECODE_GENERATE_H

#include <stdint.h>

#include "decode/sample.h"
#include "models/language.h"
#include "text/tokenizer.h"

typedef struct {
    at_sampling sampling;
    bool greedy; /* always the likeliest word */
    int most;    /* words that are added */
    int lines;   /* stop behind so many ends of lines; 0: no limit */
    uint64_t seed;
    uint32_t text; /* which of several texts of that seed */
} at_generate_options;

/* Goes on with a text, which may be empty: a line begins then. out receives the text and what was
 * added; ends of lines are \n. */
attend_status at_generate(const at_language *model, at_params *params,
                          const at_tokenizer *tokenizer, const at_generate_options *options,
                          at_text prompt, at_str *out, attend_error *err);

#endif
