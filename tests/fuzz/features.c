/* Fuzz target: any bytes as a file of feature vectors. What is opened is read completely: every
 * sequence lies in the file, has a name, and is finite or refused. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/features.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void read_all(const at_features *f)
{
    size_t width = (size_t)at_features_width(f);
    attend_error err;
    for (size_t i = 0; i < at_features_count(f); i++) {
        int frames = at_features_frames(f, i);
        require(frames > 0 && *at_features_name(f, i).text, "a sequence has frames and a name");
        real *x = at_alloc((size_t)frames * width * sizeof *x);
        require(x != NULL, "memory");
        if (at_features_read(f, i, frames, x, &err) >= 0)
            for (size_t k = 0; k < (size_t)frames * width; k++)
                require(isfinite(x[k]), "what is read is finite");
        at_free(x);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_features *f;
    attend_error err = {.status = ATTEND_OK};
    at_features_look look = {.mean = NULL};
    if (at_features_open_memory("fuzz", data, size, &f, &err) < 0) {
        require(!f && err.status < 0 && strchr(err.message, ';'), "a message with a remedy");
    } else {
        require(at_features_count(f) > 0 && at_features_width(f) > 0, "there is a sequence");
        read_all(f);
        at_features_scan(f, NULL, &look, &err);
        at_features_close(f);
    }
    require(at_alloc_live() == 0, "nothing is left allocated");
    return 0;
}
