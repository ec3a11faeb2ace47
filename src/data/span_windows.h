/* A question and its context as the input of a model that finds answers: [CLS] question [SEP]
 * context [SEP] in the tokenizer's frame. A context that is too long is cut into windows, each
 * `stride` tokens after the one before it.
 *
 * An answer is a range of tokens of the context; in a window, of positions. */
#ifndef ATTEND_DATA_SPAN_WINDOWS_H
#define ATTEND_DATA_SPAN_WINDOWS_H

#include "data/example.h"

typedef struct {
    int window;   /* tokens of a window, frame and question included */
    int stride;   /* tokens of the context between the beginnings of two windows */
    int question; /* tokens of a question that are read */
} at_span_options;

/* start with {0} */
typedef struct {
    const at_tokenizer *tokenizer;
    at_tokens question, context; /* the question without what is not read */
    int room;                    /* tokens of the context in a window */
    int stride, count;           /* of windows */
    bool cut;                    /* the question was longer */
} at_span_text;

typedef struct {
    int length;  /* tokens */
    int context; /* position of the first token of the context */
    int first;   /* its index in the context; and how many tokens of the context there are */
    int tokens;
    int none; /* the position that stands for "no answer": that of [CLS] */
} at_span_window;

/* Reads both; memory is kept from text to text. Fails where a window has no room for the context,
 * or the context is empty. */
attend_status at_span_text_read(at_span_text *s, const at_tokenizer *t, const at_span_options *o,
                                at_text question, at_text context, attend_error *err);
void at_span_text_free(at_span_text *s);

at_span_window at_span_window_at(const at_span_text *s, int index);

/* The tokens of a window; those of the context have their offsets there, all others none. */
void at_span_window_put(const at_span_text *s, const at_span_window *w, at_tokens *out);

/* The tokens [first, last] of the context that share bytes with an answer; false if none does. */
bool at_span_find(const at_span_text *s, size_t byte, size_t size, int *first, int *last);

#endif
