/* libsentencepiece (Kudo and Richardson 2018) behind C functions: its models, encoding, decoding,
 * learning. Nothing of C++ comes out of here, and nothing is printed. */
#ifndef ATTEND_TEXT_SPIECE_H
#define ATTEND_TEXT_SPIECE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "base/str.h"

typedef struct at_spiece at_spiece;

typedef enum {
    ATTEND_SPIECE_NORMAL,
    ATTEND_SPIECE_UNKNOWN, /* one of them */
    ATTEND_SPIECE_CONTROL, /* never in a text: <s>, </s> */
    ATTEND_SPIECE_OTHER    /* bytes, unused ones */
} at_spiece_type;

/* A model from its bytes, which were found well by at_spiece_check. file is for messages. */
attend_status at_spiece_load(const void *model, size_t size, const char *file, at_spiece **out,
                             attend_error *err);
void at_spiece_free(at_spiece *s); /* NULL is well */

/* The functions from here to learning are safe on one model from several threads at once. */

int at_spiece_size(const at_spiece *s); /* ids are 0 to size - 1 */
const char *at_spiece_text(const at_spiece *s, int id, size_t *size);
at_spiece_type at_spiece_type_of(const at_spiece *s, int id);
int at_spiece_find(const at_spiece *s, const char *text, size_t size); /* else that of unknown */

/* <unk>, <s>, </s>, <pad> or what the model calls them; -1 where it has none */
int at_spiece_unk(const at_spiece *s);
int at_spiece_bos(const at_spiece *s);
int at_spiece_eos(const at_spiece *s);
int at_spiece_pad(const at_spiece *s);

/* A piece as it stands in the (normalised) text, and its bytes [begin,end) of the text given. An
 * unknown one has the text that is unknown. */
typedef struct {
    const char *text;
    size_t size;
    int id;
    size_t begin, end;
} at_spiece_token;

typedef void at_spiece_take(void *user, const at_spiece_token *token);

/* Calls take for every piece, in order. */
attend_status at_spiece_encode(const at_spiece *s, const char *text, size_t size,
                               at_spiece_take *take, void *user, attend_error *err);

/* Appends the text of pieces. text[i] has size[i] bytes. */
attend_status at_spiece_decode(const at_spiece *s, const char *const *text, const size_t *size,
                               size_t count, at_str *out, attend_error *err);

typedef struct {
    const char *type;    /* "unigram" or "bpe" */
    int size;            /* pieces; fewer where the text has no more */
    double coverage;     /* share of all characters that are pieces, the most frequent ones */
    const char *control; /* more control pieces, with commas between */

    /* the next line, borrowed until the next call: 1, 0 at the end, or a negative status */
    int (*next)(void *user, const char **text, size_t *size, attend_error *err);
    void *user;
} at_spiece_learning;

/* Makes a model, the same one from the same lines. <pad>, <unk>, <s>, </s> have the ids 0 to 3, and
 * the control pieces follow. There must be a line with something to see in it, none of more than
 * 4000 bytes, and 2 GB in all at most: the library ends the process where it finds otherwise, and
 * often where memory is short. So call it in a child process. */
attend_status at_spiece_learn(const at_spiece_learning *how, at_str *model, attend_error *err);

#ifdef __cplusplus
}
#endif

#endif
