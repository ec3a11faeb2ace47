/* Which side of the data a translator translates from, where languages are named and the files tell
 * theirs:
 *
 *     fra-eng.zip, fra.txt      pairs as manythings.org has them: English first, then the other
 *     train.de, train.tok.en    the language at the end of the name
 */
#ifndef ATTEND_TRAIN_DIRECTION_H
#define ATTEND_TRAIN_DIRECTION_H

#include "models/translator.h"
#include "train/run.h"

/* Sets run->swap where the settings' languages and the file's name decide it. Fails where they
 * contradict each other. */
attend_status at_direction_choose(at_run_settings *run, const at_translator *model,
                                  attend_error *err);

/* Do two names mean one language: "fr", "fra", "French"? */
bool at_language_same(const char *a, const char *b);

#endif
