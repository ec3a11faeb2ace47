/* Files that are packed, where text is wanted: better refused by name than read as letters. */
#ifndef ATTEND_BASE_PACKED_H
#define ATTEND_BASE_PACKED_H

#include <stddef.h>

#include "base/error.h"

/* Fails where the first bytes of a file are those of gzip or of a zip archive; the message says how
 * to unpack it. name: of the file, for the message. */
attend_status at_packed_refuse(const char *name, const void *head, size_t size, attend_error *err);

#endif
