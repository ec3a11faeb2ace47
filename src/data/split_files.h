/* The files of a split in their folder. */
#ifndef ATTEND_DATA_SPLIT_FILES_H
#define ATTEND_DATA_SPLIT_FILES_H

#include "base/error.h"

/* Files of an earlier split (train.de, test.tsv, valid.en.gz) that are not written anew would pass
 * for parts of this one: they are refused.
 *
 * written   the paths of what will be written; NULL among them is nothing */
attend_status at_split_files_check(const char *folder, char *const *written, int count,
                                   attend_error *err);

#endif
