/* Files of examples whose sources are feature vectors. */
#ifndef ATTEND_MAKE_FEATURES_H
#define ATTEND_MAKE_FEATURES_H

#include "makers/maker.h"

/* Makes count examples (at least 1), as at_maker_run does, with a maker whose sources are vectors.
 *
 * features  path of a safetensors file of the sources
 * lines     path of a text file with the target of each in a line
 * pictures  an existing folder for 0.png, 1.png and so on, of makers that have pictures; or NULL
 *
 * Replaces all files; writes the lines only where the sources were written. */
attend_status at_make_features(const at_maker *m, long count, uint64_t seed, int size,
                               const char *features, const char *lines, const char *pictures,
                               attend_error *err);

#endif
