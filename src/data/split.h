/* Which examples are for training, which for validation, which for the test. The key (key.h) of the
 * source decides, or of what must stay together with it: so the same sentence never stands on two
 * sides, however often a corpus has it, and an example stays on its side when the corpus grows.
 * What an earlier split left for training is split like any other corpus.
 * Plain text is split by documents where there are at least a hundred of them, else by lines.
 * Running text (format document) is not scattered: the end of the corpus is for the test, and what
 * comes before it for validation, by the bytes of the text. */
#ifndef ATTEND_DATA_SPLIT_H
#define ATTEND_DATA_SPLIT_H

#include <stdint.h>

#include "data/corpus.h"

enum { ATTEND_PART_TRAIN, ATTEND_PART_VALID, ATTEND_PART_TEST, ATTEND_PARTS };

/* "train", "valid", "test" */
extern const char *const at_part_names[ATTEND_PARTS];

/* how large a part is to be: a fraction of all sources, or at least so many examples */
typedef struct {
    double fraction;
    size_t count;
} at_fraction;

/* "5%", "0.05" or "1000"; an error names the option */
attend_status at_fraction_parse(at_fraction *s, const char *text, const char *option,
                                attend_error *err);

/* part receives an ATTEND_PART_ for every example, sizes how many each has. Fails where nothing is
 * left for training. */
attend_status at_split(const at_corpus *c, at_fraction valid, at_fraction test, unsigned char *part,
                       size_t sizes[ATTEND_PARTS], attend_error *err);

#endif
