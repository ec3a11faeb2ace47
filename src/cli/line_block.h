/* Lines of a reader in blocks: as many as there are without waiting, so that a filter answers at
 * once and still works in batches. */
#ifndef ATTEND_CLI_LINE_BLOCK_H
#define ATTEND_CLI_LINE_BLOCK_H

#include "cli/stream.h"

typedef struct {
    at_str text;          /* the lines with a zero after each */
    const char **line;    /* [count], in text */
    size_t before, count; /* lines of blocks before this one; of this one */
    bool ended;           /* no more come */
} at_line_block;          /* starts as zeros */

/* The next block; at the end it may be empty. */
attend_status at_line_block_read(at_line_block *b, at_reader *in, attend_error *err);
void at_line_block_free(at_line_block *b);

#endif
