/* A corpus as numbers: every example cut into pieces once, and kept as ids in a store, so that
 * making a batch is copying. Texts that are too long are cut, skipped or refused, as was said, and
 * counted. */
#ifndef ATTEND_DATA_ENCODE_H
#define ATTEND_DATA_ENCODE_H

#include <stdint.h>

#include "attend.h"
#include "data/corpus.h"
#include "text/copying.h"
#include "text/tokenizer.h"

/* what stands around the pieces of a text */
typedef enum {
    ATTEND_FRAME_NONE,
    ATTEND_FRAME_INPUT,    /* what the tokenizer puts around a model's input: [CLS] A [SEP] */
    ATTEND_FRAME_OUTPUT,   /* <bos> A <eos>: what a decoder is fed and asked for */
    ATTEND_FRAME_DOCUMENT, /* <eos> before the first part of a document, nothing else */
} at_framing;

typedef struct {
    const at_tokenizer *source, *target; /* target NULL: the source's */
    const uint32_t *frames; /* of each example: its source is so many vectors, not a text, and has
                               no tokenizer and no frame; or NULL */
    at_framing source_frame, target_frame;
    bool joined; /* the target is a second text of the same input: [CLS] A [SEP] B [SEP] */
    int max_source, max_target; /* tokens with their frame; 0: any number */
    attend_when_long when_long;
    const at_copying *copying; /* what of a source can be copied is kept too; or NULL. Words of a
                                  target that it alone has get their numbers from V on */
    const at_vocab *labels;    /* numbers of labels, or NULL: labels are not asked for */
    const unsigned char *part; /* of each example (split.h), or NULL: all are taken */
    int wanted;                /* which part */
    size_t memory;             /* as of a store */
} at_encode_options;

typedef struct {
    size_t examples, cut, skipped; /* skipped: too long */
    size_t tokens[2], unknown[2];  /* of sources and targets; unknown is part of tokens */
    size_t max_length[2];
} at_encode_counts;

typedef struct at_encoded at_encoded;

/* One example; token(i) below. */
typedef struct {
    const int32_t *source, *target; /* source is NULL where it is vectors, of which there are */
    const int32_t *copied;          /* [source_size]: the target's numbers (copying.h), or NULL */
    int source_size, target_size;
    int extra;        /* how many numbers from V on copied has */
    int second;       /* where a joined second text begins in source, or source_size */
    int label;        /* or -1 */
    bool breaks;      /* a document begins here */
    uint32_t example; /* its number in the corpus */
} at_item_view;

/* The corpus is not needed afterwards. */
attend_status at_encode_corpus(const at_corpus *c, const at_encode_options *options,
                               at_encoded **out, attend_error *err);
/* The same from examples that the caller makes: new, add for each, close. Views have no `copied`.
 */
attend_status at_encoded_new(size_t memory, at_encoded **out, attend_error *err);
attend_status at_encoded_add(at_encoded *e, const at_item_view *item, attend_error *err);
attend_status at_encoded_close(at_encoded *e, attend_error *err);
void at_encoded_free(at_encoded *e); /* NULL is well */

size_t at_encoded_size(const at_encoded *e);
at_encode_counts at_encoded_count(const at_encoded *e);

/* tokens of every source (0) or target (1); NULL for targets where there are none */
const uint32_t *at_encoded_lengths(const at_encoded *e, int side);

/* changes with every id of every example: a checkpoint knows its data by it */
uint64_t at_encoded_print(const at_encoded *e);

at_item_view at_encoded_at(const at_encoded *e, size_t index);

/* A token is kept with whether it begins a word: special ones do, each for itself. */
static inline int at_token_id(int32_t token) { return token >> 1; }
static inline bool at_token_begins(int32_t token) { return token & 1; }

#endif
