/* The words of a source as words of the target, for models that copy: a piece that the target's
 * vocabulary has goes by its number there; one that it lacks gets a number of its own, V, V + 1, ..
 * in the order in which they come, the same text the same number. These numbers are the line's.
 *
 *     at_copying *c;
 *     at_copying_new(source, target, &c, err);
 *     at_copied line = {0};                              used again for the next line
 *     at_copied_read(&line, c, text, size, &pieces, pieces.count, err);       line.id[i]
 *     at_copied_find(&line, c, target_text, target_size, &target_pieces, err);
 *     at_copied_text(&line, id - V);
 *     at_copied_free(&line);
 *
 * Both tokenizers are of one kind, so that they write a word alike. */
#ifndef ATTEND_TEXT_COPYING_H
#define ATTEND_TEXT_COPYING_H

#include "text/tokenizer.h"

typedef struct at_copying at_copying;

/* Borrows the tokenizers. */
attend_status at_copying_new(const at_tokenizer *source, const at_tokenizer *target,
                             at_copying **out, attend_error *err);
void at_copying_free(at_copying *c); /* NULL is well */

/* The target's number of a piece of the source, or -1; special pieces always have one. */
int at_copying_number(const at_copying *c, int32_t id);

/* The target's word that stands for those it lacks. */
int at_copying_unknown(const at_tokenizer *target);

/* of one line */
typedef struct {
    int *id; /* [count]: of its pieces */
    size_t count, capacity;
    int extra;    /* numbers from V on */
    at_str texts; /* of these, one after the other */
    size_t *end;  /* [extra]: where each ends */
    size_t ends;  /* room for so many */
} at_copied;

void at_copied_free(at_copied *line);

/* Numbers the first `count` pieces of a text of the source. */
attend_status at_copied_read(at_copied *line, const at_copying *c, const char *text, size_t size,
                             const at_tokens *tokens, size_t count, attend_error *err);

/* Pieces of a text of the target that are unknown, but in the line, get their numbers there. */
attend_status at_copied_find(const at_copied *line, const at_copying *c, const char *text,
                             size_t size, at_tokens *tokens, attend_error *err);

/* The text of a number from V on, less V; borrowed until the next line. */
at_text at_copied_text(const at_copied *line, int extra);

#endif
