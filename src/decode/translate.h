/* Text to text through translators: lines are cut into tokens, translated in batches of
 * like length, and given back in their order. So are sequences of feature vectors, which are read
 * whole where the models can.
 *
 * A line's translation, its score and its weights do not depend on the batch it was in. */
#ifndef ATTEND_DECODE_TRANSLATE_H
#define ATTEND_DECODE_TRANSLATE_H

#include "decode/session.h"

/* what is translated */
typedef struct {
    size_t count;
    const char *const *line; /* [count]; not read where options have features */
    const uint32_t
        *sequence; /* [count]: sequences of these features; NULL: from options' `first` */
} at_sources;

/* Through the models of a session, which have the same tokenizers and output. The session has the
 * models of options' ensemble; those are not read. */
attend_status at_translate(at_session *session, const attend_translate_options *options,
                           const at_sources *sources, attend_translation_function *function,
                           void *user, attend_error *err);

#endif
