/* Which side of the data a translator translates from, where languages are named and the files tell
 * theirs:
 *
 *     fra-eng.zip, fra.txt      pairs as manythings.org has them: English first, then the other
 *     train.de, train.tok.en    the language at the end of the name
 */
#ifndef ATTEND_TRAIN_DIRECTION_H
#define ATTEND_TRAIN_DIRECTION_H

#include "train/run.h"

/* Sets *swap where the languages, which may be NULL, and the names of the files decide it. Fails
 * where they contradict each other. */
attend_status at_direction_choose(const at_run_settings *run, const char *from, const char *to,
                                  bool *swap, attend_error *err);

/* Do two names mean one language: "fr", "fra", "French"? */
bool at_language_same(const char *a, const char *b);

#endif
