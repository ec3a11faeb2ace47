#include "base/packed.h"

#include <string.h>

#include "base/file.h"

attend_status at_packed_refuse(const char *name, const void *head, size_t size, attend_error *err)
{
    static const struct {
        const char *magic, *what, *how;
    } kinds[] = {{"\x1F\x8B\x08", "packed by gzip", "zcat FILE | attend ..."},
                 {"PK\3\4", "a zip archive", "unzip -p FILE | attend ..."}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].magic);
        if (size >= length && memcmp(head, kinds[i].magic, length) == 0)
            return at_error(err, ATTEND_FORMAT, "%s: is %s; unpack it first: %s",
                            at_show(name).text, kinds[i].what, kinds[i].how);
    }
    return ATTEND_OK;
}
