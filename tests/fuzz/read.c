/* Fuzz target: any bytes as what `attend read` reads, JSON or safetensors. What is accepted and
 * small is read, must have weights where it has scores, and must read the same when it is written
 * as JSON. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/reading.h"
#include "base/memory.h"

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* location:1048576 and the like are allowed, but slow */
static int is_quick(const attend_read_options *o)
{
    int digits = 0;
    for (const char *c = o->attention ? o->attention : ""; *c; c++) {
        digits = isdigit((unsigned char)*c) ? digits + 1 : 0;
        if (digits > 3)
            return 0;
    }
    const attend_array *all[] = {&o->queries, &o->keys, &o->values};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < all[i]->rank; k++)
            if (all[i]->shape[k] > 64)
                return 0;
    return o->hidden_size <= 64;
}

static void look_at(const attend_reading *r)
{
    attend_array e = attend_reading_array(r, "scores"), w = attend_reading_array(r, "weights");
    size_t len;
    require(e.data && w.data && e.rank == 4 && w.rank == 4, "scores and weights");
    require(at_array_len(w, &len), "sizes");
    for (size_t i = 0; i < len; i++)
        require(!(e.data[i] < 0 && isinf(e.data[i])) || w.data[i] == 0 || isnan(w.data[i]),
                "no score, no weight");
}

static void check_again(attend_reading *r)
{
    at_read_inputs in;
    attend_reading *again;
    attend_error err;
    const char *json = attend_reading_json(r);
    require(json != NULL, "memory");
    if (at_read_parse("again", json, strlen(json), &in, &err) < 0
        || attend_read(&in.options, &again, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        require(0, "what is written can be read");
    }
    require(strcmp(attend_reading_attention(r), attend_reading_attention(again)) == 0,
            "the attention is the same");
    attend_reading_free(again);
    at_arena_free(&in.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_read_inputs in;
    attend_reading *r;
    attend_error err = {.status = ATTEND_OK};
    long live = at_alloc_live(); /* products keep memory for the next */
    attend_status parsed = at_read_parse("fuzz", (const char *)data, size, &in, &err);
    require((parsed < 0) == (err.status < 0) && (parsed >= 0 || *err.message), "a message");
    if (parsed >= 0 && is_quick(&in.options)) {
        attend_status status = attend_read(&in.options, &r, &err);
        require(status < 0 ? !r && *err.message : r != NULL, "a reading or a message");
        if (status >= 0) {
            look_at(r);
            check_again(r);
            attend_reading_free(r);
        }
    }
    at_arena_free(&in.memory);
    require(parsed >= 0 || at_alloc_live() == live, "nothing of what is refused stays");
    return 0;
}
