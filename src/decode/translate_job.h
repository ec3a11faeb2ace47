/* One block of lines of at_translate, for its files: translate.c, translation.c. */
#ifndef ATTEND_DECODE_TRANSLATE_JOB_H
#define ATTEND_DECODE_TRANSLATE_JOB_H

#include "decode/sample.h"
#include "decode/translate.h"
#include "store/features.h"
#include "text/copying.h"
#include "text/tokenizer.h"

/* one line on its way */
typedef struct {
    at_text line;
    at_tokens pieces;
    uint32_t sequence; /* of features */
    int *ids, length;  /* with the frame, at most job's longest */
    bool cut, skipped;
    bool empty;       /* nothing is translated */
    at_copied copied; /* of its pieces, where the models copy */
    at_text prefix;   /* what its translation begins with, */
    at_tokens given;  /* as tokens, */
    int *forced;      /* as ids, with the end where it is all of it, then -1; or NULL */
    at_beam beam;
} at_translate_item;

typedef struct {
    const at_model *with;              /* the first model: all have its tokenizers */
    const attend_translate_options *o; /* of the call; `first` and prefix are those of the block */
    at_attention_record wanted;        /* attention to record; kinds 0: none */
    at_sampling sampling;
    const uint32_t *sequence; /* [lines]; NULL: from o->first on */
    at_translate_item *items;
    size_t *order, lines, base; /* base: number of the first line of this block */
    int longest;                /* tokens or frames that are read; 0: any number */
    size_t full;                /* lines that have something to translate: the first in order */
    size_t batch;               /* of these, at a time */
    int max_output;             /* tokens that all models can write; 0: any number */
} at_translate_job;

/* Gives the hypotheses of a line, the best first; translation.c. */
attend_status at_translate_give(const at_translate_job *job, size_t line,
                                attend_translation_function *function, void *user,
                                attend_error *err);

#endif
