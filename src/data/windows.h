/* Running text for language models: all texts of an encoded corpus one behind the other, cut into
 * windows of T tokens. The target of a token is the token that follows it.
 *
 * By default windows come in a random order. In order, for models that carry a state from batch to
 * batch, the text is cut into B streams of equal length that are read side by side: row b of the
 * next batch goes on where row b of this one ended. */
#ifndef ATTEND_DATA_WINDOWS_H
#define ATTEND_DATA_WINDOWS_H

#include "data/batch.h"

typedef struct at_windows at_windows;

/* T is at least 1; streams: B, or 0 for windows on their own. Up to T tokens at the end of the text
 * (of each stream) have no window of their own and are left out; at_windows_left says how many.
 * Fails where there is less text than one window. data must outlive the result. */
attend_status at_windows_new(const at_encoded *data, int T, int streams, at_windows **out,
                             attend_error *err);
void at_windows_free(at_windows *w); /* NULL is well */

size_t at_windows_count(const at_windows *w);
size_t at_windows_left(const at_windows *w);

/* With streams, the plan must be in_order with B sentences. */
at_supply at_windows_supply(at_windows *w);

#endif
