/* Running text for language models: all texts of an encoded corpus one behind the other, cut into
 * windows of T tokens. The target of a token is the token that follows it.
 *
 * Windows lie side by side and come in a random order, or each begins at a random token of the
 * text, another one in every epoch. In order, for models that carry a state from batch to
 * batch, the text is cut into B streams of equal length that are read side by side: row b of the
 * next batch goes on where row b of this one ended. */
#ifndef ATTEND_DATA_WINDOWS_H
#define ATTEND_DATA_WINDOWS_H

#include "data/batch.h"

typedef struct at_windows at_windows;

typedef struct {
    int T;         /* tokens of a window, at least 1 */
    int streams;   /* B, or 0 for windows on their own */
    bool random;   /* windows on their own begin anywhere */
    uint64_t seed; /* of that, and of `shifted` */
    int stride;    /* tokens from a window of a stream to its next one, up to T; 0: T */
    int backwards; /* the last so many streams are read from their end, window by window */
    bool shifted;  /* streams begin at another token in every epoch */
} at_windows_options;

/* Up to T tokens at the end of the text
 * (of each stream) have no window of their own and are left out; at_windows_left says how many.
 * Fails where there is less text than one window. data must outlive the result. */
attend_status at_windows_new(const at_encoded *data, const at_windows_options *options,
                             at_windows **out, attend_error *err);
void at_windows_free(at_windows *w); /* may be NULL */

size_t at_windows_count(const at_windows *w);
size_t at_windows_left(const at_windows *w);

/* With streams, the plan must be in_order with B texts; batches have `history` then. */
at_supply at_windows_supply(at_windows *w);

#endif
