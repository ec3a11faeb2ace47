#include "api/options.h"

#include <string.h>

#include "base/error.h"

enum { LARGEST = 4096 }; /* bytes of any options to come: a size above it was never set */

attend_status at_options_accept(void *own, size_t size, const void *given, const char *defaults,
                                attend_error *err)
{
    size_t theirs;
    if (!given)
        return ATTEND_OK;
    memcpy(&theirs, given, sizeof theirs);
    if (theirs <= sizeof theirs || theirs > LARGEST)
        return at_error(err, ATTEND_OPTION, "options of %zu bytes; initialise them with %s", theirs,
                        defaults);
    const unsigned char *bytes = given;
    for (size_t i = size; i < theirs; i++)
        if (bytes[i])
            return at_error(
                err, ATTEND_OPTION,
                "options of %zu bytes, of a newer version of attend.h, set members that "
                "this library (%s, %zu bytes) does not have; update the library",
                theirs, attend_version(), size);
    memcpy(own, given, theirs < size ? theirs : size);
    memcpy(own, &size, sizeof size);
    return ATTEND_OK;
}
