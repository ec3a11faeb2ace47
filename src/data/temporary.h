/* Files without a name, for what does not fit into memory. They vanish with the program, however it
 * ends. In the folder that TMPDIR names; else in /var/tmp, which is a disk where /tmp may be
 * memory. */
#ifndef ATTEND_DATA_TEMPORARY_H
#define ATTEND_DATA_TEMPORARY_H

#include <stddef.h>

#include "base/error.h"

/* for reading and writing; close it */
attend_status at_temporary_open(int *file, attend_error *err);

attend_status at_temporary_write(int file, const void *data, size_t size, attend_error *err);

#endif
