/* The bytes of a corpus, one after another, wherever they are: a file, standard input ("-"), either
 * of them packed by gzip, or a file inside a zip archive. What a file is, its first bytes say, not
 * its name. Memory is constant.
 *
 * Of an archive the one file is read that can be meant: not a folder, not what a Mac adds, not
 * `_about.txt` or a README. Where several are left, the caller says which: "corpus.zip:train.tsv".
 */
#ifndef ATTEND_DATA_STREAM_H
#define ATTEND_DATA_STREAM_H

#include <stddef.h>

#include "base/error.h"

typedef struct at_stream at_stream;

/* out receives NULL on failure */
attend_status at_stream_open(const char *path, at_stream **out, attend_error *err);

/* The same from memory, which stays the caller's; it may be packed too. */
attend_status at_stream_memory(const char *name, const void *data, size_t size, at_stream **out,
                               attend_error *err);

/* The next bytes, at most size: how many there are, 0 at the end, or a negative attend_status. */
ptrdiff_t at_stream_read(at_stream *b, void *buffer, size_t size, attend_error *err);

/* The first bytes, at most 64 KiB, which stay to be read; only before the first read. */
attend_status at_stream_peek(at_stream *b, const char **data, size_t *size, attend_error *err);

/* "fra-eng.zip:fra-eng/fra.txt", "standard input": fit for a message; borrowed */
const char *at_stream_name(const at_stream *b);

void at_stream_close(at_stream *b); /* NULL is well */

#endif
