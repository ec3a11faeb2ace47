/* none: words are what stands between white space, for text that is tokenized already. */
#include "measure/tokenization.h"

static void run(at_chars *text, at_chars *spare) { (void)text, (void)spare; }

const at_tokenization at_tokenization_none = {
    .name = "none",
    .what = "white space alone, for text that is tokenized already",
    .run = run,
};
