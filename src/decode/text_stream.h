/* The text of a generation as its tokens come, for readers who do not wait: pieces of whole
 * characters, up to where a stop string begins.
 *
 * Bytes that are not UTF-8 become U+FFFD, when it is certain that no later token completes them.
 * What might be the beginning of a stop string waits for the token that decides. */
#ifndef ATTEND_DECODE_TEXT_STREAM_H
#define ATTEND_DECODE_TEXT_STREAM_H

#include "base/str.h"
#include "models/model.h"

typedef struct {
    const at_tokenizer *tokenizer;
    bool newlines;           /* newlines are text; else the end of a text is a newline */
    const char *const *stop; /* [stops]: strings that end the text, and are not part of it */
    int stops;
    int lines; /* newlines after which it ends; 0: any number */
    attend_piece_function *give;
    void *user;   /* of give; give may be NULL */
    at_str text;  /* so far */
    bool stopped; /* by a stop string or the last line */
    /* inside */
    size_t given;      /* bytes of text that were given */
    int anchor, known; /* tokens up to `known` are in the text; those from `anchor` on are decoded
                          with the new ones, which depend on them */
    int lines_seen;
} at_text_stream;

/* Begins after `prompt` tokens of ids, of which the first `first` are no text. */
void at_text_stream_begin(at_text_stream *s, int first, int prompt);

/* Takes tokens ids[known] .. ids[count-1]; last: no more follow. */
attend_status at_text_stream_take(at_text_stream *s, const int *ids, int count, bool last,
                                  attend_error *err);

#endif
