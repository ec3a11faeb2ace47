#include "data/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");
    if (named && *named)
        return named;
    return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

attend_status at_temporary_open(int *file, attend_error *err)
{
    char path[4096];
    *file = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (*file >= 0)
        return ATTEND_OK;
    int length = snprintf(path, sizeof path, "%s/attend-XXXXXX", folder());
    if (length < (int)sizeof path)
        *file = mkostemp(path, O_CLOEXEC); /* some file systems have no unnamed files */
    else
        errno = ENAMETOOLONG;
    if (*file < 0)
        return at_file_fail(err, folder(), "cannot create a temporary file there");
    unlink(path);
    return ATTEND_OK;
}

attend_status at_temporary_write(int file, const void *data, size_t size, attend_error *err)
{
    const char *next = data;
    while (size) {
        ssize_t done = write(file, next, size);
        if (done < 0 && errno != EINTR)
            return at_file_fail(err, folder(), "cannot write a temporary file there");
        if (done > 0) {
            next += done;
            size -= (size_t)done;
        }
    }
    return ATTEND_OK;
}
