/* The tokenizer of the kind sentencepiece from inside. */
#ifndef ATTEND_TEXT_SENTENCEPIECE_H
#define ATTEND_TEXT_SENTENCEPIECE_H

#include "text/spiece.h"
#include "text/spiece_clean.h"
#include "text/tokenizer.h"

/* What is done around the model, after Hugging Face's tokenizer_class.
 *
 * XLNet and ALBERT clean the text (spiece_clean.h), and a piece that ends in a digit and a comma is
 * cut in two: "▁1,000," has no piece of its own that way. */
typedef enum {
    ATTEND_SPIECE_PLAIN, /* A </s> */
    ATTEND_SPIECE_XLNET, /* A <sep> B <sep> <cls> */
    ATTEND_SPIECE_ALBERT /* [CLS] A [SEP] B [SEP] */
} at_spiece_class;

typedef struct {
    at_tokenizer base;
    at_spiece *spiece;
    char *model; /* the file's bytes */
    size_t model_size;
    at_spiece_class class;
    at_spiece_cleaning cleaning;
} at_sentencepiece;

/* From the bytes of a model, which are taken over, on failure too. file is for messages. */
attend_status at_sentencepiece_new(char *model, size_t size, const char *file,
                                   at_sentencepiece **out, attend_error *err);

/* Turns to the conventions of a class; a special piece that the model lacks is the unknown one, as
 * there. For models whose folder has no tokenizer_config.json; its keys are remove_space,
 * keep_accents and do_lower_case. */
void at_sentencepiece_follow(at_tokenizer *t, at_spiece_class class, at_spiece_cleaning cleaning);

/* the member of the kind */
attend_status at_sentencepiece_learn(at_line_source lines, const attend_learn_options *o,
                                     at_tokenizer **out, attend_error *err);

#endif
